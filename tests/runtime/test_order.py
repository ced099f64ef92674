"""Order comes from data: which commands wait for which, views and in-place work included."""

from __future__ import annotations

import threading

import pytest

import treadle
from runtime.shared import both, plus, shifted, times, twice_shifted, vector


def statuses(*commands):
    return [str(command.status) for command in commands]


def test_commands_that_share_nothing_overlap(manual):
    device, backend = manual
    commands = [device.submit(times, [vector(device, i, i)]) for i in range(3)]
    assert statuses(*commands) == ["running"] * 3
    backend.complete(backend.pending[2])
    assert statuses(*commands) == ["running", "running", "completed"]


def test_read_after_write_waits(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), device.empty(2), device.empty(2)
    write = device.submit(times, [a], b)
    read = device.submit(times, [b], c)
    assert statuses(write, read) == ["running", "pending"]
    backend.complete_all()
    assert c.read_list() == [4.0, 8.0]


def test_write_after_read_waits(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), vector(device, 5, 5), device.empty(2)
    reads = [device.submit(times, [a], c), device.submit(times, [a])]
    write = device.submit(times, [b], a)
    assert statuses(*reads, write) == ["running", "running", "pending"]
    backend.complete(backend.pending[1])
    assert write.status == "pending"
    backend.complete_all()
    assert (c.read_list(), a.read_list()) == ([2.0, 4.0], [10.0, 10.0])


def test_write_after_write_waits(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 1), vector(device, 2, 2), device.empty(2)
    first, second = device.submit(times, [a], c), device.submit(times, [b], c)
    assert statuses(first, second) == ["running", "pending"]
    backend.complete_all()
    assert c.read_list() == [4.0, 4.0]


def test_readers_share(manual):
    device, _ = manual
    a = vector(device, 1, 2)
    assert statuses(*[device.submit(times, [a]) for _ in range(3)]) == ["running"] * 3


def test_views_of_other_rows_do_not_conflict(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    low = device.submit(times, [a[:2]], a[:2])
    high = device.submit(times, [a[2:]], a[2:])
    middle = device.submit(times, [a[1:3]])
    assert statuses(low, high, middle) == ["running", "running", "pending"]
    backend.complete(backend.pending[1])
    assert middle.status == "pending"  # it needs both
    backend.complete_all()
    assert a.read_list() == [2.0, 4.0, 6.0, 8.0]
    assert middle.output.read_list() == [8.0, 12.0]


def test_a_whole_buffer_conflicts_with_its_views(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    part = device.submit(times, [a[3:]], a[3:])
    whole = device.submit(times, [a])
    assert statuses(part, whole) == ["running", "pending"]
    backend.complete_all()
    assert whole.output.read_list() == [2.0, 4.0, 6.0, 16.0]


def test_a_long_chain_runs_in_order_without_recursion(manual):
    device, backend = manual
    a = vector(device, 1, 0)
    commands = [device.submit(plus, [a, a], a) for _ in range(20)]
    commands += [device.submit(times, [a], a, k=1.0) for _ in range(3000)]
    assert backend.complete_all() == 3020
    assert statuses(commands[-1]) == ["completed"]
    assert a.read_list() == [2.0**20, 0.0]


def test_a_long_chain_of_work_done_at_once_does_not_recurse(make_manual):
    device, backend = make_manual(hold_compiles=False)
    a = vector(device, 1, 0)
    first = device.submit(times, [a], a, k=1.0)
    rest = [device.submit(times, [a], a, k=1.0) for _ in range(3000)]
    backend._inline = True  # from now on launches end before launch returns
    backend.complete()
    assert statuses(first, rest[-1]) == ["completed", "completed"]


def test_in_place_elementwise_needs_no_scratch(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    before = device.memory_in_use
    device.submit(times, [a], a)
    assert device.memory_in_use == before
    assert backend.pending[0].kernels == ["times"]
    backend.complete()
    assert a.read_list() == [2.0, 4.0]


def test_in_place_with_neighbours_goes_through_scratch(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3)
    before = device.memory_in_use
    device.submit(shifted, [a], a)
    assert backend.pending[0].kernels == ["shifted", "copy"]
    assert device.memory_in_use == before + a.size
    backend.complete()
    assert device.memory_in_use == before
    assert a.read_list() == [2.0, 3.0, 3.0]


def test_an_overlap_that_is_not_exact_goes_through_scratch(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    device.submit(times, [a[:3]], a[1:])
    assert backend.pending[0].kernels == ["times", "copy"]
    backend.complete()
    assert a.read_list() == [1.0, 2.0, 4.0, 6.0]


def test_one_input_in_place_and_one_that_overlaps(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    device.submit(plus, [a[1:], a[:3]], a[1:])
    assert backend.pending[0].kernels == ["plus", "copy"]
    backend.complete()
    assert a.read_list() == [1.0, 3.0, 5.0, 7.0]


def test_several_outputs_in_place(manual):
    device, backend = manual
    a, b = vector(device, 5, 7), vector(device, 1, 2)
    device.submit(both, [a, b], [b, a])
    backend.complete_all()
    assert (b.read_list(), a.read_list()) == ([6.0, 9.0], [4.0, 5.0])


def test_a_composite_in_place(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    before = device.memory_in_use
    command = device.submit(twice_shifted, [a], a)
    backend.expect(1)
    # The input is read for the last time before the output is written: scratch, but no copy.
    assert backend.pending[0].kernels == ["shifted", "shifted"]
    backend.complete()
    command.wait()
    assert a.read_list() == [3.0, 4.0, 4.0, 4.0]
    assert device.memory_in_use == before


def test_a_composite_that_reads_its_input_again_in_place(manual):
    device, backend = manual

    @treadle.composite
    def looks_back(x):
        return plus(shifted(times(x, k=2.0)), x)

    a = vector(device, 1, 2, 3)
    command = device.submit(looks_back, [a], a)
    backend.expect(1)
    backend.complete()
    command.wait()
    assert a.read_list() == [5.0, 8.0, 9.0]


def test_a_composite_with_a_later_stage_that_reads_the_input(manual):
    device, backend = manual

    @treadle.composite
    def scaled_and_shifted(x):
        return times(x, k=2.0), shifted(x)

    a, out = vector(device, 1, 2, 3), device.empty(3)
    command = device.submit(scaled_and_shifted, [a], [a, out])
    backend.expect(1)
    assert backend.pending[0].kernels == ["times", "shifted", "copy"]
    backend.complete()
    command.wait()
    assert (a.read_list(), out.read_list()) == ([2.0, 4.0, 6.0], [2.0, 3.0, 3.0])


def test_outputs_that_overlap_are_refused(manual):
    device, _ = manual
    a, b = vector(device, 1, 2), vector(device, 1, 2, 3)
    with pytest.raises(treadle.LaunchError, match="share memory"):
        device.submit(both, [a, a], [b[:2], b[1:]])
    assert device.in_flight == 0


def test_host_reads_wait_for_writers_and_hold_off_later_ones(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(a.read_list()))
    thread.start()
    while not a._storage.readers:  # until the read has taken its place
        pass
    later = device.submit(times, [a], a, k=10.0)
    assert statuses(later) == ["pending"]
    backend.complete()
    thread.join()
    assert seen == [[2.0, 4.0]]
    assert statuses(later) == ["running"]
    backend.complete()
    assert a.read_list() == [20.0, 40.0]


def test_host_writes_wait_for_readers(manual):
    device, backend = manual
    a, out = vector(device, 1, 2), device.empty(2)
    device.submit(times, [a], out)
    thread = threading.Thread(target=a.write, args=([9.0, 9.0],))
    thread.start()
    while not a._storage.writers:
        pass
    after = device.submit(times, [a])
    assert after.status == "pending"
    backend.complete()
    thread.join()
    backend.complete()
    assert (out.read_list(), after.output.read_list()) == ([2.0, 4.0], [18.0, 18.0])


def test_host_reads_of_other_rows_do_not_wait(manual):
    device, _ = manual
    a = vector(device, 1, 2, 3, 4)
    device.submit(times, [a[:2]], a[:2])
    assert a[2:].read_list() == [3.0, 4.0]


def test_copy_buffer(manual):
    device, backend = manual
    a, b = vector(device, 1, 2, 3), device.empty(3)
    command = device.submit({"op": "copy_buffer", "input": a, "output": b})
    assert backend.pending[0].kernels == ["copy"]
    backend.complete()
    assert command.wait().output is b
    assert b.read_list() == [1.0, 2.0, 3.0]
    device.submit({"op": "copy_buffer", "inputs": [b[:2]], "output": b[1:]})  # overlapping
    device.submit({"op": "copy_buffer", "inputs": [b], "output": b})  # nothing to do
    backend.complete_all()
    assert b.read_list() == [1.0, 1.0, 2.0]
    assert device.in_flight == 0


def test_a_barrier_separates_what_shares_nothing(manual):
    device, backend = manual
    before = [device.submit(times, [vector(device, 1, 2)]) for _ in range(2)]
    barrier = device.submit({"op": "barrier"})
    after = device.submit(times, [vector(device, 1, 2)])
    second = device.submit({"op": "barrier"})
    assert statuses(barrier, after, second) == ["pending"] * 3
    backend.complete()
    assert statuses(barrier, after) == ["pending"] * 2
    backend.complete()
    assert statuses(*before, barrier, after) == ["completed"] * 3 + ["running"]
    backend.complete()
    assert statuses(after, second) == ["completed"] * 2
    assert device.barrier().wait(0).output is None  # nothing in flight: over at once
    free = device.submit(times, [vector(device, 1, 2)])
    assert free.status == "running"


def test_a_barrier_does_not_fail_with_what_it_waits_for(manual):
    device, backend = manual
    device.submit(times, [vector(device, 1, 2)])
    barrier = device.barrier()
    backend.fail()
    assert barrier.wait(0).status == "completed"


def test_a_cancelled_barrier_still_keeps_the_order(manual):
    device, backend = manual
    device.submit(times, [vector(device, 1, 2)])
    barrier = device.barrier()
    after = device.submit(times, [vector(device, 1, 2)])
    assert barrier.cancel()
    assert after.status == "pending"
    backend.complete()
    assert after.status == "running"


def test_a_cancelled_link_keeps_the_order_of_its_neighbours(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 10, 20)
    reader = device.submit(times, [a])
    link = device.submit(times, [b], a)  # after the reader
    last = device.submit(times, [b], a, k=3.0)  # after the link
    assert link.cancel()
    assert last.status == "pending"  # the reader still reads what it would overwrite
    backend.complete()
    assert (reader.status, last.status) == ("completed", "running")
    backend.complete()
    assert a.read_list() == [30.0, 60.0]


def test_a_read_after_a_cancelled_write_waits_for_the_write_below(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 10, 20)
    below = device.submit(times, [a], a)
    cancelled = device.submit(times, [b], a)
    assert cancelled.cancel()
    reader = device.submit(times, [a])
    assert statuses(below, reader) == ["running", "pending"]
    backend.complete_all()
    assert reader.wait().output.read_list() == [4.0, 8.0]


def test_empty_buffers_run_nothing_and_block_nothing(manual):
    device, backend = manual
    empty = device.empty((0,))
    command = device.submit(times, [empty], empty)
    command.wait(30)
    assert backend.pending == []
    assert empty.read() == b""
