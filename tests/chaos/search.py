"""Writers of a durable index, killed at a random moment; what they were promised is there.

A child opens what the one before it left, and several of its threads add to it and write
checkpoints. It says in a pipe what it was promised. Then it is killed, and this process reads what
there is: everything that was promised, in order, nothing twice and nothing else.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from chaos.watch import PATIENCE, Failure, Watch
from treadle.search import site, storage
from treadle.search.log import Log, read_log

THREADS = 3
LIVES = 8  # children that follow each other on one file
LATEST = 0.03  # seconds until a child is killed
PROMISE = struct.Struct("<II")
OURS = bytes(range(16))


def cases() -> list[str]:
    """Appends alone, and appends with checkpoints among them."""
    return ["appends", "checkpoints"] if hasattr(os, "fork") else []


class Kept:
    """What stands for an index: the changes themselves, by thread and number."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.changes: list[tuple[int, int]] = []
        self.through = 0
        if path.exists():
            stored = storage.read(path)
            stored.verify()
            self.through = stored.meta["through"]
            self.changes = [tuple(each) for each in np.asarray(stored.arrays["changes"]).tolist()]

    def apply(self, record) -> None:
        """Add what a record says."""
        thread, number = record.meta["thread"], record.meta["number"]
        if record.arrays["vectors"].tobytes() != vectors(thread, number).tobytes():
            raise Failure(f"record {record.number} has other bytes than were written")
        self.changes.append((thread, number))

    def save(self, changes: list[tuple[int, int]], through: int) -> None:
        """Write a file that holds the records up to this one."""
        arrays = {"changes": np.array(changes, np.int64).reshape(-1, 2)}
        storage.write(self.path, {"through": through}, arrays)


def vectors(thread: int, number: int) -> np.ndarray:
    """What a change brings: from some bytes to some pages."""
    count = (thread * 7919 + number * 104729) % 3000
    return np.arange(count, dtype=np.float32) + thread * 1000 + number


def _live(path: Path, tell: int, checkpoints: bool) -> None:
    """Add to an index until this process is killed."""
    kept = Kept(path)
    log = Log.open(path, lineage=OURS, through=kept.through)
    for record in log.replay():
        kept.apply(record)
    lock = threading.Lock()

    def add(thread: int) -> None:
        number = sum(1 for who, _ in kept.changes if who == thread)
        while True:
            arrays = {"vectors": vectors(thread, number)}
            with lock:
                written = log.write("add", {"thread": thread, "number": number}, arrays)
                kept.changes.append((thread, number))
            log.sync(written)
            os.write(tell, PROMISE.pack(thread, number))
            number += 1

    for thread in range(1, THREADS):
        threading.Thread(target=add, args=(thread,), daemon=True).start()
    if not checkpoints:
        add(0)
    while True:
        with lock:
            changes, through = list(kept.changes), log.last
        kept.save(changes, through)
        log.forget(through)


def run(case: str, watch: Watch) -> None:
    """Kill writers until the time is over."""
    with tempfile.TemporaryDirectory() as made:
        for life, number in enumerate(watch.rounds()):
            if life % LIVES == 0:
                path, promised = Path(made) / f"{life}.index", set()
            watch.at(number, limit=20 * PATIENCE)
            _round(case, watch, watch.dice(number), path, promised)


def _round(
    case: str, watch: Watch, dice: random.Random, path: Path, promised: set[tuple[int, int]]
) -> None:
    before = len(promised)
    hear, tell = os.pipe()
    child = os.fork()
    if not child:
        status = 70
        try:
            os.close(hear)
            _live(path, tell, case == "checkpoints")
        except BaseException as error:
            print(f"in the child: {error!r}", flush=True)
        finally:
            os._exit(status)
    os.close(tell)
    heard = threading.Thread(target=_hear, args=(hear, promised))
    heard.start()
    time.sleep(dice.uniform(0, LATEST))
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    heard.join()
    os.close(hear)
    if status != -signal.SIGKILL:
        raise Failure(f"a writer ended by itself, with {status}")
    _check(path, promised)
    watch.counts["writers killed"] += 1
    watch.counts["changes promised"] += len(promised) - before


def _hear(hear: int, promised: set[tuple[int, int]]) -> None:
    left = b""
    while piece := os.read(hear, 1 << 16):
        left += piece
        whole = len(left) // PROMISE.size * PROMISE.size
        promised.update(PROMISE.iter_unpack(left[:whole]))
        left = left[whole:]


def _check(path: Path, promised: set[tuple[int, int]]) -> None:
    kept = Kept(path)
    with site.Site(path) as where:
        for record in read_log(where, OURS, kept.through):
            kept.apply(record)
    lost = promised - set(kept.changes)
    if lost:
        raise Failure(f"{len(lost)} changes were promised and are lost, such as {min(lost)}")
    for thread in range(THREADS):
        numbers = [number for who, number in kept.changes if who == thread]
        if numbers != list(range(len(numbers))):
            raise Failure(f"the changes of thread {thread} are not in order: {numbers}")
