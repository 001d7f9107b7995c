"""Maps of numbers as files: TIFF of 32-bit floats, and PNG in colors."""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.tasks.heat_colors import heat_table
from studio.engine.tasks.parts.heat_map import COLOR, TIFF, HeatMap
from studio.engine.tasks.parts.writer import PartWriter

_UNSEEN: Final = (128, 128, 128)
"""Color of the pixels that the model did not see."""


def colored(part: HeatMap) -> Pixels:
    """Return a map in colors, shape (height, width, 3)."""
    values = part.values()
    span = max(part.high - part.low, float(np.finfo(np.float32).tiny))
    levels = np.clip((np.nan_to_num(values, nan=part.low) - part.low) / span, 0, 1)
    pixels: Pixels = heat_table()[np.rint(levels * 255).astype(np.uint8)]
    pixels[np.isnan(values)] = _UNSEEN
    return pixels


def as_png(part: HeatMap) -> bytes:
    """Return a map in colors as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(colored(part)).save(file, "PNG")
    return file.getvalue()


class HeatMapWriter(PartWriter[HeatMap]):
    """Writes maps into a folder: `tiff` has the numbers, `color` is a picture of them."""

    def add(self, image: str, part: HeatMap) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            part: The map.

        Returns:
            Their paths: `map` the TIFF, `color` the PNG.

        Raises:
            DiskFullError: No space was left.
        """
        stem, found = self._free_stem(image), {}
        if TIFF in self._kinds:
            found["map"] = str(self._written(f"{stem}.tiff", part.file()))
        if COLOR in self._kinds:
            found["color"] = str(self._written(f"{stem}-map.png", part.picture()))
        return found
