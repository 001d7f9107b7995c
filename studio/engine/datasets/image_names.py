"""The paths of the images of a dataset: read one by one, searched, and in their natural order.

A search in a million paths takes milliseconds: they are a column of NumPy, and no text is made per
image. The file is open only while it is read, so that the dataset can be deleted.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.schema import columns_of

_AT_ONCE = 65_536
_BLOCK = 4_096
"""Number of paths read at once when single ones are requested."""
DIGITS = 8
"""Numbers get as many digits, to be sorted as text."""

MAX_ZEROS = 24


class ImageNames:
    """The path of each row of a dataset. Edits do not change it.

    Args:
        path: The `images.h5`. Paths are read when they are needed.
    """

    def __init__(self, path: Path) -> None:
        with h5py.File(path, "r", locking=False) as file:
            self._column = columns_of(file)["path"]
        self._path = path
        self._blocks: dict[int, NDArray[np.bytes_]] = {}

    def text(self, row: int) -> str:
        """Return the path of a row, to open the file; empty if the dataset was deleted."""
        return self._bytes(row).decode("utf-8", "surrogateescape")

    def shown(self, row: int) -> str:
        r"""Return the path of a row for display: what is no UTF-8 is written as `\xff`."""
        return self._bytes(row).decode("utf-8", "backslashreplace")

    def holding(self, text: str) -> NDArray[np.bool_]:
        """Find the paths that contain a text, N; case is ignored in a to z."""
        requested = _lower(np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8))
        if not len(requested):
            return np.ones(self._column.shape[0], np.bool_)
        indices = np.strings.find(self._lowered, requested.tobytes())
        found: NDArray[np.bool_] = indices >= 0
        return found

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """All rows sorted by file name, then by folder.

        Ignores case and sorts digits as numbers: 9.png comes before 10.png.
        """
        width = self._lowered.dtype.itemsize
        names = np.zeros(len(self._lowered), f"S{width + MAX_ZEROS}")
        for start in range(0, len(names), _AT_ONCE):
            part = self._lowered[start : start + _AT_ONCE]
            first = np.strings.rfind(part, b"/") + 1
            letters = np.zeros((len(part), 2 * width), np.uint8)
            letters[:, :width] = part.view(np.uint8).reshape(len(part), width)
            # Every path moved left until its file name stands first.
            moved = np.take_along_axis(letters, first[:, None] + np.arange(width), axis=1)
            names[start : start + len(part)] = with_zeros(moved)
        return np.argsort(names, kind="stable").astype(np.int64)

    @cached_property
    def _lowered(self) -> NDArray[np.bytes_]:
        paths = self._read(0, self._column.shape[0])
        lowered: NDArray[np.bytes_] = _lower(paths.view(np.uint8)).view(paths.dtype)
        return lowered

    def _bytes(self, row: int) -> bytes:
        """Return the path of a row; empty if the dataset was deleted meanwhile."""
        number, offset = divmod(row, _BLOCK)
        block = self._blocks.get(number)
        if block is None:
            start = number * _BLOCK
            try:
                block = self._read(start, min(start + _BLOCK, self._column.shape[0]))
            except OSError:
                return b""
            self._blocks[number] = block
        return bytes(block[offset])

    def _read(self, start: int, stop: int) -> NDArray[np.bytes_]:
        """Read the paths of rows `start` to `stop`, without `stop`.

        Raises:
            OSError: The file is gone.
        """
        with self._path.open("rb") as file:
            file.seek(self._column.offset + start * self._column.row_bytes)
            data = file.read((stop - start) * self._column.row_bytes)
        return np.frombuffer(data, f"S{self._column.dtype.itemsize}")


def with_zeros(letters: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Add leading zeros to numbers in texts, so that they sort as numbers, N.

    Args:
        letters: A text per row, 0 behind its end, N x W. At most `MAX_ZEROS` are added to each.
    """
    rows, width = letters.shape
    is_digit = (letters >= ord("0")) & (letters <= ord("9"))
    edges = np.diff(is_digit, axis=1, prepend=False, append=False)
    row, at = np.nonzero(edges)  # beginnings and ends of numbers, in turns
    lengths = at[1::2] - at[::2]
    missing = np.zeros((rows, width), np.int64)
    missing[row[::2], at[::2]] = np.maximum(0, DIGITS - lengths)
    missing[missing.cumsum(axis=1) > MAX_ZEROS] = 0  # no room: those stay as they are
    moves = missing.cumsum(axis=1)
    padded = np.full((rows, width + MAX_ZEROS), ord("0"), np.uint8)
    np.put_along_axis(padded, moves + np.arange(width), letters, axis=1)
    ends = (letters != 0).sum(axis=1) + moves[:, -1]
    padded[np.arange(width + MAX_ZEROS) >= ends[:, None]] = 0
    result: NDArray[np.bytes_] = padded.view(f"S{width + MAX_ZEROS}")[:, 0]
    return result


def _lower(letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    capital = (letters >= ord("A")) & (letters <= ord("Z"))
    return letters | (capital.astype(np.uint8) << np.uint8(5))
