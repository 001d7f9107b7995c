"""Masks of defects, which no resize may remove: an image without defect pixels is good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from studio.engine.tasks.annotations import Mask
from studio.engine.tasks.placement import Framing, Tile
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
        for kind in np.setdiff1d(whole, mask):
            if kind == 0:
                continue
            mask[_nearest(whole == kind, mask.shape)] = kind
        return mask

    def colors(self, names: Sequence[str], known: Sequence[str] = ()) -> tuple[str, ...]:
        """Return colors of the kinds of defects; good pixels are clear. See `Geometry.colors`."""
        return _CLEAR, *super().colors(names[1:], known[1:])


def _nearest(defect: Mask, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the pixel of a smaller mask at the center of a defect.

    Args:
        defect: True for its pixels, shape (height, width).
        shape: Height and width of the smaller mask.
    """
    rows = np.argwhere(defect)
    center = rows[len(rows) // 2]
    return tuple(
        min(int(at * new / old), new - 1)
        for at, new, old in zip(center.tolist(), shape, defect.shape, strict=True)
    )


GEOMETRY = DefectGeometry()
