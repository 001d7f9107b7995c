"""Pictures as a person sees them, for the encoder: any format, depth and number of channels."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.arrays import BytePixels
from studio.engine.datasets.picture_display import read_large, read_unusual
from studio.engine.labeling.segmenting.requests import SegmentPicture
from studio.engine.picture_files import opened_picture, upright

_COLORS: Final = 3


def seen_pixels(picture: SegmentPicture) -> BytePixels:
    """Return a picture upright in its colors on the screen, uint8, shape (height, width, 3).

    Of a very large picture it is the smallest copy in its file: encoders see about a megapixel.

    Args:
        picture: The picture.

    Raises:
        BadDataError: It cannot be read; the message is a reason.
    """
    path = Path(picture.path)
    found = read_large(path, picture.plane) or read_unusual(path, picture.plane)
    if found is not None:
        shown = found.mapping(picture.display).to_rgb(found.pixels)
        return np.repeat(shown, _COLORS, axis=-1) if shown.shape[-1] == 1 else shown
    with opened_picture(path) as image:
        image.load()
        pixels: BytePixels = np.asarray(upright(image).convert("RGB"))
    return pixels
