"""Loops of composites: a body that is recorded once and runs many times.

In: a Python function of a turn and a state, and how often it runs. Out: the state after the last
turn, as handles; the composite's trace has the loop. Knows neither stages nor slots of a Bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.errors import LaunchError
from treadle.lang.composite import CallTrace, Constant, Handle, RecordedLoop, copied, tracing
from treadle.lang.turn import Turn

__all__ = ["repeat"]


def repeat(body: Callable[..., Any], times: int, *state: Any) -> Any:
    """Call kernels many times over a state, inside a composite; the plan has them once.

    `body(turn, *state)` returns the next state: as many buffers, of the same shapes and dtypes. It
    runs once, to be recorded. `turn` counts from 0; `turn * block + first` and the like are what
    runtime parameters of kernels can be given, and nothing else may depend on it. What does not
    change is used from outside. Returns the state after `times` turns, `state` itself for none. A
    loop in a loop is written out."""
    trace = tracing(state)
    if trace is None or not state or not all(isinstance(item, Handle | Constant) for item in state):
        found = ", ".join(type(item).__name__ for item in state) or "nothing"
        raise LaunchError(
            "repeat: expected buffers of a composite as the state, at least one, inside the "
            f"composite's function; got {found}"
        )
    if not isinstance(times, int) or isinstance(times, bool) or times < 0:
        raise LaunchError(f"repeat: times must be a whole number, 0 or more, got {times!r}")
    starts = tuple(trace.constant(s) if isinstance(s, Constant) else s for s in state)
    if times == 0:
        return _returned(starts)
    if trace.loop is not None:
        for turn in range(times):
            starts = _checked(body(turn, *starts), starts)
        return _returned(starts)
    return _returned(_recorded(trace, body, times, starts))


def _returned(state: tuple[Handle, ...]) -> Any:
    return state[0] if len(state) == 1 else state


def _recorded(
    trace: CallTrace, body: Callable[..., Any], times: int, starts: tuple[Handle, ...]
) -> tuple[Handle, ...]:
    """Run the body once; note what it calls as a loop."""
    befores = tuple([trace.handle(start.spec) for start in starts])
    first = len(trace.calls)
    trace.loop = object()
    try:
        made = _checked(body(Turn(trace.owner, trace.loop, times), *befores), starts)
        afters = _own(trace, first, befores, made)
    finally:
        trace.loop = None
    trios = list(zip(starts, befores, afters, strict=True))
    carried = [trio for trio in trios if trio[2] is not trio[1]]
    # What the body gives back as it got it is what it was before the loop.
    trace.same.update(
        {before.slot: start.slot for start, before, after in trios if after is before}
    )
    outside = {after.slot for _, _, after in carried}
    inner = {handle.slot for call in trace.calls[first:] for handle in call.outputs}
    trace.inner |= (inner | {before.slot for before in befores}) - outside
    if not carried:
        del trace.calls[first:]
    else:
        trace.loops.append(RecordedLoop(first, len(trace.calls), times, carried))
    return tuple([start if after is before else after for start, before, after in trios])


def _checked(returned: Any, state: tuple[Handle, ...]) -> tuple[Handle, ...]:
    """What a body returned, if it can be the next state."""
    made = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
    if len(made) != len(state) or not all(isinstance(item, Handle) for item in made):
        listed = ", ".join(type(item).__name__ for item in made)
        raise LaunchError(
            f"repeat: the body must return the next state, {len(state)} "
            f"buffer{'' if len(state) == 1 else 's'}, got {listed}"
        )
    for number, (old, new) in enumerate(zip(state, made, strict=True)):
        if old.spec != new.spec:
            raise LaunchError(
                "repeat: the body must return a state of the same shapes and dtypes; state "
                f"{number} is {old.spec}, got {new.spec}"
            )
    return made


def _own(
    trace: CallTrace, first: int, befores: tuple[Handle, ...], made: tuple[Handle, ...]
) -> tuple[Handle, ...]:
    """The next state with a slot for each part: copied, where a part is what the body did not
    compute, or is there twice."""
    computed = {handle.slot for call in trace.calls[first:] for handle in call.outputs}
    found: list[Handle] = []
    for before, new in zip(befores, made, strict=True):
        if new.slot == before.slot:
            found.append(before)
        elif new.slot in computed:
            computed.remove(new.slot)
            found.append(new)
        else:
            found.append(trace.call(copied(), (new,), {}))
    return tuple(found)
