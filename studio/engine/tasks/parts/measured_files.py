"""Measurements of the objects of picture files, with the names of their columns in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture
from studio.engine.tasks.parts.measurements import Measurements, PixelSize, measured
from studio.engine.tasks.parts.objects import Objects

_COLORS: Final = ("red", "green", "blue")


@dataclass(frozen=True, slots=True)
class MeasuredPicture:
    """Pixels of a picture file that objects are measured in.

    Attributes:
        pixels: Shape (height, width, channels), values as in the file; None if it cannot be read.
        channels: A name for each channel; an empty one for a single channel.
        pixel: Width and height of a pixel in micrometers; None if unknown.
        lacks_intensities: True if the pixels of a readable file cannot be decoded at once.
    """

    pixels: Pixels | None = None
    channels: tuple[str, ...] = ()
    pixel: PixelSize | None = None
    lacks_intensities: bool = False

    @classmethod
    def of_file(cls, image: str) -> MeasuredPicture:
        """Read the first plane of a file; nothing is known of one that cannot be read.

        Args:
            image: Its path.
        """
        try:
            with open_picture(Path(image)) as picture:
                info = picture.info
                try:
                    pixels = picture.plane(0)
                except (OSError, ValueError, BadDataError):
                    return cls(pixel=info.pixel_size_um, lacks_intensities=True)
        except (OSError, ValueError, BadDataError):
            return cls()  # the address of a picture, or a file that is gone
        count = info.channels - info.has_alpha
        names = info.channel_names[:count]
        if not names and count == len(_COLORS):
            names = _COLORS
        elif not names:
            names = ("",) if count == 1 else tuple(str(each + 1) for each in range(count))
        return cls(pixels[..., :count], names, info.pixel_size_um)

    def measure(
        self, objects: Objects, pixel: PixelSize | None = None
    ) -> list[Measurements | None]:
        """Measure the objects that are given, see `measured`.

        Args:
            objects: Objects of the picture.
            pixel: Width and height of a pixel in micrometers; None for that of the file.
        """
        pixels = self.pixels
        if pixels is not None and pixels.shape[1::-1] != objects.size:
            pixels = None  # the file was replaced after the prediction
        return measured(objects.given, objects.size, pixels, pixel or self.pixel or (1.0, 1.0))

    def cells(
        self, found: Measurements | None, pixel: PixelSize | None = None
    ) -> dict[str, object]:
        """Return measurements by the names of their columns, rounded.

        Args:
            found: Measurements in pixels; None for an object without any.
            pixel: Width and height of a pixel in micrometers; None for that of the file.
        """
        if found is None:
            return {}
        cells: dict[str, object] = {
            "x": round(found.center[0], 2),
            "y": round(found.center[1], 2),
            "area_px": round(found.area),
            "perimeter_px": round(found.perimeter, 2),
            "equivalent_diameter_px": round(found.equivalent_diameter, 2),
            "eccentricity": round(found.eccentricity, 4),
        }
        size = pixel or self.pixel
        if size is not None:
            scaled = found.in_micrometers(size)
            cells |= {
                "area_um2": round(scaled.area, 4),
                "perimeter_um": round(scaled.perimeter, 4),
                "equivalent_diameter_um": round(scaled.equivalent_diameter, 4),
            }
        names = [f"mean_{name}".rstrip("_") for name in self.channels]
        return cells | {
            name: float(f"{value:.6g}") for name, value in zip(names, found.means, strict=False)
        }


def table_of(rows: Sequence[dict[str, object]]) -> list[list[object]]:
    """Return rows of a table below their headings, which are those of all rows.

    Args:
        rows: Cells by the names of their columns; a row may lack some.
    """
    headings = list(dict.fromkeys(name for row in rows for name in row))
    return [[*headings], *([row.get(name, "") for name in headings] for row in rows)]
