"""Scan kernels over CUDA threads.

In: a Scan kernel. Out: an entry in which a thread walks one line, carrying the state in registers,
and those for tiles of few long lines, which are pieces'.
"""

from __future__ import annotations

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.pieces import BlockScan
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.scan import ScanText
from treadle.ir.schedule import Threads
from treadle.ir.threads import Summed

__all__ = ["scan_form"]

_THREADS = 64  # lines are few and long: small blocks spread them over more multiprocessors


def scan_form(c: CudaC, threads: Threads | None) -> FormText:
    """Render a Scan kernel."""
    assert isinstance(threads, Summed)
    scan, space = ScanText(c), c.kernel.space
    pieces = None if threads.pieces is None else BlockScan(c, threads.pieces, threads.own)
    along = scan.form.axis
    axis = c.coordinate.format(along)
    lines = [
        f"const idx line = (idx)blockIdx.x * {_THREADS} + threadIdx.x;",
        "if (line >= a.lines) return;",
        *c.coordinates("line", scan.others),
        f"const idx stride = {c.product(space[along + 1 :])};",
        "const idx above = treadle_quotient(line, stride);",
        "idx at = above * a.length * stride + (line - above * stride);",
        *scan.declared(),
        f"for (idx {axis} = 0; {axis} < a.length; ++{axis}, at += stride) {{",
        *indented(scan.step("at")),
        "}",
    ]

    def measure(sizes: Sizes) -> Geometry:
        cut = None if pieces is None else pieces.measure(sizes)
        if cut is not None:
            return cut
        count = elements([space[k] for k in scan.others], sizes)
        call = Call("treadle_scan", ceil_div(count, _THREADS), (_THREADS, 1))
        return Geometry((call,), (count, elements([space[along]], sizes), 0))

    text = "\n".join([HEAD.format(threads=_THREADS, entry="treadle_scan"), *indented(lines), "}"])
    members = ("lines", "length", "tiles")
    if pieces is None:
        return FormText(text, ("treadle_scan",), members, measure)
    # Every entry is compiled when it is needed: of most kernels lines are either short or long.
    apart = {"treadle_scan": text, **pieces.apart()}
    return FormText(pieces.text(), tuple(apart), members, measure, apart)
