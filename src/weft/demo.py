"""The demonstration, `python -m weft.demo`: images through three kernels, without waiting.

In: command line options. Out: PNG files and one screen of figures. Each picture is painted on a
thread, blurred, sharpened and turned grey by commands that the event loop submits and awaits, and
written on a thread; a few pictures are under way at a time. A ticker on the same event loop
measures how late it wakes up meanwhile: that it stays on time is the point. Uses only the public
API.
"""

from __future__ import annotations

import argparse
import asyncio
import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeVar

import numpy as np

import weft
from weft import pictures, png

__all__ = ["main"]

T = TypeVar("T")
IN_FLIGHT = 4  # pictures under way at a time: enough to overlap, few enough to bound memory
TICK = 0.001
BAR = 32
LEVEL = 3  # zlib: twice as fast as its default for two per cent more bytes


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    images: int
    width: int
    height: int
    out: Path
    device: str | None
    quiet: bool


@dataclass(slots=True)
class Record:
    """What happened: when each kind of work was under way, and how late the ticker was."""

    spans: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    lateness: list[float] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    ended: float = 0.0
    written: int = 0
    nbytes: int = 0

    @contextmanager
    def span(self, kind: str) -> Iterator[None]:
        """Note that `kind` is under way while the block runs."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spans.setdefault(kind, []).append((start, time.perf_counter()))

    def busy(self, kind: str) -> float:
        """Seconds in which at least one piece of `kind` was under way."""
        total, until = 0.0, 0.0
        for start, end in sorted(self.spans.get(kind, ())):
            total += max(end - max(start, until), 0.0)
            until = max(until, end)
        return total


class Progress:
    """A bar that redraws itself on a terminal, and a line every tenth of the way elsewhere."""

    def __init__(self, total: int, stream: TextIO, *, quiet: bool) -> None:
        self._total = total
        self._stream = stream
        self._live = stream.isatty()
        self._quiet = quiet
        self._tenth = 0

    def show(self, done: int) -> None:
        """Show that `done` images are finished."""
        if self._quiet:
            return
        if self._live:
            filled = BAR * done // self._total
            bar = "=" * filled + " " * (BAR - filled)
            self._stream.write(f"\r[{bar}] {done}/{self._total} images")
            self._stream.flush()
        elif (tenth := 10 * done // self._total) > self._tenth:
            self._tenth = tenth
            self._stream.write(f"{done}/{self._total} images\n")

    def close(self) -> None:
        """Leave the cursor on a line of its own."""
        if self._live and not self._quiet:
            self._stream.write("\n")
            self._stream.flush()


async def run(options: Options, record: Record) -> None:
    """Process every image; the record is filled in as things happen, so that it survives a stop."""
    progress = Progress(options.images, sys.stderr, quiet=options.quiet)
    pool = ThreadPoolExecutor(min(IN_FLIGHT, os.cpu_count() or 1), initializer=_step_back)
    ticker = asyncio.create_task(_tick(record.lateness))
    waiting = iter(range(options.images))

    async def work() -> None:
        for index in waiting:
            await _one_image(index, options, record, pool)
            progress.show(record.written)

    workers = [asyncio.create_task(work()) for _ in range(min(IN_FLIGHT, options.images))]
    try:
        progress.show(0)
        await asyncio.gather(*workers)
    finally:
        record.ended = time.perf_counter()
        for task in (ticker, *workers):
            task.cancel()
        await asyncio.gather(ticker, *workers, return_exceptions=True)
        # What a thread has begun it finishes, so that no half-written file stays behind.
        pool.shutdown(wait=True, cancel_futures=True)
        progress.close()


async def _one_image(
    index: int, options: Options, record: Record, pool: ThreadPoolExecutor
) -> None:
    def paint() -> weft.Buffer:
        with record.span("paint"):
            picture = pictures.landscape(options.width, options.height, seed=index)
            return weft.buffer(picture)

    def save(grey: weft.Buffer) -> int:
        with record.span("encode"):
            return png.write(options.out / f"image-{index:03d}.png", grey.to_numpy(), level=LEVEL)

    picture = await _on_thread(pool, paint)
    with record.span("compute"):
        # Three commands, one wait: each reads what the one before it writes, so they keep order.
        blurred = weft.submit("gaussian_blur", [picture], radius=3, sigma=1.5)
        sharp = weft.submit("sharpen", [blurred.output], amount=0.5)
        grey = weft.submit("grayscale", [sharp.output])
        await grey
    record.first = record.first or time.perf_counter()
    nbytes = await _on_thread(pool, lambda: save(grey.output))
    record.nbytes += nbytes  # on a line of its own: `+= await` would lose what others add meanwhile
    record.written += 1


def _on_thread(pool: ThreadPoolExecutor, work: Callable[[], T]) -> asyncio.Future[T]:
    """Run `work` on a thread of the pool, on the device that is chosen here."""
    context = contextvars.copy_context()
    return asyncio.get_running_loop().run_in_executor(pool, lambda: context.run(work))


def _step_back() -> None:
    """Let the event loop go first when this thread and it want the same core."""
    if sys.platform == "linux":  # elsewhere priorities belong to processes
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


async def _tick(lateness: list[float]) -> None:
    while True:
        start = time.perf_counter()
        await asyncio.sleep(TICK)
        lateness.append(time.perf_counter() - start - TICK)


def summary(options: Options, record: Record, device: str) -> str:
    """The figures of a run, as a few aligned lines."""
    took = record.ended - record.started
    pixels = options.width * options.height * record.written

    def share(kind: str) -> str:
        busy = record.busy(kind)
        return f"{busy:.2f} s, under way {busy / took:.0%} of the time"

    compute = np.median([end - start for start, end in record.spans["compute"]])
    rows = {
        "device": device,
        "images": f"{record.written} of {options.width}x{options.height}, RGBA in, grey out",
        "total": f"{took:.2f} s: {record.written / took:.1f} images/s, "
        f"{pixels / took / 1e6:.0f} megapixels/s",
        "painting": share("paint"),
        "computing": f"{share('compute')}; median {compute * 1e3:.1f} ms an image",
        "encoding": share("encode"),
        "first image": f"computed {record.first - record.started:.2f} s after the start",
        "event loop": late(record.lateness),
        "written": f"{record.nbytes / 1e6:.1f} MB to {options.out}{os.sep}",
    }
    return "\n".join(f"  {name:<12} {text}" for name, text in rows.items())


def late(lateness: Sequence[float]) -> str:
    """How late a ticker was, in words."""
    if not lateness:
        return "too short a run to measure"
    p50, p99 = np.percentile(np.asarray(lateness) * 1e3, [50, 99])
    return f"1 ms ticker late by p50 {p50:.2f} ms, p99 {p99:.2f} ms ({len(lateness)} ticks)"


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        size = int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, got {text!r}") from None
    if min(size) < 1 or max(size) > 16384:
        raise argparse.ArgumentTypeError(f"expected sides from 1 to 16384, got {text!r}")
    return size


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000000, got {text!r}")
    return int(text)


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; wrong options end the program with a usage message."""
    parser = argparse.ArgumentParser(
        prog="weft.demo", description="Blur, sharpen and grey a batch of images asynchronously."
    )
    add = parser.add_argument
    add("--images", type=_count, default=24, metavar="N", help="how many (default 24)")
    add("--size", type=_size, default=(1280, 853), metavar="WxH", help="default 1280x853")
    add("--out", type=Path, default=Path("demo-out"), metavar="FOLDER", help="default demo-out")
    add("--device", metavar="NAME", help="such as cpu or reference (default: the best present)")
    add("--quiet", action="store_true", help="no progress bar, only the summary")
    given = parser.parse_args(arguments)
    width, height = given.size
    return Options(given.images, width, height, given.out, given.device, given.quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration and return the exit status."""
    options = parse(arguments)
    record = Record()
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        with weft.use_device(options.device) if options.device else nullcontext():
            info = weft.device_info()
            asyncio.run(run(options, record))
    except KeyboardInterrupt:
        print(f"Stopped: {record.written} of {options.images} images are in {options.out}.")
        return 130
    except (weft.WeftError, OSError) as error:
        print(f"weft.demo: {error}", file=sys.stderr)
        return 1
    print(summary(options, record, f"{info.name} ({info.backend})"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
