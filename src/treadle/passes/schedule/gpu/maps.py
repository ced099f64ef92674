"""Maps over threads: which neighbours one thread computes, and what it reads for them at once.

In: a Map kernel, or the lifting block of a reduction. Out: Neighbours where every read is at the
element's own place, Strips of pixels else.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.ir.affine import reads_own_place
from treadle.ir.names import lets_of
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Expr,
    For,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    While,
    children,
    expressions,
    statements,
    walk,
)
from treadle.ir.threads import Neighbours, Pixels, Strips, has_channels
from treadle.passes.schedule.gpu.runs import expanded, runs_of

__all__ = ["map_over", "own_places", "reads_here"]

_SEVERAL = 4  # pixels of a thread, where results are bytes
_TEXT = 1500  # operations of a thread: more are slow to compile
_LONG = 6000  # and where all that it reads is in registers, so that its pixels share it


def map_over(kernel: Kernel, access: int) -> Neighbours | Strips:
    """Lay a Map over threads whose accesses have up to `access` bytes."""
    assert isinstance(kernel.form, Map)
    own = own_places(kernel, kernel.form.block)
    if own is None and not kernel.space:
        own = {}  # one element stands in no row of pixels
    return _strips(kernel, kernel.form.block) if own is None else _neighbours(kernel, own, access)


def own_places(kernel: Kernel, block: Block) -> dict[str, tuple[Load, ...]] | None:
    """The reads of each input, all at the element's own place; None where some are not, or where
    elements cannot be told apart by their flat position. Inputs of one element are left out."""
    tensors = {t.name: t for t in kernel.inputs}
    own: dict[str, list[Load]] = {}
    for node in expressions(block):
        if isinstance(node, Load):
            tensor = tensors[node.tensor]
            whole = tensor.dims == kernel.space
            if whole and reads_own_place(node, tensor.dims, kernel.space):
                own.setdefault(tensor.name, []).append(node)
            elif any(dim != 1 for dim in tensor.dims):
                return None
    if len(kernel.space) != 1 and _bare_axes(block):
        return None
    return {name: tuple(loads) for name, loads in own.items()}


def reads_here(kernel: Kernel, block: Block) -> tuple[Load, ...]:
    """The reads of inputs as large as the kernel's space, at the element's own place."""
    whole = {t.name: t.dims for t in kernel.inputs if t.dims == kernel.space}
    reads = [node for node in expressions(block) if isinstance(node, Load)]
    here = [r for r in reads if r.tensor in whole]
    return tuple({r: None for r in here if reads_own_place(r, whole[r.tensor], kernel.space)})


def _neighbours(kernel: Kernel, own: dict[str, tuple[Load, ...]], access: int) -> Neighbours:
    sizes = [t.dtype.size for t in kernel.inputs if t.name in own]
    largest = max([*sizes, *(t.dtype.size for t in kernel.outputs)])
    return Neighbours(own, access if largest == 1 else access // 4)


def _bare_axes(block: Block) -> bool:
    """Whether coordinates are used for anything but reading."""

    def bare(node: Expr) -> bool:
        if isinstance(node, Axis):
            return True
        inner = [i for i in children(node) if not isinstance(i, Axis | Const)]
        return any(map(bare, inner if isinstance(node, Load) else children(node)))

    heads = [child for stmt in statements(block.body) for child in children(stmt)]
    return any(map(bare, (*heads, *block.results)))


def _strips(kernel: Kernel, block: Block) -> Strips:
    """Pixels of a thread: all channels of one, or of several where results are bytes, as long as
    the text stays small."""
    pixels = Pixels.of(kernel.space)
    shared = _shared(block, pixels)
    loops = any(isinstance(stmt, For | While) for stmt in statements(block.body))
    if loops or not _short(kernel, block, pixels, shared, 1):
        pixels, shared = Pixels(len(kernel.space) - 1, None, 1), frozenset()
    bytes_only = all(t.dtype.size == 1 for t in kernel.outputs)
    several = bytes_only and not loops and _short(kernel, block, pixels, shared, _SEVERAL)
    count = _SEVERAL if several else 1
    return Strips(
        pixels,
        count,
        tuple(runs_of(kernel, block, pixels, count)),
        square=pixels.x > 0 and _reads_columns(kernel, block, pixels.x),
        divisors=_divisors(block) if count > 1 else {},
        shared=shared,
    )


def _short(
    kernel: Kernel, block: Block, pixels: Pixels, shared: frozenset[str], count: int
) -> bool:
    """Whether `count` pixels of a thread are little text for what they do."""
    held = {load for run in runs_of(kernel, block, pixels, count) for load in run.places}
    loads = (node for node in expressions(block) if isinstance(node, Load))
    if all(load in held for load in loads):
        return count * _size(block, shared, pixels) <= _LONG
    once = shared if count == 1 else frozenset[str]()
    return count * _size(block, once, pixels) <= _TEXT


def _shared(block: Block, pixels: Pixels) -> frozenset[str]:
    """The locals that all channels of a pixel have in common, if every one is set once."""
    names = [stmt.name for stmt in block.body if isinstance(stmt, Assign)]
    if pixels.channel is None or len(set(names)) < len(block.body):
        return frozenset()
    own: set[str] = set()
    for stmt in block.body:
        assert isinstance(stmt, Assign)
        if any(
            node == Axis(pixels.channel) or (isinstance(node, Local) and node.name in own)
            for node in walk(stmt.value)
        ):
            own.add(stmt.name)
    return frozenset(names) - own


def _size(block: Block, shared: frozenset[str], pixels: Pixels) -> int:
    """How much text a pixel is: what its channels share once, the rest for each."""
    count = 0
    for stmt in block.body:
        once = isinstance(stmt, Assign) and stmt.name in shared
        nodes = sum(1 for _ in expressions(Block((), (stmt,), ())))
        count += nodes if once else nodes * pixels.channels
    return count + pixels.channels * sum(1 for each in block.results for _ in walk(each))


def _divisors(block: Block) -> dict[Expr, Expr]:
    """What a block divides by that is the same for all elements, and what it is made of."""
    lets = lets_of(block)
    found: dict[Expr, Expr] = {}
    for node in expressions(block):
        if isinstance(node, Op) and node.name == "div" and node.dtype is DType.F32:
            by = node.args[1]
            made = None if isinstance(by, Const) else expanded(by, lets)
            if made is not None and not any(isinstance(each, Axis) for each in walk(made)):
                found[by] = made
    return found


def _reads_columns(kernel: Kernel, block: Block, x: int) -> bool:
    """Whether neighbours along a row read different rows of something."""
    lets = lets_of(block)
    ranks = {t.name: len(t.dims) - (2 if has_channels(t.dims) else 1) for t in kernel.inputs}
    return any(
        _moves(index, lets, x)
        for node in expressions(block)
        if isinstance(node, Load)
        for index in node.indices[: ranks[node.tensor]]
    )


def _moves(index: Expr, lets: dict[str, Expr], x: int) -> bool:
    return any(
        (isinstance(each, Axis) and each.index == x)
        or (isinstance(each, Local) and each.name in lets and _moves(lets[each.name], lets, x))
        for each in walk(index)
    )
