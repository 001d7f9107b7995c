"""Large pictures as tiles of several sizes, of which a window reads those that are seen.

A file without smaller copies gets them in a file beside it, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture
from studio.engine.pictures.info import PictureInfo, WindowedPicture, windows_of
from studio.engine.pictures.pyramid_file import OVERVIEW, STORED, halved, pyramid_file

SIDE: Final = 512
"""Width and height of a tile in pixels."""
_ROWS: Final = 128
"""Rows that are read at a time, an even number."""


@dataclass(frozen=True, slots=True)
class Pyramid:
    """A plane of a large picture and its smaller copies.

    Attributes:
        path: The file.
        plane: Number of the plane, from 0.
        info: Properties of the file.
        own: Width and height of the picture and of the copies in its file.
        copies: File with further copies; None if there is none.
        more: Width and height of these.
    """

    path: Path
    plane: int
    info: PictureInfo
    own: tuple[tuple[int, int], ...]
    copies: Path | None = None
    more: tuple[tuple[int, int], ...] = ()

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """Width and height of the picture and of all copies, the largest first."""
        return self.own + self.more

    @property
    def is_standard(self) -> bool:
        """True if screens show its pixels as they are."""
        colors = self.info.channels - self.info.has_alpha
        return self.info.planes == 1 and self.info.dtype == "uint8" and colors in {1, 3}

    @property
    def has_overview(self) -> bool:
        """True if the smallest copy fits on a screen."""
        return max(self.sizes[-1]) <= OVERVIEW

    def tile(self, level: int, column: int, row: int) -> Pixels:
        """Read a tile.

        Args:
            level: Index in `sizes`.
            column: Number of the tile in its row, from 0.
            row: Number of the row of tiles, from 0.

        Returns:
            Shape (height, width, channels), at most `SIDE` high and wide.

        Raises:
            BadDataError: The file is damaged, or was changed.
        """
        width, height = self.sizes[level]
        left, top = column * SIDE, row * SIDE
        return self._part(level, (left, top, min(SIDE, width - left), min(SIDE, height - top)))

    def overview(self) -> Pixels:
        """Read the smallest copy, shape (height, width, channels).

        Raises:
            BadDataError: The file is damaged, or was changed.
        """
        return self._part(len(self.sizes) - 1, (0, 0, *self.sizes[-1]))

    def _part(self, level: int, window: tuple[int, int, int, int]) -> Pixels:
        is_own = level < len(self.own)
        path = self.path if is_own else self.copies
        if path is None:
            raise BadDataError("the plane no longer exists")
        with open_picture(path) as picture:
            windowed = _windowed(picture)
            number = self.plane if is_own else 0
            return windowed.window(number, window, level if is_own else level - len(self.own))


def read_pyramid(path: Path, plane: int, least: int) -> Pyramid | None:
    """Return a large picture; None for a smaller one, and for one that is only read as a whole.

    Args:
        path: A picture file.
        plane: Number of the plane, from 0; the last one if there are fewer.
        least: Pixels from which on it is large.

    Raises:
        BadDataError: It is no picture, or a damaged one.
    """
    with open_picture(path) as picture:
        windowed, info = windows_of(picture), picture.info
        if windowed is None or info.width * info.height < least:
            return None
        return Pyramid(path, min(plane, info.planes - 1), info, tuple(windowed.levels))


def with_copies(pyramid: Pyramid, target: Path, advance: Callable[[int, int], None]) -> Pyramid:
    """Write the smaller copies of a picture that has none in its file.

    They are not compressed, which would double the time: all are a third of the picture.

    Args:
        pyramid: The picture.
        target: The file to write.
        advance: Receives the numbers of finished rows and of all rows; it may raise an exception
            to end the work.

    Raises:
        BadDataError: The picture is damaged.
        DiskFullError: No space was left.
    """
    width, height = pyramid.own[-1]
    half = (width + 1) // 2, (height + 1) // 2
    with open_picture(pyramid.path) as picture:
        windowed, level = _windowed(picture), len(pyramid.own) - 1
        first = windowed.window(pyramid.plane, (0, 0, 1, 1), level)
        file = pyramid_file(target, half, first.dtype, first.shape[2], "mean")
        with file as writer:
            writer.compression = STORED
            for top in range(0, height, _ROWS):
                rows = min(_ROWS, height - top)
                values = windowed.window(pyramid.plane, (0, top, width, rows), level)
                writer.add(halved(values, "mean"))
                advance(top + rows, height)
    with open_picture(target) as written:
        more = tuple(_windowed(written).levels)
    return Pyramid(pyramid.path, pyramid.plane, pyramid.info, pyramid.own, target, more)


def _windowed(picture: object) -> WindowedPicture:
    if not isinstance(picture, WindowedPicture) or not picture.levels:
        raise BadDataError("its planes cannot be read one by one")
    return picture
