"""Chains on the CPU: channels as lanes, stencils as chains of one, and generated chains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from chains import IMAGE, Tap, chained, of, same, stage, summed, whole
from handmade import F32, F64, S32, U8, Runner, axes, f32, load, op, plus, s32
from scheduled import as_llvm, for_cpu
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm import chain as llvm_chain
from treadle.codegen.llvm.nest import estimate
from treadle.dtypes import read_as
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Axis, Block, Cast, Dim, Expr, Kernel, Map, Param, Tensor
from treadle.passes import optimise

Y, X, C = axes(3)
SHAPES = [(1, 1), (1, 9), (9, 1), (3, 5), (5, 3), (17, 33), (40, 100), (300, 21)]


@pytest.fixture(scope="module")
def run():
    backend = CpuBackend(workers=2)
    yield Runner(backend)
    backend.close()


@pytest.fixture
def short_units(monkeypatch):
    """Units of a few rows, so that most rows are near the border of one."""
    monkeypatch.setattr(llvm_chain, "_UNIT_NS", 0.0)
    monkeypatch.setattr(llvm_chain, "_UNIT_HALO", 1)


@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize("dtype", [F32, U8])
def test_channels_that_are_not_alike(run, short_units, dtype, channels):
    """The last channel is kept: whole pixels are lanes, as far as the row is long enough."""
    space: tuple[Dim, ...] = ("h", "w", channels)
    source = Tensor("source", dtype, space)
    down = [Tap(source, i, 0, 0.5) for i in (-1, 0, 1)]
    first = stage("down", down, dtype=dtype, space=space)
    read = read_as(dtype)
    total: Expr = f32(0.0)
    for dy, dx in ((-1, -1), (0, 1), (1, 0), (2, 1)):
        value: Expr = load("down", plus(Y, dy), plus(X, dx), C, dtype=read)
        total = op("add", total, value if read is F32 else Cast(value, F32))
    kept: Expr = load("down", Y, X, C, dtype=read)
    kept = kept if read is F32 else Cast(kept, F32)
    result = op("select", op("eq", C, s32(channels - 1)), kept, op("mul", total, f32(0.25)))
    outputs = (Tensor("out", dtype, space),)
    second = Kernel("out", space, (of(first),), outputs, (), Map(Block((), (), (result,))))
    kernel = chained([first, second], [{}, {"down": (-1, 2)}])
    for width in (1, 7, 8, 21):
        same(run, kernel, whole(19, width, channels, dtype=dtype))
    lanes = 8 * (2 if channels == 2 else 4)
    assert f"<{lanes} x float>" in as_llvm(kernel).text.split("@stage1_all", 1)[1]


@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize("dtype", [F32, U8])
def test_pixels_that_are_rows(run, dtype, channels):
    """Pixels of which each is a row are kept apart, so they are not loaded side by side."""
    space: tuple[Dim, ...] = ("h", channels)
    source = Tensor("source", dtype, space)
    first = stage("first", [Tap(source, 0)], dtype=dtype, space=space)
    second = stage("second", [Tap(of(first), 0, 1)], dtype=dtype, space=("h",))
    kernel = chained([first, second], [{}, {"first": (0, 0)}])
    same(run, kernel, whole(200, channels, dtype=dtype))


@pytest.mark.parametrize("held,taken", [(2, 2), (3, 3), (4, 3), (4, 4), (3, 1)])
@pytest.mark.parametrize("dtype", [F32, U8])
def test_pixels_that_are_taken_apart(run, short_units, dtype, held, taken):
    """One channel of many pixels is read at once, which channel it is is known only when it runs;
    nothing behind the last pixel is touched."""
    planes: tuple[Dim, ...] = ("h", taken, "w")
    source = Tensor("source", dtype, ("h", "w", held))
    read = read_as(dtype)
    outputs = (Tensor("planes", dtype, planes),)
    value = load("source", Axis(0), Axis(2), Axis(1), dtype=read)
    first = Kernel("planes", planes, (source,), outputs, (), Map(Block((), (), (value,))))
    near: Expr = load("planes", plus(Axis(0), -1), Axis(1), plus(Axis(2), 1), dtype=read)
    near = near if read is F32 else Cast(near, F32)
    out = (Tensor("out", F32, planes),)
    second = Kernel("out", planes, outputs, out, (), Map(Block((), (), (near,))))
    kernel = chained([first, second], [{}, {"planes": (-1, 0)}])
    for width in (1, 15, 16, 37):
        same(run, kernel, whole(9, width, held, dtype=dtype))
    copied = as_llvm(kernel).text.split("@stage0_all", 1)[1].split("@stage1", 1)[0]
    assert f"<16 x {dtype.llvm}>" in copied


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stencil_is_a_chain_of_one(run, short_units, shape):
    source = Tensor("source", F32, IMAGE)
    taps = [Tap(source, i, j, 0.5) for i in (-2, 0, 1) for j in (-1, 0, 3)]
    kernel = optimise(stage("out", taps))
    assert "@stage0_inside" in as_llvm(kernel).text
    same(run, kernel, whole(*shape))


def test_what_may_be_in_place_is_no_chain(run):
    a, b = Tensor("a", F32, IMAGE), Tensor("b", F32, IMAGE)
    kernel = optimise(stage("out", [Tap(a, -1), Tap(a, 1), Tap(b, 0)]))
    assert isinstance(for_cpu(kernel).kernel.form, Map)
    x, y = whole(9, 20), whole(9, 20, seed=1)
    want = interpret(kernel, [x, y], {"h": 9, "w": 20}, {})[0]
    run(kernel, x, y, out=[y])
    np.testing.assert_array_equal(y, want)


def test_rows_of_few_elements_are_no_chain():
    space: tuple[Dim, ...] = ("n", 2)
    source = Tensor("source", F32, space)
    kernel = stage("out", [Tap(source, -1), Tap(source, 1)], space=space)
    assert isinstance(for_cpu(kernel).kernel.form, Map)


def test_weights_are_computed_ahead_of_the_loops(run):
    sigma = Param("sigma", F32)
    weights = [op("exp", op("div", f32(-i), sigma)) for i in (1, 0, 1)]
    taps = [
        op("mul", w, load("source", plus(Y, i), X))
        for i, w in zip((-1, 0, 1), weights, strict=True)
    ]
    total = op("add", op("add", taps[0], taps[1]), taps[2])
    source, outputs = Tensor("source", F32, IMAGE), (Tensor("out", F32, IMAGE),)
    kernel = Kernel("out", IMAGE, (source,), outputs, (sigma,), Map(Block((), (), (total,))))
    body = as_llvm(optimise(kernel)).text.split("@stage0_all", 1)[1].split("\n}", 1)[0]
    entry, rest = body.split("\nmain:", 1)
    assert "fdiv" in entry
    assert "fdiv" not in rest
    (got,) = run(kernel, whole(20, 33), params={"sigma": 2.0})
    (want,) = interpret(kernel, [whole(20, 33)], {"h": 20, "w": 33}, {"sigma": 2.0})
    np.testing.assert_allclose(got, want, rtol=2e-6)
    sizes = {"h": 1080, "w": 1920}
    plain = Map(Block((), (), (op("add", load("source", Y, X), load("source", plus(Y, 1), X)),)))
    cheap = Kernel("out", IMAGE, (source,), outputs, (), plain)
    once, twice = (estimate(for_cpu(each), sizes) for each in (kernel, cheap))
    assert once < 2 * twice  # what is done once costs nothing


DTYPES = st.sampled_from([F32, F32, U8, S32, F64])
OFFSETS = st.integers(-4, 4)


@st.composite
def chains(draw: st.DrawFn) -> tuple[Kernel, int]:
    """A chain of up to five stages, and how many inputs it has."""
    sources = [Tensor(f"in{k}", draw(DTYPES), IMAGE) for k in range(draw(st.integers(1, 2)))]
    known = list(sources)
    described: list[tuple[Kernel, list[Tap]]] = []
    for k in range(draw(st.integers(1, 5))):
        taps = [
            Tap(
                draw(st.sampled_from(known)),
                draw(OFFSETS),
                draw(st.integers(-2, 2)),
                draw(st.sampled_from([0.5, 1.0, -0.5])),
            )
            for _ in range(draw(st.integers(1, 4)))
        ]
        if described:
            taps.append(Tap(of(described[-1][0]), draw(OFFSETS), draw(OFFSETS), 0.5))
        kernel = stage(f"s{k}", taps, dtype=draw(DTYPES))
        described.append((kernel, taps))
        known.append(of(kernel))
    names = [kernel.name for kernel, _ in described]
    shown = draw(st.sets(st.sampled_from(names[:-1]))) if len(names) > 1 else set()
    kernel = summed(described, outputs=[n for n in names if n in shown or n == names[-1]])
    return kernel, len(kernel.inputs)


@given(
    chains(),
    st.integers(1, 40),
    st.integers(1, 50),
    st.integers(0, 3),
    st.sampled_from([1, 3, 8, 1000]),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_any_chain_equals_its_stages(run, chain, height, width, seed, halo):
    kernel, count = chain
    inputs = [
        whole(height, width, dtype=t.dtype, seed=seed + k) for k, t in enumerate(kernel.inputs)
    ]
    assert count == len(inputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llvm_chain, "_UNIT_NS", 0.0)
        patch.setattr(llvm_chain, "_UNIT_HALO", halo)
        same(Runner(run.backend), kernel, *inputs)


@pytest.mark.parametrize("stages", [["rotate90", "grayscale"], ["rotate90", "sharpen"]], ids=str)
@pytest.mark.parametrize("dtype", ["f32", "u8"])
def test_pixels_of_one_channel_from_anywhere(stages, dtype):
    # One channel is no vector: LLVM refused the text of these chains.
    values = np.random.default_rng(2).random((3, 3, 48, 1), np.float32)
    image = values if dtype == "f32" else (values * 255).astype(np.uint8)
    results = []
    for name in ("cpu", "reference"):
        device = treadle.device(name)
        p = treadle.pipeline(device)
        p.add(stages[0], device.buffer(image))
        out = device.empty((3, 48, 3) if stages[1] == "grayscale" else (3, 48, 3, 1), dtype)
        p.add(stages[1], p.last, out).run()
        results.append(out.to_numpy())
    np.testing.assert_allclose(*results, atol=1e-6)
