"""Boxes: rows of six float32 numbers, see `tasks.boxes`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Boxes, Regions
from studio.engine.tasks.boxes import (
    BOTTOM,
    CLASS,
    CROWD,
    FLAGS,
    LEFT,
    NO_BOX,
    RIGHT,
    TOP,
    VALUES,
    box_counts,
    box_documents,
    clipped,
    empty,
    padded,
    same_objects,
)
from studio.engine.tasks.geometry import Geometry, Motion, RegionRows
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.parts.objects import Objects, Ring
from studio.engine.tasks.placement import Framing, Tile, placement


class BoxRows(RegionRows):
    """Boxes as rows of an array, float32, N x M x 6; M is the most of an image.

    Images with fewer than M boxes have empty places behind them.
    """

    name = "boxes"
    dtype = np.dtype("<f4")
    unreadable = "The boxes of the dataset in {folder} cannot be read: {reason}."

    def row_shape(self, height: int, width: int, places: int) -> tuple[int, int]:  # noqa: ARG002
        """Return the number of places and of values; see `RegionRows.row_shape`."""
        return places, VALUES

    def row(self, regions: Regions, shape: tuple[int, ...]) -> Regions:
        """Return boxes with empty places behind them; see `RegionRows.row`.

        Raises:
            ValueError: They are more than there are places for, or no boxes.
        """
        fits = regions.ndim == 2 and regions.shape[1:] == shape[1:] and len(regions) <= shape[0]
        if not fits or regions.dtype != self.dtype:
            raise self._misfit(regions, shape)
        return padded(regions, shape[0])

    def regions(self, row: Regions) -> Regions:
        """Return the boxes without the empty places."""
        return row[row[:, CLASS] >= 0]

    def nothing(self, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return empty places; see `RegionRows.nothing`."""
        found: NDArray[np.float32] = np.zeros(shape, self.dtype)
        found[:, CLASS] = NO_BOX
        return found


class BoxGeometry(Geometry):
    """Boxes with classes."""

    rows = BoxRows()
    part_type = Objects
    unit = "objects"
    no_reflection = (
        "a reflected border would show objects a second time, without boxes; choose the background"
    )

    def fitted(
        self, regions: Boxes, full: tuple[int, int], tile: Tile | None, framing: Framing
    ) -> Boxes:
        """Return the boxes of a picture, or of a part of it, in pixels of the image.

        They go where the pixels go, are cut off at the edges of the image, and left out where less
        of them is visible than `framing` asks for.

        Args:
            regions: Boxes of the whole picture in its pixels, shape (n, 6).
            full: Width and height of the whole picture.
            tile: The part; None for all of it.
            framing: Conversion of the part.
        """
        left, top, width, height = tile or (0, 0, *full)
        place = placement((width, height), (framing.width, framing.height), framing.resize)
        across, down = place.scale
        found = regions.astype(np.float64)
        found[:, [LEFT, RIGHT]] -= left + place.box[0]
        found[:, [TOP, BOTTOM]] -= top + place.box[1]
        found[:, [LEFT, RIGHT]] *= across
        found[:, [TOP, BOTTOM]] *= down
        inside = clipped(found, place.content, framing.least_visible)
        inside[:, [LEFT, RIGHT]] += place.corner[0]
        inside[:, [TOP, BOTTOM]] += place.corner[1]
        return inside.astype(np.float32)

    def relabeled(self, regions: Boxes, table: NDArray[np.uint8]) -> Boxes:
        """Return boxes with other numbers of their classes; see `Geometry.relabeled`."""
        found = regions.copy()
        found[:, CLASS] = table[regions[:, CLASS].astype(np.int64)]
        return found

    def without(self, row: Boxes, places: Collection[int]) -> Boxes:
        """Return the boxes of an image without some of them; see `Geometry.without`."""
        stays = ~np.isin(np.arange(len(row)), list(places))
        return padded(row[stays & (row[:, CLASS] >= 0)], len(row))

    def counts(self, regions: Boxes, classes: int) -> NDArray[np.int64]:
        """Count the boxes of each class; crowds count nowhere. See `Geometry.counts`."""
        counts: NDArray[np.int64] = box_counts(regions[None], classes)[0].astype(np.int64)
        return counts

    def first_class(
        self,
        shape: tuple[int, int, int],
        output: Output,  # noqa: ARG002 - of several families
    ) -> Boxes:
        """Return a box around each image; see `Geometry.first_class`."""
        count, height, width = shape
        whole = empty(count, 1)
        whole[:] = (0, 0, 0, width, height, 0)
        return whole

    def move(self, row: Boxes, motion: Motion) -> None:
        """Turn and move the boxes of an image in place; see `Geometry.move`."""
        motion.boxes(row)

    def with_room(self, rows: Boxes, images: int) -> Boxes:
        """Return boxes with more empty places; see `Geometry.with_room`."""
        roomy = empty(len(rows), images * rows.shape[1])
        roomy[:, : rows.shape[1]] = rows
        return roomy

    def hidden_objects(
        self,
        regions: Boxes,
        full: tuple[int, int],
        tiles: Sequence[Tile | None],
        framing: Framing,
    ) -> int:
        """Count the boxes that no part shows; see `Geometry.hidden_objects`."""
        objects = regions[regions[:, FLAGS] < CROWD]  # the format reports crowds
        if not len(objects):
            return 0
        numbered = objects.copy()
        numbered[:, CLASS] = np.arange(len(objects))
        seen: set[float] = set()
        for tile in tiles:
            seen.update(self.fitted(numbered, full, tile, framing)[:, CLASS].tolist())
        return len(objects) - len(seen)

    def is_empty(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return True for images without boxes; see `Geometry.is_empty`."""
        return np.asarray((rows[..., CLASS] < 0).all(axis=1))

    def differ(self, one: Boxes, other: Boxes) -> bool:
        """Return True where an object is missing in the other image; see `Geometry.differ`."""
        return not same_objects(one, other)

    def objects(self, rows: Boxes) -> Boxes:
        """Return the boxes of images; see `Geometry.objects`."""
        return rows

    def outlines(self, row: Boxes) -> list[tuple[int, tuple[Ring, ...]]]:
        """Return the class and the corners of each box; see `Geometry.outlines`."""
        return [
            (int(label), (((left, top), (right, top), (right, bottom), (left, bottom)),))
            for label, left, top, right, bottom in row[row[:, CLASS] >= 0, :FLAGS].tolist()
        ]

    def document(self, row: Boxes, names: Sequence[str]) -> dict[str, object]:
        """Return the boxes of an image as JSON data; see `Geometry.document`."""
        return {"boxes": box_documents(row, names)}


GEOMETRY = BoxGeometry()
