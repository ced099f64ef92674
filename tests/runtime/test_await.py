"""Awaiting: asyncio and uvloop, several loops at once, one wake-up for each batch."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest

import treadle
from runtime.shared import plus, times, vector

RUNNERS = {"asyncio": asyncio.run}
try:
    import uvloop
except ImportError:  # not on Windows
    pass
else:
    RUNNERS["uvloop"] = uvloop.run


@pytest.fixture(params=sorted(RUNNERS))
def run(request):
    return RUNNERS[request.param]


def test_await_gives_the_output(manual, run):
    device, backend = manual

    async def main():
        command = device.submit(plus, [vector(device, 1, 2), vector(device, 3, 4)])
        task = asyncio.ensure_future(command)
        await asyncio.sleep(0)
        assert not task.done()
        backend.complete()
        output = await task
        assert output is command.output
        return output.read_list()

    assert run(main()) == [4.0, 6.0]


def test_await_of_what_is_done_does_not_suspend(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    backend.complete()
    with pytest.raises(StopIteration) as stopped:
        command.__await__().send(None)  # without any loop
    assert stopped.value.value is command.output


def test_await_raises_what_went_wrong(manual, run):
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        backend.fail(1, ValueError("boom"))
        with pytest.raises(treadle.CommandFailed, match="boom") as caught:
            await command
        assert isinstance(caught.value.__cause__, ValueError)

    run(main())


def test_asyncio_tools_take_commands(manual, run):
    device, backend = manual

    async def main():
        commands = [device.submit(times, [vector(device, i, i)]) for i in range(6)]
        gathered = asyncio.gather(*commands[:2])
        limited = asyncio.ensure_future(asyncio.wait_for(commands[2], 30))
        waited = [asyncio.ensure_future(command) for command in commands[3:5]]

        async def one(command):
            return await command

        async with asyncio.TaskGroup() as group:
            grouped = group.create_task(one(commands[5]))
            await asyncio.sleep(0)
            backend.complete_all()
        assert await gathered == [command.output for command in commands[:2]]
        assert await limited is commands[2].output
        done, pending = await asyncio.wait(waited)
        assert (len(done), len(pending)) == (2, 0)
        assert grouped.result() is commands[5].output

    run(main())


def test_one_wake_up_for_each_batch(manual, run):
    device, _ = manual

    async def main():
        loop = asyncio.get_running_loop()
        woken = []
        commands = [device.submit(times, [vector(device, i, i)]) for i in range(8)]
        gathered = asyncio.gather(*commands)
        await asyncio.sleep(0)
        fences = [(command, None) for command in commands[:5]]
        put = treadle.runtime.waiters.Mailbox.ring

        def ring(mailbox):
            woken.append(mailbox)
            put(mailbox)

        treadle.runtime.waiters.Mailbox.ring = ring
        try:
            device.queue.finish(fences)
            assert len(woken) == 1
            device.queue.finish([(command, None) for command in commands[5:]])
        finally:
            treadle.runtime.waiters.Mailbox.ring = put
        assert len(woken) == 2
        assert loop is asyncio.get_running_loop()
        assert len(await gathered) == 8

    run(main())


def test_completions_before_the_loop_looks_share_a_wake_up(manual):
    device, backend = manual

    async def main():
        loop = asyncio.get_running_loop()
        commands = [device.submit(times, [vector(device, i, i)]) for i in range(8)]
        gathered = asyncio.gather(*commands)
        await asyncio.sleep(0)
        calls = []
        real = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *args, **kw: calls.append(args) or real(*args, **kw)
        try:
            backend.complete_all()  # the loop is busy here: it cannot look in between
        finally:
            del loop.call_soon_threadsafe
        assert len(calls) == 1
        await gathered

    asyncio.run(main())


def test_a_cancelled_task_leaves_the_command_running(manual, run):
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        task = asyncio.ensure_future(command)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert command.status == "running"
        assert command._waiters == []
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(command, 0.001)
        backend.complete()
        return (await command).read_list()

    assert run(main()) == [2.0, 4.0]


def test_a_closed_loop_is_dropped_silently(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    loop = asyncio.new_event_loop()
    task = loop.create_task(command._ended())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    backend.complete()
    assert command.wait(0).status == "completed"
    task._log_destroy_pending = False


def test_a_loop_closed_before_it_looked_is_forgotten(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    loop = asyncio.new_event_loop()
    task = loop.create_task(a.read_async())
    task._log_destroy_pending = False
    loop.run_until_complete(asyncio.sleep(0))
    later = device.submit(times, [a], a)
    backend.complete()  # the loop is told, and never runs again
    loop.close()
    gone = weakref.ref(loop)
    del loop, task
    gc.collect()
    assert gone() is None
    assert later.status == "running"  # what waited for the read goes on
    backend.complete()
    assert a.read_list() == [4.0, 8.0]


def test_several_loops_in_several_threads(manual, run):
    device, backend = manual
    shared = device.submit(times, [vector(device, 1, 2)])
    barrier = threading.Barrier(5)
    results = []

    def work(number):
        async def main():
            own = device.submit(times, [vector(device, number, number)])
            both = asyncio.gather(own, shared)
            await asyncio.sleep(0)
            barrier.wait()
            return [output.read_list() for output in await both]

        results.append((number, run(main())))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    barrier.wait()
    backend.complete_all()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(i, [[2.0 * i, 2.0 * i], [2.0, 4.0]]) for i in range(4)]


def test_async_for_over_as_completed(manual, run):
    device, backend = manual

    async def main():
        commands = [device.submit(times, [vector(device, i, i)]) for i in range(3)]
        backend.complete(backend.pending[1])
        seen = []

        async def consume():
            async for command in treadle.as_completed(commands):
                seen.append(commands.index(command))

        task = asyncio.create_task(consume())
        while len(seen) < 1:
            await asyncio.sleep(0)
        backend.complete(backend.pending[1])
        while len(seen) < 2:
            await asyncio.sleep(0)
        backend.complete()
        await task
        return seen

    assert run(main()) == [1, 2, 0]


def test_async_as_completed_times_out(manual, run):
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        with pytest.raises(treadle.CommandTimeout):
            await anext(treadle.as_completed([command], timeout=0.001))
        backend.complete()
        assert [c async for c in treadle.as_completed([command])] == [command]

    run(main())


def test_what_as_completed_suspends_refers_to_its_task_nowhere(manual, run):
    """Else Python 3.11 may crash where the loop is closed in the middle and all that is garbage."""
    device, backend = manual

    async def main():
        command = device.submit(times, [vector(device, 1, 2)])
        task = asyncio.ensure_future(anext(treadle.as_completed([command], timeout=60)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        kinds = {type(each).__name__ for each in gc.get_referrers(task)}
        assert not task.done()
        assert "Timeout" not in kinds
        backend.complete()
        assert await task is command

    run(main())


def test_read_async_suspends_instead_of_blocking(manual, run):
    device, backend = manual

    async def main():
        a = vector(device, 1, 2)
        device.submit(times, [a], a)
        task = asyncio.create_task(a.read_async())
        await asyncio.sleep(0)
        assert not task.done()
        later = device.submit(times, [a], a)  # must not overtake the read
        backend.complete()
        assert later.status == "pending"
        first = await task
        assert later.status == "running"
        backend.complete()
        return first, await a.read_async()

    first, second = run(main())
    assert [memoryview(data).cast("f").tolist() for data in (first, second)] == [[2, 4], [4, 8]]


def test_a_cancelled_read_lets_others_pass(manual, run):
    device, backend = manual

    async def main():
        a = vector(device, 1, 2)
        device.submit(times, [a], a)
        task = asyncio.create_task(a.read_async())
        await asyncio.sleep(0)
        later = device.submit(times, [a], a)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        backend.complete()
        assert later.status == "running"
        backend.complete()
        return (await later).read_list()

    assert run(main()) == [4.0, 8.0]


def test_run_kernel_async(manual, run):
    device, backend = manual

    async def main():
        task = asyncio.create_task(device.run_kernel_async(times, [vector(device, 1, 2)], k=5))
        await asyncio.sleep(0)
        backend.complete()
        return (await task).read_list()

    assert run(main()) == [5.0, 10.0]
