"""Buffers: typed memory of a device, and views of it.

In: layouts and data. Out: the data again, in every form that Python knows. Each access by the host
takes its place in the order of commands: it waits for those it must come after, and holds off those
that must come after it. What a kernel does with a buffer is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any, Self

import numpy as np

from treadle.backends.base import Backend, Region
from treadle.bfloat import countable
from treadle.capsule import give_bfloat
from treadle.dtypes import DType
from treadle.errors import BufferFreed, LaunchError, TreadleError, UnknownCommand, entrances
from treadle.lang.indexing import follow
from treadle.lang.operators import Beside, Operators
from treadle.lang.promotion import is_number
from treadle.runtime import eager, pairs
from treadle.runtime.command import Command
from treadle.runtime.convert import as_array
from treadle.runtime.elements import assign, take
from treadle.runtime.memory import FREED, BufferLayout, Storage, as_shape, layout
from treadle.runtime.registry import completed, find
from treadle.runtime.turns import HostTurn
from treadle.runtime.waiters import refuse_trio

__all__ = ["Buffer", "free_many"]

Array = np.ndarray[Any, Any]


@entrances(
    "to_numpy read read_binary read_list read_async write reshape item copy to __getitem__ "
    "__setitem__"
)
class Buffer(Operators):
    """Typed device memory of a fixed shape; `b[2:5]` and `b[3]` are views that share it.

    Operators work element by element, with NumPy's broadcasting; they submit kernels and give
    buffers at once. Hashing is by identity. Freed or garbage-collected while a command uses it, a
    buffer's memory stays until that command ends."""

    __slots__ = ("__weakref__", "_device", "_high", "_layout", "_low", "_root", "_storage")

    def __init__(
        self, device: Any, storage: Storage, low: int, layout: BufferLayout, root: bool = True
    ) -> None:
        self._device = device
        self._storage = storage
        self._layout = layout
        self._low = low
        self._high = low + layout.nbytes
        self._root = root

    # What it is.

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes along each axis; () is one element."""
        return self._layout.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._layout.dtype

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self._layout.nbytes

    @property
    def num_elements(self) -> int:
        """Number of elements."""
        return self._layout.count

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._layout.shape)

    @property
    def device(self) -> Any:
        """The device that holds it."""
        return self._device

    @property
    def valid(self) -> bool:
        """Whether it can still be used: neither it nor what it is a view of was freed."""
        return self._storage.region is not None

    @property
    def ready(self) -> bool:
        """Whether nothing in flight uses it and what was to write it did: a read will neither wait
        nor fail."""
        storage = self._storage
        return storage.region is not None and not storage.busy and storage.poison is None

    def __len__(self) -> int:
        if not self._layout.shape:
            raise TypeError("a buffer of shape () has no length; see num_elements")
        return self._layout.shape[0]

    def __repr__(self) -> str:
        state = "" if self.valid else " freed"
        return f"<treadle.Buffer {self._layout}{state} on {self._device.name}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        from treadle.runtime.rich import bundle  # in a notebook only

        try:
            return bundle(repr(self), self.to_numpy())
        except TreadleError as error:  # there is nothing to show, but that
            return {"text/plain": f"{self!r}: {error}"}

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self!r} lives on a device and cannot be copied or pickled; send to_numpy()"
        )

    def _region(self) -> Region:
        region = self._storage.region
        if region is None:
            raise BufferFreed(f"{self!r} was used after free()")
        return Region(region.memory, self._low) if self._low else region

    # Reading. A host access holds its bytes from enter to leave.

    def to_numpy(self, *, copy: bool | None = True) -> Array:
        """Wait for pending writers and return the contents as an array.

        With copy=False the array is the device's memory itself (LaunchError where the host cannot
        see it), with copy=None that where possible. Such an array shows later changes, and writing
        to it is at your own risk: commands in flight do not know about it."""
        fetched: Array = self._in_turn(lambda region: self._fetch(region, copy))
        return fetched

    def _in_turn(self, access: Callable[[Region], Any], *, write: bool = False) -> Any:
        """Touch the bytes when it is the host's turn; a write that fails leaves them spoilt."""
        region = self._region()
        turn = HostTurn(self._device.queue, self._storage, self._low, self._high, write=write)
        try:
            turn.enter()
            return access(region)
        except BaseException as error:
            if write:
                turn.spoilt(error)
            raise
        finally:
            try:
                turn.over()
            finally:
                turn.leave()

    def _fetch(self, region: Region, copy: bool | None) -> Array:
        backend: Backend = self._device.backend
        if not copy:
            view = backend.view(region, self.size)
            if view is not None:
                return view.view(self.dtype.numpy).reshape(self.shape)
            if copy is False:
                raise LaunchError(f"{self!r} cannot be read without a copy: the host cannot see it")
        out = np.empty(self.shape, self.dtype.numpy)
        if out.size:
            backend.read(region, out)
        return out

    def read(self) -> bytes:
        """Wait for pending writers and return the contents as bytes."""
        data: bytes = self._in_turn(lambda region: self._fetch(region, None).tobytes())
        return data

    def read_binary(self) -> memoryview:
        """Wait for pending writers and return the contents as a read-only memoryview.

        Where the host can see the memory nothing is copied, and the view shows later changes."""
        view: Any = self.to_numpy(copy=None).reshape(-1).view(np.uint8)
        view.flags.writeable = False
        return memoryview(view)

    def read_list(self) -> Any:
        """Wait for pending writers and return a nested list of Python numbers (a number for ())."""
        return countable(self.to_numpy()).tolist()

    def __await__(self) -> Generator[Any, None, Buffer]:
        return self._written().__await__()

    async def _written(self) -> Buffer:
        """Suspend until pending writers have ended; raise what went wrong with them."""
        refuse_trio()
        self._region()
        if self.ready:
            return self
        turn = HostTurn(self._device.queue, self._storage, self._low, self._high, write=False)
        try:
            await turn.enter_async()
        finally:
            try:
                turn.over()
            finally:
                turn.leave()
        return self

    @property
    def command(self) -> Command:
        """The command that writes it, or did: the last one that was submitted to.

        Of a buffer that the host filled, and of one whose command ended long ago, it is one that
        has completed."""
        number = self._storage.writer
        if number:
            with suppress(UnknownCommand):
                return find(number)
        return completed("write", self._device.queue, self)

    async def read_async(self) -> bytes:
        """Return the contents as bytes, suspending the task until pending writers have ended."""
        refuse_trio()
        region = self._region()
        turn = HostTurn(self._device.queue, self._storage, self._low, self._high, write=False)
        try:
            await turn.enter_async()
            view = self._device.backend.view(region, self.size)
            if view is not None:
                return bytes(view)
            import asyncio  # loaded already where a loop runs

            # The copy from the device may take long, or wait behind other work there.
            array = await asyncio.to_thread(self._fetch, region, True)
            return array.tobytes()
        finally:
            try:
                turn.over()
            finally:
                turn.leave()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self.to_numpy(copy=copy)
        if dtype is None or np.dtype(dtype) == array.dtype:
            return array
        if copy is False:
            raise ValueError(f"{self!r} cannot become {np.dtype(dtype)} without a copy")
        return array.astype(dtype)

    def _exported(self, *, wait: bool = True) -> Any:
        """What shows the memory in place to other libraries, where the host cannot see it."""
        export = getattr(self._device.backend, "export", None)
        if export is None:
            return None
        region = self._region()
        if wait:
            self._in_turn(lambda region: None)
        return export(region, self.shape, self.dtype)

    def __dlpack__(self, **options: Any) -> Any:
        # Libraries that work on a GPU name the stream they will use; NumPy cannot, and gets a copy.
        here = "stream" in options and options.get("dl_device") != (1, 0)
        exported = self._exported() if here else None
        if exported is not None:
            return exported.__dlpack__(**options)
        array = self.to_numpy(copy=None)
        if self.dtype is DType.BF16:
            return give_bfloat(array.view(np.uint16).__dlpack__(**options))
        return array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        exported = self._exported(wait=False)
        if exported is None:
            return 1, 0  # kDLCPU: what __dlpack__ gives lies in host memory
        found: tuple[int, int] = exported.__dlpack_device__()
        return found

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        exported = self._exported()
        if exported is None:
            raise AttributeError(f"{self!r} does not lie in a GPU's memory that CUDA can see")
        found: dict[str, Any] = exported.__cuda_array_interface__
        return found

    # Writing.

    def write(self, data: Any) -> Buffer:
        """Wait for pending users, replace the contents, and return the buffer."""
        array = as_array(data, None, self.dtype)
        if array.size != self.num_elements or (array.ndim > 1 and array.shape != self.shape):
            raise LaunchError(
                f"data: expected {self.num_elements} elements of shape {self.shape}, "
                f"got {array.size} of shape {array.shape}"
            )
        self._region()  # raises if freed, also where there is nothing to write
        if array.size:
            backend: Backend = self._device.backend
            self._in_turn(lambda region: backend.write(region, array), write=True)
            self._storage.writer = 0
        return self

    # Views.

    def __getitem__(self, index: Any) -> Buffer:
        shape = self._layout.shape
        if shape and type(index) is int and -shape[0] <= index < shape[0]:  # most often
            row = self._layout.nbytes // shape[0]
            return self._view(index % shape[0] * row, shape[1:])
        found: Buffer = take(self, index, self._elements)
        return found

    def _elements(self, first: int, shape: tuple[int, ...]) -> Buffer:
        return self._view(first * self.dtype.size, shape)

    def __setitem__(self, index: Any, value: Any) -> None:
        assign(self, index, value)

    def __iter__(self) -> Iterator[Buffer]:
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: Any) -> Buffer:
        """Return a view of all of it with another shape of as many elements; one size may be -1."""
        given = shape[0] if len(shape) == 1 else shape
        if (type(given) in (tuple, list) and -1 in given) or given == -1:
            given = follow((given,) if given == -1 else given, self.num_elements)
        sizes = as_shape(given)
        view = layout(sizes, self.dtype)
        if view.count != self.num_elements:
            raise LaunchError(
                f"shape: {sizes} holds {view.count} elements, but {self!r} has {self.num_elements}"
            )
        return self._view(0, sizes)

    def _view(self, offset: int, shape: tuple[int, ...]) -> Buffer:
        self._region()  # raises if freed
        return Buffer(
            self._device, self._storage, self._low + offset, layout(shape, self.dtype), root=False
        )

    # What operators ask for.

    @property
    def _own_dtype(self) -> DType:
        return self._layout.dtype

    def _beside(self, other: Any) -> Any:
        if type(other) is Buffer or is_number(other):
            return other
        if isinstance(other, complex):
            return pairs.as_complex(other, self._device)
        if isinstance(other, (np.ndarray, np.generic, list)):
            data = np.asarray(other) if isinstance(other, np.generic) else other
            return self._device.buffer(data)
        return NotImplemented

    def _apply(self, kernel: str, *inputs: Any, output: Any = None, **params: Any) -> Self:
        paired = params.get("dtype") is DType.C64 or any([x.dtype is DType.C64 for x in inputs])
        run: Any = pairs.applied if paired else eager.run_now
        made: Self = run(self._device, kernel, inputs, params, output)
        return made

    def _seen_as(self, shape: tuple[int, ...], dtype: DType) -> Buffer:
        """The same memory as elements of another type, of as many bytes."""
        found = layout(shape, dtype)
        return Buffer(self._device, self._storage, self._low, found, root=self._root)

    def _in_place(self, op: str, other: Any) -> Self:
        beside = self._beside(other)
        if beside is NotImplemented:
            return beside  # type: ignore[no-any-return]  # which Python makes an error of
        floats = isinstance(beside, float) or (type(beside) is Buffer and beside.dtype.is_float)
        if not self.dtype.is_float and (floats or op == "div"):
            raise LaunchError(
                f"{op}: the result is of floats, which do not go into {self!r}; write a = a + b"
            )
        self._binary(op, beside, output=self)
        return self

    def __iadd__(self, other: Self | Beside) -> Self:
        return self._in_place("add", other)

    def __isub__(self, other: Self | Beside) -> Self:
        return self._in_place("sub", other)

    def __imul__(self, other: Self | Beside) -> Self:
        return self._in_place("mul", other)

    def __itruediv__(self, other: Self | Beside) -> Self:
        return self._in_place("div", other)

    def __ifloordiv__(self, other: Self | Beside) -> Self:
        return self._in_place("floordiv", other)

    def __imod__(self, other: Self | Beside) -> Self:
        return self._in_place("mod", other)

    def __ipow__(self, other: Self | Beside) -> Self:
        return self._in_place("pow", other)

    def __imatmul__(self, other: Self | Beside) -> Self:
        self[...] = self @ other
        return self

    def __ilshift__(self, other: Self | Beside) -> Self:
        return self._in_place("shl", other)

    def __irshift__(self, other: Self | Beside) -> Self:
        return self._in_place("shr", other)

    def __iand__(self, other: Self | Beside) -> Self:
        return self._in_place("and", other)

    def __ior__(self, other: Self | Beside) -> Self:
        return self._in_place("or", other)

    def __ixor__(self, other: Self | Beside) -> Self:
        return self._in_place("xor", other)

    # As Python's own values. All of these wait.

    def item(self) -> Any:
        """Wait for pending writers and return the one element as a Python number."""
        if self.num_elements != 1:
            raise LaunchError(f"{self!r} is no single element; see tolist() and to_numpy()")
        return countable(self.to_numpy(copy=None)).item()

    def tolist(self) -> Any:
        """Do as `read_list`."""
        return self.read_list()

    def __bool__(self) -> bool:
        if self.num_elements != 1:
            raise LaunchError(
                f"{self!r} is neither true nor false as a whole; write `.max() > 0` for any, "
                "`.min() > 0` for all, `is` for identity"
            )
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __complex__(self) -> complex:
        return complex(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.dtype.is_float:
            raise TypeError(f"{self!r} is of floats, and an index is a whole number")
        return int(self.item())

    def copy(self) -> Buffer:
        """Copy it into a new buffer of the same device."""
        return self._apply("_copy", self)

    def to(self, device: Any) -> Buffer:
        """Return it on another device, named or open: itself where it is there, else a copy.

        Waits for pending writers, and for the copy through the host."""
        found = eager.open_device(device)
        there = found is self._device
        return self if there else found.buffer(self.to_numpy(copy=None))

    def to_device(self, device: Any, /, *, stream: Any = None) -> Buffer:
        """Return it on another device, as the array API has it; see `to`. Streams are not known."""
        if stream is not None:
            raise LaunchError(f"stream: expected None, got {stream!r}; work is ordered by data")
        return self.to(device)

    # Letting go.

    def free(self) -> None:
        """Release it at once; using it afterwards is BufferFreed. A second time does nothing.

        Freeing a view leaves what it is a view of; freeing that frees its views."""
        # Nothing down to the first call can be interrupted: what was freed is not kept (alike.py).
        storage, self._storage, queue = self._storage, FREED, self._device.queue
        if self._root:
            storage.region = None
        kept, queue.kept = queue.kept, {}
        kept.clear()
        storage.release() if self._root else storage.doubt()

    def __enter__(self) -> Buffer:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def free_many(buffers: Iterable[Buffer]) -> None:
    """Free several buffers."""
    for buffer in buffers:
        buffer.free()
