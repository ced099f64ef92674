"""The app: what a service offers, at which addresses, to whom, and what becomes of errors.

In: a recipe, a network or an index, and limits. Out: an ASGI app of Starlette's. Every answer that
is not a result is one JSON object with one sentence; the service goes on. The work itself is that
of `photo_work`, `model_work` and `vector_work`; starting and stopping a server is `server`'s.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter
from typing import Any

import treadle
from treadle.models import Model
from treadle.photos import allow_pixels
from treadle.recipes import Recipe
from treadle.search import Index
from treadle.serving import negotiate
from treadle.serving.budget import Budget
from treadle.serving.figures import declare
from treadle.serving.guard import LOOPBACK, check_sender
from treadle.serving.library import starlette
from treadle.serving.limits import Refusal, ServiceLimits
from treadle.serving.metrics import CONTENT_TYPE, Metrics
from treadle.serving.model_work import ModelWork
from treadle.serving.page import page
from treadle.serving.photo_work import PhotoThreads, RecipeWork
from treadle.serving.uploads import Gone, Upload, receive
from treadle.serving.vector_work import VectorWork, read_question

__all__ = ["Service"]

_log = logging.getLogger("treadle.serving")
_CLOSED = 499  # the client went away: a number that servers use, for the figures alone
_STOPPED = "the service was stopped before this was done"
_PLAIN_HEADERS = {"x-content-type-options": "nosniff", "cache-control": "no-store"}
_PHOTOS = ("image/*", "application/octet-stream")
Handler = Callable[[Any], Awaitable[Any]]


class Service:
    """What is offered over HTTP; `app` is for any ASGI server, and for one event loop at a time.

    `hosts` are the names by which clients may call it, which keeps other sites' pages from
    reaching it through a browser; None allows any."""

    def __init__(
        self,
        recipe: Recipe | None = None,
        *,
        model: Model | None = None,
        labels: Sequence[str] | None = None,
        index: Index | None = None,
        device: treadle.Device | str | None = None,
        limits: ServiceLimits | None = None,
        hosts: tuple[str, ...] | None = LOOPBACK,
        strip: bool = False,
    ) -> None:
        if recipe is None and model is None and index is None:
            raise treadle.LaunchError("a service needs a recipe, a network or an index")
        self.limits = limits or ServiceLimits()
        self.device = treadle.device(device)
        self.hosts = hosts
        self.draining = False  # a server sets it: answers close their connections
        self.in_progress = 0
        self._warm = self._ended = False
        self.metrics = Metrics()
        self.uploads = Budget(self.limits.max_memory // 2)
        self.threads = PhotoThreads(self.limits)
        self.photos = (
            None if recipe is None else RecipeWork(recipe, self.device, self.threads, strip=strip)
        )
        self.network = None if model is None else ModelWork(model, self.threads, labels)
        self.vectors = None if index is None else VectorWork(index)
        allow_pixels(self.limits.max_pixels)
        declare(self.metrics, self)
        self.app = self._app()

    def _app(self) -> Any:
        web = starlette()
        routes = [
            ("/", "page", self._page, ["GET"]),
            ("/health", "health", self._health, ["GET"]),
            ("/metrics", "metrics", self._metrics, ["GET"]),
            ("/about", "about", self._about, ["GET"]),
        ]
        if self.photos is not None:
            routes.append(("/image", "image", self._image, ["POST", "PUT"]))
        if self.network is not None:
            routes.append(("/classify", "classify", self._classify, ["POST", "PUT"]))
        if self.vectors is not None:
            routes.append(("/nearest", "nearest", self._nearest, ["POST"]))
        inner = web.Starlette(
            routes=[
                web.Route(path, partial(self._answered, name, handler), methods=methods)
                for path, name, handler, methods in routes
            ],
            exception_handlers={web.HTTPException: self._unrouted},
            lifespan=self._life,
        )
        # It would answer before anything is checked, with an address made of what a client says.
        inner.router.redirect_slashes = False
        return inner

    def warm(self) -> None:
        """Compile what requests will need, once; raise where what is offered cannot work. The app
        does it when it begins, before it answers; to do it before shows what is wrong sooner."""
        if not self._warm:
            for work in (self.photos, self.network):
                if work is not None:
                    work.warm()
            self._warm = True

    @asynccontextmanager
    async def _life(self, _: Any) -> AsyncIterator[None]:
        if self._ended:
            raise treadle.LaunchError("a service that has ended does not begin again; make another")
        self.threads.open()
        try:
            await self.threads.run(self.warm)
            yield
        finally:
            self._ended = True
            for work in (self.photos, self.network):
                if work is not None:
                    await work.aclose()
            self.threads.close()

    # Around every request.

    async def _answered(self, name: str, handler: Handler, request: Any) -> Any:
        """Call a handler; count it, and turn what it raises into an answer."""
        began = perf_counter()
        counted = name not in ("health", "metrics")
        self.in_progress += counted
        status = 500
        try:
            check_sender(request, self.hosts)
            if counted and self.in_progress > self.limits.max_requests:
                raise Refusal(503, "too many requests at the same time; try again", Retry_After="1")
            answer = await handler(request)
            status = answer.status_code
            return self._leaving(answer)
        except Gone:
            status = _CLOSED
            return _Nothing()
        except Exception as error:
            # Where the service has ended meanwhile, what it computes with is closed.
            refusal = Refusal(503, _STOPPED) if self._ended else _refusal(error)
            status = refusal.status
            return self._refused(refusal)
        except asyncio.CancelledError:
            status = 503
            if not self.draining:
                raise
            return self._refused(Refusal(503, _STOPPED))
        finally:
            self.in_progress -= counted
            self.metrics.count("treadle_requests_total", endpoint=name, status=str(status))
            self.metrics.took("treadle_request_seconds", perf_counter() - began, endpoint=name)

    async def _unrouted(self, request: Any, error: Any) -> Any:
        """Answer a request that has no handler."""
        self.metrics.count(
            "treadle_requests_total", endpoint="other", status=str(error.status_code)
        )
        if error.status_code == 405:
            allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
            said = f"{request.url.path[:100]} takes {allowed}, not {request.method[:20]}"
            return self._refused(Refusal(405, said, Allow=allowed))
        known = ", ".join(each.path for each in self.app.routes)
        return self._refused(Refusal(error.status_code, f"there is nothing here; try {known}"))

    def _refused(self, refusal: Refusal) -> Any:
        said = {"error": str(refusal), "status": refusal.status}
        return self._leaving(_json(said, refusal.status, refusal.headers))

    def _leaving(self, answer: Any) -> Any:
        if self.draining:
            answer.headers["connection"] = "close"
        return answer

    # What is offered.

    async def _page(self, request: Any) -> Any:
        text, policy = page(self._described())
        headers = {
            **_PLAIN_HEADERS,
            "content-security-policy": policy,
            "referrer-policy": "no-referrer",
            "x-frame-options": "DENY",
        }
        return starlette().HTMLResponse(text, headers=headers)

    async def _health(self, request: Any) -> Any:
        if self.draining:
            return _json({"status": "draining"}, 503)
        return _json({"status": "ok"})

    async def _metrics(self, request: Any) -> Any:
        return starlette().Response(
            self.metrics.text(), headers={"content-type": CONTENT_TYPE, **_PLAIN_HEADERS}
        )

    async def _about(self, request: Any) -> Any:
        return _json(self._described())

    def _described(self) -> dict[str, Any]:
        """What is offered, for programs and for the page."""
        said: dict[str, Any] = {
            "version": treadle.__version__,
            "device": self.device.name,
            "max_bytes": self.limits.max_bytes,
            "max_pixels": self.limits.max_pixels,
        }
        if self.photos is not None:
            recipe = self.photos.recipe
            said["recipe"] = {
                "name": recipe.label,
                "description": recipe.description,
                "stages": [stage.kernel for stage in recipe.stages],
                "formats": list(negotiate.MEDIA_TYPES),
            }
        if self.network is not None:
            said["model"] = {
                "name": self.network.model.name,
                "classes": self.network.labels and len(self.network.labels),
            }
        if self.vectors is not None:
            index = self.vectors.index
            said["index"] = {"dim": index.dim, "metric": index.metric, "rows": len(index)}
        return said

    async def _image(self, request: Any) -> Any:
        assert self.photos is not None
        query = request.query_params
        formats = negotiate.wanted(query.get("format"), request.headers.get("accept"))
        quality = _whole(query.get("quality"), "quality", 1, 100)
        async with self._received(request, _PHOTOS) as upload:
            work = self.photos.make(upload.content, formats, quality)
            made = await _while_connected(request, work)
        self.metrics.count("treadle_answer_bytes_total", len(made.data))
        headers = {
            **_PLAIN_HEADERS,
            "content-type": negotiate.MEDIA_TYPES[made.format],
            "server-timing": self._spent(made.seconds),
            "vary": "Accept",
        }
        return starlette().Response(made.data, headers=headers)

    async def _classify(self, request: Any) -> Any:
        assert self.network is not None
        top = _whole(request.query_params.get("top"), "top", 1, 100) or 5
        async with self._received(request, _PHOTOS) as upload:
            work = self.network.classify(upload.content, top)
            found, seconds = await _while_connected(request, work)
        return _json({"classes": found}, headers={"server-timing": self._spent(seconds)})

    def _spent(self, seconds: Mapping[str, float]) -> str:
        """Count what each stage took, and say it as a header does."""
        for stage, each in seconds.items():
            self.metrics.took("treadle_stage_seconds", each, stage=stage)
        return ", ".join(f"{stage};dur={each * 1e3:.1f}" for stage, each in seconds.items())

    async def _nearest(self, request: Any) -> Any:
        assert self.vectors is not None
        query = request.query_params
        types = ("application/json", "application/octet-stream")
        async with self._received(request, types) as upload:
            question = await self.threads.run(
                read_question, upload.data, upload.media, self.vectors.index.dim,
                query.get("k"), query.get("where"),
            )  # fmt: skip
            return _json(await _while_connected(request, self.vectors.find(question)))

    @asynccontextmanager
    async def _received(self, request: Any, types: tuple[str, ...]) -> AsyncIterator[Upload]:
        async with receive(request, self.limits, self.uploads, types) as upload:
            self.metrics.count("treadle_upload_bytes_total", len(upload.data))
            yield upload


class _Nothing:
    """The answer to a client that is gone."""

    status_code = _CLOSED

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        pass


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    more = {"content-type": "application/json", **_PLAIN_HEADERS, **(headers or {})}
    return starlette().Response(text.encode("utf-8", "replace"), status, headers=more)


def _whole(given: str | None, name: str, least: int, most: int) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and least <= int(given[:9]) <= most):
        raise Refusal(400, f"{name}: expected {least} to {most}, got {given[:40]!r}")
    return int(given)


def _refusal(error: Exception) -> Refusal:
    """What an error is to a client. One that was not foreseen is shown in the log alone."""
    match error:
        case Refusal():
            return error
        case treadle.QueueFull():
            return Refusal(503, "too many requests at the same time; try again", Retry_After="1")
        case MemoryError():
            return Refusal(503, "not enough memory for this request; try again", Retry_After="1")
        case treadle.DeviceError():
            _log.error("%s", error)
            return Refusal(503, str(error).partition("\n")[0])
        case treadle.TreadleError():
            _log.error("%s", error)
            return Refusal(500, str(error).partition("\n")[0])
    _log.error("a request failed", exc_info=error)
    return Refusal(500, "the service failed; its log says more")


async def _while_connected(request: Any, work: Coroutine[Any, Any, Any]) -> Any:
    """Await some work, unless the client goes away meanwhile; then the work is cancelled."""
    task = asyncio.ensure_future(work)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Gone
        return task.result()
    finally:
        left.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))


async def _left(request: Any) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
