"""Objects with masks from the outputs of a network on the backend, as `instances.mask_decoding`.

For validations, and the whole decoding as a model for files that hold it.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from studio.engine.compute.tasks.box_decoding import detections_of
from studio.engine.compute.tasks.box_geometry import Grid
from studio.engine.tasks import boxes as form
from studio.engine.tasks import masks
from studio.engine.tasks.decoding import MOST
from studio.engine.tasks.masks import MaskLevels
from studio.engine.tasks.outputs import COEFFICIENTS

_STEEPEST = 60.0
"""Logits are cut off there, so that no exponential is infinite."""


class MaskGrid(Grid):
    """Positions of the outputs of a network for masks: those with boxes.

    Args:
        levels: How all positions lie.
        size: Height and width of the images in pixels.
    """

    def __init__(self, levels: MaskLevels, size: tuple[int, int]) -> None:
        super().__init__(*size)
        boxes = levels.places[levels.count :]
        self._known[len(boxes)] = boxes


class MaskParts:
    """The parts of the outputs of a network for masks, tensors of any backend in float32.

    Args:
        outputs: Outputs, shape (n, P, K + 32).
        size: Height and width of the images that the network sees, in pixels.

    Attributes:
        levels: How the positions lie.
        grid: Positions with boxes.
        scores: Scores of the classes at the positions of the maps, shape (n, rows, columns, K).
        maps: Prototypes, and the maps that multiply the place, shape (n, rows, columns, 32).
        boxes: Scores and sides of the positions with boxes, shape (n, B, K + 4).
        coefficients: Of the positions with boxes, shape (n, B, 28).
    """

    def __init__(self, outputs: Any, size: tuple[int, int]) -> None:  # noqa: ANN401
        ops = keras.ops
        outputs = ops.cast(outputs, "float32")
        classes = outputs.shape[2] - masks.NUMBERS
        self.levels = MaskLevels.of(outputs.shape[1], size)
        self.grid = MaskGrid(self.levels, size)
        fine, coarse = outputs[:, : self.levels.count], outputs[:, self.levels.count :]
        shape = -1, self.levels.rows, self.levels.columns, outputs.shape[2]
        fine = ops.reshape(fine, shape)
        self.scores, self.maps = fine[..., :classes], fine[..., classes:]
        self.boxes = ops.concatenate([coarse[..., :classes], coarse[..., -form.SIDES :]], axis=-1)
        self.coefficients = coarse[..., classes : -form.SIDES]


def decoding_model(outputs: tuple[int, ...], size: tuple[int, int]) -> keras.Model:
    """Return a model that makes objects of the outputs of a network, in float32.

    Its outputs are those of `instances.mask_decoding.decoded`, shape (n, 100, 790). It has no
    weights, and only operations that the formats of TensorFlow and ONNX have.

    Args:
        outputs: Shape of the outputs for an image: positions, K + 32.
        size: Height and width of the images that the network sees, in pixels.
    """
    inputs = keras.Input(outputs, dtype="float32", name="outputs")
    layer = MaskDecoding(size, dtype="float32", name="objects")
    return keras.Model(inputs, layer(inputs))


class MaskDecoding(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Keeps the best box of each object, and computes what is inside of it.

    Args:
        size: Height and width of the images in pixels.
        **options: Options of every layer.
    """

    def __init__(self, size: tuple[int, int], **options: Any) -> None:  # noqa: ANN401 - as Keras has them
        super().__init__(**options)
        self._size = size

    def compute_output_shape(self, input_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        """Return (n, 100, 790)."""
        return input_shape[0], MOST, masks.VALUES

    def call(self, outputs: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the objects of each image, the highest score first, shape (n, 100, 790).

        Args:
            outputs: Shape (n, P, K + 32).
        """
        return objects_of(outputs, self._size)


def objects_of(outputs: Any, size: tuple[int, int]) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return the objects of each image, the highest score first, shape (n, 100, 790).

    Args:
        outputs: Outputs of a network, shape (n, P, K + 32).
        size: Height and width of the images that the network sees, in pixels.
    """
    parts = MaskParts(outputs, size)
    return with_masks(parts, detections_of(parts.boxes, parts.grid, parts.coefficients))


def with_masks(parts: MaskParts, found: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return detections with their masks in place of their coefficients, shape (n, D, 790).

    Args:
        parts: Outputs of the network.
        found: Detections with coefficients, shape (n, D, 34).
    """
    ops = keras.ops
    rows, coefficients = found[..., : masks.MASK], found[..., masks.MASK :]
    logits = ops.clip(_logits(parts, rows, coefficients), -_STEEPEST, _STEEPEST)
    is_there = ops.cast(rows[..., form.CLASS] >= 0.0, "float32")[..., None]
    cells = ops.reshape(1.0 / (1.0 + ops.exp(-logits)), (-1, found.shape[1], masks.CELLS**2))
    return ops.concatenate([rows, cells * is_there], axis=-1)


def _logits(parts: MaskParts, rows: Any, coefficients: Any) -> Any:  # noqa: ANN401
    """Return the logits of the cells of detections, shape (n, D, 28, 28)."""
    ops = keras.ops
    levels, maps = parts.levels, parts.maps
    down = readers(rows[..., form.TOP], rows[..., form.BOTTOM], levels.stride, levels.rows)
    across = readers(rows[..., form.LEFT], rows[..., form.RIGHT], levels.stride, levels.columns)
    across = ops.transpose(across, (0, 1, 3, 2))
    flat = ops.reshape(maps[..., :COEFFICIENTS], (-1, levels.count, COEFFICIENTS))
    own = ops.matmul(coefficients, ops.transpose(flat, (0, 2, 1)))
    own = ops.reshape(own, (-1, rows.shape[1], levels.rows, levels.columns))
    own = own + maps[:, None, ..., -1]
    found = ops.matmul(ops.matmul(down, own), across)
    for at, place in enumerate(np.moveaxis(masks.places_in_box(), -1, 0)):
        one = ops.matmul(down, maps[:, None, ..., COEFFICIENTS + at])
        found = found + ops.convert_to_tensor(place) * ops.matmul(one, across)
    return found


def readers(low: Any, high: Any, stride: int, count: int) -> Any:  # noqa: ANN401
    """Return matrices that read a map in the middles of cells, shape (n, D, 28, count).

    See `masks.readers_of`.

    Args:
        low: Left or top side of boxes in pixels, shape (n, D).
        high: Right or bottom side, shape (n, D).
        stride: Distance of the positions of the map in pixels.
        count: Its rows or columns.
    """
    ops = keras.ops
    middles = (np.arange(masks.CELLS, dtype=np.float32) + 0.5) / masks.CELLS
    middle = low[..., None] + ops.convert_to_tensor(middles) * (high - low)[..., None]
    place = ops.clip(middle / float(stride) - 0.5, 0.0, count - 1.0)
    positions = ops.convert_to_tensor(np.arange(count, dtype=np.float32))
    return ops.maximum(0.0, 1.0 - ops.abs(place[..., None] - positions))
