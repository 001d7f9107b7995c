"""Masks: a class for each pixel, uint8, of the size of the image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from studio.engine.tasks.annotations import IGNORE, Mask
from studio.engine.tasks.geometry import Geometry, Motion, PixelRows
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.parts.outlines import traced
from studio.engine.tasks.placement import Framing, Tile, placement, reflected
from studio.engine.tasks.region_thickness import thickness_facts
from studio.engine.tasks.segmentation.shapes import BACKGROUND


class MaskRows(PixelRows):
    """Masks as rows of an array, uint8, N x height x width."""

    name = "masks"
    dtype = np.dtype(np.uint8)
    unreadable = "The masks of the dataset in {folder} cannot be read: {reason}."


class MaskGeometry(Geometry):
    """A class for each pixel, or `IGNORE`."""

    rows = MaskRows()
    part_type = ClassMap
    unit = "pixels"
    names_classes = False
    ignores_pixels = True

    def fitted(
        self,
        regions: Mask,
        full: tuple[int, int],  # noqa: ARG002 - the shape of the mask says it
        tile: Tile | None,
        framing: Framing,
    ) -> Mask:
        """Resize a mask without mixing classes, and place it as its picture is placed.

        What a border adds belongs to no class, unless it is a reflection.

        Args:
            regions: Mask of the whole picture.
            full: Width and height of the whole picture.
            tile: The part; None for all of it.
            framing: Conversion of the part.
        """
        mask = regions if tile is None else _cut(regions, tile)
        size = framing.width, framing.height
        place = placement((mask.shape[1], mask.shape[0]), size, framing.resize)
        image = Image.fromarray(mask)
        content = image.resize(place.content, Image.Resampling.NEAREST, box=place.box)
        if place.content == size:
            return np.array(content)
        if framing.border == "reflect":
            return np.array(reflected(content, place, size))
        canvas = Image.new("L", size, IGNORE)
        canvas.paste(content, place.corner)
        return np.array(canvas)

    def without_pixels(self, regions: Mask, missing: NDArray[np.bool_]) -> Mask:
        """Ignore the pixels without a value; see `Geometry.without_pixels`."""
        found = regions.copy()
        found[missing] = IGNORE
        return found

    def relabeled(self, regions: Mask, table: NDArray[np.uint8]) -> Mask:
        """Return a mask with other numbers of its classes; see `Geometry.relabeled`."""
        return table[regions]

    def counts(self, regions: Mask, classes: int) -> NDArray[np.int64]:
        """Count the pixels of each class; ignored ones count nowhere. See `Geometry.counts`."""
        return np.bincount(regions.ravel(), minlength=256)[:classes]

    def first_class(
        self,
        shape: tuple[int, int, int],
        output: Output,  # noqa: ARG002 - of several families
    ) -> NDArray[np.int32]:
        """Return masks of the first class; see `Geometry.first_class`."""
        return np.zeros(shape, np.int32)

    def move(self, row: Mask, motion: Motion) -> None:
        """Turn and move the mask of an image in place; see `Geometry.move`."""
        row[...] = motion.labels(row)

    def facts(self, images: Iterable[Mask]) -> dict[str, float]:
        """Return the thickness of the thinnest class; see `region_thickness.thickness_facts`."""
        return thickness_facts(images)

    def outlines(self, row: Mask) -> list[tuple[int, tuple[Ring, ...]]]:
        """Return the class and the rings of each connected area; see `Geometry.outlines`."""
        numbers, classes = np.zeros(row.shape, np.int32), [IGNORE]
        for label in sorted(set(np.unique(row).tolist()) - {IGNORE}):
            areas, count = ndimage.label(row == label)
            numbers[areas > 0] = areas[areas > 0] + len(classes) - 1
            classes += [label] * count
        return [(classes[number], rings) for number, rings in traced(numbers).items()]

    def background_classes(self, names: Sequence[str]) -> frozenset[int]:
        """Return the classes with names of a background; see `Geometry.background_classes`."""
        return frozenset(i for i, name in enumerate(names) if name.casefold() == BACKGROUND)

    def inside(self, regions: Mask, tile: Tile | None) -> Mask:
        """Return the part of a mask that is in a tile; see `Geometry.inside`."""
        if tile is None:
            return regions
        left, top, width, height = tile
        return regions[top : top + height, left : left + width]


def _cut(mask: Mask, tile: Tile) -> Mask:
    """Cut out a part of a mask; what lies outside is ignored."""
    left, top, width, height = tile
    inside = mask[top : top + height, left : left + width]
    around = ((0, height - inside.shape[0]), (0, width - inside.shape[1]))
    return np.pad(inside, around, constant_values=IGNORE)


GEOMETRY = MaskGeometry()
