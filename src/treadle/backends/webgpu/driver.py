"""The one place that knows wgpu: opening an adapter, calling the driver, translating its errors.

In: buffers to make, text to compile, commands to submit. Out: wgpu objects, and notes about work
that ended. What the library's own Python layer gets wrong is done through its C interface: the
work-done callback, which it cannot make, and its poll thread, which waits for the latest submission
instead of the next. Callbacks from the driver only append to a queue; they can come on any thread
that is inside the driver.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from treadle.backends.webgpu.driver_threads import give_way, tasks
from treadle.backends.webgpu.opengl import Turns
from treadle.errors import DeviceError, DeviceLost, DeviceUnavailable, OutOfMemory, TreadleError

__all__ = ["Gpu", "adapters", "is_software", "says_lost", "translate_errors"]

_INSTALL = "install it with `pip install 'treadle[webgpu]'`"
_PACKAGES = (
    "install a graphics driver; on Debian or Ubuntu, `apt install libvulkan1 mesa-vulkan-drivers "
    "libegl1 libgl1-mesa-dri` also gives one in software"
)
_SOFTWARE = ("llvmpipe", "lavapipe", "swiftshader", "softpipe", "basic render", "warp")
# Mesa's drivers for the processor end all loops of an invocation together after so many rounds, in
# silence: what is left of them is skipped.
_ROUNDS = {"llvmpipe": 65535, "lavapipe": 65535}
_WIDE = ("shader-f64", "shader-int64")
_TIMES = "timestamp-query"
_RANK = {"DiscreteGPU": 0, "IntegratedGPU": 1, "Unknown": 2, "CPU": 3}

_SUCCESS = 1  # of every kind of callback

_opened_in: int | None = None  # the process that first talked to a driver
_found: list[Any] = []  # every adapter, once a call has looked
_looking = threading.RLock()  # a finalizer may look, too
_turns: Turns | None = None  # where the adapters are OpenGL's
# OpenGL's devices, which are never released: all share one context, and the end of one unbinds the
# vertex array that the others draw with, so that their canvases would stay black.
_kept: list[Any] = []


def _library() -> Any:
    global _opened_in
    if _opened_in is not None and _opened_in != os.getpid():
        raise DeviceUnavailable(
            "webgpu was used before this process forked; graphics drivers do not survive that: "
            "start processes with the spawn method"
        )
    try:
        import wgpu
        import wgpu.backends.wgpu_native
    except ImportError as error:
        raise DeviceUnavailable(f"webgpu needs the package wgpu ({error}); {_INSTALL}") from error
    except (OSError, RuntimeError) as error:
        raise DeviceUnavailable(f"webgpu: wgpu cannot be loaded: {error}; {_PACKAGES}") from error
    _opened_in = os.getpid()
    return wgpu


def adapters() -> list[Any]:
    """Return the adapters that are present, real hardware first; raise DeviceUnavailable.

    They are looked for once: both looking and letting go of what was found take OpenGL's context,
    and end the process if another thread has it."""
    wgpu = _library()
    with _looking:
        if not _found:
            before = tasks()
            try:
                with _runtime_directory():
                    _found.extend(wgpu.gpu.enumerate_adapters_sync())
            except Exception as error:
                raise DeviceUnavailable(f"webgpu found no adapter: {error}; {_PACKAGES}") from error
            if all(is_software(adapter.info) for adapter in _found):  # OpenGL's threads start here
                give_way(before)
    if not _found:
        raise DeviceUnavailable(f"webgpu found no adapter; {_PACKAGES}")
    # The same hardware can appear once for each interface; OpenGL is the poorest.
    usable = [a for a in _found if not _is_opengl(a)] or _found
    return sorted(usable, key=lambda a: _RANK.get(str(a.info["adapter_type"]), 2))


def _is_opengl(adapter: Any) -> bool:
    return "GL" in str(adapter.info["backend_type"]).upper()


def _take_turns(native: Any) -> Turns:
    """Let one thread at a time into the driver, from now on."""
    global _turns
    with _looking:
        if _turns is None:
            turns = Turns()
            turns.install(native)
            _turns = turns
        return _turns


@contextlib.contextmanager
def _runtime_directory() -> Iterator[None]:
    """Give drivers the directory without which they complain on stderr, where there is none.

    They look for a display server's sockets in it, so it is one that no other user can write to."""
    name = "XDG_RUNTIME_DIR"
    if name in os.environ or not sys.platform.startswith("linux"):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="treadle-", ignore_cleanup_errors=True) as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            del os.environ[name]


def is_software(info: Any) -> bool:
    """Whether an adapter is a program on the processor."""
    name = f"{info['device']} {info['description']}".lower()
    return str(info["adapter_type"]) == "CPU" or any(word in name for word in _SOFTWARE)


def rounds_of(info: Any) -> int:
    """After how many rounds an adapter ends the loops of an invocation; 0: never."""
    name = f"{info['device']} {info['description']}".lower()
    return next((bound for word, bound in _ROUNDS.items() if word in name), 0)


def says_lost(error: BaseException) -> bool:
    """Whether an error of the driver means that the device is gone."""
    text = str(error).lower()
    return "device is lost" in text or "device lost" in text


@contextlib.contextmanager
def translate_errors(doing: str) -> Iterator[None]:
    """Turn what the driver raises into Treadle's errors."""
    try:
        yield
    except TreadleError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        low = text.lower()
        if (
            "not enough memory" in low
            or "out of memory" in low
            or "OutOfMemory" in repr(type(error))
        ):
            raise OutOfMemory(f"webgpu has no memory for {doing}") from error
        if says_lost(error):
            raise DeviceLost(f"webgpu lost its device before {doing}: {text}") from error
        raise DeviceError(f"webgpu refused {doing}: {text}") from error


def _handle(thing: Any) -> Any:
    """What C knows an object of the library's by."""
    return thing._internal


_ON_LOSS = "void(WGPUDevice const *, WGPUDeviceLostReason, WGPUStringView, void *, void *)"
_LONGEST_REASON = 1 << 16
_opening = threading.RLock()  # a finalizer may open one, inside it too


def _open(adapter: Any, features: list[str], native: Any, callback: Any) -> Any:
    """Open a device that calls us when it is lost.

    The library's own callback only writes to a log, where one device cannot be told from another
    and which users may silence; one can only be given while a device is made."""
    here = threading.get_ident()

    def making(name: str, **fields: Any) -> Any:
        if name == "WGPUDeviceLostCallbackInfo" and threading.get_ident() == here:
            fields["callback"] = callback
        return make(name, **fields)

    with _opening:
        make = native.new_struct
        try:
            native.new_struct = making
            return adapter.request_device_sync(required_features=features)
        finally:
            native.new_struct = make


class Gpu:
    """An opened adapter: the calls that the backend makes."""

    def __init__(self, index: int = 0) -> None:
        self.wgpu = _library()
        adapter = adapters()[index]
        self.info = adapter.info
        self.software = is_software(adapter.info)
        self.opengl = _is_opengl(adapter)
        self.rounds = rounds_of(adapter.info)
        wide = set(_WIDE) <= set(adapter.features)
        # Both or none: f64 needs i64 for its bits.
        self.timestamps = _TIMES in adapter.features
        features = [*(_WIDE if wide else ()), *([_TIMES] if self.timestamps else ())]
        native = sys.modules["wgpu.backends.wgpu_native._api"]
        self._ffi, self._call = native.ffi, native.libf
        self._raw = native.lib
        self._poll = native.lib.wgpuDevicePoll
        self._turns = _take_turns(native) if self.opengl else None
        if self._turns is not None:
            self._poll = self._turns.waiting(self._poll)
        self._new_struct = native.new_struct
        self._new_struct_p = native.new_struct_p
        self._adapter = adapter
        self.lost: str | None = None  # why, once it is
        self._on_loss = self._ffi.callback(_ON_LOSS)(self._note_loss)
        before = tasks()
        try:
            self.device = _open(adapter, features, native, self._on_loss)
        except Exception as error:
            raise DeviceUnavailable(
                f"webgpu cannot open {adapter.info['device']}: {error}; {_PACKAGES}"
            ) from error
        if self.software:
            give_way(before)
        self.device._poller.stop()  # ours replaces it
        if self.opengl:
            _kept.append((self.device, self._on_loss))
        self.wide = wide
        self.limits: dict[str, int] = dict(self.device.limits)
        self.queue = self.device.queue
        self.tick: float = self._call.wgpuQueueGetTimestampPeriod(_handle(self.queue))  # ns
        self.ended: deque[tuple[int, bool]] = deque()  # serials whose work is done, and if well
        self._serials = itertools.count(1)
        self._work_done = self._callback(
            "void(WGPUQueueWorkDoneStatus, WGPUStringView, void *, void *)"
        )
        self._mapped = self._callback("void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)")

    def _callback(self, signature: str) -> Any:
        """A C function that notes the serial in its first user datum."""
        ffi, ended = self._ffi, self.ended

        def note(status: int, _message: Any, serial: Any, _: Any) -> None:
            ended.append((int(ffi.cast("intptr_t", serial)), status == _SUCCESS))

        return ffi.callback(signature)(note)

    def _note_loss(self, _device: Any, _reason: int, message: Any, *_: Any) -> None:
        text = ""
        if message.data != self._ffi.NULL and message.length < _LONGEST_REASON:
            text = self._ffi.unpack(message.data, message.length).decode(errors="replace").strip()
        self.lost = text or "the driver gave no reason"

    # Work

    def serial(self) -> int:
        """A number for something that will end."""
        return next(self._serials)

    def submit(self, commands: Sequence[Any]) -> None:
        """Submit command buffers; may block while earlier ones run."""
        self.queue.submit(commands)

    def when_done(self, serial: int) -> None:
        """Have `serial` appear in `ended` when everything submitted so far has run."""
        info = self._new_struct(
            "WGPUQueueWorkDoneCallbackInfo",
            mode=self._raw.WGPUCallbackMode_AllowProcessEvents,
            callback=self._work_done,
            userdata1=self._ffi.cast("void *", serial),
        )
        self._call.wgpuQueueOnSubmittedWorkDone(_handle(self.queue), info)

    def map_read(self, buffer: Any, nbytes: int, serial: int) -> None:
        """Begin to map a staging buffer; `serial` appears in `ended` when it is mapped."""
        info = self._new_struct(
            "WGPUBufferMapCallbackInfo",
            mode=self._raw.WGPUCallbackMode_AllowProcessEvents,
            callback=self._mapped,
            userdata1=self._ffi.cast("void *", serial),
        )
        self._call.wgpuBufferMapAsync(_handle(buffer), self._raw.WGPUMapMode_Read, 0, nbytes, info)

    def mapped_bytes(self, buffer: Any, nbytes: int) -> Any:
        """The bytes of a mapped buffer, until unmap."""
        pointer = self._call.wgpuBufferGetMappedRange(_handle(buffer), 0, nbytes)
        return self._ffi.buffer(pointer, nbytes)

    def unmap(self, buffer: Any) -> None:
        """Give a mapped buffer back to the device."""
        self._call.wgpuBufferUnmap(_handle(buffer))

    def poll(self) -> None:
        """Let the driver notice what has ended; never blocks."""
        self._poll(_handle(self.device), False, self._ffi.NULL)

    def can_show(self, context: Any) -> bool:
        """Whether a window's context can be drawn on: its display may have gone."""
        found = self._new_struct_p("WGPUSurfaceCapabilities *")
        call = self._call.wgpuSurfaceGetCapabilities
        status = call(context._surface_id, _handle(self._adapter), found)
        some = status == _SUCCESS and found.formatCount > 0
        self._call.wgpuSurfaceCapabilitiesFreeMembers(found[0])
        return bool(some)

    # Things

    def buffer(self, nbytes: int, *usages: str) -> Any:
        """Make a buffer; raise OutOfMemory."""
        usage = 0
        for name in usages:
            usage |= getattr(self.wgpu.BufferUsage, name)
        with translate_errors(f"a buffer of {nbytes:,} bytes"):
            return self.device.create_buffer(size=nbytes, usage=usage)

    def buffer_at_once(self, nbytes: int, *usages: str) -> Any:
        """Make a buffer, or return None where that would wait for kernels that run."""
        if self._turns is None:
            return self.buffer(nbytes, *usages)
        return self._turns.attempt(lambda: self.buffer(nbytes, *usages))

    def write(self, buffer: Any, offset: int, data: Any) -> None:
        """Copy bytes into a buffer before the next submission; sizes are multiples of 4."""
        with translate_errors("a write"):
            self.queue.write_buffer(buffer, offset, data)
