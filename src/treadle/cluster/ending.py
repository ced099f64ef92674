"""The end of a thread, for those who wait for it, whom Ctrl-C may interrupt anywhere.

In: a thread's word that it has ended. Out: those who wait go on. Python's own join may take a
thread for ended that is not, where Ctrl-C comes in the middle of it.
"""

from __future__ import annotations

from treadle.attendant import Bell

__all__ = ["Ending"]

_LOOK = 0.05  # seconds between looks: another may have heard the bell
_INSISTS = 3  # interrupts that are put off


class Ending:
    """Something that ends once."""

    def __init__(self) -> None:
        self.over = False
        self._bell = Bell()

    def tell(self) -> None:
        """Say that it has ended."""
        self.over = True
        self._bell.ring()

    def wait(self) -> None:
        """Wait for the end; Ctrl-C comes afterwards, unless it comes again and again."""
        interrupts: list[KeyboardInterrupt] = []
        while not self.over:
            try:
                self._bell.sleep(_LOOK)
            except KeyboardInterrupt as error:
                interrupts.append(error)
                if len(interrupts) >= _INSISTS:
                    raise
        if interrupts:
            raise interrupts[0]
