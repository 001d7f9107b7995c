"""Picture files of any format as people see them, before they belong to a dataset."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from studio.engine.arrays import Pixels
from studio.engine.datasets.display import DisplayFacts
from studio.engine.datasets.value_ranges import camera_range, fraction_range
from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.pyramids import Pyramid, read_pyramid
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat
from studio.engine.tasks.tiling import LARGE_RESULT

Reading = Callable[[int], AbstractContextManager[None]]
"""Returns a context in which a number of pixels is decoded."""


def _no_limit(_pixels: int) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """A plane of a picture file whose pixels screens do not show as they are.

    Attributes:
        pixels: Its values without an opacity, shape (height, width, channels).
        format: Their number format.
        window: Contrast window that the file proposes; None for none.
        planes: Number of planes of the file.
        plane: Number of this plane, from 0.
    """

    pixels: Pixels
    format: PixelFormat
    window: tuple[float, float] | None = None
    planes: int = 1
    plane: int = 0

    def mapping(self, display: DisplayMapping | None = None) -> DisplayMapping:
        """Return the mapping that shows it.

        Args:
            display: The chosen one, used if it has as many channels; None for the default.
        """
        if display is not None and display.fits(self.format):
            return display
        found = DisplayMapping.of(self.format)
        if self.window is not None and self.window[0] < self.window[1]:
            for channel in range(self.format.channels):
                found = found.with_window(channel, *self.window)
        return found

    def facts(self, display: DisplayMapping | None) -> DisplayFacts:
        """Return the facts by which a person chooses a mapping.

        Args:
            display: The chosen mapping, used if it has as many channels.
        """
        found = DisplayFacts.of(self.format, self.mapping(display), self.pixels)
        return replace(found, planes=self.planes, plane=self.plane)


def facts_of_file(path: Path, display: DisplayMapping | None, plane: int = 0) -> DisplayFacts:
    """Return the facts by which a person chooses a mapping for a picture file.

    Args:
        path: The file.
        display: The chosen mapping, used if it has as many channels.
        plane: Number of the plane, from 0; the last one if there are fewer.

    Raises:
        BadDataError: It cannot be read, or screens show it as it is.
    """
    found = read_large(path, plane) or read_unusual(path, plane)
    if found is None:
        raise BadDataError("The screen shows this image as it is.")
    return found.facts(display)


def read_unusual(path: Path, plane: int = 0, reading: Reading = _no_limit) -> ReadPicture | None:
    """Read a picture; None for one plane of 8 bits, gray or color, which Qt and Pillow read.

    Args:
        path: The file.
        plane: Number of the plane, from 0; the last one if there are fewer.
        reading: Returns a context for decoding a number of pixels.

    Raises:
        BadDataError: It is no picture, or a damaged or too large one.
    """
    with open_picture(path) as picture:
        info = picture.info
        if _is_usual(info):
            return None
        plane = min(plane, info.planes - 1)
        with reading(info.width * info.height):
            pixels = picture.plane(plane)
    if info.has_alpha:
        pixels = pixels[..., :-1]
    found = _format_of(info, pixels)
    return ReadPicture(pixels, found, info.window, info.planes, plane)


def read_overview(pyramid: Pyramid) -> ReadPicture:
    """Return the smallest copy of a large picture, whose values suggest colors and contrast.

    Args:
        pyramid: The picture.

    Raises:
        BadDataError: It is damaged.
    """
    info = pyramid.info
    pixels = pyramid.overview()
    if info.has_alpha:
        pixels = pixels[..., :-1]
    found = _format_of(info, pixels)
    return ReadPicture(pixels, found, info.window, info.planes, pyramid.plane)


def read_large(path: Path, plane: int = 0) -> ReadPicture | None:
    """Return the smallest copy in a file of a large picture; None for others.

    Args:
        path: The file.
        plane: Number of the plane, from 0; the last one if there are fewer.

    Raises:
        BadDataError: It is no picture, or a damaged one.
    """
    pyramid = read_pyramid(path, plane, LARGE_RESULT)
    return None if pyramid is None or not pyramid.has_overview else read_overview(pyramid)


def _is_usual(info: PictureInfo) -> bool:
    """Return True for one plane of 8 bits, gray or color, perhaps with an opacity."""
    colors = info.channels - info.has_alpha
    return info.planes == 1 and info.dtype == "uint8" and colors in {1, 3}


def _format_of(info: PictureInfo, pixels: Pixels) -> PixelFormat:
    """Return the number format of a single picture, with a range that its values suggest."""
    channels = pixels.shape[-1]
    if info.dtype == "uint8":
        ranges = [NETWORK_RANGE] * channels
    elif info.dtype == "uint16":
        highest = float(pixels.max(initial=0))
        if info.significant_bits and highest < 2**info.significant_bits:
            highest = float(2**info.significant_bits - 1)
        ranges = [camera_range(highest)] * channels
    else:
        values = [pixels[..., at].astype(np.float64).ravel() for at in range(channels)]
        ranges = fraction_range([each[np.isfinite(each)] for each in values])
    names = info.channel_names[:channels]
    return PixelFormat(
        dtype=info.dtype,
        channels=channels,
        low=tuple(low for low, _ in ranges),
        high=tuple(high for _, high in ranges),
        names=names if len(names) == channels else (),
    )
