"""A model: a network as something to call, to await, and to put into pipelines.

In: an ONNX file or its bytes, then buffers or arrays. Out: buffers, or commands. A model is a
definition of form HOST whose function fills its outputs through a Session; order, failure and
cancelling are the queue's, as for every command.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.backends.base import OutsideLane
from treadle.errors import LaunchError, ModelError, entrances, suggest
from treadle.ir.bound import Spec
from treadle.lang import registry
from treadle.lang.composite import Handle
from treadle.lang.definition import Definition, Form
from treadle.models.outside import refers_outside
from treadle.models.ports import Port, bind_sizes, follow
from treadle.models.session import PRECISIONS, GpuLane, Provider, Session
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device, device
from treadle.runtime.priority import Priority

__all__ = ["Model"]

_PROBES_KEPT = 64  # sets of input shapes for which the shapes of outputs are remembered


@entrances("__call__ run_async submit reset")
class Model:
    """A network that runs as a command; made by treadle.model(path).

    `threads` is how many compute one run (all cores); `providers` are onnxruntime's, by their names
    or as 'cpu', 'cuda' (what fits the device); `precision` is 'exact', 'fast' (less of it, on
    hardware that gains by that) or None (as the provider does it). `outputs` are those that are
    wanted (all); `state` maps an output to the input that takes it in the next call.
    Free it, or use it in a `with` block: the network's memory is released when what was submitted
    before has ended. So it is when nothing refers to the model any more."""

    def __init__(
        self,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview,
        *,
        device: Device | str | None = None,
        threads: int | None = None,
        providers: Sequence[Provider] | str | None = None,
        precision: str | None = None,
        outputs: Sequence[str] | None = None,
        state: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> None:
        self.device = _device(device)
        self.name = name or _name(source)
        if threads is not None and (type(threads) is not int or threads < 1):
            raise LaunchError(f"threads: expected a number above 0, or None, got {threads!r}")
        if precision not in (None, *PRECISIONS):
            raise LaunchError(f"precision: expected 'exact', 'fast' or None, got {precision!r}")
        if name is not None and registry.is_shipped(name):
            raise LaunchError(f"name: {name!r} is a kernel of Treadle's; choose another")
        wanted, lane = _providers(self.device, providers)
        self._session = Session(
            _read(source, self.name),
            self.name,
            providers=wanted,
            threads=threads,
            precision=precision,
            lane=lane,
            outputs=outputs,
        )
        self.providers = self._session.providers
        self._freed = False
        self._turn = threading.Lock()  # of submits that carry state
        self._state: dict[str, Buffer] = {}
        self._carried = self._checked_state(state or {})
        self.definition = self._defined(listed=name is not None)

    # What it is.

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What it takes, in order."""
        return self._session.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What it gives, in order."""
        return self._session.outputs

    @property
    def state(self) -> dict[str, Buffer]:
        """What it carries to the next call, by the name of the input that takes it."""
        return dict(self._state)

    @property
    def valid(self) -> bool:
        """Whether it can be used: it was not freed."""
        return not self._freed

    def __repr__(self) -> str:
        if self._freed:
            return f"<treadle.Model {self.name} freed>"
        takes, gives = (", ".join(map(str, ports)) for ports in (self.inputs, self.outputs))
        return f"<treadle.Model {self.name} {takes} -> {gives} on {self.device.name}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} cannot be copied or pickled; load it where it is needed")

    # Running.

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run it over buffers or arrays, wait, and return its output, a tuple where it has several.

        Inputs may be given by name. In a function that is being traced it records the call."""
        self._open()
        if any([isinstance(item, Handle) for item in (*inputs, *named.values())]):
            return self.definition(*self._ordered(self.inputs, inputs, named))
        if not self._carried:
            return self.device.run_kernel(self.definition, self._buffers(inputs, named))
        return self._visible(self.submit(*inputs, **named).wait().outputs)

    async def run_async(
        self, *inputs: Any, priority: Priority | str | None = None, **named: Any
    ) -> Any:
        """Run it over buffers or arrays, suspend until it ended, and return its output."""
        self._open()
        if not self._carried:
            given = self._buffers(inputs, named)
            return await self.device.run_kernel_async(self.definition, given, priority=priority)
        command = self.submit(*inputs, priority=priority, **named)
        await command
        return self._visible(command.outputs)

    def submit(
        self,
        *inputs: Any,
        output: Any = None,
        priority: Priority | str | None = None,
        **named: Any,
    ) -> Command:
        """Enqueue a run and return its command at once; leave arrays as they are until it ends.

        Where state is carried, the outputs that are state are among the command's outputs."""
        self._open()
        if not self._carried:
            given = self._buffers(inputs, named)
            return self.device.submit(self.definition, given, output, priority=priority)
        if output is not None:
            raise LaunchError(f"output: model {self.name!r} carries state and makes its own")
        with self._turn:
            given = self._with_state(inputs, named)
            command = self.device.submit(self.definition, given, priority=priority)
            places = {each.name: k for k, each in enumerate(self.outputs)}
            made = command.outputs
            self._state = {to: made[places[name]] for name, to in self._carried.items()}
        return command

    def reset(self, **state: Any) -> None:
        """Begin anew: with zeros, or with what is given for inputs that take state."""
        self._open()
        ports = {each.name: each for each in self.inputs if each.name in self._carried.values()}
        for name in state:
            if name not in ports:
                raise LaunchError(
                    f"reset: model {self.name!r} carries no state {name!r}{suggest(name, ports)}"
                )
        made = {name: self._buffer(ports[name], value) for name, value in state.items()}
        with self._turn:
            self._state = made

    # What it is given.

    def _ordered(self, ports: Sequence[Port], inputs: Sequence[Any], named: Any) -> list[Any]:
        """Inputs in the order of ports, of those given in order and by name."""
        names = [each.name for each in ports]
        for name in named:
            if name not in names:
                raise LaunchError(
                    f"model {self.name!r} has no input {name!r}{suggest(name, names)}; "
                    f"it takes {', '.join(map(str, ports))}"
                )
            if name in names[: len(inputs)]:
                raise LaunchError(f"model {self.name!r}: input {name!r} is given twice")
        given = [*inputs, *[named[name] for name in names[len(inputs) :] if name in named]]
        if len(given) != len(ports):
            plural = "" if len(ports) == 1 else "s"
            raise LaunchError(
                f"model {self.name!r} takes {len(ports)} input{plural} "
                f"({', '.join(map(str, ports))}), got {len(given)}"
            )
        return given

    def _buffers(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Buffer]:
        pairs = zip(self.inputs, self._ordered(self.inputs, inputs, named), strict=True)
        return [self._buffer(each, given) for each, given in pairs]

    def _buffer(self, each: Port, given: Any) -> Buffer:
        if isinstance(given, Buffer):
            return given
        if hasattr(given, "dtype"):
            return self.device.from_numpy(given)
        return self.device.buffer(given, dtype=each.dtype)

    def _with_state(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Buffer]:
        """What is given, and what was carried; zeros where that is the first time."""
        taking = set(self._carried.values())
        ports = [each for each in self.inputs if each.name not in taking]
        given = [
            self._buffer(each, item)
            for each, item in zip(ports, self._ordered(ports, inputs, named), strict=True)
        ]
        known = dict(zip([each.name for each in ports], given, strict=True))
        specs = [Spec(buffer.shape, buffer.dtype) for buffer in given]
        sizes = bind_sizes(self.name, ports, specs)
        for each in self.inputs:
            if each.name in taking:
                carried = self._state.get(each.name)
                known[each.name] = self._zeros(each, sizes) if carried is None else carried
        return [known[each.name] for each in self.inputs]

    def _zeros(self, each: Port, sizes: Mapping[str, int]) -> Buffer:
        made = follow([each], sizes)
        if made is None:
            raise LaunchError(
                f"model {self.name!r}: the size of its state {each} is not known; "
                f"give it once with reset({each.name}=...)"
            )
        return self.device.buffer_zeros(made[0].shape, made[0].dtype)

    def _visible(self, made: Sequence[Buffer]) -> Any:
        pairs = zip(self.outputs, made, strict=True)
        shown = tuple([buffer for each, buffer in pairs if each.name not in self._carried])
        return shown[0] if len(shown) == 1 else shown

    def _checked_state(self, state: Mapping[str, str]) -> dict[str, str]:
        takes = {each.name: each for each in self.inputs}
        gives = {each.name: each for each in self.outputs}
        for name, to in state.items():
            for what, known, one in (("output", gives, name), ("input", takes, to)):
                if one not in known:
                    raise LaunchError(
                        f"state: model {self.name!r} has no {what} {one!r}{suggest(one, known)}"
                    )
            if gives[name].dtype is not takes[to].dtype:
                raise LaunchError(f"state: {gives[name]} cannot be the next {takes[to]}")
        return dict(state)

    # How it takes its place among kernels.

    def _defined(self, listed: bool) -> Definition:
        session = self._session
        several = len(session.outputs) != 1
        run = session.run if session.lane is None else session.run_placed

        def network(out: Any, *inputs: Any) -> None:
            run(out if several else (out,), inputs)

        return Definition(
            network,
            Form.HOST,
            name=self.name,
            named=tuple([each.name for each in session.inputs]),
            takes={each.name: (str(each.dtype),) for each in session.inputs},
            listed=listed,
            results=_Outputs(session).given_for,
            slow=True,
            on_lane=session.lane is not None,
        )

    # Letting go.

    def _open(self) -> None:
        if self._freed:
            raise ModelError(f"model {self.name!r} was used after free()")

    def free(self) -> None:
        """Release the network's memory, once what was submitted before has ended."""
        if self._freed:
            return
        self._freed = True
        self._state = {}
        registry.forget(self.definition)
        session = self._session
        if self.device.in_flight:
            self.device.barrier().add_done_callback(lambda _: session.close())
        else:
            session.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


class _Outputs:
    """The rule for what a network gives. It knows the session, and not the model, whose definition
    has this: with the last reference to the model the network goes, without the collector."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._shapes: dict[Any, list[tuple[int, ...]]] = {}

    def given_for(self, inputs: tuple[Spec, ...], only_known: bool) -> tuple[Spec, ...] | None:
        """What it gives for such inputs; where its words do not tell, it is run over zeros."""
        session = self.session
        found = follow(session.outputs, bind_sizes(session.name, session.inputs, inputs))
        if found is not None:
            return found
        shapes = tuple([tuple([int(size) for size in spec.shape]) for spec in inputs])
        known = self._shapes.get(shapes)
        if known is None:
            if only_known:
                return None
            known = session.probe(shapes)
            while len(self._shapes) >= _PROBES_KEPT:
                self._shapes.pop(next(iter(self._shapes)))
            self._shapes[shapes] = known
        dtypes = [each.dtype for each in session.outputs]
        return tuple([Spec(shape, dtype) for shape, dtype in zip(known, dtypes, strict=True)])


def _device(given: Device | str | None) -> Device:
    return given if isinstance(given, Device) else device(given)


def _name(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return os.path.splitext(os.path.basename(os.fspath(source)))[0] or "model"
    return "model"


def _read(source: Any, name: str) -> str | bytes:
    """The source as a session takes it: a path, as it may have other files beside it, or bytes."""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if not os.path.isfile(path):
            known = "it is no file" if os.path.exists(path) else "there is no such file"
            raise ModelError(f"{path}: {known}")
        return path
    try:
        data = bytes(memoryview(source))
    except TypeError:
        raise LaunchError(
            f"model: expected the path of an ONNX file, or its bytes, got {type(source).__name__}"
        ) from None
    if data and refers_outside(data):  # onnxruntime would look in the working directory
        raise ModelError(
            f"model {name!r}: it cannot be loaded from bytes: it is no ONNX file, or its weights "
            "lie in other files; load it by its path"
        )
    return data


def _providers(
    where: Device, given: Sequence[Provider] | str | None
) -> tuple[Sequence[Provider], GpuLane | None]:
    """Which providers run a network on a device, and the lane that it may work on itself."""
    ask = getattr(where.backend, "outside_lane", None)
    lane: OutsideLane | None = None if ask is None else ask()
    if given is None:
        given = ["cpu"] if lane is None else [lane.kind, "cpu"]
    elif isinstance(given, str):
        given = [given]
    if not given:
        raise LaunchError("providers: expected at least one, or None to leave the choice")
    words = [each if isinstance(each, str) else each[0] for each in given]
    own = lane is not None and words[0].lower() in (lane.kind, f"{lane.kind}executionprovider")
    return given, GpuLane(lane.number, lane.stream) if own and lane is not None else None
