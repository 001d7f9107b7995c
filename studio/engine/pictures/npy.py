"""Reads arrays that NumPy saved: one picture, or planes of one."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from tokenize import TokenError
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.limits import (
    check_planes,
    check_size,
    size_of,
    stored_type,
    stored_values,
)
from studio.engine.pixel_format import MAX_CHANNELS

_LONGEST_HEADER: Final = 10_000
_MOST_COLORS: Final = 4
"""Channels of a picture at most: color and opacity."""


class _Layout(NamedTuple):
    """Position of the pixels in a file."""

    start: int
    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[np.generic]


@contextlib.contextmanager
def open_file(file: BinaryIO) -> Iterator[NpyPicture]:
    """Open an array.

    Args:
        file: The file at its beginning.
    """
    yield NpyPicture(file)


class NpyPicture:
    """An array in a file; see `PictureFile`.

    Its axes are height and width; height, width and channels; planes, height and width; planes,
    height, width and channels; or planes, channels, height and width. The last axis of three is
    that of channels if it is the shortest. Five axes are what `picture_values.array_file` writes.

    Args:
        file: The file at its beginning.

    Attributes:
        info: Properties of the picture.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        size = size_of(file)
        self._layout = _layout_of(file)
        planes, height, width, channels = _axes_of(self._layout.shape)
        dtype = stored_type(self._layout.dtype)
        check_size(width, height, channels, self._layout.dtype.itemsize)
        check_planes(planes)
        stored = math.prod(self._layout.shape) * self._layout.dtype.itemsize
        if size - self._layout.start < stored:
            raise BadDataError("the image is damaged or truncated")
        self._shape = (planes, height, width, channels)
        is_turned = _has_channels_first(self._layout.shape)
        self._stored = (channels, height, width) if is_turned else (height, width, channels)
        self.info = PictureInfo(
            "NPY",
            width,
            height,
            channels,
            dtype,
            self._layout.dtype.name,
            planes,
            "plane" if planes > 1 else "",
        )

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        values = self._values(number)
        if values.dtype.kind == "b":
            values = values.astype(np.uint8) * np.uint8(255)
        return stored_values(values, self.info.dtype)

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        if self._layout.dtype.kind != "f":
            return None
        found: NDArray[np.bool_] = ~np.isfinite(self._values(number)).any(axis=-1)
        return found if found.any() else None

    def _values(self, number: int) -> NDArray[np.generic]:
        """Return a plane as it is stored, shape (height, width, channels)."""
        planes, *shape = self._shape
        if not 0 <= number < planes:
            raise BadDataError("the plane no longer exists")
        layout = self._layout
        if layout.is_fortran:
            whole = self._read(layout.start, math.prod(layout.shape))
            whole = whole.reshape(layout.shape, order="F")
            found = whole.reshape(planes, *self._stored)[number]
        else:
            count = math.prod(shape)
            start = layout.start + number * count * layout.dtype.itemsize
            found = self._read(start, count).reshape(self._stored)
        return np.moveaxis(found, 0, -1) if self._stored != tuple(shape) else found

    def _read(self, start: int, count: int) -> NDArray[np.generic]:
        self._file.seek(start)
        data = self._file.read(count * self._layout.dtype.itemsize)
        values = np.frombuffer(data, self._layout.dtype, count)
        return values.astype(values.dtype.newbyteorder("="), copy=False)


def _layout_of(file: BinaryIO) -> _Layout:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise BadDataError("its version of NumPy's format is not supported")
    try:
        shape, is_fortran, dtype = read(file, max_header_size=_LONGEST_HEADER)
    except TokenError as error:
        raise BadDataError("the image is damaged or truncated") from error
    return _Layout(file.tell(), shape, is_fortran, dtype)


def _has_channels_first(shape: tuple[int, ...]) -> bool:
    """Return True if the second of four axes can only be that of channels."""
    if len(shape) != 4 or shape[3] <= _MOST_COLORS:
        return False
    _, second, third, last = shape
    return second <= _MOST_COLORS or (second < min(third, last) and last > MAX_CHANNELS)


def _axes_of(shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Return the numbers of planes, rows, columns and channels."""
    match shape:
        case (height, width):
            return 1, height, width, 1
        case (height, width, channels) if channels <= MAX_CHANNELS and channels < min(
            height, width
        ):
            return 1, height, width, channels
        case (planes, height, width):
            return planes, height, width, 1
        case (planes, channels, height, width) if _has_channels_first(shape):
            return planes, height, width, channels
        case (planes, height, width, channels) | (1, planes, height, width, channels):
            return planes, height, width, channels
    raise BadDataError("an image has two to four axes; this array has {count}", count=len(shape))
