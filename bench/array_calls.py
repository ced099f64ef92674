"""Calls of the array API standard, made by chance: what programs of array_programs.py consist of.

In: the namespace that knows what is allowed, and arrays that both sides hold. Out: calls, each with
what runs it in a namespace. What the standard leaves open is not asked for: integers that overflow,
floats beyond integers' ranges, elements out of range.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Call", "Calls"]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
FLOATS = ("float32", "float64")
UNSIGNED = ("uint8", "uint16", "uint32")
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1e-3, 3.0)

FLOAT_UNARY = """acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal
    signbit sin sinh sqrt tan tanh""".split()
NUMBER_UNARY = "abs isfinite isinf isnan negative positive round sign square".split()
REAL_UNARY = "ceil floor trunc".split()
FLOAT_BINARY = "atan2 copysign divide hypot logaddexp".split()
REAL_BINARY = """floor_divide greater greater_equal less less_equal maximum minimum
    remainder""".split()
NUMBER_BINARY = "add multiply subtract pow equal not_equal".split()
BITS = "bitwise_and bitwise_or bitwise_xor".split()
SHIFTS = "bitwise_left_shift bitwise_right_shift".split()
OPERATORS = {
    "add": "__add__", "multiply": "__mul__", "subtract": "__sub__", "divide": "__truediv__",
    "floor_divide": "__floordiv__", "remainder": "__mod__", "pow": "__pow__", "less": "__lt__",
    "less_equal": "__le__", "greater": "__gt__", "greater_equal": "__ge__", "equal": "__eq__",
    "not_equal": "__ne__", "bitwise_and": "__and__", "bitwise_or": "__or__",
    "bitwise_xor": "__xor__", "bitwise_left_shift": "__lshift__",
    "bitwise_right_shift": "__rshift__", "negative": "__neg__", "positive": "__pos__",
    "abs": "__abs__", "matmul": "__matmul__",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One call: its name for people, and what makes it of a namespace and its arrays."""

    name: str
    run: Callable[[Any, list[Any]], Any]
    said: str = ""


class Calls:
    """Arrays that both sides hold, and calls of them: what strict holds decides what fits."""

    def __init__(self, strict: Any, tested: Any, seed: int, device: Any = None) -> None:
        self.random = random.Random(seed)
        self.strict, self.tested, self.device = strict, tested, device
        self.ours: list[Any] = []
        self.theirs: list[Any] = []
        self.dtypes = [name for name in ("bool", *INTEGERS, *FLOATS) if hasattr(tested, name)]

    # Arrays to begin with.

    def values(self, shape: tuple[int, ...], dtype: str) -> Any:
        draw = self.random
        count = int(np.prod(shape))
        if dtype == "bool":
            found: list[Any] = [draw.random() < 0.5 for _ in range(count)]
        elif dtype in FLOATS:
            found = [
                draw.choice(SPECIAL) if draw.random() < 0.2 else draw.uniform(-4, 4)
                for _ in range(count)
            ]
        else:
            low = 0 if dtype in UNSIGNED else -6
            found = [draw.randint(low, 6) for _ in range(count)]
        return np.array(found, dtype).reshape(shape)

    def shape(self) -> tuple[int, ...]:
        sizes = [self.random.choice((0, 1, 1, 2, 3, 4)) if self.random.random() < 0.6 else 3
                 for _ in range(self.random.choice((0, 1, 1, 2, 2, 3)))]  # fmt: skip
        return tuple(sizes)

    def beside(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts with another."""
        kept = shape[self.random.randint(0, len(shape)) :]
        return tuple(1 if self.random.random() < 0.2 else n for n in kept)

    def put(self, array: Any) -> int:
        """The same array on both sides; its number."""
        self.theirs.append(self.strict.asarray(array, copy=True))
        self.ours.append(self.tested.asarray(array, device=self.device, copy=True))
        return len(self.theirs) - 1

    def kind(self, number: int) -> str:
        return str(self.theirs[number].dtype).rpartition(".")[2]

    def pick(self, kinds: tuple[str, ...] | None = None, ndim: int = 0) -> int:
        """An array of some kinds with so many axes at least, from those there are or a new one."""
        fits = [
            n for n, each in enumerate(self.theirs)
            if (kinds is None or self.kind(n) in kinds) and each.ndim >= ndim
        ]  # fmt: skip
        if fits and self.random.random() < 0.75:
            return self.random.choice(fits[-3:])
        known = [name for name in self.dtypes if kinds is None or name in kinds]
        shape = self.shape()
        while len(shape) < ndim:
            shape = (self.random.randint(1, 3), *shape)
        return self.put(self.values(shape, self.random.choice(known)))

    # Calls.

    def call(self) -> Call:
        makers = (
            self.unary, self.unary, self.binary, self.binary, self.binary, self.folded,
            self.folded, self.shaped, self.shaped, self.part, self.part, self.chosen, self.made,
            self.products,
        )  # fmt: skip
        return self.random.choice(makers)()

    def unary(self) -> Call:
        draw = self.random
        group = draw.choice(("float", "float", "number", "real", "bool"))
        if group == "bool":
            name = draw.choice(("logical_not", "bitwise_invert"))
            at = self.pick(("bool",))
        else:
            name = draw.choice(
                {"float": FLOAT_UNARY, "number": NUMBER_UNARY, "real": REAL_UNARY}[group]
            )
            kinds = FLOATS if group == "float" else (*INTEGERS, *FLOATS)
            at = self.pick(tuple(k for k in kinds if name != "negative" or k not in UNSIGNED))
        return Call(name, lambda xp, a: getattr(xp, name)(a[at]), self.told(at))

    def binary(self) -> Call:
        draw = self.random
        name = draw.choice((*FLOAT_BINARY, *REAL_BINARY, *REAL_BINARY, *NUMBER_BINARY,
                            *NUMBER_BINARY, *BITS, *SHIFTS, "logical_and", "logical_or",
                            "logical_xor"))  # fmt: skip
        if name.startswith("logical"):
            kinds: tuple[str, ...] = ("bool",)
        elif name in FLOAT_BINARY:
            kinds = FLOATS
        elif name in BITS:
            kinds = draw.choice((("bool",), INTEGERS))
        else:
            kinds = INTEGERS if name in SHIFTS or draw.random() < 0.5 else FLOATS
        if name in ("subtract",):
            kinds = tuple(k for k in kinds if k not in UNSIGNED)
        left = self.pick(kinds)
        whole = kinds[0] in INTEGERS
        how = draw.random()
        if name in (*SHIFTS, "pow") and whole:  # what fits: small powers of small numbers
            left = self.small(left)
            right: Any = self.put(self.values(self.beside(self.theirs[left].shape), "uint8") % 3)
            if self.kind(left) not in UNSIGNED:
                right = self.put(np.asarray(self.theirs[right]).astype(self.kind(left)))
        elif how < 0.25 and kinds[0] != "bool":
            right = draw.randint(0, 4) if whole or draw.random() < 0.5 else draw.uniform(-2, 2)
            return self.with_number(name, left, right)
        elif how < 0.7:
            fits = tuple(k for k in kinds if k in self.dtypes)
            right = self.put(self.values(self.beside(self.theirs[left].shape), draw.choice(fits)))
        else:
            right = self.pick(kinds)
        dunder = OPERATORS.get(name)
        if dunder and draw.random() < 0.4:
            return Call(
                name, lambda xp, a: getattr(a[left], dunder)(a[right]), self.told(left, right)
            )
        return Call(
            name, lambda xp, a: getattr(xp, name)(a[left], a[right]), self.told(left, right)
        )

    def small(self, at: int) -> int:
        """An array like another, of numbers from 0 to 2."""
        return self.put(self.values(self.theirs[at].shape, self.kind(at)) % 3)

    def with_number(self, name: str, at: int, number: float) -> Call:
        said = f"{self.told(at)}, {number}"
        if self.random.random() < 0.5 or (name == "subtract" and self.kind(at) in UNSIGNED):
            return Call(name, lambda xp, a: getattr(xp, name)(a[at], number), said)
        return Call(name, lambda xp, a: getattr(xp, name)(number, a[at]), f"swapped {said}")

    def axis(self, at: int, several: bool = True) -> Any:
        ndim = self.theirs[at].ndim
        if not ndim or self.random.random() < 0.3:
            return None
        if several and self.random.random() < 0.2:
            return tuple(self.random.sample(range(ndim), self.random.randint(1, ndim)))
        return self.random.randrange(-ndim, ndim)

    def folded(self) -> Call:
        draw = self.random
        name = draw.choice(
            "sum prod max min mean var std all any count_nonzero argmax argmin cumulative_sum "
            "cumulative_prod diff sort argsort".split()
        )
        floats = name in ("mean", "var", "std")
        kinds = FLOATS if floats else (*INTEGERS, *FLOATS)
        kinds = (*kinds, "bool") if name in ("all", "any", "count_nonzero") else kinds
        ordered = name in ("sort", "argsort", "diff") or name.startswith("cumulative")
        if name == "diff":
            kinds = tuple(k for k in kinds if k not in UNSIGNED)
        at = self.pick(kinds, ndim=1 if ordered else 0)
        options: dict[str, Any] = {}
        if ordered:
            options["axis"] = draw.randrange(-self.theirs[at].ndim, self.theirs[at].ndim)
            if name.endswith("sort"):
                options["descending"] = draw.random() < 0.3
            if name.startswith("cumulative"):
                options["include_initial"] = draw.random() < 0.3
            if name == "diff":
                options["n"] = draw.randint(0, 2)
        else:
            options["axis"] = self.axis(at, several=not name.startswith("arg"))
            options["keepdims"] = draw.random() < 0.3
            if name in ("var", "std"):
                options["correction"] = draw.choice((0, 1, 0.5))
        total = name in ("sum", "prod", "cumulative_sum", "cumulative_prod")
        if (total and self.kind(at) in (*UNSIGNED, *FLOATS)) or (total and draw.random() < 0.2):
            wanted = draw.choice(("int64", "float64", "float32"))
            if self.kind(at) in FLOATS and wanted == "int64":
                wanted = self.kind(at)
            return Call(
                name,
                lambda xp, a: getattr(xp, name)(a[at], dtype=getattr(xp, wanted), **options),
                f"{self.told(at)}, {options}, dtype={wanted}",
            )
        return Call(
            name, lambda xp, a: getattr(xp, name)(a[at], **options), f"{self.told(at)}, {options}"
        )

    def shaped(self) -> Call:
        draw = self.random
        at = self.pick(ndim=draw.choice((0, 1, 1, 2)))
        shape = tuple(self.theirs[at].shape)
        ndim = len(shape)
        count = int(np.prod(shape))
        axes = list(range(ndim))
        draw.shuffle(axes)
        new = draw.randint(-ndim - 1, ndim)
        times = tuple(draw.randint(0, 2) for _ in range(draw.randint(0, ndim + 1)))
        shift = draw.randint(-5, 5)
        one = self.axis(at, several=False)
        other = self.put(self.values(shape, self.kind(at)))
        wide = (*[draw.randint(0, 2) for _ in range(draw.randint(0, 1))],
                *[draw.randint(2, 3) if n == 1 else n for n in shape])  # fmt: skip
        choices: dict[str, Callable[[Any, list[Any]], Any]] = {
            "reshape": lambda xp, a: xp.reshape(a[at], (count,)),
            "expand_dims": lambda xp, a: xp.expand_dims(a[at], axis=new),
            "broadcast_to": lambda xp, a: xp.broadcast_to(a[at], wide),
            "permute_dims": lambda xp, a: xp.permute_dims(a[at], tuple(axes)),
            "flip": lambda xp, a: xp.flip(a[at], axis=one),
            "roll": lambda xp, a: xp.roll(a[at], shift, axis=one),
            "tile": lambda xp, a: xp.tile(a[at], times),
            "stack": lambda xp, a: xp.stack([a[at], a[other]], axis=new),
            "repeat": lambda xp, a: xp.repeat(a[at], shift % 4, axis=one),
        }
        if ndim:
            first = draw.randrange(-ndim, ndim)
            second = draw.randrange(-ndim, ndim)
            choices |= {
                "concat": lambda xp, a: xp.concat([a[at], a[other], a[at]], axis=one),
                "moveaxis": lambda xp, a: xp.moveaxis(a[at], first, second),
                "unstack": lambda xp, a: xp.unstack(a[at], axis=first),
                "squeeze": lambda xp, a: xp.squeeze(a[at], axis=first),
            }
        if ndim > 1:
            choices |= {
                "tril": lambda xp, a: xp.tril(a[at], k=shift),
                "triu": lambda xp, a: xp.triu(a[at], k=shift),
                "matrix_transpose": lambda xp, a: xp.matrix_transpose(a[at]),
                "T": lambda xp, a: a[at].mT,
            }
        name = draw.choice(list(choices))
        return Call(name, choices[name], f"{self.told(at)}, {axes}, {new}, {times}, {shift}, {one}")

    def part(self) -> Call:
        draw = self.random
        at = self.pick(ndim=1)
        shape = self.theirs[at].shape
        how = draw.random()
        if how < 0.15:
            mask = self.put(self.values(tuple(shape), "bool"))
            return Call("a[mask]", lambda xp, a: a[at][a[mask]], self.told(at))
        if how < 0.35 and min(shape):
            axis = draw.randrange(len(shape))
            picks = self.put(
                np.array([draw.randrange(shape[axis]) for _ in range(draw.randint(0, 4))], "int64")
            )
            return Call("take", lambda xp, a: xp.take(a[at], a[picks], axis=axis), self.told(at))
        if how < 0.45 and min(shape):
            axis = draw.randrange(len(shape))
            sizes = list(shape)
            sizes[axis] = draw.randint(1, 3)
            places = np.array(
                [draw.randrange(shape[axis]) for _ in range(int(np.prod(sizes)))], "int64"
            )
            picks = self.put(places.reshape(sizes))
            return Call(
                "take_along_axis",
                lambda xp, a: xp.take_along_axis(a[at], a[picks], axis=axis),
                f"{self.told(at)}, axis={axis}",
            )
        index = self.index(tuple(shape))
        if how < 0.65:
            return self.assigned(at, index)
        return Call("a[i]", lambda xp, a: a[at][index], f"{self.told(at)}{index}")

    def index(self, shape: tuple[int, ...]) -> Any:
        draw = self.random
        items: list[Any] = []
        for n in shape:
            if n and draw.random() < 0.3:
                items.append(draw.randrange(-n, n))
                continue
            step = draw.choice((None, 1, 2, -1, -2))
            if step is None or step > 0:
                start, stop = sorted((draw.randint(0, n), draw.randint(0, n)))
                items.append(slice(draw.choice((None, start)), draw.choice((None, stop)), step))
            else:
                items.append(slice(None, None, step))
        if draw.random() < 0.2:
            items[draw.randint(0, len(items)) :] = [Ellipsis]
        if draw.random() < 0.2:
            items.insert(draw.randint(0, len(items)), None)
        return tuple(items)

    def assigned(self, at: int, index: Any) -> Call:
        if None in index:
            index = tuple(item for item in index if item is not None)
        kind = self.kind(at)
        number: Any = {"bool": True}.get(kind, 1.5 if kind in FLOATS else 2)
        target = self.put(np.array(self.theirs[at]))

        def run(xp: Any, a: list[Any]) -> Any:
            a[target][index] = number
            return a[target]

        return Call("a[i] =", run, f"{self.told(at)}{index}")

    def chosen(self) -> Call:
        draw = self.random
        name = draw.choice(
            ("where", "clip", "nonzero", "searchsorted", "unique_values", "unique_counts",
             "unique_all", "unique_inverse", "astype", "astype", "broadcast_arrays", "meshgrid")
        )  # fmt: skip
        if name == "where":
            at = self.pick(FLOATS if draw.random() < 0.5 else INTEGERS)
            shape = tuple(self.theirs[at].shape)
            mask = self.put(self.values(self.beside(shape), "bool"))
            other = self.put(self.values(shape, self.kind(at)))
            return Call(name, lambda xp, a: xp.where(a[mask], a[at], a[other]), self.told(at))
        if name == "clip":
            at = self.pick((*INTEGERS, *FLOATS))
            low, high = sorted((draw.randint(0, 4), draw.randint(0, 4)))
            return Call(name, lambda xp, a: xp.clip(a[at], low, high), self.told(at))
        if name == "searchsorted":
            line = np.sort(self.values((draw.randint(1, 5),), "int64"))
            at, other = self.put(line), self.put(self.values(self.shape(), "int64"))
            side = draw.choice(("left", "right"))
            return Call(name, lambda xp, a: xp.searchsorted(a[at], a[other], side=side))
        if name == "astype":
            at = self.pick()
            wanted = draw.choice(self.dtypes)
            if self.kind(at) in FLOATS and wanted not in (*FLOATS, "bool"):
                wanted = "float64"
            if wanted in UNSIGNED and self.kind(at) not in (*UNSIGNED, "bool"):
                wanted = "int64"
            return Call(
                name,
                lambda xp, a: xp.astype(a[at], getattr(xp, wanted)),
                f"{self.told(at)} to {wanted}",
            )
        if name == "broadcast_arrays":
            at = self.pick()
            other = self.put(self.values(self.beside(tuple(self.theirs[at].shape)), "int32"))
            return Call(
                name, lambda xp, a: tuple(xp.broadcast_arrays(a[at], a[other])), self.told(at)
            )
        if name == "meshgrid":
            at, other = (self.put(self.values((draw.randint(0, 3),), "float32")) for _ in range(2))
            order = draw.choice(("xy", "ij"))
            return Call(name, lambda xp, a: tuple(xp.meshgrid(a[at], a[other], indexing=order)))
        kinds = (*INTEGERS, "bool") if name.startswith("unique") else (*INTEGERS, *FLOATS, "bool")
        at = self.pick(kinds, ndim=1)
        return Call(name, lambda xp, a: tuple(found) if isinstance(
            found := getattr(xp, name)(a[at]), tuple) else found, self.told(at))  # fmt: skip

    def made(self) -> Call:
        draw = self.random
        dtype = draw.choice([name for name in self.dtypes if name != "bool"])
        shape = self.shape()
        first, count, step = draw.randint(0, 3), draw.randint(0, 5), draw.choice((1, 2, 3))
        real = draw.choice(FLOATS)
        where = self.device
        choices: dict[str, Callable[[Any], Any]] = {
            "zeros": lambda xp: xp.zeros(shape, dtype=getattr(xp, dtype)),
            "ones": lambda xp: xp.ones(shape, dtype=getattr(xp, dtype)),
            "full": lambda xp: xp.full(shape, first, dtype=getattr(xp, dtype)),
            "arange": lambda xp: xp.arange(
                first, first + count * 2, step, dtype=getattr(xp, dtype)
            ),
            "eye": lambda xp: xp.eye(count, first, k=step - 2, dtype=getattr(xp, dtype)),
            "linspace": lambda xp: xp.linspace(
                first, -3, num=count, endpoint=step == 1, dtype=getattr(xp, real)
            ),
        }
        name = draw.choice(list(choices))
        at = self.pick()
        if draw.random() < 0.4 or where is not None:
            like = draw.choice(("zeros_like", "ones_like"))
            return Call(like, lambda xp, a: getattr(xp, like)(a[at]), self.told(at))
        return Call(name, lambda xp, a: choices[name](xp), f"{shape}, {dtype}, {first}, {count}")

    def products(self) -> Call:
        draw = self.random
        kind = draw.choice(("int32", "int64", "float32", "float64"))
        n, m, k = (draw.randint(0, 3) for _ in range(3))
        lead = (2,) if draw.random() < 0.3 else ()
        a_, b_ = (
            np.nan_to_num(self.values(shape, kind), posinf=2, neginf=-2)
            for shape in ((*lead, n, k), (k, m))
        )
        left, right = self.put(a_), self.put(b_)
        vector, other = self.put(a_.reshape(-1)), self.put(a_.reshape(-1)[::-1].copy())
        name = draw.choice(("matmul", "__matmul__", "tensordot", "vecdot", "outer", "trace"))
        choices: dict[str, Callable[[Any, list[Any]], Any]] = {
            "matmul": lambda xp, a: xp.matmul(a[left], a[right]),
            "__matmul__": lambda xp, a: a[left] @ a[right],
            "tensordot": lambda xp, a: xp.tensordot(a[left], a[right], axes=1),
            "vecdot": lambda xp, a: xp.vecdot(a[vector], a[other]),
            "outer": lambda xp, a: xp.linalg.outer(a[vector], a[other]),
            "trace": lambda xp, a: xp.linalg.trace(a[left]),
        }
        return Call(name, choices[name], self.told(left, right))

    def told(self, *numbers: int) -> str:
        return ", ".join(f"{self.kind(n)}{tuple(self.theirs[n].shape)}" for n in numbers)
