"""Forks in the middle of work of several threads: the child is told, the parent goes on."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time

import numpy as np

import treadle
from chaos.ground import LENGTH, Ground
from chaos.watch import PATIENCE, Failure, Watch
from runtime.shared import plus, times
from treadle.backends.cpu import CpuBackend

THREADS = 3


def cases() -> list[str]:
    """A case for each kind of device that needs no driver, and for who forks."""
    if not hasattr(os, "fork"):
        return []
    kinds = ("cpu", "manual", "ordered", "polled", "apart")
    return [f"{kind}/{who}" for kind in kinds for who in ("main", "thread")]


class Work:
    """Threads that use a device without end, each with values of its own to check."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.stop = False
        self.rounds = 0
        self.wrong: list[str] = []
        self.threads = [
            threading.Thread(target=self._run, args=(k,), daemon=True) for k in range(THREADS)
        ]
        for thread in self.threads:
            thread.start()

    def _run(self, k: int) -> None:
        device = self._ground.device
        me, one = device.buffer_zeros(LENGTH), device.buffer(np.ones(LENGTH, np.float32))
        total = 0
        try:
            while not self.stop:
                for _ in range(5):
                    command = device.submit(plus, [me, one], me)
                    total += 1
                if k == 0:
                    command.wait(PATIENCE)
                device.submit(times, self._ground.large, k=1.0)
                if me.read_list() != [float(total)] * LENGTH:
                    raise Failure(f"expected {total}, got {me.read_list()}")
                self.rounds += 1
        except BaseException as error:
            self.wrong.append(repr(error))


def _child(ground: Ground, running: treadle.Command) -> None:
    """What must hold in a child: the old device says why it is of no use, a new one works."""
    faulthandler.dump_traceback_later(3 * PATIENCE, exit=True)
    device = ground.device
    refused = [
        lambda: device.submit(times, ground.a, k=1.0),
        lambda: device.run_kernel(times, ground.a, k=1.0),
        lambda: device.buffer([1.0]),
        lambda: ground.a.read(),
        lambda: ground.a.write(ground.ones),
        lambda: device.upload(ground.a, ground.ones),
        lambda: ground.pipeline.submit(),
        lambda: device.barrier(),
    ]
    for number, use in enumerate(refused):
        try:
            use()
        except treadle.DeviceLost as error:
            if "fork" not in str(error):
                raise Failure(f"the child is not told of the fork: {error}") from None
        else:
            raise Failure(f"the child may use the parent's device ({number})")
    with contextlib.suppress(treadle.CommandFailed):
        running.wait(PATIENCE)
    device.synchronize(PATIENCE)
    fresh = treadle.Device(CpuBackend(workers=2), "child")
    a = fresh.buffer([1.0, 2.0])
    for _ in range(3):
        found = fresh.run_kernel(times, a, k=2.0).read_list()
        if found != [2.0, 4.0]:
            raise Failure(f"a new device in the child computes {found}")
    fresh.submit(times, fresh.buffer_zeros(100_000), k=1.0).wait(PATIENCE)
    fresh.close()
    device.close()


def _fork(ground: Ground, found: list[str]) -> None:
    running = ground.device.submit(times, ground.large, ground.large, k=1.0)
    faulthandler.cancel_dump_traceback_later()  # a child could not: it would wait for its thread
    child = os.fork()
    if not child:
        status = 0
        try:
            _child(ground, running)
        except BaseException as error:
            print(f"in the child: {error!r}", file=sys.stderr, flush=True)
            status = 7
        os._exit(status)
    deadline = time.monotonic() + 5 * PATIENCE
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            found.append("a child that hangs, in C")
            return
        time.sleep(0.001)
    code = os.waitstatus_to_exitcode(status)
    if code:
        found.append("a child hangs" if code == 1 else f"a child ended with {code}")


def run(case: str, watch: Watch) -> None:
    """Fork until the time is over."""
    kind, who = case.split("/")
    ground = Ground(kind)
    work = Work(ground)
    for number in watch.rounds():
        watch.at(number, limit=8 * PATIENCE)
        time.sleep(watch.dice(number).uniform(0, 0.003))
        found: list[str] = []
        if who == "main":
            _fork(ground, found)
        else:
            forking = threading.Thread(target=_fork, args=(ground, found), daemon=True)
            forking.start()
            forking.join()
        if found or work.wrong:
            raise Failure("; ".join([*found, *work.wrong[:2]]))
        watch.counts["forks"] += 1
    work.stop = True
    for thread in work.threads:
        thread.join(2 * PATIENCE)
        if thread.is_alive():
            raise Failure("a thread of the parent hangs")
    watch.counts["rounds of threads meanwhile"] += work.rounds
    if work.wrong:
        raise Failure("; ".join(work.wrong[:2]))
    ground.check(watch)
    ground.close(watch)
