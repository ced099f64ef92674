"""Memory of a cycle of garbage that a finalizer gives to somebody again: it stays theirs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections import deque

import numpy as np
import pytest

from treadle.backends.cpu import CpuBackend
from treadle.backends.lease import lend, newest, oldest
from treadle.runtime.device import Device


class Cycle:
    """Garbage that only the collector finds, with a last wish."""

    def __init__(self, held, wish):
        self.itself, self.held, self.wish = self, held, wish

    def __del__(self):
        self.wish(self.held)


def test_a_lease_ends_when_nobody_can_have_it_any_more():
    back, nudges, kept = deque(), [], []
    token, lease = lend("it", back, nudges.append)
    Cycle(token, kept.append)
    del token
    gc.collect()
    assert not back
    assert not nudges
    kept.clear()
    assert back.pop() is lease
    assert lease.what == "it"
    assert nudges == [lease.nudge]


def test_word_of_a_return_is_there_before_the_nudge():
    back, seen = deque(), []
    token, lease = lend(1, back, lambda _: seen.append(list(back)))
    del token
    assert seen == [[lease]]


SUBMITS = """
import gc, sys
import numpy as np, treadle

device = treadle.device(sys.argv[1])
device.pool_limit = int(sys.argv[2])
left = []

def trim():
    if not device.pool_limit:
        device.trim()

class Cycle:
    def __init__(self, value):
        self.itself, self.buffer = self, device.buffer(np.full(1000, value, np.float32))
        self.buffer.read()  # so that nothing in flight keeps it

    def __del__(self):
        left.append((device.submit("relu", [self.buffer]), self.buffer))
        trim()

for value in range(20):
    Cycle(value)
    gc.collect()
    trim()
    others = [device.buffer(np.full(1000, -1.0, np.float32)) for _ in range(3)]
    command, buffer = left.pop()
    assert (command.wait(30).output.to_numpy() == value).all()
    assert (buffer.to_numpy() == value).all()
    del command, buffer, others
print(device.memory_in_use)
"""


@pytest.mark.parametrize("limit", [0, 1 << 28])
@pytest.mark.parametrize("name", ["cpu", "webgpu"])
def test_a_finalizer_submits_a_buffer_of_its_own_garbage(name, limit):
    """In a process of its own: WebGPU ended it, with a buffer that was destroyed."""
    import treadle

    if name not in treadle.devices():
        if name in os.environ.get("TREADLE_REQUIRE", "").split(","):
            pytest.fail(f"{name} is absent")
        pytest.skip(f"{name} is absent")
    done = subprocess.run(
        [sys.executable, "-c", SUBMITS, name, str(limit)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_finalizer_frees_a_buffer_that_is_counted_once():
    """Somebody looked at the memory in use before the finalizer came to it."""
    with Device(CpuBackend(workers=1), "counted") as device:
        held = device.buffer(np.zeros(100, np.float32))

        def free(buffer):
            seen.append(device.memory_in_use)
            buffer.free()

        seen = []
        for _ in range(3):
            Cycle(device.buffer(np.zeros(8, np.float32)), free)
            gc.collect()
        assert seen == [held.size + 32] * 3
        assert device.memory_in_use == held.size


@pytest.mark.parametrize("find", [newest, oldest])
def test_a_finalizer_between_two_calls_does_not_matter(find):
    class Changing(dict):
        """A dict that is changed when an iterator has been made, the first time."""

        def _once(self, made):
            if 1 in self:
                del self[1]
            return made

        def __iter__(self):
            return self._once(super().__iter__())

        def __reversed__(self):
            return self._once(super().__reversed__())

    assert find(Changing({1: "a", 2: "b"})) == 2
    assert find({}) == 0
