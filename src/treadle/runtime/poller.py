"""One thread for each device: asks open fences, and runs users' callbacks.

In: fences of launches in flight and callbacks that are due. Out: batches of ended commands, handed
to the queue, which made the poller. It sleeps unless something is in flight, ends itself after a
while of idleness and starts again when needed. What a fence, a callback or the queue raises never
takes a command with it.

It looks often while a caller waits and seldom otherwise, because every look takes Python's lock
from the threads that submit; and for a moment after the last work it stays half awake, so that
work that comes in a steady trickle need not wake it each time.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sized
from typing import Any

from treadle.attendant import Bell, report, start
from treadle.errors import DeviceError
from treadle.runtime import observe
from treadle.runtime.command import Command

__all__ = ["Poller", "awaited"]

Ended = list[tuple[Command, BaseException | None]]

_SHORTEST = 20e-6  # seconds between two looks at the fences, at first, while a caller waits
_SLOWER = 1.25  # by which each is longer than the one before: an end is noticed a fifth late
_LONGEST = 1e-3  # and later
_SELDOM = 5e-3  # while no caller waits
_LINGER = 4  # looks without work before it sleeps until it is woken
_IDLE = 5.0  # seconds without work after which the thread ends
_POST = "poller"
_GIVE_UP = 3  # deaths in a row without progress after which what is watched fails


def awaited(command: Command) -> bool:
    """Whether a caller waits for a command's end to be noticed: a trace does not mind when, and
    launches that follow it were launched behind it."""
    waiters, followers = command._waiters, command._successors
    if waiters and any(waiter is not observe.active for waiter in list(waiters)):
        return True
    return followers is not None and any(follower._host for follower in list(followers))


class Poller:
    """The thread of one device."""

    def __init__(
        self,
        name: str,
        finish: Callable[[Ended], None],
        look: Callable[[], None],
        *,
        ordered: bool = False,
    ) -> None:
        """`look` ends what is done of `brief`."""
        self._ordered = ordered
        self._name = name
        self._finish = finish
        self._look = look
        self.brief: Sized = ()  # launches that are not watched one by one, see quick.py
        self._bell = Bell()
        # The thread that polls. Taken and given by one C call each: a finalizer that came while a
        # new thread held a lock to look would wait for a thread that waits for that lock.
        self._post: dict[str, threading.Thread] = {}
        self._watched: dict[int, tuple[Command, Any]] = {}  # by the command's id, oldest first
        self._calls: deque[tuple[Callable[[Command], object], Command]] = deque()
        self._closed = False
        self._deaths = 0
        self._asleep = False  # until woken
        self._wanted = False  # a caller waits
        self._active = False  # something came since the last look
        self._pause = 0.0  # how long it sleeps now, while something is in flight

    @property
    def watched(self) -> int:
        """How many fences are open."""
        return len(self._watched)

    @property
    def _open(self) -> bool:
        return bool(self._watched or self.brief)

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on this thread."""
        return threading.current_thread() is self._thread

    @property
    def _thread(self) -> threading.Thread | None:
        return self._post.get(_POST)

    def watch(self, command: Command, fence: Any, *, soon: bool = False) -> None:
        """Ask `fence` until it is done, then report the command as ended.

        `soon` says that a caller waits for that already."""
        self._wanted = self._wanted or soon  # before the first look, and below: after another's
        self._watched[command.id] = (command, fence)
        self._active = True
        if self._asleep or not self._alive:
            with contextlib.suppress(DeviceError):  # a caller that waits tries again, and is told
                self._wake()
        if soon:
            self.hasten()

    def attend(self) -> None:
        """Look after brief launches: there is one."""
        self._active = True
        if self._asleep or not self._alive:
            with contextlib.suppress(DeviceError):  # as above
                self._wake()

    def forget(self, command: Command) -> None:
        """Ask no more about a command whose end another thread has noticed."""
        self._watched.pop(command.id, None)

    def hasten(self) -> None:
        """Look at once and often: a caller has begun to wait."""
        self._wanted = True
        if self._pause > _SHORTEST:
            self._bell.ring()
        elif self._open and not self._alive:
            self._wake()

    def call(self, function: Callable[[Command], object], command: Command) -> None:
        """Run a user's callback soon; where no thread can be had, when there is one."""
        self._calls.append((function, command))
        with contextlib.suppress(DeviceError):
            self._wake()

    def close(self) -> None:
        """Run what is due and stop; what is still watched is the owner's to end."""
        self._closed = True
        thread = self._thread
        self._bell.ring()
        if thread is not None and thread is not threading.current_thread():
            thread.join(_IDLE)

    @property
    def _alive(self) -> bool:
        # It is not asked whether it lives: where Ctrl-C comes in the middle of that, Python 3.11
        # takes a thread for ended that is not.
        return _POST in self._post

    def _wake(self) -> None:
        # Starting a thread is left to the thread that brings work, so idle devices have none.
        if self._alive:
            self._bell.ring()
        else:
            start(f"treadle-{self._name}", self._run)

    def _run(self) -> None:
        if not self._enter():
            return  # another thread woke it at the same moment
        me = threading.current_thread()
        try:
            while self._turn():
                pass
        except BaseException as error:
            report(error)
            self._recover(error)
        finally:
            if self._thread is me:
                self._leave()

    def _turn(self) -> bool:
        """One round: sleep if idle, look at the fences, run callbacks. False: the thread ends."""
        if not self._rest():
            return False
        while self._calls:  # one by one: if one ends this thread, the rest remain
            try:
                function, command = self._calls.popleft()
            except IndexError:
                break  # another thread was faster
            try:
                function(command)
            except Exception as error:
                report(error)
            del function, command
        pause = longest = _SELDOM
        while self._open and not self._calls:
            if self._sweep():
                continue
            if self._closed:
                self._leave()
                return False
            if self._wanted:
                self._wanted, pause, longest = False, _SHORTEST, _LONGEST
            if not self._calls:
                self._doze(pause)
            pause = min(pause * _SLOWER, longest)
        return True

    def _doze(self, pause: float) -> None:
        """Sleep for a moment, unless hastened."""
        self._pause = pause  # before the last look: a caller that waits later rings
        if not self._wanted or pause <= _SHORTEST:
            self._bell.sleep(pause)
        self._pause = 0.0

    def _rest(self) -> bool:
        """Sleep while there is nothing to do; false if that took too long."""
        while True:
            looks = 0
            while looks < _LINGER and not (self._open or self._calls or self._closed):
                looks, self._active = (0 if self._active else looks + 1), False
                self._wanted = False  # a caller that waited has what it wants, or has it watched
                self._doze(_SELDOM)
            self._asleep = True  # before the last look: a later caller wakes us
            rung = False
            if not self._open and not self._calls and not self._closed:
                rung = self._bell.sleep(_IDLE)
            self._asleep = False
            if self._open or self._calls:
                return True
            if not rung or self._closed:
                break
            # What it was woken for is done already, and more of the kind may come: it lingers.
        self._leave()  # before the last look, again: a later caller starts another thread
        return bool(self._open or self._calls) and self._enter()

    def _enter(self) -> bool:
        """Make this thread the one that polls, unless there is one."""
        me = threading.current_thread()
        return self._post.setdefault(_POST, me) is me

    def _leave(self) -> None:
        self._post.pop(_POST, None)

    def _sweep(self) -> bool:
        """Look at the open fences; report those that are done, as one batch.

        Where lanes keep order, none is asked behind one that is not done."""
        if self.brief:
            self._look()  # their submitters look as well: no reason to look again at once
        ended: Ended = []
        busy: set[Any] = set()
        for command, fence in list(self._watched.values()):
            lane = getattr(fence, "lane", None) if self._ordered else None
            if lane is not None and lane in busy:
                continue
            try:
                if fence.done():
                    ended.append((command, fence.error))
                elif lane is not None:
                    busy.add(lane)
            except Exception as error:
                ended.append((command, error))
        if not ended:
            return False
        # Reported first and forgotten second: if this thread dies in between, they are asked again,
        # and ending a command twice does nothing.
        self._finish(ended)
        for command, _ in ended:
            self.forget(command)
        self._deaths = 0
        return True

    def _recover(self, error: BaseException) -> None:
        """Carry on in a new thread; after several deaths in a row fail what is watched instead."""
        self._deaths += 1
        self._leave()
        hopeless: list[tuple[Command, Any]] = []
        if self._deaths >= _GIVE_UP:
            hopeless, self._deaths = list(self._watched.values()), 0
            self._watched.clear()
        if self._open or self._calls:
            self._wake()
        if hopeless:
            lost = DeviceError(f"the poller of {self._name} died {_GIVE_UP} times: {error!r}")
            self._finish([(command, lost) for command, _ in hopeless])

    def reset_after_fork(self) -> None:
        """Forget a thread that does not exist in this process."""
        self._bell = Bell()
        self._leave()
        self._watched.clear()
        self._calls.clear()
