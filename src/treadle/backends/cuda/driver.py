"""CuPy's low-level modules, loaded when first needed, and what their errors mean.

In: nothing. Out: the modules, or one DeviceUnavailable with the reason and the fix; and
treadle.errors in place of what CUDA reports. No other module of Treadle imports cupy.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from treadle.errors import DeviceError, DeviceLost, DeviceUnavailable, OutOfMemory, TreadleError

__all__ = [
    "NOT_READY",
    "Config",
    "Cuda",
    "DriverError",
    "library",
    "load",
    "translate",
    "translate_errors",
]

NOT_READY = 600  # cudaErrorNotReady, from a query of work that runs
_OUT_OF_MEMORY = 2
# After these no call on the device succeeds any more in this process.
_STICKY = frozenset({4, 46, 79, 214, 220, 700, 702, *range(708, 721), 999})


class DriverError(RuntimeError):
    """What the driver reported; `translate` says what it means."""

    def __init__(self, name: str, status: int) -> None:
        super().__init__(f"{name} reported error {status}")
        self.status = status


# Its errors are told apart by this name.
DriverError.__name__ = "CUDADriverError"


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    )


class Cuda:
    """The modules that the backend calls."""

    def __init__(self, cupy: Any) -> None:
        # The driver's cuLaunchKernelEx, which takes four pointers where CuPy's binding of its older
        # sister takes eleven numbers, and which keeps Python's lock; None where it is not there.
        self.launch: Any = None
        self.cupy = cupy
        self.driver: Any = cupy.cuda.driver
        self.runtime: Any = cupy.cuda.runtime
        self.nvrtc: Any = cupy.cuda.nvrtc

    @property
    def cublas(self) -> Any:
        """The binding of cuBLAS, which takes a while to load."""
        return self.cupy.cuda.cublas


_loaded: Cuda | None = None
_loading = threading.RLock()  # a finalizer may look for devices, inside it too


def load() -> Cuda:
    """Return the modules; raise DeviceUnavailable, with the fix, where CUDA cannot be used."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _load() -> Cuda:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CuPy's hints about its own optional parts
        try:
            import cupy
        except ImportError as error:
            if error.name == "cupy":
                reason = "CuPy is not installed"
            else:
                reason = f"CuPy cannot be loaded: {error}"
            raise DeviceUnavailable(
                f"device 'cuda': {reason}; run `pip install 'treadle[cuda]'` "
                "(with a CUDA 12 driver: `pip install cupy-cuda12x`)"
            ) from error
        except Exception as error:
            raise DeviceUnavailable(f"device 'cuda': CuPy cannot be loaded: {error}") from error
        try:
            found = Cuda(cupy)
            found.nvrtc.getVersion()
            present = found.runtime.getDeviceCount()
            found.launch = _launching()
        except Exception as error:
            raise DeviceUnavailable(
                f"device 'cuda': {error}; it needs an NVIDIA GPU, its driver, and "
                "`pip install 'treadle[cuda]'` for that driver's CUDA version"
            ) from error
    if not present:
        raise DeviceUnavailable("device 'cuda': the driver is there, but it sees no GPU")
    return found


def library() -> Any:
    """Return the driver's own library, for what CuPy does not bind; None where it is not found."""
    try:
        if sys.platform == "win32":
            return ctypes.WinDLL("nvcuda.dll")
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _launching() -> Any:
    try:
        return ctypes.PyDLL("libcuda.so.1").cuLaunchKernelEx
    except (OSError, AttributeError):  # Windows, and drivers of before CUDA 11.8
        return None


def translate(error: BaseException, what: str = "cuda") -> BaseException:
    """Return the error of treadle.errors that says what a foreign one means."""
    if isinstance(error, TreadleError) or not isinstance(error, Exception):
        return error
    status = getattr(error, "status", None)
    name = type(error).__name__
    if status == _OUT_OF_MEMORY or name == "OutOfMemoryError" or isinstance(error, MemoryError):
        made: BaseException = OutOfMemory(f"{what}: no room on the device: {error}")
    elif status in _STICKY and name in ("CUDARuntimeError", "CUDADriverError"):
        made = DeviceLost(
            f"{what}: {error}; the GPU refuses further work from this process, which has to be "
            "started again"
        )
    else:
        made = DeviceError(f"{what}: {error}")
    made.__cause__ = error
    return made


@contextlib.contextmanager
def translate_errors(what: str = "cuda") -> Iterator[None]:
    """Raise treadle.errors in place of what CUDA and CuPy raise."""
    try:
        yield
    except TreadleError:
        raise
    except Exception as error:
        raise translate(error, what) from error
