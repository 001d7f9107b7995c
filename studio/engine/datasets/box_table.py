"""All boxes of a dataset as columns: their numbers in images, their sizes and their shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, FLAGS, LEFT, RIGHT, TOP, VALUES

SMALL: Final = 32.0
LARGE: Final = 96.0
"""Square roots of the areas, in pixels, that separate small, medium and large objects, as in
COCO."""
SIZES: Final = ("small", "medium", "large")
_AT_ONCE = 4096
"""Number of images whose boxes are read at a time."""
_PERCENTILES: Final = {"min": 0, "low": 10, "median": 50, "high": 90, "max": 100}


@dataclass(frozen=True, slots=True, eq=False)
class BoxTable:
    """All boxes of a dataset as columns, B rows, without regions of crowds.

    Attributes:
        image: Row of the image of each box.
        label: Its class.
        width: In pixels of the images of the dataset.
        height: In pixels of the images of the dataset.
    """

    image: NDArray[np.int64]
    label: NDArray[np.int32]
    width: NDArray[np.float32]
    height: NDArray[np.float32]

    @classmethod
    def of_store(cls, store: Store) -> Self | None:
        """Read the boxes of all images of an open dataset; None if it has no objects."""
        geometry, regions, count = store.task.geometry, store.regions, len(store.labels)
        if regions is None or geometry.objects(regions[:0]) is None:
            return None
        images, rows = [], []
        for start in range(0, count, _AT_ONCE):
            part = regions[np.arange(start, min(start + _AT_ONCE, count))]
            found = geometry.objects(part)
            if found is None:
                continue
            is_crowd = found[..., FLAGS].astype(np.int32) & CROWD > 0
            at, place = np.nonzero((found[..., CLASS] >= 0) & ~is_crowd)
            images.append(at.astype(np.int64) + start)
            rows.append(found[at, place])
        every = np.concatenate([np.zeros((0, VALUES), np.float32), *rows])
        return cls(
            np.concatenate([np.zeros(0, np.int64), *images]),
            every[:, CLASS].astype(np.int32),
            every[:, RIGHT] - every[:, LEFT],
            every[:, BOTTOM] - every[:, TOP],
        )

    @property
    def sides(self) -> NDArray[np.float32]:
        """Square root of the area of each box in pixels, shape B."""
        sides: NDArray[np.float32] = np.sqrt(self.width * self.height)
        return sides

    def of_size(self, size: str) -> NDArray[np.bool_]:
        """Return a mask of the boxes of a size, shape (B,).

        Args:
            size: One of `SIZES`; empty for any.
        """
        sides = self.sides
        chosen: dict[str, NDArray[np.bool_]] = {
            "": np.ones(len(sides), np.bool_),
            "small": sides < SMALL,
            "medium": (sides >= SMALL) & (sides < LARGE),
            "large": sides >= LARGE,
        }
        return chosen[size]

    def numbers(self, images: int, output: int | None = None, size: str = "") -> NDArray[np.int64]:
        """Return the number of boxes per image, shape (images,).

        Args:
            images: Rows of the dataset.
            output: Number of the class; None for any.
            size: One of `SIZES`; empty for any.
        """
        chosen = self.of_size(size)
        if output is not None:
            chosen &= self.label == output
        return np.bincount(self.image[chosen], minlength=images)

    def figures(self, rows: NDArray[np.int64]) -> dict[str, object]:
        """Return the numbers, sizes and shapes of the boxes of some images as JSON data.

        Args:
            rows: The images.
        """
        chosen = np.isin(self.image, rows)
        sides, ratios = self.sides[chosen], self.width[chosen] / self.height[chosen]
        numbers = np.bincount(self.image, minlength=int(rows.max(initial=0)) + 1)[rows]
        return {
            "count": int(chosen.sum()),
            "per_image": _spread(numbers),
            "side": _spread(sides),
            "aspect_ratio": _spread(ratios),
            **{size: int((self.of_size(size) & chosen).sum()) for size in SIZES},
        }


def _spread(values: NDArray[np.generic]) -> dict[str, float]:
    """Return the smallest, the largest and those between; nothing without values."""
    if not len(values):
        return {}
    found = np.percentile(values.astype(np.float64), list(_PERCENTILES.values())).round(3)
    return dict(zip(_PERCENTILES, found.tolist(), strict=True))
