"""Decoding of the outputs of a network for boxes as a model, for files that hold it."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from studio.engine.compute.tasks.box_geometry import Grid, areas_of, intersections
from studio.engine.tasks import boxes as form
from studio.engine.tasks.decoding import CANDIDATES, MAX_OVERLAP, MIN_SCORE, MOST


def decoding_model(outputs: tuple[int, ...], size: tuple[int, int]) -> keras.Model:
    """Return a model that makes detections of the outputs of a network, in float32.

    Its outputs are those of `decoding.decoded`, shape (n, 100, 6). It has no weights, and only
    operations that the formats of TensorFlow and ONNX have.

    Args:
        outputs: Shape of the outputs for an image: positions, K + 4.
        size: Height and width of the images that the network sees, in pixels.
    """
    inputs = keras.Input(outputs, dtype="float32", name="outputs")
    layer = BoxDecoding(Grid(*size), dtype="float32", name="detections")
    return keras.Model(inputs, layer(inputs))


class BoxDecoding(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Keeps the best boxes of each image: greedy non-maximum suppression per class.

    Each round keeps the box with the highest score and leaves out those that it overlaps, in all
    images of a batch at once. There are at most 100 rounds, and no matrix of all overlaps.

    Args:
        grid: Positions of the outputs.
        **options: Options of every layer.
    """

    def __init__(self, grid: Grid, **options: Any) -> None:  # noqa: ANN401 - as Keras has them
        super().__init__(**options)
        self._grid = grid

    def compute_output_shape(self, input_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        """Return (n, 100, 6)."""
        return input_shape[0], MOST, form.VALUES

    def call(self, outputs: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the detections of each image, the highest score first, shape (n, 100, 6).

        Args:
            outputs: Shape (n, P, K + 4).
        """
        return detections_of(outputs, self._grid)


def detections_of(outputs: Any, grid: Grid, carried: Any = None) -> Any:  # noqa: ANN401
    """Return the detections of each image as `decoding.decoded` gives them, shape (n, 100, 6).

    Args:
        outputs: Outputs of a network in float32, shape (n, P, K + 4).
        grid: Positions of the outputs.
        carried: Further numbers of each position, shape (n, P, c), which follow in the rows; 0 in
            empty places.
    """
    ops = keras.ops
    positions, classes = outputs.shape[1], outputs.shape[2] - form.SIDES
    count = min(CANDIDATES, positions * classes)
    scores = ops.reshape(outputs[..., :classes], (-1, positions * classes))
    score, index = ops.top_k(scores, count, sorted=True)
    place = index // classes
    label = ops.cast(index - place * classes, "float32")
    corners = ops.take_along_axis(grid.corners(outputs), place[..., None], axis=1)
    limits = np.array([grid.width, grid.height] * 2, np.float32)
    corners = ops.minimum(ops.maximum(corners, 0.0), limits)
    is_candidate = ops.logical_and(score >= MIN_SCORE, areas_of(corners) > 0.0)
    kept = _kept(ops.where(is_candidate, score, 0.0), label, corners)
    most = min(MOST, count)
    final, order = ops.top_k(score * kept, most, sorted=True)
    order = order[..., None]
    rows = ops.concatenate([label[..., None], corners], axis=-1)
    rows = ops.take_along_axis(rows, order, axis=1)
    is_there = ops.cast(final > 0.0, "float32")[..., None]
    empty = np.array([form.NO_BOX, 0, 0, 0, 0], np.float32)
    parts = [rows * is_there + empty * (1.0 - is_there), final[..., None]]
    missing, width = form.empty(1, MOST - most), 0
    if carried is not None:
        position = ops.take_along_axis(place[..., None], order, axis=1)
        parts.append(ops.take_along_axis(carried, position, axis=1) * is_there)
        width = carried.shape[-1]
    found = ops.concatenate(parts, axis=-1)
    if not missing.size:
        return found
    missing = np.pad(missing, ((0, 0), (0, 0), (0, width)))
    return ops.concatenate([found, ops.zeros_like(found[:, :1, :1]) + missing], axis=1)


def _kept(score: Any, label: Any, corners: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return 1 for the candidates that are kept and 0 for others, shape (n, C).

    Args:
        score: Score of each candidate, the highest first, 0 for none; shape (n, C).
        label: Class of each, shape (n, C).
        corners: Left, top, right and bottom of each, shape (n, C, 4).
    """
    ops = keras.ops
    areas, places = areas_of(corners), np.arange(score.shape[1], dtype=np.int32)
    all_facts = ops.concatenate([corners, areas[..., None], label[..., None]], axis=-1)

    def is_not_done(at: Any, remaining: Any, kept: Any) -> Any:  # noqa: ANN401, ARG001
        return ops.logical_and(at < MOST, ops.any(remaining > 0.0))

    def keep_best(at: Any, remaining: Any, kept: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
        # Candidates are in the order of their scores. `ops.argmax` has a step that ONNX lacks.
        is_left_over = remaining > 0.0
        best = ops.min(ops.where(is_left_over, places, places[-1]), axis=1, keepdims=True)
        facts = ops.take_along_axis(all_facts, best[..., None], axis=1)
        both = intersections(facts[..., :4], corners)
        union = facts[..., 4] + areas - both
        is_same = label == facts[..., 5]
        is_left = ops.logical_and(is_same, both > MAX_OVERLAP * union)
        is_best = ops.logical_and(best == places, is_left_over)
        is_left = ops.logical_or(is_left, is_best)
        kept = ops.maximum(kept, ops.cast(is_best, "float32"))
        return at + 1, ops.where(is_left, 0.0, remaining), kept

    start = ops.convert_to_tensor(0, "int32"), score, ops.zeros_like(score)
    return ops.while_loop(is_not_done, keep_best, start)[2]
