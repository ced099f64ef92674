"""LLVM is asked once for each text, processor and way of asking, over all runs of the suite."""

from __future__ import annotations

import pytest

import compiled
from treadle.backends.cpu import jit


class OnMachine(jit.Jit):
    """A compiler for a processor that has a name and nothing else."""

    machine = "one"

    def __init__(self):
        pass


@pytest.fixture
def asked():
    """The texts that LLVM was asked for."""
    return []


@pytest.fixture
def begin(monkeypatch, tmp_path, asked):
    """Begin a run of the suite."""

    def build(self, text):
        asked.append(text)
        return text.encode() * 2

    def run():
        monkeypatch.setattr(jit.Jit, "_build", build)
        compiled.keep_in(tmp_path)

    return run


def test_a_text_is_built_once(begin, asked):
    for _ in range(2):
        begin()
        assert [OnMachine()._build(text) for text in ("a", "b", "a")] == [b"aa", b"bb", b"aa"]
    assert asked == ["a", "b"]


def test_for_another_processor_it_is_built_again(begin, asked, monkeypatch):
    begin()
    OnMachine()._build("a")
    monkeypatch.setattr(OnMachine, "machine", "two")
    OnMachine()._build("a")
    assert asked == ["a", "a"]


def test_where_llvm_is_asked_in_another_way_it_is_built_again(begin, asked, monkeypatch, tmp_path):
    begin()
    OnMachine()._build("a")
    edited = tmp_path / "jit.py"
    edited.write_text("other options")
    monkeypatch.setattr(jit, "__file__", str(edited))
    begin()
    OnMachine()._build("a")
    assert asked == ["a", "a"]
