"""Reads parts of a page of a TIFF file: only the tiles or strips that a part touches."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from tifffile import TiffFile, TiffFrame, TiffPage

from studio.engine.errors import BadDataError
from studio.engine.pictures.encoded_sizes import check_encoded

_LARGEST_SEGMENT: Final = 2**27
"""Bytes of a decoded tile or strip at most; of larger ones, no part can be read alone."""
_CACHE: Final = 2**28
"""Bytes of decoded tiles and strips that are kept."""
_LARGEST_CACHE: Final = 2**30
"""Bytes that are kept at most where a row of tiles is larger, so that each is decoded once."""
_OF_BYTES: Final = frozenset({1, 5, 8, 32773, 32946, 34925, 34926, 50000, 50013})
"""Numbers of TIFF's tag Compression that only know bytes, as many as declared."""
_DAMAGED: Final = "the image is damaged or truncated"


class DecodedSegments:
    """Decoded tiles and strips of the pages of a file, the latest used ones."""

    def __init__(self) -> None:
        self._segments: OrderedDict[int, NDArray[Any]] = OrderedDict()
        self._bytes = 0
        self._limit = _CACHE

    def reserve(self, size: int) -> None:
        """Keep at least what is read together, within limits.

        Args:
            size: Bytes of a row of tiles.
        """
        self._limit = max(self._limit, min(size, _LARGEST_CACHE))

    def get(self, offset: int) -> NDArray[Any] | None:
        """Return a segment by its position in the file; None if it is not kept."""
        found = self._segments.get(offset)
        if found is not None:
            self._segments.move_to_end(offset)
        return found

    def add(self, offset: int, segment: NDArray[Any]) -> None:
        """Keep a segment, and drop those that were not used for longest.

        Args:
            offset: Its position in the file.
            segment: Its values.
        """
        self._segments[offset] = segment
        self._bytes += segment.nbytes
        while self._bytes > self._limit and len(self._segments) > 1:
            self._bytes -= self._segments.popitem(last=False)[1].nbytes


class PageWindows:
    """Parts of a page that is stored in tiles, in strips, or uncompressed in one piece.

    Args:
        page: The page.
        file: The file.
        decoded: Keeps what was decoded.
    """

    def __init__(
        self, page: TiffPage, file: BinaryIO, decoded: DecodedSegments | None = None
    ) -> None:
        self._page, self._file = page, file
        self._kept = decoded or DecodedSegments()
        separate, _, self._height, self._width, contiguous = page.shaped
        self._samples = (separate, contiguous)
        self._is_flat = bool(page.is_contiguous) and _itemsize(page) * 8 == page.bitspersample
        self._tile = (
            (page.tilelength, page.tilewidth)
            if page.is_tiled
            else (min(page.rowsperstrip or self._height, self._height), self._width)
        )

    @property
    def is_possible(self) -> bool:
        """True if a part can be read without decoding the whole page."""
        if self._page.shaped[1] != 1 or min(self._tile) < 1:
            return False
        segment = math.prod(self._tile) * self._samples[1] * _itemsize(self._page)
        return self._is_flat or segment <= _LARGEST_SEGMENT

    @property
    def row_bytes(self) -> int:
        """Bytes of the decoded tiles or strips that lie side by side."""
        rows, columns = self._tile
        across = math.ceil(self._width / columns) * columns
        return rows * across * math.prod(self._samples) * _itemsize(self._page)

    def read(self, left: int, top: int, width: int, height: int) -> NDArray[Any]:
        """Return a part that lies inside of the page.

        Args:
            left: First column.
            top: First row.
            width: Number of columns.
            height: Number of rows.

        Returns:
            Shape (height, width, channels), the values as they are stored.

        Raises:
            BadDataError: The file is damaged; the message is a short reason.
        """
        if self._is_flat:
            return self._flat(left, top, width, height)
        separate, contiguous = self._samples
        dtype = np.dtype(self._page.dtype)
        found = np.zeros((separate, height, width, contiguous), dtype)
        rows, columns = self._tile
        for sample in range(separate):
            for down in range(top // rows, math.ceil((top + height) / rows)):
                for across in range(left // columns, math.ceil((left + width) / columns)):
                    segment = self._segment(self._index(sample, down, across))
                    _paste(found[sample], segment, down * rows - top, across * columns - left)
        return np.moveaxis(found, 0, 2).reshape(height, width, -1)

    def _index(self, sample: int, down: int, across: int) -> int:
        rows, columns = self._tile
        count_down = math.ceil(self._height / rows)
        count_across = math.ceil(self._width / columns)
        return (sample * count_down + down) * count_across + across

    def _segment(self, index: int) -> NDArray[Any]:
        """Return a decoded tile or strip, shape (rows, columns, channels)."""
        offset, length = _place_of(self._page, index)
        known = self._kept.get(offset) if length else None
        if known is not None:
            return known
        segment = self._decoded(index, offset, length)
        if length:
            self._kept.add(offset, segment)
        return segment

    def _decoded(self, index: int, offset: int, length: int) -> NDArray[Any]:
        page, data = self._page, None
        if length:
            self._file.seek(offset)
            data = self._file.read(length)
            if len(data) < length:
                raise BadDataError(_DAMAGED)
            if page.compression not in _OF_BYTES:
                check_encoded(data, self._tile[1], self._tile[0])
        decoded, _, shape = page.decode(data, index, jpegtables=page.jpegtables)
        if decoded is None:  # a tile without values, which is not stored
            return np.full(shape[1:], page.nodata, page.dtype)
        return np.asarray(decoded[0])

    def _flat(self, left: int, top: int, width: int, height: int) -> NDArray[Any]:
        """Read rows of an uncompressed page."""
        separate, contiguous = self._samples
        dtype = np.dtype(self._page.dtype).newbyteorder(self._page.parent.byteorder)
        row = self._width * contiguous
        found = np.zeros((height, width, separate * contiguous), np.dtype(self._page.dtype))
        first, _ = _place_of(self._page, 0)
        for sample in range(separate):
            start = (sample * self._height + top) * row * dtype.itemsize
            self._file.seek(first + start)
            data = self._file.read(height * row * dtype.itemsize)
            if len(data) < height * row * dtype.itemsize:
                raise BadDataError(_DAMAGED)
            rows = np.frombuffer(data, dtype).reshape(height, self._width, contiguous)
            channels = slice(sample * contiguous, (sample + 1) * contiguous)
            found[..., channels] = rows[:, left : left + width]
        return found


def column_strips(path: Path, columns: int) -> Iterator[NDArray[Any]]:
    """Yield the values of a picture from left to right, as they are stored.

    Args:
        path: A file of `pyramid_file`.
        columns: Columns at a time; as wide as a tile, each tile is decoded once.

    Yields:
        Arrays of shape (height, columns, channels); the last one may have fewer columns.
    """
    with path.open("rb") as file, TiffFile(file, name="") as tiff:
        page = tiff.pages.first
        windows = PageWindows(page, file)
        for left in range(0, page.imagewidth, columns):
            width = min(columns, page.imagewidth - left)
            yield windows.read(left, 0, width, page.imagelength)


def check_segments(page: TiffPage | TiffFrame, key: TiffPage, file: BinaryIO) -> None:
    """Refuse a page whose tiles or strips are larger than the page, or than they should be.

    Args:
        page: A page that is decoded as a whole.
        key: The page that describes it, itself or the first one of its kind.
        file: The file.

    Raises:
        BadDataError: A limit is exceeded; the message is a short reason.
    """
    rows, columns = (
        (key.tilelength, key.tilewidth)
        if key.is_tiled
        else (min(key.rowsperstrip, key.imagelength), key.imagewidth)
    )
    contiguous = key.shaped[-1]
    size = rows * columns * max(1, key.tiledepth) * contiguous * _itemsize(key)
    if size > max(_LARGEST_SEGMENT, key.size * _itemsize(key)):
        raise BadDataError(_DAMAGED)
    if key.compression in _OF_BYTES:
        return
    tables = key.jpegtables or b""
    if not isinstance(tables, bytes):
        raise BadDataError(_DAMAGED)
    check_encoded(tables, columns, rows)
    for index in range(len(page.dataoffsets)):
        offset, length = _place_of(page, index)
        file.seek(offset)
        check_encoded(file.read(length), columns, rows)


def _place_of(page: TiffPage | TiffFrame, index: int) -> tuple[int, int]:
    """Return the position of a tile or strip in the file and its length, which are any tags."""
    if index >= min(len(page.dataoffsets), len(page.databytecounts)):
        raise BadDataError(_DAMAGED)
    offset: Any = page.dataoffsets[index]
    length: Any = page.databytecounts[index]
    if not (isinstance(offset, int) and isinstance(length, int)) or min(offset, length) < 0:
        raise BadDataError(_DAMAGED)
    return offset, length


def _itemsize(page: TiffPage) -> int:
    return np.dtype(page.dtype).itemsize


def _paste(target: NDArray[Any], part: NDArray[Any], top: int, left: int) -> None:
    """Copy what a part and a target have in common.

    Args:
        target: Shape (height, width, channels).
        part: Shape (rows, columns, channels).
        top: Row of the target at which the part begins; it may be outside.
        left: Column of the target at which the part begins; it may be outside.
    """
    height, width = target.shape[:2]
    y, x = max(0, top), max(0, left)
    bottom, right = min(height, top + part.shape[0]), min(width, left + part.shape[1])
    if y < bottom and x < right:
        target[y:bottom, x:right] = part[y - top : bottom - top, x - left : right - left]
