"""Runs of the command line, stopped by a signal at a random moment and resumed, until one ends.

This process imports the command line once and forks a child for each run. Whatever stops a run, the
files that a user sees are whole, and in the end they are those of a run that nobody disturbed.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

from chaos.watch import PATIENCE, Failure, Watch
from photo_files import make_photo, outputs

PHOTOS = 4
STOPS = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM}
MOST = 12  # stops of one run; then it is left alone


def cases() -> list[str]:
    """A case for each signal, and one for all of them by turns."""
    return [*STOPS, "any"] if hasattr(os, "fork") else []


def _start(photos: Path, out: Path) -> int:
    """Start a run in a child; return its process."""
    child = os.fork()
    if child:
        return child
    from treadle import cli

    status = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        status = cli.main(["run", "enhance", str(photos), "-o", str(out), "--resume", "-j", "2"])
    except KeyboardInterrupt:
        status = 130
    finally:
        os._exit(status)


def _ended(child: int, seconds: float) -> int | None:
    deadline = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            return None
        time.sleep(0.001)


def _finish(child: int) -> int:
    """How a run ended that is left alone, or was told to stop."""
    status = _ended(child, 10 * PATIENCE)
    if status is None:
        os.kill(child, signal.SIGABRT)  # faulthandler shows its stacks
        os.waitpid(child, 0)
        raise Failure("a run hangs")
    return status


def _visible(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in outputs(folder).items() if not name.startswith(".")}


def run(case: str, watch: Watch) -> None:
    """Stop runs until the time is over."""
    import importlib

    for name in ("treadle.cli", "PIL.JpegImagePlugin", "rich.progress", "llvmlite.binding"):
        importlib.import_module(name)
    os.environ["TREADLE_DEVICE"] = "cpu"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for index in range(PHOTOS):
            make_photo(folder / "photos" / f"{index}.jpg", seed=index)
        watch.at(0, limit=20 * PATIENCE)
        for out in ("warm", "whole"):  # the first one compiles, and takes longer
            began = time.monotonic()
            if (status := _finish(_start(folder / "photos", folder / out))) != 0:
                raise Failure(f"a run that nobody disturbs ends with {status}")
            took = time.monotonic() - began
        whole = outputs(folder / "whole")
        if len(whole) != PHOTOS:
            raise Failure(f"a run made {sorted(whole)} of {PHOTOS} photos")
        for number in watch.rounds():
            watch.at(number, limit=60 * PATIENCE)
            _round(case, watch, number, folder, whole, took)


def _round(
    case: str, watch: Watch, number: int, folder: Path, whole: dict[str, bytes], took: float
) -> None:
    dice = watch.dice(number)
    out = folder / f"out-{number}"
    for stop in range(MOST + 1):
        child = _start(folder / "photos", out)
        name = case if case != "any" else dice.choice([*STOPS])
        status = None
        if stop < MOST:
            status = _ended(child, dice.uniform(0, 1.2 * took))
            if status is None:
                os.kill(child, STOPS[name])
                watch.counts[f"runs stopped by {name}"] += 1
        status = _finish(child) if status is None else status
        seen = _visible(out) if out.exists() else {}
        if not seen.items() <= whole.items():
            wrong = sorted(name for name, data in seen.items() if whole.get(name) != data)
            raise Failure(f"after {name}, other bytes than those of a whole run: {wrong}")
        if status == 0:
            break
        if status not in (-STOPS[name], 128 + STOPS[name]):
            raise Failure(f"a run that got {name} ended with {status}")
    if status != 0 or outputs(out) != whole:
        raise Failure(f"resumed and left alone, it ended with {status} and {sorted(outputs(out))}")
    watch.counts["runs resumed to their end"] += 1
