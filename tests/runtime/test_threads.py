"""Many threads at once: submitting, waiting, cancelling, freeing."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
from runtime.shared import plus, ready_device, times, vector


def together(count, work):
    """Run work(i) on `count` threads that start at the same moment; raise what any raised."""
    start, errors = threading.Barrier(count), []

    def run(i):
        start.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_submits_from_many_threads(device):
    one = treadle.buffer(np.ones(64, np.float32))
    shared = treadle.buffer(np.zeros(64, np.float32))

    def work(_):
        own = device.buffer_zeros(64)
        for _ in range(50):
            device.submit("elementwise_add", [shared, one], shared)
            device.submit("elementwise_add", [own, one], own)
        assert own.read_list() == [50.0] * 64

    together(4, work)
    assert shared.read_list() == [200.0] * 64  # none was lost, none ran at the same time
    device.synchronize()
    assert device.in_flight == 0


@pytest.mark.parametrize("options", [{"inline": True}, {"lanes": 1, "inline": True}])
def test_work_done_at_once_from_many_threads(options):
    device, _ = ready_device(**options)
    one, total = vector(device, 1, 1), vector(device, 0, 0)
    together(4, lambda _: [device.submit(plus, [total, one], total) for _ in range(300)])
    assert total.read_list() == [1200.0, 1200.0]
    assert device.in_flight == 0
    device.close()


@pytest.mark.parametrize("signals", [True, False])
def test_completing_on_one_thread_while_others_submit_and_cancel(signals):
    device, backend = ready_device(signals=signals)
    one, total = vector(device, 1, 1), vector(device, 0, 0)
    stop = threading.Event()

    def finisher():
        while not stop.is_set() or device.in_flight:
            if backend.pending:
                backend.complete()

    thread = threading.Thread(target=finisher)
    thread.start()

    def work(_):
        own = vector(device, 1, 1)
        for _ in range(60):
            counted = device.submit(plus, [total, one], total)
            device.submit(times, [own], own)
            dropped = device.submit(times, [own], own)
            if dropped.cancel():
                assert dropped.status == "cancelled"
            else:
                assert dropped.wait(60).status == "completed"
            counted.wait(60)

    together(3, work)
    stop.set()
    thread.join()
    assert device.in_flight == 0
    assert total.read_list() == [180.0, 180.0]
    assert not total._storage.readers
    assert not total._storage.writers
    device.close()


def test_freeing_while_others_use(device):
    def work(i):
        for _ in range(50):
            a = device.buffer_zeros(128)
            commands = [device.submit("exp", [a]) for _ in range(3)]
            a.free()
            for command in commands:
                assert command.wait(60).output.to_numpy()[i] == 1.0

    together(4, work)


def test_reading_while_others_write():
    device, _ = ready_device(inline=True)
    a = device.buffer_zeros(5)

    def work(i):
        for n in range(200):
            if i % 2:
                values = set(a.read_list())
                assert len(values) == 1  # never half of a write
            else:
                a.write([float(n)] * 5)

    together(4, work)
    device.close()


def test_waiting_from_many_threads_for_many_commands():
    device, backend = ready_device()
    commands = [device.submit(times, [vector(device, i, i)]) for i in range(20)]
    finisher = threading.Thread(target=backend.complete_all)

    def work(i):
        if i == 0:
            finisher.start()
        assert {c.id for c in treadle.as_completed(commands, timeout=60)} == {
            c.id for c in commands
        }
        treadle.wait_all([command.id for command in commands], timeout=60)

    together(4, work)
    finisher.join()
    device.close()
