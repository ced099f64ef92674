"""Nearest neighbours over HTTP: what the index finds, and what is wrong with a question."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from served import Served
from treadle.search import Index
from treadle.serving import Service

DIM = 8
JSON = "application/json"
VECTORS = np.random.default_rng(1).normal(size=(50, DIM)).astype(np.float32)


@pytest.fixture(scope="module")
def running():
    with Index(DIM, device="cpu") as index:
        index.add(VECTORS, columns={"even": [n % 2 == 0 for n in range(50)]})
        with Served(Service(index=index, device="cpu")) as served:
            yield served


def nearest(served, body, path="/nearest", media=JSON):
    data = json.dumps(body).encode() if media == JSON else body
    return served.ask("POST", path, data, content_type=media)


def test_one_vector(running):
    found = nearest(running, {"vector": VECTORS[7].tolist(), "k": 3}).json
    expected = running.service.vectors.index.search(VECTORS[7], 3)
    assert found["ids"] == expected.ids.tolist()
    assert found["ids"][0] == 7
    assert found["distances"] == pytest.approx(expected.distances.tolist())


def test_several_vectors_and_a_filter(running):
    asked = {"vectors": VECTORS[:2].tolist(), "k": 2, "where": "even"}
    found = nearest(running, asked).json
    expected = running.service.vectors.index.search(VECTORS[:2], 2, "even")
    assert found["ids"] == expected.ids.tolist()
    assert all(an_id % 2 == 0 for row in found["ids"] for an_id in row)


def test_numbers_as_bytes(running):
    data = VECTORS[3].astype("<f4").tobytes()
    found = nearest(running, data, "/nearest?k=1", "application/octet-stream").json
    assert found["ids"] == [3]
    data = VECTORS[3:5].astype("<f4").tobytes()
    found = nearest(running, data, "/nearest?k=1&where=even", "application/octet-stream").json
    assert found["ids"][1] == [4]


def test_searches_of_one_moment(running):
    with ThreadPoolExecutor(16) as pool:
        found = pool.map(
            lambda n: nearest(running, {"vector": VECTORS[n].tolist(), "k": 1}).json["ids"],
            range(48),
        )
        assert list(found) == [[n] for n in range(48)]
    assert running.metric("treadle_batch_items_total", endpoint="nearest") >= 48


@pytest.mark.parametrize(
    "body, status, words",
    [
        (b"{", 400, "not valid JSON"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (b"[1, 2]", 400, "expected a JSON object"),
        (b'{"k": 3}', 400, "expected a JSON object"),
        (b'{"vector": [1, 2]}', 400, "expected 8 numbers, got the shape [2]"),
        (b'{"vector": []}', 400, "expected 8 numbers"),
        (b'{"vector": "abc"}', 400, "expected a list of 8 numbers"),
        (b'{"vector": [1, 2, [3]]}', 400, "expected a list of 8 numbers"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, NaN]}', 400, "expected finite numbers"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "k": 0}', 400, "k: expected a whole number"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "k": true}', 400, "k: expected a whole number"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "k": 1e9}', 400, "k: expected a whole number"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "limit": 3}', 400, "unknown field 'limit'"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "where": 3}', 400, "where: expected a predicate"),
        (b'{"vector": [1, 2, 3, 4, 5, 6, 7, 8], "where": "odd"}', 400, "odd"),
        (json.dumps({"vectors": [[0] * 8] * 1025}).encode(), 413, "at most 1024"),
    ],
)
def test_what_is_wrong_with_a_question(running, body, status, words):
    refused = running.ask("POST", "/nearest", body, content_type=JSON)
    assert refused.status == status
    assert words in refused.error
    assert nearest(running, {"vector": VECTORS[0].tolist(), "k": 1}).json["ids"] == [0]


def test_bytes_that_are_no_vectors(running):
    refused = nearest(running, b"abc", media="application/octet-stream")
    assert refused.error == "expected vectors of 8 numbers of 4 bytes, got 3 bytes"


def test_its_page_says_what_it_is(running):
    page = running.ask("GET", "/").data.decode()
    assert '"rows": 50' in page
    assert running.ask("POST", "/image", b"x").status == 404
