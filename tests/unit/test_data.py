import copy
import dataclasses
import inspect
import pickle

import pytest

from treadle import data


@data.dataclass(frozen=True, slots=True)
class Point:
    """Where something is."""

    x: int
    y: int = 2
    notes: list[str] = dataclasses.field(default_factory=list, compare=False)
    unit: str = dataclasses.field(default="m", kw_only=True, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same, made by the standard library."""

    x: int
    y: int = 2
    notes: list[str] = dataclasses.field(default_factory=list, compare=False)
    unit: str = dataclasses.field(default="m", kw_only=True, repr=False)


@data.dataclass(slots=True)
class Changing:
    value: int
    doubled: int = 0

    def __post_init__(self):
        self.doubled = 2 * self.value


@data.dataclass(frozen=True, slots=True, eq=False)
class Alone:
    value: int


@data.dataclass(frozen=True, slots=True)
class Loose:
    value: float

    def __eq__(self, other):
        return isinstance(other, Loose) and round(self.value) == round(other.value)

    def __hash__(self):
        return hash(round(self.value))


def test_it_is_what_the_standard_library_makes():
    for make in (lambda c: c(1), lambda c: c(1, 5, ["a"], unit="km"), lambda c: c(y=0, x=3)):
        ours, theirs = make(Point), make(Standard)
        assert dataclasses.astuple(ours) == dataclasses.astuple(theirs)
        assert repr(ours) == repr(theirs).replace("Standard", "Point")
        assert hash(ours) == hash(theirs)
        assert dataclasses.replace(ours, x=9) == Point(9, ours.y, unit=ours.unit)
    assert [f.name for f in dataclasses.fields(Point)] == [
        f.name for f in dataclasses.fields(Standard)
    ]
    assert Point.__match_args__ == Standard.__match_args__
    assert inspect.signature(Point.__init__).parameters.keys() == {
        *inspect.signature(Standard.__init__).parameters
    }
    assert Point(1) == Point(1, notes=["not compared"])
    assert Point(1) != Point(2)
    assert Point(1) != (1, 2)
    assert Point(1).notes is not Point(1).notes


def test_wrong_arguments_are_refused_in_the_same_words():
    for wrong in (lambda c: c(), lambda c: c(1, 2, [], "m"), lambda c: c(1, z=3)):
        with pytest.raises(TypeError) as ours:
            wrong(Point)
        with pytest.raises(TypeError) as theirs:
            wrong(Standard)
        assert str(ours.value) == str(theirs.value).replace("Standard", "Point")


def test_frozen_ones_stay_as_they_are():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="x"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="x"):
        del point.x
    with pytest.raises((AttributeError, TypeError)):
        point.more = 1
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert again == point
        assert again is not point


def test_others_change_and_have_no_hash():
    made = Changing(3)
    assert made == Changing(3)
    assert made.doubled == 6
    made.value = 4
    assert made != Changing(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_what_a_class_says_itself_counts():
    one = Alone(1)
    assert {one: 1, Alone(1): 2}[one] == 1
    assert one != Alone(1)
    assert Loose(1.2) == Loose(0.9)
    assert hash(Loose(1.2)) == hash(Loose(0.9))


def test_methods_are_compiled_by_their_first_call_or_when_asked_for():
    @data.dataclass(frozen=True, slots=True)
    class Late:
        a: int

    assert hasattr(vars(Late)["__init__"], "make")
    Late(1)
    assert not hasattr(vars(Late)["__init__"], "make")
    assert hasattr(vars(Late)["__hash__"], "make")
    data.make_methods(Late)
    assert not any(hasattr(method, "make") for method in vars(Late).values())
    assert hash(Late(1)) == hash((1,))


def test_fields_may_have_any_name():
    @data.dataclass(frozen=True, slots=True)
    class Named:
        x: int
        set_x: int = 2
        missing: tuple[int, ...] = ()
        default_missing: int = 4
        make_x: list[int] = dataclasses.field(default_factory=list)

    assert Named(1) == Named(1, 2, (), 4, [])
    assert Named(1, missing=(3,), make_x=[5]) == Named(1, 2, (3,), 4, [5])
