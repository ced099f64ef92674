"""The steps of a search as CUDA text: how they are launched, and that a compiler takes them. What
they compute is compared on a GPU by tests/search/test_steps.py. No GPU is needed."""

from __future__ import annotations

from cuda_compiler import compiled, needs_nvcc
from scheduled import as_cuda
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import Kernel
from treadle.lang.definition import Definition
from treadle.passes import optimise
from treadle.search import steps

U32, F32, F64, S32 = DType.U32, DType.F32, DType.F64, DType.S32


def kernel_of(definition: Definition, *specs: Spec, **params: int) -> Kernel:
    """The kernel as a device gets it."""
    bound = definition.bind(specs, None, *definition.arguments(params))
    return optimise(bound.stages[0].kernel)


def made() -> dict[str, Kernel]:
    """Every step that has a text of its own: 37 queries, 300 dimensions, 50 groups, room for 64."""
    found = Spec((37, 65), S32)
    vectors = Spec((37, 300), F32), Spec((1600, 300), F32), Spec((5,), S32), Spec((4,), S32)
    return {
        "limit": kernel_of(steps.limit, Spec((37, 50), F32), Spec((37,), F64), wanted=10),
        "places": kernel_of(steps.places, Spec((37, 50), U32), most=64),
        "distances": kernel_of(steps.distances, found, *vectors),
        "chosen": kernel_of(steps.chosen, Spec((37, 64), F64), found, k=10),
    }


def test_every_step_has_one_entry():
    for kernel in made().values():
        rendered = as_cuda(kernel)
        assert rendered.layout.entries == ("treadle_step",)
        assert rendered.text.count("__global__") == 1


def test_candidates_of_few_queries_are_shared_out():
    kernel = made()["distances"]
    measure = as_cuda(kernel).layout.measure
    sizes = dict.fromkeys(kernel.symbols, 10)
    rows, room = kernel.outputs[0].dims

    def blocks(count: int) -> int:
        return measure({**sizes, rows: count, room: 4096}).calls[0].grid

    assert blocks(1) == 512  # a warp for each
    assert blocks(1000) == 4000


def test_what_is_shared_is_asked_for():
    kernel = made()["chosen"]
    sizes = dict.fromkeys(kernel.symbols, 10) | {kernel.inputs[0].dims[1]: 4096}
    (call,) = as_cuda(kernel).layout.measure(sizes).calls
    # All of it is asked for at launch: what the text declares would come on top, unseen by the
    # launch, which asks the driver for more only beyond 48 KiB.
    assert call.shared > 12 * 4096
    assert "__shared__ int" not in as_cuda(kernel).text


@needs_nvcc
def test_a_compiler_takes_every_step(tmp_path):
    # Each names its shared memory by its own type, which one unit cannot have.
    texts = {
        f"{name}_{wide:d}": as_cuda(kernel, wide=wide)
        .text.replace("extern __shared__", "__shared__")
        .replace("s[];", "s[9];")
        for name, kernel in made().items()
        for wide in (False, True)
    }
    compiled(texts, tmp_path)
