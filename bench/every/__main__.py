"""`python -m bench.every [--device NAME] [part of a name ...]`: every kernel beside its peers.

In: a device, and families or parts of the names; all without one. Out: a table of each kernel's
time beside the best of the libraries that have it and run there, at 16 million elements or pictures
of 4K, and at 64 thousand, where the cost of a call decides. Answers are compared before a figure is
shown. Names that nothing is beside are listed below the table, with the reason. Convolutions of
f32 add up in f32 on either side, without tensor cores. It needs nothing that is not installed: a
library that is missing is not beside.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.every.case import LARGE, SMALL, Case, filled, same
from bench.every.elements import elements
from bench.every.moves import moves
from bench.every.networks import networks, vectors
from bench.every.pictures import pictures
from bench.every.rows import folds, orders
from bench.every.sounds import sounds
from bench.table import Bar, Figure, Row, as_data, as_markdown, as_text

FAMILIES: tuple[Callable[..., Iterator[Case]], ...] = (
    elements, folds, orders, moves, networks, vectors, pictures, sounds,
)  # fmt: skip
FLOOR = Bar(0.7, least=True, ratio=True)
BARS = {LARGE: Bar(0.95, least=True, ratio=True), SMALL: Bar(0.8, least=True, ratio=True)}
SECONDS = 0.5  # of measuring, for each line
LONGEST = 20.0  # seconds that a call may be expected to take
PAUSE = 0.002  # in which the threads of whoever was measured before stop to spin

ALONE = {  # names with no line, and why
    "generate_gradient": "a test picture",
    "posterize": "OpenCV would need a table for each picture",
    "bicubic_scale": "resize by another name",
    "dynamics_compress": "no library here has one",
    "duck": "no library here has one",
}


def cases(count: int, parts: Sequence[str] = (), *, batches: bool = False) -> Iterator[Case]:
    """Every line over about so many elements, or those of some families or with parts of a name;
    pictures are in batches where that is asked for."""
    for family in FAMILIES:
        for case in pictures(count, batches) if family is pictures else family(count):
            line = f"{case.kernel}, {case.note}"
            if not parts or family.__name__ in parts or any(part in line for part in parts):
                yield case


@dataclass(frozen=True, slots=True)
class Side:
    """A library on a device: how it takes arrays, what its functions are in, when it is done."""

    name: str
    library: Any
    takes: Callable[[Any], Any]
    gives: Callable[[Any], Any] = np.asarray
    end: Callable[[], object] = lambda: None


@cache
def _found(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _scipy(name: str) -> Any:
    """SciPy or what stands for it, with the parts that are used."""
    for part in ("special", "signal", "spatial.distance"):
        with contextlib.suppress(ImportError):
            importlib.import_module(f"{name}.{part}")
    return _found(name)


def sides(kind: str) -> dict[str, Side]:
    """The libraries that run on a kind of device, by the name that cases call them."""
    torch = peers.torch()
    found: dict[str, Side] = {}
    if kind == "cpu":
        found["numpy"] = Side("numpy", np, lambda a: a)
        found["scipy"] = Side("scipy", _scipy("scipy"), lambda a: a)
        found["cv2"] = Side("OpenCV", peers.opencv(), lambda a: a)
        if torch is not None:
            found["torch"] = Side("torch", torch, torch.from_numpy)
    elif kind == "cuda":
        cupy = _found("cupy")
        if cupy is not None:
            end = cupy.cuda.get_current_stream().synchronize
            found["numpy"] = Side("cupy", cupy, cupy.asarray, cupy.asnumpy, end)
            found["scipy"] = Side("cupyx", _scipy("cupyx.scipy"), cupy.asarray, cupy.asnumpy, end)
        if torch is not None and torch.cuda.is_available():
            torch.backends.cudnn.allow_tf32 = False  # its default gives convolutions 10 bits
            found["torch"] = Side(
                "torch",
                torch,
                lambda a: torch.from_numpy(a).cuda(),
                lambda t: t.cpu().numpy(),
                torch.cuda.synchronize,
            )
    return {name: side for name, side in found.items() if side.library is not None}


@dataclass(frozen=True, slots=True)
class Run:
    """One contestant: a call, and what waits for the calls before."""

    name: str
    call: Callable[[], Any]
    end: Callable[[], object]
    gives: Callable[[Any], Any]
    reads: tuple[int, ...] = ()  # bytes of each input
    writes: int = 0

    def nbytes(self, share: float) -> float:
        """What it must move, if it reads a share of the first input."""
        return share * self.reads[0] + sum(self.reads[1:]) + self.writes

    def seconds(self, calls: int, clock: Callable[[], float] = perf_counter) -> float:
        """For one of some calls in a row, by a clock."""
        started = clock()
        for _ in range(calls):
            self.call()
        self.end()
        return (clock() - started) / calls


def _ours(device: treadle.Device, case: Case, arrays: Sequence[Any], name: str = "treadle") -> Run:
    """Into outputs that exist; without waiting where the peers do not wait either."""
    buffers = [device.buffer(array) for array in arrays]
    out = device.run_kernel(case.kernel, buffers, **case.params)
    outputs = list(out) if isinstance(out, tuple) else out
    waits = device.info.backend == "cpu"
    start = device.run_kernel if waits else device.submit
    call = partial(start, case.kernel, buffers, outputs, **case.params)
    end = (lambda: None) if waits else device.synchronize
    writes = sum(one.size for one in outputs) if isinstance(outputs, list) else outputs.size
    reads = tuple(buffer.size for buffer in buffers)
    return Run(name, call, end, lambda _: _first(out).to_numpy(), reads, writes)


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, tuple | list) else answer


def _beside(device: treadle.Device, case: Case, arrays: Sequence[Any]) -> Iterator[Run]:
    if device.info.backend == "webgpu":
        yield _ours(treadle.device("cpu"), case, arrays, "our CPU device")
        return
    found = sides(device.info.backend)
    for library, peer in case.peers.items():
        if library in found:
            side = found[library]
            taken = [side.takes(array) for array in arrays]
            call = partial(peer, side.library, *taken)
            try:
                call()
                side.end()
            except Exception as error:  # whatever a library raises for what it does not have there
                print(f"{case.kernel}, {case.note}: {side.name}: {error}"[:200], file=sys.stderr)
                continue
            yield Run(
                side.name, call, side.end, lambda answer, side=side: side.gives(_first(answer))
            )


def measure(
    device: treadle.Device,
    case: Case,
    count: int,
    dtype: str,
    clock: Callable[[], float] = perf_counter,
    turn: Path | None = None,
) -> Row | None:
    """One line, contestants in turn, a few calls in a row each; None where nobody is beside."""
    arrays = [filled(given, number, dtype) for number, given in enumerate(case.inputs)]
    with _alone(turn):
        others = list(_beside(device, case, arrays))
        mine = _ours(device, case, arrays)
        if not others:
            return _floored(device, case, mine, count) if count == LARGE else None
        answer = mine.gives(mine.call())
        answers = {one.name: one.gives(one.call()) for one in others}
        times = _times([mine, *others], clock)
    apart = [name for name, given in answers.items() if not same(answer, given, case.close)]
    ours = times.pop("treadle")
    best = sorted(times.items(), key=lambda each: each[1])
    figures = tuple((name, _figure(took, count)) for name, took in best)
    what = ", ".join(filter(None, (case.kernel, case.note, case.size)))
    note = f"What {' and '.join(apart)} gives differs." if apart else ""
    bar = None if device.info.backend == "webgpu" else BARS[count]
    return Row(what, _figure(ours, count), figures, best[0][1] / ours, bar, note)


@contextlib.contextmanager
def _alone(turn: Path | None) -> Iterator[None]:
    """Hold a file's lock, where one is given: no other of these programs uses the device."""
    if turn is None:
        yield
        return
    import fcntl

    with turn.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _times(runs: list[Run], clock: Callable[[], float]) -> dict[str, float]:
    """The median seconds of a call of each contestant."""
    first = {run.name: run.seconds(1) for run in runs}
    calls = {name: max(1, min(200, int(0.002 / took))) for name, took in first.items()}
    turn = sum(first[name] * (calls[name] + (calls[name] > 1)) for name in first)
    samples: dict[str, list[float]] = {name: [] for name in first}
    for _ in range(max(2, min(9, int(SECONDS / turn)))):
        runs.reverse()
        for run in runs:
            sleep(PAUSE)
            if calls[run.name] > 1:
                run.seconds(1)
            samples[run.name].append(run.seconds(calls[run.name], clock))
    return {name: median(took) for name, took in samples.items()}


def _floored(device: treadle.Device, case: Case, mine: Run, count: int) -> Row | None:
    """A line beside its floor: what it must read and write over the bandwidth of a copy."""
    if device.info.backend != "cuda":
        return None
    mine.call()
    mine.end()
    seconds = median(mine.seconds(20) for _ in range(3))
    what = ", ".join(filter(None, (case.kernel, case.note, case.size)))
    floor = mine.nbytes(case.read) / _copied(device)
    beside = (("floor", _figure(floor, count)),)
    return Row(what, _figure(seconds, count), beside, floor / seconds, FLOOR)


@cache
def _copied(device: treadle.Device) -> float:
    """Bytes per second of a copy on a device, read and written ones counted."""
    source = device.buffer_zeros((1 << 28,), "f32")
    spec = {"op": "copy_buffer", "input": source, "output": device.empty(source.shape)}
    run = Run("copy", partial(device.submit, spec), device.synchronize, lambda answer: answer)
    run.seconds(3)
    return 2 * source.size / median(run.seconds(20) for _ in range(5))


def _figure(seconds: float, count: int) -> Figure:
    return Figure(seconds * 1e3, "ms") if count == LARGE else Figure(seconds * 1e6, "us")


def table(
    device: treadle.Device,
    parts: Sequence[str],
    sizes: Sequence[int],
    dtype: str = "f4",
    *,
    processor: bool = False,
    turn: Path | None = None,
) -> tuple[list[Row], set[str]]:
    """Measure lines; say also which kernels have one."""
    rows, named, slow = [], set(), set()
    torch = peers.torch()
    for count in sizes:
        if torch is not None:  # two threads are slower for so little, and much slower beside others
            torch.set_num_threads(1 if count == SMALL or processor else peers.CORES)
        for case in cases(count, parts, batches=device.info.backend == "cuda"):
            line = f"{case.kernel}, {case.note}"
            if line in slow:
                continue
            started = perf_counter()
            try:
                clock = process_time if processor else perf_counter
                row = measure(device, case, count, dtype, clock, turn)
            except treadle.TreadleError as error:
                print(f"{line}: {error}"[:300], file=sys.stderr)
                continue
            if row is not None:
                rows.append(row)
                named.add(case.kernel)
            took = row.figure.value / 1e6 if row is not None and count == SMALL else 0.0
            if took * (LARGE / SMALL) > LONGEST:
                slow.add(line)
                print(f"{line}: {took:.3f} s of {SMALL:,}, too slow for more", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r\x1b[K{line} {perf_counter() - started:.1f} s", end="", file=sys.stderr)
    return rows, named


def _keep_memory() -> None:
    """Let freed memory stay with the process: fresh pages would cost peers more than arithmetic."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(-4, 0)  # M_MMAP_MAX: none of it in mappings of its own
        library.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: none of it is given back


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.every", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part of a name")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", choices=("both", "large", "small"), default="both")
    parser.add_argument("--dtype", default="f32", choices=("f32", "f64"), help="of real numbers")
    parser.add_argument(
        "--processor",
        action="store_true",
        help="processor time of all threads, torch's one: for a machine that others use too",
    )
    parser.add_argument(
        "--turn",
        type=Path,
        metavar="FILE",
        help="several of these programs, each with families of its own, share a machine: "
        "one at a time measures",
    )
    parser.add_argument("--markdown", action="store_true", help="as it goes into bench/results/")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


def main() -> int:
    """Print the table."""
    options = _options()
    if options.device == "cpu":
        _keep_memory()
    sizes = {"both": (SMALL, LARGE), "large": (LARGE,), "small": (SMALL,)}[options.size]
    device = treadle.device(options.device)
    with treadle.use_device(device):
        rows, named = table(
            device,
            options.parts,
            sizes,
            "f8" if options.dtype == "f64" else "f4",
            processor=options.processor,
            turn=options.turn,
        )
    if options.processor:
        print("processor time of all threads; torch has one\n")
    print(as_markdown(rows) if options.markdown else as_text(rows))
    if not options.parts:
        for name in sorted(set(treadle.kernels()) - named):
            print(f"{name}: {ALONE.get(name, 'no library here has it')}")
    if options.json:
        options.json.write_text(json.dumps(as_data(rows), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
