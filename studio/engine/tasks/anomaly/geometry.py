"""Masks of defects, which no resize may remove: an image without defect pixels is good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import IGNORE, Mask
from studio.engine.tasks.placement import Framing, Placement, Tile, placement
from studio.engine.tasks.segmentation.geometry import MaskGeometry

_CLEAR: Final = "#000000"
"""Color that is not painted over images."""


class DefectGeometry(MaskGeometry):
    """A class for each pixel; defects keep at least one pixel."""

    def fitted(
        self, regions: Mask, full: tuple[int, int], tile: Tile | None, framing: Framing
    ) -> Mask:
        """Resize a mask; a tiny defect gets one pixel; see `Geometry.fitted`."""
        mask = super().fitted(regions, full, tile, framing)
        whole = self.inside(regions, tile)
        lost = np.setdiff1d(whole, mask)
        if len(lost):
            size = whole.shape[::-1] if tile is None else tile[2:]
            place = placement((size[0], size[1]), (framing.width, framing.height), framing.resize)
            for kind in lost[(lost != 0) & (lost != IGNORE)]:
                mask[_nearest(whole == kind, place)] = kind
        return mask

    def background_classes(self, names: Sequence[str]) -> frozenset[int]:  # noqa: ARG002
        """Return the class of good pixels; see `Geometry.background_classes`."""
        return frozenset({0})

    def colors(self, names: Sequence[str], known: Sequence[str] = ()) -> tuple[str, ...]:
        """Return colors of the kinds of defects; good pixels are clear. See `Geometry.colors`."""
        return _CLEAR, *super().colors(names[1:], known[1:])


def _nearest(defect: NDArray[np.bool_], place: Placement) -> tuple[NDArray[np.int64], ...]:
    """Return row and column of the pixel at the center of a defect; none where it is cut off.

    Args:
        defect: True for its pixels, shape (height, width).
        place: Where the resized mask has its content.
    """
    centers = np.argwhere(defect)[:, ::-1] + 0.5
    visible = centers[((centers >= place.box[:2]) & (centers < place.box[2:])).all(axis=1)]
    center = visible[len(visible) // 2 :][:1]
    at = np.floor((center - place.box[:2]) * place.scale).astype(np.int64)
    at = np.clip(at, 0, np.array(place.content) - 1) + place.corner
    return at[:, 1], at[:, 0]


GEOMETRY = DefectGeometry()
