"""Callbacks: on the loop that runs where they were added, or on the device's own thread."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import sys
import threading
import types
import weakref

import pytest

import treadle
from runtime.shared import times, vector
from runtime.test_await import RUNNERS

PATIENCE = 30.0


@pytest.fixture(params=sorted(RUNNERS))
def run(request):
    """Run a coroutine, and fail instead of hanging."""
    return lambda main: RUNNERS[request.param](asyncio.wait_for(main, PATIENCE))


def submit(device, *values):
    return device.submit(times, [vector(device, *values)])


def three(device):
    return [submit(device, number, number) for number in range(3)]


def test_a_callback_runs_on_the_loop_that_added_it_in_the_context_of_then(manual, run):
    device, backend = manual
    which = contextvars.ContextVar("which", default="none")

    async def main():
        called = []
        came = asyncio.Event()

        def note(command):
            called.append((command, which.get(), asyncio.get_running_loop()))
            if len(called) == 3:
                came.set()

        command = submit(device, 1)
        which.set("current")
        command.add_done_callback(note)
        other = contextvars.Context()
        other.run(which.set, "given")
        command.add_done_callback(note, context=other)
        command.add_done_callback(note, context=contextvars.Context())  # empty
        which.set("later")
        backend.complete()
        assert called == []  # the loop has not had its turn
        await came.wait()
        loop = asyncio.get_running_loop()
        assert called == [(command, each, loop) for each in ("current", "given", "none")]

    run(main())


def test_a_callback_added_after_the_end_is_called_soon_and_not_at_once(manual, run):
    device, backend = manual

    async def main():
        command = submit(device, 1)
        backend.complete()
        called = asyncio.get_running_loop().create_future()
        command.add_done_callback(called.set_result)
        assert not called.done()
        assert await called is command

    run(main())


def test_a_callback_without_a_loop_runs_on_the_devices_thread_in_a_given_context(manual):
    device, backend = manual
    which = contextvars.ContextVar("which", default="none")
    context = contextvars.copy_context()
    context.run(which.set, "given")
    called, came = [], threading.Event()

    def note(command):
        called.append((which.get(), threading.current_thread() is threading.main_thread()))
        if len(called) == 2:
            came.set()

    command = submit(device, 1)
    command.add_done_callback(note, context=context)
    command.add_done_callback(note)
    backend.complete()
    assert came.wait(PATIENCE)
    assert called == [("given", False), ("none", False)]


def test_what_a_callback_raises_goes_to_the_loops_handler(manual, run):
    device, backend = manual

    async def main():
        reported = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().set_exception_handler(lambda _, c: reported.set_result(c))
        command = submit(device, 1)
        command.add_done_callback(lambda _: 1 / 0)
        backend.complete()
        assert isinstance((await reported)["exception"], ZeroDivisionError)
        assert await command is command.output

    run(main())


@pytest.mark.parametrize("looped", [True, False])
def test_a_callback_can_be_taken_back(manual, looped):
    device, backend = manual
    called, came = [], threading.Event()

    def act():
        command = submit(device, 1)
        command.add_done_callback(called.append)
        command.add_done_callback(called.append)
        command.add_done_callback(lambda _: came.set())
        assert command.remove_done_callback(called.append) == 2
        assert command.remove_done_callback(called.append) == 0
        assert len(command._waiters) == 1
        backend.complete()
        assert command.remove_done_callback(called.append) == 0
        return command

    if looped:

        async def main():
            command = act()
            done = asyncio.get_running_loop().create_future()
            command.add_done_callback(done.set_result)  # behind the others
            await done

        asyncio.run(main())
    else:
        act()
    assert came.wait(PATIENCE)
    assert called == []


def test_callbacks_of_a_batch_share_a_wake_up(manual):
    device, backend = manual

    async def main():
        loop = asyncio.get_running_loop()
        called, came, calls = [], asyncio.Event(), []
        commands = three(device)
        for command in commands:
            command.add_done_callback(lambda c: (called.append(c), len(called) == 3 and came.set()))
        real = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *args, **kw: calls.append(args) or real(*args, **kw)
        try:
            backend.complete_all()
        finally:
            del loop.call_soon_threadsafe
        assert len(calls) == 1
        await came.wait()
        assert called == commands

    asyncio.run(main())


def test_a_loop_that_is_closed_drops_its_callbacks(manual):
    device, backend = manual
    command = submit(device, 1)
    called, came = [], threading.Event()

    async def main():
        command.add_done_callback(called.append)

    asyncio.run(main())
    command.add_done_callback(lambda _: came.set())
    backend.complete()
    assert came.wait(PATIENCE)
    assert (called, command.status) == ([], "completed")


def test_neither_callbacks_nor_what_they_hold_outlive_their_use(manual):
    device, backend = manual

    class Note:
        def __call__(self, command):
            pass

    async def main():
        notes = [Note() for _ in range(3)]
        gone = [weakref.ref(note) for note in notes]
        ended, removed, left = three(device)
        for command, note in zip((ended, removed, left), notes, strict=True):
            command.add_done_callback(note)
        assert removed.remove_done_callback(notes[1]) == 1
        backend.complete(backend.pending[0])
        await ended
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        del command, note, notes
        return gone, left

    gc.disable()
    try:
        gone, left = asyncio.run(main())
        assert [each() is None for each in gone] == [True, True, False]
        backend.complete_all()  # its loop is closed
        assert left.wait(PATIENCE).status == "completed"
        assert gone[2]() is None
    finally:
        gc.enable()


def test_several_loops_wait_and_are_called_each_on_its_own_thread(manual):
    device, backend = manual
    command = submit(device, 1)
    ready = threading.Barrier(5)
    called = []

    def work():
        async def main():
            came = asyncio.get_running_loop().create_future()

            def note(ended):
                called.append(threading.current_thread())
                came.set_result(ended)

            command.add_done_callback(note)
            waiting = asyncio.create_task(asyncio.wait([command]))
            await asyncio.sleep(0)
            ready.wait(PATIENCE)
            assert await waiting == ({command}, set())
            assert await came is command
            assert threading.current_thread() in called

        asyncio.run(asyncio.wait_for(main(), PATIENCE))
        ended.append(threading.current_thread())

    ended = []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait(PATIENCE)
    backend.complete()
    for thread in threads:
        thread.join(PATIENCE)
    assert set(called) == set(ended) == set(threads)


def test_a_finalizer_on_a_loop_may_add_a_callback_and_take_it_back(manual, run):
    device, backend = manual

    async def main():
        command = submit(device, 1)
        called = asyncio.get_running_loop().create_future()
        unwanted = []
        # As the garbage collector does, in the middle of a change.
        device.queue.tell(lambda *_: command.add_done_callback(called.set_result), None)
        command.add_done_callback(unwanted.append)
        removed = []
        device.queue.tell(
            lambda *_: removed.append(command.remove_done_callback(unwanted.append)), None
        )
        assert removed == [1]
        backend.complete()
        assert await called is command
        assert unwanted == []

    run(main())


def test_a_device_that_is_gone_still_calls(manual, run):
    device, backend = manual

    async def main():
        number = submit(device, 1).id
        backend.complete()
        record = treadle.runtime.registry.find(number)
        record._owner = None  # as it is when the device was closed and collected
        called = asyncio.get_running_loop().create_future()
        record.add_done_callback(called.set_result)
        assert await called is record

    run(main())


def test_adding_a_callback_does_not_import_asyncio(manual):
    device, backend = manual
    command = submit(device, 1)
    backend.complete()
    came = threading.Event()
    loaded = sys.modules.pop("asyncio")
    try:
        command.add_done_callback(lambda _: came.set())
        assert "asyncio" not in sys.modules
    finally:
        sys.modules["asyncio"] = loaded
    assert came.wait(PATIENCE)


def test_a_callback_is_added_while_another_thread_imports_asyncio(manual, monkeypatch):
    """The module is there from the first moment of an import on, and empty."""
    device, backend = manual
    command, called = submit(device, 1), threading.Event()
    monkeypatch.setitem(sys.modules, "asyncio", types.ModuleType("asyncio"))
    command.add_done_callback(lambda _: called.set())
    backend.complete()
    assert called.wait(PATIENCE)
