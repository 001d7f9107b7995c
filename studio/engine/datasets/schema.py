"""Layout of `images.h5`, and creation of an empty one.

    images  pixels N x H x W x C   uint8, uint16 or float32; or, for PNG or JPEG,
    bytes   uint8  B               their files, one behind the other, in the order of arrival
    place   int64  N x 2           first byte of a row's file, and its length; 0, 0 in a hole
    labels  int32  N               index into classes; -1 in a hole
    split   int8   N               0 train, 1 val, 2 test; -1 in a hole
    path    text   N               where the image came from, relative to the recipe's source
    hash    uint8  N x 16          blake2b of the encoded bytes of the source
    status  uint8  N               1 once the row is written; lets an import continue
    classes text   K               class names; empty at the end where a class had no good image

Every dataset is contiguous, so each is one range of bytes that can be memory-mapped and written
in place. The price is that a row cannot be taken out: an unreadable image leaves a hole, a
row that is never written, takes no space on disk, and that readers never see (split -1).

`bytes` is as long as it turns out to be: it is the last thing in the file, behind all of HDF5's
own tables, is declared short, and grows at the end of the file. `grown` declares its length.

Format 1 knew `images` only, and no encoding in its recipe; formats 1 and 2 knew uint8 only. They
are read as they are.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import h5py
import numpy as np

from studio.engine.hdf5 import find_dataset
from studio.engine.pixel_format import PixelType

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

FILE_NAME = "images.h5"
FORMAT_VERSION = 3
HASH_BYTES = 16
# HDF5 puts a column shorter than 2 KB among its own tables; `bytes` must stand behind them.
MIN_BYTES = 4096
_SHARED = ("labels", "split", "hash", "status", "path", "classes")


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """One contiguous dataset of the file.

    Attributes:
        offset: First byte in the file.
        shape: Its shape; the first number is the rows.
        dtype: Type of one value in the file.
    """

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=np.int64))

    @property
    def end(self) -> int:
        """First byte behind the column."""
        return self.offset + self.row_bytes * self.shape[0]


def lay_out(
    image_shape: tuple[int, int, int, int],
    path_bytes: int,
    classes: tuple[int, int],
    attributes: dict[str, str],
    encoded_bytes: int | None = None,
    dtype: PixelType = "uint8",
) -> _Skeleton:
    """Return an `images.h5` without its values: the few bytes that HDF5 itself writes.

    Args:
        image_shape: N, H, W, C.
        path_bytes: Longest path in UTF-8.
        classes: Number of classes, and length of the longest name in UTF-8.
        attributes: Written to the root of the file.
        encoded_bytes: Bytes of all encoded images, at least; None for raw pixels.
        dtype: NumPy's name of the type of raw pixels.
    """
    rows = image_shape[0]
    columns: dict[str, tuple[tuple[int, ...], object]] = {}
    if encoded_bytes is None:
        columns["images"] = (image_shape, np.dtype(dtype).newbyteorder("<"))
    columns |= {
        "labels": ((rows,), "<i4"),
        "split": ((rows,), "i1"),
        "hash": ((rows, HASH_BYTES), "u1"),
        "status": ((rows,), "u1"),
        "path": ((rows,), h5py.string_dtype("utf-8", max(1, path_bytes))),
        "classes": ((classes[0],), h5py.string_dtype("utf-8", max(1, classes[1]))),
    }
    if encoded_bytes is not None:
        columns["place"] = ((rows, 2), "<i8")
        columns["bytes"] = ((max(MIN_BYTES, encoded_bytes),), "u1")
    skeleton = _Skeleton()
    with h5py.File(skeleton, "w") as file:
        file.attrs["format_version"] = FORMAT_VERSION
        for name, value in attributes.items():
            file.attrs[name] = value
        for name, (shape, kind) in columns.items():
            _add_column(file, name, shape, np.dtype(kind))  # type: ignore[call-overload]  # h5py's
    return skeleton


def grown(file: h5py.File, encoded_bytes: int) -> tuple[int, list[tuple[int, bytes]]]:
    """Return the writes that set the final length of the column `bytes`.

    Args:
        file: Layout of a file of encoded images.
        encoded_bytes: Total size of the encoded images.

    Returns:
        Length of the file, to be set first; then the data to write with their offsets, in this
        order. The file can be read after each write, so a kill in between does no harm.
    """
    columns = columns_of(file)
    # Of the images only their number matters: their pixels are in no column.
    shape = (columns["labels"].shape[0], 0, 0, 0)
    texts = (columns["classes"].shape[0], columns["classes"].dtype.itemsize)
    attributes = {name: str(file.attrs[name]) for name in file.attrs if name != "format_version"}
    old, new = (
        lay_out(shape, columns["path"].dtype.itemsize, texts, attributes, size)
        for size in (columns["bytes"].shape[0], encoded_bytes)
    )
    with h5py.File(new, "r") as check:
        offsets = {name: column.offset for name, column in columns_of(check).items()}
    if offsets != {name: column.offset for name, column in columns.items()}:
        raise RuntimeError("HDF5 lays the same columns out in another way")
    before, after = dict(old.pieces), dict(new.pieces)
    # The first piece is the one at 0, which says how long the file is.
    return new.size, [(at, after[at]) for at in sorted(after) if before.get(at) != after[at]]


def columns_of(file: h5py.File) -> dict[str, StoredColumn]:
    """Return the columns of an open file.

    Raises:
        ValueError: One is missing or not contiguous: the file is not ours.
    """
    columns = {}
    pixels = ("images",) if "images" in file else ("place", "bytes")
    for name in (*pixels, *_SHARED):
        dataset = find_dataset(file, name)
        offset = None if dataset is None else dataset.id.get_offset()
        if dataset is None or offset is None:
            raise ValueError(f'there is no contiguous "{name}"')
        columns[name] = StoredColumn(offset, tuple(dataset.shape), dataset.dtype)
    return columns


def _add_column(
    file: h5py.File, name: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> None:
    """Reserve the bytes of a column without writing them."""
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout.set_layout(h5py.h5d.CONTIGUOUS)
    layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    layout.set_obj_track_times(False)  # the same columns are the same bytes, at any time
    space = h5py.h5s.create_simple(shape)
    kind = h5py.h5t.py_create(dtype, logical=True)
    h5py.h5d.create(file.id, name.encode(), kind, space, dcpl=layout)


class _Skeleton(io.RawIOBase):
    """A file in memory that keeps what is written and takes no memory for what is not.

    HDF5 is given this instead of the disk because HDF5 1.14 crashes the process when the disk is
    full while it writes its own tables (measured on a full tmpfs: a segmentation fault after the
    error). What it would have written, a few kilobytes, is then written by us.

    Attributes:
        size: Length of the file, holes included.
        pieces: Written pieces with their offsets.
    """

    def __init__(self) -> None:
        super().__init__()
        self.size = 0
        self.pieces: list[tuple[int, bytes]] = []
        self._position = 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def truncate(self, size: int | None = None) -> int:
        self.size = self._position if size is None else size
        return self.size

    def write(self, data: ReadableBuffer) -> int:
        piece = bytes(data)
        self.pieces.append((self._position, piece))
        self._position += len(piece)
        self.size = max(self.size, self._position)
        return len(piece)

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        view[:] = bytes(len(view))
        for start, piece in self.pieces:
            low, high = (
                max(start, self._position),
                min(start + len(piece), self._position + len(view)),
            )
            if low < high:
                view[low - self._position : high - self._position] = piece[
                    low - start : high - start
                ]
        self._position += len(view)
        return len(view)
