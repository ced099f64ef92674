"""Networks in onnxruntime: the one module that imports it.

In: a file or bytes, where to run it and how, then arrays, or places in a GPU's memory. Out: the
network's ports as onnxruntime says them, and outputs filled in place through its I/O binding. Every
failure becomes a ModelError, and what is not installed a DeviceUnavailable that names the extra.
Knows no buffers and no commands.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from treadle.attendant import start
from treadle.backends.base import Placed
from treadle.courtesy import compute_behind_here, give_way, threads_have_priorities
from treadle.errors import DeviceUnavailable, LaunchError, ModelError, suggest
from treadle.models.beside import Beside
from treadle.models.ports import Port, port

__all__ = ["PRECISIONS", "GpuLane", "Provider", "Session", "providers"]

Array = np.ndarray[Any, Any]
Provider = str | tuple[str, Mapping[str, Any]]

PRECISIONS = ("exact", "fast")
# What onnxruntime says of itself and not of the network: its own name and number for the kind of
# failure, and the line and the function of its text that noticed it.
_INNARDS = re.compile(
    r"^\[ONNXRuntimeError\] : \d+ : \w+ : |/\S+\.(?:h|hpp|cc|cpp):\d+ [^\n]*?\)(?: const)? "
)
_QUIET = 4  # of onnxruntime's levels: errors come as exceptions, and are not printed as well
_NICE = 10  # as the workers of the CPU
_KEPT = 8  # bindings of a session
_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_SHORT = {
    "cpu": _CPU,
    "cuda": _CUDA,
    "tensorrt": "TensorrtExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "directml": "DmlExecutionProvider",
    "dnnl": "DnnlExecutionProvider",
    "xnnpack": "XnnpackExecutionProvider",
}


class GpuLane(NamedTuple):
    """The lane of a GPU that a session works on: which GPU, and its stream."""

    number: int
    stream: int


def _library() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise DeviceUnavailable(
            "models need onnxruntime, which is not installed here; pip install 'treadle[models]', "
            "or 'treadle[models-gpu]' for CUDA"
        ) from error
    return onnxruntime


def providers() -> tuple[str, ...]:
    """Return the providers of the onnxruntime that is installed, the best first."""
    return tuple(_library().get_available_providers())


@contextlib.contextmanager
def _telling(name: str, doing: str) -> Iterator[None]:
    """Turn what onnxruntime raises into a ModelError; the rest of what it says has no use here."""
    try:
        yield
    except (ModelError, DeviceUnavailable, MemoryError):
        raise
    except Exception as error:
        said = _INNARDS.sub("", str(error).strip()).partition("\n")[0] or type(error).__name__
        raise ModelError(f"model {name!r}: {doing}: {said}") from error


class Session:
    """A network that is loaded, until it is closed; any thread may run it."""

    def __init__(
        self,
        source: str | bytes,
        name: str,
        *,
        providers: Sequence[Provider],
        threads: int | None = None,
        precision: str | None = None,
        lane: GpuLane | None = None,
        outputs: Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self.lane = lane
        self._library = _library()
        wanted = _chosen(self._library, name, providers, precision, lane)
        # As many threads as this process may use cores; onnxruntime counts those of the machine,
        # and ties its threads to them.
        count = self.threads = threads or _cores()
        loaded = partial(_loaded, self._library, wanted, precision)
        with _telling(name, "it cannot be loaded"):
            # Before it is loaded: a file that changes meanwhile is another network.
            beside = Beside(partial(loaded, 1), source)
            self._session: Any = _on_a_nice_thread(lambda: loaded(count, source))
            self.providers: tuple[str, ...] = tuple(self._session.get_providers())
        on_cores = threads is None and count > 1 and self.providers == (_CPU,)
        self._beside = beside if on_cores else None
        self.inputs = tuple(
            [port(name, "input", i.name, i.type, i.shape) for i in self._session.get_inputs()]
        )
        given = {o.name: o for o in self._session.get_outputs()}
        for each in outputs or ():
            if each not in given:
                raise LaunchError(
                    f"outputs: model {name!r} has no output {each!r}{suggest(each, given)}; "
                    f"it has {', '.join(given)}"
                )
        listed = [given[each] for each in outputs] if outputs else list(given.values())
        self.outputs = tuple([port(name, "output", o.name, o.type, o.shape) for o in listed])
        self._names = [each.name for each in self.outputs]
        self._bindings: dict[Hashable, Any] = {}  # by session, shapes and addresses
        self._at_work: dict[int, None] = {}  # the threads that run it now

    def run(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> None:
        """Fill arrays in the host's memory, in place; returns when that is done."""
        me = get_ident()
        self._at_work[me] = None
        try:
            self._run(outputs, inputs)
        finally:
            self._at_work.pop(me, None)

    def _run(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> None:
        session, beside = self._open(), self._beside
        if beside is not None and len(self._at_work) >= self.threads:
            session = beside.session() or session
        with _telling(self.name, "it failed"):
            read = [_described(*each) for each in zip(self.inputs, inputs, strict=True)]
            written = [_described(*each) for each in zip(self.outputs, outputs, strict=True)]
            # Most runs are over the same memory as one before, and binding takes a tenth of a
            # millisecond. One thread at a time has a binding.
            key = (id(session), *[facts[1:] for facts in (*read, *written)])
            binding = self._bindings.pop(key, None)
            if binding is None:
                binding = session.io_binding()
                for each, facts in zip(self.inputs, read, strict=True):
                    binding.bind_input(each.name, "cpu", 0, *facts)
                for each, facts in zip(self.outputs, written, strict=True):
                    binding.bind_output(each.name, "cpu", 0, *facts)
            give_way()
            session.run_with_iobinding(binding)
            self._keep(key, binding)

    def _keep(self, key: Hashable, binding: Any) -> None:
        """Keep a binding for the next run over the same memory; it knows addresses and no more."""
        kept = self._bindings
        if len(kept) >= _KEPT:
            kept.clear()
        if self._session is not None:
            kept[key] = binding

    def run_placed(self, outputs: Sequence[Placed], inputs: Sequence[Placed]) -> None:
        """Enqueue a run over memory of the GPU, on the lane's stream; nothing is waited for."""
        session, lane = self._open(), self.lane
        assert lane is not None
        with _telling(self.name, "it failed"):
            options = self._library.RunOptions()
            options.add_run_config_entry("disable_synchronize_execution_providers", "1")
            binding = session.io_binding()
            for each, at in zip(self.inputs, inputs, strict=True):
                facts = _element(each), at.shape, at.address
                binding.bind_input(each.name, "cuda", lane.number, *facts)
            for each, at in zip(self.outputs, outputs, strict=True):
                facts = _element(each), at.shape, at.address
                binding.bind_output(each.name, "cuda", lane.number, *facts)
            session.run_with_iobinding(binding, options)

    def probe(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Run it over zeros of these shapes and return the shapes of what it gives."""
        session = self._open()
        pairs = zip(self.inputs, shapes, strict=True)
        feeds = {each.name: np.zeros(shape, _element(each)) for each, shape in pairs}
        with _telling(self.name, "it failed over zeros, by which the shapes of outputs are found"):
            return [tuple(array.shape) for array in session.run(self._names, feeds)]

    def close(self) -> None:
        """Release the network's memory; what runs goes on to its end."""
        self._session = self._beside = None
        self._bindings.clear()

    def _open(self) -> Any:
        session = self._session
        if session is None:
            raise ModelError(f"model {self.name!r} was used after free()")
        return session


def _loaded(
    library: Any,
    providers: Sequence[tuple[str, Mapping[str, Any]]],
    precision: str | None,
    threads: int,
    source: str | bytes,
) -> Any:
    options = library.SessionOptions()
    options.log_severity_level = _QUIET
    options.intra_op_num_threads = threads
    # Else they would spin between operators, and for a while after each run, on the cores of
    # what comes before and after, and of other processes.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if precision == "fast":
        options.add_session_config_entry("mlas.enable_gemm_fastmath_arm64_bfloat16", "1")
    return library.InferenceSession(source, sess_options=options, providers=providers)


def _element(each: Port) -> Any:
    return each.dtype.numpy


def _described(each: Port, array: Array) -> tuple[Any, tuple[int, ...], int]:
    return _element(each), array.shape, array.__array_interface__["data"][0]


def _chosen(
    library: Any,
    name: str,
    providers: Sequence[Provider],
    precision: str | None,
    lane: GpuLane | None,
) -> list[tuple[str, dict[str, Any]]]:
    """Providers by their full names, with options; raise for one that is not there: onnxruntime
    would go on without it."""
    here = library.get_available_providers()
    chosen = []
    for each in providers:
        word, given = (each, {}) if isinstance(each, str) else each
        full = _SHORT.get(word.lower(), word)
        if full not in here:
            hint = "" if full in _SHORT.values() else suggest(word, [*_SHORT, *here])
            fix = "pip install 'treadle[models-gpu]'" if full == _CUDA else "install one that has"
            raise DeviceUnavailable(
                f"model {name!r}: the onnxruntime {library.__version__} that is installed here has "
                f"no {full}{hint}; it has {', '.join(here)}; "
                f"{fix}, or choose another with providers=[...]"
            )
        options = dict(given)
        if full == _CUDA:
            if lane is not None:
                options |= {"device_id": lane.number, "user_compute_stream": str(lane.stream)}
            if precision is not None:
                options["use_tf32"] = "1" if precision == "fast" else "0"
        chosen.append((full, options))
    return chosen


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _on_a_nice_thread(make: Any) -> Any:
    """Call a function on a thread that gives way to others: threads that are made there do, too,
    where the system has priorities of threads."""
    if not threads_have_priorities():
        return make()
    result: list[Any] = []
    over = threading.Event()

    def run() -> None:
        try:
            compute_behind_here(_NICE)
            result.extend((make(), None))
        except BaseException as error:
            result[:] = [None, error]
        over.set()

    start("treadle-model", run)
    over.wait()
    made, error = result
    if error is not None:
        raise error
    return made
