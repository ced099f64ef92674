"""Index files: written whole, mapped at once, and refused with a reason wherever they differ."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import struct
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from treadle.search import mapped, site, storage

posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes among files are POSIX")
PAGE = mapped.PAGE
ARRAYS = {
    "ids": np.arange(7, dtype=np.int64) + 100,
    "vectors": np.arange(21, dtype=np.float32).reshape(7, 3),
    "nothing": np.zeros((0, 4), np.uint8),
    "unit": np.array(2.5),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.index"
    storage.write(path, {"dim": 3, "name": "ü"}, ARRAYS)
    return path


def opened_whole(path):
    """Everything that a file holds, after every check that there is."""
    stored = storage.read(path)
    stored.verify()
    return stored.meta, {name: np.asarray(each) for name, each in stored.arrays.items()}


def refused(path, reason):
    with pytest.raises(treadle.FileDamaged, match=reason) as caught:
        opened_whole(path)
    assert str(path) in str(caught.value)


def sealed(path, **changes):
    """Write other numbers into a header, with the checksum that belongs to them."""
    names = ("magic", "version", "page", "size", "pages", "length", "table", "described")
    data = bytearray(path.read_bytes())
    header = dict(zip(names, storage._HEADER.unpack_from(data), strict=True)) | changes
    storage._HEADER.pack_into(data, 0, *header.values())
    data[PAGE - 4 : PAGE] = struct.pack("<I", crc32(data[: PAGE - 4]))
    path.write_bytes(data)


def described(path, text):
    """Write another description, with the checksum that belongs to it."""
    data = path.read_bytes()
    start = len(data) - PAGE
    page = text.ljust(PAGE, b"\0")
    path.write_bytes(data[:start] + page)
    sealed(path, length=len(text), described=crc32(page))


def test_what_was_written_is_read(path):
    meta, arrays = opened_whole(path)
    assert meta == {"dim": 3, "name": "ü"}
    for name, expected in ARRAYS.items():
        assert arrays[name].dtype == expected.dtype
        np.testing.assert_array_equal(arrays[name], expected)
        assert not arrays[name].flags.writeable
    assert path.stat().st_size % PAGE == 0
    assert [each.name for each in path.parent.iterdir()] == ["a.index"]


def test_an_array_is_mapped_and_begins_with_a_page(path):
    stored = storage.read(path)
    vectors = np.asarray(stored.arrays["vectors"])
    assert vectors.ctypes.data % PAGE == 0
    assert np.shares_memory(vectors, np.asarray(stored.arrays["vectors"]))


@given(
    st.lists(
        st.tuples(
            st.sampled_from("i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 >i4 >f8".split()),
            st.lists(st.integers(0, 40), max_size=3),
        ),
        max_size=5,
    ),
    st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_any_arrays_come_back(tmp_path_factory, kinds, seed):
    dice = np.random.default_rng(seed)
    arrays = {
        f"a{k}": dice.integers(0, 100, shape).astype(dtype)
        for k, (dtype, shape) in enumerate(kinds)
    }
    path = tmp_path_factory.getbasetemp() / "any.index"
    storage.write(path, {}, arrays)
    _, found = opened_whole(path)
    assert list(found) == list(arrays)
    for name, expected in arrays.items():
        assert found[name].dtype == expected.dtype.newbyteorder("<")
        np.testing.assert_array_equal(found[name], expected)


def test_parts_are_joined_and_may_come_from_a_file(path, tmp_path):
    dice = np.random.default_rng(1)
    rows = dice.random((3000, 33))
    storage.write(path, {}, {"rows": [rows[:1], rows[1:1500], rows[1500:]]})
    other = tmp_path / "b.index"
    storage.write(other, {}, {"rows": [storage.read(path).arrays["rows"], rows[::-1]]})
    _, found = opened_whole(other)
    np.testing.assert_array_equal(found["rows"], np.concatenate([rows, rows[::-1]]))


def test_arrays_that_change_while_they_are_written_damage_no_file(path, monkeypatch):
    rows, real = np.zeros((1000, 100)), os.pwrite

    def changing(opened, data, at):
        rows[:] += 1
        return real(opened, data, at)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", changing)
        storage.write(path, {}, {"rows": rows})
    opened_whole(path)


def test_damage_is_not_copied_into_a_new_file(path):
    data = bytearray(path.read_bytes())
    data[2 * PAGE] ^= 1
    path.write_bytes(data)
    stored = storage.read(path)
    with pytest.raises(treadle.FileDamaged, match="array 'vectors'"):
        storage.write(path, {}, {"vectors": stored.arrays["vectors"]})
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "arrays, reason",
    [
        ({"x": np.zeros(2, bool)}, "plain numbers, got bool"),
        ({"x": np.array([{}])}, "plain numbers, got object"),
        ({"x": np.array(["a"])}, "plain numbers"),
        ({"x": [np.zeros((2, 3)), np.zeros((2, 4))]}, "do not fit together"),
        ({"x": []}, "got none"),
    ],
)
def test_what_a_file_cannot_hold_is_not_written(path, arrays, reason):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=reason):
        storage.write(path, {}, arrays)
    assert path.read_bytes() == before


def test_every_byte_counts(path):
    """Every byte that is not padding, and every 31st that is."""
    data = path.read_bytes()
    with open(path, "r+b", buffering=0) as file:
        for at, byte in enumerate(data):
            if byte or at % 31 == 0:
                os.pwrite(file.fileno(), bytes([byte ^ (1 << at % 8)]), at)
                with pytest.raises(treadle.FileDamaged, match=r"damaged|foreign"):
                    opened_whole(path)
                os.pwrite(file.fileno(), bytes([byte]), at)
    opened_whole(path)


def test_every_length_counts(path):
    size = path.stat().st_size
    with open(path, "ab") as file:
        file.write(b"\0")
    refused(path, "damaged: its sizes do not fit")
    for length in [*range(size - 1, PAGE, -61), *range(PAGE, -1, -1)]:
        os.truncate(path, length)
        with pytest.raises(treadle.FileDamaged, match="cut off" if length else "it is empty"):
            opened_whole(path)


def test_a_page_is_checked_when_it_is_first_touched(tmp_path):
    path = tmp_path / "a.index"
    rows = np.arange(5 * 1024, dtype=np.float32).reshape(-1, 256)  # four to a page, five pages
    storage.write(path, {}, {"rows": rows})
    data = bytearray(path.read_bytes())
    data[PAGE + 3 * PAGE + 5] ^= 0x40
    path.write_bytes(data)
    found = storage.read(path).arrays["rows"]
    assert (len(found), found.shape, found.dtype) == (20, (20, 256), np.float32)
    for fine in ([0, 11, 16, -1], slice(4, 12), 11, slice(16, None), np.arange(20) < 12, []):
        np.testing.assert_array_equal(found[fine], rows[fine])
    for bad in ([0, 12], [15], [-5], slice(8, 13), slice(None, None, -1), 13, np.arange(20) > 12):
        with pytest.raises(treadle.FileDamaged, match=f"from byte {4 * PAGE} of the file"):
            found[bad]
    with pytest.raises(treadle.FileDamaged):
        np.asarray(found)
    for outside in (20, [0, 20], -21):
        with pytest.raises(IndexError):
            found[outside]


def test_rows_that_lie_across_pages(tmp_path):
    path = tmp_path / "a.index"
    rows = np.arange(9 * 1500, dtype=np.float64).reshape(9, 1500)  # three pages and a piece each
    storage.write(path, {}, {"rows": rows})
    data = bytearray(path.read_bytes())
    data[PAGE + 12_000 - 1] ^= 1  # the last byte of the first row
    path.write_bytes(data)
    found = storage.read(path).arrays["rows"]
    np.testing.assert_array_equal(found[[2, 8]], rows[[2, 8]])
    for bad in (0, 1, [8, 0], slice(0, 1)):  # the second begins on the same page
        with pytest.raises(treadle.FileDamaged):
            found[bad]


def test_verify_looks_again_at_what_was_checked(path):
    stored = storage.read(path)
    stored.verify()
    with open(path, "r+b") as file:
        file.seek(2 * PAGE)
        file.write(b"\xff")
    with pytest.raises(treadle.FileDamaged, match="array 'vectors'"):
        stored.verify()


def test_a_newer_version_says_so(path):
    sealed(path, version=storage.VERSION + 1)
    refused(path, "newer: it has version 2 of the format, this Treadle reads up to 1")


@pytest.mark.parametrize(
    "changes",
    [
        {"page": 8192},
        {"version": 0},
        {"pages": 2**40},
        {"pages": 0},
        {"length": 2**40},
        {"size": 0},
    ],
)
def test_sizes_that_do_not_fit(path, changes):
    sealed(path, **changes)
    refused(path, "damaged|cut off")


NESTED = b'{"meta":' + b"[" * 1000 + b"]" * 1000 + b',"arrays":[]}'


@pytest.mark.parametrize(
    "text, reason",
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "other keys"),
        (b'{"meta":{}}', "other keys"),
        (b'{"meta":[],"arrays":[]}', "wrong kind"),
        (b'{"meta":{},"arrays":{}}', "wrong kind"),
        (NESTED, "not JSON|wrong kind"),
        (b'{"meta":{},"arrays":[7]}', "not described"),
        (b'{"meta":{},"arrays":[["x","<f4"]]}', "not described"),
        (b'{"meta":{},"arrays":[["x","|O",[1]]]}', r"the dtype '\|O'"),
        (b'{"meta":{},"arrays":[["x","|V9999999999",[1]]]}', "the dtype"),
        (b'{"meta":{},"arrays":[["x","<f4",[-1]]]}', "no file can hold"),
        (b'{"meta":{},"arrays":[["x","<f4",[true]]]}', "no file can hold"),
        (b'{"meta":{},"arrays":[["x","<f4",[1e9]]]}', "no file can hold"),
        (b'{"meta":{},"arrays":[["x","<f4",[1,1,1,1,1,1,1,1,1]]]}', "no file can hold"),
        (b'{"meta":{},"arrays":[["x","<f4",[72057594037927936,9]]]}', "larger than any file"),
        (b'{"meta":{},"arrays":[["x","<f4",[72057594037927936,9,0]]]}', "larger than any file"),
        (b'{"meta":{},"arrays":[["x","<f4",[100000]]]}', "other sizes than the file"),
        (b'{"meta":{},"arrays":[]}', "other sizes than the file"),
        (b'{"meta":{},"arrays":[["x","<f4",[3]],["x","<f4",[3]],["y","<f4",[3]]]}', "same name"),
    ],
)
def test_a_description_is_believed_only_where_it_fits(path, text, reason):
    described(path, text)
    refused(path, reason)


def test_a_description_that_is_too_long_is_neither_written_nor_read(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="at most 1048576"):
        storage.write(path, {"x": "y" * (1 << 20)}, {})
    with pytest.raises(ValueError, match=r"[Oo]ut of range"):
        storage.write(path, {"x": float("nan")}, {})
    assert path.read_bytes() == before


@pytest.mark.parametrize("data", [b"x", b"PK\3\4" + bytes(9000), b"\x93NUMPY\1\0" + bytes(100)])
def test_a_foreign_file(path, data):
    path.write_bytes(data)
    refused(path, "foreign: it is not an index that Treadle wrote")


def test_nothing_there(tmp_path):
    for missing in (tmp_path / "no", tmp_path / "no" / "a.index"):
        with pytest.raises(treadle.FileError, match="No such file") as caught:
            storage.read(missing)
        assert caught.value.errno == errno.ENOENT
        assert not isinstance(caught.value, treadle.FileDamaged)
    with pytest.raises(treadle.FileError, match="No such file"):
        storage.write(tmp_path / "no" / "a.index", {}, {})


@posix
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path, kind):
    path = tmp_path / "x"
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    for use in (lambda: storage.read(path), lambda: storage.write(path, {}, {})):
        with pytest.raises(treadle.FileError, match=f"it is a {kind}"):
            use()
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


@posix
def test_a_link_is_followed_once_and_a_swap_is_seen(path, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("a.index")
    assert storage.read(link).meta["dim"] == 3
    storage.write(link, {"dim": 4}, {})
    assert link.is_symlink()
    assert storage.read(path).meta == {"dim": 4}
    with site.Site(path) as found:
        path.rename(tmp_path / "b.index")
        path.symlink_to("b.index")
        for use in (lambda: storage.get(found), lambda: storage.put(found, {}, {})):
            with pytest.raises(treadle.FileError, match="it is a symbolic link"):
                use()
    link.unlink()
    link.symlink_to("link")
    with pytest.raises(treadle.FileError):
        storage.read(link)


def test_a_map_outlives_the_name_and_a_replacement(path):
    stored = storage.read(path)
    storage.write(path, {}, {"vectors": np.zeros((7, 3), np.float32)})
    np.testing.assert_array_equal(stored.arrays["vectors"][[1, 6]], ARRAYS["vectors"][[1, 6]])
    path.unlink()
    stored.verify()


@pytest.mark.parametrize("failing", ["pwrite", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_what_was_there(path, monkeypatch, failing, error):
    before = path.read_bytes()

    def fails(*args, **options):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fails)
        kind = treadle.FileError if isinstance(error, OSError) else KeyboardInterrupt
        with pytest.raises(kind) as caught:
            storage.write(path, {}, {"x": np.zeros(10_000)})
    if kind is treadle.FileError:
        assert caught.value.errno == errno.ENOSPC
        assert "No space left; nothing was changed: make room" in str(caught.value)
    assert [each.name for each in path.parent.iterdir()] == ["a.index"]
    assert path.read_bytes() == before


def test_a_folder_that_may_not_be_written(path, monkeypatch):
    real = os.open

    def denied(name, flags, *args, **options):
        if flags & os.O_CREAT:
            raise PermissionError(errno.EROFS, "Read-only file system")
        return real(name, flags, *args, **options)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(treadle.FileError, match="cannot write it: Read-only file system; nothing"):
        storage.write(path, {}, {})
    assert storage.read(path).meta["dim"] == 3


def test_the_bytes_are_on_the_disk_before_the_name_is(path, monkeypatch):
    events = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def noted(*args, name=name, real=real, **options):
            events.append(name)
            return real(*args, **options)

        monkeypatch.setattr(os, name, noted)
    storage.write(path, {}, ARRAYS)
    assert events == ["fsync", "replace", "fsync"]


def test_the_format_stays(path):
    """Version 1, byte by byte: a file that was written once can be read for ever."""
    storage.write(path, {"a": 1}, {"x": np.arange(3, dtype=np.uint8)})
    data = path.read_bytes()
    text = json.dumps({"meta": {"a": 1}, "arrays": [["x", "|u1", [3]]]}, separators=(",", ":"))
    page = bytes([0, 1, 2]).ljust(PAGE, b"\0")
    table = struct.pack("<I", crc32(page)).ljust(PAGE, b"\0")
    told = text.encode().ljust(PAGE, b"\0")
    sizes = struct.pack("<IIQQQ", 1, 4096, 4 * PAGE, 1, len(text))
    head = b"\x93treadle-index\r\n" + sizes + struct.pack("<II", crc32(table), crc32(told))
    head = head.ljust(PAGE - 4, b"\0")
    assert data == head + struct.pack("<I", crc32(head)) + page + table + told


def test_a_private_map_may_be_written_to_and_the_file_stays(path):
    before = path.read_bytes()
    stored = storage.read(path)
    own = stored.arrays["vectors"].private()
    np.testing.assert_array_equal(own, ARRAYS["vectors"])
    own[3] = 7
    np.testing.assert_array_equal(stored.arrays["vectors"][3], ARRAYS["vectors"][3])
    assert stored.arrays["nothing"].private().shape == (0, 4)
    del stored
    assert own[3].tolist() == [7, 7, 7]
    assert path.read_bytes() == before


def test_a_private_map_is_checked(path):
    data = bytearray(path.read_bytes())
    data[2 * PAGE] ^= 1
    path.write_bytes(data)
    with pytest.raises(treadle.FileDamaged, match="array 'vectors'"):
        storage.read(path).arrays["vectors"].private()


def test_an_index_file_that_nothing_uses_is_closed(path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not list what a process has open")

    def opened():
        """Count descriptors of this file: those of others may be closed by a collection."""
        count = 0
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                count += os.readlink(f"/proc/self/fd/{name}") == str(path)
        return count

    stored = storage.read(path)
    own = stored.arrays["vectors"].private()
    assert opened()
    del stored, own
    assert opened() == 0
