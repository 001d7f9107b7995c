"""Reads color pictures of fractions in the format PFM."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.pictures.formats import COLOR_PFM
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.limits import check_size, stored_values

_CHANNELS = 3


@contextlib.contextmanager
def open_file(file: BinaryIO) -> Iterator[PfmPicture]:
    """Open a picture.

    Args:
        file: The file at its beginning.
    """
    yield PfmPicture(file.read())


class PfmPicture:
    """A picture of 32-bit fractions, whose rows are stored from the bottom; see `PictureFile`.

    Args:
        data: The file.

    Attributes:
        info: Properties of the picture.
    """

    def __init__(self, data: bytes) -> None:
        found = COLOR_PFM.match(data)
        if found is None:
            raise BadDataError("the image is damaged or truncated")
        width, height = int(found[1]), int(found[2])
        check_size(width, height, _CHANNELS, 4)
        needed, start = width * height * _CHANNELS * 4, found.end()
        if data[:start].endswith(b"\r\n") and len(data) - start + 1 == needed:
            start -= 1  # the header ends with the first of the two bytes
        if len(data) - start < needed:
            raise BadDataError("the image is damaged or truncated")
        self._data, self._start = data, start
        # The sign of the third number is the order of bytes, its size a unit that is not applied.
        self._dtype = np.dtype("<f4" if found[3].startswith(b"-") else ">f4")
        self.info = PictureInfo("PFM", width, height, _CHANNELS, "float32", "float32")

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        if number:
            raise BadDataError("the plane no longer exists")
        width, height = self.info.size
        count = width * height * _CHANNELS
        values = np.frombuffer(self._data, self._dtype, count, self._start)
        return stored_values(values.reshape(height, width, _CHANNELS)[::-1], self.info.dtype)

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        found = np.asarray(~np.isfinite(self.plane(number)).any(axis=-1))
        return found if found.any() else None
