"""Stars of the outputs of a network on the backend, as `instances.decoding` computes them.

Candidates for validations, and the whole decoding as a model for files that hold it.
"""

from __future__ import annotations

import math
from typing import Any

import keras
import numpy as np

from studio.engine.tasks import stars as form
from studio.engine.tasks.boxes import CLASS, NO_BOX
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.instances.decoding import (
    MAX_OVERLAP,
    MIN_SCORE,
    MOST,
    SHARED_RINGS,
    SHORTEST,
)
from studio.engine.tasks.outputs import RAYS

_LOW = -1.0
"""Below every score."""
_AT_ONCE = 64
"""Stars that are compared with a better one at once; those around an object are fewer."""
_SECTOR = 2 * math.pi / RAYS


def decoding_model(outputs: tuple[int, ...], size: tuple[int, int]) -> keras.Model:
    """Return a model that makes stars of the outputs of a network, in float32.

    Its outputs are those of `instances.decoding.decoded`, shape (n, 1000, 40). It has no weights,
    and only operations that the formats of TensorFlow and ONNX have.

    Args:
        outputs: Shape of the outputs for an image: rows, columns, K + 32.
        size: Height and width of the images that the network sees, in pixels.
    """
    inputs = keras.Input(outputs, dtype="float32", name="outputs")
    layer = StarDecoding(size, dtype="float32", name="objects")
    return keras.Model(inputs, layer(inputs))


class StarDecoding(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Keeps the best star of each object: greedy non-maximum suppression.

    Each round compares the best remaining star of each image with the 64 nearest that it may
    overlap; where there are more, it is compared with the next ones in the following round.

    Args:
        size: Height and width of the images in pixels.
        **options: Options of every layer.
    """

    def __init__(self, size: tuple[int, int], **options: Any) -> None:  # noqa: ANN401 - as Keras has them
        super().__init__(**options)
        self._size = size

    def compute_output_shape(self, input_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        """Return (n, 1000, 40)."""
        return input_shape[0], MOST, form.VALUES

    def call(self, outputs: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the stars of each image, the highest score first, shape (n, 1000, 40).

        Args:
            outputs: Shape (n, rows, columns, K + 32).
        """
        ops = keras.ops
        found = candidates_of(outputs, self._size)
        score = found[..., SCORE] * _kept(found)
        final, order = ops.top_k(score, MOST, sorted=True)
        is_there = ops.cast(final > 0.0, "float32")[..., None]
        nothing = ops.convert_to_tensor(form.empty(1, 1))
        rows = ops.take_along_axis(found, order[..., None], axis=1)
        return rows * is_there + nothing * (1.0 - is_there)


def _kept(found: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return 1 for the stars that are kept and 0 for others, shape (n, C).

    Args:
        found: Stars, the highest score first, shape (n, C, 40).
    """
    ops = keras.ops
    count = found.shape[1]
    places = np.arange(count, dtype=np.int32)
    distances = found[..., form.DISTANCES :]
    following = ops.roll(distances, -1, axis=-1)
    area, reach = ops.sum(distances * following, axis=-1), ops.max(distances, axis=-1)
    facts = ops.concatenate(
        [found[..., form.X : form.Y + 1], area[..., None], reach[..., None], distances], axis=-1
    )

    def is_not_done(best: Any, waiting: Any, open_: Any, kept: Any) -> Any:  # noqa: ANN401, ARG001
        return ops.any(ops.logical_or(waiting > 0.0, open_ > 0.0))

    def compare(best: Any, waiting: Any, open_: Any, kept: Any) -> tuple[Any, ...]:  # noqa: ANN401
        # Images whose best star was compared with all near ones take the next one.
        is_new = ops.logical_not(ops.any(open_ > 0.0, axis=1, keepdims=True))
        following = ops.min(ops.where(waiting > 0.0, places, count), axis=1, keepdims=True)
        is_new = ops.logical_and(is_new, following < count)
        best = ops.where(is_new, following, best)
        is_best = ops.logical_and(places == best, is_new)
        kept = ops.where(is_best, 1.0, kept)
        waiting = ops.where(is_best, 0.0, waiting)
        mine = ops.take_along_axis(facts, best[..., None], axis=1)
        apart = facts[..., :2] - mine[..., :2]
        away = ops.sum(ops.square(apart), axis=-1)
        is_near = away < ops.square(facts[..., 3] + mine[..., 3])
        near = ops.where(is_near, waiting, 0.0)
        open_ = ops.where(is_new, near, open_ * waiting)
        # The nearest first. Values are negative, so that those that are not open are the lowest.
        _, index = ops.top_k(ops.where(open_ > 0.0, -away, -1e30), min(_AT_ONCE, count))
        others = ops.take_along_axis(facts, index[..., None], axis=1)
        chosen = ops.take_along_axis(open_, index, axis=1)
        hidden = ops.cast(_shared_parts(mine, others) > MAX_OVERLAP, "float32") * chosen
        marks = ops.cast(index[..., None] == places, "float32")
        compared = ops.max(marks * chosen[..., None], axis=1)
        waiting = waiting * (1.0 - ops.max(marks * hidden[..., None], axis=1))
        return best, waiting, open_ * (1.0 - compared), kept

    there = ops.cast(found[..., CLASS] >= 0.0, "float32")
    nothing = ops.zeros_like(there)
    first = ops.cast(nothing[:, :1], "int32")
    return ops.while_loop(is_not_done, compare, (first, there, nothing, nothing))[3]


def _shared_parts(mine: Any, others: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return how much of the smaller one of two stars is in the other, shape (n, m).

    See `instances.decoding.shared_parts`.

    Args:
        mine: x, y, area, reach and distances of a star of each image, shape (n, 1, 36).
        others: Those that it is compared with, shape (n, m, 36).
    """
    ops = keras.ops
    is_smaller = others[..., 2:3] < mine[..., 2:3]
    small = ops.where(is_smaller, others, mine)
    large = ops.where(is_smaller, mine, others)
    distances = small[..., 4:]
    following = ops.roll(distances, -1, axis=-1)
    directions = ops.convert_to_tensor(form.DIRECTIONS.astype(np.float32))
    next_ones = ops.convert_to_tensor(np.roll(form.DIRECTIONS, -1, axis=0).astype(np.float32))
    middle = (distances[..., None] * directions + following[..., None] * next_ones) / 2
    rings = ops.convert_to_tensor(SHARED_RINGS.astype(np.float32)[:, None])
    apart = (small[..., :2] - large[..., :2])[:, :, None, None]
    points = middle[..., None, :] * rings + apart  # (n, m, 32, 6, 2)
    x, y = points[..., 0], points[..., 1]
    turn = ops.arctan2(y, x) / _SECTOR + RAYS
    sector = ops.floor(turn)
    angle = (turn - sector) * _SECTOR
    size = ops.sqrt(ops.square(x) + ops.square(y)) / math.sin(_SECTOR)
    inverse = 1.0 / large[..., 4:]
    count = others.shape[1]
    ray = ops.reshape(ops.cast(sector, "int32") % RAYS, (-1, count, RAYS * len(SHARED_RINGS)))
    near = ops.take_along_axis(inverse, ray, axis=2)
    far = ops.take_along_axis(ops.roll(inverse, -1, axis=-1), ray, axis=2)
    near, far = (ops.reshape(each, (-1, count, RAYS, len(SHARED_RINGS))) for each in (near, far))
    part = size * (ops.sin(_SECTOR - angle) * near + ops.sin(angle) * far)
    inside = ops.mean(ops.cast(part <= 1.0, "float32"), axis=-1)
    weights = distances * following
    return ops.sum(inside * weights, axis=-1) / ops.sum(weights, axis=-1)


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
    # `ops.argmax` has a step that ONNX lacks.
    classes = np.arange(scores.shape[-1], dtype=np.float32)
    label = ops.min(ops.where(scores >= score[..., None], classes, classes[-1]), axis=-1)
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
