"""A stream over workers of Ray, whose processes and machines are killed at random moments.

Ray runs on this machine. Each round is one stream: its results must be those of a stream that was
left alone, each once and in order, whatever was killed meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import warnings
from importlib.util import find_spec

import numpy as np

import treadle
from chaos.watch import PATIENCE, Failure, Watch

BATCHES = 400
KILLS = 50  # of one stream's workers


def cases() -> list[str]:
    """Workers that are killed, and whole machines."""
    return ["workers", "nodes"] if find_spec("ray") is not None else []


def _wanted(count: int) -> list[float]:
    return [float(n * 16) for n in range(count)]


def _frames(count: int):
    return (np.full((4, 4), n, np.float32) for n in range(count))


def _summed(result):
    return os.getpid(), float(result.sum())


def _stream(count: int, **options):
    # A worker that is killed from outside says nothing about its batch, and may be killed again.
    return treadle.cluster.stream(
        _frames(count), compute="relu", collect=_summed, cores=1, attempts=20, **options
    )


def _compare(came: list[float], count: int) -> None:
    if came != _wanted(count):
        raise Failure(f"{len(came)} results of {count}, not those of a stream left alone")


def _kill_workers(watch: Watch, draw: random.Random) -> None:
    """Kill the worker that gave a result, 50 times over one stream."""
    came: list[float] = []
    at = sorted(draw.sample(range(1, BATCHES), KILLS))
    with treadle.cluster.connect("local", cpus=2):
        run = _stream(BATCHES, workers=2, max_in_flight=8)
        for pid, value in run:
            came.append(value)
            if at and len(came) >= at[0]:
                try:
                    os.kill(pid, signal.SIGKILL)
                    at.pop(0)
                except ProcessLookupError:
                    pass  # it is dead already; the next one's turn
    _compare(came, BATCHES)
    watch.counts["workers killed"] += run.restarts
    watch.counts["streams whole"] += 1


def _kill_nodes(watch: Watch, draw: random.Random) -> None:
    """End a machine, with its store and its worker, in the middle of a stream; another comes."""
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        try:
            nodes = [machines.add_node(num_cpus=1) for _ in range(2)]
            machines.wait_for_nodes()
            came = []
            with treadle.cluster.connect(machines.address):
                run = _stream(BATCHES, workers=2, max_in_flight=8)
                for _, value in run:
                    came.append(value)
                    if len(came) == BATCHES // 4:
                        gone = nodes.pop(draw.randrange(2))
                        machines.remove_node(gone, allow_graceful=False)
                        machines.add_node(num_cpus=1)
            _compare(came, BATCHES)
            watch.counts["machines ended"] += 1
            watch.counts["workers that died with them"] += run.restarts
        finally:
            machines.shutdown()


def run(case: str, watch: Watch) -> None:
    """Run streams until the time is over."""
    with contextlib.redirect_stdout(sys.stderr):  # Ray says there which workers died
        for number in watch.rounds():
            watch.at(number, limit=60 * PATIENCE)
            (_kill_workers if case == "workers" else _kill_nodes)(watch, watch.dice(number))
