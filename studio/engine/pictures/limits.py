"""Limits of picture files that are checked before anything is decoded."""

from __future__ import annotations

from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.picture_files import LARGEST_PIXELS
from studio.engine.pixel_format import MAX_CHANNELS, PixelType

LARGEST_WINDOWED: Final = 2**32
"""Pixels at most of a picture that is read part by part."""
LARGEST_PLANE: Final = 2**32
"""Bytes of a decoded plane at most."""
MAX_PLANES: Final = 20_000
"""Planes, pages or frames of a file at most."""
LARGEST_GROWTH: Final = 20_000
"""Times that a compression makes data of one value smaller at most."""
_SMALL: Final = 2**24
"""Bytes that any file may claim to hold."""


def check_parts(width: int, height: int, channels: int = 1) -> None:
    """Refuse a plane with no pixels or too many of them, even if it is read part by part.

    Args:
        width: Width in pixels.
        height: Height in pixels.
        channels: Number of channels.

    Raises:
        BadDataError: A limit is exceeded; the message is a short reason.
    """
    if min(width, height, channels) < 1:
        raise BadDataError("the image has no pixels")
    if width * height > LARGEST_WINDOWED:
        raise BadDataError("more than {limit} million pixels", limit=LARGEST_WINDOWED // 10**6)
    if channels > MAX_CHANNELS:
        raise BadDataError(
            "it has {count:,} channels; the limit is {limit}", count=channels, limit=MAX_CHANNELS
        )


def check_size(width: int, height: int, channels: int = 1, itemsize: int = 1) -> None:
    """Refuse a plane with no pixels, or too many of them to be decoded at once.

    Args:
        width: Width in pixels.
        height: Height in pixels.
        channels: Number of channels.
        itemsize: Bytes of a value.

    Raises:
        BadDataError: A limit is exceeded; the message is a short reason.
    """
    check_parts(width, height, channels)
    if width * height > LARGEST_PIXELS:
        raise BadDataError("more than {limit} million pixels", limit=LARGEST_PIXELS // 10**6)
    size = width * height * channels * itemsize
    if size > LARGEST_PLANE:
        raise BadDataError(
            "a plane of it takes {received:.1f} GB; the limit is {limit:.1f} GB. Save it as a "
            "TIFF in tiles, and import it with a tile size",
            received=size / 10**9,
            limit=LARGEST_PLANE / 10**9,
        )


def check_planes(count: int) -> None:
    """Refuse a file with too many planes.

    Raises:
        BadDataError: The limit is exceeded; the message is a short reason.
    """
    if count > MAX_PLANES:
        raise BadDataError(
            "it has {count:,} planes; the limit is {limit:,}", count=count, limit=MAX_PLANES
        )


def check_growth(decoded: int, stored: int) -> None:
    """Refuse a file that claims far more pixels than its bytes can hold.

    Args:
        decoded: Bytes of the decoded pixels.
        stored: Bytes of the file.

    Raises:
        BadDataError: The file cannot be whole; the message is a short reason.
    """
    if decoded > max(_SMALL, stored * LARGEST_GROWTH):
        raise BadDataError("the image is damaged or truncated")


def stored_values(values: NDArray[np.generic], dtype: PixelType) -> Pixels:
    """Return values in the type that they are stored in.

    Args:
        values: Values of any numeric type.
        dtype: NumPy's name of the stored type.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found: Pixels = np.ascontiguousarray(values, dtype=dtype)
    return found


def size_of(file: BinaryIO) -> int:
    """Return the number of bytes of a file and go back to its beginning."""
    size = file.seek(0, 2)
    file.seek(0)
    return size


def stored_type(dtype: np.dtype[np.generic]) -> PixelType:
    """Return the smallest stored type that keeps all values of a type in a file.

    Whole numbers beyond 16 bits and those with a sign become floating-point numbers, which keep
    them exactly up to 2 ** 24.

    Raises:
        BadDataError: They are no numbers; the message is a short reason.
    """
    if dtype.kind == "b" or (dtype.kind == "u" and dtype.itemsize == 1):
        return "uint8"
    if dtype.kind == "u" and dtype.itemsize == 2:
        return "uint16"
    if dtype.kind in "uif":
        return "float32"
    raise BadDataError("pixels of the type {dtype} are not supported", dtype=dtype.name)
