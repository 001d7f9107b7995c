"""Masks of defects, which no resize may remove: an image without defect pixels is good."""

from __future__ import annotations

import numpy as np

from studio.engine.tasks.annotations import Mask
from studio.engine.tasks.placement import Framing, Tile
from studio.engine.tasks.segmentation.geometry import MaskGeometry


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
