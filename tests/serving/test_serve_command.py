"""`treadle serve`: its sentences, its address, and its end by signals."""

from __future__ import annotations

import json
import signal
import socket
import sys
import urllib.request

import numpy as np
import pytest

from pages import ROOT
from photo_files import make_photo, python
from treadle import cli
from treadle.search import Index
from treadle.serving import library

MIRROR = '[[stage]]\nkernel = "flip"\n'
pytest.importorskip("typer")
pytest.importorskip("rich")


@pytest.fixture
def treadle_(capfd, monkeypatch):
    """Call the command line in this process."""
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("TREADLE_DEVICE", "cpu")

    def call(*arguments):
        status = cli.main([str(each) for each in arguments])
        said = capfd.readouterr()
        assert "Traceback" not in said.out + said.err
        return status, said.out + said.err

    return call


def test_help_says_what_it_does(treadle_):
    status, said = treadle_("serve", "--help")
    assert status == 0
    assert said.startswith("Usage: treadle serve [OPTIONS] {RECIPE|MODEL|INDEX}...")
    for words in ("--port", "--host", "--max-pixels", "Ctrl-C finishes what was accepted"):
        assert words in said


def test_a_port_in_use(treadle_):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, said = treadle_("serve", "thumbnail", "--port", port)
    assert status == 2
    assert said == (
        f"treadle: port: {port} is in use at 127.0.0.1; take another, or 0 for one that is free\n"
    )


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["thumbnial"], "did you mean 'thumbnail'?"),
        (["thumbnail", "poster"], "poster: a service has one recipe, and got two"),
        (["absent.toml"], "cannot be read: No such file"),
        (["thumbnail", "--host", "no.such.host.invalid"], "is no address of this machine"),
        (["thumbnail", "--device", "abacus"], "abacus"),
        (["thumbnail", "--set", "resize.max_side=none"], "max_side: expected a whole number"),
        (["thumbnail", "--max-pixels", "0"], "max_pixels: expected a number above 0"),
    ],
)
def test_nothing_is_started_where_something_is_wrong(treadle_, arguments, words):
    status, said = treadle_("serve", *arguments)
    assert status == 2
    assert words in said


def test_a_bad_recipe_and_a_bad_index(treadle_, tmp_path):
    recipe = tmp_path / "bad.toml"
    recipe.write_text('[[stage]]\nkernel = "blurr"\n')
    status, said = treadle_("serve", recipe)
    assert status == 2
    assert "line 2" in said
    index = tmp_path / "bad.index"
    index.write_bytes(b"not an index")
    status, said = treadle_("serve", index)
    assert status == 2
    assert "bad.index" in said


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_a_missing_extra_is_named(treadle_, monkeypatch, missing):
    for each in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, each)
    monkeypatch.setitem(sys.modules, missing, None)
    if missing == "starlette":
        monkeypatch.setitem(sys.modules, "starlette.applications", None)
    for load in (library.starlette, library.uvicorn):
        load.cache_clear()
    status, said = treadle_("serve", "thumbnail", "--port", 0)
    for load in (library.starlette, library.uvicorn):
        load.cache_clear()
    assert status == 2
    assert "which is not installed; pip install 'treadle[serve]'" in said


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_it_prints_its_address_and_stops_when_asked(tmp_path):
    with Index(4, device="cpu") as index:
        index.add(np.eye(4, dtype=np.float32))
        index.save(tmp_path / "four.index")
    recipe = tmp_path / "mirror.toml"
    recipe.write_text(MIRROR)
    words = ["-m", "treadle", "serve", recipe, tmp_path / "four.index", "--port", 0]
    with python(*words) as process:
        line = process.stdout.readline()
        assert line.startswith("mirror and ")
        address = line.split()[-1]
        assert address.startswith("http://127.0.0.1:")
        data = make_photo(tmp_path / "a.jpg").read_bytes()
        sent = urllib.request.Request(address + "image", data, {"Content-Type": "image/jpeg"})
        with urllib.request.urlopen(sent) as answer:
            assert answer.read(2) == b"\xff\xd8"
        body = json.dumps({"vector": [0, 1, 0, 0], "k": 1}).encode()
        sent = urllib.request.Request(
            address + "nearest", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(sent) as answer:
            assert json.load(answer)["ids"] == [1]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""
    assert "stopping: what was accepted is finished" in err
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_second_signal_stops_at_once(tmp_path):
    recipe = tmp_path / "mirror.toml"
    recipe.write_text(MIRROR)
    with python("-m", "treadle", "serve", recipe, "--port", 0) as process:
        address = process.stdout.readline().split()[-1]
        host, port = address.split("/")[2].split(":")
        with socket.create_connection((host, int(port)), timeout=60) as wire:
            # A client that has not finished keeps the service from ending well.
            wire.sendall(b"POST /image HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab")
            process.send_signal(signal.SIGTERM)
            assert "Ctrl-C" in process.stderr.readline()
            assert "stopping" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_the_example_serves_the_same_app():
    with python(ROOT / "examples" / "serve.py", "--port", 0, "--recipe", "monochrome") as process:
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address + "about") as answer:
            offered = json.load(answer)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == ""
    assert offered["recipe"]["name"] == "monochrome"
    assert offered["index"] == {"dim": 64, "metric": "cosine", "rows": 10_000}
