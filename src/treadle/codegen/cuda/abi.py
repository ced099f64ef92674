"""What host and device agree on: the argument block, the launches, and what sizes make of them.

In: a kernel and what its form adds. Out: the C struct that every entry takes by value, the format
that packs it, and the geometry of a launch for given sizes. Members of eight bytes come first, so
that nothing is padded. It knows no driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from treadle.codegen.cuda.words import STORED_TYPES, CudaC, clean
from treadle.codegen.gpu.counts import elements
from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Schedule

__all__ = [
    "HEAD",
    "Call",
    "FormText",
    "Geometry",
    "Layout",
    "Sizes",
    "arguments",
    "layout_of",
]

Sizes = Mapping[str, int]

HEAD = 'extern "C" __global__ void __launch_bounds__({threads}) {entry}(\n    {args}) {{'
HEAD = HEAD.replace("{args}", "const __grid_constant__ Args a")

# Beyond this many elements an index of 32 bits, rounded up to whole blocks, could overflow.
_NARROW = (1 << 31) - (1 << 20)

_CODES = {DType.F32: "f", DType.F64: "d", DType.S32: "i", DType.S64: "q", DType.U32: "I"}


@dataclass(frozen=True, slots=True)
class Call:
    """One kernel launch: entry point, blocks, threads of a block.

    With `threads`, any division of so many threads into blocks no larger than `block` will do.
    With `shared`, blocks share so many bytes beyond those that the text declares, and any number of
    blocks up to `grid` will do: they walk over their work."""

    entry: str
    grid: int
    block: tuple[int, int]
    threads: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Geometry:
    """How one launch is split for given sizes: calls in order, values of the form's own members of
    the argument block, and bytes of scratch."""

    calls: tuple[Call, ...]
    values: tuple[int, ...] = ()
    scratch: int = 0


@dataclass(frozen=True, slots=True)
class FormText:
    """A form's text, entry points, own members of the argument block, and measure.

    Entries that `apart` holds are not in `text`; each is compiled, behind it, when it is needed."""

    text: str
    entries: tuple[str, ...]
    members: tuple[str, ...]
    measure: Callable[[Sizes], Geometry]
    apart: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """What the host needs to launch a text.

    `format` is a struct format: pointers (outputs, inputs, scratch), parameters of eight bytes,
    numbers (sizes, then the form's members), parameters of four bytes."""

    schedule: Schedule
    entries: tuple[str, ...]
    format: str
    long_params: tuple[int, ...]
    short_params: tuple[int, ...]
    measure: Callable[[Sizes], Geometry]
    wide: bool
    shared: str  # what all entries need
    apart: Mapping[str, str]  # entries that are compiled when they are needed

    @property
    def kernel(self) -> Kernel:
        """The kernel that was spelt."""
        return self.schedule.kernel

    def needs_wide(self, sizes: Sizes) -> bool:
        """Whether indices of 32 bits are too narrow for these sizes."""
        kernel = self.kernel
        spaces = (kernel.space, *(t.dims for t in (*kernel.inputs, *kernel.outputs)))
        return any(elements(dims, sizes) > _NARROW for dims in spaces)


def _split(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    long = tuple(i for i, p in enumerate(kernel.params) if p.dtype.size == 8)
    return long, tuple(i for i in range(len(kernel.params)) if i not in long)


def arguments(c: CudaC, members: Sequence[str]) -> str:
    """The struct that entries take."""
    kernel = c.kernel
    long, short = _split(kernel)
    lines = [f"{STORED_TYPES[t.dtype]}* {c.pointer(t)};" for t in kernel.outputs]
    lines += [f"const {STORED_TYPES[t.dtype]}* {c.pointer(t)};" for t in kernel.inputs]
    lines.append("unsigned char* scratch;")

    def member(i: int) -> str:
        param = kernel.params[i]
        return f"{c.types[param.dtype]} p_{clean(param.name)};"

    lines += [member(i) for i in long]
    lines += [f"idx {name};" for name in (*map(clean, kernel.symbols), *members)]
    lines += [member(i) for i in short]
    return "\n".join(["struct Args {", *(f"    {line}" for line in lines), "};"])


def layout_of(schedule: Schedule, form: FormText, shared: str, *, wide: bool) -> Layout:
    """The layout of a rendered form."""
    kernel = schedule.kernel
    long, short = _split(kernel)
    pointers = len(kernel.outputs) + len(kernel.inputs) + 1
    numbers = len(kernel.symbols) + len(form.members)
    code = "".join(
        [
            "Q" * pointers,
            *(_CODES[kernel.params[i].dtype] for i in long),
            ("q" if wide else "i") * numbers,
            *(_CODES[kernel.params[i].dtype] for i in short),
        ]
    )
    return Layout(
        schedule, form.entries, f"={code}", long, short, form.measure, wide, shared, form.apart
    )
