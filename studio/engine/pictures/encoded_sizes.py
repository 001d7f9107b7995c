"""Size of a picture that lies encoded within another file, such as a JPEG in a tile of a TIFF.

Decoders reserve memory for the size that the inner picture claims, whatever the outer file says.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.pictures.formats import PNG

_SLACK: Final = 2
"""Times that an encoded picture may be larger than declared: rows are filled up to blocks."""
_SMALL: Final = 2**22
"""Pixels that any encoded picture may have."""
_BOX: Final = 8
"""Bytes of the length and the name of a box of JPEG 2000 and JPEG XL."""
_FRAMES: Final = frozenset({*range(0xC0, 0xD0), 0xF7}) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG and JPEG-LS that begin with the size of a frame."""
_WITHOUT_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of JPEG without contents."""
_CODESTREAM: Final = b"\xff\x4f\xff\x51"
_XL: Final = b"\xff\x0a"
_XL_RATIOS: Final = (None, (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_XL_BITS: Final = (9, 13, 18, 30)
_XR_WIDTH, _XR_HEIGHT = 0xBC80, 0xBC81
_DAMAGED: Final = "the image is damaged or truncated"


def check_encoded(data: bytes, width: int, height: int) -> None:
    """Refuse an encoded picture that is larger than the file around it says.

    Args:
        data: A picture of any format, or other bytes.
        width: Declared width in pixels.
        height: Declared height in pixels.

    Raises:
        BadDataError: It is larger, or its size cannot be read; the message is a short reason.
    """
    try:
        size = encoded_size(data)
    except (struct.error, IndexError) as error:
        raise BadDataError(_DAMAGED) from error
    if size is not None and size[0] * size[1] > max(_SMALL, _SLACK * width * height):
        raise BadDataError(_DAMAGED)


def encoded_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height that an encoded picture claims; None for other bytes.

    Args:
        data: JPEG, JPEG 2000, JPEG XL, JPEG XR, PNG, WebP or LERC, or other bytes.

    Raises:
        struct.error: It is truncated.
        IndexError: It is truncated.
    """
    return next((read(data) for start, read in _READERS if data.startswith(start)), None)


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """Return the size of the first frame; None of a file of tables alone."""
    at = 2
    while at + 4 <= len(data):
        marker = data[at + 1]
        if data[at] != 0xFF or marker == 0xFF:
            at += 1  # filling
        elif marker in _WITHOUT_LENGTH:
            at += 2
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _boxes(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the name of each box of a file, and where its contents begin."""
    at = 0
    while at + _BOX <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        start = at + _BOX
        if length == 1:
            (length,) = struct.unpack_from(">Q", data, start)
            start += 8
        yield name, start
        if length < _BOX:
            return  # the last one, or damage
        at += length


def _jpeg_2000(data: bytes) -> tuple[int, int] | None:
    start = 0
    if not data.startswith(_CODESTREAM):
        found = next((at for name, at in _boxes(data) if name == b"jp2c"), None)
        if found is None:
            return None
        start = found
    right, bottom, left, top = struct.unpack_from(">4I", data, start + 8)
    return right - left, bottom - top


def _jpeg_xl_file(data: bytes) -> tuple[int, int] | None:
    for name, at in _boxes(data):
        if name == b"jxlc":
            return _jpeg_xl(data[at : at + 32])
        if name == b"jxlp":
            return _jpeg_xl(data[at + 4 : at + 36])
    return None


def _jpeg_xl(data: bytes) -> tuple[int, int]:
    bits = _Bits(data[2:18])
    in_eights = bits.take(1)
    height = _xl_side(bits, in_eights)
    ratio = _XL_RATIOS[bits.take(3)]
    if ratio is None:
        return _xl_side(bits, in_eights), height
    return height * ratio[0] // ratio[1], height


class _Bits:
    """Bits of some bytes, the lowest one first."""

    def __init__(self, data: bytes) -> None:
        self._bits, self._left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, count: int) -> int:
        """Return the number in the next bits."""
        self._left -= count
        if self._left < 0:
            raise IndexError(count)
        found = self._bits & ((1 << count) - 1)
        self._bits >>= count
        return found


def _xl_side(bits: _Bits, in_eights: int) -> int:
    if in_eights:
        return 8 * (1 + bits.take(5))
    return 1 + bits.take(_XL_BITS[bits.take(2)])


def _jpeg_xr(data: bytes) -> tuple[int, int]:
    (start,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, start)
    found = {}
    for number in range(count):
        tag, kind, _, value = struct.unpack_from("<HHII", data, start + 2 + 12 * number)
        found[tag] = value & {1: 0xFF, 3: 0xFFFF}.get(kind, 0xFFFFFFFF)
    return found.get(_XR_WIDTH, 0), found.get(_XR_HEIGHT, 0)


def _png(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _webp(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
        return width + 1, height + 1
    if kind == b"VP8L":
        (sides,) = struct.unpack_from("<I", data, 21)
        return 1 + (sides & 0x3FFF), 1 + (sides >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _lerc(data: bytes) -> tuple[int, int]:
    (version,) = struct.unpack_from("<i", data, 6)
    height, width = struct.unpack_from("<II", data, 14 if version >= 3 else 10)
    return width, height


_READERS: Final[tuple[tuple[bytes, Callable[[bytes], tuple[int, int] | None]], ...]] = (
    (b"\xff\xd8", _jpeg),
    (_CODESTREAM, _jpeg_2000),
    (b"\0\0\0\x0cjP  ", _jpeg_2000),
    (_XL, _jpeg_xl),
    (b"\0\0\0\x0cJXL ", _jpeg_xl_file),
    (b"II\xbc", _jpeg_xr),
    (PNG, _png),
    (b"RIFF", _webp),
    (b"Lerc2 ", _lerc),
)
