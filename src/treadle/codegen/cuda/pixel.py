"""Map kernels over CUDA threads, a few pixels for each.

In: a Map kernel whose elements read other places than their own. Out: an entry in which a thread
computes all channels of one pixel, or of four neighbours where results are bytes, so that it
stores whole words, computes what channels share once, and loads runs of pixels in whole words.

Threads walk along rows; where a kernel reads columns (it turns an image), they fill squares, so
that what one thread leaves in the cache is there for the next. Coordinates are divided by numbers
that the host has prepared.
"""

from __future__ import annotations

import math

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Assign, Block, Map, Tensor
from treadle.ir.threads import Run, Strips

__all__ = ["factors", "pixel_form"]

_THREADS = 256  # of a block, at most: the host may choose fewer
_ACROSS = {1: 16, 4: 8}  # strips beside each other in a square of threads


class _Pixel:
    """How one kernel is laid out, and its text."""

    def __init__(self, c: CudaC, block: Block, strips: Strips) -> None:
        self.c, self.block, self.kernel = c, block, c.kernel
        self.space = c.kernel.space
        self.pixels, self.count = strips.pixels, strips.count
        self.runs, self.square = strips.runs, strips.square
        self.divisors = strips.divisors
        self.shared = strips.shared
        self.names = [f"c{k}" for k in range(len(self.space))]

    # What the host computes.

    def members(self) -> tuple[str, ...]:
        """The names of what the host prepares: counts, and each divisor's factor and shift."""
        pairs = [f"{part}{k}" for k in range(self.pixels.x) for part in ("factor", "shift")]
        return ("strips", "lines" if self.square else "total", *pairs)

    def measure(self, sizes: Sizes) -> Geometry:
        """Threads and divisors for given sizes."""
        x = self.pixels.x
        strips = ceil_div(elements(self.space[x : x + 1], sizes), self.count)
        before = [elements([dim], sizes) for dim in self.space[:x]]
        if self.square:
            across = _ACROSS[self.count]
            strips, before[-1] = ceil_div(strips, across), ceil_div(before[-1], _THREADS // across)
            call = Call("treadle_map", strips * math.prod(before), (_THREADS, 1))
            last = before[-1]
        else:
            last = strips * math.prod(before)
            call = Call("treadle_map", ceil_div(last, _THREADS), (_THREADS, 1), last)
        numbers = [strips, *reversed(before)][:x]
        return Geometry((call,), (strips, last, *factors(numbers)))

    # The text.

    def lines(self) -> list[str]:
        """The functions and the entry."""
        c = self.c
        plain = self.function("treadle_pixel", ())
        entry = [*self.place(), *self.base(), *self.prepared()]
        several = self.count > 1
        if not self.runs and not several:
            entry += self.together("treadle_pixel", ())
            return [*plain, *self.entry(entry)]
        row = c.size(self.space[self.pixels.x])
        near = [f"{self.x} + {self.count} <= {row}"] if several else []
        near += [text for run in self.runs for text in self.inside(run)]
        near += [f"((unsigned long long)a.{c.pointer(t)} & 15) == 0" for t in self.vectors()]
        loads = [self.load(k, run) for k, run in enumerate(self.runs)]
        body = [
            *loads,
            *self.together("treadle_inside" if self.runs else "treadle_pixel", self.runs),
        ]
        one_by_one = self.separately()
        if near:
            entry += [f"if ({' && '.join(near)}) {{", *indented(body), "} else {"]
            entry += [*indented(one_by_one), "}"]
        else:
            entry += body
        fast = self.function("treadle_inside", self.runs) if self.runs else []
        return [*(plain if near or not self.runs else []), *fast, *self.entry(entry)]

    @property
    def x(self) -> str:
        """The text of the first pixel's column."""
        return self.names[self.pixels.x]

    def vectors(self) -> list[Tensor]:
        """Tensors whose pixels are loaded as vectors."""
        found = {run.tensor.name: run.tensor for run in self.runs}
        return [tensor for tensor in found.values() if tensor.dtype.size > 1]

    def entry(self, lines: list[str]) -> list[str]:
        """An entry point around its lines."""
        return ["", HEAD.format(threads=_THREADS, entry="treadle_map"), *indented(lines), "}"]

    def place(self) -> list[str]:
        """Lines that say which pixels are this thread's."""
        c, x = self.c, self.pixels.x
        if self.square:
            lines = ["const idx number = (idx)blockIdx.x;"]
        else:
            lines = [
                "const idx number = (idx)blockIdx.x * blockDim.x + threadIdx.x;",
                "if (number >= a.total) return;",
            ]
        by = ["a.strips", *(c.size(self.space[k]) for k in range(x - 1, 0, -1))]
        if self.square and x > 1:
            by[1] = "a.lines"
        rest = "number"
        for k in range(x):
            wide = f"treadle_quotient({rest}, {by[k]})"
            up = wide if c.wide else f"treadle_split({rest}, a.factor{k}, a.shift{k})"
            lines += [f"const idx up{k} = {up};", f"const idx t{x - k} = {rest} - up{k} * {by[k]};"]
            rest = f"up{k}"
        lines.append(f"const idx t0 = {rest};")
        texts = [f"t{k}" for k in range(x + 1)]
        if self.square:
            across = _ACROSS[self.count]
            texts[x] = f"(t{x} * {across} + (idx)(threadIdx.x % {across}))"
            texts[x - 1] = f"t{x - 1} * {_THREADS // across} + (idx)(threadIdx.x / {across})"
        texts[x] += f" * {self.count}" if self.count > 1 else ""
        lines += [f"const idx c{k} = {text};" for k, text in enumerate(texts)]
        # So that dividing a coordinate by a constant is a shift, for what neighbours share too.
        lines += [f"__builtin_assume(c{k} >= 0);" for k in range(x + 1)]
        if self.square:
            row, column = (c.size(self.space[k]) for k in (x - 1, x))
            lines.append(f"if (c{x} >= {column} || c{x - 1} >= {row}) return;")
        return lines

    def base(self) -> list[str]:
        """The flat place of the first result."""
        text = ""
        for name, dim in zip(self.names[: self.pixels.x + 1], self.space, strict=False):
            text = f"({text} * {self.c.size(dim)} + {name})" if text else name
        if self.pixels.channels > 1:
            text = f"{text} * {self.pixels.channels}"
        return [f"const idx base = {text};"]

    def prepared(self) -> list[str]:
        """What all elements divide by, made ready."""
        scope = self.c.scope({})
        return [
            f"const treadle_Divisor by{k} = treadle_divisor({self.c.expr(value, scope)});"
            for k, value in enumerate(self.divisors.values())
        ]

    def function(self, name: str, runs: tuple[Run, ...]) -> list[str]:
        """A function that computes a pixel: what its channels share, then each of them. Which of a
        thread's pixels it is, is a constant once inlined."""
        c, channels, axis = self.c, self.pixels.channels, self.pixels.channel
        for k, run in enumerate(runs):
            for load, (constant, channel) in run.places.items():
                c.resident[load] = self.held(k, run, constant, channel)
        scope = c.scope()
        names = [f"by{k}" for k in range(len(self.divisors))]
        c.divisors = dict(zip(self.divisors, names, strict=True))
        shared = [s for s in self.block.body if isinstance(s, Assign) and s.name in self.shared]
        first = [*c.declarations(shared, scope), *c.body(shared, scope)]
        own = [stmt for stmt in self.block.body if stmt not in shared]
        body = [*c.declarations(own, scope), *c.body(own, scope)]
        results = [c.expr(result, scope) for result in self.block.results]
        c.resident, c.divisors = {}, {}
        stores = [
            f"y_{c.pointer(t)}[k] = {c.convert(text, expr.dtype, t.dtype)};"
            for t, text, expr in zip(self.kernel.outputs, results, self.block.results, strict=True)
        ]
        each = [*body, *stores]
        if axis is None:
            each = ["const int k = 0;", *each]
        else:
            head = f"for (int k = 0; k < {channels}; ++k) {{"
            number = f"const idx {self.names[axis]} = k;"
            each = ["#pragma unroll", head, *indented([number, *each]), "}"]
        takes = [f"const idx {each}" for k, each in enumerate(self.names) if k != axis]
        takes += [f"const treadle_Divisor& {each}" for each in names]
        takes += [f"const {self.register(run)}& s{k}" for k, run in enumerate(runs)]
        gives = [f"{STORED_TYPES[t.dtype]}* const y_{c.pointer(t)}" for t in self.kernel.outputs]
        head = ", ".join(["const Args& a", "const int j", *takes, *gives])
        return [
            f"static __device__ __forceinline__ void {name}(\n    {head}) {{",
            *indented([*first, *each]),
            "}",
        ]

    def register(self, run: Run) -> str:
        """The type that holds a run."""
        count = run.pixels(self.count)
        if run.tensor.dtype.size == 1:
            return f"treadle_Bytes<{count * run.channels}>"
        return f"treadle_Vectors<{STORED_TYPES[run.tensor.dtype]}, {run.channels}, {count}>"

    def held(self, k: int, run: Run, constant: int, channel: int | None) -> str:
        """A value out of a run."""
        step = f"{self.count - 1} - j" if run.back else "j"
        pixel = f"({step} + {constant - run.low})"
        part = f"c{self.pixels.channel}" if channel is None else str(channel)
        if channel is None and self.pixels.channels > run.channels:
            part = f"min({part}, {run.channels - 1})"  # the clamp of an index
        return f"treadle_held(s{k}, {pixel} * {run.channels} + {part})"

    def start(self, run: Run, wide: str = "") -> str:
        """The column where a run begins, perhaps in a wider type."""
        c, scope = self.c, self.c.scope()
        rest = f"{wide}{c.index(run.rest, scope)}" if run.rest is not None else "0"
        if run.back:
            return f"({rest} - {self.x} + {run.low - self.count + 1})"
        return f"({rest} + {self.x} + {run.low})"

    def inside(self, run: Run) -> list[str]:
        """What must hold so that a run needs no clamp."""
        if run.inside:
            return []
        start = self.start(run, wide="(long long)")  # a parameter may be anything
        axis = len(run.outer)
        width = self.c.size(run.tensor.dims[axis])
        return [f"{start} >= 0", f"{start} + {run.pixels(self.count)} <= {width}"]

    def load(self, k: int, run: Run) -> str:
        """Load a run."""
        c, scope = self.c, self.c.scope()
        text = ""
        for (index, proved), dim in zip(run.outer, run.tensor.dims, strict=False):
            one = c.index(index, scope)
            if dim == 1:
                one = "0"
            elif not proved:
                one = c.clamped(one, dim)
            text = f"({text} * {c.size(dim)} + {one})" if text else one
        width = c.size(run.tensor.dims[len(run.outer)])
        pixel = f"({text} * {width} + {self.start(run)})" if text else self.start(run)
        at = f"{pixel} * {run.channels}" if run.channels > 1 else pixel
        return f"const {self.register(run)} s{k}(a.{c.pointer(run.tensor)} + {at});"

    def call(self, name: str, runs: object, pixel: str, target: str) -> str:
        """Compute a pixel; `target` has a place for the output's name."""
        c, pixels = self.c, self.pixels
        at = list(self.names)
        at[pixels.x] = f"{self.x} + {pixel}" if self.count > 1 else self.x
        if pixels.channel is not None:
            del at[pixels.channel]
        held = [f"by{k}" for k in range(len(self.divisors))]
        held += [f"s{k}" for k in range(len(self.runs))] if runs else []
        outs = [target.replace("%", c.pointer(t)) for t in self.kernel.outputs]
        return f"{name}({', '.join(['a', pixel, *at, *held, *outs])});"

    def together(self, name: str, runs: object) -> list[str]:
        """Compute all of a thread's elements and store them as words."""
        c, channels = self.c, self.pixels.channels
        number = self.count * channels
        lines = [
            f"treadle_Out<{STORED_TYPES[t.dtype]}, {number}> w_{c.pointer(t)};"
            for t in self.kernel.outputs
        ]
        call = self.call(name, runs, "j", f"w_%.v + j * {channels}")
        lines += ["#pragma unroll", f"for (int j = 0; j < {self.count}; ++j) {call}"]
        lines += [f"w_{c.pointer(t)}.store(a.{c.pointer(t)} + base);" for t in self.kernel.outputs]
        return lines

    def separately(self) -> list[str]:
        """Compute what there is of a thread's pixels and store them one by one."""
        c, channels = self.c, self.pixels.channels
        row = c.size(self.space[self.pixels.x])
        outputs = [(c.pointer(t), STORED_TYPES[t.dtype]) for t in self.kernel.outputs]
        return [
            "#pragma unroll 1",
            f"for (int j = 0; j < {self.count} && {self.x} + j < {row}; ++j) {{",
            *(f"    {kind} one_{name}[{channels}];" for name, kind in outputs),
            f"    {self.call('treadle_pixel', (), 'j', 'one_%')}",
            "    #pragma unroll",
            f"    for (int k = 0; k < {channels}; ++k) {{",
            *(
                f"        a.{name}[base + j * {channels} + k] = one_{name}[k];"
                for name, _ in outputs
            ),
            "    }",
            "}",
        ]


def pixel_form(c: CudaC, strips: Strips) -> FormText:
    """Render a Map kernel that reads anywhere."""
    form = c.kernel.form
    assert isinstance(form, Map)
    pixel = _Pixel(c, form.block, strips)
    return FormText("\n".join(pixel.lines()), ("treadle_map",), pixel.members(), pixel.measure)


def factors(numbers: list[int]) -> list[int]:
    """Factor and shift of each divisor, for treadle_split: exact for dividends below 2**31."""
    found = []
    for number in numbers:
        shift = (number - 1).bit_length()
        factor = (((1 << shift) - number) << 32) // number + 1
        found += [factor - (1 << 32) if factor >= 1 << 31 else factor, shift]
    return found
