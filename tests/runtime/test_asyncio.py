"""What asyncio does with futures it does with commands: waiting, cancelling, timeouts."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from types import SimpleNamespace

import pytest

import treadle
from runtime.shared import times, vector
from runtime.test_await import RUNNERS
from treadle.runtime.waiters import wake_all

PATIENCE = 30.0


@pytest.fixture(params=sorted(RUNNERS))
def run(request):
    """Run a coroutine, and fail instead of hanging."""
    return lambda main: RUNNERS[request.param](asyncio.wait_for(main, PATIENCE))


def submit(device, *values):
    return device.submit(times, [vector(device, *values)])


def three(device):
    return [submit(device, number, number) for number in range(3)]


# asyncio.wait, which takes commands as they are.


@pytest.mark.parametrize("when", ["ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION"])
def test_wait_returns_commands_when_it_should(manual, run, when):
    device, backend = manual

    async def main():
        a, b, c = commands = three(device)
        task = asyncio.create_task(asyncio.wait(commands, return_when=when))
        await asyncio.sleep(0)
        backend.complete(backend.pending[1])
        if when == "FIRST_COMPLETED":
            assert await task == ({b}, {a, c})
            return
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not task.done()
        backend.fail(backend.pending[1], ValueError("boom"))
        if when == "FIRST_EXCEPTION":
            assert await task == ({b, c}, {a})
            assert a._waiters == []
            return
        backend.complete()
        assert await task == ({a, b, c}, set())
        assert [a.result(), b.result()] == [a.output, b.output]
        assert "boom" in str(c.exception())

    run(main())


def test_wait_gives_up_in_time_and_leaves_nothing_behind(manual, run):
    device, backend = manual

    async def main():
        ended, open_ = submit(device, 1), submit(device, 2)
        backend.complete()
        assert await asyncio.wait([ended, open_], timeout=0.001) == ({ended}, {open_})
        assert open_._waiters == []
        assert open_.status == "running"
        backend.complete()
        assert await asyncio.wait([open_], timeout=PATIENCE) == ({open_}, set())

    run(main())


def test_wait_takes_what_ended_and_tasks_and_commands_alike(manual, run):
    device, backend = manual

    async def main():
        ended, other = submit(device, 1), submit(device, 2)
        backend.complete()
        done, pending = await asyncio.wait([ended])
        assert (done, pending) == ({ended}, set())
        task = asyncio.ensure_future(other)
        asyncio.get_running_loop().call_soon(backend.complete)
        done, pending = await asyncio.wait([ended, other, task])
        assert (done, pending) == ({ended, other, task}, set())
        assert task.result() is other.result()

    run(main())


def test_a_cancelled_command_is_no_first_exception(manual, run):
    device, backend = manual

    async def main():
        a = vector(device, 1)
        first, second = device.submit(times, [a], a), device.submit(times, [a], a)
        task = asyncio.create_task(
            asyncio.wait([first, second], return_when=asyncio.FIRST_EXCEPTION)
        )
        await asyncio.sleep(0)
        assert second.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not task.done()
        backend.complete()
        assert await task == ({first, second}, set())
        assert [first.cancelled(), second.cancelled()] == [False, True]

    run(main())


def test_a_cancelled_wait_leaves_no_callback(manual, run):
    device, _ = manual

    async def main():
        commands = three(device)
        task = asyncio.create_task(asyncio.wait(commands))
        await asyncio.sleep(0)
        assert [len(command._waiters) for command in commands] == [1, 1, 1]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [command._waiters for command in commands] == [[], [], []]

    run(main())


# What wraps a command in a task.


def test_as_completed_gives_outputs_in_the_order_of_ends(manual, run):
    device, backend = manual

    async def main():
        commands = three(device)
        outputs = [command.output for command in commands]
        seen = []
        for each in asyncio.as_completed(commands):
            await asyncio.sleep(0)
            backend.complete(backend.pending[-1])
            got = await each
            seen.append([output is got for output in outputs].index(True))
        return seen

    assert run(main()) == [2, 1, 0]


def test_gather_collects_outputs_and_errors(manual, run):
    device, backend = manual

    async def main():
        a = vector(device, 1)
        good, bad = submit(device, 1), device.submit(times, [a], a)
        dropped = device.submit(times, [a], a)
        gathered = asyncio.gather(good, bad, dropped, return_exceptions=True)
        await asyncio.sleep(0)
        assert dropped.cancel()
        backend.complete()
        backend.fail(1, ValueError("boom"))
        output, failed, cancelled = await gathered
        assert output is good.output
        assert type(failed) is treadle.CommandFailed
        assert type(cancelled) is treadle.CommandCancelled

    run(main())


def test_who_awaits_a_command_that_is_cancelled_is_told_and_goes_on(manual, run):
    device, backend = manual

    async def main():
        a = vector(device, 1)
        first, second = device.submit(times, [a], a), device.submit(times, [a], a)
        task = asyncio.ensure_future(second)
        await asyncio.sleep(0)
        assert second.cancel()
        with pytest.raises(treadle.CommandCancelled):
            await task
        assert not task.cancelled()  # the task itself was not: its work went wrong
        backend.complete()
        await first

    run(main())


def test_a_task_group_takes_coroutines_over_commands(manual, run):
    device, backend = manual

    async def main():
        command = submit(device, 1)

        async def ended():
            return await command

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(ended()),
                group.create_task(device.run_kernel_async(times, [vector(device, 2)])),
            ]
            await asyncio.sleep(0)
            backend.complete_all()
        assert [task.result().read_list() for task in tasks] == [[2.0], [4.0]]

    run(main())


def test_a_failure_in_a_task_group_stops_the_other_tasks_but_no_command(manual, run):
    device, backend = manual

    async def main():
        good, bad = submit(device, 1), submit(device, 2)

        async def ended(command):
            return await command

        async def several():
            async with asyncio.TaskGroup() as group:
                tasks.append(group.create_task(ended(good)))
                group.create_task(ended(bad))
                await asyncio.sleep(0)
                backend.fail(backend.pending[1], ValueError("boom"))

        tasks = []
        with pytest.raises(ExceptionGroup) as caught:
            await several()
        assert [type(error) for error in caught.value.exceptions] == [treadle.CommandFailed]
        assert tasks[0].cancelled()
        assert (good.status, good._waiters) == ("running", [])
        backend.complete()
        assert (await good).read_list() == [2.0]

    run(main())


async def by_wait_for(command):
    await asyncio.wait_for(command, 0.001)


async def by_timeout(command):
    async with asyncio.timeout(0.001):
        await command


@pytest.mark.parametrize("limited", [by_wait_for, by_timeout])
def test_a_timeout_leaves_the_command_running_and_no_waiter(manual, run, limited):
    device, backend = manual

    async def main():
        command = submit(device, 1)
        with pytest.raises(TimeoutError):
            await limited(command)
        assert (command.status, command._waiters) == ("running", [])
        backend.complete()
        return (await command).read_list()

    assert run(main()) == [2.0]


def test_a_timeout_leaves_no_waiter_while_the_queue_is_busy(manual, run):
    device, backend = manual
    taken, given = threading.Event(), threading.Event()

    def busy():
        device.queue.tell(hold, None)

    def hold(*_):
        taken.set()
        given.wait(PATIENCE)

    async def main():
        command = submit(device, 1)
        task = asyncio.ensure_future(command)
        await asyncio.sleep(0)
        thread = threading.Thread(target=busy)
        thread.start()
        taken.wait(PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        given.set()
        thread.join()
        assert command._waiters == []
        backend.complete()
        await command

    run(main())


def test_a_shielded_command_is_waited_for_when_its_task_is_cancelled(manual, run):
    device, backend = manual

    async def main():
        command = submit(device, 1)
        inner = asyncio.ensure_future(command)

        async def outer():
            await asyncio.shield(inner)

        task = asyncio.create_task(outer())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not inner.done()
        backend.complete()
        assert await inner is command.output
        assert await asyncio.shield(command) is command.output  # as it is, too

    run(main())


def test_who_gives_up_does_not_keep_others_from_being_woken(manual, run):
    device, backend = manual

    async def main():
        command = submit(device, 1)
        tasks = [asyncio.ensure_future(command) for _ in range(6)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        backend.complete()  # before those tasks have noticed
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(each) for each in ended[::2]] == [asyncio.CancelledError] * 3
        assert ended[1::2] == [command.output] * 3

    run(main())


# What a command tells about itself.


def test_result_is_what_awaiting_gives_and_never_blocks(manual):
    device, backend = manual
    command = submit(device, 1)
    with pytest.raises(treadle.CommandError, match="still running and has no result yet") as caught:
        command.result()
    assert type(caught.value) is treadle.CommandError
    backend.complete()
    assert command.result() is command.output
    failing = submit(device, 1)
    backend.fail(1, ValueError("boom"))
    with pytest.raises(treadle.CommandFailed, match="boom"):
        failing.result()


def test_result_of_a_cancelled_command(manual):
    device, backend = manual
    a = vector(device, 1)
    first, second = device.submit(times, [a], a), device.submit(times, [a], a)
    assert [first.cancelled(), second.cancelled()] == [False, False]
    second.cancel()
    assert (second.done(), second.cancelled()) == (True, True)
    with pytest.raises(treadle.CommandCancelled):
        second.result()
    backend.complete()
    assert (first.done(), first.cancelled()) == (True, False)


def test_a_waiter_that_leaves_while_others_are_woken_takes_no_place_of_theirs():
    woken = []

    class Leaver:
        def wake(self, command):
            woken.append(self)
            waiters.remove(self)

    waiters = [Leaver() for _ in range(4)]
    everyone = list(waiters)
    ended = SimpleNamespace(_waiters=waiters)
    wake_all(deque([ended]))
    assert woken == everyone
