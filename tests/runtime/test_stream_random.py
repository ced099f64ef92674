"""Random streams: whatever fails, is cancelled or comes late, nothing is lost or left."""

from __future__ import annotations

import asyncio
import gc
import threading

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from runtime.shared import ready_device, times

PATIENCE = 60.0
PHASES = ("source", "prepare", "compute", "collect", "device")
DEVICES = {
    "shared": {},
    "inline": {"inline": True},
    "apart": {"shared": False},
    "carried": {"shared": False, "carries": True, "ordered": True, "signals": False},
}

plans = st.fixed_dictionaries(
    {
        "count": st.integers(0, 12),
        "depth": st.integers(1, 5),
        "workers": st.integers(1, 3),
        "device": st.sampled_from(sorted(DEVICES)),
        "at_hand": st.booleans(),  # batches that lie ready, and nothing to prepare
        "form": st.sampled_from(["kernel", "function", "coroutine"]),
        "async_source": st.booleans(),
        "async_prepare": st.booleans(),
        "async_collect": st.booleans(),
        "with_collect": st.booleans(),
        "async_consumer": st.booleans(),
        "max_bytes": st.sampled_from([None, 1, 30, 100]),
        "on_error": st.sampled_from(["raise", "skip"]),
        "failures": st.dictionaries(st.integers(0, 12), st.sampled_from(PHASES), max_size=3),
        "leave_after": st.one_of(st.none(), st.integers(0, 12)),
        "ragged": st.booleans(),
    }
)


class Wrong(Exception):
    pass


class Played(threading.Thread):
    """Plays the device: completes what is launched, fails what is to fail, until told to stop."""

    def __init__(self, backend, failures) -> None:
        super().__init__(daemon=True)
        self._backend = backend
        self._failures = {n for n, phase in failures.items() if phase == "device"}
        self._stop_now = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._stop_now.is_set():
            pending = [launch for launch in list(self._backend.pending) if launch.startable]
            if not pending:
                self._stop_now.wait(0.0002)
                continue
            launch = pending[0]
            if launch.kernels != ["times"]:
                self._backend.complete(launch)
                continue
            region = launch.steps[0].regions[-1]
            first = region.memory.data[region.offset : region.offset + 4].view(np.float32)[0]
            if int(first) in self._failures:
                self._backend.fail(launch, Wrong(f"device {int(first)}"))
            else:
                self._backend.complete(launch)

    def stop(self) -> None:
        self._stop_now.set()
        self.join(PATIENCE)


def make(plan, device, closed):
    failures = plan["failures"]

    def check(phase, n):
        if failures.get(n) == phase:
            raise Wrong(f"{phase} {n}")

    def size(n):
        return 2 if plan["ragged"] and n == plan["count"] - 1 else 3

    def source():
        try:
            for n in range(plan["count"]):
                check("source", n)
                yield n
        finally:
            closed.append(True)

    async def source_async():
        try:
            for n in range(plan["count"]):
                await asyncio.sleep(0)
                check("source", n)
                yield n
        finally:
            closed.append(True)

    def prepare(n):
        check("prepare", n)
        return np.full(size(n), n, np.float32)

    async def prepare_async(n):
        await asyncio.sleep(0)
        return prepare(n)

    def compute(buffer):
        return device.submit(times, [buffer])

    async def compute_async(buffer):
        return await device.submit(times, [buffer])

    def collect(result):
        n = int(result[0]) // 2
        check("collect", n)
        assert result.tolist() == [2.0 * n] * size(n)
        return result

    async def collect_async(result):
        await asyncio.sleep(0)
        return collect(result)

    def batches():
        if plan["at_hand"]:
            return [prepare(n) for n in range(plan["count"])]
        return source_async() if plan["async_source"] else source()

    forms = {"kernel": times, "function": compute, "coroutine": compute_async}
    chosen = None
    if plan["with_collect"]:
        chosen = collect_async if plan["async_collect"] else collect
    return treadle.stream(
        batches(),
        prepare=None if plan["at_hand"] else prepare_async if plan["async_prepare"] else prepare,
        compute=forms[plan["form"]],
        collect=chosen,
        max_in_flight=plan["depth"],
        max_bytes=plan["max_bytes"],
        on_error=plan["on_error"],
        workers=plan["workers"],
        device=device,
    )


def possible(plan):
    """A plan without the failures that cannot happen in it."""
    never = {"compute"}
    if not plan["with_collect"]:
        never.add("collect")
    if plan["device"] == "inline":  # there is no moment in which it could fail
        never.add("device")
    if plan["at_hand"]:
        never |= {"source", "prepare"}
    kept = {n: phase for n, phase in plan["failures"].items() if phase not in never}
    return {**plan, "failures": kept}


plans = plans.map(possible)


def expected(plan):
    """What comes out, and the batch that raises, if any."""
    out = []
    for n in range(plan["count"]):
        phase = plan["failures"].get(n)
        if len(out) == plan["leave_after"]:
            return out, None
        if phase == "source" or (phase is not None and plan["on_error"] == "raise"):
            return out, n
        if phase is None:
            out.append(n)
    return out, None


def consume(plan, stream):
    out = []
    if plan["async_consumer"]:

        async def main():
            async with stream:
                if plan["leave_after"] != 0:
                    async for result in stream:
                        out.append(int(result[0]) // 2)
                        if len(out) == plan["leave_after"]:
                            break
            others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            return await asyncio.gather(*others)

        run = lambda: asyncio.run(main())  # noqa: E731
    else:

        def run():
            with stream:
                if plan["leave_after"] != 0:
                    for result in stream:
                        out.append(int(result[0]) // 2)
                        if len(out) == plan["leave_after"]:
                            break

    try:
        run()
    except treadle.BatchError as error:
        named = isinstance(error.__cause__, (Wrong, treadle.CommandFailed))
        return out, error.index if named else repr(error.__cause__)
    return out, None


@settings(max_examples=75, deadline=None)
@given(plans)
def test_nothing_is_lost_or_twice_or_out_of_order_or_left(plan):
    device, backend = ready_device(**DEVICES[plan["device"]])
    before = threading.active_count()
    closed: list = []
    player = Played(backend, plan["failures"])
    try:
        stream = make(plan, device, closed)
        assert consume(plan, stream) == expected(plan)
        del stream
    finally:
        player.stop()
    gc.collect()
    names = [thread.name for thread in threading.enumerate()]
    assert [name for name in names if name.startswith("treadle-stream")] == []
    assert device.in_flight == 0
    assert device.memory_in_use == 0
    if plan["leave_after"] != 0:
        assert closed == [True] or not plan["count"] or plan["async_source"] or plan["at_hand"]
    device.close()
    assert threading.active_count() <= before


@settings(max_examples=25, deadline=None)
@given(plans, st.integers(0, 40))
def test_cancelling_at_any_moment_releases_everything(plan, turns):
    device, backend = ready_device(**DEVICES[plan["device"]])
    player = Played(backend, plan["failures"])
    closed: list = []
    out: list = []

    async def consume_all():
        async for result in make(plan, device, closed):
            out.append(int(result[0]) // 2)

    async def main():
        task = asyncio.create_task(consume_all())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        await asyncio.gather(*others, return_exceptions=True)

    try:
        asyncio.run(main())
    finally:
        player.stop()
    whole, _ = expected({**plan, "leave_after": None})
    assert out == whole[: len(out)]
    gc.collect()
    names = [thread.name for thread in threading.enumerate()]
    assert [name for name in names if name.startswith("treadle-stream")] == []
    assert device.in_flight == 0
    assert device.memory_in_use == 0
    device.close()
