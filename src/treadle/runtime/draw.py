"""Pictures of buffers, as commands: shown on a canvas, and brought from one device to another.

In: buffers, and views that say which pixels go where. Out: commands that take their place among
those that use the same buffers, so that a picture is complete before it is shown and is shown
before it is overwritten. What is shown where, and when, is the surface's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.backends.base import Draw, Framing
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.runtime.buffer import Buffer
from treadle.runtime.caller import caller
from treadle.runtime.command import Command
from treadle.runtime.device import Device

__all__ = ["Easel", "bring"]


class Easel:
    """A canvas of a device, and the order of what happens on it."""

    __slots__ = ("_turn", "canvas", "device")

    def __init__(self, device: Device, window: Mapping[str, Any] | None = None) -> None:
        self.device = device
        self.canvas: Any = device.backend.canvas(window)  # type: ignore[attr-defined]
        self._turn = device.empty((1,), DType.U8)  # which all of it writes, and so one by one

    @property
    def skipped(self) -> int:
        """How often its window had no room for a picture."""
        return int(self.canvas.skipped)

    def draw(self, view: Framing, source: Buffer) -> Command:
        """Show a buffer's pixels, and return the command at once."""
        if source.device is not self.device:
            raise LaunchError(f"source: {source!r} is not on {self.device.name}, which draws")
        return self._submit("present", Draw(self.canvas, view, source._region()), (source,))

    def capture(self, view: Framing, target: Buffer, source: Buffer | None = None) -> Command:
        """Copy what is shown into a buffer; where there is a source, that is drawn before."""
        place = None if source is None else source._region()
        step = Draw(self.canvas, view, place, target._region())
        return self._submit("capture", step, () if source is None else (source,), (target,))

    def let_go(self) -> Command:
        """Have the device let go of the canvas, after what it draws there."""
        return self._submit("close", Draw(self.canvas, None, None))

    def _submit(
        self,
        label: str,
        step: Draw,
        reads: tuple[Buffer, ...] = (),
        writes: tuple[Buffer, ...] = (),
    ) -> Command:
        code, at = caller(3)
        output = writes[0] if writes else None
        command = Command(self.device.queue, label, code, at, output, (step,))
        self.device.queue.submit(command, reads, (*writes, self._turn))
        return command


def bring(source: Buffer, target: Buffer) -> Command:
    """Copy a buffer into one of another device; return the command that ends it, at once.

    The first device copies it out, and the second takes it from there when that is done: commands
    that overwrite the source wait for the first only, so that they run while the data travels."""
    if source.shape != target.shape or source.dtype is not target.dtype:
        raise LaunchError(f"target: expected one like {source!r}, got {target!r}")
    code, at = caller(2)
    leaving = source.device.download(source)
    device: Device = target.device
    command = Command(device.queue, "upload", code, at, target, ())
    if target.size:
        command._steps = device._transfers.inward(target._region(), leaving.output, leaving)
        command._host = True
    device.queue.submit(command, (), (target,))
    return command
