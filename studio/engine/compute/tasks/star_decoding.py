"""Stars of the outputs of a network on the backend: the candidates of `instances.decoding`."""

from __future__ import annotations

import math
from typing import Any

import keras
import numpy as np

from studio.engine.tasks import stars as form
from studio.engine.tasks.boxes import CLASS, NO_BOX
from studio.engine.tasks.instances.decoding import MIN_SCORE, MOST, SHORTEST
from studio.engine.tasks.outputs import RAYS

_LOW = -1.0
"""Below every score."""


def candidates_of(outputs: Any, size: tuple[int, int], most: int = MOST) -> Any:  # noqa: ANN401
    """Return the stars of the positions whose score is the highest around, the best first.

    Args:
        outputs: Outputs of a network, float32, shape (n, rows, columns, K + 32).
        size: Height and width of the images that the network sees in pixels.
        most: Number of stars of an image.

    Returns:
        Shape (n, most, 40), with empty places as `stars.empty` has them.
    """
    ops = keras.ops
    rows, columns = outputs.shape[1], outputs.shape[2]
    stride = form.stride_of(rows, size[0])
    scores = outputs[..., :-RAYS]
    score = ops.max(scores, axis=-1)
    around = ops.max_pool(score[..., None], 3, strides=1, padding="same")[..., 0]
    is_peak = ops.logical_and(score >= MIN_SCORE, score >= around)
    flat = ops.reshape(ops.where(is_peak, score, _LOW), (-1, rows * columns))
    count = min(most, rows * columns)
    best, index = ops.top_k(flat, count, sorted=True)
    label = ops.cast(ops.argmax(scores, axis=-1), "float32")
    facts = ops.concatenate([label[..., None], outputs[..., -RAYS:]], axis=-1)
    facts = ops.reshape(facts, (-1, rows * columns, 1 + RAYS))
    facts = ops.take_along_axis(facts, index[..., None], axis=1)
    row = index // columns
    place = ops.stack([index - row * columns, row], axis=-1)
    centers = ops.cast(place, "float32") * float(stride) + (form.FIRST + 0.5)
    distances = ops.nan_to_num(facts[..., 1:] * float(stride))
    distances = ops.clip(distances, SHORTEST, math.hypot(*size))
    boxes = _boxes_of(centers, distances, size)
    parts = [facts[..., :1], boxes, best[..., None], centers, distances]
    found = ops.concatenate(parts, axis=-1)
    nothing = np.zeros(form.VALUES, np.float32)
    nothing[CLASS] = NO_BOX
    found = ops.where(best[..., None] >= MIN_SCORE, found, ops.convert_to_tensor(nothing))
    missing = form.empty(1, most - count)
    if not missing.size:
        return found
    like = ops.zeros_like(found[:, :1, :1])
    return ops.concatenate([found, like + ops.convert_to_tensor(missing)], axis=1)


def _boxes_of(centers: Any, distances: Any, size: tuple[int, int]) -> Any:  # noqa: ANN401
    """Return the boxes around stars, cut off at the image, shape (n, m, 4)."""
    ops = keras.ops
    directions = ops.convert_to_tensor(form.DIRECTIONS.astype(np.float32))
    corners = centers[:, :, None] + distances[..., None] * directions
    sides = ops.concatenate([ops.min(corners, axis=2), ops.max(corners, axis=2)], axis=-1)
    limits = np.array([size[1], size[0]] * 2, np.float32)
    return ops.minimum(ops.maximum(sides, 0.0), ops.convert_to_tensor(limits))
