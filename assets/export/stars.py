"""Makes outlines of objects of the outputs of a network, with NumPy alone. Used by predict.py.

An object is a row of numbers: class, left, top, right, bottom, score; x and y of its position and
32 distances to its outline in pixels of the image that the model takes; where these pixels lie in
the picture (width and height of one, left, top); x and y of the 32 corners of the outline in the
picture. The highest score comes first.
"""

import numpy as np

MIN_SCORE = 0.05
MAX_OVERLAP = 0.4
MOST = 1000
SHORTEST = 0.5
NEAR_BORDER = 2.0
RAYS = 32
STRIDES = (2, 4, 8, 16)
PLACE, DISTANCES, SCALE, CORNERS = 6, 8, 40, 44
ANGLES = 2 * np.pi * np.arange(RAYS) / RAYS
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
SECTOR = 2 * np.pi / RAYS
RINGS = np.sqrt((np.arange(6) + 0.5) / 6)


def found(outputs, height, width):
    """The objects in an image of this size, of outputs of shape (rows, columns, classes + 32)."""
    rows, columns = outputs.shape[:2]
    stride = next(each for each in STRIDES if -(-height // each) == rows)
    scores = outputs[..., :-RAYS]
    label, score = scores.argmax(axis=-1), scores.max(axis=-1)
    around = np.pad(score, 1, constant_values=-np.inf)
    around = np.maximum(np.maximum(around[:, :-2], around[:, 1:-1]), around[:, 2:])
    around = np.maximum(np.maximum(around[:-2], around[1:-1]), around[2:])
    chosen = np.flatnonzero((score >= MIN_SCORE) & (score >= around))
    chosen = chosen[np.argsort(-score.ravel()[chosen], kind="stable")[:MOST]]
    places = np.stack([chosen % columns, chosen // columns], axis=1) * stride + 1.5
    distances = np.nan_to_num(outputs[..., -RAYS:].reshape(-1, RAYS)[chosen] * stride)
    distances = np.clip(distances, SHORTEST, np.hypot(height, width))
    facts = np.zeros((len(chosen), SCALE))
    facts[:, 0], facts[:, 5] = label.ravel()[chosen], score.ravel()[chosen]
    facts[:, PLACE:DISTANCES], facts[:, DISTANCES:SCALE] = places, distances
    return moved(suppressed(facts), (1, 1), (0, 0), (0, 0, width, height))


def moved(rows, scale, corner, limits):
    """Objects scaled and moved to where their part of the picture lies, and clipped to it."""
    rows = np.pad(rows[:, :SCALE], ((0, 0), (0, CORNERS + 2 * RAYS - SCALE)))
    rows[:, SCALE:CORNERS] = (*scale, *corner)
    corners = rows[:, None, PLACE:DISTANCES] + rows[:, DISTANCES:SCALE, None] * DIRECTIONS
    corners = np.clip(corners * scale + corner, limits[:2], limits[2:])
    rows[:, 1:3], rows[:, 3:5] = corners.min(axis=1), corners.max(axis=1)
    rows[:, CORNERS:] = corners.reshape(-1, 2 * RAYS)
    return rows[(rows[:, 3] > rows[:, 1]) & (rows[:, 4] > rows[:, 2])]


def contain(distances, points):
    """Which points, relative to the positions of stars, are in them; shape (stars, points)."""
    turn = np.arctan2(points[..., 1], points[..., 0]) / SECTOR + RAYS
    sector = np.floor(turn).astype(int)
    angle, size = (turn - sector) * SECTOR, np.hypot(points[..., 0], points[..., 1])
    near = np.take_along_axis(1 / distances, sector % RAYS, axis=1) * np.sin(SECTOR - angle)
    far = np.take_along_axis(1 / distances, (sector + 1) % RAYS, axis=1) * np.sin(angle)
    return size * (near + far) <= np.sin(SECTOR)


def shared(small, large, apart):
    """Which part of stars is in others, 0 to 1: of six points in each of their 32 triangles."""
    following = np.roll(small, -1, axis=1)
    middle = small[..., None] * DIRECTIONS + following[..., None] * np.roll(DIRECTIONS, -1, axis=0)
    points = middle[:, :, None] / 2 * RINGS[:, None] + apart[:, None, None]
    inside = contain(large, points.reshape(len(small), -1, 2)).reshape(points.shape[:3])
    weights = small * following
    return (inside.mean(axis=2) * weights).sum(axis=1) / weights.sum(axis=1)


def suppressed(rows):
    """The objects without those that share more than 40 % of the smaller one with a better one."""
    rows = rows.astype(float)
    centers, distances = rows[:, PLACE:DISTANCES], rows[:, DISTANCES:SCALE]
    reach = distances.max(axis=1, initial=0)
    sizes = (distances * np.roll(distances, -1, axis=1)).sum(axis=1)
    remaining, kept = np.arange(len(rows)), []
    while len(remaining):
        best, remaining = remaining[0], remaining[1:]
        kept.append(best)
        apart = centers[remaining] - centers[best]
        near = np.flatnonzero((apart**2).sum(axis=1) < (reach[remaining] + reach[best]) ** 2)
        if not len(near):
            continue
        others, apart = remaining[near], apart[near]
        is_smaller = (sizes[others] < sizes[best])[:, None]
        small = np.where(is_smaller, distances[others], distances[best])
        large = np.where(is_smaller, distances[best], distances[others])
        parts = shared(small, large, np.where(is_smaller, apart, -apart))
        remaining = np.delete(remaining, near[parts > MAX_OVERLAP])
    return rows[kept]


def is_cut(rows, tile, size):
    """Which objects end at a border of their tile that is inside the picture."""
    left, top, right, bottom = tile
    x, y = (NEAR_BORDER * rows[:, SCALE + axis] for axis in (0, 1))
    return (
        ((left > 0) & (rows[:, 1] <= left + x))
        | ((top > 0) & (rows[:, 2] <= top + y))
        | ((right < size[0]) & (rows[:, 3] >= right - x))
        | ((bottom < size[1]) & (rows[:, 4] >= bottom - y))
    )


def merged(parts, tiles, size):
    """The objects of overlapping tiles, joined: those that a border cuts give way to whole ones."""
    cut = np.concatenate([is_cut(rows, tile, size) for rows, tile in zip(parts, tiles)])
    rows = np.concatenate(parts)
    order = np.lexsort((-rows[:, 5], cut))
    placed = rows[order].copy()
    scale, corner = placed[:, SCALE : SCALE + 2], placed[:, SCALE + 2 : CORNERS]
    placed[:, PLACE:DISTANCES] += corner / scale
    # The last number tells which rows of the picture are kept.
    numbered = np.column_stack([placed, np.arange(len(placed))])
    kept = rows[order][suppressed(numbered)[:, -1].astype(int)]
    return kept[np.argsort(-kept[:, 5], kind="stable")]


def outlined(rows):
    """The objects, and the ring of corners around each, to a hundredth of a pixel."""
    corners = np.round(rows[:, CORNERS:].reshape(-1, 1, RAYS, 2), 2)
    return rows, corners.tolist()
