"""What an index has to answer, from a dictionary and NumPy in float64."""

from __future__ import annotations

import numpy as np

SIGNS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def distances(query, rows, metric):
    """Of one query to rows, as plainly as they are defined."""
    q, x = np.asarray(query, np.float64), np.asarray(rows, np.float64)
    match metric:
        case "l2":
            return np.sqrt(((x - q) ** 2).sum(axis=1))
        case "l1":
            return np.abs(x - q).sum(axis=1)
        case "dot":
            return x @ q
        case "hamming":
            return (x != q).sum(axis=1)
        case "cosine":
            length = np.sqrt((x * x).sum(axis=1)) * np.sqrt((q * q).sum())
            return 1.0 - np.divide(x @ q, length, out=np.zeros(len(x)), where=length > 0)


def nearest(query, kept, k, metric="l2"):
    """Distances and ids of the k nearest of a dictionary of vectors; equal ones by lowest id."""
    ids = np.array(sorted(kept), np.int64)
    if not len(ids):
        return np.empty(0), ids
    found = distances(query, np.array([kept[each] for each in ids.tolist()]), metric)
    order = np.lexsort((ids, -found if metric == "dot" else found))[:k]
    return found[order], ids[order]


# Conditions, each with its text and what it says about one row: True, False, or None for unknown.


def compare(column, sign, value):
    def says(row):
        return None if row[column] is None else SIGNS[sign](row[column], value)

    return f"{column} {sign} {value!r}", says


def within(column, values):
    def says(row):
        return None if row[column] is None else row[column] in values

    return f"{column} in ({', '.join(map(repr, values))})", says


def null(column):
    return f"{column} is null", lambda row: row[column] is None


def negated(inner):
    text, says = inner

    def opposite(row):
        return None if says(row) is None else not says(row)

    return f"not ({text})", opposite


def joined(word, one, other):
    def says(row):
        answers = {one[1](row), other[1](row)}
        decisive = word == "or"
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive

    return f"({one[0]}) {word} ({other[0]})", says
