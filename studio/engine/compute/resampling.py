"""Embeddings of positions for another grid of patches, as PyTorch resamples them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SHARP, _SMOOTH = -0.75, -0.5
"""Coefficients of cubic convolution: without and with antialiasing."""


def resampled_grid(
    values: NDArray[np.float32], grid: tuple[int, int], *, is_antialiased: bool = False
) -> NDArray[np.float32]:
    """Return values on another grid by bicubic interpolation, pixel centers aligned at the border.

    Args:
        values: Shape (rows, columns, channels).
        grid: New rows and columns.
        is_antialiased: True to blend more neighbors where the new grid is coarser.
    """
    if values.shape[:2] == grid:
        return values
    rows, columns = (
        _weights(old, new, is_antialiased=is_antialiased)
        for old, new in zip(values.shape[:2], grid, strict=True)
    )
    found = np.einsum("ri,cj,ijk->rck", rows, columns, values, optimize=True)
    return np.asarray(found, np.float32)


def _weights(old: int, new: int, *, is_antialiased: bool) -> NDArray[np.float64]:
    """Return the weight of each old value in each new one, shape (new, old)."""
    scale = old / new
    stretch = max(1.0, scale) if is_antialiased else 1.0
    center = (np.arange(new) + 0.5) * scale - 0.5
    reach = int(np.ceil(2 * stretch)) + 1
    found = np.zeros((new, old))
    for offset in range(-reach, reach + 1):
        position = np.floor(center).astype(int) + offset
        weight = _cubic((position - center) / stretch, _SMOOTH if is_antialiased else _SHARP)
        inside = np.clip(position, 0, old - 1)
        if is_antialiased:  # outside there is nothing; otherwise the border is repeated
            weight = np.where(position == inside, weight, 0.0)
        np.add.at(found, (np.arange(new), inside), weight)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _cubic(distance: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    x = np.abs(distance)
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.asarray(np.where(x <= 1, near, np.where(x < 2, far, 0.0)))
