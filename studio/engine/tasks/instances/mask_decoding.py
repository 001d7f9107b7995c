"""Objects with masks from the outputs of a network: the best boxes, and what is inside of each.

Exported scripts contain the same steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, LEFT, RIGHT, SIDES, TOP, centered_boxes
from studio.engine.tasks.decoding import MOST, Detections, best_boxes, suppressed
from studio.engine.tasks.masks import (
    CELLS,
    MASK,
    NUMBERS,
    VALUES,
    MaskLevels,
    Masks,
    empty,
    middles_of,
    places_in_box,
    readers_of,
)
from studio.engine.tasks.outputs import COEFFICIENTS


def decoded(outputs: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the objects of images, the best first, shape (n, 100, 790).

    Args:
        outputs: Outputs of a network, shape (n, P, K + 32).
        size: Height and width of the images that the network saw.
    """
    found = empty(len(outputs), MOST)
    levels = MaskLevels.of(outputs.shape[1], size)
    for at, each in enumerate(outputs):
        rows = objects_of(each, levels, size)
        found[at, : len(rows)] = rows
    return found


def objects_of(outputs: NDArray[np.float32], levels: MaskLevels, size: tuple[int, int]) -> Masks:
    """Return the objects of an image, the best first, shape (m, 790), m at most 100.

    Args:
        outputs: Outputs for the image, shape (P, K + 32).
        levels: How its positions lie.
        size: Height and width of the image that the network saw.
    """
    maps = outputs[: levels.count].reshape(levels.rows, levels.columns, -1)
    positions = outputs[levels.count :]
    classes = positions.shape[1] - NUMBERS
    corners = centered_boxes(positions[:, -SIDES:], levels.places[levels.count :])
    carried = positions[:, classes:-SIDES]
    rows = suppressed(best_boxes(positions[:, :classes], corners, size, carried))
    found = np.zeros((len(rows), VALUES), np.float32)
    found[:, :MASK] = rows[:, :MASK]
    logits = logits_of(maps[..., classes:], rows, rows[:, MASK:], levels.stride)
    found[:, MASK:] = (1 / (1 + np.exp(-logits))).reshape(len(rows), CELLS**2)
    return found


def logits_of(
    maps: NDArray[np.float32],
    rows: Detections,
    coefficients: NDArray[np.float32],
    stride: int,
) -> NDArray[np.float64]:
    """Return the logits of the cells of masks, see `masks`, shape (m, 28, 28).

    Args:
        maps: Prototypes, and the maps that multiply the place, shape (rows, columns, 32).
        rows: Detections, shape (m, 6) or wider.
        coefficients: Of each detection, shape (m, 28).
        stride: Distance of the positions of the maps in pixels.
    """
    down = readers_of(middles_of(rows[:, TOP], rows[:, BOTTOM]), stride, maps.shape[0])
    across = readers_of(middles_of(rows[:, LEFT], rows[:, RIGHT]), stride, maps.shape[1])
    across = across.transpose(0, 2, 1)
    prototypes, placed = maps[..., :COEFFICIENTS], maps[..., COEFFICIENTS:]
    own = np.einsum("rck,mk->mrc", prototypes, coefficients, optimize=True) + placed[..., -1]
    found: NDArray[np.float64] = (down @ own @ across).astype(np.float64)
    for at, place in enumerate(np.moveaxis(places_in_box(), -1, 0)):
        found += place * (down @ placed[..., at] @ across)
    return np.clip(found, -60, 60).reshape(len(rows), CELLS, CELLS)
