"""Makes objects with masks of the outputs of a network, with NumPy alone. Used by predict.py.

An object is a row of numbers: class, left, top, right, bottom, score; the probabilities of the 28 x
28 cells of its box, row by row; left, top, right and bottom of what is visible. The highest score
comes first.
"""

import math

import boxes
import numpy as np

CELLS = 28
COEFFICIENTS = 28
NUMBERS = COEFFICIENTS + 4
FINEST = (2, 4, 8, 16, 32)
MASK, LIMITS = 6, 6 + CELLS**2
MIDDLES = (np.arange(CELLS) + 0.5) / CELLS
SIDE = CELLS + 2
TOP, RIGHT, BOTTOM, LEFT = range(4)
LINES = (
    (),
    ((LEFT, TOP),),
    ((TOP, RIGHT),),
    ((LEFT, RIGHT),),
    ((RIGHT, BOTTOM),),
    ((LEFT, TOP), (RIGHT, BOTTOM)),
    ((TOP, BOTTOM),),
    ((LEFT, BOTTOM),),
    ((BOTTOM, LEFT),),
    ((BOTTOM, TOP),),
    ((TOP, RIGHT), (BOTTOM, LEFT)),
    ((BOTTOM, RIGHT),),
    ((RIGHT, LEFT),),
    ((RIGHT, TOP),),
    ((TOP, LEFT),),
    (),
)


def levels_of(count, height, width):
    """Stride, rows and columns of the maps, and center and stride of each position with a box."""
    for finest in FINEST:
        parts, total = [], 0
        for level in range(boxes.MAX_LEVELS):
            stride = finest * 2**level
            rows, columns = math.ceil(height / stride), math.ceil(width / stride)
            ys, xs = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
            centers = (np.stack([xs, ys], axis=-1).reshape(-1, 2) + 0.5) * stride
            parts.append(np.column_stack([centers, np.full(len(centers), stride)]))
            total += len(centers)
            if total == count and level:
                rows, columns = math.ceil(height / finest), math.ceil(width / finest)
                return finest, rows, columns, np.concatenate(parts[1:]).astype(np.float32)
    raise ValueError(f"{count} positions fit no levels of {height}x{width} pixels")


def readers(low, high, stride, count):
    """Matrices that read a map between its positions, in the middles of the cells of boxes."""
    middles = low[:, None] + MIDDLES * (high - low)[:, None]
    place = np.clip(middles / stride - 0.5, 0, count - 1)
    return np.maximum(0, 1 - np.abs(place[..., None] - np.arange(count)))


def found(outputs, height, width):
    """The objects in an image of this size, of outputs of shape (positions, classes + 32)."""
    stride, rows, columns, places = levels_of(len(outputs), height, width)
    classes = outputs.shape[1] - NUMBERS
    maps = outputs[: rows * columns, classes:].reshape(rows, columns, NUMBERS)
    outputs = outputs[rows * columns :]
    distances = outputs[:, -4:] * places[:, 2:]
    corners = np.concatenate(
        [places[:, :2] - distances[:, :2], places[:, :2] + distances[:, 2:]], axis=1
    )
    corners = np.clip(corners, 0, np.array([width, height, width, height], np.float32))
    scores = outputs[:, :classes].ravel()
    chosen = np.flatnonzero(scores >= boxes.MIN_SCORE)
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")[: boxes.CANDIDATES]]
    place = chosen // classes
    coefficients = outputs[place, classes:-4]
    facts = np.column_stack([chosen % classes, corners[place], scores[chosen], coefficients])
    facts = boxes.suppressed(facts[boxes.areas(facts) > 0], boxes.MOST)
    down = readers(facts[:, 2], facts[:, 4], stride, rows)
    across = readers(facts[:, 1], facts[:, 3], stride, columns).transpose(0, 2, 1)
    own = np.einsum("rck,mk->mrc", maps[..., :COEFFICIENTS], facts[:, MASK:]) + maps[..., -1]
    logits = down @ own @ across
    x, y = np.meshgrid(2 * MIDDLES - 1, 2 * MIDDLES - 1)
    for at, factor in enumerate((x, y, x**2 + y**2)):
        logits += factor * (down @ maps[..., COEFFICIENTS + at] @ across)
    cells = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return np.column_stack([facts[:, :MASK], cells.reshape(len(facts), CELLS**2)])


def moved(rows, scale, corner, limits):
    """Objects scaled and moved to where their part of the picture lies, and what is visible."""
    rows = np.pad(rows[:, :LIMITS].astype(float), ((0, 0), (0, 4)))
    rows[:, 1:5] = rows[:, 1:5] * np.tile(scale, 2) + np.tile(corner, 2)
    rows[:, LIMITS:] = limits
    return rows


def merged(parts, tiles, size):
    """The objects of overlapping tiles, joined: parts of objects give way to whole ones."""
    return boxes.merged(parts, tiles, size)


def edges_of(cells):
    """Numbers of the sides where lines around a mask begin and end, and where they cross them."""
    values = np.pad(cells, 1)
    inside = (values >= 0.5).astype(int)
    kinds = inside[:-1, :-1] + 2 * inside[:-1, 1:] + 4 * inside[1:, 1:] + 8 * inside[1:, :-1]
    following, points = {}, {}
    for row, column in np.argwhere((kinds > 0) & (kinds < 15)).tolist():
        for line in LINES[kinds[row, column]]:
            ends = []
            for side in line:
                down = side in (LEFT, RIGHT)
                y, x = row + (side == BOTTOM), column + (side == RIGHT)
                near, far = values[y, x], values[y + down, x + 1 - down]
                part = (0.5 - near) / (far - near)
                ends.append((down, y, x))
                points[ends[-1]] = (x + part * (1 - down) - 0.5, y + part * down - 0.5)
            following[ends[0]] = ends[1]
    return following, points


def rings_of(row):
    """The closed lines around the mask of an object, within what is visible."""
    following, points = edges_of(row[MASK:LIMITS].reshape(CELLS, CELLS))
    low, high = row[1:3], row[3:5]
    rings = []
    for start in sorted(following):
        if start not in following:
            continue
        ring, at = [start], following.pop(start)
        while at != start:
            ring.append(at)
            at = following.pop(at)
        corners = low + np.array([points[each] for each in ring]) / CELLS * (high - low)
        rings.append(np.clip(corners, row[LIMITS : LIMITS + 2], row[LIMITS + 2 :]))
    return rings


def outlined(rows):
    """The objects with the boxes around their masks, and the rings around each."""
    kept, outlines = [], []
    for row in rows:
        rings = rings_of(row)
        corners = np.concatenate([*rings, np.zeros((0, 2))])
        if not rings or np.any(corners.max(axis=0) <= corners.min(axis=0)):
            continue
        kept.append([row[0], *corners.min(axis=0), *corners.max(axis=0), row[5]])
        outlines.append([np.round(ring, 2).tolist() for ring in rings])
    return np.array(kept).reshape(-1, MASK), outlines
