"""Masks as indexed PNG files, and their regions with run lengths."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from PIL import Image

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.annotation_files.rle import encode
from studio.engine.tasks.annotations import IGNORE

_UNSEEN: Final = (128, 128, 128)
"""Color of the pixels that have no class."""


def as_png(labels: PixelClasses, colors: Sequence[str]) -> str:
    """Return a mask as an indexed PNG file in base64.

    Args:
        labels: The class of each pixel, or `IGNORE`, shape (height, width).
        colors: Colors of the classes as "#rrggbb"; gray ones if there are none.
    """
    image = Image.fromarray(labels)
    image.putpalette(palette_of(colors))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return base64.b64encode(file.getvalue()).decode("ascii")


def palette_of(colors: Sequence[str]) -> bytes:
    """Return the 256 colors of an indexed PNG file, red, green and blue."""
    table = np.repeat(np.arange(IGNORE + 1, dtype=np.uint8)[:, None], 3, axis=1)
    for index, color in enumerate(colors):
        table[index] = tuple(bytes.fromhex(color.removeprefix("#")))
    table[IGNORE] = _UNSEEN
    return table.tobytes()


def regions_of(labels: PixelClasses) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield each class that occurs, and its pixels as in COCO: area, box and run lengths.

    Args:
        labels: The class of each pixel, or `IGNORE`, shape (height, width).
    """
    for label in np.unique(labels).tolist():
        inside = labels == label
        rows, columns = (np.flatnonzero(inside.any(axis=axis)).tolist() for axis in (1, 0))
        box = [columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1]
        yield label, {"area": int(inside.sum()), "bbox": box, "segmentation": encode(inside)}
