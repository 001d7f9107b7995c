"""Augmentation as a part of the training step, on the device that trains.

The host draws what is done to each image, by the same code and with the same numbers as where it
changes the images itself, and sends it next to the pixels: one affine map and one change of color.
The layers of the network, and with them its weights, files and exports, know nothing of it.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import ops

from studio.engine.compute.auxiliary import WithAuxiliary
from studio.engine.compute.device import has_gpu
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import Fill
from studio.engine.datasets.augment.steps import LEVELS
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan


def augments_on_device(plan: TrainingPlan) -> bool:
    """True if the images of a plan are augmented inside the training step."""
    augmentation = plan.augmentation
    if Augmenter(augmentation, plan.seed).is_idle or augmentation.host_only:
        return False
    if augmentation.place == "auto":
        return has_gpu(plan.device)
    return augmentation.place == "device"


class WithAugmentation(WithAuxiliary):
    """A network in training that changes its images before it sees them.

    In training it takes images and the table of `Augmenter.table`; images alone, as in validation,
    stay as they are. Never saved.

    Args:
        network: What `build` gives with `auxiliary=True`.
        spec: Its description.
        fill: Content of the places that lie outside the original.
    """

    def __init__(self, network: keras.Model, spec: NetworkSpec, fill: Fill) -> None:
        super().__init__(network, spec)
        self._fill = fill

    def call(self, images: Any, training: bool = False) -> Any:  # noqa: ANN401
        """All outputs in training, otherwise the network's own."""
        if isinstance(images, tuple | list):
            pixels, table = images
            images = changed(pixels, table, self._fill)
        return super().call(images, training=training)


def changed(images: Any, table: Any, fill: Fill) -> Any:  # noqa: ANN401 - tensors of any backend
    """Change images as `Augmenter.changed` does on the host, within rounding.

    Args:
        images: uint8, shape (n, height, width, channels).
        table: float32, shape (n, values), of `Augmenter.table`.
        fill: Content of the places that lie outside the original.

    Returns:
        uint8 of the same shape.
    """
    channels = images.shape[3]
    square = channels * channels
    turned = _warped(images, table[:, :6], fill)
    matrices = ops.reshape(table[:, 6 : 6 + square], (-1, channels, channels))
    of_mean = ops.reshape(table[:, 6 + square : 6 + 2 * square], (-1, channels, channels))
    means = ops.mean(turned, axis=(1, 2))
    shifts = ops.sum(of_mean * means[:, None, :], axis=2) + table[:, 6 + 2 * square :]
    # Written out, because products of matrices are less precise on many GPUs.
    colored = shifts[:, None, None, :]
    for of in range(channels):
        colored = colored + turned[..., of : of + 1] * matrices[:, None, None, :, of]
    return ops.cast(ops.floor(ops.clip(colored + 0.5, 0.0, 255.0)), images.dtype)


def _warped(images: Any, maps: Any, fill: Fill) -> Any:  # noqa: ANN401
    """Images under their maps, bilinear, as float32 with whole numbers."""
    _, height, width, channels = images.shape
    a, b, c, d, e, f = (maps[:, at, None, None] for at in range(6))
    xs = (np.arange(width, dtype=np.float32) - (width - 1) / 2)[None, None, :]
    ys = (np.arange(height, dtype=np.float32) - (height - 1) / 2)[None, :, None]
    xs, ys = ops.convert_to_tensor(xs), ops.convert_to_tensor(ys)
    x = a * xs + b * ys + (c + width / 2)
    y = d * xs + e * ys + (f + height / 2)
    outside = None
    if fill == "reflect":
        x, y = _folded(x, width), _folded(y, height)
    else:
        across = ops.logical_or(x < 0.0, x >= float(width))
        outside = ops.logical_or(across, ops.logical_or(y < 0.0, y >= float(height)))
    x, y = (ops.clip(each - 0.5, 0.0, side - 1.0) for each, side in ((x, width), (y, height)))
    left, top = ops.floor(x), ops.floor(y)
    right_share, lower_share = (x - left)[..., None], (y - top)[..., None]
    column, row = ops.cast(left, "int32"), ops.cast(top, "int32")
    next_column, next_row = ops.minimum(column + 1, width - 1), ops.minimum(row + 1, height - 1)
    flat = ops.reshape(images, (-1, channels))
    first = ops.arange(ops.shape(images)[0], dtype="int32")[:, None, None] * (height * width)

    def at(rows: Any, columns: Any) -> Any:  # noqa: ANN401
        return ops.cast(ops.take(flat, first + rows * width + columns, axis=0), "float32")

    upper = at(row, column) * (1.0 - right_share) + at(row, next_column) * right_share
    lower = at(next_row, column) * (1.0 - right_share) + at(next_row, next_column) * right_share
    result = ops.floor(upper * (1.0 - lower_share) + lower * lower_share + 0.5)
    if outside is None:
        return result
    return ops.where(outside[..., None], float(LEVELS[fill]), result)


def _folded(places: Any, side: int) -> Any:  # noqa: ANN401
    """Places outside the image, mirrored into it."""
    return side - ops.abs(side - ops.mod(places, 2.0 * side))
