"""Checks the directories of a TIFF file before a parser sees them: number, size and texts."""

from __future__ import annotations

import struct
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.pictures.formats import TIFF
from studio.engine.pictures.limits import check_planes, size_of

MAX_TAGS: Final = 4096
"""Tags of a directory at most."""
_DAMAGED: Final = "the image is damaged or truncated"
_SUB_DIRECTORIES: Final = 330
_TEXTS: Final = (270, 700, 42112)
"""Tags that may hold XML: description, XMP, metadata of GDAL."""
_SIZES: Final = np.array([0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8], np.uint64)
"""Bytes of a value by the number of its type."""
_FORBIDDEN: Final = (b"<!DOCTYPE", b"<!ENTITY", b"<\0!\0D\0O\0C", b"<\0!\0E\0N\0T")


class _Layout(NamedTuple):
    """Byte order and word sizes of a file."""

    order: str
    is_big: bool

    @property
    def offset(self) -> str:
        return self.order + ("Q" if self.is_big else "I")

    @property
    def tags(self) -> str:
        return self.order + ("Q" if self.is_big else "H")

    @property
    def entry(self) -> np.dtype[np.void]:
        word = f"{self.order}u{8 if self.is_big else 4}"
        half = f"{self.order}u2"
        return np.dtype([("tag", half), ("type", half), ("count", word), ("value", word)])


def check_structure(file: BinaryIO) -> None:
    """Refuse directories in circles, too many directories or tags, and values beyond the file.

    Args:
        file: The file; it is at its beginning afterwards.

    Raises:
        BadDataError: A limit is exceeded; the message is a short reason.
    """
    size = size_of(file)
    magic = file.read(4)
    layout = _Layout(TIFF[magic], is_big=b"+" in magic)
    file.seek(8 if layout.is_big else 4)
    waiting = [_number(file, layout.offset)]
    seen: set[int] = set()
    while waiting:
        offset, chain = waiting.pop(), set[int]()
        while offset and (offset in chain or offset not in seen):
            if offset in chain:
                raise BadDataError(_DAMAGED)
            chain.add(offset)
            seen.add(offset)
            check_planes(len(seen))
            entries, offset = _directory(file, layout, offset)
            _check_values(entries, size)
            waiting += _check_texts(file, layout, entries)
    file.seek(0)


def _directory(file: BinaryIO, layout: _Layout, offset: int) -> tuple[NDArray[np.void], int]:
    """Return the entries of a directory and the offset of the next one."""
    file.seek(offset)
    count = _number(file, layout.tags)
    if count > MAX_TAGS:
        raise BadDataError(_DAMAGED)
    data = file.read(count * layout.entry.itemsize)
    if len(data) < count * layout.entry.itemsize:
        raise BadDataError(_DAMAGED)
    return np.frombuffer(data, layout.entry), _number(file, layout.offset)


def _number(file: BinaryIO, layout: str) -> int:
    data = file.read(struct.calcsize(layout))
    if len(data) < struct.calcsize(layout):
        raise BadDataError(_DAMAGED)
    return int(struct.unpack(layout, data)[0])


def _bytes_of(entries: NDArray[np.void]) -> NDArray[np.float64]:
    types = np.minimum(entries["type"].astype(np.int64), len(_SIZES) - 1)
    return entries["count"].astype(np.float64) * _SIZES[types]


def _check_values(entries: NDArray[np.void], size: int) -> None:
    if (_bytes_of(entries) > size).any():
        raise BadDataError(_DAMAGED)


def _check_texts(file: BinaryIO, layout: _Layout, entries: NDArray[np.void]) -> list[int]:
    """Refuse declarations of entities; return the offsets of directories below this one."""
    found: list[int] = []
    inline = 8 if layout.is_big else 4
    lengths = _bytes_of(entries).astype(np.int64)
    is_directory = entries["tag"] == _SUB_DIRECTORIES
    is_text = np.isin(entries["tag"], _TEXTS) & (lengths > inline)
    wanted = (lengths > 0) & (is_directory | is_text)
    for entry, length in zip(entries[wanted], lengths[wanted], strict=True):
        if length <= inline:
            found.append(int(entry["value"]))
            continue
        file.seek(int(entry["value"]))
        data = file.read(int(length))
        if entry["tag"] == _SUB_DIRECTORIES:
            word = layout.offset if length // int(entry["count"]) == inline else f"{layout.order}I"
            found += (each[0] for each in struct.iter_unpack(word, data))
        elif any(word in data for word in _FORBIDDEN):
            raise BadDataError("its XML declares entities, which are not read")
    return found
