"""Every error that Treadle raises on purpose gets through a pool of processes as it is."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil

import pytest

import treadle
from treadle import recipes
from treadle.errors import copied
from treadle.serving.limits import Refusal

# What takes more than a message.
SAMPLES = {
    treadle.KernelError: lambda kind: kind(
        "wrong", filename="a.py", lineno=3, column=5, line="    return y"
    ),
    treadle.CompileError: lambda kind: kind("refused", source="text", log="line 1"),
    treadle.FileError: lambda kind: kind("full", errno=28),
    treadle.ShardLost: lambda kind: kind("lost", missing={"a.index": "gone"}),
    treadle.BatchError: lambda kind: kind("lost", index=7, phase="compute"),
    Refusal: lambda kind: kind(503, "too much at once", retry_after="1"),
    recipes.RecipeError: lambda kind: kind(
        "a.toml",
        [recipes.Problem("no such kernel", 2, 9), recipes.Problem("other")],
        "a\nb = 'c'\n",
    ),
}


def kinds():
    """Every class below TreadleError, wherever it is written."""
    for module in pkgutil.walk_packages(treadle.__path__, "treadle."):
        if not module.name.endswith("__main__") and ".backends." not in module.name:
            importlib.import_module(module.name)
    found, waiting = [], [treadle.TreadleError]
    while waiting:
        kind = waiting.pop()
        if kind not in found and kind.__module__.startswith("treadle."):
            found.append(kind)
            waiting += kind.__subclasses__()
    return sorted(found, key=lambda kind: kind.__qualname__)


def sample(kind):
    for base in kind.__mro__:
        if base in SAMPLES:
            return SAMPLES[base](kind)
    return kind("what went wrong")


def same(one, other):
    assert type(one) is type(other)
    assert str(one) == str(other)
    assert one.args == other.args
    assert one.__dict__ == other.__dict__
    assert getattr(one, "errno", None) == getattr(other, "errno", None)


def test_the_public_ones_are_among_them():
    named = [getattr(treadle, name) for name in dir(treadle)]
    public = {each for each in named if isinstance(each, type) and issubclass(each, Exception)}
    assert public <= set(kinds())
    assert {recipes.RecipeError, treadle.UnknownCommand, treadle.TreadleError} <= set(kinds())


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_errors_can_be_pickled_and_copied(kind):
    error = sample(kind)
    error.add_note("while weaving")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same(pickle.loads(pickle.dumps(error, protocol)), error)
    same(copy.copy(error), error)
    same(copy.deepcopy(error), error)
    with pytest.raises(kind) as caught:
        raise copy.copy(error)
    same(caught.value, error)


def test_an_error_of_a_user_s_own_can_too():
    same(pickle.loads(pickle.dumps(Own(3, why="x"))), Own(3, why="x"))


class Own(treadle.LaunchError):
    def __init__(self, number: int, *, why: str) -> None:
        super().__init__(f"{number}: {why}")
        self.number = number


def chain():
    """An error with a reason, which came while another was dealt with."""
    try:
        try:
            try:
                raise KeyError("first")
            except KeyError:
                raise OSError(2, "second", "a.txt")  # noqa: B904 (a context, and no cause)
        except OSError as error:
            raise treadle.CompileError("third", source="text", log="line 1") from error
    except treadle.CompileError as error:
        error.add_note("while weaving")
        return error


def test_a_copy_for_a_caller_has_copies_of_what_led_to_it():
    error = chain()
    twin = copied(error)
    twin.add_note("the caller's")
    assert error.__notes__ == ["while weaving"]
    pairs = [
        (error, twin),
        (error.__cause__, twin.__cause__),
        (error.__cause__.__context__, twin.__cause__.__context__),
    ]
    for one, other in pairs:
        assert one is not other
        assert (type(one), str(one), one.args) == (type(other), str(other), other.args)
        assert one.__suppress_context__ == other.__suppress_context__
        assert other.__traceback__ is None
    assert pairs[1][1].filename == "a.txt"
    assert pairs[2][1].__cause__ is pairs[2][1].__context__ is None


class Awkward(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


class Changed(Exception):
    def __init__(self, text):
        super().__init__(f"changed: {text}")


@pytest.mark.parametrize("error", [Awkward("a", "b"), Changed("a")])
def test_what_cannot_be_copied_is_given_as_it_is(error):
    reason = error.__cause__ = ValueError("why")
    outer = treadle.CommandFailed("outer")
    outer.__cause__ = error
    assert copied(outer) is not outer
    assert copied(outer).__cause__ is error
    assert error.__cause__ is reason


def test_a_circle_of_reasons_has_an_end():
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    assert str(copied(one).__context__) == "other"
