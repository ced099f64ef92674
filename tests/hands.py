"""Workers that do what a test says, when it says so; and a crew of threads, for streams."""

from __future__ import annotations

import pickle
import threading
from functools import partial

from treadle.cluster.crew import Arrived, Equipped, Lost, Missed, Refused, Returned
from treadle.cluster.foreman import Foreman
from treadle.cluster.parcel import pack
from treadle.cluster.rota import Rota
from treadle.cluster.versions import versions
from treadle.cluster.worker import Reply, Tally, Worker


class ManualCrew:
    """A crew that notes its orders; what comes of them, the test posts."""

    def __init__(self, count=2, *, theirs=None):
        self.count = count
        self.theirs = theirs or versions()
        self.started, self.ended, self.withdrawn = [], [], []
        self.given: list[tuple[str, int]] = []  # orders that nobody has followed yet
        self.closed = 0

    def open(self, post):
        self.post = post
        return self.count

    def start(self, worker):
        self.started.append(worker)
        self.post(Arrived(worker, "here", self.theirs))

    def equip(self, worker, make):
        self.post(Equipped(worker))

    def send(self, parcel):
        return parcel

    def give(self, worker, batch, sent):
        self.given.append((worker, batch))

    def withdraw(self, worker, batch):
        self.withdrawn.append((worker, batch))

    def end(self, worker):
        self.ended.append(worker)

    def close(self):
        self.closed += 1


class Hand:
    """A foreman without a thread, its crew, and a clock that stands still."""

    def __init__(self, count=2, *, crew=None, **options):
        self.now = 0.0
        self.crew = crew or ManualCrew(count)
        rota = Rota(**{"depth": 2, **options})
        self.foreman = Foreman(self.crew, pack(dict, "make"), rota, clock=lambda: self.now)
        self.answers: dict[int, list] = {}
        self.foreman.begin()
        self.turn()

    def turn(self, seconds=0.0):
        self.now += seconds
        self.foreman.turn()
        self.foreman.turn()
        return self

    def submit(self, count=1):
        for _ in range(count):
            heard = []
            self.answers[self.foreman.submit("sent", heard.append)] = heard
        return self.turn()

    def has(self, worker):
        return [batch for each, batch in self.crew.given if each == worker]

    def reply(self, worker, batch, kind="done", value=None, phase="", tally=0):
        self.crew.given.remove((worker, batch))
        reply = Reply(kind, pack(value, "it"), phase, Tally(tally))
        self.crew.post(Returned(worker, batch, reply))
        return self.turn()

    def done(self, worker, batch):
        return self.reply(worker, batch, value=(worker, batch))

    def fails(self, worker, batch, error=None):
        return self.reply(worker, batch, "failed", error or ValueError("no"), "prepare")

    def missed(self, worker, batch):
        self.crew.given.remove((worker, batch))
        self.crew.post(Missed(worker, batch, "lost on the way"))
        return self.turn()

    def dies(self, worker, why="killed"):
        self.crew.given = [each for each in self.crew.given if each[0] != worker]
        self.crew.post(Lost(worker, why))
        return self.turn()

    def result(self, batch):
        """The one answer of a batch."""
        (answer,) = self.answers[batch]
        if answer.error is not None:
            raise answer.error
        return pickle.loads(answer.parcel.head)

    @property
    def answered(self):
        return [batch for batch, heard in self.answers.items() if heard]


class ThreadCrew:
    """Workers that are threads of this process: what a stream over workers does, without any."""

    def __init__(self, count=2, depth=3):
        self.count, self.depth = count, depth
        self.workers, self.dead = {}, set()
        self.threads = []

    def open(self, post):
        self.post = post
        return self.count

    def start(self, worker):
        self.workers[worker] = Worker(pickle.dumps)
        self.post(Arrived(worker, "here", versions()))

    def equip(self, worker, make):
        reply = self.workers[worker].equip(make)
        done = reply.kind == "done"
        self.post(Equipped(worker) if done else Refused(worker, reply))

    def send(self, parcel):
        return parcel

    def give(self, worker, batch, sent):
        thread = threading.Thread(target=partial(self._take, worker, batch, sent))
        self.threads.append(thread)
        thread.start()

    def _take(self, worker, batch, sent):
        reply = self.workers[worker].take(batch, sent)
        if worker not in self.dead:
            self.post(Returned(worker, batch, reply))

    def kill(self, worker):
        self.dead.add(worker)
        self.post(Lost(worker, "killed"))

    def withdraw(self, worker, batch):
        self.workers[worker].drop(batch)

    def end(self, worker):
        self.dead.add(worker)

    def close(self):
        for thread in self.threads:
            thread.join()
        for worker in self.workers.values():
            worker.close()
