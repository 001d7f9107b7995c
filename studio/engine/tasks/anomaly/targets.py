"""Defects as targets: the pixels of each kind in an image; a good image has none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.segmentation.targets import PixelCounts
from studio.engine.tasks.targets import TargetArray


class DefectPixels(PixelCounts):
    """Pixels of each class in the mask of each image: int32, shape (N, K), the first is good."""

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return a mask of the kinds that occur in each image; good images have the first only."""
        found = super().traits(values)
        found[:, 0] = is_good(values)
        return found

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Return True for images of a kind of defect, or for good images.

        Args:
            values: Pixels of each class, shape (N, K).
            output: Index of the class.
        """
        return is_good(values) if output == 0 else super().has(values, output)

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the verdict and the kinds of defects of an image as JSON data.

        Args:
            names: Names of the classes.
            row: Pixels of each class, shape (K,).
        """
        kinds = _kinds(names, row)
        return {"is_anomaly": bool(kinds), "kinds": kinds}

    def totals(self, names: Sequence[str], values: TargetArray) -> dict[str, object]:
        """Return the number of images of each kind, good ones first; see `Targets.totals`."""
        return {"kinds": dict(zip(names, self.counts(values, len(names)), strict=True))}

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:  # noqa: ARG002
        """Return the kinds of defects of an image, or the name of good ones.

        Args:
            names: Names of the classes.
            units: Not used by this task.
            row: Pixels of each class, shape (K,).
        """
        return ", ".join(_kinds(names, row)) or names[0]


def is_good(values: TargetArray) -> NDArray[np.bool_]:
    """Return True for images without a pixel of a defect, shape (N,)."""
    good: NDArray[np.bool_] = values[:, 1:].sum(axis=1) == 0
    return good


def _kinds(names: Sequence[str], row: TargetArray) -> list[str]:
    return [name for name, pixels in zip(names[1:], row[1:], strict=True) if pixels]


TARGETS = DefectPixels()
