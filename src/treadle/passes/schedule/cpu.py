"""Schedules for processors: threads that walk rows, some elements at a time as vectors.

In: an optimised kernel and its target. Out: a Schedule whose walk says, for the kernel's form, how
its elements are walked. A stencil becomes a chain of one stage, whose rows share what they read.
Knows no sizes and no language.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer, reads_own_place, resolve_locals
from treadle.ir.host_call import HostCall
from treadle.ir.loops import (
    ByteScan,
    Carrying,
    Convolving,
    Counting,
    Folding,
    Keeps,
    Laying,
    Measuring,
    Merging,
    RowPasses,
    Terms,
    Walk,
)
from treadle.ir.nodes import (
    Block,
    Chain,
    Form,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Reduce,
    Row,
    Scan,
    Tensor,
    expressions,
)
from treadle.ir.rounding import rounds
from treadle.ir.schedule import Schedule, Target
from treadle.passes.schedule.effort import efforts
from treadle.passes.schedule.maps import loops, streamed_loops
from treadle.passes.schedule.rolling import rolling, rows_together
from treadle.passes.schedule.rows import row_passes
from treadle.passes.schedule.unroll import written_out
from treadle.passes.schedule.widths import folds_fit, pieces_fit, rows_fit, scans_fit
from treadle.passes.transitions import transition_of

__all__ = ["schedule_loops"]

_KEEPS = {
    "byte_best": Keeps.BEST,
    "byte_near": Keeps.WITHIN,
    "byte_bounds": Keeps.NAMED,
    "byte_reach": Keeps.ALL,
}
_ROW_WIDTH = 32
_ABREAST = 4
_SCAN_WIDTH = 16
_FOLD_WIDTH = 32  # of states of up to 4 bytes a part, else half of it
# Rows whose columns are folded at once: a power of two, up to codegen.llvm's runs of a cascade.
_ROWS = 4
_LIGHT = 24  # nodes of what folds an element, with which several rows are no long text


def schedule_loops(kernel: Kernel, target: Target) -> Schedule:
    """Return what is decided about a kernel for a processor."""
    clear = replace(kernel, form=_resolved(kernel.form))
    work = efforts(kernel)
    whole: Walk | None = _counting(kernel) or _search(kernel, target) or _merging(kernel)
    whole = whole or _convolving(kernel, target)
    if whole is not None:
        return Schedule(clear, whole, work)
    apart = _apart(kernel)
    stencil = _alone(clear, apart)
    if stencil is not None:
        clear = stencil
    walk = _walk(clear, target)
    if isinstance(clear.form, Map):
        variant = streamed_loops(clear, target)
        streamed = None if variant is None else Schedule(clear, variant, work, apart)
        return Schedule(clear, walk, work, apart, streamed)
    if isinstance(walk, Carrying) and walk.pieces is not None:
        pieces = Schedule(clear, replace(walk, cut=True), work, apart)
        return Schedule(clear, walk, work, apart, pieces)
    return Schedule(clear, walk, work, apart)


def _walk(kernel: Kernel, target: Target) -> Walk:
    form = kernel.form
    if isinstance(form, Map):
        return loops(kernel, target)
    if isinstance(form, Chain):
        return rolling(kernel)
    if isinstance(form, Reduce):
        return _folding(kernel, form)
    if isinstance(form, Row):
        passes = row_passes(kernel, form)
        fits = rows_fit(kernel, form, passes)
        return RowPasses(passes, _ROW_WIDTH, _ROW_WIDTH if fits else 1)
    assert isinstance(form, Scan)
    pieces = transition_of(form)
    if pieces is not None and not pieces_fit(kernel, form.step, pieces.follow):
        pieces = None
    parts = (*form.init, *(pieces.init if pieces is not None else ()))
    lanes = _SCAN_WIDTH if all(part.dtype.size <= 4 for part in parts) else _SCAN_WIDTH // 2
    width = _SCAN_WIDTH if scans_fit(kernel, form) else 1
    # A float operation takes as long as several of them do: lines that wait for theirs alternate.
    floats = form.axis == len(kernel.space) - 1 and any(c.dtype.is_float for c in form.init)
    abreast = _ABREAST if floats else 1
    return Carrying(_SCAN_WIDTH, width, pieces, lanes if pieces is not None else 1, abreast=abreast)


def _clear(block: Block) -> Block:
    """A block whose indices show what they are, and whose short loops are marked."""
    return written_out(resolve_locals(block))


def _resolved(form: Form) -> Form:
    match form:
        case Map() | Row():
            return replace(form, block=_clear(form.block))
        case Reduce():
            lift, combine, finish = map(_clear, (form.lift, form.combine, form.finish))
            return replace(form, lift=lift, combine=_element_first(combine), finish=finish)
        case Scan():
            both = form.combine and _clear(form.combine)
            return replace(form, step=_clear(form.step), combine=both)
        case Chain():
            stages = tuple(replace(stage, form=_resolved(stage.form)) for stage in form.stages)
            return replace(form, stages=stages)
        case HostCall():
            return form  # which never comes here


def _element_first(combine: Block) -> Block:
    """The larger of an element and a state in place of a state and an element: whether the first is
    NaN is asked apart, and that of an element can be known before the state is."""
    match combine.results:
        case (Op(name="maximum" | "minimum", args=(Local() as a, Local() as b)) as found,):
            return replace(combine, results=(replace(found, args=(b, a)),))
    return combine


def _apart(kernel: Kernel) -> frozenset[str]:
    """The inputs that are never the memory of an output: of a map, those that are read elsewhere
    than at the element that is then written (see passes.inplace); of a chain, all of them."""
    if isinstance(kernel.form, Chain):
        return frozenset(tensor.name for tensor in kernel.inputs)
    if not isinstance(kernel.form, Map):
        return frozenset()
    loads = [node for node in expressions(kernel.form.block) if isinstance(node, Load)]

    def elsewhere(tensor: Tensor) -> bool:
        return tensor.dims != kernel.space or any(
            node.tensor == tensor.name and not reads_own_place(node, tensor.dims, kernel.space)
            for node in loads
        )

    return frozenset(tensor.name for tensor in kernel.inputs if elsewhere(tensor))


def _alone(kernel: Kernel, apart: frozenset[str]) -> Kernel | None:
    """A stencil as a chain of one stage, or None if it is not one.

    Its rows are computed several at a time, which read most of what they need in common. Some
    elements may be computed twice, so no input may be the output's memory."""
    form, space = kernel.form, kernel.space
    if not isinstance(form, Map):
        return None
    indexer = Indexer(space, form.block)
    for axis in range(len(space) - 2, -1, -1):
        wide = any(isinstance(dim, str) for dim in space[axis + 1 :])
        if wide and rows_together(form.block, indexer, axis) > 1:
            if not all(tensor.name in apart for tensor in kernel.inputs):
                return None
            return replace(kernel, form=Chain((kernel,), axis, ((None,) * len(kernel.inputs),)))
    return None


def _folding(kernel: Kernel, form: Reduce) -> Folding:
    rank = len(kernel.space)
    along = bool(rank) and (rank - 1) in form.axes
    width = _FOLD_WIDTH if all(c.dtype.size <= 4 for c in form.init) else _FOLD_WIDTH // 2
    if not along and any(c.dtype is DType.BOOL for c in form.init):
        width = 1  # columns of conditions are bytes, vectors of them are bits
    if not folds_fit(kernel, form):
        width = 1
    nodes = sum(1 for block in (form.lift, form.combine) for _ in expressions(block))
    light = rank > 0 and not along and width > 1 and nodes <= _LIGHT
    return Folding(width, along, rounds(form.combine), _ROWS if light else 1)


def _counting(kernel: Kernel) -> Counting | None:
    """A kernel that says it is a histogram, if its bins can be counted in one pass."""
    if kernel.routine != "histogram":
        return None
    image, out = kernel.inputs[0], kernel.outputs[0]
    lead = 1 if len(image.dims) == 4 else 0
    rows, columns = image.dims[lead : lead + 2]
    channels = image.dims[lead + 2] if len(image.dims) > 2 else 1
    if out.dtype is not DType.S32 or not isinstance(channels, int):
        return None
    return Counting(image.dims[:lead], rows, columns, channels)


def _merging(kernel: Kernel) -> Merging | None:
    """A kernel that says it merges sorted halves of rows."""
    return Merging() if kernel.routine == "merge_halves" else None


def _convolving(kernel: Kernel, target: Target) -> Convolving | Laying | None:
    """A kernel that says it adds up shifted planes, or that it lays them out: as many sums as
    registers hold, beside those for a vector of each plane and for each factor."""
    lanes = target.vector // kernel.outputs[0].dtype.size
    if kernel.routine == "conv_planes":
        return Laying(lanes)
    if kernel.routine != "conv_sums":
        return None
    return Convolving(8 if target.registers >= 32 else 4, 2, lanes)


def _search(kernel: Kernel, target: Target) -> ByteScan | Measuring | None:
    """A kernel of a search; the code asks whether its arrays fit together."""
    match kernel.routine:
        case name if name in _KEEPS:
            return ByteScan(_KEEPS[name], target.products)
        case "sum_squares" | "sum_apart" | "sum_products":
            return Measuring(Terms(kernel.routine.removeprefix("sum_")))
    return None
