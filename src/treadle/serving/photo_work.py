"""A recipe for photos that come one by one: decoded, computed and encoded, none on the event loop.

In: the bytes of a file. Out: the bytes of another. Decoding and encoding are done by a few threads,
computing by the device; small photos of one kind that are there at the same time are computed as
one batch, large ones alone, since putting them together would cost more than it saves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

import treadle
from treadle.attendant import giving_way
from treadle.batching import Batched, BatchReport
from treadle.data import dataclass
from treadle.photos import (
    Photo,
    PhotoError,
    PhotoTooLarge,
    decode,
    encode,
    probe,
    recycling,
)
from treadle.recipes import Recipe, RecipeError
from treadle.recipes.execute import RecipeEngine, Running
from treadle.recipes.fit import Kind
from treadle.recipes.options import QUALITY
from treadle.recipes.pixels import alpha_of, as_photo, laid_out, stacked
from treadle.recipes.report import cores
from treadle.serving.budget import Budget, BudgetPart
from treadle.serving.limits import Refusal, ServiceLimits
from treadle.serving.negotiate import best_of

__all__ = ["FORESEEN", "Made", "PhotoThreads", "RecipeWork", "bytes_for", "opened"]

_SMALL = 640 * 480  # pixels of a photo that goes into a batch with others
_BATCH = 16
_SAMPLE = 1200, 1600  # a size to compile for before a client asks
# Bytes that are held for a pixel while its photo is done: decoded, computed, encoded.
_BYTES_PER_PIXEL = 10
FORESEEN = 4_000_000 * _BYTES_PER_PIXEL  # for a photo whose header has not been read yet
_KEPT = 8 << 20  # bytes of a batch whose buffers are kept for photos to come
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Made:
    """What a photo became: the bytes of a file, its format, and seconds by stage."""

    data: bytes
    format: str
    size: tuple[int, int]  # width and height
    seconds: dict[str, float]


class PhotoThreads:
    """A few threads that decode and encode, and the memory for what they hold."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.budget = Budget(limits.max_memory // 2)
        self._pool = ThreadPoolExecutor(cores(), thread_name_prefix="treadle-serve")
        self._memory = recycling(0)  # photos in one piece each; a service gives memory back

    async def run(self, function: Callable[..., _T], *given: Any) -> _T:
        """Call a function on a thread, and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, _giving_way, function, *given
        )

    def open(self) -> None:
        """Begin: from now on Pillow has photos in one piece each, which need not be copied."""
        self._memory.__enter__()

    def close(self) -> None:
        """End the threads when each has done what it is at; no request waits for it."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._memory.__exit__()


def _giving_way(function: Callable[..., _T], *given: Any) -> _T:
    with giving_way:
        return function(*given)


def opened(data: bytes, limits: ServiceLimits, size: tuple[int, int] | None = None) -> Photo:
    """Decode a photo; a Refusal where it is none, or has too many pixels by its header."""
    try:
        return decode(data, max_pixels=limits.max_pixels, size=size)
    except PhotoTooLarge as error:
        raise Refusal(413, _said(error)) from error
    except PhotoError as error:
        raise Refusal(422, _said(error)) from error


def bytes_for(data: bytes, limits: ServiceLimits) -> int:
    """Return how many bytes a photo will need, from its header."""
    try:
        header = probe(data, max_pixels=limits.max_pixels)
    except PhotoTooLarge as error:
        raise Refusal(413, _said(error)) from error
    except PhotoError as error:
        raise Refusal(422, _said(error)) from error
    return header.height * header.width * _BYTES_PER_PIXEL


class RecipeWork:
    """A recipe on a device, for photos as they come."""

    def __init__(
        self, recipe: Recipe, device: treadle.Device, threads: PhotoThreads, *, strip: bool
    ) -> None:
        self.recipe = recipe
        self._engine = RecipeEngine(recipe, device, keep_bytes=_KEPT)
        self._threads = threads
        self._strip = strip
        self._together = Batched(
            self._several, stack=False, max_size=_BATCH, max_in_flight=2, name=recipe.label
        )

    @property
    def report(self) -> BatchReport:
        """What the batches of small photos were like."""
        return self._together.report

    @property
    def waiting(self) -> int:
        """Small photos that are in no batch yet."""
        return self._together.waiting

    def warm(self) -> None:
        """Compile for photos in RGB, so that the first client need not wait for that."""
        kind = Kind(*_SAMPLE, 3, treadle.u8)
        try:
            chain = self._engine.chain(kind)
            self._engine.start(chain, np.zeros((1, *_SAMPLE, 4), np.uint8), None).result()
        except treadle.TreadleError:
            pass  # it may fit other photos, and says so to those that it does not

    async def make(
        self, content: Callable[[], bytes], formats: tuple[str, ...], quality: int | None
    ) -> Made:
        """Apply the recipe to a photo; RecipeError or Refusal where that cannot be."""
        run, part = self._threads.run, BudgetPart(self._threads.budget)
        try:
            await part.hold(FORESEEN)
            began = perf_counter()
            data, needed, found = await run(self._look, content)
            await part.hold(needed)
            if found is None:
                found = await run(self._begin, data)
            photo, running, decoded = found
            if running is None:
                colour, alpha = await self._together(photo, key=_kind(photo))
            else:
                await _end(running)
                colour = alpha = None
            computed = perf_counter()
            made = await run(self._finish, photo, running, colour, alpha, formats, quality)
            ended = perf_counter()
        finally:
            part.leave()
        stages = {"decode": decoded - began, "compute": computed - decoded}
        return replace(made, seconds={**stages, "encode": ended - computed})

    def _look(
        self, content: Callable[[], bytes]
    ) -> tuple[bytes, int, tuple[Photo, Running | None, float] | None]:
        """Read a photo's header, and go on where it needs no more than was foreseen."""
        data = content()
        needed = bytes_for(data, self._threads.limits)
        return data, needed, self._begin(data) if needed <= FORESEEN else None

    def _begin(self, data: bytes) -> tuple[Photo, Running | None, float]:
        """Decode a photo and, where it is large, submit what is to be done with it; say when it
        was decoded."""
        photo = opened(data, self._threads.limits)
        decoded = perf_counter()
        height, width = photo.size
        if height * width <= _SMALL:
            return photo, None, decoded
        return photo, self._start([photo], _kind(photo)), decoded

    def _start(self, photos: list[Photo], kind: Kind) -> Running:
        try:
            chain = self._engine.chain(kind)
        except RecipeError as error:
            said = "; ".join(problem.message for problem in error.problems)
            raise Refusal(422, said) from error
        colour = stacked([laid_out(photo) for photo in photos])
        alpha = stacked([alpha_of(photo) for photo in photos]) if kind.alpha else None
        return self._engine.start(chain, colour, alpha)

    def _several(self, photos: list[Photo], *, key: Kind) -> list[tuple[Any, Any]]:
        """Compute photos of one kind; on a thread of the batched function's."""
        colour, alpha = self._start(photos, key).result()
        veils = [None] * len(photos) if alpha is None else alpha[..., 0]
        return list(zip(colour, veils, strict=True))

    def _finish(
        self,
        photo: Photo,
        running: Running | None,
        colour: Any,
        alpha: Any,
        formats: tuple[str, ...],
        quality: int | None,
    ) -> Made:
        """Encode what became of a photo."""
        if running is not None:
            colours, alphas = running.result()
            colour, alpha = colours[0], None if alphas is None else alphas[0, :, :, 0]
        made = as_photo(photo, colour, alpha)
        if self._strip:
            made = replace(made, exif=None, xmp=None, iptc=None)
        format_ = best_of(formats, self.recipe.format or photo.format)
        try:
            data = encode(made, format_, quality=quality or self.recipe.quality or QUALITY)
        except PhotoError as error:
            raise Refusal(422, _said(error)) from error
        height, width = made.size
        return Made(data, format_, (width, height), {})

    async def aclose(self) -> None:
        """End when what waits is done."""
        await self._together.aclose()


def _kind(photo: Photo) -> Kind:
    height, width = photo.size
    dtype = treadle.u8 if photo.colour.dtype == np.uint8 else treadle.f32
    return Kind(height, width, photo.colour.shape[2], dtype, photo.alpha is not None)


async def _end(running: Running) -> None:
    """Await the commands; drop those that have not begun where the request is cancelled."""
    try:
        for command in running.commands:
            await command
    except asyncio.CancelledError:
        for command in running.commands:
            command.cancel()
        raise


def _said(error: PhotoError) -> str:
    """What is wrong with a photo, in the words of a service: its options are in the address."""
    said = str(error).replace("--format takes", "?format= takes")
    return said.partition("; --")[0]
