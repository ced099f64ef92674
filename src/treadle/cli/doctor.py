"""`treadle doctor`: what is installed, what is missing, and what to do about it.

In: this machine. Out: a list of checks, each good, absent by choice or wrong, with what helps; the
status is 1 where something that every use needs is wrong. Each present device computes something
and is compared with NumPy.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata

import numpy as np

import treadle
from treadle.backends.cache import DiskCache, cache_directory
from treadle.cli.console import console, table
from treadle.cli.devices import describe, known
from treadle.data import dataclass

__all__ = ["Check", "doctor"]

# By extra: what it gives, and the packages that make it.
EXTRAS = {
    "cli": ("recipes over image files", ("pillow", "rich", "typer")),
    "heif": ("HEIC photos", ("pillow-heif",)),
    "cluster": ("streams over several machines", ("ray",)),
    "parquet": ("vectors in .parquet files", ("pyarrow",)),
    "remote": ("photos in stores such as s3://", ("fsspec",)),
    "models": ("ONNX models", ("onnxruntime|onnxruntime-gpu",)),
    "models-gpu": ("ONNX models on NVIDIA GPUs", ("onnxruntime-gpu",)),
    "serve": ("recipes and indexes over HTTP", ("pillow", "starlette", "uvicorn")),
    "cuda": ("NVIDIA GPUs", ("cupy-cuda13x|cupy-cuda12x|cupy",)),
    "webgpu": ("GPUs through Vulkan, Metal, DX12", ("wgpu",)),
    "surface": ("windows that show what is computed", ("glfw", "rendercanvas", "wgpu")),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: good, absent (nothing wrong) or wrong, and what to do."""

    name: str
    state: str
    found: str
    advice: str = ""


def doctor(*, as_json: bool) -> int:
    """Look at everything and print it; return the status."""
    if not as_json:
        from rich.text import Text  # where it is missing, that is said before devices compute
    checks = [*_core(), *_extras(), *_devices()]
    wrong = [check for check in checks if check.state == "wrong"]
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
        return int(bool(wrong))
    signs = {"good": ("ok", "green"), "absent": ("-", "dim"), "wrong": ("!!", "bold red")}
    rows = table("", "what", "found", "what to do")
    for check in checks:
        sign, style = signs[check.state]
        rows.add_row(Text(sign, style), Text(check.name), Text(check.found), Text(check.advice))
    out = console()
    out.print(rows)
    said = f"{len(wrong)} wrong" if wrong else "nothing is wrong"
    out.print(said, style="bold red" if wrong else "bold green")
    return int(bool(wrong))


def _core() -> Iterator[Check]:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    new = sys.version_info >= (3, 11)
    yield Check("Python", "good" if new else "wrong", f"{python} on {platform.platform()}")
    yield Check("treadle", "good", f"{treadle.__version__}, {len(treadle.kernels())} kernels")
    for package in ("numpy", "llvmlite"):
        found = _installed(package)
        advice = "" if found else f"pip install {package}"
        yield Check(package, "good" if found else "wrong", found or "missing", advice)
    yield _cache()


def _cache() -> Check:
    cache = DiskCache(cache_directory())
    folder = cache.directory
    if folder is None:
        why = "off (TREADLE_CACHE)" if "TREADLE_CACHE" in os.environ else "off: no home directory"
        return Check("cache", "absent", why, "kernels compile in every process")
    advice = "set TREADLE_CACHE to a folder of your own; kernels compile in every process"
    if cache.problem:
        return Check("cache", "wrong", cache.problem, advice)
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
        size = sum(each.stat().st_size for each in folder.iterdir() if each.is_file())
    except OSError as error:
        return Check("cache", "wrong", f"{folder}: {error.strerror}", advice)
    return Check("cache", "good", f"{folder}, {size / 2**20:.1f} MiB")


def _extras() -> Iterator[Check]:
    for extra, (gives, packages) in EXTRAS.items():
        versions = {each: _installed(each) for each in packages}
        missing = [name.partition("|")[0] for name, version in versions.items() if not version]
        listed = ", ".join(
            f"{name.partition('|')[0]} {version}" for name, version in versions.items() if version
        )
        if missing:
            found = f"{listed + '; ' if listed else ''}no {', '.join(missing)}"
            yield Check(extra, "absent", found, f"for {gives}: pip install 'treadle[{extra}]'")
        else:
            yield Check(extra, "good", listed + _more(extra))


def _more(extra: str) -> str:
    """What else is to be said of an extra that is installed."""
    if extra != "models":
        return ""
    try:
        return f": {', '.join(treadle.models.providers())}"
    except treadle.TreadleError as error:  # it is installed, and cannot be imported
        return f": {str(error).splitlines()[0]}"


def _installed(package: str) -> str:
    """The version of a package, or of the first of several that do the same."""
    for name in package.split("|"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""


def _devices() -> Iterator[Check]:
    asked = os.environ.get("TREADLE_DEVICE", "")
    for name in known():
        row = describe(name)
        if not row["present"]:
            needed = name == "cpu" or name == asked
            yield Check(name, "wrong" if needed else "absent", "cannot be used", row["reason"])
            continue
        try:
            _compute(name)
        except (treadle.TreadleError, AssertionError) as error:
            first = (str(error) or "gives wrong results").splitlines()[0]
            yield Check(name, "wrong", row["name"], first)
        else:
            gpu = "GPU" if row["gpu"] else "no GPU"
            yield Check(name, "good", f"{row['name']} ({gpu}): computes rightly")
    try:
        yield Check("default", "good", f"{treadle.device().name} is used unless another is named")
    except treadle.TreadleError as error:
        yield Check("default", "wrong", "no device", str(error))


def _compute(name: str) -> None:
    """Run a kernel on a device and compare."""
    values = np.linspace(-2, 2, 1000, dtype=np.float32)
    device = treadle.device(name)
    result = device.run_kernel("silu", [device.buffer(values)]).to_numpy()
    expected = values / (1 + np.exp(-values))
    assert np.allclose(result, expected, rtol=1e-4, atol=1e-6), "silu differs from NumPy's"
