"""From a request to a command: check everything, choose regions, hand over to the queue.

In: kernels or mappings, buffers and parameters, as users give them. Out: enqueued commands. What
can be known before the work runs is raised here, on the caller's thread; nothing is enqueued then.
It neither orders nor compiles; that is the queue's and the compiler's part.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from treadle.backends.base import Carry, Copy, Region
from treadle.errors import DeviceLost, LaunchError
from treadle.lang import registry as definitions
from treadle.lang.definition import Definition
from treadle.runtime.alike import SIMPLE, Alike, Kindred, came, keep, remember
from treadle.runtime.buffer import Buffer
from treadle.runtime.caller import caller, theirs
from treadle.runtime.command import Command
from treadle.runtime.compile import Compiler
from treadle.runtime.convert import as_array
from treadle.runtime.memory import BufferLayout, Ledger, Storage
from treadle.runtime.plan import Plan, disjoint, overlap, set_aside
from treadle.runtime.planning import Deferred
from treadle.runtime.priority import NORMAL_RANK, Priority, rank
from treadle.runtime.queue import Queue
from treadle.runtime.quick import done_at_once
from treadle.runtime.refusal import freed, mistold, no_kernel, no_params, refusal
from treadle.runtime.registry import done
from treadle.runtime.request import OPERATIONS, Request, Submittable, asked, is_nothing, request
from treadle.runtime.several import Several
from treadle.runtime.transfer import HostArrays, Transfers

__all__ = ["Launcher"]

Params = Mapping[str, object]

_NOTHING: Params = {}


class Launcher:
    """What one device can be asked to do."""

    def __init__(
        self,
        device: Any,
        queue: Queue,
        compiler: Compiler,
        ledger: Ledger,
        transfers: Transfers,
    ) -> None:
        import treadle.lang.foretell  # noqa: F401  # not by the first submit, which has no time

        definitions.load()  # likewise
        self._device = device
        self._queue = queue
        self._compiler = compiler
        self._ledger = ledger
        self._transfers = transfers
        self.host_array = HostArrays(device.backend).make
        self._plain: dict[Any, Kindred] = {}  # without parameters
        self._given: dict[Any, Kindred] = {}
        self._at_once: Any = getattr(device.backend, "at_once", None)
        self._calls_like: Any = getattr(device.backend, "calls_like", None)

    def empty(self, made: BufferLayout) -> Buffer:
        """Make a buffer without setting its contents."""
        if self._queue.gone is not None:
            raise DeviceLost(self._queue.gone)
        return Buffer(self._device, self._ledger.allocate(made.nbytes), 0, made)

    def run(
        self,
        kernel: Any,
        inputs: Any,
        output: Any,
        params: Params | None,
        priority: Priority | str | None,
        named: Params,
        here: bool = False,
        several: Several | None = None,
        plain: bool = False,
    ) -> Any:
        """Enqueue a kernel over buffers; what has to be planned is planned `here`, for a caller
        that will wait anyway, else on the compiler's thread. With `several` it is kept there, to be
        enqueued with others. Returns the command or, where a `plain` result is wanted, what it
        gives if that is there. Every launch comes here: what can be avoided is."""
        if several is None:
            frame = sys._getframe(2)
            code, at = frame.f_code, frame.f_lasti
            if code.co_filename not in theirs:  # most often it is the user's
                code, at = caller(2)
        else:
            code, at = several.where
        if type(kernel) is str:
            definition = definitions.known.get(kernel)
            if definition is None:
                if kernel in OPERATIONS:
                    params = {**(params or {}), **named}
                    return self._operation(kernel, inputs, output, params, priority, several)
                definition = definitions.lookup(kernel)
        else:
            definition = kernel
        if type(definition) is not Definition:
            if isinstance(definition, Submittable):
                more = {"inputs": inputs, "output": output, "params": {**(params or {}), **named}}
                found = asked("run_pipeline", pipeline=definition, priority=priority, **more)
                return self.serve(found, several)
            inner = getattr(definition, "definition", None)  # a function that was made a pipeline
            if type(inner) is Definition:
                return self.run(inner, inputs, output, params, priority, named, here, several)
            raise no_kernel(kernel)
        if type(inputs) is not tuple:  # a list may be changed meanwhile
            inputs = tuple(inputs) if type(inputs) is list else self._sequence(inputs)
        queue, kept, again = self._queue, self._queue.kept, None
        told: Params = _NOTHING
        given: tuple[Any, ...] | None = ()  # what there is to know of them; None: more than this
        if named or params:
            told = {**params, **named} if params and named else params or named
            if not hasattr(told, "values"):
                raise no_params(told)
            types = tuple(map(type, told.values()))
            given = (types, *told.items()) if SIMPLE.issuperset(types) else None
        if output is not None and given is not None and several is None and priority is None:
            try:
                again = (definition.me, given, ref(output), *map(ref, inputs))
                same = kept.get(again)
            except TypeError:  # some are no buffers
                again = same = None
            if same is not None:
                if not definition.builtin:
                    definition.check_outside()
                about = same.name, code, at, output
                if same.call is not None:
                    if done_at_once(queue, same.call, same, (), ()):
                        return done(queue, about, (output,), plain)
                elif queue.quick is not None:
                    brief = queue.quick.launch(same.steps, same.seconds, about, same, (), (output,))
                    if brief is not None:
                        return brief
        device = self._device
        used: list[BufferLayout] = []
        regions: list[Any] = []
        for buffer in inputs:
            if type(buffer) is not Buffer or buffer._device is not device:
                raise self._refusal(buffer, "inputs")
            region = buffer._storage.region
            if region is None:
                raise freed(buffer, "inputs")
            used.append(buffer._layout)
            regions.append(Region(region.memory, buffer._low) if buffer._low else region)
        layouts = tuple(used)
        wanted: tuple[BufferLayout, ...] | None = None
        outputs: Any = None
        if type(output) is Buffer and output._device is self._device and not output._low:
            outputs = (output,)
            wanted = (output._layout,)
            regions.append(output._storage.region)
            if regions[-1] is None:
                raise freed(output, "output")
        elif output is not None:
            outputs = (output,) if type(output) is Buffer else self._several(output)
            wanted, places = self._checked(outputs, "output")
            regions += places
        pattern = definition.me, layouts, wanted, given
        kinds = self._given if given else self._plain
        kind = None if given is None else kinds.get(pattern)
        if kind is None:
            key, values = definition.arguments(told)
            plan = self._compiler.plan(definition, key, values, layouts, wanted)
            lasts = given is not None and definition.parameters.lasting
            if lasts and plan is not None and plan.programs is None:
                remember(kinds, pattern, told, Kindred(plan, values))
        else:
            plan, values = kind.plan, kind.values
            if not definition.builtin:
                definition.check_outside()
        level = NORMAL_RANK if priority is None else rank(priority)
        if plan is None:
            asked_for = definition, key, values, layouts, wanted
            if not here and not self._compiler.is_here:
                command = Command(self._queue, definition.name, code, at, None, None, level)
                into = self._queue if several is None else several
                self._later(command, asked_for, inputs, outputs, regions, into)
                return command
            plan = self._compiler.make(*asked_for)
        if outputs is None:
            outputs = tuple([self.empty(made) for made in plan.outputs])
            regions += [buffer._storage.region for buffer in outputs]
        result = outputs[0] if len(outputs) == 1 else outputs
        scratch: list[Storage] = []
        copies: tuple[Copy, ...] = ()
        call: Any = None
        aside = plan.temps or plan.constants or len(outputs) > 1
        if not aside:
            storage = outputs[0]._storage
            for buffer in inputs:
                if buffer._storage is storage:
                    aside = True
        if aside:
            if len(outputs) > 1:
                disjoint(outputs)
            copies = set_aside(self._ledger, scratch, plan, inputs, outputs, regions)
        programs = None if plan.there else plan.programs
        if programs is None:
            stage: Any = plan.only
            about = plan.name, code, at, result
            overs = None if kind is None or stage is None or scratch else kind.overs
            if overs is not None:
                over = overs[several is not None]
                if over is not None:
                    call = over(stage.order(regions))
                    if several is None and done_at_once(queue, call, None, inputs, outputs):
                        if again is not None and outputs[0] is output and came(kept, again):
                            made = Alike(plan.name, (plan, regions), call)
                            keep(kept, again, made, inputs, output)
                        return done(queue, about, outputs, plain)
            if stage is None or copies:
                steps = plan.steps(regions, values, copies)
            else:
                steps = (stage.step(regions, values),)
                if kind is not None and kind.overs is None and self._calls_like is not None:
                    kind.overs = tuple([self._calls_like(*steps, one) for one in (False, True)])
            if overs is None and self._at_once is not None and type(steps) is tuple:
                call = self._at_once(steps, several is not None)
                alone = several is None and call is not None
                if alone and done_at_once(queue, call, None, inputs, outputs):
                    return done(queue, about, outputs, plain)
            quick = None if scratch or level != NORMAL_RANK else queue.quick
            if quick is not None and several is None and type(steps) is tuple:
                brief = quick.launch(steps, None, about, None, inputs, outputs)
                if brief is not None:
                    new = again is None or kind is None or outputs[0] is not output
                    if not new and came(kept, again):
                        made = Alike(plan.name, steps, None, quick.seconds(steps))
                        keep(kept, again, made, inputs, output)
                    return brief
            command = Command(queue, plan.name, code, at, result, steps, level)
        else:
            later = partial(plan.steps, regions, values, copies, definition)
            command = Command(self._queue, plan.name, code, at, result, later, level)
            self._compiler.awaited(plan)
        command._scratch, command._blocks = tuple(scratch), here
        if several is None:
            self._queue.submit(command, inputs, outputs, programs)
        else:
            several.submit(command, inputs, outputs, programs, call)
        return command

    def _later(
        self,
        command: Command,
        asked_for: tuple[Any, ...],
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer] | None,
        regions: list[Region],
        into: Queue | Several,
    ) -> None:
        """Enqueue a kernel whose plan is still to be made: its place in the order is known already,
        since that follows from its buffers."""
        definition, key, values, layouts, wanted = asked_for
        specs = tuple([made.spec for made in layouts])
        given = None if wanted is None else tuple([made.spec for made in wanted])
        told = definition.foretell(specs, given, key, self._device.backend.routines)
        if outputs is None and told is not None:
            self._compiler.check_dtypes(definition.name, [spec.dtype for spec in told])
            outputs = tuple([self._device.empty(spec.shape, spec.dtype) for spec in told])
            regions += [buffer._region() for buffer in outputs]

        def build(
            command: Command, plan: Plan, made: Sequence[Buffer], places: Sequence[Region]
        ) -> Any:  # as it uses the definition, what the plan calls lives until then
            if told is not None and tuple([made.spec for made in plan.outputs]) != told:
                raise mistold(definition.name, told, [made.spec for made in plan.outputs])
            written = made if outputs is None else outputs
            every = [*regions, *places]
            scratch: list[Storage] = []
            copies = set_aside(self._ledger, scratch, plan, inputs, written, every)
            command._scratch = tuple(scratch)
            return plan.steps(every, values, copies)

        allocate = self._outputs if outputs is None else None
        if outputs is not None:
            disjoint(outputs)
            command._outputs = outputs[0] if len(outputs) == 1 else outputs
        follower = Deferred(command, self._queue, build, allocate, lambda: self._compiler.is_here)
        command._steps = partial(follower.steps, command)
        planning = self._compiler.make_later(follower, *asked_for)
        into.submit(command, inputs, outputs, (planning,))

    def _outputs(self, plan: Plan) -> tuple[Buffer, ...]:
        return tuple([self.empty(made) for made in plan.outputs])

    def record(self, kernel: Any, inputs: Any, output: Any, params: Params) -> Buffer:
        """Record a call on handles, inside a function that is being traced."""
        if output is not None:
            raise LaunchError(
                "output: a function that is being traced returns what its kernels compute; "
                f"expected no output, got {output!r}"
            )
        definition = definitions.lookup(kernel) if isinstance(kernel, str) else kernel
        given = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
        recorded: Buffer = definition(*given, **params)  # it stands for one
        return recorded

    def _sequence(self, inputs: Any) -> tuple[Any, ...]:
        if isinstance(inputs, Buffer):
            return (inputs,)
        if isinstance(inputs, Sequence) and not isinstance(inputs, (str, bytes)):
            return tuple(inputs)
        raise self._refusal(inputs, "inputs")

    def _several(self, output: Any) -> tuple[Any, ...]:
        if isinstance(output, (list, tuple)) and output:
            return tuple(output)
        raise self._refusal(output, "output")

    def _checked(self, buffers: Any, argument: str) -> tuple[tuple[BufferLayout, ...], list[Any]]:
        """Layouts and regions of buffers; raise for what is not a usable buffer of this device."""
        device = self._device
        layouts = []
        regions = []
        for buffer in buffers:
            if type(buffer) is not Buffer or buffer._device is not device:
                raise self._refusal(buffer, argument)
            region = buffer._storage.region
            if region is None:
                raise freed(buffer, argument)
            layouts.append(buffer._layout)
            regions.append(Region(region.memory, buffer._low) if buffer._low else region)
        return tuple(layouts), regions

    def _refusal(self, value: object, argument: str) -> LaunchError:
        if isinstance(value, Buffer):
            other = value._device.name
            if other == self._device.name:
                other += " (opened separately)"
            return LaunchError(
                f"{argument}: {value!r} is on {other}, not on {self._device.name}; "
                "copy it with `.to(device)`"
            )
        return refusal(value, argument)

    def mapping(
        self,
        spec: Mapping[str, Any],
        priority: Priority | str | None,
        *more: Any,
        several: Several | None = None,
    ) -> Command:
        """Enqueue what a mapping with "op" says; `more` is what else was given, which is wrong."""
        if not all(map(is_nothing, more)):
            raise LaunchError("submit: a mapping says everything; expected no other arguments")
        found = request(spec, OPERATIONS)
        if found.priority is None and "priority" in OPERATIONS[found.op]:
            found = replace(found, priority=priority)
        return self.serve(found, several)

    def _operation(
        self, op: Any, inputs: Any, output: Any, params: Params, priority: Any, several: Any
    ) -> Command:
        """Enqueue an operation that was named where a kernel's name could be."""
        if op == "run_pipeline":
            given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
            if len(given) != 1:
                raise LaunchError(f"run_pipeline: expected one pipeline, got {len(given)} of them")
            more = {"priority": priority, "output": output, "params": params}
            return self.serve(asked(op, pipeline=given[0], **more), several)
        if op == "run_kernel":
            raise LaunchError('run_kernel: expected the kernel\'s name, as in submit("relu", [x])')
        found = asked(op, inputs=inputs, output=output, params=params, priority=priority)
        return self.serve(found, several)

    def serve(self, found: Request, several: Several | None = None) -> Command:
        """Enqueue what a request asks for, or keep it for `several`."""
        if found.op == "run_kernel":
            given = () if found.inputs is None else found.inputs
            wanted = found.output, found.params, found.priority
            made: Command = self.run(found.kernel, given, *wanted, {}, several=several)
            return made
        if found.op == "copy_buffer":
            return self._copy_buffer(found, self._queue if several is None else several)
        if found.op == "run_pipeline":
            if not isinstance(found.pipeline, Submittable):
                raise LaunchError(
                    "run_pipeline: expected a pipeline of recorded stages, got "
                    f"{found.pipeline!r}; a function that was made a pipeline is submitted like a "
                    "kernel, with its inputs"
                )
            if several is not None:
                kept: Command = found.pipeline.submit_among(several, found.priority)
                return kept
            command: Command = found.pipeline.submit(priority=found.priority)
            return command
        return self.barrier(several)

    def barrier(self, several: Several | None = None) -> Command[None]:
        """Enqueue a command that ends when all before it has, and that all after it wait for."""
        code, at = caller(2)
        command: Command[None] = Command(self._queue, "barrier", code, at, None, ())
        (self._queue if several is None else several).barrier(command)
        return command

    def upload(self, buffer: Buffer, data: Any) -> Command:
        """Enqueue a copy of an array into a buffer."""
        code, at = caller(3)
        ((made,), (region,)) = self._checked((buffer,), "buffer")
        array = as_array(data, None, made.dtype)
        if array.size != made.count or (array.ndim > 1 and array.shape != made.shape):
            raise LaunchError(
                f"data: expected {made.count} elements of shape {made.shape}, "
                f"got {array.size} of shape {array.shape}"
            )
        command = Command(self._queue, "upload", code, at, buffer, ())
        if made.nbytes:
            self._transfer(command, region, np.ascontiguousarray(array), True)
        self._queue.submit(command, (), (buffer,))
        return command

    def download(self, buffer: Buffer, out: Any) -> Command:
        """Enqueue a copy of a buffer into an array."""
        code, at = caller(3)
        ((made,), (region,)) = self._checked((buffer,), "buffer")
        if out is None:
            out = self.host_array(made)
        elif not (
            isinstance(out, np.ndarray)
            and out.dtype == made.dtype.numpy
            and out.shape == made.shape
            and out.flags.c_contiguous
            and out.flags.writeable
        ):
            what = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else repr(out)
            raise LaunchError(f"out: expected a contiguous, writable {made} array, got {what}")
        command = Command(self._queue, "download", code, at, out, ())
        if made.nbytes:
            self._transfer(command, region, out, False)
        self._queue.submit(command, (buffer,), ())
        return command

    def _transfer(
        self, command: Command, region: Region, array: np.ndarray[Any, Any], inward: bool
    ) -> None:
        """Have the device copy by itself where it can, so that what follows is put behind the copy
        at once; else a thread of the host's copies."""
        carries = getattr(self._device.backend, "carries", None)
        if carries is not None and carries(array):
            command._steps = (Carry(region, array, inward),)
            command._carried = True
            return
        way = self._transfers.inward if inward else self._transfers.outward
        command._steps = way(region, array)
        command._host = True

    def _copy_buffer(self, found: Request, into: Queue | Several) -> Command:
        code, at = caller(4)
        inputs, outputs = (
            tuple(given) if isinstance(given, (tuple, list)) else (given,)
            for given in (found.inputs, found.output)
        )
        if len(inputs) != 1 or len(outputs) != 1:
            raise LaunchError(
                f"copy_buffer: expected one input and output, got {len(inputs)} and {len(outputs)}"
            )
        source, places = self._checked(inputs, "inputs")
        target, more = self._checked(outputs, "output")
        if source[0].dtype is not target[0].dtype or source[0].count != target[0].count:
            raise LaunchError(
                f"copy_buffer: expected an output like the input {source[0]}, got {target[0]}"
            )
        nbytes = source[0].nbytes
        command = Command(
            self._queue, "copy_buffer", code, at, outputs[0], (), rank(found.priority)
        )
        overlaps = overlap(inputs[0], outputs[0])
        if not nbytes or (overlaps and inputs[0]._low == outputs[0]._low):
            pass  # nothing to copy, or onto itself
        elif overlaps:
            scratch: list[Storage] = []
            aside = self._ledger.set_aside(scratch, nbytes)
            command._scratch = tuple(scratch)
            command._steps = (Copy(aside, places[0], nbytes), Copy(more[0], aside, nbytes))
        else:
            command._steps = (Copy(more[0], places[0], nbytes),)
        into.submit(command, inputs, outputs)
        return command
