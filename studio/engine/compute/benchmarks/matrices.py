"""The operations in NumPy: windows as rows of a matrix (im2col), and then one matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def windows_of(image: Matrix, size: int, step: int = 1) -> Matrix:
    """Copy every window of an image into a contiguous array.

    Args:
        image: Shape (height, width, channels).
        size: Side of the windows.
        step: Stride.

    Returns:
        Shape (height, width, row, column, channel); the first two count windows.
    """
    views = np.lib.stride_tricks.sliding_window_view(image, (size, size), axis=(0, 1))
    return np.ascontiguousarray(views[::step, ::step].transpose(0, 1, 3, 4, 2))


def convolution(image: Matrix, kernels: Matrix) -> Matrix:
    """Convolve an image without padding.

    Args:
        image: Shape (height, width, channels).
        kernels: Shape (rows, columns, channels, filters).
    """
    windows = windows_of(image, kernels.shape[0])
    height, width = windows.shape[:2]
    filters = kernels.shape[-1]
    product: Matrix = windows.reshape(height * width, -1) @ kernels.reshape(-1, filters)
    return product.reshape(height, width, filters)


def matrix_product(left: Matrix, right: Matrix) -> Matrix:
    """Multiply two matrices.

    Args:
        left: Shape (n, k).
        right: Shape (k, m).
    """
    product: Matrix = left @ right
    return product


def addition(left: Matrix, right: Matrix) -> Matrix:
    """Add two matrices elementwise.

    Args:
        left: Shape (n, m).
        right: Shape (n, m).
    """
    return left + right


def max_pooling(image: Matrix, pool: int) -> Matrix:
    """Return the maximum of each window; incomplete windows at the border are dropped.

    Args:
        image: Shape (height, width, channels).
        pool: Side of the windows, which do not overlap.
    """
    most: Matrix = windows_of(image, pool, pool).max(axis=(2, 3))
    return most
