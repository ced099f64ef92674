"""The `device` fixture: every backend in turn.

An absent one is skipped with the reason, and left out with one line at the end where its library is
not installed; TREADLE_REQUIRE=cpu,webgpu,browser turns absence into failure, that of a program too.
"""

from __future__ import annotations

import gc
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

import compiled
import treadle
from treadle.runtime import present, shares
from treadle.runtime.device import BACKENDS

# Where trio is installed, Hypothesis would load it into every process, though one file tests it.
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")

REQUIRED = {name for name in os.environ.get("TREADLE_REQUIRE", "").split(",") if name}

PROGRAMS = {"browser", "surface"}  # what TREADLE_REQUIRE may name beside devices: see browser.py

# The dev extra has all of these. A machine with a GPU may not, and tests the rest without them.
LIBRARIES = {
    "runtime/test_anyio.py": ("anyio", "trio"),
    "cli": ("PIL", "rich", "typer"),
    "cli/test_cluster_runs.py": ("PIL", "ray", "rich", "typer"),
    "cli/test_stores.py": ("PIL", "moto", "rich", "s3fs", "typer"),
    "cluster/test_parcels.py": ("ray",),
    "cluster/test_ray.py": ("ray",),
    "viewing": ("PIL",),
    "models": ("onnx", "onnxruntime"),
    "serving": ("PIL", "prometheus_client", "starlette", "uvicorn"),
    "test_demo.py": ("PIL", "rich", "typer"),
    "test_site.py": ("PIL", "mkdocs", "mkdocstrings"),
    "unit/test_png.py": ("PIL",),
}
LACKING = {
    name: missing
    for name, libraries in LIBRARIES.items()
    if (missing := [each for each in libraries if find_spec(each) is None])
}
# Thousands of tests name each device: those of one that cannot be opened take seconds to skip.
DRIVERS = {"cuda": "cupy", "webgpu": "wgpu"}
ABSENT = {
    name: library
    for name, library in DRIVERS.items()
    if name not in REQUIRED and find_spec(library) is None
}


# Where `make test` keeps what LLVM made, for its next run.
if folder := os.environ.get("TREADLE_COMPILED"):
    compiled.keep_in(Path(folder))


@pytest.hookimpl(optionalhook=True)  # tests/parts.py does without xdist
def pytest_xdist_auto_num_workers():
    """One process more than there are cores: tests wait for clusters, servers and the end of runs,
    and a core is idle meanwhile."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the collector off the tests while they are made: they all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_ignore_collect(collection_path):
    """Leave out what cannot be imported; None leaves the decision to others."""
    name = collection_path.relative_to(Path(__file__).parent).as_posix()
    return True if name in LACKING else None


def pytest_terminal_summary(terminalreporter):
    """Say what was left out, so that its absence is not taken for success."""
    for name, missing in LACKING.items():
        terminalreporter.line(f"left out: tests/{name}; not installed: {', '.join(missing)}")
    for name, library in ABSENT.items():
        terminalreporter.line(f"left out: tests on {name}; not installed: {library}")


@pytest.fixture(autouse=True, scope="module")
def only_own_garbage():
    """Keep the collector off what earlier files left: tests of leaks collect often."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_submitter():
    """Forget that a test named submitters: later ones run as in a process where nobody did."""
    yield
    shares.used = False


@pytest.fixture(autouse=True)
def nothing_left_for_later():
    """Have written what threads that plan keep for a lull: a later test may count what is written,
    or have writing fail."""
    yield
    for each in list(present.opened):
        programs = each._compiler._programs
        if programs._attendant._working.acquire(timeout=5):  # held while its thread does something
            try:
                while programs._do_later():
                    pass
            finally:
                programs._attendant._working.release()


@pytest.fixture(params=sorted((BACKENDS.keys() | REQUIRED) - PROGRAMS - ABSENT.keys()))
def device(request):
    """Every backend's device, in use as the default one."""
    try:
        found = treadle.device(request.param)
    except treadle.DeviceUnavailable as error:
        if request.param in REQUIRED:
            pytest.fail(f"{request.param} is required: {error}")
        pytest.skip(str(error))
    with treadle.use_device(found):
        yield found
    found.synchronize()
