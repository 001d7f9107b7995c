"""Features that nothing was learned for: tiny pictures, colors and edges.

They stand in where there is no pretrained network, and are called what they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Features = NDArray[np.float32]

TINY = 8
EDGES_AT = 32
CELLS = 4
DIRECTIONS = 8
LABEL = "colors and edges, without pretrained weights"


def tiny_pictures(images: Pixels, side: int = TINY) -> Features:
    """Each image as a picture of few pixels, one after the other.

    Args:
        images: n x height x width x channels.
        side: Of the tiny picture; smaller images keep their own size.

    Returns:
        Mean levels from 0 to 1, n x (side * side * channels) at most.
    """
    return _shrunk(images, side).reshape(len(images), -1)


def colors_and_edges(images: Pixels) -> Features:
    """A tiny color picture, and histograms of the directions of edges.

    The histograms follow N. Dalal and B. Triggs, "Histograms of oriented gradients for human
    detection", CVPR 2005: directions of the gradient from 0 to 180 degrees in a grid of cells,
    weighted by its strength, and each cell divided by the strength in the image.

    Args:
        images: n x height x width x channels.

    Returns:
        n x D.
    """
    gray = _shrunk(images, EDGES_AT).mean(axis=3)
    down, right = np.gradient(gray, axis=1), np.gradient(gray, axis=2)
    strength = np.hypot(down, right)
    direction = np.mod(np.arctan2(down, right), np.pi) / np.pi * DIRECTIONS
    histograms = []
    for number in range(DIRECTIONS):
        # Each gradient counts for the two nearest directions, by how near they are.
        away = np.abs(np.mod(direction - number + DIRECTIONS / 2, DIRECTIONS) - DIRECTIONS / 2)
        share = strength * np.clip(1 - away, 0, 1)
        histograms.append(_shrunk(share[..., np.newaxis], CELLS, 1.0).reshape(len(images), -1))
    edges = np.hstack(histograms)
    edges /= np.linalg.norm(edges, axis=1, keepdims=True) + 1e-3
    return np.hstack([tiny_pictures(images), edges]).astype(np.float32)


def _shrunk(images: NDArray[np.generic], side: int, scale: float = 1 / 255) -> Features:
    """Means over the cells of a grid of at most side x side, n x rows x columns x channels."""
    height, width = images.shape[1:3]
    rows = _edges(height, side)
    columns = _edges(width, side)
    total = np.add.reduceat(images.astype(np.float32), rows, axis=1)
    total = np.add.reduceat(total, columns, axis=2)
    heights = np.diff([*rows, height])[:, np.newaxis]
    widths = np.diff([*columns, width])[np.newaxis, :]
    means = total * (scale / (heights * widths))[np.newaxis, :, :, np.newaxis]
    return np.asarray(means, np.float32)


def _edges(length: int, cells: int) -> NDArray[np.int64]:
    count = min(length, cells)
    edges: NDArray[np.int64] = np.arange(count) * length // count
    return edges
