"""Brush masks of Label Studio: RGBA pixels as runs of bytes in a stream of bits (rle-pack)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.tools.shapes import PixelRuns, runs_in_window

_CHANNELS = 4
"""Bytes of a pixel; the last one is alpha, above 0 where it was painted."""
_BYTE = 8


class _Bits:
    """Reads numbers from a stream of bits."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._end = len(data) * _BYTE
        self.at = 0

    def number(self, bits: int) -> int:
        """Return the next bits, at most 32, as a number.

        Raises:
            BadDataError: The stream ends.
        """
        stop = self.at + bits
        if stop > self._end:
            raise BadDataError("its RLE is damaged")
        part = self._data[self.at // _BYTE : -(-stop // _BYTE)]
        value = int.from_bytes(part) >> (-stop % _BYTE)
        self.at = stop
        return value & ((1 << bits) - 1)

    def values(self, count: int) -> NDArray[np.uint8]:
        """Return the next bytes, which may begin within a byte of the stream.

        Args:
            count: Their number.

        Raises:
            BadDataError: The stream ends.
        """
        stop = self.at + count * _BYTE
        if stop > self._end:
            raise BadDataError("its RLE is damaged")
        part = np.frombuffer(self._data[self.at // _BYTE : -(-stop // _BYTE)], np.uint8)
        skipped = self.at % _BYTE
        self.at = stop
        return np.packbits(np.unpackbits(part)[skipped : skipped + count * _BYTE])


def brushed(values: object, size: tuple[int, int]) -> PixelRuns | None:
    """Return the painted pixels of a brush mask; None if nothing is painted.

    Nothing is unpacked: work and memory depend on the length of the data alone.

    Args:
        values: Bytes as a list of numbers.
        size: Width and height of the picture.

    Raises:
        BadDataError: It is damaged or of another size; the message is a short reason.
    """
    try:
        bits = _Bits(bytes(values) if isinstance(values, list) else b"")
    except (TypeError, ValueError) as error:
        raise BadDataError("its RLE is damaged") from error
    count = bits.number(32)
    word_bits = bits.number(5) + 1
    lengths = [bits.number(4) + 1 for _ in range(4)]
    if word_bits != _BYTE or count != _CHANNELS * size[0] * size[1]:
        raise BadDataError("its RLE is not for the size of the image")
    starts: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    at = 0
    while at < count:
        is_run = bits.number(1)
        length = bits.number(lengths[bits.number(2)]) + 1
        if at + length > count:
            raise BadDataError("its RLE is damaged")
        if not is_run:
            first = _painted(bits.values(length), at)
            starts.append(first)
            ends.append(first + 1)
        elif bits.number(_BYTE):
            # The pixels whose alpha is one of these bytes.
            starts.append(np.array([at // _CHANNELS]))
            ends.append(np.array([(at + length) // _CHANNELS]))
        at += length
    nothing = [np.zeros(0, np.int64)]
    window = (0, 0, *size)
    return runs_in_window(
        window, np.concatenate(starts or nothing), np.concatenate(ends or nothing)
    )


def _painted(values: NDArray[np.uint8], at: int) -> NDArray[np.int64]:
    """Return the pixels whose alpha is above 0.

    Args:
        values: Bytes of pixels.
        at: Place of the first of them among all bytes.
    """
    first = (_CHANNELS - 1 - at) % _CHANNELS
    return np.flatnonzero(values[first::_CHANNELS]) + (at + first) // _CHANNELS
