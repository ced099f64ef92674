"""anyio, which runs on asyncio, and trio, which is refused with one clear error and never hangs."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import anyio
import pytest
import trio

import treadle
from runtime.shared import times, vector

PATIENCE = 30.0
REFUSED = r"not under trio; .*await trio\.to_thread\.run_sync\(command\.wait\)"


def test_anyio_awaits_and_cancels_the_waiting_only(manual):
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        with anyio.move_on_after(0.001) as scope:
            await command
        assert scope.cancelled_caught
        assert (command.status, command._waiters) == ("running", [])
        seen = []

        async def ended():
            seen.append(await command)

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as group:
                group.start_soon(ended)
                group.start_soon(ended)
                await anyio.lowlevel.checkpoint()
                backend.complete()
        assert seen == [command.output] * 2
        return await command.output.read_async()

    assert memoryview(anyio.run(main)).cast("f").tolist() == [2.0, 4.0]


def test_anyio_iterates_over_streams_and_as_completed(inline):
    async def main():
        commands = [inline.submit(times, [vector(inline, n)]) for n in range(3)]
        assert {c async for c in treadle.as_completed(commands)} == set(commands)
        out = await inline.run_kernel_async(times, [vector(inline, 3.0)])
        compute = lambda batch: inline.submit(times, [batch])  # noqa: E731
        batches = [vector(inline, n) for n in range(4)]
        async with treadle.stream(batches, compute=compute, device=inline) as stream:
            results = [float(result[0]) async for result in stream]
        return out.read_list(), results

    assert anyio.run(main) == ([6.0], [0.0, 2.0, 4.0, 6.0])


async def awaits(device):
    await device.submit(times, [vector(device, 1)])


async def reads(device):
    await vector(device, 1).read_async()


async def runs(device):
    before = device.in_flight
    try:
        await device.run_kernel_async(times, [vector(device, 1)])
    finally:
        assert device.in_flight == before  # nothing was submitted


async def follows(device):
    async for _ in treadle.as_completed([device.submit(times, [vector(device, 1)])]):
        pass


async def streams(device):
    compute = lambda batch: device.submit(times, [batch])  # noqa: E731
    async with treadle.stream([vector(device, 1)], compute=compute, device=device) as stream:
        async for _ in stream:
            pass


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("tried", [awaits, reads, runs, follows, streams])
def test_trio_is_told_what_to_do_instead(make_manual, tried, ended):
    device, backend = make_manual(inline=ended)  # also where nothing has to be waited for
    with pytest.raises(treadle.CommandError, match=REFUSED) as caught:
        trio.run(tried, device)
    assert type(caught.value) is treadle.CommandError
    if not ended:
        backend.complete_all()


def test_what_trio_is_told_to_do_works(manual):
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.to_thread.run_sync, command.wait)
                await trio.lowlevel.checkpoint()
                backend.complete()
            return await trio.to_thread.run_sync(command.output.read)

    assert memoryview(trio.run(main)).cast("f").tolist() == [2.0, 4.0]


def test_asyncio_is_not_taken_for_trio_where_both_are_loaded(inline):
    async def under_trio():
        async def under_asyncio():
            return (await inline.submit(times, [vector(inline, 1)])).read_list()

        return await trio.to_thread.run_sync(anyio.run, under_asyncio)

    assert trio.run(under_trio) == [2.0]


def test_trio_as_a_guest_of_asyncio_is_refused_too(inline):
    async def guest():
        await inline.submit(times, [vector(inline, 1)])

    async def main():
        running = asyncio.get_running_loop()
        over = running.create_future()
        trio.lowlevel.start_guest_run(
            guest,
            run_sync_soon_threadsafe=running.call_soon_threadsafe,
            done_callback=over.set_result,
        )
        with pytest.raises(treadle.CommandError, match=REFUSED):
            (await over).unwrap()
        return (await inline.submit(times, [vector(inline, 2)])).read_list()

    assert anyio.run(main) == [4.0]


def test_neither_is_imported_by_treadle():
    code = "import sys, treadle; print({'anyio', 'asyncio', 'trio'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
