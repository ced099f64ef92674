"""Linking among gigabytes of other memory: code finds its constants, wherever there is room."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import mmap, random, sys
from pathlib import Path
from treadle.backends.cache import DiskCache
from treadle.backends.cpu.jit import Jit
from treadle.codegen.llvm import render
from treadle.ir.schedule import Execution, Target
from treadle.passes.schedule import schedule
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup
from treadle.passes import optimise
import treadle

jit = Jit(DiskCache(Path(sys.argv[1])))
texts = []
for name in ("exp", "sin", "sigmoid", "tanh", "gelu", "softmax", "log", "relu"):
    if name not in treadle.kernels():
        continue
    kernel = lookup(name)
    for dtype in (DType.F32, DType.F64):
        bound = kernel.bind((Spec((70, 90), dtype),), None, *kernel.arguments({}))
        best = optimise(bound.stages[0].kernel)
        texts.append(render(schedule(best, Target(Execution.LOOPS))))
choose = random.Random(3)
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
codes, apart = [], []
for _ in range(900):
    one = choose.choice(texts)
    codes.append(jit.compile(one.text, one.layout.external))
    if choose.random() < 0.45:
        codes.pop(choose.randrange(len(codes)))
    if choose.random() < 0.02:
        apart.append(mmap.mmap(-1, choose.choice([1, 2, 3]) << 30, flags=flags))
    if choose.random() < 0.01 and apart:
        apart.pop(choose.randrange(len(apart)))
print("linked", len(apart) > 2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reserves address space as Linux does")
def test_code_and_constants_stay_together(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert found.stdout.strip() == "linked True", found.stderr[-500:]
