"""A thread that is there while there is something to do.

In: a function that does one thing, and says if there was one. Out: it is called, on a thread that
starts with the first call for it and ends when there has been nothing to do for a while. There are
no locks that Python code takes and gives: Ctrl-C may come anywhere in `call`, the garbage collector
may run a finalizer that calls, and the worst that follows is one thread more, or one look in vain.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Sequence
from threading import get_ident

from treadle.errors import DeviceError

__all__ = [
    "Attendant",
    "Bell",
    "GivingWay",
    "attends_here",
    "call_one",
    "collect_young",
    "giving_way",
    "report",
    "start",
]

_LOOK = 0.05  # seconds between looks while threads are to end: another may have heard the bell
_LULL = 0.02  # seconds without a call after which a thread does what is not urgent


def report(error: BaseException) -> None:
    """Show an exception that no caller can be given, as Python does for threads."""
    try:
        threading.excepthook(
            threading.ExceptHookArgs(
                (type(error), error, error.__traceback__, threading.current_thread())
            )
        )
    except Exception:  # a broken hook must not take the thread with it
        sys.__excepthook__(type(error), error, error.__traceback__)


class Bell:
    """Wakes one thread; what rings while it is awake is heard when it lies down."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake the thread, or keep it from sleeping."""
        try:  # noqa: SIM105  # in one step: what Ctrl-C keeps from its release does not ring
            self._lock.release()
        except RuntimeError:  # it rings already
            pass

    def sleep(self, seconds: float) -> bool:
        """Sleep until it rings; false if it did not."""
        return self._lock.acquire(timeout=seconds)


class Attendant:
    """One thread that comes when it is called and stays while `work` finds something to do.

    `spare` does one thing that is not urgent, and says if there was one: in a lull, because a
    caller that has just been given its result calls again at once, and the two would share the
    interpreter. `waits` says that what it does may wait for commands, as what users wrote may: no
    command ever waits for such a thread."""

    def __init__(
        self,
        name: str,
        work: Callable[[], bool],
        *,
        idle: float,
        waits: bool = False,
        spare: Callable[[], bool] | None = None,
    ) -> None:
        self._name = name
        self._work = work
        self._spare = spare
        self._waits = waits
        self._idle = idle  # seconds without work after which the thread ends
        self._bell = Bell()
        self._asleep = False
        self._naps = 0  # how often its thread has lain down,
        self._woken = 0  # and which of these naps a call has ended, also while it still wakes
        # The thread that serves. It is not asked whether it is alive: where Ctrl-C comes in the
        # middle of that, Python 3.11 takes a thread for ended that is not.
        self._server: int | None = None
        self._here: set[int] = set()  # every thread of this attendant's, also while it goes
        self._gone = Bell()  # rings when one has gone
        # Both are taken by its own threads only, which Ctrl-C does not reach.
        self._entry = threading.Lock()
        self._working = threading.Lock()  # a thread about to end looks while another may have come
        self._dismissed = False

    @property
    def alive(self) -> bool:
        """Whether there is a thread."""
        return self._server is not None

    @property
    def asleep(self) -> bool:
        """Whether its thread has nothing to do, and has not been called."""
        return self._asleep and self._woken != self._naps and self.alive

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on its thread."""
        return get_ident() in self._here

    def call(self) -> None:
        """Have `work` called soon; raise DeviceError where no thread can be had for that.

        Put what there is to do where `work` finds it before calling."""
        if self._server is None:
            start(self._name, self._serve, needed=not self._waits)
        elif self._asleep:
            nap = self._naps  # noted after it rings: Ctrl-C in between only has it called twice
            self._bell.ring()
            self._woken = nap

    def _serve(self) -> None:
        me = get_ident()
        self._here.add(me)
        try:
            if self._enter(me):  # else another call started a thread at the same moment
                self._attend(me)
        finally:
            with self._entry:
                if self._server == me:
                    self._server = None
            self._here.discard(me)
            self._gone.ring()

    def _attend(self, me: int) -> None:
        while True:
            while self._found(self._work):
                pass
            self._naps += 1
            self._asleep = True  # before the last look: a later caller rings
            if self._found(self._work):
                self._asleep = False
                continue
            rung = not self._dismissed and self._bell.sleep(_LULL)
            if not rung and self._spare is not None and self._found(self._spare):
                self._asleep = False
                continue
            rung = rung or (not self._dismissed and self._bell.sleep(self._idle))
            self._asleep = False
            if not rung:
                self._server = None  # before the last look: a later caller starts another
                if not self._found(self._work) or not self._enter(me):
                    return

    def _enter(self, me: int) -> bool:
        """Make this thread the one that serves, unless there is one."""
        with self._entry:
            if self._server is not None:
                return False
            self._server = me
            return True

    def _found(self, work: Callable[[], bool]) -> bool:
        try:
            with self._working:
                return work()
        except BaseException as error:
            report(error)
            return True

    def dismiss(self) -> None:
        """Have the thread end after what there is to do, and wait for that.

        Ctrl-C breaks off the waiting alone; another call goes on with it."""
        self._dismissed = True
        me = {get_ident()}
        while self._here - me:
            self._bell.ring()
            self._gone.sleep(_LOOK)

    def reset_after_fork(self) -> None:
        """Forget a thread that does not exist in this process."""
        self._bell, self._gone = Bell(), Bell()
        self._entry, self._working = threading.Lock(), threading.Lock()
        self._server, self._asleep = None, False
        self._here.clear()


def call_one(several: Sequence[Attendant]) -> None:
    """Call one of several that do the same work: one that sleeps, or else one that has no thread.
    Where all are at work, they look again before they rest."""
    idle: Attendant | None = None
    for each in several:
        if each.asleep:
            idle = each
            break
        if idle is None and not each.alive:
            idle = each
    if idle is not None:
        idle.call()


class GivingWay:
    """Let other threads have the interpreter soon while one of ours computes in Python.

    A thread that wants the interpreter asks for it after the switch interval, which is 5 ms unless
    the user has changed it, and an event loop would be late by that much each time it wakes. The
    interval is the whole process's; it is shortened while such work is going on, and then put back,
    unless the user has changed it meanwhile. For threads of ours, which Ctrl-C does not reach."""

    # Seconds. Two threads that compute in turns get as much done as with ten times as much.
    interval = 2e-4

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: list[int] = []  # threads
        self._before: float | None = None

    def __enter__(self) -> None:
        with self._lock:
            now = sys.getswitchinterval()
            if now > self.interval:  # also where the user has changed it since another began
                self._before = now
                sys.setswitchinterval(self.interval)
            self._at_work.append(get_ident())

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._at_work.remove(get_ident())
            if not self._at_work:
                self._put_back()

    def _put_back(self) -> None:
        before, self._before = self._before, None
        if before is not None and abs(sys.getswitchinterval() - self.interval) < 1e-6:
            sys.setswitchinterval(before)

    def reset_after_fork(self) -> None:
        """Put the interval back in a process in which no thread is at work."""
        self._lock = threading.Lock()
        self._at_work.clear()
        self._put_back()


giving_way = GivingWay()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=giving_way.reset_after_fork)


def collect_young() -> None:
    """Have the garbage collector look at what is young, where it soon would by itself.

    It does so on whichever thread makes one object too many, and takes a millisecond for what a
    plan leaves behind. A thread of ours that has made a plan calls this before it says so: else the
    caller's next submit would meet it. Where the user has turned the collector off it stays off."""
    if not gc.isenabled():
        return
    counts, limits = gc.get_count(), gc.get_threshold()
    for generation in (1, 0):
        if 2 * counts[generation] >= limits[generation] > 0:
            gc.collect(generation)
            return


class _Begun:
    """What a thread sets when it begins, and the caller that starts it waits for.

    In place of Python's own event, whose condition keeps its lock for good where Ctrl-C comes just
    after the caller has taken it: the thread would wait for that lock and never begin."""

    __slots__ = ("_gate", "_set")

    def __init__(self) -> None:
        self._at_fork_reinit()

    def _at_fork_reinit(self) -> None:
        self._set = False
        self._gate = threading.Lock()
        self._gate.acquire()

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True
        self._gate.release()  # the thread calls this once

    def wait(self, timeout: float | None = None) -> bool:
        if self._gate.acquire(timeout=-1 if timeout is None else timeout):
            self._gate.release()
        return self._set


class _Hand(threading.Thread):
    """A thread of ours."""

    def __init__(self, name: str, run: Callable[[], object], needed: bool) -> None:
        super().__init__(target=run, name=name, daemon=True)
        self._started = _Begun()
        self.needed = needed  # callers may wait for it
        self.begun = False  # until then the caller that starts it waits

    def run(self) -> None:
        """Do what there is to do."""
        self.begun = True
        super().run()


class _Here(threading.local):
    """What is known of each thread."""

    hand: _Hand | None  # the thread, where it is one of ours; unset until a caller asks


_here = _Here()


def attends_here() -> bool:
    """Whether the caller runs on a thread of ours for which callers may wait, and so must not wait
    for them. A finalizer may come before the thread has begun, too: then the thread that started it
    still waits for that, with whatever it holds."""
    try:
        hand = _here.hand
    except AttributeError:
        hand = _here.hand = _hand()
    return hand is not None and (hand.needed or not hand.begun)


def _hand() -> _Hand | None:
    """The thread of ours that the caller runs on, if it is one: that which the first function on
    its stack belongs to. Python's own list of threads has it later than a finalizer may come."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
    found = frame.f_locals.get("self")
    return found if isinstance(found, _Hand) else None


def start(
    name: str,
    run: Callable[[], object],
    noted: Callable[[threading.Thread], object] | None = None,
    *,
    needed: bool = False,
) -> threading.Thread:
    """Start a thread of ours; raise DeviceError where the system or the interpreter refuses.

    `noted` is called with the thread before it is started, for those who have to know of it
    wherever Ctrl-C comes. One that was not started has no `ident`. `needed` says that commands
    cannot end without it: on such a thread none can be waited for."""
    if sys.is_finalizing():  # a thread that is started now never runs, and start() waits for it
        raise DeviceError(f"{name}: no thread can be started while Python shuts down")
    thread = _Hand(name, run, needed)
    if noted is not None:
        noted(thread)
    try:
        thread.start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # it broke Python's own wait for it
            raise error.__context__ from None
        many = "subinterpreter" not in str(error)
        hint = "end some of this process's threads" if many else "use the main interpreter"
        raise DeviceError(f"{name}: no thread could be started ({error}); {hint}") from error
    return thread
