"""The turn of a loop: a whole number that is not known while a composite is expanded.

In: whole numbers and arithmetic. Out: how it begins and what it grows by, which is all that a loop
in a plan keeps of it. Whatever would need the number itself is refused, with what to do instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

from treadle.errors import KernelTypeError

__all__ = ["Turn"]


class Turn:
    """`first + turn * step`, for a turn from 0 up to `times`; made by `repeat`."""

    __slots__ = ("first", "loop", "owner", "step", "times")

    def __init__(
        self, owner: str, loop: object, times: int, first: float = 0, step: float = 1
    ) -> None:
        self.owner = owner  # the composite's name
        self.loop = loop  # what it is a turn of
        self.times = times
        self.first = first
        self.step = step

    @property
    def last(self) -> float:
        """What it is in the last turn."""
        return self.first + self.step * (self.times - 1)

    def as_float(self) -> Turn:
        """The same for a parameter that is a float; whole numbers stay exact."""
        return self._with(self.first * 1.0, self.step * 1.0)  # not float(): they may be Sizes

    def _with(self, first: float, step: float) -> Turn:
        return Turn(self.owner, self.loop, self.times, first, step)

    def _fail(self, what: str) -> KernelTypeError:
        return KernelTypeError(
            f"kernel {self.owner!r}: {what}: the turn of a repeat is a number of the run, not "
            "known while the body is recorded; add whole numbers to it, multiply it by them, and "
            "give it to kernels as a runtime parameter"
        )

    def _whole(self, other: Any, what: str) -> None:
        if not isinstance(other, int) or isinstance(other, bool):
            raise self._fail(f"{what} {type(other).__name__} {other!r:.40}")

    def __add__(self, other: Any) -> Turn:
        if type(other) is Turn and other.loop is self.loop:
            return self._with(self.first + other.first, self.step + other.step)
        self._whole(other, "a turn plus")
        return self._with(self.first + other, self.step)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Turn:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Turn:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Turn:
        if type(other) is Turn:
            raise self._fail("a turn times a turn")
        self._whole(other, "a turn times")
        return self._with(self.first * other, self.step * other)

    __rmul__ = __mul__

    def __neg__(self) -> Turn:
        return self._with(-self.first, -self.step)

    def __pos__(self) -> Turn:
        return self

    def _refuse(self, *_: Any) -> NoReturn:
        raise self._fail("a turn was asked for its value")

    __bool__ = __int__ = __index__ = __float__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _refuse
    __mod__ = __rmod__ = __pow__ = __rpow__ = __abs__ = __round__ = _refuse
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<turn of a repeat in {self.owner}>"
