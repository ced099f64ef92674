"""The campaign: every part in processes that may hang or die, and a report of what was found.

In: parts with their cases, and seconds. Out: a line for each finding with the command that shows it
again, the stacks of every thread where something hung, and counts. A process that ends badly is
started again behind the place where it did.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chaos.parts import PARTS, load
from chaos.watch import WEDGED, Asked

TESTS = Path(__file__).resolve().parents[1]
FINDINGS = 3  # of one case; then the next one is tried
STARTING = 60.0  # seconds for a process to start on a busy machine, and to be found hanging


@dataclass
class Ended:
    """How a process ended, and what it had said."""

    status: int
    case: str = ""
    at: dict[str, Any] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    failed: str = ""
    done: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    stacks: str = ""
    keep: tuple[int, ...] = ()  # of a program, what is left of it

    @property
    def symptom(self) -> str:
        """What went wrong, in a line."""
        if self.failed:
            return self.failed
        if self.status == WEDGED:
            return "hangs; see the stacks"
        return f"the process ended with status {self.status}"


def process(part: str, cases: list[str], asked: Asked, patience: float | None = None) -> Ended:
    """Run cases of a part in a process of its own."""
    command = [
        sys.executable, "-m", "chaos", "--only", part, "--here", ",".join(cases),
        *_options(asked, seconds=asked.seconds, most=asked.most, start=asked.start),
        *(["--place", asked.place] if asked.place else []),
        *(["--known", "|".join(asked.known)] if asked.known else []),
    ]  # fmt: skip
    paths = [str(TESTS), *(p for p in sys.path if p and not p.startswith(str(TESTS / "chaos")))]
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), PYTHONFAULTHANDLER="1")
    if patience is not None:
        env["CHAOS_PATIENCE"] = str(patience)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        running = subprocess.Popen(
            command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=env
        )
        try:
            status = running.wait(asked.seconds + STARTING)
        except subprocess.TimeoutExpired:
            running.kill()
            status = running.wait()
        finally:
            running.kill()
        out.seek(0), err.seek(0)
        return heard(
            status, out.read().decode(errors="replace"), err.read().decode(errors="replace")
        )


def _options(asked: Asked, **more: float) -> list[str]:
    given = {"seed": asked.seed, "at": asked.at, "then": asked.then, **more}
    found = [
        word
        for name, value in given.items()
        if value or name == "seed"
        for word in (f"--{name}", str(value))
    ]
    return [*found, *(["--keep", ",".join(map(str, asked.keep))] if asked.keep else [])]


def heard(status: int, out: str, err: str) -> Ended:
    ended = Ended(status, stacks=err)
    for line in out.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue  # cut off, or printed by somebody else
        if "case" in said:
            ended.case = said.pop("case")
            ended.at, ended.where = said, []
        ended.where = said.get("where", ended.where)
        ended.failed = said.get("failed", ended.failed)
        ended.counts.update(said.get("counts", {}))
        ended.notes.update(said.get("notes", {}))
        if "done" in said:
            ended.done.append(said["done"])
    return ended


def again(part: str, ended: Ended, asked: Asked) -> str:
    """The command that shows a finding again."""
    found = {name: value for name, value in ended.at.items() if isinstance(value, int)}
    options = " ".join(_options(replace(asked, keep=ended.keep or asked.keep, **found)))
    if part == "interrupts" and ended.where:
        options += f" --place '{ended.where[0]}'"
    return f'make chaos ARGS="--only {part} --case {ended.case} {options}"'


class Findings:
    """What was found, in the order of finding."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self._folder = folder
        self.counts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()

    def add(self, part: str, ended: Ended, asked: Asked) -> None:
        """Print a finding, and keep its stacks."""
        self.count += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self.count}.txt"
        command = again(part, ended, asked)
        text = f"{command}\n{ended.symptom}\n{ended.where}\n\n{ended.stacks}"
        path.write_text(text, encoding="utf-8")
        print(f"FOUND {part} {ended.case}: {ended.symptom[:300]}")
        for place in ended.where:
            print(f"  interrupted at {place}")
        print(f"  {command}\n  stacks: {os.path.relpath(path)}", flush=True)


def part(name: str, cases: list[str], asked: Asked, findings: Findings) -> None:
    """Run one part's cases, starting again behind what ends badly."""
    deadline = time.monotonic() + asked.seconds
    left, per_case = list(cases), Counter[str]()
    random.Random(asked.seed).shuffle(left)  # so that other seeds begin with others
    start, untried = 1, False
    known: dict[str, None] = {}  # what hangs at a place in one call does so in others
    while left:
        seconds = deadline - time.monotonic()
        if seconds <= 0 and (untried or not asked.at):
            break
        now = replace(asked, seconds=max(seconds, 5.0), start=start, known=tuple(known))
        ended = process(name, left, now)
        untried = True
        findings.counts.update(ended.counts)
        findings.notes.update(ended.notes)
        left = [case for case in left if case not in ended.done]
        if ended.status == 0:
            break
        minimise = getattr(load(name), "minimise", None)
        if minimise is not None and not asked.keep:
            case = [ended.case]
            ended = minimise(ended, asked, lambda less, case=case: process(name, case, less))
        findings.add(name, ended, asked)
        known.update(dict.fromkeys(ended.where[-1:] if name == "interrupts" else ()))
        if asked.at or ended.case not in left:
            break
        left = left[left.index(ended.case) :] + left[: left.index(ended.case)]
        per_case[ended.case] += 1
        start = ended.at.get("at", 0) + 1
        if per_case[ended.case] >= FINDINGS:
            left, start = left[1:], 1
    if left and not asked.at and time.monotonic() >= deadline:
        print(f"  {name}: no time for {len(left)} cases, from {left[0]}")


def run(asked: Asked, chosen: dict[str, list[str]]) -> int:
    """Run the parts one after another; 0 if nothing was found."""
    began = time.monotonic()
    findings = Findings(Path("build") / "chaos")
    shares = sum(PARTS[name].share for name in chosen)
    print(f"chaos: seed {asked.seed}, about {asked.seconds:.0f} s", flush=True)
    for name, cases in chosen.items():
        if not cases:
            print(f"{name}: no such case", file=sys.stderr)
            return 2
        before, since = findings.count, time.monotonic()
        findings.counts.clear()
        seconds = asked.seconds * PARTS[name].share / shares
        part(name, cases, replace(asked, seconds=seconds), findings)
        counted = ", ".join(f"{count:,} {what}" for what, count in findings.counts.items())
        found = findings.count - before
        took = time.monotonic() - since
        print(f"{name}: {found} found; {counted} in {took:.0f} s", flush=True)
    for note, count in sorted(findings.notes.items()):
        print(f"note: {note}" + (f" ({count} times)" if count > 1 else ""))
    print(f"chaos: {findings.count} found in {time.monotonic() - began:.0f} s")
    return 1 if findings.count else 0
