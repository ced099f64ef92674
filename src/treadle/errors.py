"""Every exception that Treadle raises on purpose, as one tree.

    TreadleError
      KernelError                    the user's kernel: file, line, source, caret
        KernelSyntaxError            outside the kernel language
        KernelTypeError (TypeError)  inside it, but the types do not fit
      LaunchError (ValueError)       shape, dtype, device, arity, unknown kernel or parameter:
                                     at submit
      CompileError                   a toolchain refused our text: .source and .log
      DeviceError
        DeviceUnavailable            not present or not usable here; says what to install or do
        DeviceLost                   gone while in use (also: opened before a fork)
        OutOfMemory (MemoryError)    the device or its budget is full
      CommandError
        CommandFailed                the command ran and failed, or a command it reads from did
        CommandCancelled             it was cancelled before it started
        CommandTimeout (TimeoutError)  still running; nothing was lost
        QueueFull                    too much work in flight
        UnknownCommand (LookupError) no such id, or finished too long ago
      BufferFreed                    used after free()
      BatchError                     a batch of a stream: .index, .phase, and why as its cause
      SearchError (ValueError)       vectors, ids, columns, k or a filter that an index refuses; it
                                     is as it was
        PredicateError               the text of a filter: .text, .position, caret
        UnknownId (LookupError)      no row of the index has this id
      ModelError (ValueError)        a network that cannot be read, or that fails
      ClusterError                   no cluster, workers that differ from us or do not start, or
                                     what cannot be sent to them
      FileError (OSError)            a file of ours cannot be read or written; which, and why
        FileDamaged                  its bytes are not those that were written, or not ours
        FileBusy                     another writer has it
        ShardLost                    files of a sharded index, or who searches them: .missing

A message names the argument, what was expected, what came, and the fix. Where a builtin exception
says the same thing, the class also inherits it, so that ordinary `except` clauses work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import wraps
from inspect import iscoroutinefunction
from itertools import pairwise
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "BatchError",
    "BufferFreed",
    "ClusterError",
    "CommandCancelled",
    "CommandError",
    "CommandFailed",
    "CommandTimeout",
    "CompileError",
    "DeviceError",
    "DeviceLost",
    "DeviceUnavailable",
    "FileBusy",
    "FileDamaged",
    "FileError",
    "KernelError",
    "KernelSyntaxError",
    "KernelTypeError",
    "LaunchError",
    "ModelError",
    "OutOfMemory",
    "PredicateError",
    "QueueFull",
    "SearchError",
    "ShardLost",
    "SurfaceClosed",
    "TreadleError",
    "UnknownCommand",
    "UnknownId",
]


class TreadleError(Exception):
    """Base of every error that Treadle raises on purpose.

    It can be copied and pickled, so that it gets out of a pool of processes, whatever arguments a
    subclass takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.args), self.__dict__


def _rebuilt(kind: type[TreadleError], args: tuple[Any, ...]) -> TreadleError:
    """An error with these args, made without asking its class how; pickle adds the rest."""
    builtin: Any = kind
    while builtin.__module__ != "builtins":  # the class whose layout it has makes it
        builtin = builtin.__base__
    made: TreadleError = builtin.__new__(kind, *args)
    made.args = args
    return made


class KernelError(TreadleError):
    """A kernel's Python text is at fault; carries where, and shows it with a caret."""

    def __init__(
        self,
        message: str,
        *,
        filename: str | None = None,
        lineno: int | None = None,
        column: int | None = None,
        line: str | None = None,
    ) -> None:
        self.message = message
        self.filename = filename
        self.lineno = lineno
        self.column = column
        self.line = line
        super().__init__(self._render())

    def _render(self) -> str:
        if self.filename is None or self.lineno is None:
            return self.message
        text = f"{self.message}\n  File {self.filename!r}, line {self.lineno}"
        if self.line is not None:
            stripped = self.line.strip()
            indent = len(self.line) - len(self.line.lstrip())
            text += f"\n    {stripped}"
            if self.column is not None:
                text += "\n    " + " " * max(self.column - indent, 0) + "^"
        return text


class KernelSyntaxError(KernelError):
    """The text uses Python that is not part of the kernel language."""


class KernelTypeError(KernelError, TypeError):
    """The text is in the kernel language, but its types do not fit."""


class LaunchError(TreadleError, ValueError):
    """What was asked for cannot be launched; nothing was submitted."""


class CompileError(TreadleError):
    """A toolchain refused the text that Treadle generated for it."""

    def __init__(self, message: str, *, source: str = "", log: str = "") -> None:
        self.source = source
        self.log = log
        super().__init__(message)


class DeviceError(TreadleError):
    """A device, not the work, is at fault."""


class DeviceUnavailable(DeviceError):
    """The device is not present or cannot be used here."""


class DeviceLost(DeviceError):
    """The device went away while it was in use."""


class OutOfMemory(DeviceError, MemoryError):
    """The device, or the budget set for it, has no room; nothing was lost."""


class CommandError(TreadleError):
    """A command did not do its work."""


class CommandFailed(CommandError):
    """The command, or one whose result it reads, failed."""


class CommandCancelled(CommandError):
    """The command was cancelled before it started; its outputs are untouched."""


class CommandTimeout(CommandError, TimeoutError):
    """The command is still going; waiting for it took longer than allowed."""


class QueueFull(CommandError):
    """More work is in flight than the device was told to accept."""


class UnknownCommand(CommandError, LookupError):
    """No command has this id, or it finished too long ago to be remembered."""


class BufferFreed(TreadleError):
    """The buffer was used after free()."""


class SurfaceClosed(TreadleError):
    """A surface was used after it, or its window, was closed."""


class BatchError(TreadleError):
    """A batch of a stream did not come out; `index` says which, `phase` where, the cause why."""

    def __init__(self, message: str, *, index: int = -1, phase: str = "") -> None:
        self.index = index
        self.phase = phase
        super().__init__(message)


class SearchError(TreadleError, ValueError):
    """An index of vectors refuses what it was given; it is as it was before."""


class PredicateError(SearchError):
    """The text of a filter is at fault; `position` counts characters of `text` from 0."""

    def __init__(self, message: str, *, text: str = "", position: int = 0) -> None:
        self.message = message
        self.text = text
        self.position = position
        super().__init__(self._render())

    def _render(self) -> str:
        before = self.text[: self.position]
        start = max(before.rfind("\n") + 1, self.position - _SHOWN)
        line = self.text[start : self.position + _SHOWN].partition("\n")[0]
        shown = "".join(each if each.isprintable() else "?" for each in line)
        return f"where: {self.message}\n    {shown}\n    {' ' * (self.position - start)}^"


_SHOWN = 60  # characters of a predicate's text on each side of what is wrong


class UnknownId(SearchError, LookupError):
    """No row of the index has this id."""


class ModelError(TreadleError, ValueError):
    """A network cannot be read or used, or failed when it ran; the message names it."""


class ClusterError(TreadleError):
    """A cluster cannot be used, its workers differ from us, or something cannot be sent to them."""


class FileError(TreadleError, OSError):
    """A file that Treadle keeps cannot be read or written; `errno` is what the system said."""

    def __init__(self, message: str, *, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.args), {**self.__dict__, "errno": self.errno}


class FileDamaged(FileError):
    """A file is damaged, cut off, of another kind or of a newer version; nothing of it is used."""


class FileBusy(FileError):
    """Another writer has the file, in this process or in another."""


class ShardLost(FileError):
    """Shards of an index cannot be read, or what searches them is gone; `missing` says which, by
    their paths, and why."""

    def __init__(self, message: str, *, missing: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.missing = dict(missing or {})


def suggest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known name nearest to `name`, or an empty string."""
    from difflib import get_close_matches  # which most programs never need

    spelt = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), list(spelt), n=1, cutoff=0.6)
    return f"; did you mean {spelt[near[0]]!r}?" if near else ""


def unquoted(value: object) -> str:
    """Return `; write 3 without quotes` for a text that is a number, or an empty string."""
    if not isinstance(value, str):
        return ""
    try:
        float(value)
    except ValueError:
        return ""
    return f"; write {value.strip()} without quotes"


def copied(error: BaseException) -> BaseException:
    """Return a copy of an error that is kept, with copies of what led to it, for a caller to raise.

    Raising hangs the caller's frames on an error, and so all that the caller holds, for as long as
    it is kept. An error of a class that cannot be copied is returned as it is."""
    twins: list[tuple[BaseException, BaseException]] = []
    link: BaseException | None = error
    while link is not None and all(link is not other for other, _ in twins):
        twins.append((link, _twin(link)))
        link = link.__cause__ or link.__context__
    for (link, twin), (reason, its_twin) in pairwise(twins):
        if twin is not link:
            if link.__cause__ is reason:
                twin.__cause__ = its_twin
            else:
                twin.__context__ = its_twin
            twin.__suppress_context__ = link.__suppress_context__
    return twins[0][1]


def _twin(error: BaseException) -> BaseException:
    try:
        made = copy(error)
        if type(made) is not type(error) or str(made) != str(error):
            return error
        if hasattr(made, "__notes__"):
            made.__notes__ = list(made.__notes__)
        return made
    except Exception:  # its class takes other arguments than it keeps
        return error


PACKAGE = os.path.dirname(__file__) + os.sep

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def without_our_frames(error: TreadleError) -> TreadleError:
    """Return an error whose traceback has the user's frames only, for a public function to raise.

    What led to it loses them too, where it is an error of ours."""
    link: BaseException | None = error
    seen: set[int] = set()
    while isinstance(link, TreadleError) and id(link) not in seen:
        seen.add(id(link))
        theirs = []
        at = link.__traceback__
        while at is not None:
            if not at.tb_frame.f_code.co_filename.startswith(PACKAGE):
                theirs.append(at)
            at = at.tb_next
        kept: TracebackType | None = None
        for each in reversed(theirs):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
        link.__traceback__ = kept
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return error


def entrance(function: Callable[P, R]) -> Callable[P, R]:
    """Make a public function raise errors itself: the frames of what it calls do not show."""
    called: Any = function

    async def wait(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return await called(*args, **kwargs)
        except TreadleError as error:
            raise without_our_frames(error)  # noqa: B904  # the same one

    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return called(*args, **kwargs)
        except TreadleError as error:
            raise without_our_frames(error)  # noqa: B904  # the same one

    made: Any = wait if iscoroutinefunction(function) else call
    code = made.__code__
    made.__code__ = code.replace(co_name=called.__name__, co_qualname=called.__qualname__)
    return wraps(function)(made)


def entrances(names: str) -> Callable[[type[T]], type[T]]:
    """Make entrances of the methods of a class that have these names."""

    def decorate(owner: type[T]) -> type[T]:
        for name in names.split():
            setattr(owner, name, entrance(vars(owner)[name]))
        return owner

    return decorate
