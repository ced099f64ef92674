"""Kernels by name on the default device: submit them, or run them and wait.

In: what users write. Out: calls of Device, which does the work. What a kernel gives is typed as one
buffer; those that ship with Treadle and give several are named here, for type checkers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from treadle.errors import LaunchError, QueueFull, TreadleError, entrance, without_our_frames
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import device
from treadle.runtime.priority import Priority
from treadle.runtime.request import Defined

if TYPE_CHECKING:
    from treadle.lang.definition import Definition
    from treadle.pipeline import Pipeline

__all__ = [
    "add",
    "matmul",
    "multiply",
    "prepare",
    "relu",
    "run_kernel",
    "run_kernel_async",
    "scale",
    "submit",
    "submit_many",
]

Inputs = Sequence[Buffer] | Buffer
Output = Buffer | Sequence[Buffer] | None
Params = Mapping[str, object]
GivesTwo = Literal["l2_top_k", "quantize_int8", "top_k"]
Two = tuple[Buffer, Buffer]


@overload
def submit(
    kernel: GivesTwo,
    inputs: Inputs | Pipeline = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Command[Two]: ...
@overload
def submit(
    kernel: str | Definition,
    inputs: Inputs | Pipeline = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Command[Buffer]: ...
@overload
def submit(
    kernel: Pipeline | Mapping[str, Any],
    inputs: Inputs | Pipeline = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Command[Any]: ...
def submit(
    kernel: str | Definition | Pipeline | Mapping[str, Any],
    inputs: Inputs | Pipeline = (),
    output: Output = None,
    params: Params | None = None,
    *,
    priority: Priority | str | None = None,
    **named: Any,
) -> Command[Any]:
    """Enqueue work and return its command at once; see Device.submit for the forms it takes."""
    try:
        here = device()
        if type(kernel) is str:  # straight to the launcher: handing keywords on would cost a tenth
            return here.enqueue(kernel, inputs, output, params, priority, named)
        return here.submit(kernel, inputs, output, params, priority=priority, **named)
    except TreadleError as error:
        raise without_our_frames(error)  # noqa: B904  # the same one, without a call in between


@entrance
def submit_many(
    specs: Iterable[Any], *, priority: Priority | str | None = None
) -> list[Command[Any]]:
    """Enqueue all of these or, if anything is wrong with one, none; see Device.submit_many."""
    return device().submit_many(specs, priority=priority)


@overload
def run_kernel(
    kernel: GivesTwo,
    inputs: Inputs = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Two: ...
@overload
def run_kernel(
    kernel: str | Definition,
    inputs: Inputs = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Buffer: ...
def run_kernel(
    kernel: str | Definition,
    inputs: Inputs = (),
    output: Output = None,
    params: Params | None = None,
    *,
    priority: Priority | str | None = None,
    **named: Any,
) -> Any:
    """Run a kernel, wait for it, and return its output (a tuple where it has several)."""
    try:
        here = device()
        try:  # straight to the launcher, see submit
            made: Any = here.enqueue(
                kernel, inputs, output, params, priority, named, True, plain=True
            )
        except (LaunchError, QueueFull):  # it records, or waits for room, or says so
            return here.run_kernel(kernel, inputs, output, params, priority=priority, **named)
        return made.wait().output if type(made) is Command else made
    except TreadleError as error:
        raise without_our_frames(error)  # noqa: B904  # see submit


@entrance
def prepare(
    kernel: str | Definition | Defined,
    inputs: Inputs = (),
    output: Output = None,
    params: Params | None = None,
    **named: Any,
) -> Pipeline:
    """Check, plan and bind a kernel once, for a loop that submits it again and again.

    Returns a pipeline of one stage: `submit` and `run` cost half of what they do by name, `set`
    changes parameters, `bind` the buffers. Without an output one is allocated; each run writes it
    anew. It runs on the device that its inputs are on."""
    from treadle.pipeline.entry import lookup  # `import treadle` need not pay
    from treadle.pipeline.record import Pipeline

    name = lookup(kernel).name
    given = inputs if isinstance(inputs, list | tuple) else (inputs,)
    where = next((each.device for each in given if isinstance(each, Buffer)), None)
    if output is None:
        with Pipeline(where, name) as foretold:  # only to know what the kernel gives
            last = foretold.add(kernel, inputs, None, params, **named).last
            made = last if isinstance(last, tuple) else (last,)
        output = tuple([device(where).empty(each.shape, each.dtype) for each in made])
    return Pipeline(where, name).add(kernel, inputs, output, params, **named)


@overload
async def run_kernel_async(
    kernel: GivesTwo,
    inputs: Inputs = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Two: ...
@overload
async def run_kernel_async(
    kernel: str | Definition,
    inputs: Inputs = ...,
    output: Output = ...,
    params: Params | None = ...,
    *,
    priority: Priority | str | None = ...,
    **named: Any,
) -> Buffer: ...
@entrance
async def run_kernel_async(
    kernel: str | Definition,
    inputs: Inputs = (),
    output: Output = None,
    params: Params | None = None,
    *,
    priority: Priority | str | None = None,
    **named: Any,
) -> Any:
    """Run a kernel, suspend until it ended, and return its output."""
    where = device()
    return await where.run_kernel_async(kernel, inputs, output, params, priority=priority, **named)


@entrance
def add(a: Buffer, b: Buffer, output: Buffer | None = None) -> Buffer:
    """Run elementwise_add: output = a + b."""
    return device().run_kernel("elementwise_add", (a, b), output)


@entrance
def multiply(a: Buffer, b: Buffer, output: Buffer | None = None) -> Buffer:
    """Run elementwise_mul: output = a * b."""
    return device().run_kernel("elementwise_mul", (a, b), output)


@entrance
def relu(a: Buffer, output: Buffer | None = None, **params: Any) -> Buffer:
    """Run relu: output = max(a, 0), or slope * a below 0 where a slope is given."""
    return device().run_kernel("relu", (a,), output, params)


@entrance
def scale(a: Buffer, scalar: float, output: Buffer | None = None) -> Buffer:
    """Run scalar_mul: output = a * scalar."""
    return device().run_kernel("scalar_mul", (a,), output, {"scalar": scalar})


@entrance
def matmul(a: Buffer, b: Buffer, output: Buffer | None = None) -> Buffer:
    """Run matmul: output = a @ b, of matrices or of batches of them."""
    return device().run_kernel("matmul", (a, b), output)
