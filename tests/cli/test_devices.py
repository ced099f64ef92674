"""`treadle devices`: what it prints, and how it exits."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

import treadle
from treadle import cli
from treadle.dtypes import STORED
from treadle.runtime import device as devices


@pytest.fixture
def broken(monkeypatch):
    """A backend that cannot be used here."""

    class Broken:
        def __init__(self):
            raise treadle.DeviceUnavailable("the frobnicator is not plugged in; plug it in")

    monkeypatch.setitem(sys.modules, "nowhere", SimpleNamespace(Broken=Broken))
    monkeypatch.setitem(devices.BACKENDS, "broken", "nowhere:Broken")


def test_the_table_shows_what_is_present_and_why_the_rest_is_not(broken, capsys):
    assert cli.main(["devices"]) == 0
    out = capsys.readouterr().out
    head, *rows = out.splitlines()
    assert head.split() == ["device", "gpu", "memory", "name", "driver"]
    assert rows[0].startswith("cpu ")
    assert treadle.device("cpu").info.name in rows[0]
    after = out.partition("broken cannot be used:")[2]
    assert "frobnicator is not plugged in; plug it in" in " ".join(after.split())


def test_json_says_the_same(broken, capsys):
    assert cli.main(["devices", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["version"] == treadle.__version__
    rows = {row["device"]: row for row in said["devices"]}
    assert set(rows) >= set(devices.BACKENDS)
    assert rows["cpu"]["present"] is True
    assert rows["cpu"]["gpu"] is False
    assert rows["cpu"]["dtypes"] == [*STORED]
    assert rows["broken"] == {
        "device": "broken",
        "present": False,
        "reason": "the frobnicator is not plugged in; plug it in",
    }


@pytest.mark.parametrize(
    "names, status", [(["cpu"], 0), (["cpu", "reference"], 0), (["cpu", "broken"], 1), (["gpu"], 1)]
)
def test_the_status_tells_whether_named_devices_are_there(broken, capsys, names, status):
    assert cli.main(["devices", *names]) == status
    out = capsys.readouterr().out
    assert all(name in out for name in names)


def test_a_name_that_is_none_gets_the_known_ones(capsys):
    assert cli.main(["devices", "cpuu"]) == 1
    assert "did you mean 'cpu'" in " ".join(capsys.readouterr().out.split())
