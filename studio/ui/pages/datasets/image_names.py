"""The paths of a million images, searched and sorted as bytes. NumPy only, no text per image."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.schema import columns_of

_AT_ONCE = 65_536


class ImageNames:
    """Where each row of a dataset came from. Edits do not change it.

    Args:
        path: The `images.h5`. Its column is memory-mapped: only what is looked at is read.
    """

    def __init__(self, path: Path) -> None:
        with h5py.File(path, "r", locking=False) as file:
            column = columns_of(file)["path"]
        kind = np.dtype(f"S{column.dtype.itemsize}")
        self._column: NDArray[np.bytes_] = np.memmap(
            path, kind, "r", offset=column.offset, shape=column.shape
        )

    def text(self, row: int) -> str:
        """The path of a row as the dataset has it, fit to find the file."""
        return bytes(self._column[row]).decode("utf-8", "surrogateescape")

    def shown(self, row: int) -> str:
        r"""The path of a row, fit for a screen: what is no UTF-8 is written as `\xff`."""
        return bytes(self._column[row]).decode("utf-8", "backslashreplace")

    def holding(self, text: str) -> NDArray[np.bool_]:
        """Which paths hold a text, N; case is ignored in a to z."""
        wanted = _lower(np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8))
        if not len(wanted):
            return np.ones(len(self._column), np.bool_)
        places = np.strings.find(self._lowered, wanted.tobytes())
        found: NDArray[np.bool_] = places >= 0
        return found

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """All rows by their file names, then by what stands before those; ignores case."""
        width = self._lowered.dtype.itemsize
        names = np.empty(len(self._lowered), f"S{width}")
        for start in range(0, len(names), _AT_ONCE):
            part = self._lowered[start : start + _AT_ONCE]
            first = np.strings.rfind(part, b"/") + 1
            letters = np.zeros((len(part), 2 * width), np.uint8)
            letters[:, :width] = part.view(np.uint8).reshape(len(part), width)
            # Every path moved left until its file name stands first.
            moved = np.take_along_axis(letters, first[:, None] + np.arange(width), axis=1)
            names[start : start + len(part)] = np.ascontiguousarray(moved).view(names.dtype)[:, 0]
        return np.argsort(names, kind="stable").astype(np.int64)

    @cached_property
    def _lowered(self) -> NDArray[np.bytes_]:
        small = _lower(np.frombuffer(self._column.tobytes(), np.uint8))
        lowered: NDArray[np.bytes_] = small.view(self._column.dtype)
        return lowered


def _lower(letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    capital = (letters >= ord("A")) & (letters <= ord("Z"))
    return letters | (capital.astype(np.uint8) << np.uint8(5))
