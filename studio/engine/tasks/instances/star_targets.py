"""Targets of networks, made of label images: scores of positions, and distances to outlines."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import IGNORED, class_of, compacted
from studio.engine.tasks.outputs import RAYS
from studio.engine.tasks.stars import DIRECTIONS, FIRST, STRIDES

SCORE, LABEL, NUMBER, PEAK, RAY = range(5)
WIDTH: Final = RAY + RAYS
"""Numbers of a position: score from 0 to 1, or -1 for an ignored position; class, or -1; number of
its object, or 0; 1 at one position of each object; distances in pixels, negative where the object
may be larger because what is behind it is ignored, or too far away."""
_LONGEST: Final = 512
"""Most borders of pixels that a ray crosses."""
_BORDER: Final = -2
"""Value around label images, which is no object."""


@cache
def _rays() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Return the pixels that the ray of each direction from the middle of a pixel goes through.

    Returns:
        Rows and columns of the pixels, from the first behind the start on, and the distance at
        which the ray enters each; shape (steps, 32) each.
    """
    x, y = DIRECTIONS.T
    # A ray enters a new column, or row, each time that it has gone a whole pixel across or down.
    steps = np.arange(_LONGEST) + 0.5
    with np.errstate(divide="ignore"):
        crossings = [
            np.where(np.abs(part) > 1e-9, steps[:, None] / np.abs(part), np.inf) for part in (x, y)
        ]
    entered = np.sort(np.concatenate(crossings), axis=0)[:_LONGEST]
    middle = entered + 1e-6
    columns, rows = (np.floor(0.5 + middle * part).astype(np.int32) for part in (x, y))
    return rows, columns, entered.astype(np.float32)


def star_targets(labels: Instances) -> NDArray[np.float32]:
    """Return what a network learns of an image at the positions of the finest grid.

    The score of a position is its distance to the outline of its object, as a fraction of the
    largest one in that object.

    Args:
        labels: Label image, shape (height, width).

    Returns:
        Shape (rows, columns, 36), see `WIDTH`.
    """
    stride = STRIDES[0]
    small, _ = compacted(labels)
    missing = [-(-side // stride) * stride - side for side in labels.shape]
    # The last positions may lie behind the image.
    extended = np.pad(labels, [(0, each) for each in missing], constant_values=IGNORED)
    at = extended[FIRST::stride, FIRST::stride]
    found = np.zeros((*at.shape, WIDTH), np.float32)
    found[..., LABEL] = class_of(at)
    found[..., SCORE] = np.where(at == IGNORED, -1.0, 0.0)
    rows, columns = np.nonzero(at > 0)
    if not len(rows):
        return found
    places = rows * stride + FIRST, columns * stride + FIRST
    distances, numbers = _distances(labels, *places), small[places]
    inner = np.abs(distances).min(axis=1)
    order = np.lexsort((inner, numbers))
    is_last = np.append(np.diff(numbers[order]) > 0, True)
    peaks = order[is_last]
    largest = np.zeros(numbers.max() + 1, np.float32)
    largest[numbers[peaks]] = inner[peaks]
    found[rows, columns, SCORE] = inner / largest[numbers]
    found[rows, columns, NUMBER] = numbers
    found[rows[peaks], columns[peaks], PEAK] = 1
    found[rows, columns, RAY:] = distances
    return found


def _distances(
    labels: Instances, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the distances from pixels to where their objects end, shape (n, 32).

    Args:
        labels: Label image.
        rows: Row of each pixel, n.
        columns: Column of each.
    """
    margin = 1
    padded = np.pad(labels, margin, constant_values=_BORDER)
    width = padded.shape[1]
    flat = padded.ravel()
    step_rows, step_columns, entered = _rays()
    offsets = step_rows * width + step_columns
    start = ((rows + margin) * width + columns + margin).astype(np.int32)
    own = flat[start]
    found = np.zeros(len(rows) * RAYS, np.float32)
    places = np.arange(len(rows) * RAYS, dtype=np.int32)
    position = np.repeat(start, RAYS)
    value = np.repeat(own, RAYS)
    ray = np.tile(np.arange(RAYS, dtype=np.int32), len(rows))
    for step in range(_LONGEST):
        there = flat[position + offsets[step][ray]]
        ends = there != value
        at = np.flatnonzero(ends)
        distance = entered[step][ray[at]]
        found[places[at]] = np.where(there[at] == IGNORED, -distance, distance)
        stays = np.flatnonzero(~ends)
        if not len(stays):
            break
        places, position, value, ray = places[stays], position[stays], value[stays], ray[stays]
    else:
        found[places] = -entered[-1][ray]  # still inside: the object may be larger
    return found.reshape(-1, RAYS)
