"""Cores that workers claim: each its own, for as long as it lives."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from treadle.cluster.cores import claim, cores_here

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or cores_here() < 2, reason="one core, or no such system"
)

CLAIM = """
import os, sys
from pathlib import Path
from treadle.cluster.cores import claim
held = claim(int(sys.argv[1]), Path(sys.argv[2]))
print(len(held), *sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""


def claiming(folder, count=1):
    """A process that has claimed cores: itself, how many, and what it runs on."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(count), str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    held, *cores = map(int, process.stdout.readline().split())
    return process, held, cores


def test_each_worker_has_its_own_and_a_dead_ones_are_free_again(tmp_path):
    here = sorted(os.sched_getaffinity(0))
    first, held, mine = claiming(tmp_path)
    second, _, others = claiming(tmp_path)
    assert held == 1
    assert (mine, others) == (here[:1], here[1:2])
    first.kill()
    first.communicate()
    third, _, again = claiming(tmp_path)
    assert again == mine
    for process in (second, third):
        process.communicate()


def test_as_many_as_there_are_are_shared(tmp_path):
    before = os.sched_getaffinity(0)
    assert claim(len(before), tmp_path) == []
    assert os.sched_getaffinity(0) == before
