"""Every public call that can touch the run path, as something to disturb.

In: a ground. Out: for each name, what is done before the call, and the call itself. A call that
blocks has its manual device's launches ended meanwhile; of others they stay unfinished until the
call was disturbed. What a call raises by itself, a timeout for one, it catches here.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import treadle
from chaos.ground import LENGTH, Ground
from runtime.shared import both, plus, times, twice_shifted


@dataclass(frozen=True)
class Call:
    """A call: `act` gets what `ready` returned."""

    act: Callable[[Ground, Any], object]
    ready: Callable[[Ground], Any] = lambda ground: None
    blocks: bool = False
    many: bool = False  # too many places to try them all
    closes: bool = False  # it needs a ground of its own each time


def running(g: Ground) -> treadle.Command:
    """A command that runs, writes `a`, and on a real device takes a while."""
    if g.pump is None:
        g.device.submit(times, g.large, g.large, k=1.0)
        return g.device.submit(plus, [g.a, g.large[:LENGTH]], g.a)
    return g.device.submit(times, g.a, g.a, k=1.0)


def behind(g: Ground) -> treadle.Command:
    """A command that has not started, because it needs one that runs."""
    running(g)
    return g.device.submit(times, g.a, g.a, k=1.0)


def _rebind(g: Ground, _: object) -> None:
    g.rebound = True
    g.pipeline.bind(given=g.other).set(0, k=3.0).submit()
    g.pipeline.bind(given=g.a).set(0, k=2.0)


def _timeout(g: Ground, command: treadle.Command) -> None:
    with contextlib.suppress(treadle.CommandTimeout):
        command.wait(0.002)


def _bounded(g: Ground, _: object) -> None:
    g.device.max_running = 1
    for _ in range(3):
        g.device.submit(times, g.a, k=1.0)
    g.device.max_running = None


def _saving(g: Ground, _: object) -> None:
    g.device.power_saving = True
    g.device.submit(times, g.a, g.out, k=1.0)
    g.device.submit(times, g.a, g.out, k=1.0)
    g.device.power_saving = False


def _submitters(g: Ground, _: object) -> None:
    with treadle.submitter("one"):
        g.device.submit(times, g.a, g.out, k=1.0)
        with treadle.submitter("two", weight=2.0):
            g.device.submit(times, g.a, k=1.0)


def _stream(g: Ground, _: object) -> None:
    batches = [np.full(LENGTH, float(k), np.float32) for k in range(4)]
    with treadle.stream(batches, compute=times, params={"k": 2.0}, device=g.device) as results:
        for _ in results:
            pass


def _beside(g: Ground) -> None:
    """Have another thread call a batched kernel, and be answered whatever happens here."""

    def call() -> None:
        with contextlib.suppress(treadle.TreadleError):  # of a launch that was interrupted
            g.served.run(g.ones)

    g.called.append(threading.Thread(target=call, name="caller"))
    g.called[-1].start()


def _freed(g: Ground, _: object) -> None:
    made = g.device.buffer([1.0] * LENGTH)
    g.device.submit(times, made, k=1.0)
    made.free()


def _ignore(_: object) -> None:
    pass


CALLS: dict[str, Call] = {
    "submit": Call(lambda g, _: g.device.submit(plus, [g.a, g.other], g.out)),
    "submit-params": Call(lambda g, _: g.device.submit(times, g.a, k=3.0)),
    "submit-two": Call(lambda g, _: g.device.submit(both, [g.a, g.other])),
    "submit-in-place": Call(lambda g, _: g.device.submit(times, g.a, g.a, k=1.0)),
    "submit-composite": Call(lambda g, _: g.device.submit(twice_shifted, g.a, g.out)),
    "submit-large": Call(lambda g, _: g.device.submit(times, g.large, g.large, k=1.0)),
    "submit-copy": Call(
        lambda g, _: g.device.submit({"op": "copy_buffer", "input": g.a, "output": g.out})
    ),
    "submit-many": Call(
        lambda g, _: g.device.submit_many([(plus, [g.a, g.other], g.out), (times, [g.out], g.a)])
    ),
    "submit-many-behind": Call(
        lambda g, _: g.device.submit_many([(plus, [g.a, g.a], g.out), (times, g.large)]), running
    ),
    "submit-behind": Call(lambda g, _: g.device.submit(plus, [g.a, g.a], g.out), running),
    "submit-new": Call(
        lambda g, kernel: g.device.submit(kernel, g.a), lambda g: g.new_kernel(), many=True
    ),
    "run-kernel": Call(lambda g, _: g.device.run_kernel(plus, [g.a, g.other]), blocks=True),
    "run-behind": Call(
        lambda g, _: g.device.run_kernel(plus, [g.a, g.other], g.out), running, blocks=True
    ),
    "pipeline-submit": Call(lambda g, _: g.pipeline.submit()),
    "pipeline-twice": Call(lambda g, _: (g.pipeline.submit(), g.pipeline.submit())),
    "pipeline-run": Call(lambda g, _: g.pipeline.run(), blocks=True),
    "pipeline-rebind": Call(_rebind, many=True),
    "upload": Call(lambda g, _: g.device.upload(g.a, g.ones)),
    "upload-behind": Call(lambda g, _: g.device.upload(g.a, g.ones), running),
    "download": Call(lambda g, _: g.device.download(g.a)),
    "download-large": Call(lambda g, _: g.device.download(g.large)),
    "read": Call(lambda g, _: g.a.read(), blocks=True),
    "read-behind": Call(lambda g, _: g.a.read(), running, blocks=True),
    "read-list": Call(lambda g, _: g.a.read_list(), running, blocks=True),
    "write": Call(lambda g, _: g.a.write(g.ones), blocks=True),
    "write-behind": Call(lambda g, _: g.a.write(g.ones), behind, blocks=True),
    "write-large": Call(
        lambda g, zeros: g.large.write(zeros),
        lambda g: np.zeros(g.large.shape, np.float32),
        blocks=True,
    ),
    "buffer": Call(lambda g, _: g.device.buffer([1.0, 2.0]).free(), blocks=True),
    "free-in-use": Call(_freed, blocks=True),
    "cancel": Call(lambda g, command: command.cancel(), behind),
    "wait": Call(lambda g, command: command.wait(), behind, blocks=True),
    "wait-timeout": Call(_timeout, behind),
    "wait-all": Call(
        lambda g, commands: treadle.wait_all(commands),
        lambda g: [running(g), behind(g)],
        blocks=True,
    ),
    "as-completed": Call(
        lambda g, commands: list(treadle.as_completed(commands)),
        lambda g: [running(g), behind(g)],
        blocks=True,
    ),
    "poll": Call(lambda g, command: command.poll(), behind),
    "callback": Call(lambda g, command: command.add_done_callback(_ignore), behind),
    "barrier": Call(lambda g, _: g.device.barrier(), running),
    "synchronize": Call(lambda g, _: g.device.synchronize(), behind, blocks=True),
    "max-running": Call(_bounded),
    "power-saving": Call(_saving),
    "submitter": Call(_submitters, running),
    "stream": Call(_stream, blocks=True, many=True),
    "batched": Call(lambda g, _: g.served.run(g.ones), _beside, blocks=True),
    "close": Call(lambda g, _: g.device.close(), behind, blocks=True, closes=True),
}
