"""Composites with loops, and the same ones with the turns written out by Python."""

from __future__ import annotations

import random

import treadle


@treadle.kernel
def drifted(at, x, y, *, by):
    return 0.5 * x[at] + y[at[0] - by] + by


@treadle.kernel
def spread(at, x):
    return 0.25 * x[at[0] - 1] + 0.5 * x[at] + 0.25 * x[at[0] + 1]


@treadle.pointwise
def doubled(x):
    return 2 * x


@treadle.kernel
def waved(at, x, *, turn):
    return x[at] + sin(turn * 0.25)


def written_out(body, times, *state):
    """What `treadle.repeat` means."""
    for turn in range(times):
        made = body(turn, *state)
        state = made if isinstance(made, tuple) else (made,)
    return state[0] if len(state) == 1 else state


def looping(step, name):
    """A composite of one loop, and its like without: of inputs, and how often."""

    @treadle.composite(name=f"{name}_looped")
    def looped(x, y, *, count):
        return step(x, y, lambda body, *state: treadle.repeat(body, count, *state))

    @treadle.composite(name=f"{name}_written_out")
    def plain(x, y, *, count):
        return step(x, y, lambda body, *state: written_out(body, count, *state))

    return looped, plain


def one(x, y, repeat):
    return doubled(repeat(lambda turn, x: spread(drifted(x, y, by=3 * turn + 1)), doubled(x)))


def two(x, y, repeat):
    """A state of two, of which each turn reads both; returned as it is."""

    def body(turn, a, b):
        return drifted(a, b, by=turn), spread(drifted(b, a, by=2 - turn))

    return repeat(body, doubled(x), spread(y))


def swapped(x, y, repeat):
    """A state that changes places, a part that stays, and a body that returns what is outside."""

    def body(turn, a, b, c, d):
        return b, drifted(a, d, by=turn), c, x

    a, b, c, d = repeat(body, doubled(x), spread(y), doubled(y), doubled(doubled(x)))
    return drifted(a, b, by=1), drifted(c, d, by=2)


def started(x, y, repeat):
    """Begins with an input, and with a table; gives the state that it began with as well."""
    begin = spread(y)
    table = treadle.constant([0.5] * 12)
    a, b = repeat(lambda turn, a, b: (drifted(a, b, by=turn), spread(a)), x, table)
    end = repeat(lambda turn, a: waved(a, turn=turn), begin)
    return a, b, begin, end


def beside(x, y, repeat):
    """Two loops one after the other, and stages around that read what both read."""
    shared = doubled(y)
    first = repeat(lambda turn, a: drifted(a, shared, by=turn), x)
    second = repeat(lambda turn, a: drifted(a, shared, by=turn + 1), first)
    return drifted(first, second, by=0), drifted(shared, x, by=0)


def early(x, y, repeat):
    """A result that is there before a loop begins with an input."""
    first = spread(y)
    return first, doubled(repeat(lambda turn, a: drifted(a, y, by=turn), x))


def staying(x, y, repeat):
    """A part of the state that stays, which turns read and which is a result itself."""

    def body(turn, a, kept):
        return drifted(a, kept, by=turn), kept

    a, kept = repeat(body, y, spread(x))
    return doubled(a), kept


STEPS = (one, two, swapped, started, beside, early, staying)
PAIRS = {step.__name__: looping(step, step.__name__) for step in STEPS}


def scrambled(seed, repeat):
    """A function of two inputs with loops at random, which `repeat` makes."""
    draw = random.Random(seed)

    def call(known, turn):
        kernel, a, b = (
            draw.choice((drifted, spread, doubled)),
            draw.choice(known),
            draw.choice(known),
        )
        by = turn * draw.randrange(1, 4) + draw.randrange(-3, 3)
        return drifted(a, b, by=by) if kernel is drifted else kernel(a)

    def function(x, y):
        known = [x, y, call([x, y], 2)]
        for _ in range(draw.randrange(1, 3)):
            count, calls, begun = draw.randrange(1, 4), draw.randrange(1, 5), draw.getstate()

            def body(turn, *state, count=count, calls=calls, begun=begun, around=tuple(known)):
                draw.setstate(begun)  # the same for each turn that is written out
                inner = [*around, *state]
                for _ in range(calls):
                    inner.append(call(inner, turn))
                return tuple(draw.choice(inner[-calls - count :]) for _ in range(count))

            starts = [draw.choice(known) for _ in range(count)]
            times = draw.randrange(1, 6)
            made = repeat(body, times, *starts)
            known += made if isinstance(made, tuple) else (made,)
            known.append(call(known, 1))
        return call(known, 0), *map(spread, known[-3:])

    return function
