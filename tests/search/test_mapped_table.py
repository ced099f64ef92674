"""Tables over files: the same answers, and of the vectors only what is measured is read."""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import sys

import numpy as np
import pytest

import treadle
from search import oracle
from treadle.search import Index, storage
from treadle.search.filed_rows import FiledRows
from treadle.search.mapped import PAGE
from treadle.search.nearest import nearest
from treadle.search.table import Table

METRICS = [("l2", "f32"), ("cosine", "f32"), ("dot", "f32"), ("l1", "f32"), ("l2", "u8")]
METRICS += [("hamming", "bits")]


def vectors_of(dtype, rng, count, dim):
    if dtype == "bits":
        return rng.integers(0, 1 << 32, (count, -(-dim // 32)), dtype=np.uint32)
    if dtype == "u8":
        return rng.integers(0, 256, (count, dim), dtype=np.uint8)
    return rng.standard_normal((count, dim)).astype(np.float32)


def kept(path, table):
    """The table, written to a file and opened from it."""
    storage.write(path, {}, table.arrays())
    arrays = storage.read(path).arrays
    return Table.over(arrays, table.dim, table.metric, table.dtype, table.device)


@pytest.mark.parametrize("metric, dtype", METRICS)
def test_a_table_of_a_file_answers_alike_and_grows(tmp_path, device, metric, dtype):
    rng, dim = np.random.default_rng(3), 64
    rows = vectors_of(dtype, rng, 900, dim)
    queries = vectors_of(dtype, rng, 3, dim)
    table = Table(dim, metric, dtype, device)
    table.append(rows[:500])
    opened = kept(tmp_path / "a", table)
    assert isinstance(opened.vectors, FiledRows)
    before = opened.view()
    for count in (500, 517, 900):
        opened.append(rows[opened.count : count])
        found = nearest(opened.view(), queries, 7)
        expected = oracle.nearest(rows[:count], queries, 7, metric)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
    again = kept(tmp_path / "a", opened)  # in place of the file that is mapped
    np.testing.assert_array_equal(again.vectors[:], rows)
    np.testing.assert_array_equal(nearest(again.view(), queries, 7)[1], expected[1])
    expected = oracle.nearest(rows[:500], queries, 500, metric)
    np.testing.assert_array_equal(nearest(before, queries, 500)[1], expected[1])


def test_rows_of_a_file_and_rows_behind_them_are_one_array(tmp_path):
    rows = np.arange(60.0).reshape(20, 3)
    storage.write(tmp_path / "a", {}, {"rows": rows[:12]})
    joined = FiledRows(storage.read(tmp_path / "a").arrays["rows"])
    with pytest.raises(IndexError, match="row 11 is in the file"):
        joined[11:12] = rows[:1]
    joined = joined.grown(12, 15)
    joined[12:15] = rows[12:15]
    joined = joined.grown(15, 20)
    joined[15:20] = rows[15:]
    assert (joined.shape, joined.dtype, joined.nbytes) == (rows.shape, rows.dtype, rows.nbytes)
    for asked in (
        slice(None), slice(3, 9), slice(10, 14), slice(13, 99), slice(9, 2), slice(2, 18, 3),
        slice(None, None, -1), [0, 19, 12, 11], [1, 2], [-1, -20], [], np.arange(20) % 3 < 1, 5, 15,
    ):  # fmt: skip
        expected = rows[np.array(asked, int) if isinstance(asked, list) else asked]
        np.testing.assert_array_equal(joined[asked], expected)
    short = joined.first(14)
    np.testing.assert_array_equal(short[:], rows[:14])
    for outside in ([14], -15):
        with pytest.raises(IndexError):
            short[outside]


def damaged(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_damaged_vector_fails_the_searches_that_measure_it_and_no_others(tmp_path):
    path = tmp_path / "a"
    rows = np.random.default_rng(2).standard_normal((2000, 128)).astype(np.float32)  # eight a page
    table = Table(128, "l2", "f32", treadle.device("cpu"))
    table.append(rows)
    kept(path, table)
    damaged(path, PAGE + 7 * PAGE + 5)
    opened = Table.over(storage.read(path).arrays, 128, "l2", "f32", table.device)
    view = opened.view()
    assert nearest(view, rows[150:151], 1)[1].tolist() == [[150]]
    with pytest.raises(treadle.FileDamaged, match=f"array 'vectors'.* from byte {8 * PAGE} "):
        nearest(view, rows[60:61], 1)
    assert nearest(view, rows[150:151], 1)[1].tolist() == [[150]]


def test_damaged_codes_are_never_scanned(tmp_path):
    path = tmp_path / "a"
    rows = vectors_of("f32", np.random.default_rng(0), 2000, 16)
    table = Table(16, "l2", "f32", treadle.device("cpu"))
    table.append(rows)
    kept(path, table)
    stored = storage.read(path)
    damaged(path, PAGE + PAGE * -(-stored.arrays["vectors"].nbytes // PAGE) + 9)
    opened = Table.over(storage.read(path).arrays, 16, "l2", "f32", table.device)
    for use in (opened.view, lambda: opened.append(rows[:1]), opened.arrays):
        with pytest.raises(treadle.FileDamaged, match="array 'codes'"):
            use()
    assert opened.count == 2000


@pytest.mark.parametrize(
    "name, other",
    [
        ("vectors", np.zeros((40, 17), np.float32)),
        ("vectors", np.zeros((40, 16))),
        ("codes", np.zeros((2, 8, 16), np.uint32)),
        ("numbers", np.zeros((4, 4, 16))),
        ("mean", np.zeros(15)),
        ("mean", np.full(16, np.nan)),
        ("unit", np.zeros(1)),
        ("unit", np.zeros(0)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, name, other):
    table = Table(16, "l2", "f32", treadle.device("cpu"))
    table.append(vectors_of("f32", np.random.default_rng(0), 40, 16))
    storage.write(tmp_path / "a", {}, {**table.arrays(), name: other})
    with pytest.raises(ValueError, match=name):
        Table.over(storage.read(tmp_path / "a").arrays, 16, "l2", "f32", table.device)


def resident(path, start, nbytes):
    """How many pages of a part of a file are in memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        memory = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
    mapped = np.frombuffer(memory, np.uint8)
    found = (ctypes.c_ubyte * -(-nbytes // PAGE))()
    address = ctypes.c_void_p(mapped.ctypes.data + start)
    assert libc.mincore(address, ctypes.c_size_t(nbytes), found) == 0
    return sum(each & 1 for each in found)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mincore and fadvise")
def test_a_search_reads_only_the_rows_that_it_measures(tmp_path):
    path = tmp_path / "a"
    rows = vectors_of("f32", np.random.default_rng(5), 20_000, 128)
    index = Index(128, device="cpu")
    index.add(rows)
    index.save(path)
    assert next(iter(storage.read(path).arrays)) == "table.vectors"
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if resident(path, PAGE, rows.nbytes):
        pytest.skip("this file system keeps a file in memory whatever it is told")
    opened = Index.open(path, device="cpu")
    queries = vectors_of("f32", np.random.default_rng(6), 4, 128)
    found = opened.search(queries, 10).ids
    touched = resident(path, PAGE, rows.nbytes)
    np.testing.assert_array_equal(found, oracle.nearest(rows, queries, 10, "l2")[1])
    assert 0 < touched < rows.nbytes // PAGE // 10
