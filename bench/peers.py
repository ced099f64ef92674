"""Other libraries to measure against, where they are installed.

In: nothing. Out: modules or None, set to as many threads as Treadle has workers. None of them is
ever required.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = [
    "CORES",
    "faiss",
    "fused_with_numba",
    "numba",
    "onnxruntime",
    "opencv",
    "torch",
    "usearch",
]

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@cache
def torch() -> Any:
    """PyTorch, or None."""
    found = _module("torch")
    if found is not None:
        found.set_num_threads(CORES)
    return found


@cache
def opencv() -> Any:
    """OpenCV, or None."""
    found = _module("cv2")
    if found is not None:
        found.setNumThreads(CORES)
    return found


@cache
def onnxruntime() -> Any:
    """onnxruntime, or None."""
    return _module("onnxruntime")


@cache
def numba() -> Any:
    """Numba, or None."""
    return _module("numba")


@cache
def faiss() -> Any:
    """faiss, set to its way of searching that is faster for few queries, or None.

    Its threads sleep when they have nothing to do: else they would spin for a while after its turn,
    on the cores of whoever comes next."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    found = _module("faiss")
    if found is not None:
        found.omp_set_num_threads(CORES)
        found.cvar.distance_compute_blas_threshold = 20
    return found


@cache
def usearch() -> Any:
    """The index module of usearch, or None."""
    return _module("usearch.index")


def fused_with_numba() -> Callable[..., None] | None:
    """`out = relu((a + b) * s)` as one parallel loop compiled by Numba, or None."""
    module = numba()
    if module is None:
        return None

    def fused(a: Any, b: Any, s: Any, out: Any) -> None:
        for i in module.prange(a.size):
            t = (a[i] + b[i]) * s
            out[i] = t if t > 0 else 0

    made: Callable[..., None] = module.njit(fused, parallel=True)
    return made
