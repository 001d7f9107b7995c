"""Masks as targets: how many pixels of each class an image has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.tasks.targets import Annotated, Targets, Values


class PixelCounts(Targets):
    """Pixels of each class in the mask of each image: int32, shape (N, K)."""

    dtype = np.dtype(np.int32)

    def refusal(self, value: float) -> str:  # noqa: ARG002 - no value can be given
        """Return why an edit cannot give an image a number of pixels."""
        return "the pixels of a class are counted in its mask"

    def read(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
        """Refuse a table: masks are images."""
        raise StudioError(
            f"A table with {len(columns)} columns and {len(rows)} rows has no masks.",
            "Import a folder of images with a folder of masks.",
            "source",
        )

    def usable(
        self,
        columns: Sequence[str],  # noqa: ARG002 - none holds masks
        rows: Sequence[Sequence[str]],  # noqa: ARG002
    ) -> list[str]:
        """Return no column: masks are images."""
        return []

    def has(self, values: Values, output: int) -> NDArray[np.bool_]:
        """Return which images have a pixel of the class."""
        return np.greater(values[:, output], 0)

    def traits(self, values: Values) -> NDArray[np.bool_]:
        """Return which classes occur in each image."""
        return np.greater(values, 0)


TARGETS = PixelCounts()
