"""What is kept of an error, and what is said of the command that failed with it.

In: an exception, with its tracebacks and causes. Out: the same without what would keep buffers
alive, and a label that names the stage. Who is told of it is the graph's business.
"""

from __future__ import annotations

from treadle.backends.base import Step
from treadle.errors import TreadleError
from treadle.runtime.command import Command

__all__ = ["stage", "stored"]


def stored(error: BaseException) -> BaseException:
    """An error as it is kept: without tracebacks, whose frames would keep buffers alive."""
    links, seen = [error], set()
    while links:
        link = links.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        if link.__traceback__ is not None:
            if not isinstance(link, TreadleError):
                import traceback  # rarely needed, and slow to import

                link.add_note("".join(traceback.format_tb(link.__traceback__)).rstrip())
            link.__traceback__ = None
        links += [each for each in (link.__cause__, link.__context__) if each is not None]
        links += getattr(link, "exceptions", ())  # of a group
    return error


def stage(command: Command, error: BaseException) -> str:
    """Name the stage that failed, where there are several and the error says which (`step`)."""
    steps, index = command._steps, getattr(error, "step", None)
    if command._plan is not None:
        return f"{command._label}{command._plan.title(index)}"
    if (
        isinstance(steps, tuple)
        and len(steps) > 1
        and isinstance(index, int)
        and index < len(steps)
    ):
        step = steps[index]
        kind = step.program.kernel.name if isinstance(step, Step) else "copy"
        return f"{command._label}, stage {index + 1} of {len(steps)} ({kind}),"
    return command._label
