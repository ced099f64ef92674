"""Map kernels over CUDA threads.

In: a Map kernel. Out: where every read is at the element's own place, an entry in which a thread
computes several neighbours with loads and stores of up to 16 bytes; else what pixel makes,
or count for histograms.
"""

from __future__ import annotations

from treadle.codegen.cuda.abi import HEAD, Call, Form, Geometry, Sizes, ceil_div, elements
from treadle.codegen.cuda.count import count_form, countable
from treadle.codegen.cuda.pixel import pixel_form
from treadle.codegen.cuda.words import STORED_TYPES, CudaC, Names
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType
from treadle.ir.affine import reads_own_place
from treadle.ir.nodes import (
    Axis,
    Block,
    Const,
    Expr,
    Kernel,
    Load,
    Map,
    Tensor,
    children,
    expressions,
    statements,
)

__all__ = ["Flat", "map_form"]

_THREADS = 256  # of a block, at most: the host may choose fewer


class Flat:
    """Which reads of a block are at the element's own place, and whether all are.

    `whole` says that elements can be told apart by their flat position alone."""

    def __init__(self, kernel: Kernel, block: Block) -> None:
        self.own: dict[str, list[Load]] = {}  # input: its reads at this element
        self.single: list[Load] = []  # reads of inputs that have one element
        tensors = {t.name: t for t in kernel.inputs}
        self.whole = True
        for node in expressions(block):
            if isinstance(node, Load):
                tensor = tensors[node.tensor]
                whole = tensor.dims == kernel.space
                if whole and reads_own_place(node, tensor.dims, kernel.space):
                    self.own.setdefault(tensor.name, []).append(node)
                elif all(dim == 1 for dim in tensor.dims):
                    self.single.append(node)
                else:
                    self.whole = False
        if len(kernel.space) != 1 and _bare_axes(block):
            self.whole = False

    def vector(self, kernel: Kernel) -> int:
        """How many neighbours one thread takes, so that an access has up to 16 bytes."""
        sizes = [t.dtype.size for t in kernel.inputs if t.name in self.own]
        largest = max([*sizes, *(t.dtype.size for t in kernel.outputs)])
        return 16 if largest == 1 else 4


def _bare_axes(block: Block) -> bool:
    """Whether coordinates are used for anything but reading."""

    def bare(node: Expr) -> bool:
        if isinstance(node, Axis):
            return True
        inner = [i for i in children(node) if not isinstance(i, Axis | Const)]
        return any(map(bare, inner if isinstance(node, Load) else children(node)))

    heads = [child for stmt in statements(block.body) for child in children(stmt)]
    return any(map(bare, (*heads, *block.results)))


def map_form(c: CudaC) -> Form:
    """Render a Map kernel."""
    kernel = c.kernel
    assert isinstance(kernel.form, Map)
    if countable(kernel):
        return count_form(c)
    flat = Flat(kernel, kernel.form.block)
    if not flat.whole:
        return pixel_form(c)
    lines, share = _packed(c, flat), flat.vector(kernel)

    def measure(sizes: Sizes) -> Geometry:
        total = elements(kernel.space, sizes)
        threads = ceil_div(total, share)
        calls = (Call("treadle_map", ceil_div(threads, _THREADS), (_THREADS, 1), threads),)
        return Geometry(calls, (total,))

    return Form("\n".join(lines), ("treadle_map",), ("total",), measure)


def _packed(c: CudaC, flat: Flat) -> list[str]:
    kernel = c.kernel
    assert isinstance(kernel.form, Map)
    block = kernel.form.block
    inputs = [t for t in kernel.inputs if t.name in flat.own]
    for tensor in inputs:
        for load in flat.own[tensor.name]:
            c.resident[load] = f"x_{c.pointer(tensor)}"
    # Of several axes no coordinate is used but in reads, which are resident: any text does.
    scope = Names(dict.fromkeys(range(len(kernel.space)), "flat"))
    body, results = c.block(block, scope)
    takes = [f"const {_register(t)} x_{c.pointer(t)}" for t in inputs]
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
    width = flat.vector(kernel)
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
            *(f"v_{c.pointer(t)}.v[j]" for t in inputs),
            *(f"w_{c.pointer(t)}.v[j]" for t in kernel.outputs),
        ]
    )
    single = ", ".join(
        [
            "a",
            "i",
            *(f"a.{c.pointer(t)}[i]" for t in inputs),
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


def _register(tensor: Tensor) -> str:
    return "int" if tensor.dtype is DType.U8 else STORED_TYPES[tensor.dtype]


def _pack(tensor: Tensor, width: int) -> str:
    return f"Pack<{STORED_TYPES[tensor.dtype]}, {width}>"
