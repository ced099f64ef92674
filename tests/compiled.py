"""What LLVM made of a text in an earlier run of the suite; it is not asked again.

LLVM takes about a quarter of the suite's processor time, and is given nearly the same texts every
time. What it makes of one follows from the text, from the processor and the version of LLVM (which
`Jit.machine` names), and from how it is called: the source of `jit.py`. All three are the key, and
whatever else there is to keep (plans, programs) is made anew by every run. In: a folder that stays
between runs. Out: a `Jit` that asks LLVM only where the folder has no answer.
"""

from __future__ import annotations

from pathlib import Path

from treadle.backends.cache import DiskCache, digest
from treadle.backends.cpu import jit


def keep_in(folder: Path) -> None:
    """Let this process's compilers keep and find in a folder what LLVM makes."""
    how = Path(jit.__file__).read_bytes()
    files, build = DiskCache(folder), jit.Jit._build

    def found_or_built(self: jit.Jit, text: str) -> bytes:
        key = digest(text, self.machine, how)
        code = files.load(key)
        if code is None:
            code = build(self, text)
            files.store(key, code)
        return code

    jit.Jit._build = found_or_built
