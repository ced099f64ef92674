"""The live page: what it shows is what runs, and it costs nothing while it is not open."""

from __future__ import annotations

import io
import json
import os
import threading
import urllib.parse
import urllib.request

import numpy as np
import pytest

import browser
import treadle
from treadle.pages import samples
from treadle.pages.samples import SHARE, paces
from treadle.runtime import observe

CPU = treadle.device("cpu")


@pytest.fixture
def dashboard():
    with treadle.dashboard() as found:
        yield found


def asked(dashboard):
    address = dashboard.address.replace("/?", "/data?")
    with urllib.request.urlopen(address, timeout=30) as answer:
        return json.load(answer)


def test_nothing_is_recorded_before_a_page_asks_and_after_its_end():
    dashboard = treadle.dashboard()
    assert observe.active is None
    asked(dashboard)
    assert observe.active is not None
    dashboard.close()
    assert observe.active is None


def test_it_shows_devices_memory_and_the_records_of_a_trace(dashboard, monkeypatch):
    monkeypatch.setattr(samples, "paces", lambda made, lasted: (0.01, 0.0))  # without pauses
    asked(dashboard)
    buffer = CPU.buffer(np.ones((64, 64), np.float32))
    for _ in range(3):
        CPU.submit("exp", [buffer]).wait()
    for _ in range(100):  # who waits may go on before the record of the command is made
        found = asked(dashboard)
        (lane,) = [each for each in found["lanes"] if each["name"] == "compute"] or [{"boxes": []}]
        if len(lane["boxes"]) == 3:
            break
    (device,) = [each for each in found["devices"] if each["name"] == "cpu"]
    assert device["used"] >= buffer.size
    assert [label for label, _, _ in lane["boxes"]] == ["exp"] * 3


def test_a_moment_that_is_no_number_of_ours_is_answered(dashboard):
    address = dashboard.address.replace("/?", "/data?")
    for since in ("9" * 5000, "-1", "soon", "\u0663"):
        query = urllib.parse.urlencode({"since": since})
        with urllib.request.urlopen(f"{address}&{query}", timeout=30) as answer:
            assert json.load(answer)["seconds"] > 0


def test_a_trace_of_the_programs_own_goes_on(dashboard):
    with treadle.trace() as trace:
        asked(dashboard)
        CPU.submit("exp", [CPU.buffer([1.0])]).wait()
        found = asked(dashboard)
    assert [record.label for record in trace.records if record.kind == "command"] == ["exp"]
    assert "exp" in [label for lane in found["lanes"] for label, _, _ in lane["boxes"]]


def test_a_program_may_begin_a_trace_while_the_page_is_open(dashboard):
    asked(dashboard)
    with treadle.trace() as trace:
        CPU.submit("exp", [CPU.buffer([1.0])]).wait()
        found = asked(dashboard)
    assert [record.label for record in trace.records if record.kind == "command"] == ["exp"]
    assert "exp" in [label for lane in found["lanes"] for label, _, _ in lane["boxes"]]
    with treadle.trace():
        asked(dashboard)
        with pytest.raises(treadle.LaunchError, match="one can be on at a time"):
            treadle.trace().start()


def test_a_page_gets_what_is_new_to_it(dashboard):
    asked(dashboard)
    CPU.submit("exp", [CPU.buffer([1.0])]).wait()
    first = asked(dashboard)
    with treadle.trace():  # so that all of it is recorded
        CPU.submit("log", [CPU.buffer([1.0])]).wait()
        second = dashboard.data(int(first["now"]))
    labels = [label for lane in second["lanes"] for label, _, _ in lane["boxes"]]
    assert "log" in labels
    assert "exp" not in labels
    assert dashboard.data(int(second["now"]))["lanes"] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_fork_leaves_the_page_to_the_parent(dashboard):
    asked(dashboard)
    child = os.fork()
    if child == 0:
        good = observe.active is None
        dashboard.close()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert observe.active is not None
    assert asked(dashboard)["devices"]


def test_a_closed_dashboard_records_nothing_more(dashboard):
    dashboard.close()
    assert dashboard.data()["devices"]
    assert observe.active is None


@pytest.mark.parametrize("each", [10e-6, 400e-6, 1e-3, 5e-3, 1.0])
def test_recording_takes_its_share_of_the_time_however_many_commands_there_are(each):
    length, spent, whole = 0.02, 0.0, 0.0
    for _ in range(50):
        made = round(length / (each + 25e-6))
        lasted = length
        length, rest = paces(made, lasted)
        assert 0.005 <= length <= 0.05
        spent += made * 25e-6
        whole += lasted + max(rest, 0.0)
    assert spent / whole <= 1.05 * SHARE


def test_it_shows_streams_that_run_with_their_verdict(dashboard):
    go = threading.Event()

    def batches():
        yield np.ones(8, np.float32)
        yield np.ones(8, np.float32)
        assert go.wait(30)

    stream = treadle.stream(batches(), compute="relu", device=CPU)
    results = iter(stream)
    next(results)
    (shown,) = asked(dashboard)["streams"]
    assert shown["batches"] >= 1
    assert shown["verdict"]
    go.set()
    list(results)
    assert asked(dashboard)["streams"] == []


@pytest.fixture(scope="module")
def chromium():
    browser.require()
    with browser.Browser() as running:
        yield running


def test_the_page_in_a_browser_in_light_and_dark_narrow_and_wide(chromium, dashboard, tmp_path):
    image = pytest.importorskip("PIL.Image")
    buffer = CPU.buffer(np.ones((64, 64), np.float32))
    pictures = {}
    for width in (400, 1400):
        for dark in (False, True):
            page = chromium.open(dashboard.address, width=width, height=700, dark=dark)
            page.wait("document.querySelector('[data-name=cpu]')")
            CPU.submit("exp", [buffer]).wait()
            page.wait("document.querySelector('.lane')")
            state = page.evaluate("document.getElementById('state').textContent")
            assert state.startswith("live")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            shot = page.screenshot(tmp_path / f"{width}{'-dark' if dark else ''}.png")
            pixels = np.asarray(image.open(io.BytesIO(shot)).convert("L"))
            pictures[width, dark] = pixels[-5:, :5].mean()
            page.close()
    for width in (400, 1400):
        assert pictures[width, True] < 60 < 200 < pictures[width, False]


def test_a_page_with_a_wrong_token_shows_nothing(chromium, dashboard):
    page = chromium.open(dashboard.address[:-3] + "xyz")
    assert "token is missing or wrong" in page.evaluate("document.body.innerText")
    page.close()


def test_a_run_can_be_watched(tmp_path, capfd):
    typer_testing = pytest.importorskip("typer.testing")
    from photo_files import make_photo
    from treadle.cli.app import app

    photo = make_photo(tmp_path / "a.png", size=(16, 16))
    given = ["run", "monochrome", str(photo), "-o", str(tmp_path / "out"), "--dashboard", "-q"]
    done = typer_testing.CliRunner().invoke(app, [*given, "--device", "cpu"])
    assert done.exit_code == 0, done.output
    assert "watch it at http://127.0.0.1:" in done.stderr
    assert not [each for each in threading.enumerate() if each.name == "treadle-page"]
