"""The grammar of filters: what it reads, what it refuses and where, and what it chooses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from search import remembered
from treadle.search.columns import Columns, read_columns
from treadle.search.filter import choose
from treadle.search.where import And, Compare, IsNull, Literal, Name, Not, Or, Truth, Within, parse

ROWS = {
    "price": [10, 20, None, 40, 2**53 + 1],
    "weight": [0.5, None, 2.0, -3.25, 9007199254740992.0],
    "lang": ["en", "de", None, "fr", "en"],
    "fresh": [True, False, None, True, False],
    "and": [1, 2, 3, 4, 5],
}


@pytest.fixture(scope="module")
def columns():
    return Columns().extended(read_columns(ROWS, 5), 5)


def chosen(text, columns):
    return np.flatnonzero(choose(text, columns)).tolist()


def test_a_tree_has_the_places_of_its_parts():
    assert parse("price < 20 and lang == 'en'") == And(
        (
            Compare("<", Name("price", 0), Literal(20, 8), 6),
            Compare("==", Name("lang", 15), Literal("en", 23), 20),
        )
    )
    assert parse("not a or b IS NOT Null") == Or(
        (Not(Truth(Name("a", 4))), Not(IsNull(Name("b", 9))))
    )
    assert parse("x not in (1, -2.5,)") == Not(
        Within(Name("x", 0), (Literal(1, 10), Literal(-2.5, 13)), 6)
    )


def test_and_binds_before_or_and_not_before_both():
    assert parse("a or b and not c") == Or(
        (Truth(Name("a", 0)), And((Truth(Name("b", 5)), Not(Truth(Name("c", 15))))))
    )


@pytest.mark.parametrize(
    "text, rows",
    [
        ("price < 20", [0]),
        ("20 > price", [0]),
        ("10 <= price < 40", [0, 1]),
        ("0 < weight < price", [0, 4]),
        ("price = 20", [1]),
        ("price <> 20", [0, 3, 4]),
        ("not (price < 20)", [1, 3, 4]),  # and not the row without a price
        ("price is null", [2]),
        ("price is not null and weight is null", [1]),
        ("price in (10, 40, 99)", [0, 3]),
        ("price not in (10, 40)", [1, 4]),
        ("price in (10.0, 20.5)", [0]),
        ("lang == 'en'", [0, 4]),
        ("lang != 'en'", [1, 3]),
        ("lang < 'f'", [0, 1, 4]),
        ("lang in ('de', \"fr\", 'xx')", [1, 3]),
        ("lang == 'nowhere'", []),
        ("lang != 'nowhere'", [0, 1, 3, 4]),
        ("fresh", [0, 3]),
        ("not fresh", [1, 4]),
        ("fresh == false", [1, 4]),
        ("fresh or price is null", [0, 2, 3]),
        ("`and` >= 4", [3, 4]),
        ("(price) > (15)", [1, 3, 4]),
        ("true", [0, 1, 2, 3, 4]),
        ("1 < 2 and false", []),
        ("price > 9007199254740992", [4]),  # which f64 cannot tell from the next
        ("price == 9007199254740992", []),
        ("weight < 9007199254740993", [0, 2, 3, 4]),
        ("weight >= 9007199254740993", []),
        ("weight < price", [0, 3, 4]),
        ("price < 1e300", [0, 1, 3, 4]),
        ("price > -99999999999999999999999", [0, 1, 3, 4]),
        ("weight < 1" + "0" * 400, [0, 2, 3, 4]),
        ("price < 10.5", [0]),
        ("price >= 39.5", [3, 4]),
        ("price == 10.5 or price != 10.5", [0, 1, 3, 4]),
        ("price\n  > 10\n  and weight is not null", [3, 4]),
    ],
)
def test_rows_that_are_chosen(text, rows, columns):
    assert chosen(text, columns) == rows


@pytest.mark.parametrize(
    "text, position, reason",
    [
        ("", 0, "empty"),
        ("price <", 7, "the text ends"),
        ("price < and 3", 8, "'and' came"),
        ("price 3", 6, "expected 'and', 'or' or the end"),
        ("price == null", 9, "is null"),
        ("price is 3", 9, "'null' or 'not null'"),
        ("price in 3", 9, "'('"),
        ("price in (3", 11, "',' or ')'"),
        ("price in (weight)", 10, "not columns"),
        ("price not < 3", 10, "'in' after 'not'"),
        ("(price < 3", 10, "')'"),
        ("price < 3)", 9, "never opened"),
        ("(price < 3) < 4", 12, "condition"),
        ("3 < (fresh and fresh)", 2, "condition"),
        ("3", 0, "no condition"),
        ("fresh and 'en'", 10, "no condition"),
        ("lang == 'en", 8, "never closed"),
        ("lang == 'a\\q'", 10, "means nothing"),
        ("price & 3", 6, "'and' and 'or'"),
        ("price + 1 < 3", 6, "expected"),
        ("price * 2 < 3", 6, "no arithmetic"),
        ("price < 1.2.3", 8, "not a number"),
        ("price < 12px", 8, "not a number"),
        ("price < 1e999", 8, "too large"),
        ("price.real < 3", 5, "not a number"),
        ("__import__('os')", 10, "expected 'and'"),
        ("prise < 3", 0, "did you mean 'price'"),
        ("price < 'a'", 6, "cannot be compared"),
        ("lang < 3", 5, "cannot be compared"),
        ("lang == price", 5, "cannot be compared"),
        ("lang in ('a', 3)", 5, "cannot be compared"),
        ("1 == 'a'", 2, "cannot be compared"),
        ("fresh == 1", 6, "cannot be compared"),
        ("fresh < true", 6, "no order"),
        ("price and fresh", 0, "no condition by itself"),
        ("not " * 101 + "fresh", 400, "inside each other"),
        ("(" * 101 + "fresh", 100, "inside each other"),
        ("fresh" + " or fresh" * 8000, 0, "characters"),
    ],
)
def test_what_is_refused_with_its_place(text, position, reason, columns):
    with pytest.raises(treadle.PredicateError) as caught:
        choose(text, columns)
    assert reason in str(caught.value)
    assert caught.value.position == position
    assert caught.value.text == text
    *_, caret = str(caught.value).splitlines()
    assert caret.strip() == "^"


def test_an_error_shows_the_line_and_the_place():
    with pytest.raises(treadle.PredicateError) as caught:
        parse("lang == 'en'\n  and price < or x == '\x1b[31m'")
    assert str(caught.value).splitlines() == [
        "where: expected a column, a number or a string; 'or' came",
        "      and price < or x == '?[31m'",
        "                  ^",
    ]


def test_a_long_text_is_shown_around_the_place():
    with pytest.raises(treadle.PredicateError) as caught:
        parse("a < 1 and " * 100 + "!" + " and a < 1" * 100)
    _, line, caret = str(caught.value).splitlines()
    assert len(line) < 140
    assert line[caret.index("^")] == "!"


@given(st.text(max_size=60))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text):
    try:
        parse(text)
    except treadle.PredicateError as refused:
        place = refused.position
    else:
        place = 0
    assert 0 <= place <= len(text)


NUMBERS = st.integers(-3, 3) | st.sampled_from([-1.5, 0.5, 2.0])
CONDITIONS = st.recursive(
    st.one_of(
        st.builds(remembered.compare, st.just("n"), st.sampled_from([*remembered.SIGNS]), NUMBERS),
        st.builds(remembered.compare, st.just("x"), st.sampled_from([*remembered.SIGNS]), NUMBERS),
        st.builds(
            remembered.compare,
            st.just("t"),
            st.sampled_from([*remembered.SIGNS]),
            st.sampled_from("abcd"),
        ),
        st.builds(remembered.within, st.just("t"), st.lists(st.sampled_from("abcd"), min_size=1)),
        st.builds(remembered.within, st.just("n"), st.lists(NUMBERS, min_size=1)),
        st.builds(remembered.compare, st.just("b"), st.sampled_from(["==", "!="]), st.booleans()),
        st.builds(remembered.null, st.sampled_from("nxtb")),
    ),
    lambda inner: st.one_of(
        st.builds(remembered.negated, inner),
        st.builds(remembered.joined, st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=6,
)
TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "n": st.none() | st.integers(-3, 3),
            "x": st.none() | st.sampled_from([-1.5, 0.0, 0.5, 2.0]),
            "t": st.none() | st.sampled_from("abc"),
            "b": st.none() | st.booleans(),
        }
    ),
    min_size=1,
    max_size=8,
)


@given(CONDITIONS, TABLES)
@settings(max_examples=100)
def test_random_conditions_choose_what_they_say(condition, rows):
    text, says = condition
    values = {name: [row[name] for row in rows] for name in "nxtb"}
    columns = Columns().extended(read_columns(values, len(rows)), len(rows))
    assert choose(text.replace("True", "true").replace("False", "false"), columns).tolist() == [
        says(row) is True for row in rows
    ]
