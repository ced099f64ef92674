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
from typing import Any

import numpy as np

from chaos.watch import PATIENCE, Failure, Watch
from treadle.search import Index, saved, site, storage
from treadle.search.log import Log, read_log

THREADS = 3
LIVES = 8  # children that follow each other on one file
LATEST = 0.03  # seconds until a child is killed
PROMISE = struct.Struct("<II")
NUMBER = struct.Struct("<q")  # what an index promises: an id
DIM = 12
IDS = 3_000_000  # more than one child gives
OURS = bytes(range(16))


def cases() -> list[str]:
    """Appends to a log, with checkpoints among them, and changes of an index."""
    return ["appends", "checkpoints", "index"] if hasattr(os, "fork") else []


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


def _vector(number: int) -> np.ndarray:
    return np.random.default_rng(number).standard_normal(DIM).astype(np.float32)


def _live_index(path: Path, tell: int, life: int) -> None:
    """Add to an index and take from it until this process is killed.

    A thread adds ids of its own, and removes every third again, which is promised as the id with
    its sign turned."""
    saved._LEAST = 20_000
    saved._SHARE = 1 << 30
    index = Index.open(path, durable=True)

    def change(thread: int) -> None:
        number = life * IDS + thread  # never one that was there before
        while True:
            index.add(_vector(number)[None], ids=[number], columns={"number": [number]})
            os.write(tell, NUMBER.pack(number))
            if number // THREADS % 3 == 2:
                index.remove([number])
                os.write(tell, NUMBER.pack(-number))
            number += THREADS

    for thread in range(1, THREADS):
        threading.Thread(target=change, args=(thread,), daemon=True).start()
    change(0)


def _check_index(path: Path, promised: set[int]) -> None:
    index = Index.open(path)
    index.verify()
    there = set(index.ids.tolist())
    lost = {each for each in promised if each >= 0 and -each not in promised} - there
    lost = {each for each in lost if each // THREADS % 3 != 2}  # else its removal may have counted
    if lost:
        raise Failure(f"{len(lost)} rows were promised and are lost, such as {min(lost)}")
    back = {-each for each in promised if each < 0} & there
    if back:
        raise Failure(f"{len(back)} rows were removed and are there, such as {min(back)}")
    ids = index.ids
    if index.get(ids).tolist() != [_vector(each).tolist() for each in ids.tolist()]:
        raise Failure("an id has another vector than it was given")
    if index.get_columns(ids).get("number", []) != ids.tolist():
        raise Failure("an id has another column than it was given")


def run(case: str, watch: Watch) -> None:
    """Kill writers until the time is over."""
    with tempfile.TemporaryDirectory() as made:
        for life, number in enumerate(watch.rounds()):
            if life % LIVES == 0:
                path, promised = Path(made) / f"{life}.index", set()
                if case == "index":
                    Index(DIM, device="cpu").save(path)
            watch.at(number, limit=20 * PATIENCE)
            _round(case, watch, watch.dice(number), path, promised, life)


def _round(
    case: str, watch: Watch, dice: random.Random, path: Path, promised: set[Any], life: int
) -> None:
    before = len(promised)
    hear, tell = os.pipe()
    child = os.fork()
    if not child:
        status = 70
        try:
            os.close(hear)
            if case == "index":
                _live_index(path, tell, life)
            else:
                _live(path, tell, case == "checkpoints")
        except BaseException as error:
            print(f"in the child: {error!r}", flush=True)
        finally:
            os._exit(status)
    os.close(tell)
    begun = threading.Event()
    heard = threading.Thread(target=_hear, args=(case, hear, promised, begun))
    heard.start()
    if dice.random() < 0.8:  # else it may be killed while it opens what there is
        begun.wait(PATIENCE)
    time.sleep(dice.uniform(0, LATEST))
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    heard.join()
    os.close(hear)
    if status != -signal.SIGKILL:
        raise Failure(f"a writer ended by itself, with {status}")
    (_check_index if case == "index" else _check)(path, promised)
    watch.counts["writers killed"] += 1
    watch.counts["changes promised"] += len(promised) - before


def _hear(case: str, hear: int, promised: set[Any], begun: threading.Event) -> None:
    left = b""
    while piece := os.read(hear, 1 << 16):
        begun.set()
        left += piece
        whole = len(left) // PROMISE.size * PROMISE.size
        if case == "index":
            promised.update(number for (number,) in NUMBER.iter_unpack(left[:whole]))
        else:
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
