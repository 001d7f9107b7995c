"""A class for each pixel."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Self

from pydantic import BaseModel

from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.part import PredictionPart

if TYPE_CHECKING:
    from studio.engine.arrays import PixelClasses

INDEX: Final = "index"
COLOR: Final = "color"
COCO: Final = "coco"


class ClassArea(BaseModel, frozen=True):
    """Pixels of a picture that are predicted as a class.

    Attributes:
        label: The class.
        pixels: Number of pixels.
        share: Share of all pixels with a class, 0 to 1.
    """

    label: str
    pixels: int
    share: float


class ClassMap(PredictionPart, frozen=True):
    """A class for each pixel of a picture.

    Examples:
        >>> labels = numpy.array([[0, 1], [0, 0]], numpy.uint8)  # height 1 to 2, width 1 to 2
        >>> ClassMap.of(labels, ["ground", "cat"], ["#000000", "#e69f00"]).brief()
        'ground 75%, cat 25%'

    Attributes:
        areas: Areas of the classes, in the order of the outputs.
        mask: The class of each pixel as a PNG file in base64, its palette the colors of the
            classes; empty once its files are written. Pixels that the model did not see are
            `IGNORE`.
        large: The map of a large picture; `mask` is a smaller copy of it then.
    """

    file_kinds: ClassVar[tuple[str, ...]] = (INDEX, COLOR, COCO)
    file_option: ClassVar[str] = "masks"
    areas: tuple[ClassArea, ...] = ()
    mask: str = ""
    large: LargeMap | None = None

    @classmethod
    def of(cls, labels: PixelClasses, names: Sequence[str], colors: Sequence[str]) -> Self:
        """Create from an array.

        Args:
            labels: The class of each pixel, or `IGNORE`, shape (height, width).
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K; gray ones if there are none.
        """
        import numpy as np  # noqa: PLC0415 - the window starts without it

        from studio.engine.tasks.parts.mask_images import as_png  # noqa: PLC0415 - NumPy

        pixels = np.bincount(labels.ravel(), minlength=IGNORE + 1)[: len(names)].tolist()
        return cls(areas=_areas(names, pixels), mask=as_png(labels, colors))

    def of_large(self, large: LargeMap, pixels: Sequence[int]) -> Self:
        """Return this map as the smaller copy of one in a file.

        Args:
            large: The file.
            pixels: Pixels of each class in the picture, K.
        """
        areas = _areas([each.label for each in self.areas], pixels)
        return self.model_copy(update={"areas": areas, "large": large})

    def classes(self) -> PixelClasses:
        """Return the class of each pixel, or `IGNORE`, shape (height, width)."""
        import numpy as np  # noqa: PLC0415 - the window starts without it
        from PIL import Image  # noqa: PLC0415

        with Image.open(io.BytesIO(self.picture()), formats=("PNG",)) as image:
            return np.array(image, np.uint8)

    def colors(self) -> list[str]:
        """Return the color of each class as "#rrggbb", K."""
        from PIL import Image  # noqa: PLC0415 - the window starts without it

        with Image.open(io.BytesIO(self.picture()), formats=("PNG",)) as image:
            palette = bytes(image.getpalette("RGB") or [])
        return [f"#{palette[3 * at : 3 * at + 3].hex()}" for at in range(len(self.areas))]

    def document(self) -> dict[str, object]:
        """Return the area of each class in pixels, and its share."""
        return {
            "classes": [
                {"class": each.label, "pixels": each.pixels, "share": each.share}
                for each in self.areas
            ]
        }

    def lines(self) -> list[str]:
        """Return a line for each class that occurs."""
        return [
            f"{each.share:8.1%}  {each.label}  ({each.pixels:,} px)"
            for each in self.areas
            if each.pixels
        ]

    def cells(self) -> dict[str, object]:
        """Return the area of each class in pixels, and its share."""
        cells: dict[str, object] = {f"pixels {each.label}": each.pixels for each in self.areas}
        return cells | {f"share {each.label}": each.share for each in self.areas}

    def brief(self) -> str:
        """Return the classes that occur with their fractions, the largest first."""
        present = sorted((each for each in self.areas if each.pixels), key=lambda a: -a.pixels)
        return ", ".join(f"{each.label} {each.share:.0%}" for each in present)

    def numbers(self) -> dict[str, float]:
        """Return the fraction of each class."""
        return {each.label: each.share for each in self.areas}

    def without_files(self) -> Self:
        """Return the areas without the mask."""
        return self.model_copy(update={"mask": ""})

    def regions(self) -> list[dict[str, object]]:
        """Return the pixels of each class with their run lengths, as in COCO.

        None for a large picture, whose mask is in a file.
        """
        if self.large is not None:
            return []
        from studio.engine.tasks.parts.mask_images import regions_of  # noqa: PLC0415 - NumPy

        return [
            {"class": self.areas[label].label} | region
            for label, region in regions_of(self.classes())
            if label != IGNORE
        ]

    def picture(self) -> bytes:
        """Return the mask as an indexed PNG file."""
        return base64.b64decode(self.mask)


def _areas(names: Sequence[str], pixels: Sequence[int]) -> tuple[ClassArea, ...]:
    total = sum(pixels) or 1
    return tuple(
        ClassArea(label=name, pixels=count, share=count / total)
        for name, count in zip(names, pixels, strict=True)
    )
