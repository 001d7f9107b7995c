"""Reads color pictures of 16 bits with OpenCV: PNG, and PPM and PGM with more than 256 levels."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.picture_files import FORMATS, orientation_of
from studio.engine.pictures.formats import NETPBM, PNG, PNG_ALPHA, PNG_COLOR
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.limits import check_growth, check_size, stored_values
from studio.engine.pictures.ordinary import transparency_notes
from studio.engine.pictures.turns import is_sideways, turned

_DAMAGED: Final = "the image is damaged or truncated"


class _Header(NamedTuple):
    """Size and channels of a picture, its format and the bits of a value."""

    width: int
    height: int
    channels: int
    has_alpha: bool
    format: str
    bits: int


@contextlib.contextmanager
def open_file(file: BinaryIO) -> Iterator[DeepColorPicture]:
    """Open a picture.

    Args:
        file: The encoded picture at its beginning.
    """
    yield DeepColorPicture(file.read())


class DeepColorPicture:
    """A picture that OpenCV decodes; see `PictureFile`.

    Args:
        data: The encoded picture.

    Attributes:
        info: Properties of the picture.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._orientation = 1
        header = _png_header(data) if data.startswith(PNG) else _netpbm_header(data)
        check_size(header.width, header.height, header.channels, 2)
        check_growth(header.width * header.height * header.channels * 2, len(data))
        self._stored = header
        size, notes = (header.width, header.height), tuple[Text, ...]()
        if header.format == "PNG":
            self._orientation, notes = _described(data)
            size = size[::-1] if is_sideways(self._orientation) else size
        self.info = PictureInfo(
            header.format,
            *size,
            header.channels,
            "uint16",
            "uint16",
            has_alpha=header.has_alpha,
            significant_bits=header.bits,
            notes=notes,
        )

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        if number:
            raise BadDataError("the plane no longer exists")
        if self._stored.format == "PNG":
            _check_png(self._data)
        data = self._data
        if self._stored.format == "PPM":
            data += b"\n"  # OpenCV does not read a last number in digits without it
        try:
            found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
        except cv2.error as error:
            raise BadDataError(_DAMAGED) from error
        if found is None or found.dtype != np.uint16 or found.shape[:2] != self._stored[1::-1]:
            raise BadDataError(_DAMAGED)
        pixels = found.reshape(*found.shape[:2], -1)
        if pixels.shape[2] >= 3:  # blue, green and red
            pixels = pixels[..., [2, 1, 0, *range(3, pixels.shape[2])]]
        if self._stored.channels == 2:  # gray became three equal channels
            pixels = pixels[..., [0, -1]]
        return stored_values(
            turned(pixels[..., : self._stored.channels], self._orientation), self.info.dtype
        )

    def missing(self, number: int) -> NDArray[np.bool_] | None:  # noqa: ARG002 - all have values
        """See `PictureFile.missing`."""
        return None


def _png_header(data: bytes) -> _Header:
    width, height, _, color_type = struct.unpack_from(">IIBB", data, 16)
    has_alpha = bool(color_type & PNG_ALPHA)
    channels = (3 if color_type & PNG_COLOR else 1) + has_alpha
    return _Header(width, height, channels, has_alpha, "PNG", 0)


def _netpbm_header(data: bytes) -> _Header:
    found = NETPBM.match(data)
    if found is None:
        raise BadDataError(_DAMAGED)
    kind, width, height, largest = map(int, found.groups())
    channels = 3 if kind in {3, 6} else 1
    check_size(width, height, channels, 2)
    if kind in {5, 6} and len(data) - found.end() < width * height * channels * 2:
        raise BadDataError(_DAMAGED)
    bits = min(largest, 65535).bit_length()
    return _Header(width, height, channels, has_alpha=False, format="PPM", bits=bits)


def _described(data: bytes) -> tuple[int, tuple[Text, ...]]:
    """Return the EXIF orientation of a PNG, which stands before its pixels, and notes about it."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        return orientation_of(image), (*transparency_notes(image), *_frame_notes(image))


def _frame_notes(image: Image.Image) -> tuple[Text, ...]:
    """Return a sentence about further frames, which OpenCV does not read."""
    others = int(getattr(image, "n_frames", 1)) - 1
    if others < 1:
        return ()
    text = message(
        "{count:,} more frames in the file are not read.",
        one="One more frame in the file is not read.",
        count=others,
    )
    return (text,)


def _check_png(data: bytes) -> None:
    """Refuse damaged chunks: OpenCV's decoder returns what it has got so far."""
    view, at = memoryview(data), len(PNG)
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if end + 4 > len(data):
            break
        if zlib.crc32(view[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            break
        if kind == b"IEND":
            return
        at = end + 4
    raise BadDataError(_DAMAGED)
