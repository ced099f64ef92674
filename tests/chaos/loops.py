"""Event loops that are closed, and tasks that are cancelled, while something is awaited."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import threading
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

import treadle
from chaos.calls import behind
from chaos.ground import KINDS, LENGTH, Ground, present
from chaos.watch import PATIENCE, Failure, Watch
from runtime.shared import plus, times

TASKS = 8


def cases() -> list[str]:
    """A case for each kind of device, and for how its loops end."""
    kinds = [kind for kind in KINDS if present(kind)]
    return [f"{kind}/{how}" for kind in kinds for how in ("cancelled", "closed", "dropped")]


async def _stream(g: Ground) -> None:
    batches = [np.full(LENGTH, float(k), np.float32) for k in range(4)]
    made = treadle.stream(batches, compute=times, params={"k": 2.0}, device=g.device)
    async for _ in made:
        await asyncio.sleep(0)


async def _completed(g: Ground) -> None:
    commands = [g.device.submit(times, g.a, k=1.0) for _ in range(3)]
    async for command in treadle.as_completed(commands):
        assert command.done


async def _await(g: Ground) -> None:
    await behind(g)


async def _called(g: Ground) -> None:
    loop, heard = asyncio.get_running_loop(), asyncio.Event()

    def tell(_: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(heard.set)

    g.device.submit(times, g.large, k=1.0).add_done_callback(tell)
    await heard.wait()


DEEDS: dict[str, Callable[[Ground], Awaitable[Any]]] = {
    "await": _await,
    "read": lambda g: g.a.read_async(),
    "run": lambda g: g.device.run_kernel_async(plus, [g.a, g.other], g.out),
    "stream": _stream,
    "completed": _completed,
    "called": _called,
}


async def _one(deed: Callable[[Ground], Awaitable[Any]], ground: Ground) -> None:
    with contextlib.suppress(treadle.CommandFailed, treadle.CommandCancelled):
        await deed(ground)


async def _some(ground: Ground, dice: random.Random, *, cancel: bool, stay: int) -> None:
    tasks = [
        asyncio.ensure_future(_one(DEEDS[dice.choice([*DEEDS])], ground)) for _ in range(TASKS)
    ]
    if dice.random() < 0.5:
        behind(ground)
    for _ in range(stay):
        await asyncio.sleep(0)
        if cancel and dice.random() < 0.4:
            dice.choice(tasks).cancel()
    if cancel:
        ground.on()
        async with asyncio.timeout(2 * PATIENCE):
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await task


def _round(how: str, ground: Ground, dice: random.Random) -> None:
    stay = dice.randrange(12)
    if dice.random() < 0.5:
        ground.off()
    if how == "cancelled":
        asyncio.run(_some(ground, dice, cancel=True, stay=stay))
        return
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    try:
        loop.run_until_complete(_some(ground, dice, cancel=False, stay=stay))
        if how == "closed":  # as asyncio.run does at its end, with launches that still run
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            ground.on()
            loop.run_until_complete(asyncio.wait_for(_gather(left), 2 * PATIENCE))
            loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()  # "dropped": with tasks in the middle of everything


class Collecting:
    """Has garbage collected again and again inside a with block: a task of a closed loop, which
    nobody resumes, holds its place until the collector finds it."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="collecting", daemon=True)

    def _run(self) -> None:
        while not self._over.wait(0.01):
            gc.collect()

    def __enter__(self) -> None:
        gc.collect()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


async def _gather(tasks: set[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def run(case: str, watch: Watch) -> None:
    """Run loops until the time is over."""
    kind, how = case.split("/")
    warnings.simplefilter("ignore")
    ground = Ground(kind)
    for number in watch.rounds():
        watch.at(number, limit=8 * PATIENCE)
        try:
            _round(how, ground, watch.dice(number))
        except TimeoutError:
            raise Failure("a task never ends") from None
        ground.on()
        with Collecting():
            ground.check(watch)
        watch.counts["loops"] += 1
    gc.collect()
    watch.until(lambda: ground.device.in_flight == 0, "left in flight")
    ground.check_memory(watch)
    ground.close(watch)
