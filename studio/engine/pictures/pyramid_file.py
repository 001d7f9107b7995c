"""Writes large pictures row by row as tiled TIFF files with smaller copies, in little memory.

The file is a BigTIFF: GDAL, libvips, QuPath and `tifffile` read it. Each copy has half the sides
of the one before. No more than a row of tiles of each copy is in memory.
"""

from __future__ import annotations

import contextlib
import functools
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.files import replacing

Reduction = Literal["nearest", "mean", "max"]
"""Value of a pixel of a smaller copy: the first, the mean or the largest of four."""
TILE: Final = 512
"""Width and height of a tile in pixels."""
OVERVIEW: Final = 2048
"""Longest side in pixels of the copy that is kept in memory."""
_SMALLEST: Final = 256
"""Side from which on a picture gets no smaller copy."""
STORED, FAST = 0, 1
"""Levels of the compression: none, and one twice as fast as the usual and a tenth larger."""
_SHORT, _LONG, _ASCII, _DOUBLE, _LONG8 = 3, 4, 2, 12, 16
_FORMATS: Final = {_SHORT: "H", _LONG: "I", _DOUBLE: "d", _LONG8: "Q"}
_PALETTE, _RGB, _GRAY = 3, 2, 1
_UNSIGNED, _FRACTIONS = 1, 3
_REDUCED: Final = 1


class ExtraTag(NamedTuple):
    """A tag that is copied into a file, such as the position on the earth.

    Attributes:
        number: Number of the tag.
        type: Number of TIFF's type: short, double or text.
        values: Its values; a text is one string.
    """

    number: int
    type: int
    values: tuple[int | float | str, ...]


class _Copy:
    """A picture or a smaller copy of it: rows that wait for a row of tiles, and written tiles."""

    def __init__(self, width: int, height: int, channels: int, dtype: np.dtype[Any]) -> None:
        self.width, self.height = width, height
        self.rows = np.zeros((TILE, width, channels), dtype)
        self.filled = 0
        self.received = 0
        self.offsets: list[int] = []
        self.lengths: list[int] = []


class PyramidWriter:
    """Writes a picture whose rows arrive from top to bottom.

    Examples:
        >>> bands = numpy.zeros((4, 256, 1024, 1), numpy.uint8)  # each (lines, width, channels)
        >>> with pyramid_file(folder / "large.tif", (1024, 1024), numpy.dtype("uint8")) as writer:
        ...     for rows in bands:
        ...         writer.add(rows)

    Args:
        file: Open for writing, empty.
        size: Width and height in pixels.
        dtype: Type of a value: uint8, uint16 or float32.
        channels: Number of channels; three of 8 bits are red, green and blue.
        reduction: See `Reduction`.
        palette: Colors of the values as 256 times red, green and blue; none if empty.
        tags: Further tags of the picture.

    Attributes:
        compression: Level of the compression: `STORED` or `FAST`.
    """

    def __init__(
        self,
        file: BinaryIO,
        size: tuple[int, int],
        dtype: np.dtype[Any],
        channels: int = 1,
        reduction: Reduction = "nearest",
        palette: bytes = b"",
        tags: Sequence[ExtraTag] = (),
    ) -> None:
        self.compression = FAST
        self._file, self._dtype, self._channels = file, dtype, channels
        self._reduction, self._palette, self._tags = reduction, palette, tags
        self._copies: list[_Copy] = []
        for width, height in _sizes(size):
            self._copies.append(_Copy(width, height, channels, dtype))
        shown = next(each for each in self._copies if max(each.width, each.height) <= OVERVIEW)
        self._shown = self._copies.index(shown)
        #: The picture with sides of at most `OVERVIEW` pixels, once all rows have arrived.
        self.overview = np.zeros((shown.height, shown.width, channels), dtype)
        file.write(b"II+\0" + struct.pack("<HHQ", 8, 0, 0))

    def add(self, rows: NDArray[Any]) -> None:
        """Add the next rows.

        Args:
            rows: Shape (lines, width, channels).
        """
        self._add(0, rows)

    def finish(self) -> None:
        """Write what describes the picture.

        Raises:
            ValueError: Some rows are missing.
        """
        for at, copy in enumerate(self._copies):
            if copy.received != copy.height:
                raise ValueError(f"{copy.received} of {copy.height} rows arrived")
            self._write_tiles(at)
        link = 8
        for at, copy in enumerate(self._copies):
            link = self._write_directory(copy, link, is_reduced=at > 0)

    def _add(self, at: int, rows: NDArray[Any]) -> None:
        copy = self._copies[at]
        if at == self._shown:
            self.overview[copy.received : copy.received + len(rows)] = rows
        copy.received += len(rows)
        start = 0
        while start < len(rows):
            count = min(TILE - copy.filled, len(rows) - start)
            copy.rows[copy.filled : copy.filled + count] = rows[start : start + count]
            copy.filled += count
            start += count
            if copy.filled == TILE:
                self._write_tiles(at)

    def _write_tiles(self, at: int) -> None:
        """Write the waiting rows as tiles, and hand half of them to the next copy."""
        copy = self._copies[at]
        if not copy.filled:
            return
        rows = copy.rows[: copy.filled]
        stored = self._dtype.newbyteorder("<")
        for left in range(0, copy.width, TILE):
            part = rows[:, left : left + TILE]
            tile = np.zeros((TILE, TILE, self._channels), stored)
            tile[: part.shape[0], : part.shape[1]] = part
            data = zlib.compress(tile.data, self.compression)
            copy.offsets.append(self._file.tell())
            copy.lengths.append(len(data))
            self._file.write(data)
        if at + 1 < len(self._copies):
            self._add(at + 1, halved(rows, self._reduction))
        copy.filled = 0

    def _write_directory(self, copy: _Copy, link: int, *, is_reduced: bool) -> int:
        """Write the tags of a copy; return the position of the link to the next ones.

        Args:
            copy: The copy.
            link: Position of the link to these tags.
            is_reduced: True for a smaller copy.
        """
        tags = sorted(self._described(copy, is_reduced=is_reduced))
        values = [_packed(tag) for tag in tags]
        start = _aligned(self._file)
        data_at = start + 8 + 20 * len(tags) + 8
        entries = bytearray(struct.pack("<Q", len(tags)))
        behind = bytearray()
        for tag, (count, data) in zip(tags, values, strict=True):
            inline = data.ljust(8, b"\0")
            if len(data) > 8:
                inline = struct.pack("<Q", data_at + len(behind))
                behind += data + b"\0" * (-len(data) % 8)
            entries += struct.pack("<HHQ", tag.number, tag.type, count) + inline
        self._file.write(entries + struct.pack("<Q", 0) + behind)
        end = self._file.tell()
        self._file.seek(link)
        self._file.write(struct.pack("<Q", start))
        self._file.seek(end)
        return data_at - 8

    def _described(self, copy: _Copy, *, is_reduced: bool) -> list[ExtraTag]:
        bits = self._dtype.itemsize * 8
        is_rgb = self._channels == 3 and bits == 8
        colors = _PALETTE if self._palette else _RGB if is_rgb else _GRAY
        kind = _FRACTIONS if self._dtype.kind == "f" else _UNSIGNED
        found = [
            ExtraTag(254, _LONG, (_REDUCED if is_reduced else 0,)),
            ExtraTag(256, _LONG, (copy.width,)),
            ExtraTag(257, _LONG, (copy.height,)),
            ExtraTag(258, _SHORT, (bits,) * self._channels),
            ExtraTag(259, _SHORT, (8,)),  # deflate
            ExtraTag(262, _SHORT, (colors,)),
            ExtraTag(277, _SHORT, (self._channels,)),
            ExtraTag(284, _SHORT, (1,)),
            ExtraTag(322, _LONG, (TILE,)),
            ExtraTag(323, _LONG, (TILE,)),
            ExtraTag(324, _LONG8, tuple(copy.offsets)),
            ExtraTag(325, _LONG8, tuple(copy.lengths)),
            ExtraTag(339, _SHORT, (kind,) * self._channels),
        ]
        further = self._channels - (3 if is_rgb else 1)
        if further:
            found.append(ExtraTag(338, _SHORT, (0,) * further))
        if self._palette:
            colors_of = np.frombuffer(self._palette, np.uint8).reshape(-1, 3).T.ravel()
            found.append(ExtraTag(320, _SHORT, tuple((colors_of.astype(int) * 257).tolist())))
        return found + ([] if is_reduced else list(self._tags))


@contextlib.contextmanager
def pyramid_file(
    path: Path,
    size: tuple[int, int],
    dtype: np.dtype[Any],
    channels: int = 1,
    reduction: Reduction = "nearest",
    palette: bytes = b"",
    tags: Sequence[ExtraTag] = (),
) -> Iterator[PyramidWriter]:
    """Write a file that takes its place when the block ends without an error.

    Args:
        path: The file.
        size: See `PyramidWriter`.
        dtype: See `PyramidWriter`.
        channels: See `PyramidWriter`.
        reduction: See `PyramidWriter`.
        palette: See `PyramidWriter`.
        tags: See `PyramidWriter`.

    Raises:
        DiskFullError: No space was left.
    """
    with replacing(path) as draft, draft.open("wb") as file:
        writer = PyramidWriter(file, size, dtype, channels, reduction, palette, tags)
        yield writer
        writer.finish()


def _sizes(size: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield width and height of a picture and of its smaller copies."""
    width, height = size
    yield width, height
    while max(width, height) > _SMALLEST:
        width, height = (math.ceil(each / 2) for each in (width, height))
        yield width, height


def halved(rows: NDArray[Any], reduction: Reduction) -> NDArray[Any]:
    """Return rows with half the sides, rounded up.

    Args:
        rows: Shape (lines, width, channels).
        reduction: See `Reduction`.
    """
    if reduction == "nearest":
        return rows[::2, ::2]
    height, width = rows.shape[:2]
    if height % 2 or width % 2:
        rows = np.pad(rows, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    first, *others = (rows[y::2, x::2] for y in (0, 1) for x in (0, 1))
    if reduction == "max":
        return np.asarray(functools.reduce(np.fmax, others, first))
    is_whole = rows.dtype.kind == "u"
    wide = np.dtype(f"u{rows.dtype.itemsize * 2}") if is_whole else np.dtype(np.float32)
    total = first.astype(wide)
    for each in others:
        total += each
    if not is_whole:
        return np.multiply(total, 0.25, out=total)
    total += 2  # rounds
    return np.right_shift(total, 2, out=total).astype(rows.dtype)


def _packed(tag: ExtraTag) -> tuple[int, bytes]:
    """Return the number of values of a tag, and their bytes."""
    if tag.type == _ASCII:
        data = "".join(map(str, tag.values)).encode("ascii", "replace") + b"\0"
        return len(data), data
    return len(tag.values), struct.pack(f"<{len(tag.values)}{_FORMATS[tag.type]}", *tag.values)


def _aligned(file: BinaryIO) -> int:
    """Fill a file up to a multiple of eight bytes, and return its length."""
    file.write(b"\0" * (-file.tell() % 8))
    return file.tell()
