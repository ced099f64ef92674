"""Map kernels over CUDA threads.

In: a Map kernel and what a thread does about it. Out: where every read is at the element's own
place, an entry in which a thread computes several neighbours with loads and stores of up to 16
bytes; else what pixel makes.
"""

from __future__ import annotations

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.pixel import pixel_form
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Map, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.threads import Neighbours, Strips

__all__ = ["map_form"]

_THREADS = 256  # of a block, at most: the host may choose fewer


def map_form(c: CudaC, threads: Threads | None) -> FormText:
    """Render a Map kernel."""
    if isinstance(threads, Strips):
        return pixel_form(c, threads)
    assert isinstance(threads, Neighbours)
    kernel, lines, share = c.kernel, _packed(c, threads), threads.width

    def measure(sizes: Sizes) -> Geometry:
        total = elements(kernel.space, sizes)
        threads = ceil_div(total, share)
        calls = (Call("treadle_map", ceil_div(threads, _THREADS), (_THREADS, 1), threads),)
        return Geometry(calls, (total,))

    return FormText("\n".join(lines), ("treadle_map",), ("total",), measure)


def _packed(c: CudaC, threads: Neighbours) -> list[str]:
    kernel = c.kernel
    assert isinstance(kernel.form, Map)
    block = kernel.form.block
    inputs = [t for t in kernel.inputs if t.name in threads.own]
    for tensor in inputs:
        for load in threads.own[tensor.name]:
            c.resident[load] = f"x_{c.pointer(tensor)}"
    # Of several axes no coordinate is used but in reads, which are resident: any text does.
    scope = c.scope(dict.fromkeys(range(len(kernel.space)), "flat"))
    body, results = c.block(block, scope)
    takes = [f"const {c.register(t.dtype)} x_{c.pointer(t)}" for t in inputs]
    gives = [f"{STORED_TYPES[t.dtype]}& y_{c.pointer(t)}" for t in kernel.outputs]
    stores = [
        f"y_{c.pointer(t)} = {c.convert(text, expr.dtype, t.dtype)};"
        for t, text, expr in zip(kernel.outputs, results, block.results, strict=True)
    ]
    head = ", ".join(["const Args& a", "const idx flat", *takes, *gives])
    element = [
        f"static __device__ __forceinline__ void treadle_element(\n    {head}) {{",
        *indented([*body, *stores]),
        "}",
    ]
    width = threads.width
    tensors = (*inputs, *kernel.outputs)
    together = " | ".join(f"(unsigned long long)a.{c.pointer(t)}" for t in tensors)
    loads = [
        f"const {_pack(t, width)} v_{c.pointer(t)} = "
        f"*(const {_pack(t, width)}*)(a.{c.pointer(t)} + base);"
        for t in inputs
    ]
    outs = [f"{_pack(t, width)} w_{c.pointer(t)};" for t in kernel.outputs]
    each = ", ".join(
        [
            "a",
            "base + j",
            *(c.passed(f"v_{c.pointer(t)}.v[j]", t.dtype) for t in inputs),
            *(f"w_{c.pointer(t)}.v[j]" for t in kernel.outputs),
        ]
    )
    single = ", ".join(
        [
            "a",
            "i",
            *(c.passed(f"a.{c.pointer(t)}[i]", t.dtype) for t in inputs),
            *(f"a.{c.pointer(t)}[i]" for t in kernel.outputs),
        ]
    )
    ends = [
        f"*({_pack(t, width)}*)(a.{c.pointer(t)} + base) = w_{c.pointer(t)};"
        for t in kernel.outputs
    ]
    lines = [
        f"const idx base = ((idx)blockIdx.x * blockDim.x + threadIdx.x) * {width};",
        f"if (base + {width} <= a.total && (({together}) & 15) == 0) {{",
        *indented(loads),
        *indented(outs),
        "    #pragma unroll",
        f"    for (int j = 0; j < {width}; ++j) treadle_element({each});",
        *indented(ends),
        "} else {",
        f"    for (idx i = base; i < base + {width} && i < a.total; ++i)",
        f"        treadle_element({single});",
        "}",
    ]
    return [*element, "", HEAD.format(threads=_THREADS, entry="treadle_map"), *indented(lines), "}"]


def _pack(tensor: Tensor, width: int) -> str:
    return f"Pack<{STORED_TYPES[tensor.dtype]}, {width}>"
