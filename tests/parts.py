"""The suite in a process for each core, with pytest alone: `python tests/parts.py [arguments]`.

`make test` leaves this to pytest-xdist; a machine with a GPU may have no way to install that. In:
pytest's arguments. Out: a line for each part as it ends, the text of those that failed, one line
that counts everything, and a status that is 0 only if every part came to its end without a failure.

A part takes the tests whose names fall to it by a hash: those beside each other in a file are
alike, and every fourth would be all those of one device.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest

MOST = 16  # processes: each has a driver's context and a compiler of its own
FINE = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


class Part:
    """A plugin that keeps one part of the tests and notes how they end."""

    def __init__(self, number: int, count: int, report: Path) -> None:
        self._number, self._count, self._report = number, count, report
        self._ends: Counter[str] = Counter()
        self._wrong: list[str] = []

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        mine, others = [], []
        for item in items:
            own = zlib.crc32(item.nodeid.encode()) % self._count == self._number
            (mine if own else others).append(item)
        config.hook.pytest_deselected(items=others)
        items[:] = mine

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            error = report.failed and report.when != "call"
            self._ends["error" if error else report.outcome] += 1
        if report.failed:
            self._wrong.append(f"{report.nodeid} ({report.when})")

    def pytest_sessionfinish(self) -> None:
        self._report.write_text(json.dumps([self._ends, self._wrong]), encoding="utf-8")


def run(count: int, arguments: list[str], folder: Path) -> tuple[Counter[str], list[str]]:
    """Run every part; return how tests ended, and what went wrong."""
    parts = {}
    for number in range(count):
        with open(folder / f"{number}.log", "wb") as log:
            own = [f"--basetemp={folder / str(number)}", "-p", "no:cacheprovider"]
            command = [
                sys.executable,
                __file__,
                f"--part={number}/{count}",
                folder,
                *own,
                *arguments,
            ]
            parts[number] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    for number, process in parts.items():
        status = process.wait()
        log = (folder / f"{number}.log").read_text(encoding="utf-8", errors="replace")
        report = folder / f"{number}.json"
        if report.exists():
            counted, names = json.loads(report.read_text(encoding="utf-8"))
            ends.update(counted)
            wrong += names
        part = f"part {number + 1} of {count}"
        whole = report.exists() and status in (*FINE, pytest.ExitCode.TESTS_FAILED)
        if not whole:
            part += f", which died with status {status}"
            wrong.append(f"{part}; see above")
        # Of a part that is fine the last line is enough.
        said = log.rstrip().rpartition("\n")[2] if whole and status in FINE else f"\n{log}"
        print(f"{part}: {said}", flush=True)
    return ends, wrong


def main(arguments: list[str]) -> int:
    """Run one part, where the first argument names it, or all of them."""
    if arguments and arguments[0].startswith("--part="):
        number, count = map(int, arguments[0].removeprefix("--part=").split("/"))
        sys.path.insert(0, os.getcwd())  # as for `python -m pytest`
        part = Part(number, count, Path(arguments[1]) / f"{number}.json")
        return int(pytest.main(arguments[2:], plugins=[part]))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        ends, wrong = run(min(os.cpu_count() or 1, MOST), arguments, Path(folder))
    for name in wrong:
        print(f"FAILED {name}")
    if not ends and not wrong:
        print("no tests ran", file=sys.stderr)
        return int(pytest.ExitCode.NO_TESTS_COLLECTED)
    counts = ", ".join(
        f"{ends[each]} {each}" for each in ("failed", "error", "passed", "skipped") if ends[each]
    )
    print(f"{counts} in {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
