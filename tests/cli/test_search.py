"""`treadle search`: files of vectors to an index, queries to results, and what is refused."""

from __future__ import annotations

import json
import os
import struct
import sys

import numpy as np
import pytest

from treadle.search import Index

RNG = np.random.default_rng(8)
X = RNG.normal(size=(200, 12)).astype(np.float32)
Q = X[[3, 77]] + 0.01
PRICES = np.arange(200) % 50


@pytest.fixture
def npy(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X)
    return path


@pytest.fixture
def asked(tmp_path):
    path = tmp_path / "q.npy"
    np.save(path, Q)
    return path


def as_npz(path):
    np.savez(path, x=X, key=np.arange(200) * 10, price=PRICES)


def as_fvecs(path):
    path.write_bytes(b"".join(struct.pack("<i", 12) + row.tobytes() for row in X))


def as_parquet(path):
    import pyarrow
    from pyarrow import parquet

    columns = {"x": list(X), "key": np.arange(200) * 10, "price": PRICES}
    parquet.write_table(pyarrow.table(columns), path, row_group_size=64)


def nearest(count):
    return [np.argsort(((X - q) ** 2).sum(1))[:count].tolist() for q in Q.astype(np.float64)]


@pytest.mark.parametrize(
    "suffix, write, options",
    [
        ("npy", lambda path: np.save(path, X), []),
        ("npz", as_npz, ["--ids", "key", "--column", "price"]),
        ("fvecs", as_fvecs, []),
        ("parquet", as_parquet, ["--ids", "key", "--column", "price"]),
    ],
)
def test_from_a_file_to_what_is_nearest(treadle_, tmp_path, asked, suffix, write, options):
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    given, index = tmp_path / f"x.{suffix}", tmp_path / "index"
    write(given)
    said = treadle_("search", "build", given, "-o", index, *options)
    assert said.status == 0, said.text
    assert "200 rows of 12 dimensions" in said.err
    said = treadle_("search", "query", index, asked, "-k", "4", "--json")
    scale = 10 if options else 1
    found = [json.loads(line) for line in said.out.splitlines()]
    assert [row["ids"] for row in found] == [[i * scale for i in ids] for ids in nearest(4)]
    if options:
        said = treadle_("search", "query", index, asked, "--where", "price < 5", "-k", "99")
        assert "price" in said.out
        told = json.loads(treadle_("search", "info", index, "--json", "--verify").out)
        assert (told["rows"], told["columns"]) == (200, {"price": "s64"})


def test_a_table_and_files_of_results(treadle_, tmp_path, npy, asked):
    index = tmp_path / "index"
    assert treadle_("search", "build", npy, "-o", index, "-q").status == 0
    said = treadle_("search", "query", index, asked, "-k", "2")
    (first, second), _ = nearest(2)
    assert [int(line.split()[-2]) for line in said.out.splitlines()[3:5]] == [first, second]
    for suffix in ("npy", "npz", "jsonl"):
        out = tmp_path / f"out.{suffix}"
        assert treadle_("search", "query", index, asked, "-k", "3", "-o", out).status == 0
        if suffix == "npy":
            assert np.load(out)["id"].tolist() == nearest(3)
        elif suffix == "npz":
            assert np.load(out)["ids"].tolist() == nearest(3)
        else:
            lines = out.read_text(encoding="utf-8").splitlines()
            assert [json.loads(line)["ids"] for line in lines] == nearest(3)


def test_an_index_that_is_there_is_kept_added_to_or_replaced(treadle_, tmp_path, npy):
    index = tmp_path / "index"
    for options, status, rows in [([], 0, 200), ([], 2, 200), (["--add"], 0, 400),
                                  (["--overwrite"], 0, 200)]:  # fmt: skip
        said = treadle_("search", "build", npy, "-o", index, *options)
        assert said.status == status, said.text
        with Index.open(index) as opened:
            assert len(opened) == rows


def test_what_is_no_file_of_vectors_is_told_and_nothing_is_left(treadle_, tmp_path, asked):
    out = tmp_path / "index"
    np.savez(tmp_path / "two.npz", a=X, b=X)
    np.save(tmp_path / "cube.npy", X.reshape(10, 20, 12))
    np.save(tmp_path / "words.npy", np.array(["a", "b"]))
    np.save(tmp_path / "objects.npy", np.array([{}, None]), allow_pickle=True)
    np.save(tmp_path / "nan.npy", np.full((3, 12), np.nan, np.float32))
    np.save(tmp_path / "other.npy", np.ones((3, 5), np.float32))
    (tmp_path / "cut.fvecs").write_bytes(struct.pack("<i", 12) + X[0].tobytes()[:-3])
    rows = [struct.pack("<i", n) + X[0].tobytes() for n in (12, 11, 12)]
    (tmp_path / "odd.fvecs").write_bytes(b"".join(rows))
    np.save(tmp_path / "thin.npy", np.empty((4, 0), np.float32))
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "text.npy").write_text("hello, this is no array", encoding="utf-8")
    whole = (tmp_path / "other.npy").read_bytes()
    (tmp_path / "open.npy").write_bytes(whole.replace(b"(3, 5)", b"(3, 5 "))
    (tmp_path / "long.npy").write_bytes(whole.replace(b"(3, 5)", b"(3, 5]"))
    np.savez_compressed(tmp_path / "packed.npz", vectors=X)
    packed = bytearray((tmp_path / "packed.npz").read_bytes())
    packed[200:240] = bytes(40)
    (tmp_path / "packed.npz").write_bytes(packed)
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    cases = {
        "absent.npy": "No such file", "two.npz": "--key", "cube.npy": "matrix",
        "words.npy": "matrix", "objects.npy": "no .npy file", "cut.fvecs": "whole number of rows",
        "odd.fvecs": "row 1 has 11", "bad.npz": "no .npz", "x.txt": "expected .npy",
        "open.npy": "no .npy file", "long.npy": "no .npy file", "packed.npz": "no .npz",
        "nan.npy": "nan", "thin.npy": "(4, 0)", "folder.npy": "not a file",
        "text.npy": "no .npy file of numbers",
    }  # fmt: skip
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.fvecs")
        cases["pipe.fvecs"] = "not a file"
    if sys.modules.get("pyarrow") or __import__("importlib.util").util.find_spec("pyarrow"):
        cases["bad.parquet"] = "no .parquet"
    for name, reason in cases.items():
        said = treadle_("search", "build", tmp_path / name, "-o", out)
        assert said.status == 2, name
        assert name in said.err, said.err
        assert reason.lower() in said.err.lower(), said.err
        assert said.err.count(name) == 1, said.err
        assert not out.exists()
    said = treadle_("search", "build", asked, tmp_path / "other.npy", "-o", out)
    assert (said.status, out.exists()) == (2, False)
    assert "other.npy" in said.err


def test_lists_with_too_few_rows_are_shown_without_what_is_not_there(treadle_, tmp_path, asked):
    as_npz(tmp_path / "x.npz")
    index, out = tmp_path / "index", tmp_path / "out.jsonl"
    options = "--ids", "key", "--column", "price", "-q"
    assert treadle_("search", "build", tmp_path / "x.npz", "-o", index, *options).status == 0
    few = "-k", "150", "--probes", "1"
    said = treadle_("search", "query", index, asked, *few)
    assert said.status == 0, said.text
    assert "inf" not in said.out
    said = treadle_("search", "query", index, asked, *few, "--json")
    assert treadle_("search", "query", index, asked, *few, "-o", out).status == 0
    assert out.read_text(encoding="utf-8") == said.out
    for line, near in zip(said.out.splitlines(), nearest(1), strict=True):
        found = json.loads(line, parse_constant=pytest.fail)
        assert found["ids"][0] == 10 * near[0]
        assert len(found["ids"]) == len(found["distances"]) < 150


def test_what_is_read_is_never_written_over(treadle_, tmp_path, npy, asked):
    index = tmp_path / "index.npy"
    assert treadle_("search", "build", npy, "-o", index, "-q").status == 0
    link = tmp_path / "link.npy"
    link.symlink_to(npy)
    before = npy.read_bytes(), asked.read_bytes(), index.read_bytes()
    for arguments in [
        ("build", npy, "-o", npy, "--overwrite"),
        ("build", npy, "-o", link, "--overwrite"),
        ("build", npy, "-o", index, "--add", "--overwrite"),
        ("query", index, asked, "-o", asked),
        ("query", index, asked, "-o", index),
    ]:
        said = treadle_("search", *arguments)
        assert said.status == 2, arguments
        assert "another file" in said.err or "choose one" in said.err
    assert before == (npy.read_bytes(), asked.read_bytes(), index.read_bytes())


def test_a_folder_that_is_not_there_is_told_before_vectors_are_read(treadle_, tmp_path, npy):
    said = treadle_("search", "build", npy, "-o", tmp_path / "no" / "index")
    assert said.status == 2
    assert "there is no folder" in said.err
    assert "vectors" not in said.err


def test_a_query_that_does_not_fit(treadle_, tmp_path, npy, asked):
    index = tmp_path / "index"
    treadle_("search", "build", npy, "-o", index, "-q")
    np.save(tmp_path / "thin.npy", np.ones((2, 5), np.float32))
    for arguments, reason in [
        ((index, tmp_path / "thin.npy"), "5"),
        ((index, asked, "-k", "0"), "k"),
        ((index, asked, "--where", "price <"), "price"),
        ((npy, asked), "x.npy"),
        ((index, asked, "-o", tmp_path / "out.png"), ".npy"),
        ((index, asked, "-o", tmp_path / "no" / "out.npy"), "no folder"),
    ]:
        said = treadle_("search", "query", *arguments)
        assert (said.status, said.out) == (2, ""), arguments
        assert reason in said.err


def test_several_files_are_searched_as_one(treadle_, tmp_path, asked, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part in range(4):
        np.save(tmp_path / f"{part}.npy", X[50 * part : 50 * part + 50])
        built = treadle_(
            "search", "build", f"{part}.npy", "-o", f"{part}.index", "--first-id", str(50 * part)
        )
        assert built.status == 0, built.err
    names = [f"{part}.index" for part in range(4)]
    found = treadle_("search", "query", *names, "q.npy", "-k", "5", "--json")
    assert found.status == 0, found.err
    assert [json.loads(line)["ids"] for line in found.out.splitlines()] == nearest(5)

    (tmp_path / "0.index").write_bytes(b"no index")
    found = treadle_("search", "query", *names, "q.npy", "-k", "2", "--json")
    assert (found.status, found.out) == (2, "")
    assert "1 of 4 shards is lost:" in found.err
    found = treadle_("search", "query", "--partial", *names, "q.npy", "-k", "2", "--json")
    assert found.status == 1
    assert "0.index: foreign" in found.err
    first, second = map(json.loads, found.out.splitlines())
    assert first["missing"] == ["0.index"]
    assert min(first["ids"]) >= 50
    assert second["ids"][0] == 77

    again = treadle_("search", "query", "1.index", "./1.index", "q.npy")
    assert again.status == 2
    assert "is there twice" in again.err
    added = treadle_("search", "build", "0.npy", "-o", "1.index", "--add", "--first-id", "7")
    assert added.status == 2
    assert "leave --add away" in added.err
