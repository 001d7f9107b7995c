"""The operations in NumPy: windows as rows of a matrix (im2col), and then one matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


def windows_of(image: Array, size: int, step: int = 1) -> Array:
    """Every window of an image (height, width, channel), copied into a row of its own.

    Returns:
        Shape (height, width, row, column, channel); the first two count windows.
    """
    views = np.lib.stride_tricks.sliding_window_view(image, (size, size), axis=(0, 1))
    return np.ascontiguousarray(views[::step, ::step].transpose(0, 1, 3, 4, 2))


def convolution(image: Array, kernels: Array) -> Array:
    """Every window with every kernel (row, column, channel, filter); no border."""
    windows = windows_of(image, kernels.shape[0])
    height, width = windows.shape[:2]
    filters = kernels.shape[-1]
    product: Array = windows.reshape(height * width, -1) @ kernels.reshape(-1, filters)
    return product.reshape(height, width, filters)


def matrix_product(left: Array, right: Array) -> Array:
    """Rows times columns."""
    product: Array = left @ right
    return product


def addition(left: Array, right: Array) -> Array:
    """Place by place."""
    return left + right


def max_pooling(image: Array, pool: int) -> Array:
    """The largest of every window, which do not overlap; what fills none is left out."""
    most: Array = windows_of(image, pool, pool).max(axis=(2, 3))
    return most
