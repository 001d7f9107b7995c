"""Outputs of networks for masks: random ones, and those of a network that is always right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import SIDES
from studio.engine.tasks.instance_labels import instance_table
from studio.engine.tasks.masks import NUMBERS, MaskLevels
from studio.engine.tasks.outputs import COEFFICIENTS

_SURE = 8.0


def positions_in(size: tuple[int, int], strides: tuple[int, ...] = (2, 4, 8)) -> int:
    """Return the number of positions of maps and levels over images of a size."""
    return sum(-(-size[0] // each) * -(-size[1] // each) for each in strides)


def random_outputs(
    seed: int, images: int, size: tuple[int, int], classes: int = 2
) -> NDArray[np.float32]:
    """Return outputs with many overlapping boxes, shape (images, P, classes + 32).

    Args:
        seed: Draws them.
        images: Number of images; the second one has no objects.
        size: Height and width of the images.
        classes: Number of classes.
    """
    draw = np.random.default_rng(seed)
    count = positions_in(size)
    scores = draw.random((images, count, classes)) ** 8
    scores[1:2] = 0.001
    numbers = draw.normal(0, 1, (images, count, COEFFICIENTS))
    sides = draw.uniform(0.2, 3, (images, count, SIDES))
    return np.concatenate([scores, numbers, sides], axis=-1).astype(np.float32)


def perfect_outputs(labels: Instances, classes: int) -> NDArray[np.float32]:
    """Return outputs that are right for an image of at most 27 objects, shape (P, classes + 32).

    Prototype i is the mask of object i, and one position on the finest level finds it.

    Args:
        labels: Label image.
        classes: Number of classes.
    """
    size = labels.shape[:2]
    count = positions_in(size)
    levels, table = MaskLevels.of(count, size), instance_table(labels)
    outputs = np.zeros((count, classes + NUMBERS), np.float32)
    at = (levels.places[: levels.count, 1::-1]).astype(np.int64)
    seen = labels[np.minimum(at[:, 0], size[0] - 1), np.minimum(at[:, 1], size[1] - 1)]
    places = levels.places[levels.count :]
    is_fine = places[:, 2] == places[0, 2]
    for index, (value, label) in enumerate(zip(table.values, table.classes, strict=True)):
        outputs[: levels.count, classes + index] = np.where(seen == value, _SURE, -_SURE)
        outputs[: levels.count, label] += seen == value
        low, high = table.boxes[index, :2], table.boxes[index, 2:]
        away = np.hypot(*(places[:, :2] - (low + high) / 2).T)
        chosen = int(np.where(is_fine, away, np.inf).argmin())
        row, place = outputs[levels.count + chosen], places[chosen]
        row[label] = 1 - index / 100
        row[classes + index] = 1
        row[-SIDES:] = np.concatenate([place[:2] - low, high - place[:2]]) / place[2]
    return outputs
