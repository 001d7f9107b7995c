"""Masks as targets: how many pixels of each class an image has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.metric import SHARE
from studio.engine.tasks.targets import RegionCounts, TargetArray


class PixelCounts(RegionCounts):
    """Pixels of each class in the mask of each image: int32, shape (N, K).

    Ignored pixels are in no class. Statistics of images are about the classes in them.
    """

    def refusal(self, value: float) -> str:  # noqa: ARG002 - no value can be given
        """Return why an edit cannot give an image a number of pixels."""
        return "the pixels of a class are counted in its mask"

    def percentages(self, values: TargetArray) -> TargetArray:
        """Return the percentage of the counted pixels that each class has, shape (N, K)."""
        percentages: TargetArray = 100 * values / np.maximum(values.sum(axis=1, keepdims=True), 1)
        return percentages

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the pixels of each class in an image, and their share, as JSON data.

        Args:
            names: Names of the classes.
            row: Pixels of each class, shape (K,).
        """
        total = max(int(row.sum()), 1)
        return {
            "classes": [
                {"class": name, "pixels": pixels, "share": pixels / total}
                for name, pixels in zip(names, row.tolist(), strict=True)
                if pixels
            ]
        }

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:  # noqa: ARG002
        """Return the share of each class in an image as one line, the largest first.

        Args:
            names: Names of the classes.
            units: Not used by this task.
            row: Pixels of each class, shape (K,).
        """
        total = max(int(row.sum()), 1)
        order = np.argsort(-row, kind="stable")[: np.count_nonzero(row)].tolist()
        shown = (f"{names[label]} {row[label] / total:.1%}" for label in order)
        return ", ".join(shown) or "none of its pixels belongs to a class"

    def figures(self, values: TargetArray) -> dict[str, NDArray[np.float64]]:
        """Return the share of each class of all pixels, and its pixels in images that have it."""
        pixels = values.sum(axis=0, dtype=np.float64)
        images = np.count_nonzero(values, axis=0)
        none = np.full(len(pixels), np.nan)
        return {
            SHARE: np.divide(pixels, pixels.sum(), out=none.copy(), where=pixels.sum() > 0),
            "pixels": pixels,
            "pixels per image": np.divide(pixels, images, out=none, where=images > 0),
        }


TARGETS = PixelCounts()
