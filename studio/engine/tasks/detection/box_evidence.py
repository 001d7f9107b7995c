"""Evidence in the numbers of boxes that they are percent of the image, or its center and size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Size = tuple[int, int]
_PERCENT: Final = 100.0
_THOUSAND: Final = 1000.0
_LEAST_OUTSIDE: Final = 0.2
"""Fraction of the boxes that lie outside their images, so that their unit is in doubt."""
_EXACT: Final = 0.001
_NEARLY: Final = 0.06
"""Pixels by which percent that were rounded to one decimal miss whole pixels."""
_FEWEST_NUMBERS: Final = 16
_FEWEST_BROKEN: Final = 5
_LEAST_BROKEN: Final = 0.25
_LEAST_WHOLE: Final = 0.95
_FEWEST_PARITIES: Final = 4
"""Sides of odd and of even length each, of which none contradicts that boxes have centers."""
_FEWEST_ENDS: Final = 12
_FEWEST_IMAGES: Final = 8
_SIZES_EXAMINED: Final = 50
_BOXES_EXAMINED: Final = 5000


def are_percent(pictures: Iterable[tuple[NDArray[Any], Size]]) -> bool:
    """Return True if sides are whole pixels only once they are read as percent of the image.

    Args:
        pictures: Left, top, right and bottom of the boxes of each image, shape (n, 4), and its
            width and height in pixels.
    """
    before: list[NDArray[Any]] = []
    after: list[NDArray[Any]] = []
    for corners, size in pictures:
        scale = np.array((*size, *size)) / _PERCENT
        before.append(corners[:, scale != 1])
        after.append(before[-1] * scale[scale != 1])
    if not before:
        return False
    numbers = np.concatenate([each.ravel() for each in before])
    pixels = np.concatenate([each.ravel() for each in after])
    is_broken = np.abs(numbers - np.round(numbers)) > _NEARLY
    if len(numbers) < _FEWEST_NUMBERS:
        return False
    if is_broken.sum() < max(_FEWEST_BROKEN, _LEAST_BROKEN * len(numbers)):
        return False
    if numbers.min() < 0 or numbers.max() > _PERCENT + _EXACT:
        return False
    is_whole = np.abs(pixels - np.round(pixels)) <= _NEARLY
    return bool(is_whole.mean() >= _LEAST_WHOLE)


def are_thousandths(pictures: Iterable[tuple[NDArray[Any], Size]]) -> bool:
    """Return True if sides are from 0 to about 1000, and many boxes lie outside smaller images.

    Args:
        pictures: Left, top, right and bottom of the boxes of each image, shape (n, 4), and its
            width and height in pixels.
    """
    total = outside = 0
    largest = np.zeros(2)
    for corners, size in pictures:
        if (corners < 0).any() or (corners > _THOUSAND).any():
            return False
        total += len(corners)
        outside += int((corners[:, :2] >= size).any(axis=1).sum())
        largest = np.maximum(largest, corners[:, 2:].max(axis=0))
    return outside > _LEAST_OUTSIDE * total and bool((largest > _THOUSAND / 2).all())


def are_halves(boxes: NDArray[Any]) -> bool:
    """Return True if boxes lie on half pixels exactly where their sides are odd, as centers do.

    Args:
        boxes: Two coordinates, width and height of each box, shape (n, 4).
    """
    places, sides = boxes[:, :2].ravel(), boxes[:, 2:].ravel()
    if not len(sides) or (np.abs(sides - np.round(sides)) > _EXACT).any():
        return False
    is_odd = np.round(sides) % 2 == 1
    if min(int(is_odd.sum()), int((~is_odd).sum())) < _FEWEST_PARITIES:
        return False
    rest = np.abs(places - sides / 2) % 1
    return bool((np.minimum(rest, 1 - rest) <= _EXACT).all())


def are_pushed(pictures: Iterable[tuple[NDArray[Any], Size]]) -> bool:
    """Return True if no box is near the left and upper border, and many the right one.

    A center is at least half a box away from every border. Objects that were photographed are as
    often near the left border as near the right one.

    Args:
        pictures: Two coordinates, width and height of the boxes of each image, shape (n, 4), and
            its width and height in pixels.
    """
    ends = images = 0
    for boxes, size in pictures:
        starts, sides = boxes[:, :2], boxes[:, 2:]
        if (starts < sides / 2 - 1).any():
            return False
        right = size[0] - starts[:, 0] - sides[:, 0]
        count = int((right < sides[:, 0] / 2).sum())
        ends += count
        images += count > 0
    return ends >= _FEWEST_ENDS and images >= _FEWEST_IMAGES


def sized(
    rows: Iterable[tuple[str, NDArray[Any], Size | None]], size_of: Callable[[str], Size | None]
) -> list[tuple[NDArray[Any], Size]]:
    """Return the first boxes of images whose size is stated, or found in some of them.

    Args:
        rows: Path of each image, its boxes, and its size; None if no size is stated.
        size_of: Returns the size of an image; None if it is unknown.
    """
    found: list[tuple[NDArray[Any], Size]] = []
    count = examined = 0
    for path, boxes, stated in rows:
        if count >= _BOXES_EXAMINED:
            break
        size = stated
        if size is None and examined < _SIZES_EXAMINED:
            examined += 1
            size = size_of(path)
        if size is not None and len(boxes) and np.isfinite(boxes).all():
            found.append((boxes, size))
            count += len(boxes)
    return found
