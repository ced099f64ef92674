"""Threads that compute give way: lower in priority, and in turns that are longer than usual."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import threading

import pytest

from treadle import courtesy

linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="a priority is the process's there"
)
SYSTEM = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])


def on_a_thread(call):
    """What a function returns on a thread of its own, whose priority ends with it."""
    found = []
    thread = threading.Thread(target=lambda: found.append(call(threading.get_native_id())))
    thread.start()
    thread.join()
    return found[0]


@linux
def test_a_thread_is_less_urgent_by_as_much_and_never_more_than_the_system_has():
    def both(me):
        usual = os.getpriority(os.PRIO_PROCESS, me)
        courtesy.compute_behind(me, 3)
        some = os.getpriority(os.PRIO_PROCESS, me) - usual
        courtesy.compute_behind(me, 40)
        return some, os.getpriority(os.PRIO_PROCESS, me)

    assert on_a_thread(both) == (3, 19)


@linux
@pytest.mark.skipif(SYSTEM < (6, 12), reason="this Linux has no turns to ask for")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="another call's number")
def test_its_turns_are_longer_than_those_of_others():
    def turns(me):
        call = ctypes.CDLL(None).syscall
        number = {"x86_64": 315, "aarch64": 275}[platform.machine()]
        found = []
        for _ in range(2):
            room = ctypes.create_string_buffer(48)
            assert call(number, me, room, 48, 0) == 0
            found.append(struct.unpack(courtesy._FORMAT, room.raw)[5])
            courtesy.compute_behind(me, 1)
        return found

    usual, asked = on_a_thread(turns)
    assert asked > usual


@linux
def test_a_thread_that_ended_is_left_alone():
    ended = on_a_thread(lambda me: me)
    courtesy.compute_behind(ended, 1)


@linux
def test_a_thread_with_a_policy_of_its_own_keeps_it():
    def kept(me):
        os.sched_setscheduler(me, os.SCHED_BATCH, os.sched_param(0))
        courtesy.compute_behind(me, 1)
        return os.sched_getscheduler(me)

    assert on_a_thread(kept) == os.SCHED_BATCH


@linux
def test_only_a_thread_that_gives_way_lets_others_go_first(monkeypatch):
    yields = []
    monkeypatch.setattr(os, "sched_yield", lambda: yields.append(threading.get_native_id()))

    def both(me):
        courtesy.give_way()
        before = list(yields)
        courtesy.compute_behind_here(1)
        courtesy.give_way()
        return before, list(yields), me

    before, after, me = on_a_thread(both)
    assert not before
    assert after == [me]
