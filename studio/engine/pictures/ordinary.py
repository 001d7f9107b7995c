"""Reads pictures with Pillow: all formats of 8 bits, and gray of 16 bits or with fractions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.picture_files import FORMATS, frame_of, orientation_of, upright
from studio.engine.pictures.info import PictureInfo
from studio.engine.pictures.limits import check_planes, check_size, stored_type, stored_values

_FILE_TYPES: Final = {"1": "bool", "I": "int32", "F": "float32"}


@contextlib.contextmanager
def open_ordinary(file: BinaryIO, notes: tuple[Text, ...] = ()) -> Iterator[OrdinaryPicture]:
    """Open a picture.

    Args:
        file: The encoded picture at its beginning.
        notes: Sentences about contents that this reader does not read.
    """
    with Image.open(file, formats=FORMATS) as image:
        yield OrdinaryPicture(image, notes)


class OrdinaryPicture:
    """A picture that Pillow decodes; see `PictureFile`.

    Args:
        image: The picture, not loaded yet.
        notes: Sentences about contents that are not read.

    Attributes:
        info: Properties of the picture.
    """

    def __init__(self, image: Image.Image, notes: tuple[Text, ...] = ()) -> None:
        self._image = image
        self._orientation = orientation_of(image)
        width, height = frame_of(image).shown
        self._mode = _mode_of(image)
        file_type = file_type_of(image.mode)
        dtype = stored_type(np.dtype(file_type))
        channels = len(self._mode) if self._mode in {"LA", "RGB", "RGBA"} else 1
        check_size(width, height, channels)
        planes = _planes_of(image)
        check_planes(planes)
        axis = "page" if image.format == "TIFF" else "frame"
        self.info = PictureInfo(
            image.format or "",
            width,
            height,
            channels,
            dtype,
            file_type,
            planes,
            axis if planes > 1 else "",
            has_alpha=self._mode.endswith("A"),
            notes=notes if self._mode.endswith("A") else (*notes, *transparency_notes(image)),
        )

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        return stored_values(self._values(number), self.info.dtype)

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        if self._mode != "F":
            return None
        found = ~np.isfinite(self._values(number)[..., 0])
        return found if found.any() else None

    def _values(self, number: int) -> NDArray[np.generic]:
        if self.info.planes > 1:
            self._image.seek(number)
        self._image.load()
        turn = 1 if self._image.format == "TIFF" else self._orientation  # TIFF turns when loading
        image = upright(self._image, turn)
        if image.mode != self._mode:
            image = image.convert(self._mode)
        if image.size != (self.info.width, self.info.height):
            raise BadDataError("its planes have different sizes")
        return np.asarray(image).reshape(image.height, image.width, self.info.channels)


def transparency_notes(image: Image.Image) -> tuple[Text, ...]:
    """Return a sentence about a transparent color that stays as it is; empty if there is none.

    Args:
        image: A picture that is opened, of more than 8 bits.
    """
    if "transparency" not in image.info:
        return ()
    return (message("Its transparent color is read like every other value."),)


def file_type_of(mode: str) -> str:
    """Return NumPy's name of the type of the pixels in a file by Pillow's mode."""
    return "uint16" if mode.startswith("I;16") else _FILE_TYPES.get(mode, "uint8")


def _planes_of(image: Image.Image) -> int:
    """Return the number of pages or frames; the other pictures of an MPO are previews."""
    return 1 if image.format == "MPO" else int(getattr(image, "n_frames", 1))


def _mode_of(image: Image.Image) -> str:
    """Return the mode that planes are converted to: gray or color, perhaps with an opacity."""
    if image.mode == "LAB":
        raise BadDataError("the color mode LAB is not supported")
    if image.mode.startswith(("I", "F")):
        return image.mode
    if image.has_transparency_data:
        return "LA" if image.mode in {"L", "LA"} else "RGBA"
    return "L" if image.mode in {"1", "L"} else "RGB"
