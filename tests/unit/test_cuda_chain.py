"""Chains as CUDA text: how tiles are cut, what is kept of them, what nvcc makes of it, and what the
text computes when it runs on the host. No GPU is needed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cuda_host
from cuda_compiler import compiled, needs_nvcc
from handmade import load, op, plus
from parity.test_chains import chains
from scheduled import as_cuda, best
from treadle.codegen.cuda import target
from treadle.codegen.cuda.chain import BLOCK
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.descent import Descent
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Axis, Block, Chain, Kernel, Map, Span, Tensor
from treadle.ir.tiles import Halo, Where
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.fixed import Fixed, Floats, fixed
from treadle.passes.fuse import fuse
from treadle.passes.schedule.gpu import fits
from treadle.passes.schedule.gpu.stages import border
from treadle.passes.schedule.gpu.tiles import tiling
from treadle.passes.uniform import hoist

U8, F32, F64 = DType.U8, DType.F32, DType.F64
SIGMA, AMOUNT = 1.5, 0.5
BLUR = ("gaussian_blur", {"radius": 3, "sigma": SIGMA})
SHARPEN = ("sharpen", {"amount": AMOUNT})
GREY = ("grayscale", {})
NEAR = 96 << 10


def bound(spec: Spec, *calls: tuple[str, dict[str, float]]) -> Bound:
    """Kernels one after the other, as a pipeline binds them."""
    temps: list[Spec] = []
    stages: list[Stage] = []
    given, source = spec, 0
    for k, (name, params) in enumerate(calls):
        definition = lookup(name)
        key, values = definition.arguments(params)
        made = definition.bind((given,), None, key, values)
        slots = {0: source, 1: 1}
        if k < len(calls) - 1:
            slots[1] = 2 + len(temps)
            temps.append(made.outputs[0])
        for n, temp in enumerate(made.temps):
            slots[2 + n] = 2 + len(temps)
            temps.append(temp)
        for stage in made.stages:
            fixed = stage.fixed or tuple(values[i] for i in stage.picks)
            reads = tuple(slots[r] for r in stage.reads)
            writes = tuple(slots[w] for w in stage.writes)
            stages.append(Stage(stage.kernel, reads, writes, stage.dims, (), fixed))
        given, source = made.outputs[0], slots[1]
    return Bound((spec,), (given,), tuple(temps), tuple(stages))


def chain(spec: Spec, *calls: tuple[str, dict[str, float]]) -> Kernel:
    """The one kernel that fusing leaves, as it is scheduled."""
    return best(fused(spec, *calls).kernel)


def fused(spec: Spec, *calls: tuple[str, dict[str, float]]) -> Stage:
    """The one stage that fusing leaves."""
    made = fuse(bound(spec, *calls), near=NEAR, fits=lambda kernel: fits(kernel, target(NEAR)))
    (stage,) = made.bound.stages
    assert isinstance(stage.kernel.form, Chain)
    return stage


FRAMES = Spec((8, 2160, 3840, 4), U8)


def frames() -> Kernel:
    return chain(FRAMES, BLUR, SHARPEN, GREY)


def test_halos_come_from_what_is_read_around_a_tile():
    kernel = frames()
    found = tiling(kernel, BLOCK)
    assert found is not None
    assert (found.row, found.col) == (1, 2)
    # Sharpening reads one pixel around; the horizontal pass three columns more, and so on.
    assert [part.halo for part in found.parts] == [Halo(1, 1, 4, 4), Halo(1, 1, 1, 1), Halo()]
    assert found.margin == Halo(4, 4, 4, 4)
    # Alpha is never read: nobody computes it.
    assert [len(part.cells) for part in found.parts] == [3, 3, 1]
    assert [part.down for part in found.parts] == [True, False, True]


def test_what_lives_at_the_same_time_is_apart():
    spec = Spec((200, 300, 4), F32)
    found = tiling(chain(spec, SHARPEN, SHARPEN, SHARPEN, SHARPEN), BLOCK)
    assert found is not None
    places = list(found.places.values())
    ends = [p.offset + len(p.cells) * p.plane * 4 for p in places]
    assert max(ends) <= found.nbytes
    for (a, end), b in zip(zip(places, ends, strict=True), places[1:], strict=False):
        assert b.offset >= end or b.offset + len(b.cells) * b.plane * 4 <= a.offset
    assert places[2].offset < ends[0]  # the first is not read any more


@pytest.mark.parametrize(
    "spec",
    [Spec((40, 90, 4), U8), Spec((40, 90), F64), Spec((2, 40, 90, 3), F32)],
    ids=str,
)
def test_a_tile_fits(spec):
    kernel = chain(spec, SHARPEN, BLUR)
    found = tiling(kernel, BLOCK)
    assert found is not None
    assert fits(kernel, target(NEAR))
    assert found.nbytes <= NEAR
    layout = as_cuda(kernel).layout
    sizes = {name: 100 for name in kernel.symbols}
    (call,) = layout.measure(sizes).calls
    tiles, down, across = layout.measure(sizes).values
    assert call.shared == found.nbytes
    assert down == -(-100 // found.height)
    assert across == -(-100 // found.width)
    assert call.grid == tiles == down * across * (2 if len(spec.shape) == 4 else 1)


def test_rows_that_are_read_anywhere_do_not_fit():
    kernel = frames()
    form = kernel.form
    assert isinstance(form, Chain)
    (spans,) = form.reach[1]
    assert spans is not None
    anywhere = (*spans[:2], None, *spans[3:])
    far = replace(kernel, form=replace(form, reach=(form.reach[0], (anywhere,), form.reach[2])))
    assert not fits(far, target(NEAR))
    with pytest.raises(LaunchError, match="cannot run as one kernel"):
        as_cuda(far)


def test_memory_that_is_too_small_is_said():
    assert fits(frames(), target(16 << 10))
    assert not fits(frames(), target(1 << 10))


def test_tiles_at_the_border_run_like_others_where_distances_are_constant():
    kernel = frames()
    found = tiling(kernel, BLOCK)
    assert found is not None
    assert isinstance(kernel.form, Chain)
    assert border(kernel.form, found) is Where.EDGE


def test_weights_are_given_and_both_sides_share_them():
    kernel = frames()
    # Three on either side of the middle: for each of two passes four weights and their sum.
    assert sum(param.name.startswith("uniform") for param in kernel.params) == 2 * 5
    assert "expf(" not in as_cuda(kernel).text


@pytest.mark.parametrize("name, zeros", [("exp", 0), ("tanh", 4)])
def test_sums_of_what_is_never_negative_start_with_it(name, zeros):
    """Nothing is uniform here that devices round differently, so the schedule is the first to
    look at signs. A tanh may be -0: then
    both passes keep their zero, inside and at the border."""
    text = as_cuda(chain(Spec((40, 90), F32), (name, {}), ("box_blur", {"radius": 1}))).text
    assert len(re.findall(r"\(0\.0f \+ ", text)) == zeros


CHAINS = {
    "frames": frames,
    "grey": lambda: chain(Spec((40, 90), U8), BLUR, SHARPEN),
    "pairs": lambda: chain(Spec((40, 90, 2), F32), ("box_blur", {"radius": 2}), SHARPEN),
    "three": lambda: chain(Spec((2, 40, 90, 3), U8), BLUR, SHARPEN, GREY),
    "halves": lambda: chain(Spec((40, 90), F64), BLUR),
    "edges": lambda: chain(Spec((40, 90, 4), F32), SHARPEN, ("edge_detect", {}), SHARPEN),
}


@needs_nvcc
@pytest.mark.parametrize("wide", [False, True])
def test_nvcc_takes_chains(tmp_path, wide):
    chosen = ["frames", "halves"] if wide else list(CHAINS)
    texts = {name: as_cuda(CHAINS[name](), wide=wide).text for name in chosen}
    texts = {
        name: text.replace(
            "extern __shared__", f"#define treadle_near near_{name}\nextern __shared__"
        )
        + "\n#undef treadle_near\n"
        for name, text in texts.items()
    }
    ptx = compiled(texts, tmp_path, optimised=False)
    assert ptx.count(".visible .entry") == len(texts)


@needs_nvcc
def test_neighbours_share_what_they_read(tmp_path):
    ptx = compiled({"frames": as_cuda(frames()).text}, tmp_path)
    # All channels of a pixel together, each row once: six before the first step, its own eight, and
    # eight for the next one.
    assert len(re.findall(r"ld\.global(\.nc)?\.u32", ptx)) == 6 + 8 + 8


needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")
FEW = settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)


@needs_host
@FEW
@given(made=chains(), shift=st.sampled_from([0, 0, 1]), wide=st.booleans())
def test_generated_chains_on_the_host(made, shift, wide):
    kernel, sizes = made
    source = kernel.inputs[0]
    shape = tuple(sizes.get(d, d) for d in source.dims)
    array = np.random.default_rng(5).integers(0, 9, shape).astype(source.dtype.numpy)
    wanted = interpret(kernel, [array], sizes, {"p": 3.0})
    got = cuda_host.run(kernel, [array], sizes, {"p": 3.0}, shift=shift, wide=wide)
    for mine, want in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(mine, want)


BOX = ("box_blur", {"radius": 9})
DESCENTS = {
    # Rows: less than a step, several steps, several strips. Columns: less than a strip, several.
    "frames": ((2, 70, 150, 4), U8, (BLUR, SHARPEN, GREY)),
    "low": ((9, 200, 4), U8, (BLUR, SHARPEN, GREY)),
    "narrow": ((70, 40, 4), U8, (BLUR,)),
    "rgb": ((70, 250, 3), U8, (BLUR,)),
    "grey": ((70, 350), U8, (BOX,)),
    "sums": ((40, 350, 4), U8, (BOX,)),
    "three": ((50, 250, 4), U8, (BLUR, SHARPEN, SHARPEN)),
    "floats": ((40, 250, 4), F32, (BLUR, SHARPEN)),
}


@needs_host
@pytest.mark.parametrize("calls, steps", [((BLUR,), 1), ((BLUR, SHARPEN, GREY), 4)])
def test_fused_multiply_adds_stay_within_what_they_say(calls, steps):
    shape = (2, 70, 150, 4)
    stage = fused(Spec(shape, U8), *calls)
    names = [param.name for param in stage.kernel.params]
    params = dict(zip(names, stage.fixed or (), strict=True))
    made = fixed(stage.kernel, params, steps, Floats)
    assert isinstance(made, Fixed)
    assert made.steps == steps
    assert fixed(stage.kernel, params, steps - 1, Floats).endswith(
        f"above the tolerance {steps - 1}"
    )
    kernel = optimise(made.kernel)
    assert kernel.fused
    assert "__fmaf_rn" in as_cuda(kernel).text
    sizes = {d: n for d, n in zip(kernel.inputs[0].dims, shape, strict=True) if isinstance(d, str)}
    rng = np.random.default_rng(4)
    array = rng.integers(0, 256, shape, np.uint8)
    array[:, :, :75] = rng.choice(np.uint8([0, 255]), array[:, :, :75].shape)
    (got,) = cuda_host.run(kernel, [array], sizes, {})
    (exact,) = interpret(stage.kernel, [array], sizes, params)
    assert np.abs(got.astype(int) - exact).max() <= steps


def test_what_keeps_no_floats_between_its_stages_stays_exact():
    stage = fused(Spec((70, 150, 4), U8), BOX)
    params = dict(zip((p.name for p in stage.kernel.params), stage.fixed or (), strict=True))
    assert fixed(stage.kernel, params, 9, Floats) == "nothing between its stages is a float"


@needs_host
@pytest.mark.parametrize("shift, wide", [(0, False), (1, True)])
@pytest.mark.parametrize("name", DESCENTS)
def test_strips_on_the_host(name, shift, wide):
    shape, dtype, calls = DESCENTS[name]
    stage = fused(Spec(shape, dtype), *calls)
    hoisted = hoist(stage.kernel)
    kernel = optimise(stage.kernel if hoisted is None else hoisted.kernel)
    assert isinstance(as_cuda(kernel).layout.schedule.threads, Descent)
    sizes = {d: n for d, n in zip(kernel.inputs[0].dims, shape, strict=True) if isinstance(d, str)}
    values = stage.fixed if hoisted is None else hoisted.values(stage.fixed, sizes)
    params = {p.name: value for p, value in zip(kernel.params, values, strict=True)}
    rng = np.random.default_rng(1)
    array = rng.integers(0, 256, shape).astype(dtype.numpy)
    (got,) = cuda_host.run(kernel, [array], sizes, params, shift=shift, wide=wide)
    (wanted,) = interpret(kernel, [array], sizes, params)
    np.testing.assert_array_equal(got, wanted)


def diagonal() -> Kernel:
    """A chain that reads the channel with its column's number, beyond the edge too."""
    y, x, c = Axis(0), Axis(1), Axis(2)
    wide, narrow = ("h", 3, 3), ("h", 3)
    double = op("add", load("x", y, x, c), load("x", y, x, c))
    picked = op("add", load("a", plus(y, -1), x, x), load("a", plus(y, 1), x, x))
    beside = op("add", load("b", y, plus(x, -1)), load("b", y, plus(x, 1)))
    a, b, out = Tensor("a", F32, wide), Tensor("b", F32, narrow), Tensor("c", F32, narrow)
    first = Kernel("a", wide, (Tensor("x", F32, wide),), (a,), (), Map(Block((), (), (double,))))
    second = Kernel("b", narrow, (a,), (b,), (), Map(Block((), (), (picked,))))
    last = Kernel("c", narrow, (b,), (out,), (), Map(Block((), (), (beside,))))
    near = (Span(0, -1, 1), Span(1, 0, 0), Span(1, 0, 0))
    reach = ((None,), (near,), ((Span(0, 0, 0), Span(1, -1, 1)),))
    form = Chain((first, second, last), 0, reach)
    return optimise(Kernel("diagonal", narrow, first.inputs, (out,), (), form))


@needs_host
def test_a_channel_that_moves_with_the_column_stays_inside_beyond_the_edge():
    kernel, sizes = diagonal(), {"h": 9}
    assert "treadle_clamp((x + dx), 3)) * " in as_cuda(kernel).text
    array = np.random.default_rng(2).random((9, 3, 3), np.float32)
    (got,) = cuda_host.run(kernel, [array], sizes, {})
    (wanted,) = interpret(kernel, [array], sizes, {})
    np.testing.assert_array_equal(got, wanted)
