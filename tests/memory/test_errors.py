"""Errors of commands keep no frames: a caller's arrays go when the caller has dealt with them."""

from __future__ import annotations

import asyncio
import gc
import weakref

import numpy as np
import pytest

import treadle
from runtime.shared import ready_device, times, vector


class Large(np.ndarray):
    """An array that can be referred to weakly."""


def large():
    return np.zeros(1 << 20).view(Large)


@pytest.fixture
def failed():
    """A failed command, one that was to read its result, and the buffer that was not written."""
    device, backend = ready_device()
    a = vector(device, 1)
    first = device.submit(times, [a], a)
    second = device.submit(times, [a])
    third = device.submit(times, [vector(device, 2)])
    assert second.status == "pending"
    backend.fail(backend.pending[0], treadle.DeviceError("boom"))
    backend.complete_all()
    assert [c.status for c in (first, second, third)] == ["failed", "failed", "completed"]
    yield {"failed": first, "poisoned": second, "buffer": a}
    device.close()


def wait(command):
    command.wait()


def wait_by_id(command):
    treadle.wait(command.id)


def wait_all(command):
    treadle.wait_all([command])


def result(command):
    command.result()


def run(command):
    async def main():
        await command

    asyncio.run(main())


def gathered(command):
    async def main():
        (error,) = await asyncio.gather(command, return_exceptions=True)
        raise error

    asyncio.run(main())


def raised(command):
    raise command.error


def unwrapped(command):
    """Raise the reason alone, as one may who is not interested in the command."""
    raise command.error.__cause__


def unwrapped_twice(command):
    reason = command.error.__cause__
    raise reason.__cause__ or reason


def within_another(command):
    try:
        raise KeyError("ours")
    except KeyError:
        command.wait()


def named_as_cause(command):
    try:
        command.wait()
    except treadle.CommandFailed as error:
        raise RuntimeError("ours") from error.__cause__


WAYS = [
    wait, wait_by_id, wait_all, result, run, gathered, raised, unwrapped, unwrapped_twice,
    within_another, named_as_cause,
]  # fmt: skip


def caught(way, command):
    """A caller with a large array, who deals with the error."""
    array = large()
    try:
        way(command)
    except Exception:
        return weakref.ref(array)
    pytest.fail("nothing was raised")


@pytest.mark.parametrize("which", ["failed", "poisoned"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_failed_command_does_not_keep_its_callers_frames(failed, which, way):
    gone = [caught(way, failed[which]) for _ in range(3)]
    gc.collect()
    assert [each() is None for each in gone] == [True] * 3


def read(buffer):
    buffer.read()


def read_async(buffer):
    asyncio.run(buffer.read_async())


def read_unwrapped(buffer):
    try:
        buffer.read()
    except treadle.CommandFailed as error:
        raise error.__cause__ from None


@pytest.mark.parametrize("way", [read, read_async, read_unwrapped], ids=lambda way: way.__name__)
def test_neither_does_what_it_was_to_write(failed, way):
    gone = [caught(way, failed["buffer"]) for _ in range(3)]
    gc.collect()
    assert [each() is None for each in gone] == [True] * 3


def test_a_launch_that_raises_keeps_none_of_its_frames(monkeypatch):
    device, _ = ready_device()
    gone = []

    def launch(*_, **__):
        array = large()
        gone.append(weakref.ref(array))
        try:
            raise KeyError("first")
        except KeyError as error:
            raise treadle.DeviceError("boom") from error

    monkeypatch.setattr(device.queue, "_launch_on", launch)
    commands = [device.submit(times, [vector(device, 1)]) for _ in range(3)]
    for command in commands:
        with pytest.raises(treadle.CommandFailed, match="boom"):
            command.wait()
    gc.collect()
    assert [each() is None for each in gone] == [True] * 3
    device.close()
