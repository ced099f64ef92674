"""Bounds from bytes on CUDA: products of u8 and s8 on tensor cores, compared where they are made.

In: kernels that name the routines "byte_best" and "byte_near": rows in blocks of 16, as words of
four bytes, and queries as words. Out: entries for 1 to 16 tiles of eight queries, one of which will
do. A warp has a group of 32 rows and reads two blocks of it 256 bytes at a time; a word is a
register of the product, so that nothing is moved before it is multiplied. What is compared never
leaves registers: only a bound, or a word of bits, is written for a group and a query. On Hopper,
four warps multiply together with queries that they read from shared memory at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from treadle.backends.cuda.bytes_text import BEST, BITS, LEAST, NEAR, PIECES, SCAN, WIDE
from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel

__all__ = ["MULTIPLIES_BYTES", "routine_for"]

MULTIPLIES_BYTES = 80  # compute capability of products of 16 x 8 x 32 bytes
_HOPPER = 90  # the only one with products that four warps make together, of 64 x 128 x 32

# Tiles of eight queries that a warp multiplies with: threads of a block, and blocks that share a
# multiprocessor. Queries of a single tile are read where they are; others are held by a block.
_TILES = {1: (128, 4), 2: (128, 4), 4: (128, 4), 8: (256, 2), 12: (256, 1), 16: (256, 1)}
_ALL = 16  # tiles that four warps together multiply with
_DEPTH = 4  # steps of 32 dimensions that a warp has in flight
_ROOM = 99 << 10  # bytes that a block shares on every GPU that multiplies bytes
_HOPPERS = 227 << 10
_FACTS = 20  # bytes of a query beside its words
_BUSY = 3000  # warps that keep a large GPU busy
_MUCH = 1 << 21  # bounds of groups
_CLEARED = 1024  # words that a block clears
_MORE, _LESS = 1.0 + 2.0**-20, 1.0 - 2.0**-20  # of squares, as the kernels have it


def routine_for(kernel: Kernel, capability: int) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a kernel that bounds distances from bytes; None for others."""
    if kernel.routine not in ("byte_best", "byte_near") or capability < MULTIPLIES_BYTES:
        return None
    return partial(_scan, hopper=capability == _HOPPER)


def _scan(c: CudaC, *, hopper: bool) -> FormText:
    """Spell a scan of bytes."""
    kernel = c.kernel
    near = kernel.routine == "byte_near"
    codes, numbers, alive, queries, facts, *tau = kernel.inputs
    out = kernel.outputs[0]
    params = {param.name: c.parameter(param) for param in kernel.params}
    words = {
        "COUNT": c.size(out.dims[0]),
        "GROUPS": c.size(out.dims[1]),
        "ASKED": c.size(queries.dims[0]),
        "WORDS": c.size(queries.dims[1]),
        "LIVE": c.size(alive.dims[0]),
        "DEPTH": str(_DEPTH),
        "FIRST": params.get("first", "0"),
        "STEP": params.get("step", "1"),
        "MORE": c.constant(_MORE, DType.F32),
        "LESS": c.constant(_LESS, DType.F32),
        "OUT": c.pointer(out),
    }
    pointed = {"CODES": codes, "NUMBERS": numbers, "ALIVE": alive, "QUERIES": queries}
    pointed |= {"FACTS": facts} | ({"TAU": tau[0]} if near else {})
    words |= {word: c.pointer(tensor) for word, tensor in pointed.items()}
    words |= NEAR if near else BEST
    parts = [PIECES, BITS if near else LEAST, *([WIDE] if hopper else []), filled(SCAN, words)]
    name = "treadle_near" if near else "treadle_best"
    apart = {f"{name}_{tiles}": _entry(f"{name}_{tiles}", tiles) for tiles in _TILES}
    if hopper:
        apart[f"{name}_all"] = _entry(f"{name}_all", _ALL, wide=True)
    members: tuple[str, ...] = ("chunks",)
    if near:
        apart["treadle_clear"] = _clear(c.pointer(out))
        members = ("chunks", "entries")

    def measure(sizes: Sizes) -> Geometry:
        count, groups = (elements((dim,), sizes) for dim in out.dims)
        each = 32 * elements(queries.dims[1:], sizes)
        # Four warps together are long to compile, which a small sample does not make up for.
        together = hopper and (near or count * groups >= _MUCH)
        tiles, wide = _choose(count, groups, each, hopper=together)
        threads, _ = _TILES[tiles]
        chunks = ceil_div(count, 8 * tiles)
        shared = tiles * (8 * _FACTS + (each if tiles > 1 else 0))
        grid = ceil_div(groups, threads // 32) * chunks
        entry = f"{name}_all" if wide else f"{name}_{tiles}"
        calls = [Call(entry, grid, (threads, 1), shared=shared)]
        if near and tiles > 1:
            clear = ceil_div(count * groups, _CLEARED)
            calls.insert(0, Call("treadle_clear", clear, (_CLEARED // 4, 1)))
        return Geometry(tuple(calls), (chunks, count * groups)[: len(members)])

    return FormText("\n".join(parts), tuple(apart), members, measure, apart)


def _choose(count: int, groups: int, each: int, *, hopper: bool) -> tuple[int, bool]:
    """How many tiles a warp has, `each` bytes every one, and whether four warps share all of them.

    They are few enough that a block holds them and that there is work for every warp; then as few
    as read the rows as rarely."""
    needed = ceil_div(count, 8)

    def fit(tiles: int, room: int) -> bool:
        held = tiles == 1 or tiles * (each + 8 * _FACTS) <= room
        return held and groups * ceil_div(needed, tiles) >= _BUSY

    whole = each % (256 * _DEPTH) == 0  # so many words that no step is left over
    if hopper and whole and needed > _ALL // 2 and fit(_ALL, _HOPPERS):
        return _ALL, True
    two = 2 if 2 * (each + 8 * _FACTS) <= _ROOM else 1
    most = max((n for n in _TILES if fit(n, _ROOM)), default=two)
    return next(n for n in _TILES if ceil_div(needed, n) <= ceil_div(needed, most)), False


def _entry(name: str, tiles: int, *, wide: bool = False) -> str:
    """The entry that has so many tiles."""
    threads, blocks = _TILES[tiles]
    head = HEAD.format(threads=f"{threads}, {blocks}", entry=name)
    return f"{head}\n    treadle_scan<{tiles}, {str(wide).lower()}>(a);\n}}"


def _clear(pointer: str) -> str:
    """The entry that makes every word 0."""
    lines = [
        f"const idx start = (idx)blockIdx.x * {_CLEARED} + threadIdx.x;",
        "#pragma unroll",
        "for (int k = 0; k < 4; ++k)",
        f"    if (start + k * {_CLEARED // 4} < a.entries)",
        f"        a.{pointer}[start + k * {_CLEARED // 4}] = 0u;",
    ]
    head = HEAD.format(threads=_CLEARED // 4, entry="treadle_clear")
    return "\n".join([head, *indented(lines), "}"])
