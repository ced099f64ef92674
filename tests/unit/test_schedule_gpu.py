"""What the threads of a GPU do, decided before it is spelt; and that its languages only spell."""

from __future__ import annotations

from pathlib import Path

import pytest

import treadle
from handmade import F32, U8
from test_layers import imports
from treadle.codegen import cuda, wgsl
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.descent import Descent
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Schedule
from treadle.ir.threads import Folded, Neighbours, Strips, Sweep, Sweeps
from treadle.ir.tiles import Tiled, Where
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.schedule import schedule
from unit.test_cuda_chain import BLUR, FRAMES, GREY, SHARPEN, chain
from unit.test_schedule import makes_ir

CODEGEN = Path(treadle.__file__).parent / "codegen"
LANGUAGES = ("cuda", "gpu", "wgsl")
MODULES = [path for language in LANGUAGES for path in sorted((CODEGEN / language).glob("*.py"))]


def kernel(name: str, *specs: Spec, **params: object) -> Kernel:
    """The first kernel of a named one."""
    definition = lookup(name)
    bound = definition.bind(tuple(specs), None, *definition.arguments(params))
    return optimise(bound.stages[0].kernel)


def on_cuda(name: str, *specs: Spec, **params: object) -> Schedule:
    return schedule(kernel(name, *specs, **params), cuda.target())


# What is decided


def test_neighbours_are_as_many_as_an_access_has_bytes():
    wide = on_cuda("elementwise_add", Spec((9, 50), F32), Spec((9, 50), F32)).threads
    assert isinstance(wide, Neighbours)
    assert wide.width == 4
    bytes_ = on_cuda("scalar_add", Spec((9, 50, 3), U8), scalar=1).threads
    assert isinstance(bytes_, Neighbours)
    assert bytes_.width == 16
    assert len(wide.own) == 2


def test_an_element_that_reads_elsewhere_is_a_pixel_of_a_strip():
    found = on_cuda("sharpen", Spec((40, 60, 4), U8)).threads
    assert isinstance(found, Strips)
    assert (found.count, found.pixels.channels, found.square) == (4, 4, False)
    turned = on_cuda("rotate90", Spec((40, 60, 4), U8), turns=1).threads
    assert isinstance(turned, Strips)
    assert turned.square


def test_rows_of_memory_are_folded_by_neighbours():
    for axis, width in ((1, 4), (0, 0)):
        found = on_cuda("reduce_sum", Spec((70, 90), F32), axis=axis).threads
        assert isinstance(found, Folded)
        assert found.rounds
        assert (found.width if found.own else 0) == width


def test_a_row_is_swept_once_for_each_fold_and_for_the_results():
    found = on_cuda("softmax", Spec((70, 90), F32)).threads
    assert isinstance(found, Sweeps)
    assert [len(step.folds) for step in found.steps if isinstance(step, Sweep)] == [1, 1, 0]
    assert len(found.kept) == 1  # the exponential
    assert len(found.held) == 1  # the row
    again = found.steps[-1]
    assert isinstance(again, Sweep)
    assert again.taken == set(found.kept)


def test_where_nothing_is_held_folds_share_a_sweep():
    layer = kernel("layer_norm", Spec((70, 90), F32))
    apart, together = (schedule(layer, t).threads for t in (cuda.target(), wgsl.target()))
    assert isinstance(apart, Sweeps)
    assert isinstance(together, Sweeps)
    assert len(together.steps) <= len(apart.steps)
    assert [fold.name for fold in together.folds] == [fold.name for fold in apart.folds]


def test_a_chain_is_cut_into_tiles_and_says_how_it_reads():
    found = schedule(chain(Spec((1080, 1920, 4), U8), SHARPEN, BLUR), cuda.target()).threads
    assert isinstance(found, Tiled)
    assert found.border is Where.EDGE
    assert len(found.blocks) == len(found.reads) == len(found.tiling.parts)
    inputs = [access for access in found.reads[0].values() if access.inside]
    assert inputs
    assert all(all(access.inside[Where.INSIDE]) for access in inputs)
    assert not any(all(access.inside[Where.EDGE]) for access in inputs)


def test_a_chain_whose_first_stage_reads_columns_walks_down_strips():
    found = schedule(chain(FRAMES, BLUR, SHARPEN, GREY), cuda.target()).threads
    assert isinstance(found, Descent)
    # Columns: three that the blur reads beside it, one that sharpening does.
    assert (found.width, found.threads, found.rows, found.span) == (120, 128, 8, (-3, 3))
    assert [level.left for level in found.levels] == [4, 1, 0]
    # A row that is read below another has been computed a step before it.
    assert [level.above for level in found.levels] == [1, 1, 2]
    down, along = found.kept.values()
    assert down.rows == 8  # nothing above the step's own rows is read again
    assert along.rows == 8 + 2
    assert [len(kept.cells) for kept in (down, along)] == [3, 3]  # nobody reads alpha
    # The mean of three channels ends the loop over them, and reads so much that it takes halves.
    assert (found.together, [level.run for level in found.levels]) == (2, [8, 8, 4])
    assert found.words == "strips of 120 columns, 8 rows at a step"


def test_what_passes_between_stages_of_a_channel_has_two_planes():
    found = schedule(chain(FRAMES, BLUR), cuda.target()).threads
    assert isinstance(found, Descent)
    assert (found.together, found.rolled) == (2, True)
    (kept,) = found.kept.values()
    assert kept.passing
    assert kept.nbytes == 2 * 4 * kept.rows * kept.pitch  # one is read while one is written


def test_floats_of_a_pixel_are_not_taken_in_turns():
    """A thread holds them in registers, which have no numbers."""
    found = schedule(chain(Spec((90, 200, 4), F32), BLUR), cuda.target()).threads
    assert isinstance(found, Descent)
    assert (found.rows, found.together, found.rolled) == (4, 2, False)


def test_whole_numbers_are_added_up_once_for_neighbours():
    box = ("box_blur", {"radius": 15})
    found = schedule(chain(FRAMES, box), cuda.target()).threads
    assert isinstance(found, Descent)
    assert [level.sum is not None and len(level.sum.terms) for level in found.levels] == [31, 31]
    floats = schedule(chain(Spec((70, 200), F32), ("box_blur", {"radius": 5})), cuda.target())
    assert isinstance(floats.threads, Descent)
    assert [level.sum for level in floats.threads.levels] == [None, None]


@pytest.mark.parametrize(
    "calls",
    [
        (SHARPEN, BLUR),  # the first stage reads beside its own column
        (("gaussian_blur", {"radius": 40, "sigma": 20.0}),),  # more rows than are held
        (("edge_detect", {}), SHARPEN),
    ],
)
def test_other_chains_stay_tiles(calls):
    found = schedule(chain(Spec((1080, 1920, 4), U8), *calls), cuda.target()).threads
    assert not isinstance(found, Descent)


def test_channels_share_what_is_the_same_for_a_pixel():
    """Weights of a bilateral filter are a pixel's: its three channels compute them once."""
    found = on_cuda("denoise", Spec((8, 1080, 1920, 3), U8), radius=2).threads
    assert isinstance(found, Strips)
    assert (found.count, found.pixels.channels, len(found.runs)) == (4, 3, 5)
    assert len([name for name in found.shared if name.startswith("weight")]) == 12
    floats = on_cuda("denoise", Spec((8, 1080, 1920, 3), F32), radius=2).threads
    assert isinstance(floats, Strips)
    assert (floats.pixels.channels, floats.shared >= found.shared) == (3, True)


@pytest.mark.parametrize(
    "name, spec, words",
    [
        ("exp", Spec((99,), F32), "4 neighbours by a thread"),
        ("flip", Spec((40, 60, 4), U8), "4 pixels by a thread, 1 run of pixels read at once"),
        ("softmax", Spec((70, 90), F32), "3 sweeps over a row"),
        ("reduce_sum", Spec((70, 90), F32), "4 neighbours folded at once"),
        ("reduce_max", Spec((70, 90), DType.S32), "4 neighbours folded at once"),
    ],
)
def test_a_schedule_says_in_words_what_it_is(name, spec, words):
    assert on_cuda(name, spec).words == words


def test_the_same_kernel_and_target_give_equal_schedules():
    for name, spec in (("sharpen", Spec((40, 60, 4), U8)), ("softmax", Spec((70, 90), F32))):
        assert on_cuda(name, spec) == on_cuda(name, spec)


# Who decides


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_languages_make_and_rewrite_no_ir(path):
    assert not makes_ir(path.read_text("utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_languages_do_not_know_each_other(path):
    own = path.parent.name
    others = {"cuda", "wgsl", "llvm"} - {own}
    found = [name.split(".") for name in imports(path.read_text("utf-8"), f"treadle.codegen.{own}")]
    known = {name[2] for name in found if name[:2] == ["treadle", "codegen"] and len(name) > 2}
    assert not known & others
