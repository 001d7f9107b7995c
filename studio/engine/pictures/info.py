"""Types of picture files: their properties, known before decoding, and their planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.messages import Text
from studio.engine.pixel_format import PixelType

Affine = tuple[float, float, float, float, float, float]
"""Six numbers a to f of a map: x = a * column + b * row + c and y = d * column + e * row + f."""


@dataclass(frozen=True, slots=True)
class Georeference:
    """Position of a picture on the earth.

    Attributes:
        crs: Coordinate reference system: `"EPSG:32633"`, or well-known text; empty if unknown.
        transform: Map from columns and rows of the picture to coordinates of the system.
    """

    crs: str
    transform: Affine


@dataclass(frozen=True, slots=True)
class PictureInfo:
    """Properties of a picture file that are known before its pixels are decoded.

    Attributes:
        format: Name of the file format, such as `"TIFF"`.
        width: Width in pixels, as shown.
        height: Height in pixels, as shown.
        channels: Number of channels of a plane, with the opacity.
        dtype: Type of the pixels that `PictureFile.plane` returns.
        file_dtype: NumPy's name of the type of the pixels in the file.
        planes: Number of planes, pages or frames.
        plane_axis: Axes of the planes: `"Z"`, `"T"`, `"TZ"`, `"page"`, `"frame"` or `"plane"`;
            empty for one plane.
        channel_names: A name for each channel; empty if unknown.
        has_alpha: True if the last channel is the opacity.
        significant_bits: Bits of a whole number that are used; 0 if unknown.
        pixel_size_um: Width and height of a pixel in micrometers; None if unknown.
        window: Proposed lowest and highest value of what is shown; None if unknown.
        group: Name of the origin, such as a patient; empty if unknown.
        georeference: Position on the earth; None if unknown.
        notes: Sentences about contents of the file that are not read.
    """

    format: str
    width: int
    height: int
    channels: int
    dtype: PixelType
    file_dtype: str
    planes: int = 1
    plane_axis: str = ""
    channel_names: tuple[str, ...] = ()
    has_alpha: bool = False
    significant_bits: int = 0
    pixel_size_um: tuple[float, float] | None = None
    window: tuple[float, float] | None = None
    group: str = ""
    georeference: Georeference | None = None
    notes: tuple[Text, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height


class PictureFile(Protocol):
    """An open picture file."""

    @property
    def info(self) -> PictureInfo:
        """Properties of the file."""

    def plane(self, number: int) -> Pixels:
        """Decode a plane.

        Values are as in the file. Those that stand for no data become 0 in whole numbers and NaN
        in fractions, see `missing`.

        Args:
            number: Number of the plane, from 0.

        Returns:
            Shape (height, width, channels), of the type `PictureInfo.dtype`.

        Raises:
            BadDataError: The plane is damaged; the message is a short reason.
        """

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """Return the pixels of a plane without a value; None if all have one.

        Args:
            number: Number of the plane, from 0.

        Returns:
            Shape (height, width); True where no channel has a value.
        """


Window = tuple[int, int, int, int]
"""Left, top, width and height of a part of a picture, in its pixels."""


@runtime_checkable
class WindowedPicture(PictureFile, Protocol):
    """An open picture file whose parts can be decoded alone."""

    @property
    def levels(self) -> Sequence[tuple[int, int]]:
        """Width and height of the picture and of the smaller copies in the file.

        Empty if only whole planes can be decoded.
        """

    def window(self, number: int, window: Window, level: int = 0) -> Pixels:
        """Decode a part of a plane, see `PictureFile.plane`.

        Args:
            number: Number of the plane, from 0.
            window: The part, inside of the picture.
            level: Index in `levels`, whose pixels the part is given in.

        Raises:
            BadDataError: The plane is damaged; the message is a short reason.
        """

    def missing_in(self, number: int, window: Window) -> NDArray[np.bool_] | None:
        """Return the pixels of a part without a value, see `PictureFile.missing`.

        Args:
            number: Number of the plane, from 0.
            window: The part, inside of the picture.
        """


def windows_of(picture: PictureFile) -> WindowedPicture | None:
    """Return a picture whose parts can be decoded alone; None for others.

    Args:
        picture: An open file.
    """
    return picture if isinstance(picture, WindowedPicture) and picture.levels else None


class PartOfPicture:
    """A part of a picture as a picture of its own; see `PictureFile`.

    Args:
        picture: The picture.
        window: The part, inside of the picture.
        level: Index in `WindowedPicture.levels`.

    Attributes:
        info: Properties of the part.
    """

    def __init__(self, picture: WindowedPicture, window: Window, level: int = 0) -> None:
        self._picture, self._window, self._level = picture, window, level
        self.info = replace(picture.info, width=window[2], height=window[3])

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        return self._picture.window(number, self._window, self._level)

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        return self._picture.missing_in(number, self._window)
