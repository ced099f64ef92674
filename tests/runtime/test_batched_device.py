"""Batched kernels and pipelines, on devices whose work ends when the test says so."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from runtime.shared import both, plus, shifted, times
from treadle.batching import submitted
from treadle.errors import CommandCancelled, CommandFailed, DeviceLost, LaunchError


def item(*values):
    return np.array(values, np.float32)


async def rounds(count=6):
    """Let the loop go round a few times, without any time passing."""
    for _ in range(count):
        await asyncio.sleep(0)


async def launched(backend, count=1):
    """The launches that are pending, once there are as many."""
    while len(backend.pending) < count:
        await asyncio.sleep(0)
    return backend.pending


def tasks_of(function, *items):
    return [asyncio.create_task(function(each)) for each in items]


async def answered(tasks, backend):
    """End whatever is launched until all tasks have an answer."""
    while not all(task.done() for task in tasks):
        if backend.pending:
            backend.complete()
        await asyncio.sleep(0)
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_a_kernel_runs_once_for_items_that_come_together(apart):
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0})

    async def main():
        return await answered(tasks_of(triple, *[item(n, n) for n in range(4)]), backend)

    for n, found in enumerate(asyncio.run(main())):
        np.testing.assert_array_equal(found, [3 * n, 3 * n])
    assert triple.report.sizes == {4: 1}
    triple.close()


def test_no_thread_is_needed_for_what_the_host_sees(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device, params={"k": 3.0})

    async def main():
        before = set(threading.enumerate())
        found = await answered(tasks_of(triple, item(1), item(2)), backend)
        return found, set(threading.enumerate()) - before

    found, more = asyncio.run(main())
    assert [float(each[0]) for each in found] == [3, 6]
    assert not more
    triple.close()


def test_large_batches_are_put_together_on_a_thread(manual):
    device, backend = manual
    names = set()
    triple = treadle.batched(times, device=device, params={"k": 3.0})
    large = np.ones(200_000, np.float32)
    submit = device.submit
    device.submit = lambda *args, **options: (
        names.add(threading.current_thread().name) or submit(*args, **options)
    )

    async def main():
        return await answered(tasks_of(triple, large, large * 2), backend)

    one, two = asyncio.run(main())
    assert (one == 3).all()
    assert (two == 6).all()
    assert names == {"treadle-times-stack"}
    triple.close()


def test_the_next_batch_is_launched_before_the_last_one_ended(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device, params={"k": 3.0}, max_size=2)

    async def main():
        tasks = tasks_of(triple, *[item(n) for n in range(6)])
        await launched(backend, 2)
        await rounds()
        assert len(backend.pending) == 2  # and no more: the others may still be cancelled
        return await answered(tasks, backend)

    assert [float(each[0]) for each in asyncio.run(main())] == [0, 3, 6, 9, 12, 15]
    triple.close()


def test_arrays_in_use_are_not_filled_again(apart):
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0}, max_size=1)

    async def main():
        results = []
        for first in range(4):
            tasks = tasks_of(triple, item(first), item(first + 10))
            await launched(backend, 1)
            results += await answered(tasks, backend)
        return results

    found = [float(each[0]) for each in asyncio.run(main())]
    assert found == [0, 30, 3, 33, 6, 36, 9, 39]
    triple.close()


def test_several_inputs_and_outputs(apart):
    device, backend = apart
    added = treadle.batched(both, device=device)

    async def main():
        tasks = [
            asyncio.create_task(added(item(5), item(2))),
            asyncio.create_task(added((item(7), item(3)))),
            asyncio.create_task(added({"b": item(1), "a": item(9)})),
        ]
        return await answered(tasks, backend)

    found = [[float(part[0]) for part in each] for each in asyncio.run(main())]
    assert found == [[7, 3], [10, 4], [10, 8]]
    added.close()


def test_a_function_made_a_pipeline(apart):
    device, backend = apart

    @treadle.batched(device=device)
    @treadle.pipeline
    def enhanced(a, b):
        return times(plus(a, b), k=10.0)

    async def main():
        tasks = [asyncio.create_task(enhanced(item(n, n), item(1, 2))) for n in range(3)]
        return await answered(tasks, backend)

    assert [each.tolist() for each in asyncio.run(main())] == [[10, 20], [20, 30], [30, 40]]
    enhanced.close()


def test_a_recorded_pipeline(apart):
    device, backend = apart
    recorded = treadle.pipeline(device)
    x = recorded.buffer("x", device.empty((1, 2)))
    y = recorded.buffer("y", device.empty((1, 2)))
    recorded.add(times, x, recorded.temp((1, 2)), k=3.0)
    recorded.add(times, recorded.last, y, k=2.0)
    with pytest.raises(LaunchError, match="outputs"):
        treadle.batched(recorded, inputs="x")
    six = treadle.batched(recorded, inputs="x", outputs={"y": ((2,), "f32")}, device=device)

    async def main():
        tasks = tasks_of(six, item(1, 2), item(3, 4), {"x": item(5, 6)})
        return await answered(tasks, backend)

    assert [each.tolist() for each in asyncio.run(main())] == [[6, 12], [18, 24], [30, 36]]
    six.close()


def test_rows_of_a_kernel(apart):
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0}, rows=True)

    async def main():
        tasks = tasks_of(triple, np.ones((2, 3), np.float32), np.full((1, 3), 2, np.float32))
        return await answered(tasks, backend)

    one, two = asyncio.run(main())
    assert one.tolist() == [[3, 3, 3]] * 2
    assert two.tolist() == [[6, 6, 6]]
    triple.close()


def test_a_batch_is_as_urgent_as_its_most_urgent_item(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device, priority="background")

    async def main():
        tasks = [
            asyncio.create_task(triple(item(1))),
            asyncio.create_task(triple(item(2), priority="interactive")),
        ]
        (launch,) = await launched(backend)
        urgent = launch.priority
        return urgent, await answered(tasks, backend)

    assert asyncio.run(main())[0] == 0
    triple.close()


def test_a_callers_deadline_is_not_that_of_its_batch(manual):
    """The commands of a batch are submitted in no caller's name."""
    device, backend = manual
    triple = treadle.batched(times, device=device, params={"k": 3.0})
    device.max_running = 1

    async def main():
        with treadle.submitter("hasty", deadline=30.0):
            hasty = asyncio.create_task(triple(item(1)))
        other = asyncio.create_task(triple(item(2)))
        await launched(backend)
        (command,) = device.queue.snapshot()
        assert command._stamp is None or command._stamp[0] == float("inf")
        return await answered([hasty, other], backend)

    assert [float(each[0]) for each in asyncio.run(main())] == [3, 6]
    triple.close()


def test_a_full_queue_is_waited_for(apart):
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0})
    busy = device.submit(times, device.buffer([1.0]))
    device.max_in_flight = 1

    async def main():
        tasks = tasks_of(triple, item(1), item(2))
        await rounds()
        assert len(backend.pending) == 1
        backend.complete()
        return await answered(tasks, backend)

    assert [float(each[0]) for each in asyncio.run(main())] == [3, 6]
    assert busy.done()
    triple.close()


def test_ctrl_c_while_results_are_taken_loses_no_batch(apart, monkeypatch):
    """The runtime tells of an end again where Ctrl-C broke that off, and so it may come twice."""
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0})
    found, interrupted = [], []
    caller = threading.Thread(target=lambda: found.append(triple.run(item(1, 2))))
    caller.start()
    real = submitted.mapped

    def broken(*args):
        if not interrupted and threading.current_thread() is threading.main_thread():
            interrupted.append(True)
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(submitted, "mapped", broken)
    while caller.is_alive():
        if backend.pending:
            try:
                backend.complete()
            except KeyboardInterrupt:
                device.queue.advance()
    assert interrupted
    assert found[0].tolist() == [3, 6]
    triple.close()


def test_a_launch_that_fails_is_tried_again_in_halves(apart):
    device, backend = apart
    triple = treadle.batched(times, device=device, params={"k": 3.0})

    async def main():
        tasks = tasks_of(triple, *[item(n) for n in range(4)])
        while "times" not in (await launched(backend))[0].kernels:
            backend.complete()
        backend.fail()
        return await answered(tasks, backend)

    assert [float(each[0]) for each in asyncio.run(main())] == [0, 3, 6, 9]
    assert triple.report.sizes == {2: 2, 4: 1}
    triple.close()


def test_an_item_that_always_fails_gets_the_devices_error(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device)

    async def main():
        task = asyncio.create_task(triple(item(1)))
        await launched(backend)
        backend.fail()
        with pytest.raises(CommandFailed, match="failed by the test"):
            await task

    asyncio.run(main())
    triple.close()


def test_a_kernel_that_gives_another_number_of_results_is_told(manual):
    device, backend = manual
    folded = treadle.batched("reduce_sum", device=device)

    async def main():
        tasks = tasks_of(folded, item(1, 2), item(3, 4))
        return await answered(tasks, backend)

    for error in asyncio.run(main()):
        assert isinstance(error, LaunchError)
        assert "expected 2 results" in str(error)
    folded.close()


def test_what_a_device_cannot_take_is_refused_at_the_call(manual):
    device, _ = manual
    triple = treadle.batched(times, device=device)

    async def main():
        for bad, said in (
            ("text", "expected numbers"),
            (np.ones(2, np.complex64), "got c64"),
            (device.buffer([1.0]), "to_numpy"),
        ):
            with pytest.raises(LaunchError, match=said):
                await triple(bad)
        with pytest.raises(LaunchError, match="key"):
            await triple(item(1), key=3)

    asyncio.run(main())
    with pytest.raises(LaunchError, match="stack"):
        treadle.batched(times, stack=False)
    triple.close()


def test_a_wrong_number_of_inputs_is_each_callers_error(manual):
    device, _ = manual
    added = treadle.batched(plus, device=device)

    async def main():
        return await asyncio.gather(added(item(1)), added(item(2)), return_exceptions=True)

    for error in asyncio.run(main()):
        assert isinstance(error, LaunchError)
    added.close()


def test_a_batch_that_all_have_left_is_cancelled(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device)
    held = device.buffer([1.0])
    device.max_running = 1
    device.submit(times, held, held)

    async def main():
        tasks = tasks_of(triple, item(1), item(2))
        await rounds()
        assert device.in_flight == 2
        for task in tasks:
            task.cancel()
        await rounds()
        assert device.in_flight == 1  # it had not started
        backend.complete_all()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in found)

    asyncio.run(main())
    triple.close()


def test_threads_that_wait_share_batches_with_tasks(manual):
    device, backend = manual
    triple = treadle.batched(times, device=device, params={"k": 3.0}, max_in_flight=1)
    found = {}

    def call(n):
        found[n] = float(triple.run(item(n))[0])

    first = threading.Thread(target=call, args=(0,))
    first.start()
    backend.expect(1)
    others = [threading.Thread(target=call, args=(n,)) for n in (1, 2, 3)]
    for thread in others:
        thread.start()
    while triple.waiting < 3:
        pass

    async def main():
        task = asyncio.create_task(triple(item(4)))
        await rounds()
        return await answered([task], backend)

    assert float(asyncio.run(main())[0][0]) == 12
    while any(thread.is_alive() for thread in (first, *others)):
        if backend.pending:
            backend.complete()
    assert found == {0: 0, 1: 3, 2: 6, 3: 9}
    assert triple.report.sizes == {1: 1, 4: 1}
    triple.close()


def test_a_device_that_is_closed_is_each_callers_error(make_manual):
    device, _ = make_manual()
    triple = treadle.batched(times, device=device)

    async def main():
        tasks = tasks_of(triple, item(1), item(2))
        await rounds()
        device.close()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(
            isinstance(each, (CommandCancelled, DeviceLost, CommandFailed)) for each in found
        )
        with pytest.raises(DeviceLost):
            await triple(item(3))

    asyncio.run(main())
    triple.close()


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
def test_nothing_is_left_on_the_device(make_manual, shared):
    device, backend = make_manual(inline=True, shared=shared)
    # Planned here, and not by a thread, which may hold what it was asked for a little longer.
    device.run_kernel(times, [device.buffer(np.zeros((2, 2), np.float32))])
    before = backend.live_memory
    triple = treadle.batched(times, device=device)

    async def main():
        for _ in range(3):
            await answered(tasks_of(triple, item(1, 2), item(3, 4)), backend)

    asyncio.run(main())
    triple.close()
    del triple
    assert device.in_flight == 0
    device.close()  # and so the threads that copy, which may hold what they copied last
    assert backend.live_memory == before == 0


def test_a_stencil_reads_neighbours_inside_its_batch_only(manual):
    """`shifted` takes one axis: a batch has two, and that is told, not computed wrongly."""
    device, _ = manual
    wrong = treadle.batched(shifted, device=device)

    async def main():
        with pytest.raises((CommandFailed, LaunchError, treadle.KernelError)):
            await wrong(item(1, 2, 3))

    asyncio.run(main())
    wrong.close()
