"""The campaign's short form: a few rounds of each part, always the same ones.

What a campaign (`make chaos`) has found and nobody has mended yet waits in LATER: mend it, and move
its row to SHORT. Every part has a process of its own, which is stopped with the stacks of all
threads if it hangs. The campaign itself is tested here too: that it finds what there is to find.
"""

from __future__ import annotations

import os
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest

from chaos.campaign import TESTS, again, heard, process
from chaos.parts import PARTS, load
from chaos.places import Interrupts, count
from chaos.watch import FAILED, WEDGED, Asked

# Far more than it takes: neither how much is tried nor what is found may depend on the machine.
SECONDS = 300.0
PATIENCE = 20.0

SHORT = [
    ("interrupts", "cpu/read"),
    ("interrupts", "cpu/write"),
    ("interrupts", "cpu/poll"),
    ("interrupts", "cpu/submit"),
    ("interrupts", "cpu/submitter"),
    ("interrupts", "cpu/cancel"),
    ("interrupts", "manual/batched"),
    ("interrupts", "manual/read"),
    ("interrupts", "manual/write"),
    ("interrupts", "manual/read-behind"),
    ("interrupts", "manual/max-running"),
    ("interrupts", "manual/submit-behind/twice"),
    ("interrupts", "ordered/pipeline-submit"),
    ("interrupts", "ordered/wait-timeout"),
    ("signals", "cpu"),
    ("signals", "ordered"),
    ("finalizers", "cpu"),
    ("finalizers", "ordered"),
    ("programs", "cpu"),
    ("programs", "ordered"),
    ("forks", "cpu/main"),
    ("forks", "manual/thread"),
    ("loops", "cpu/cancelled"),
    ("loops", "manual/closed"),
    ("loops", "ordered/dropped"),
    ("loops", "polled/dropped"),
    ("threads", "cpu/refused"),
    ("threads", "manual/refused"),
    ("threads", "manual/dying"),
    ("search", "appends"),
    ("search", "checkpoints"),
    ("search", "index"),
]
LATER: list[tuple[str, str]] = []
# How many places or rounds of each case are tried.
MOST = {
    "interrupts": 30,
    "signals": 4,
    "finalizers": 2,
    "programs": 6,
    "forks": 2,
    "loops": 4,
    "threads": 1,
    "search": 7,
}

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks as POSIX has them")


def cases(part: str, pattern: str) -> list[str]:
    return [case for case in load(part).cases() if fnmatchcase(case, pattern)]


@posix
@pytest.mark.parametrize("part", dict.fromkeys(part for part, _ in SHORT))
def test_a_few_rounds(part):
    chosen = [case for each, pattern in SHORT if each == part for case in cases(part, pattern)]
    asked = Asked(seconds=SECONDS, most=MOST[part])
    ended = process(part, chosen, asked, PATIENCE)
    found = f"{ended.symptom}\n{ended.where}\n{again(part, ended, asked)}\n{ended.stacks}"
    assert ended.status == 0, found
    assert ended.done == chosen
    assert sum(ended.counts.values()) > 0


@posix
def test_every_row_is_a_part_and_a_case_of_it():
    for part, pattern in [*SHORT, *LATER]:
        assert part in PARTS
        assert cases(part, pattern)


STUCK = """
import threading
from chaos.watch import Asked, Failure, attend

def run(case, watch):
    watch.counts["rounds"] += 1
    watch.at(7, limit=0.2, then=3)
    watch.say(where=["here"])
    if case == "wrong":
        raise Failure("two and two are five")
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

attend(Asked(seed=5), ["{case}"], run)
"""


@pytest.mark.parametrize(
    "case, status, symptom",
    [("stuck", WEDGED, "hangs; see the stacks"), ("wrong", FAILED, "two and two are five")],
)
def test_a_process_that_hangs_or_finds_something_is_understood(case, status, symptom):
    done = subprocess.run(
        [sys.executable, "-c", STUCK.replace("{case}", case)],
        capture_output=True, text=True, check=False, timeout=60,
        env=dict(os.environ, PYTHONPATH=str(TESTS)),
    )  # fmt: skip
    ended = heard(done.returncode, done.stdout, done.stderr)
    assert (ended.status, ended.symptom, ended.where) == (status, symptom, ["here"])
    assert " in run" in ended.stacks
    line = f'make chaos ARGS="--only threads --case {case} --seed 5 --at 7 --then 3"'
    assert again("threads", ended, Asked(seed=5)) == line


def _steps(record: list[str]) -> None:
    """Three places where C returns to Python, and what a handler does in two more."""
    try:
        record.append("one")
        record.append("two")
        record.append("three")
    except KeyboardInterrupt:
        record.append("caught")
        record.append("again")
        raise


def _apart(function):
    """The same function, as if it were in a file that is not the campaign's."""
    code = function.__code__.replace(co_filename="elsewhere.py")
    return type(function)(code, globals())


def test_an_interrupt_comes_at_its_place_and_a_second_one_behind_it():
    steps = _apart(_steps)
    assert count(lambda: steps([])) == 4  # where it begins, and three returns
    for at, then, expected in (
        (1, 0, []),
        (3, 0, ["one", "two", "caught", "again"]),
        (2, 1, ["one", "caught"]),
        (2, 2, ["one", "caught", "again"]),
    ):
        record: list[str] = []
        interrupts = Interrupts(at, then)
        with pytest.raises(KeyboardInterrupt), interrupts:
            steps(record)
        assert record == expected
        assert len(interrupts.places) == (2 if then else 1)
        assert sys.getprofile() is sys.gettrace() is None
