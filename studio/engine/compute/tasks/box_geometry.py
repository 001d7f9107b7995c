"""Geometry of boxes on the backend: positions of the outputs, areas and overlaps."""

from __future__ import annotations

from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks import boxes as form

_TINY: Final = 1e-9


class Grid:
    """Positions of the outputs of a network.

    Args:
        height: Height of the images in pixels.
        width: Width of the images in pixels.
    """

    def __init__(self, height: int, width: int) -> None:
        self.height = height
        self.width = width
        self._known: dict[int, NDArray[np.float32]] = {}

    def places(self, positions: int) -> NDArray[np.float32]:
        """Return x, y and stride of each position, shape (P, 3).

        Args:
            positions: Number of positions, P.
        """
        if positions not in self._known:
            self._known[positions] = form.positions_of(positions, self.height, self.width)
        return self._known[positions]

    def corners(self, outputs: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the box of each position, in pixels, shape (n, P, 4).

        Args:
            outputs: Outputs of a network, shape (n, P, K + 4).
        """
        ops = keras.ops
        places = self.places(outputs.shape[1])
        centers, strides = (ops.convert_to_tensor(each) for each in (places[:, :2], places[:, 2:]))
        distances = ops.cast(outputs[..., -form.SIDES :], "float32") * strides
        return ops.concatenate(
            [centers - distances[..., :2], centers + distances[..., 2:]], axis=-1
        )


def sides_of(boxes: Any) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401
    """Return left, top, right and bottom of boxes, shape (…) each."""
    return boxes[..., 0], boxes[..., 1], boxes[..., 2], boxes[..., 3]


def areas_of(boxes: Any) -> Any:  # noqa: ANN401
    """Return areas in square pixels, shape (…)."""
    left, top, right, bottom = sides_of(boxes)
    return keras.ops.maximum(right - left, 0.0) * keras.ops.maximum(bottom - top, 0.0)


def intersections(one: Any, other: Any) -> Any:  # noqa: ANN401
    """Return the common area of boxes in square pixels.

    Args:
        one: Boxes, shape (…, 4).
        other: Boxes of a shape that fits, such as (…, 1, 4).
    """
    ops = keras.ops
    left, top, right, bottom = sides_of(one)
    left2, top2, right2, bottom2 = sides_of(other)
    width = ops.minimum(right, right2) - ops.maximum(left, left2)
    height = ops.minimum(bottom, bottom2) - ops.maximum(top, top2)
    return ops.maximum(width, 0.0) * ops.maximum(height, 0.0)


def overlaps_of(one: Any, other: Any) -> Any:  # noqa: ANN401
    """Return the intersection over union of each pair of boxes of an image.

    Args:
        one: Boxes, shape (n, a, 4).
        other: Boxes, shape (n, b, 4).

    Returns:
        Shape (n, a, b).
    """
    one, other = one[:, :, None], other[:, None]
    both = intersections(one, other)
    return both / keras.ops.maximum(areas_of(one) + areas_of(other) - both, _TINY)
