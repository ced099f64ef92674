"""The command line as a whole: help, version, status, completion, the extra, and small commands."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import treadle
from photo_files import outputs, python
from treadle import cli
from treadle.backends.cache import DiskCache
from treadle.cli import bench, doctor
from treadle.cli.console import bar, console

COMMANDS = ["run", "recipe", "search", "devices", "kernels", "bench", "doctor"]
PARTS = [f"recipe {name}" for name in ("list", "check", "show")]
PARTS += [f"search {name}" for name in ("build", "query", "info")]


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_every_command(treadle_, arguments):
    said = treadle_(*arguments)
    assert said.status in ((0, 2) if not arguments else (0,))
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\S", said.out + said.err, re.M), command
    assert "Exit status" in said.out + said.err


@pytest.mark.parametrize("command", [*COMMANDS, *PARTS])
def test_every_command_has_help(treadle_, command):
    said = treadle_(*command.split(), "--help")
    assert said.status == 0
    assert said.out.startswith(f"Usage: treadle {command}")


@pytest.mark.parametrize("command", ["", "recipe", "search"])
def test_what_a_command_does_is_said_in_full(treadle_, command):
    said = treadle_(*command.split(), "--help")
    listed = said.out.partition("Commands:")[2].partition("\n\n")[0]
    assert "..." not in listed
    assert "[[" not in treadle_("devices", "--help").out


def test_a_plan_is_set_in_where_it_is_folded(treadle_, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    plan = treadle_("recipe", "show", "enhance", "--device", "cpu").out.partition("stages\n")[2]
    assert plan
    lines = plan.splitlines()
    assert all(len(line) <= 60 for line in lines)
    stages = lines[: lines.index("")]
    assert sum(line.startswith("  ") and line[2].isdigit() for line in stages) == 4
    assert all(line.startswith(("  ", "       ")) for line in stages)


def test_a_drawing_where_the_locale_has_no_signs_for_it(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert cli.main(["recipe", "show", "thumbnail", "--device", "cpu"]) == 0
    assert b"resize" in raw.getvalue()
    assert b"?" not in raw.getvalue()


def test_bars_where_the_locale_has_no_signs_for_them(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", errors="replace"))
    console().print(bar(0.55, 10) + "|")
    sys.stdout.flush()
    assert raw.getvalue() == b"######|\n"


class Full(io.RawIOBase):
    """A file on a disk that is full, or in a pipe that nobody reads any more."""

    def __init__(self, number):
        self._number = number

    def writable(self):
        return True

    def write(self, data):
        raise OSError(self._number, os.strerror(self._number))


@pytest.mark.parametrize("number, status", [(errno.ENOSPC, 1), (errno.EPIPE, 0)])
@pytest.mark.parametrize("words", [["kernels"], ["recipe", "show", "thumbnail", "--source"]])
def test_text_that_cannot_be_written(monkeypatch, capfd, words, number, status):
    full = io.TextIOWrapper(io.BufferedWriter(Full(number)), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", full)
    assert cli.main(words) == status
    said = capfd.readouterr().err
    assert said == ("treadle: standard output: No space left on device\n" if status else "")
    with suppress(OSError):  # what is left in it goes nowhere
        full.close()


def test_a_run_goes_on_where_what_it_says_cannot_be_written(monkeypatch, photos, tmp_path):
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BufferedWriter(Full(errno.ENOSPC))))
    assert cli.main(["run", "thumbnail", str(photos), "-o", str(tmp_path / "out")]) == 0
    assert len(outputs(tmp_path / "out")) == 6
    with suppress(OSError):  # what is left in it goes nowhere
        sys.stderr.close()


def test_version(treadle_):
    assert treadle_("--version").out == f"treadle {treadle.__version__}\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["device"], "device"),
        (["devices", "--xml"], "--xml"),
        (["run"], "RECIPE"),
        (["run", "enhance", "x.jpg"], "--out"),
    ],
)
def test_wrong_arguments_exit_with_2(treadle_, arguments, message):
    said = treadle_(*arguments)
    assert said.status == 2
    assert said.out == ""
    assert "Usage: treadle" in said.err
    assert message in said.err


def test_as_a_module():
    for arguments, status in (["devices", "cpu"], 0), (["--version"], 0), (["nonsense"], 2):
        process = python("-m", "treadle", *arguments)
        out, err = process.communicate(timeout=120)
        assert process.returncode == status, err
        assert ("cpu" in out) == (arguments[0] == "devices")


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom treadle.cli import doctor, main\n"
    code += "doctor.describe = None\n"  # it is said before any device is looked at
    code += "for each in ('doctor', 'devices', '--help'):\n"
    code += "    print('===', main([each]), file=sys.stderr, flush=True)\n"
    process = python("-c", code)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    said = re.split(r"=== (\d)\n", err)[:-1]
    named = 1 if missing == "rich" else 3  # nothing else there needs it
    for text, status in zip(said[0 : 2 * named : 2], said[1 : 2 * named : 2], strict=True):
        assert status == "2"
        assert "pip install 'treadle[cli]'" in text
        assert len(text.splitlines()) == 1
    assert said[1 + 2 * named :: 2] == ["0"] * (3 - named)
    assert (out == "") == (named == 3)


def test_a_reader_that_has_seen_enough_is_no_error():
    process = python("-m", "treadle", "kernels", "--json")
    process.stdout.close()
    process.wait(timeout=120)
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    import os

    words = "treadle recipe check en"
    env = {"bash": {"COMP_WORDS": words, "COMP_CWORD": "3"}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": words}
    )
    extra = {"_TREADLE_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    before = dict(os.environ)
    os.environ.update(env, **extra)
    try:
        process = python("-c", "import sys; from treadle.cli import main; sys.exit(main([]))")
        out, err = process.communicate(timeout=120)
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert "enhance" in out, err


def test_heavy_modules_wait_for_the_command_that_needs_them():
    process = python(
        "-c",
        "import sys, treadle; before = set(sys.modules); import treadle.cli.app\n"
        "print(*{n.partition('.')[0] for n in set(sys.modules) - before})",
    )
    out, err = process.communicate(timeout=120)
    loaded = set(out.split())
    assert "typer" in loaded, err
    assert not loaded & {"rich", "PIL", "tomllib", "llvmlite"}


class TestKernels:
    def test_all(self, treadle_):
        said = treadle_("kernels")
        assert said.status == 0
        words = said.out.split()
        assert [name for name in treadle.kernels() if name not in words] == []
        assert "[blur]" in words

    def test_one(self, treadle_):
        said = treadle_("kernels", "blur")
        assert said.out.startswith("gaussian_blur(image, *, radius=3, sigma=None)")
        assert "0 to 512" in said.text
        assert "also called: blur" in said.text
        assert "lines: " not in said.text
        assert "lines: long ones in pieces" in treadle_("kernels", "cumsum").text

    def test_as_json(self, treadle_):
        every = json.loads(treadle_("kernels", "--json").out)
        assert set(every) >= {"relu", "resize"}
        one = json.loads(treadle_("kernels", "resize", "--json").out)
        assert one == every["resize"]
        assert one["family"] == "resample"
        assert one["parameters"][0]["required"] is True

    def test_unknown(self, treadle_):
        said = treadle_("kernels", "relyu")
        assert (said.status, "did you mean 'relu'?" in said.err) == (1, True)


class TestDoctor:
    def test_everything_in_order(self, treadle_):
        said = treadle_("doctor")
        assert said.status == 0
        assert "nothing is wrong" in said.out
        for word in ("Python", "numpy", "llvmlite", "cache", "cli", "cpu", "reference", "default"):
            assert word in said.out
        checks = json.loads(treadle_("doctor", "--json").out)
        assert {check["state"] for check in checks} <= {"good", "absent"}

    def test_a_device_that_computes_wrongly(self, treadle_, monkeypatch):
        def wrong(name):
            raise AssertionError("silu differs from NumPy's")

        monkeypatch.setattr(doctor, "_compute", wrong)
        said = treadle_("doctor")
        assert said.status == 1
        assert "silu differs" in said.text
        assert "wrong" in said.text

    def test_what_is_missing_says_what_to_do(self, treadle_, monkeypatch):
        monkeypatch.setattr(doctor, "_installed", lambda package: "")
        said = treadle_("doctor")
        assert said.status == 1
        assert "pip install numpy" in said.text
        assert "pip install 'treadle[webgpu]'" in said.text

    def test_a_cache_that_cannot_be_written(self, monkeypatch, tmp_path):
        taken = tmp_path / "file"
        taken.write_text("x")
        monkeypatch.setenv("TREADLE_CACHE", str(taken / "below"))
        check = doctor._cache()
        assert (check.state, "TREADLE_CACHE" in check.advice) == ("wrong", True)
        assert str(taken) in check.found
        monkeypatch.setenv("TREADLE_CACHE", "off")
        assert doctor._cache().state == "absent"

    def test_a_cache_that_is_not_treadles_own_is_named_with_the_reason(self, monkeypatch, tmp_path):
        monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
        own = DiskCache(tmp_path).directory
        own.mkdir()
        (own / "letter.txt").write_text("mine")
        check = doctor._cache()
        assert check.state == "wrong"
        assert str(own) in check.found
        assert "was not made by it" in check.found


class TestBench:
    def test_a_short_one(self, treadle_, monkeypatch):
        # One round of each: what is measured is not the point here.
        monkeypatch.setattr(bench, "measure", lambda works, seconds: timed_once(works))
        said = treadle_("bench")
        assert said.status == 0
        assert "softmax" in said.out
        assert re.search(r"\dx (faster|slower)", said.out)
        lines = json.loads(treadle_("bench", "--json").out)["lines"]
        assert all({"treadle"} < set(line["seconds"]) for line in lines)

    def test_the_best_of_several_rounds_counts(self):
        calls = []
        best = bench.measure({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 0.0)
        assert calls == ["a", "b"] * 4  # once before, then in turns
        assert all(0 <= seconds < 1 for seconds in best.values())

    def test_both_compute_the_same(self):
        import cv2
        import numpy as np

        assert cv2
        image = np.random.default_rng(1).integers(0, 256, (30, 40, 3), np.uint8)
        theirs = bench.peers.frame(image)["opencv"]().astype(int)
        picture = treadle.buffer(image)
        blurred = treadle.run_kernel("gaussian_blur", [picture], radius=3, sigma=1.5)
        sharp = treadle.run_kernel("sharpen", [blurred], amount=0.5)
        ours = treadle.run_kernel("grayscale", [sharp]).to_numpy().astype(int)
        # OpenCV blurs u8 in fixed point, off by one at most; sharpening weighs that by 3 + 4 / 2.
        assert np.abs(ours - theirs).max() <= 6

    def test_an_unknown_device(self, treadle_):
        assert treadle_("bench", "--device", "abacus").status == 2


def timed_once(works):
    for work in works.values():
        work()
    return {name: 0.001 * (1 + index) for index, name in enumerate(works)}


def test_bars():
    assert bar(1.0, 4) == "████"
    assert bar(0.0, 4) == ""
    assert bar(0.5, 3) == "█▌"
    assert bar(7.0, 2) == "██"


def test_exit_codes_are_documented():
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    for code, meaning in cli.EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in page


def test_main_needs_no_arguments(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["treadle", "--version"])
    assert cli.main() == 0
    assert treadle.__version__ in capsys.readouterr().out


def test_bench_fits_a_terminal_of_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    times = {"treadle": 1.2e-2, "numpy": 3.4e-2, "opencv": 9.99e-4}
    bench._show([("relu((a + b) * s), 16 MiB f32", times)], "a device")
    said = capsys.readouterr().out
    for words in ("16 MiB f32", "12.00 ms", "999.0 us", "2.8x faster", "12.0x slower"):
        assert words in said
    assert max(map(len, said.splitlines())) <= 80
