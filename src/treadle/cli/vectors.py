"""Files of vectors: .npy, .npz, .fvecs and .parquet, a batch of rows at a time.

In: a path, and which array or column holds what. Out: batches of vectors with their ids and
columns, and how many rows there will be; a SearchError with the path for what is no such file. The
files are not trusted: nothing is unpickled, and sizes are checked against the bytes that are there.
This is the one place that imports pyarrow.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treadle.errors import SearchError, TreadleError

__all__ = ["SUFFIXES", "Portion", "Rows", "open_rows"]

SUFFIXES = (".npy", ".npz", ".fvecs", ".parquet")
_BATCH = 1 << 24  # bytes of vectors, about: a progress bar moves, and memory does not matter
_LONGEST = 1 << 20  # dimensions of a vector
_INSTALL = "reading .parquet needs pyarrow, which is not installed; pip install 'treadle[parquet]'"
_MAGIC = b"\x93NUMPY"  # how a .npy file begins
Array = np.ndarray[Any, Any]


class Portion(NamedTuple):
    """Some rows: vectors, their ids where the file has them, and columns."""

    vectors: Array
    ids: Array | None
    columns: dict[str, Any] | None


class Rows(NamedTuple):
    """What a file holds: how many rows of how many dimensions, and the rows."""

    path: Path
    total: int
    dim: int
    dtype: np.dtype[Any]
    batches: Iterator[Portion]

    def whole(self) -> Array:
        """All vectors at once."""
        found = [batch.vectors for batch in self.batches]
        return np.concatenate(found) if found else np.empty((0, self.dim), self.dtype)


def open_rows(
    path: Path, key: str | None = None, ids: str | None = None, columns: Sequence[str] = ()
) -> Rows:
    """Open a file of vectors; `key`, `ids` and `columns` name arrays of an .npz or columns of a
    .parquet. Raise SearchError for what cannot be read as one."""
    kind = path.suffix.lower()
    opened = {".npy": _npy, ".npz": _npz, ".fvecs": _fvecs, ".parquet": _parquet}.get(kind)
    if opened is None:
        raise SearchError(f"{path}: expected {', '.join(SUFFIXES)}")
    if kind in (".npy", ".fvecs") and (key or ids or columns):
        named = key or ids or columns[0]
        raise SearchError(f"{path}: holds vectors and nothing else; {named!r} is not in it")
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise SearchError(f"{path}: is a folder or a pipe, not a file")
    with _telling(path):
        rows = opened(path, key, ids, tuple(columns))
    return rows._replace(batches=_told(path, rows.batches))


@contextlib.contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Say of a file what was wrong with it, whatever its reader raises: those of NumPy, zip, zlib
    and Arrow let a dozen kinds of exceptions through when they meet a damaged one."""
    try:
        yield
    except TreadleError:
        raise
    except OSError as error:
        raise SearchError(f"{path}: {error.strerror or error}") from error
    except Exception as error:
        raise SearchError(f"{path}: is no {path.suffix} file of vectors ({error})") from error


def _told(path: Path, batches: Iterator[Portion]) -> Iterator[Portion]:
    while True:
        with _telling(path):
            found = next(batches, None)
        if found is None:
            return
        yield found


def _npy(path: Path, *_: Any) -> Rows:
    with path.open("rb") as file:  # else NumPy takes it for a pickle, and says how to load that
        if file.read(len(_MAGIC)) != _MAGIC:
            raise SearchError(f"{path}: is no .npy file of numbers")
    found: np.ndarray[Any, Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return _rows(path, found, None, {})


def _npz(path: Path, key: str | None, ids: str | None, columns: tuple[str, ...]) -> Rows:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise SearchError(f"{path}: is no .npz file")
        key = key or _only(path, {n: len(_header(archive, n)) for n in archive.files})
        arrays = {
            name: archive[_known(path, name, archive.files)]
            for name in dict.fromkeys((key, *((ids,) if ids else ()), *columns))
        }
    return _rows(path, arrays[key], arrays[ids] if ids else None, {c: arrays[c] for c in columns})


def _header(archive: Any, name: str) -> tuple[int, ...]:
    """The shape of an array of an archive, without its bytes."""
    with archive.zip.open(f"{name}.npy") as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape: tuple[int, ...] = read(member)[0]
        return shape


def _only(path: Path, ranks: dict[str, int]) -> str:
    """The one array that is a matrix."""
    found = [name for name, rank in ranks.items() if rank == 2]
    if len(found) != 1:
        listed = ", ".join(found or ranks) or "nothing"
        raise SearchError(f"{path}: which array holds the vectors? name it with --key ({listed})")
    return found[0]


def _known(path: Path, name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise SearchError(f"{path}: has no {name!r}; it has {', '.join(names)}")
    return name


def _rows(path: Path, vectors: Array, ids: Array | None, columns: dict[str, Array]) -> Rows:
    if vectors.ndim == 1 and vectors.size:
        vectors = vectors[None]
    if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind not in "fiub":
        raise SearchError(
            f"{path}: expected a matrix with a vector in each row, got {vectors.dtype} "
            f"{vectors.shape}"
        )
    for name, each in ((("ids", ids),) if ids is not None else ()) + tuple(columns.items()):
        if each.shape != vectors.shape[:1]:
            raise SearchError(
                f"{path}: {name} must have one value for each of {len(vectors):,} vectors, got "
                f"shape {each.shape}"
            )
    count, dim = vectors.shape
    step = max(1, _BATCH // max(1, dim * vectors.dtype.itemsize))

    def batches() -> Iterator[Portion]:
        for first in range(0, count, step):
            part = slice(first, first + step)
            named = {name: each[part] for name, each in columns.items()}
            yield Portion(vectors[part], None if ids is None else ids[part], named or None)

    return Rows(path, count, dim, vectors.dtype, batches())


def _fvecs(path: Path, *_: Any) -> Rows:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(4)
    dim = struct.unpack("<i", head)[0] if len(head) == 4 else 0
    width = 4 * (dim + 1)
    if not 0 < dim <= _LONGEST or size % width:
        raise SearchError(
            f"{path}: is no .fvecs file: every row begins with its number of dimensions, and "
            f"{size:,} bytes are no whole number of rows of {dim:,}"
        )
    raw = np.memmap(path, "<i4", "r", shape=(size // width, dim + 1))
    rows = _rows(path, raw[:, 1:].view("<f4"), None, {})

    def batches() -> Iterator[Portion]:
        first = 0
        for batch in rows.batches:
            last = first + len(batch.vectors)
            odd = np.flatnonzero(raw[first:last, 0] != dim)
            if len(odd):
                at = first + int(odd[0])
                raise SearchError(
                    f"{path}: row {at:,} has {raw[at, 0]:,} dimensions, those before it {dim:,}"
                )
            yield batch
            first = last

    return rows._replace(batches=batches())


def _parquet(path: Path, key: str | None, ids: str | None, columns: tuple[str, ...]) -> Rows:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise SearchError(_INSTALL) from error
    path.stat()  # what is not there is told as for the others
    try:
        file = parquet.ParquetFile(path)
        schema = file.schema_arrow
    except OSError as error:  # of a file that is there
        raise SearchError(f"{path}: is no .parquet file ({error})") from error
    lists = (pyarrow.types.is_list, pyarrow.types.is_large_list, pyarrow.types.is_fixed_size_list)
    ranks = {field.name: 1 + any(is_(field.type) for is_ in lists) for field in schema}
    key = key or _only(path, ranks)
    wanted = list(dict.fromkeys((key, *((ids,) if ids else ()), *columns)))
    for name in wanted:
        _known(path, name, schema.names)
    first = next(file.iter_batches(1, columns=[key]), None)
    head = _matrix(path, first.column(0)) if first is not None else np.empty((0, 0), np.float32)
    dim = head.shape[1]
    step = max(1, _BATCH // max(1, dim * 4))

    def batches() -> Iterator[Portion]:
        for batch in file.iter_batches(step, columns=wanted):
            vectors = _matrix(path, batch.column(batch.schema.get_field_index(key)))
            if vectors.shape[1] != dim:
                raise SearchError(f"{path}: {key!r} has vectors of {dim} and {vectors.shape[1]}")
            taken = {n: batch.column(batch.schema.get_field_index(n)) for n in wanted}
            given = None if not ids else np.asarray(taken[ids].to_numpy(zero_copy_only=False))
            named = {name: taken[name].to_pylist() for name in columns}
            yield Portion(vectors, given, named or None)

    return Rows(path, file.metadata.num_rows, dim, head.dtype, batches())


def _matrix(path: Path, column: Any) -> Array:
    """Lists of one length as a matrix."""
    lengths = np.diff(np.asarray(_offsets(column)))
    flat = column.flatten()
    even = len(lengths) == 0 or bool((lengths == lengths[0]).all())
    if column.null_count or flat.null_count or not even:
        raise SearchError(f"{path}: vectors must have one length and no nulls")
    values: Array = np.asarray(flat.to_numpy(zero_copy_only=False))
    if values.dtype.kind not in "fiu":
        raise SearchError(f"{path}: expected vectors of numbers, got {column.type}")
    return values.reshape(len(column), -1 if len(values) else 0)


def _offsets(column: Any) -> Any:
    if hasattr(column, "offsets"):
        return column.offsets.to_numpy()
    return np.arange(len(column) + 1) * column.type.list_size
