"""The two families of found objects: stars, and masks of any shape.

Arrays say which family they are of: outputs of stars are a grid, those of masks a list of
positions; a row of a star has 40 numbers, one of a mask 790.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks import masks, stars
from studio.engine.tasks.boxes import BOTTOM, CLASS, LEFT, overlaps
from studio.engine.tasks.decoding import COLUMNS, SCORE, corners_of
from studio.engine.tasks.decoding import MAX_OVERLAP as MAX_BOX_OVERLAP
from studio.engine.tasks.decoding import MIN_SCORE as MIN_BOX_SCORE
from studio.engine.tasks.decoding import MOST as MOST_BOXES
from studio.engine.tasks.instances import decoding, mask_decoding
from studio.engine.tasks.instances.mask_outlines import edges_of
from studio.engine.tasks.instances.mask_pictures import (
    PlacedObjects,
    masks_of_whole,
    placed,
)
from studio.engine.tasks.instances.mask_pictures import step_through_tiles as steps_of_masks
from studio.engine.tasks.instances.painting import painted, painted_edges
from studio.engine.tasks.instances.pictures import PlacedStars, stars_of_whole
from studio.engine.tasks.instances.pictures import step_through_tiles as steps_of_stars
from studio.engine.tasks.outputs import OBJECT_MASKS, RAYS, STARS, Output
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.placement import Framing, Tile
from studio.engine.tasks.prediction import Decoding
from studio.engine.tasks.tiling import ScoredTile

_SAME_PLACE: Final = 2.0
"""Largest distance in pixels of equal stars of two models."""

Found = NDArray[np.float32]
"""Found objects, shape (…, 40) or (…, 790)."""


class ObjectFamily(ABC):
    """Reading, comparison and outlines of the found objects of one family.

    Attributes:
        output: Output of the networks.
        values: Numbers of a row.
        decoding: Decoding that exported files can contain.
    """

    output: ClassVar[Output]
    values: ClassVar[int]
    decoding: ClassVar[Decoding]

    @abstractmethod
    def decoded(self, outputs: NDArray[np.float32], size: tuple[int, int]) -> Found:
        """Return the objects of images, the best first, shape (n, places, values).

        Args:
            outputs: Outputs of a network, n rows.
            size: Height and width of the images that the network saw.
        """

    @abstractmethod
    def scale(self, found: Found, factor: float) -> None:
        """Scale objects in place.

        Args:
            found: Objects, shape (…, values).
            factor: Pixels for one pixel.
        """

    @abstractmethod
    def painted(self, rows: Found, size: tuple[int, int]) -> NDArray[np.int32]:
        """Return the label image of objects, `i + 1` for object i; the first is in front.

        Args:
            rows: Objects of an image, shape (m, values).
            size: Width and height of the image.
        """

    @abstractmethod
    def placed(self, rows: Found) -> PlacedObjects:
        """Return the outlines of objects that are in pixels of a picture, shape (m, values)."""

    @abstractmethod
    def of_whole(
        self,
        outputs: NDArray[np.float32],
        full: tuple[int, int],
        framing: Framing,
        *,
        are_decoded: bool,
    ) -> PlacedObjects:
        """Return the objects of a picture that a network saw as a whole.

        Args:
            outputs: Outputs of the network for the picture.
            full: Width and height of the picture.
            framing: Conversion of the picture.
            are_decoded: True if the outputs are objects already.
        """

    @abstractmethod
    def step_through_tiles(
        self,
        scored: Iterable[ScoredTile],
        tiles: Sequence[Tile],
        full: tuple[int, int],
        *,
        are_decoded: bool,
    ) -> Generator[float, None, PlacedObjects]:
        """Return the objects of tiles, joined; yield the finished fraction before each tile.

        Args:
            scored: The tiles with the outputs of the network.
            tiles: Their places.
            full: Width and height of the picture.
            are_decoded: True if the network returns objects already.
        """

    @abstractmethod
    def are_near(self, one: Found, other: Found, same_overlap: float) -> NDArray[np.bool_]:
        """Return True for each pair of objects at the same place, shape (a, b).

        Args:
            one: Objects, shape (a, values).
            other: Objects, shape (b, values).
            same_overlap: Smallest overlap (IoU) of such a pair.
        """


class StarFamily(ObjectFamily):
    """Stars: 32 distances from a position to the outline."""

    output = STARS
    values = stars.VALUES
    decoding = Decoding(
        "studio.engine.compute.tasks.star_decoding",
        decoding.MOST,
        (*COLUMNS, "x", "y", *(f"distance_{ray}" for ray in range(RAYS))),
        "The objects in the image, the highest score first. Each is a row of 40 numbers: "
        "class; left, top, right and bottom of the box around the outline; score; x and y of a "
        "position inside; and the distances from there to the outline in 32 directions, all in "
        "pixels of the input. Corner k of the outline is (x + distance[k] * cos(2 * pi * k / 32), "
        "y + distance[k] * sin(2 * pi * k / 32)), with y downward; an outline may reach beyond "
        "the image. Unused rows have the class -1. "
        f"Scores are at least {decoding.MIN_SCORE:g}; of objects of which one shares more than "
        f"{decoding.MAX_OVERLAP:.0%} of its area with the other, the best one is kept. Compare a "
        "score with the threshold of its class.",
    )

    def decoded(self, outputs: NDArray[np.float32], size: tuple[int, int]) -> Found:
        """Return stars; see `ObjectFamily.decoded`."""
        return decoding.decoded(outputs, size)

    def scale(self, found: Found, factor: float) -> None:
        """Scale boxes, positions and distances; see `ObjectFamily.scale`."""
        found[..., CLASS + 1 : SCORE] *= factor
        found[..., stars.X :] *= factor

    def painted(self, rows: Found, size: tuple[int, int]) -> NDArray[np.int32]:
        """Paint the polygons; see `ObjectFamily.painted`."""
        return painted(stars.corners_of(rows), size)

    def placed(self, rows: Found) -> PlacedObjects:
        """Return the polygons; see `ObjectFamily.placed`."""
        return _with_rings(PlacedStars(rows, stars.corners_of(rows)))

    def of_whole(
        self,
        outputs: NDArray[np.float32],
        full: tuple[int, int],
        framing: Framing,
        *,
        are_decoded: bool,
    ) -> PlacedObjects:
        """Return the stars of a picture; see `ObjectFamily.of_whole`."""
        return _with_rings(stars_of_whole(outputs, full, framing, are_decoded=are_decoded))

    def step_through_tiles(
        self,
        scored: Iterable[ScoredTile],
        tiles: Sequence[Tile],
        full: tuple[int, int],
        *,
        are_decoded: bool,
    ) -> Generator[float, None, PlacedObjects]:
        """Return the stars of tiles; see `ObjectFamily.step_through_tiles`."""
        found = yield from steps_of_stars(scored, tiles, full, are_decoded=are_decoded)
        return _with_rings(found)

    def are_near(self, one: Found, other: Found, same_overlap: float) -> NDArray[np.bool_]:
        """Compare positions and distances; see `ObjectFamily.are_near`."""
        apart = one[:, None, stars.X : stars.Y + 1] - other[None, :, stars.X : stars.Y + 1]
        first, second = (
            each**2
            for each in (one[:, None, stars.DISTANCES :], other[None, :, stars.DISTANCES :])
        )
        overlap = np.minimum(first, second).sum(-1) / np.maximum(first, second).sum(-1)
        near = np.hypot(*np.moveaxis(apart, -1, 0)) <= _SAME_PLACE
        found: NDArray[np.bool_] = near & (overlap >= same_overlap)
        return found


class MaskFamily(ObjectFamily):
    """Boxes, each with a mask of 28 x 28 cells."""

    output = OBJECT_MASKS
    values = masks.VALUES
    decoding = Decoding(
        "studio.engine.compute.tasks.mask_decoding",
        MOST_BOXES,
        (
            *COLUMNS,
            *(
                f"cell_{row}_{column}"
                for row in range(masks.CELLS)
                for column in range(masks.CELLS)
            ),
        ),
        "The objects in the image, the highest score first. Each is a row of 790 numbers: class; "
        "left, top, right and bottom of its box in pixels of the input; score; and, row by row, "
        "the probabilities that the 28 x 28 cells of the box belong to the object. Between the "
        "middles of the cells they are linear; where they are at least 0.5 is the object. Unused "
        f"rows have the class -1. Scores are at least {MIN_BOX_SCORE:g}; of boxes of a class that "
        f"overlap by more than {MAX_BOX_OVERLAP:.0%} the best one is kept. Compare a score with "
        "the threshold of its class.",
    )

    def decoded(self, outputs: NDArray[np.float32], size: tuple[int, int]) -> Found:
        """Return boxes with masks; see `ObjectFamily.decoded`."""
        return mask_decoding.decoded(outputs, size)

    def scale(self, found: Found, factor: float) -> None:
        """Scale the boxes; see `ObjectFamily.scale`."""
        found[..., LEFT : BOTTOM + 1] *= factor

    def painted(self, rows: Found, size: tuple[int, int]) -> NDArray[np.int32]:
        """Paint where probabilities are at least 0.5; see `ObjectFamily.painted`."""
        edges = edges_of(rows)
        return painted_edges(edges.first, edges.last, edges.owner, size)

    def placed(self, rows: Found) -> PlacedObjects:
        """Return the rings around the masks; see `ObjectFamily.placed`."""
        return placed(rows)

    def of_whole(
        self,
        outputs: NDArray[np.float32],
        full: tuple[int, int],
        framing: Framing,
        *,
        are_decoded: bool,
    ) -> PlacedObjects:
        """Return the masks of a picture; see `ObjectFamily.of_whole`."""
        return masks_of_whole(outputs, full, framing, are_decoded=are_decoded)

    def step_through_tiles(
        self,
        scored: Iterable[ScoredTile],
        tiles: Sequence[Tile],
        full: tuple[int, int],
        *,
        are_decoded: bool,
    ) -> Generator[float, None, PlacedObjects]:
        """Return the masks of tiles; see `ObjectFamily.step_through_tiles`."""
        return steps_of_masks(scored, tiles, full, are_decoded=are_decoded)

    def are_near(self, one: Found, other: Found, same_overlap: float) -> NDArray[np.bool_]:
        """Compare boxes, and masks cell by cell; see `ObjectFamily.are_near`."""
        near = overlaps(corners_of(one), corners_of(other)) >= same_overlap
        first, second = (each[:, masks.MASK :] >= masks.INSIDE for each in (one, other))
        both = first.astype(np.float32) @ second.astype(np.float32).T
        either = first.sum(axis=1)[:, None] + second.sum(axis=1) - both
        found: NDArray[np.bool_] = near & (both >= same_overlap * either)
        return found


def _with_rings(found: PlacedStars) -> PlacedObjects:
    rings: list[tuple[Ring, ...]] = [
        (tuple((x, y) for x, y in each),) for each in found.corners.tolist()
    ]
    return PlacedObjects(found.rows, rings)


STAR_FAMILY: Final = StarFamily()
MASK_FAMILY: Final = MaskFamily()
FAMILIES: Final[tuple[ObjectFamily, ...]] = (STAR_FAMILY, MASK_FAMILY)


def family_of_rows(rows: NDArray[Any]) -> ObjectFamily:
    """Return the family of found objects by the numbers of their rows.

    Args:
        rows: Objects, shape (…, values).
    """
    return next((each for each in FAMILIES if each.values == rows.shape[-1]), STAR_FAMILY)


def family_of_output(output: Output) -> ObjectFamily:
    """Return the family of the networks with an output."""
    return next((each for each in FAMILIES if each.output == output), STAR_FAMILY)


def family_of_outputs(outputs: NDArray[Any], *, are_decoded: bool = False) -> ObjectFamily:
    """Return the family of the outputs of a network for images, or for one image.

    Args:
        outputs: Outputs for an image, without the axis of the batch.
        are_decoded: True if they are objects already.
    """
    if are_decoded:
        return family_of_rows(outputs)
    axes = outputs.ndim + 1
    return next((each for each in FAMILIES if each.output.dimensions == axes), STAR_FAMILY)
