"""Label images as regions: int32, of the size of the image, see `labels`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.tasks.annotations import Boxes, Instances
from studio.engine.tasks.boxes import CLASS, FLAGS, LEFT, empty
from studio.engine.tasks.geometry import Geometry, Motion, PixelRows
from studio.engine.tasks.instance_labels import (
    CLASSES,
    IGNORED,
    InstanceTable,
    instance_table,
    numbers_of,
    values_of,
)
from studio.engine.tasks.instances.mask_targets import middle_object
from studio.engine.tasks.instances.star_targets import star_targets
from studio.engine.tasks.object_facts import facts_of
from studio.engine.tasks.outputs import OBJECT_MASKS, Output
from studio.engine.tasks.parts.objects import Objects, Ring
from studio.engine.tasks.parts.outlines import traced
from studio.engine.tasks.placement import Framing, Tile, placement

_SAME_OBJECT = 0.5
"""Least overlap (IoU) of two masks of one object."""


class InstanceRows(PixelRows):
    """Label images as rows of an array, int32, N x height x width."""

    name = "instances"
    dtype = np.dtype("<i4")
    unreadable = "The objects of the dataset in {folder} cannot be read: {reason}."


class InstanceGeometry(Geometry):
    """Objects with classes, each with its own pixels."""

    rows = InstanceRows()
    part_type = Objects
    unit = "objects"
    no_reflection = "a reflected border would show objects a second time; choose the background"

    def fitted(
        self, regions: Instances, full: tuple[int, int], tile: Tile | None, framing: Framing
    ) -> Instances:
        """Resize a label image without mixing objects, and place it as its picture is placed.

        An object of which less is visible than `framing` asks for is ignored. What a border adds
        is background.

        Args:
            regions: Label image of the whole picture.
            full: Width and height of the whole picture.
            tile: The part; None for all of it.
            framing: Conversion of the part.
        """
        left, top, width, height = tile or (0, 0, *full)
        part = regions[top : top + height, left : left + width]
        place = placement((width, height), (framing.width, framing.height), framing.resize)
        part = _with_ignored(part, regions, place.box, framing.least_visible)
        part = np.pad(part, ((0, height - part.shape[0]), (0, width - part.shape[1])))
        image = Image.fromarray(part)
        content = image.resize(place.content, Image.Resampling.NEAREST, box=place.box)
        found = np.zeros((framing.height, framing.width), np.int32)
        x, y = place.corner
        found[y : y + content.height, x : x + content.width] = np.asarray(content)
        return found

    def relabeled(self, regions: Instances, table: NDArray[np.uint8]) -> Instances:
        """Return objects with other numbers of their classes; see `Geometry.relabeled`."""
        numbers = numbers_of(regions)
        return values_of(numbers, table[regions & (CLASSES - 1)].astype(np.int32))

    def without(self, row: Instances, places: Collection[int]) -> Instances:
        """Return an image without some of its objects; see `Geometry.without`."""
        values = instance_table(row).values[sorted(places)]
        return np.where(np.isin(row, values), np.int32(0), row)

    def counts(self, regions: Instances, classes: int) -> NDArray[np.int64]:
        """Count the objects of each class; see `Geometry.counts`."""
        found = np.unique(regions[regions > 0]) & (CLASSES - 1)
        return np.bincount(found, minlength=classes)[:classes].astype(np.int64)

    def inside(self, regions: Instances, tile: Tile | None) -> Instances:
        """Return the part of a label image that is in a tile; see `Geometry.inside`."""
        if tile is None:
            return regions
        left, top, width, height = tile
        return regions[top : top + height, left : left + width]

    def first_class(
        self,
        shape: tuple[int, int, int],
        output: Output,
    ) -> NDArray[np.float32]:
        """Return what is learned of an object in the middle; see `Geometry.first_class`."""
        if output == OBJECT_MASKS:
            return middle_object(shape)
        count, height, width = shape
        labels = np.zeros((height, width), np.int32)
        labels[height // 4 : -(-3 * height // 4), width // 4 : -(-3 * width // 4)] = CLASSES
        return np.repeat(star_targets(labels)[None], count, axis=0)

    def move(self, row: Instances, motion: Motion) -> None:
        """Turn and move the label image of an image in place; see `Geometry.move`."""
        row[...] = motion.labels(row, IGNORED)

    def hidden_objects(
        self,
        regions: Instances,
        full: tuple[int, int],
        tiles: Sequence[Tile | None],
        framing: Framing,
    ) -> int:
        """Count the objects that no part shows; see `Geometry.hidden_objects`."""
        objects = np.unique(regions[regions > 0])
        seen: set[int] = set()
        for tile in tiles:
            seen.update(np.unique(self.fitted(regions, full, tile, framing)).tolist())
        return len(set(objects.tolist()) - seen)

    def is_empty(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return True for images without objects; see `Geometry.is_empty`."""
        return np.asarray((rows <= 0).all(axis=(1, 2)))

    def differ(self, one: Instances, other: Instances) -> bool:
        """Return True where an object is missing in the other image; see `Geometry.differ`."""
        return not _are_same(one, other)

    def facts(self, images: Iterable[Instances]) -> dict[str, float]:
        """Return number, size and shape of the objects; see `object_facts.facts_of`."""
        return facts_of(images)

    def objects(self, rows: NDArray[np.int32]) -> Boxes:
        """Return the boxes around the objects of images; see `Geometry.objects`."""
        tables = [instance_table(row) for row in rows]
        found = empty(len(tables), max(map(len, tables), default=0))
        for boxes, table in zip(found, tables, strict=True):
            boxes[: len(table), CLASS] = table.classes
            boxes[: len(table), LEFT:FLAGS] = table.boxes
        return found

    def outlines(self, row: Instances) -> list[tuple[int, tuple[Ring, ...]]]:
        """Return the class and the rings of each object; see `Geometry.outlines`."""
        return [(value % CLASSES, rings) for value, rings in traced(row).items()]

    def document(self, row: Instances, names: Sequence[str]) -> dict[str, object]:
        """Return class, box and pixels of each object as JSON data; see `Geometry.document`."""
        table = instance_table(row)
        facts = zip(
            table.classes.tolist(), table.boxes.tolist(), table.areas.tolist(), strict=True
        )
        return {
            "objects": [
                {"class": names[label], "box": box, "pixels": area} for label, box, area in facts
            ]
        }


def _with_ignored(
    part: Instances,
    whole: Instances,
    box: tuple[float, float, float, float],
    least_visible: float,
) -> Instances:
    """Return a part of a label image with the objects ignored of which too little is visible.

    Args:
        part: The part.
        whole: The whole label image.
        box: Left, top, right and bottom of what is visible of the part, in its pixels.
        least_visible: Least share of an object that has to be visible, 0 to 1.
    """
    left, top, right, bottom = (round(side) for side in box)
    if least_visible <= 0 or (right - left, bottom - top) == whole.shape[::-1]:
        return part
    shown = part[max(top, 0) : bottom, max(left, 0) : right]
    values, visible = np.unique(shown[shown > 0], return_counts=True)
    everything, areas = np.unique(whole[whole > 0], return_counts=True)
    needed = least_visible * areas[np.searchsorted(everything, values)]
    hidden = values[visible < needed]
    return np.where(np.isin(part, hidden), np.int32(IGNORED), part) if len(hidden) else part


def _are_same(one: Instances, other: Instances) -> bool:
    """Return True if each object of one image is in the other one, too, and vice versa."""
    tables = instance_table(one), instance_table(other)
    if len(tables[0]) != len(tables[1]):
        return False
    both = (one > 0) & (other > 0) & (((one ^ other) & (CLASSES - 1)) == 0)
    pairs, areas = np.unique(np.stack([one[both], other[both]]), axis=1, return_counts=True)
    first, second = (_areas_of(table, values) for table, values in zip(tables, pairs, strict=True))
    return int(np.sum(areas >= _SAME_OBJECT * (first + second - areas))) >= len(tables[0])


def _areas_of(table: InstanceTable, values: NDArray[Any]) -> NDArray[np.int64]:
    return table.areas[np.searchsorted(table.values, values)]


GEOMETRY = InstanceGeometry()
