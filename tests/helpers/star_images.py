"""Label images of drawn shapes, for tests of instance segmentation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import values_of
from studio.engine.tasks.instances.star_targets import RAY, SCORE, star_targets


def discs(
    size: tuple[int, int], circles: Sequence[tuple[float, float, float]], classes: int = 1
) -> Instances:
    """Return discs of x, y and radius, the first in front; object i has the class i % classes.

    Args:
        size: Width and height.
        circles: x, y and radius of each, in pixels.
        classes: Number of classes.
    """
    y, x = np.mgrid[: size[1], : size[0]] + 0.5
    numbers = np.zeros(size[::-1], np.int32)
    for at, (left, top, radius) in reversed(list(enumerate(circles))):
        numbers[(x - left) ** 2 + (y - top) ** 2 <= radius**2] = at + 1
    return values_of(numbers, (numbers - 1) % classes)


def perfect_outputs(labels: Instances, classes: int) -> NDArray[np.float32]:
    """Return the outputs of a network that is always right, shape (rows, columns, K + 32)."""
    truth = star_targets(labels)
    outputs = np.zeros((*truth.shape[:2], classes + truth.shape[2] - RAY), np.float32)
    for label in range(classes):
        outputs[..., label] = np.maximum(truth[..., SCORE], 0) * (truth[..., 1] == label)
    outputs[..., classes:] = np.abs(truth[..., RAY:]) / 2
    return outputs
