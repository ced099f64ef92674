"""Batched functions and what they live in: loops that end, threads, forks, exits, Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import weakref

import numpy as np
import pytest

import treadle
from runtime.test_batched import Held
from runtime.test_process import forks, script
from treadle.errors import CommandCancelled, CommandError, DeviceError, LaunchError


def treadle_threads(name):
    return [t for t in threading.enumerate() if t.name.startswith(f"treadle-{name}")]


def test_several_loops_and_threads_at_once():
    """Whatever they do, each caller gets its own."""
    sizes = []

    def double(batch):
        sizes.append(len(batch))
        return batch * 2

    shared = treadle.batched(double, max_size=16)
    kernel = treadle.batched("neg", device="cpu", max_size=16)
    wrong = []

    def check(n, doubled, negated):
        if doubled != 2 * n or negated != -n:
            wrong.append((n, doubled, negated))

    async def ask(n):
        check(n, await shared(n), await kernel(np.float32(n)))

    async def many(base):
        for start in range(base, base + 60, 20):
            await asyncio.gather(*[ask(n) for n in range(start, start + 20)])

    def looping(base):
        asyncio.run(many(base))

    def waiting(base):
        for n in range(base, base + 40):
            check(n, shared.run(n), kernel.run(np.float32(n)))

    threads = [threading.Thread(target=looping, args=(1000 * k,)) for k in range(3)]
    threads += [threading.Thread(target=waiting, args=(10_000 * k,)) for k in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
    assert sum(sizes) == shared.report.items == kernel.report.items == 3 * 60 + 3 * 40
    shared.close()
    kernel.close()


def test_a_loop_that_is_closed_takes_its_own_callers_only():
    held = Held()
    loop = asyncio.new_event_loop()
    lost = []

    async def leave_one_behind():
        await held.first()
        lost.append(asyncio.create_task(held.batched(1)))
        await asyncio.sleep(0)

    loop.run_until_complete(leave_one_behind())
    loop.close()  # with two calls that no one will see answered

    async def other():
        task = asyncio.create_task(held.batched(2))
        await asyncio.sleep(0)
        held.go.set()
        return await task

    assert asyncio.run(other()) == 4
    held.batched.close()
    for task in lost:
        task._log_destroy_pending = False


def test_what_is_known_of_a_loop_goes_with_it():
    with treadle.batched(lambda batch: batch) as same:

        async def call():
            assert await same(1) == 1
            return weakref.ref(asyncio.get_running_loop())

        @treadle.batched
        async def begun(batch):
            return batch

        async def call_begun():
            assert await begun(1) == 1
            return weakref.ref(asyncio.get_running_loop())

        loops = [asyncio.run(call()), asyncio.run(call_begun())]
        gc.collect()
        assert [loop() for loop in loops] == [None, None]


def test_a_loop_that_ends_cancels_its_coroutine():
    ends = []

    @treadle.batched
    async def endless(batch):
        try:
            await asyncio.Event().wait()
        finally:
            ends.append(len(batch))

    async def main():
        asyncio.create_task(endless(1))  # noqa: RUF006  # asyncio.run cancels it
        asyncio.create_task(endless(2))  # noqa: RUF006
        for _ in range(5):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert ends == [2]

    async def again():
        return await asyncio.wait_for(endless(1), 1e-3)

    with pytest.raises(TimeoutError):
        asyncio.run(again())


def test_closing_answers_what_waits_and_refuses_the_rest():
    held = Held(max_delay=30.0)

    async def main():
        first = await held.first()
        waiting = asyncio.create_task(held.batched(1))
        await asyncio.sleep(0)
        closing = asyncio.create_task(held.batched.aclose())
        await asyncio.sleep(0)
        with pytest.raises(LaunchError, match="was closed"):
            await held.batched(2)
        assert not closing.done()
        with pytest.raises(CommandError, match="aclose"):
            held.batched.close()
        held.go.set()
        await closing
        return await first, await waiting

    assert asyncio.run(main()) == (0, 2)
    assert not treadle_threads("_double")
    with pytest.raises(LaunchError, match="was closed"):
        held.batched.run(1)
    held.batched.close()  # again does nothing


def test_closing_may_refuse_what_waits():
    held = Held()
    found = []

    def call(n):
        try:
            found.append(held.batched.run(n))
        except CommandCancelled as error:
            found.append(error)

    first = threading.Thread(target=call, args=(1,))
    first.start()
    assert held.begun.wait(60)
    other = threading.Thread(target=call, args=(2,))
    other.start()
    while not held.batched.waiting:
        pass
    closer = threading.Thread(target=held.batched.close, kwargs={"cancel": True})
    closer.start()
    other.join(60)
    held.go.set()
    first.join(60)
    closer.join(60)
    assert isinstance(found[0], CommandCancelled)
    assert found[1] == 2


def test_with_and_async_with_close():
    async def main():
        async with treadle.batched(lambda batch: batch + 1) as more:
            assert await more(1) == 2
        with pytest.raises(LaunchError):
            await more(1)

    asyncio.run(main())
    with treadle.batched(lambda batch: batch + 1) as more:
        assert more.run(1) == 2
    with pytest.raises(LaunchError):
        more.run(1)


def test_a_coroutine_function_that_threads_call_is_closed_with_its_loop():
    @treadle.batched
    async def inner_loop(batch):
        return batch * 2

    assert inner_loop.run(4) == 8
    assert treadle_threads("inner_loop-loop")
    inner_loop.close()
    assert not treadle_threads("inner_loop-loop")
    with pytest.raises(LaunchError, match="was closed"):
        inner_loop.run(4)


def test_no_more_threads_is_one_clear_error(monkeypatch):
    same = treadle.batched(lambda batch: batch)

    def refused(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)

        async def main():
            with pytest.raises(DeviceError, match="no thread could be started"):
                await same(1)

        asyncio.run(main())
    assert same.run(1) == 1  # the next call tries again
    same.close()


def test_ctrl_c_while_a_thread_waits_leaves_the_others(monkeypatch):
    held = Held()
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(
            target=lambda: held.begun.wait(60) and signal.raise_signal(signal.SIGINT), daemon=True
        ).start()
        with pytest.raises(KeyboardInterrupt):
            held.batched.run(1)
    finally:
        signal.signal(signal.SIGINT, previous)
    held.go.set()
    assert held.batched.run(2) == 4
    held.batched.close()


@forks
def test_after_a_fork_it_starts_anew(tmp_path):
    lines = script(
        """
        import asyncio, os, threading
        import numpy as np
        import treadle

        go, begun = threading.Event(), threading.Event()

        @treadle.batched
        def double(batch):
            begun.set()
            go.wait()
            return batch * 2

        negated = treadle.batched("neg", device="reference")
        negated.run(np.float32(1))
        first = threading.Thread(target=double.run, args=(1,))
        first.start()
        begun.wait()
        waiting = threading.Thread(target=double.run, args=(2,))
        waiting.start()
        while not double.waiting:
            pass
        child = os.fork()
        go.set()
        if not child:
            async def main():
                print(await double(4), float(await negated(np.float32(3))), double.waiting)

            asyncio.run(main())
            print(double.run(5), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        first.join()
        waiting.join()
        print(double.run(6))
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["8 -3.0 0", "10", "12"]


def test_an_exit_waits_for_nothing_and_refuses_what_waits(tmp_path):
    lines = script(
        """
        import atexit, threading
        import treadle
        from treadle.errors import TreadleError

        begun = threading.Event()

        def ask():  # registered before: called after what waits was refused
            try:
                stuck.run(3)
            except TreadleError as error:
                print(type(error).__name__)

        atexit.register(ask)

        @treadle.batched
        def stuck(batch):
            begun.set()
            threading.Event().wait()

        def call(n):
            try:
                stuck.run(n)
            except TreadleError as error:
                print(type(error).__name__, flush=True)
                told.set()

        import treadle.batching
        told = threading.Event()
        atexit.register(lambda: told.wait(30))
        for n in (1, 2):
            threading.Thread(target=call, args=(n,), daemon=True).start()
            begun.wait()
        while not stuck.waiting:
            pass
        atexit.unregister(treadle.batching.batched._end_all)
        atexit.register(treadle.batching.batched._end_all)
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["CommandCancelled", "LaunchError"]
