"""Makes boxes of objects of the outputs of a network, with NumPy alone. Used by predict.py.

A box is a row of six numbers: class, left, top, right, bottom, score; the highest score first.
"""

import math

import numpy as np

MIN_SCORE = 0.01
MAX_OVERLAP = 0.6
CANDIDATES = 1000
MOST = 100
COVERED = 0.6
NEAR_BORDER = 0.01
FINEST = (4, 8, 16, 32, 64)
MAX_LEVELS = 6


def grid(count, height, width):
    """Center and stride of each position, in pixels: the levels that have this many positions."""
    for finest in FINEST:
        parts, total = [], 0
        for level in range(MAX_LEVELS):
            stride = finest * 2**level
            rows, columns = math.ceil(height / stride), math.ceil(width / stride)
            ys, xs = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
            centers = (np.stack([xs, ys], axis=-1).reshape(-1, 2) + 0.5) * stride
            parts.append(np.column_stack([centers, np.full(len(centers), stride)]))
            total += len(centers)
            if total == count:
                return np.concatenate(parts).astype(np.float32)
    raise ValueError(f"{count} positions fit no levels of {height}x{width} pixels")


def found(outputs, height, width):
    """The boxes in an image of this size, of outputs of shape (positions, classes + 4)."""
    classes, places = outputs.shape[1] - 4, grid(len(outputs), height, width)
    distances = outputs[:, classes:] * places[:, 2:]
    corners = np.concatenate(
        [places[:, :2] - distances[:, :2], places[:, :2] + distances[:, 2:]], axis=1
    )
    corners = np.clip(corners, 0, np.array([width, height, width, height], np.float32))
    scores = outputs[:, :classes].ravel()
    chosen = np.flatnonzero(scores >= MIN_SCORE)
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")[:CANDIDATES]]
    rows = np.column_stack([chosen % classes, corners[chosen // classes], scores[chosen]])
    return suppressed(rows[areas(rows) > 0], MOST)


def areas(rows):
    """The area of each box in square pixels."""
    return np.maximum(rows[:, 3] - rows[:, 1], 0) * np.maximum(rows[:, 4] - rows[:, 2], 0)


def common(row, others):
    """The areas that boxes have in common with one."""
    sides = np.minimum(others[:, 3:5], row[3:5]) - np.maximum(others[:, 1:3], row[1:3])
    return np.maximum(sides[:, 0], 0) * np.maximum(sides[:, 1], 0)


def suppressed(rows, most):
    """The boxes without those that overlap a better one of their class (NMS)."""
    rows, kept = rows.astype(np.float64), []
    remaining, sizes = np.arange(len(rows)), areas(rows)
    while len(remaining) and len(kept) < most:
        best, remaining = remaining[0], remaining[1:]
        kept.append(best)
        both = common(rows[best], rows[remaining])
        union = sizes[best] + sizes[remaining] - both
        is_other = rows[remaining, 0] != rows[best, 0]
        remaining = remaining[is_other | (both <= MAX_OVERLAP * union)]
    return rows[kept]


def moved(rows, scale, corner, limits):
    """Boxes scaled and moved to where their part of the picture lies, and clipped to it."""
    corners = rows[:, 1:5] * np.tile(scale, 2) + np.tile(corner, 2)
    corners = np.clip(corners, limits[:2] * 2, limits[2:] * 2)
    rows = np.column_stack([rows[:, :1], corners, rows[:, 5:]])
    return rows[areas(rows) > 0]


def is_cut(rows, tile, size):
    """Which boxes end at a border of their tile that is inside the picture."""
    left, top, right, bottom = tile
    x, y = NEAR_BORDER * (right - left), NEAR_BORDER * (bottom - top)
    return (
        ((left > 0) & (rows[:, 1] <= left + x))
        | ((top > 0) & (rows[:, 2] <= top + y))
        | ((right < size[0]) & (rows[:, 3] >= right - x))
        | ((bottom < size[1]) & (rows[:, 4] >= bottom - y))
    )


def merged(parts, tiles, size):
    """The boxes of overlapping tiles, joined: parts of objects give way to whole ones."""
    cut = [is_cut(rows, tile, size) for rows, tile in zip(parts, tiles)]
    rows = np.column_stack([np.concatenate(parts), np.concatenate(cut)])
    rows = suppressed(rows[np.argsort(-rows[:, 5], kind="stable")], len(rows))
    cut, sizes = rows[:, -1] > 0, areas(rows)
    is_part = np.zeros(len(rows), bool)
    for at in np.flatnonzero(cut):
        covers = common(rows[at], rows) >= COVERED * sizes[at]
        whole = ~cut & (rows[:, 0] == rows[at, 0]) & (2 * rows[:, 5] >= rows[at, 5])
        is_part[at] = np.any(covers & whole)
    return rows[~is_part, :-1]
