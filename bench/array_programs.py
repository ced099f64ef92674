"""Programs of the array API standard, made by chance, on Treadle and on array-api-strict.

    python -m bench.array_programs --count 10000 [--device cpu] [--seed 0] [--show 20]

A program is a few calls, each on results of those before: element by element, along axes, shapes,
parts, choices, sums, products of matrices; sizes of 0 and 1, special values, mixed dtypes, Python
numbers. A call that array-api-strict refuses is left out. Each result must have the same shape and
dtype and hold the same: integers and conditions exactly, floats within the last bits (positions may
be int32, which the standard leaves open). After a call that differs in the last bits both go on
with the same numbers, so that rounding does not add up. What the standard leaves open is not asked
for: integers that overflow, floats beyond integers' ranges, elements out of range.
"""

from __future__ import annotations

import argparse
import collections
import inspect
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.array_calls import Calls

__all__ = ["Outcome", "run_program"]

POSITIONS = ("argmax", "argmin", "argsort", "nonzero", "searchsorted", "unique")


@dataclass(frozen=True)
class Outcome:
    """What became of a program: how many calls, and what differed, if anything did."""

    calls: int
    wrong: str | None = None
    name: str = ""


class Program(Calls):
    """Calls one after the other, compared as they come."""

    def run(self, length: int) -> Outcome:
        """Make and run calls; stop at the first whose results differ."""
        done = 0
        while done < length:
            step = self.call()
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = step.run(self.strict, self.theirs)
                except (TypeError, ValueError, IndexError, RuntimeError, AssertionError):
                    continue
            done += 1
            said = f"{step.name}({step.said})"
            try:
                found = step.run(self.tested, self.ours)
                wrong = self.compared(step.name, expected, found)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                return Outcome(done, f"{said}: {wrong}", step.name)
        return Outcome(done)

    def compared(self, name: str, expected: Any, found: Any) -> str | None:
        if isinstance(expected, tuple):
            if not isinstance(found, tuple) or len(found) != len(expected):
                return f"expected {len(expected)} arrays, got {found!r}"
            told = [self.compared(name, a, b) for a, b in zip(expected, found, strict=True)]
            return next((each for each in told if each), None)
        want, got = np.asarray(expected), np.asarray(found)
        if want.shape != got.shape:
            return f"shape {want.shape} expected, got {got.shape}"
        places = name.startswith(POSITIONS) and got.dtype.kind == "i" and want.dtype.kind == "i"
        if want.dtype != got.dtype and not places:
            return f"dtype {want.dtype} expected, got {got.dtype}"
        if want.dtype.kind == "f":
            scale = 2e-6 if want.dtype == np.float32 else 1e-13
            least = 1e-6 if want.dtype == np.float32 else 1e-14
            same = np.isclose(got, want, scale, least, equal_nan=True)
        else:
            same = got == want
        if not np.all(same):
            return f"{want[~same][:3]} expected, got {got[~same][:3]}"
        self.keep(want, expected, found)
        return None

    def keep(self, want: Any, expected: Any, found: Any) -> None:
        """A result to go on with: the same numbers on both sides, and small integers."""
        if want.size > 300 or want.ndim > 4 or self.dtype_of(want) not in self.dtypes:
            return
        with np.errstate(all="ignore"):
            if want.dtype.kind in "iu" and want.size and np.abs(want.astype("int64")).max() > 9:
                self.put(want % 7)
            elif want.dtype.kind == "f" and (np.abs(want[np.isfinite(want)]) > 1e3).any():
                self.put(np.where(np.abs(want) > 1e3, want.dtype.type(2.5), want))
            elif want.dtype.kind == "f" and want.size and self.random.random() < 0.5:
                self.put(want)
            else:
                self.theirs.append(expected)
                self.ours.append(found)
                if want.dtype != np.asarray(found).dtype or want.dtype.kind == "f":
                    self.theirs.pop(), self.ours.pop()
                    self.put(want)

    def dtype_of(self, array: Any) -> str:
        return str(array.dtype)


def run_program(strict: Any, tested: Any, seed: int, device: Any = None) -> Outcome:
    """Make the program of a seed, run it on both sides, and say what became of it."""
    program = Program(strict, tested, seed, device)
    return program.run(program.random.randint(1, 6))


def tell_functions(strict: Any, tested: Any) -> None:
    """Print how many functions of the standard there are, and which are not."""
    beside = ("broadcast_shapes", "isin")  # of later versions
    names = [
        name for name in strict.__all__
        if inspect.isfunction(getattr(strict, name)) and "flags" not in name and name not in beside
    ]  # fmt: skip
    names += [f"linalg.{name}" for name in strict.linalg.__all__]
    names += [f"fft.{name}" for name in strict.fft.__all__]
    lacking = []
    for name in names:
        found = tested
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            lacking.append(name)
    said = f"; not {', '.join(lacking)}" if lacking else ""
    print(f"{len(names) - len(lacking)} of {len(names)} functions{said}")


def main() -> None:
    """Count the programs whose results are equal."""
    import array_api_strict

    import treadle
    import treadle.array_api

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--device", default=None)
    given = parser.parse_args()
    tell_functions(array_api_strict, treadle.array_api)
    equal = calls = 0
    reasons: collections.Counter[str] = collections.Counter()
    begun = time.perf_counter()
    device = None if given.device is None else treadle.device(given.device)
    for seed in range(given.seed, given.seed + given.count):
        outcome = run_program(array_api_strict, treadle.array_api, seed, device)
        calls += outcome.calls
        equal += outcome.wrong is None
        if outcome.wrong:
            reasons[outcome.name] += 1
            if sum(reasons.values()) <= given.show:
                print(f"{seed}: {outcome.wrong}"[:300])
    share = 100 * equal / max(given.count, 1)
    print(
        f"{equal} of {given.count} programs equal ({share:.2f}%), {calls} calls, "
        f"{time.perf_counter() - begun:.0f} s"
    )
    if reasons:
        print("differ in: " + ", ".join(f"{name} {n}" for name, n in reasons.most_common()))


if __name__ == "__main__":
    main()
