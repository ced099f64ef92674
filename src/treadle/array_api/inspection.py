"""What the namespace has: capabilities, devices and dtypes, as the standard asks for them."""

from __future__ import annotations

from typing import Any

from treadle.array_api.given import where_is
from treadle.array_api.types import NAMES, default_float, default_integer, isdtype
from treadle.dtypes import DType
from treadle.runtime.device import Device, device, devices

__all__ = ["Info", "__array_namespace_info__"]


class Info:
    """What `__array_namespace_info__` gives."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """Return what the namespace can do: conditions choose, shapes may depend on data, and
        arrays have at most as many axes as NumPy's, through which data comes and goes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return the device in use."""
        return device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Return what Python's numbers become, and what positions are, on a device."""
        where = where_is(named=device)
        found = {
            "real floating": default_float(where),
            "integral": default_integer(where),
            "indexing": DType.S32,
        }
        if "complex64" in NAMES:
            found["complex floating"] = NAMES["complex64"]
        return found

    def devices(self) -> list[Device]:
        """Return every device that can be opened."""
        return [device(name) for name in devices()]

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the dtypes that a device has, by their names in the standard."""
        limits = where_is(named=device).limits.dtypes
        return {
            name: dtype
            for name, dtype in NAMES.items()
            if dtype in limits and (kind is None or isdtype(dtype, kind))
        }


def __array_namespace_info__() -> Info:
    """Return what says which devices, dtypes and capabilities there are."""
    return Info()
