"""Boxes as targets: how many boxes of each class an image has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.metric import SHARE
from studio.engine.tasks.targets import RegionCounts, TargetArray


class BoxCounts(RegionCounts):
    """Boxes of each class in each image: int32, shape (N, K).

    Regions of crowds are not counted. Statistics of images are about the classes in them.

    Attributes:
        noun: Name of what is counted, plural.
    """

    noun = "boxes"

    def refusal(self, value: float) -> str:  # noqa: ARG002 - no value can be given
        """Return why an edit cannot give an image a number of boxes."""
        return "the number of boxes of a class is counted in the image"

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the number of boxes of each class in an image as JSON data.

        Args:
            names: Names of the classes.
            row: Boxes of each class, shape (K,).
        """
        return {
            self.noun: int(row.sum()),
            "classes": [
                {"class": name, self.noun: boxes}
                for name, boxes in zip(names, row.tolist(), strict=True)
                if boxes
            ],
        }

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:  # noqa: ARG002
        """Return the number of boxes of each class in an image as one line, the most first.

        Args:
            names: Names of the classes.
            units: Not used by this task.
            row: Boxes of each class, shape (K,).
        """
        order = np.argsort(-row, kind="stable")[: np.count_nonzero(row)].tolist()
        return ", ".join(f"{row[label]} {names[label]}" for label in order) or "no objects"

    def figures(self, values: TargetArray) -> dict[str, NDArray[np.float64]]:
        """Return the boxes of each class, its share of all, and the images that have it."""
        boxes = values.sum(axis=0, dtype=np.float64)
        images = np.count_nonzero(values, axis=0).astype(np.float64)
        none = np.full(len(boxes), np.nan)
        return {
            SHARE: np.divide(boxes, boxes.sum(), out=none.copy(), where=boxes.sum() > 0),
            "images": images,
            self.noun: boxes,
            f"{self.noun} per image": np.divide(boxes, images, out=none, where=images > 0),
        }


TARGETS = BoxCounts()
