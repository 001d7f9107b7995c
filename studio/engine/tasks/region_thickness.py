"""Thickness of the regions of masks, by which networks for them are recommended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from studio.engine.tasks.annotations import IGNORE, Mask

THIN: Final = "thin_pixels"
"""Width of the thinnest class in pixels of the dataset: the median over images that have it."""
THIN_CLASS: Final = "thin_class"
"""Index of that class."""


def thickness_facts(masks: Iterable[Mask]) -> dict[str, float]:
    """Return the thinnest class and its width; empty without a border between classes.

    A strip of width w and length l has the area w * l and two borders of length l, so twice the
    area by the length of the border is its width. That of a disc is half its diameter. Borders are
    counted in sides of pixels; the edge of the image does not count.

    Args:
        masks: Masks of some images, shape (height, width) each.

    Examples:
        >>> mask = numpy.zeros((20, 20), numpy.uint8)
        >>> mask[:, 8:11] = 1
        >>> thickness_facts([mask])
        {'thin_pixels': 3.0, 'thin_class': 1}
    """
    widths: defaultdict[int, list[float]] = defaultdict(list)
    for mask in masks:
        sides = [*_border(mask), *_border(mask.T)]
        borders = np.bincount(np.concatenate(sides), minlength=IGNORE + 1)
        areas = np.bincount(mask.ravel(), minlength=IGNORE + 1)
        for index in np.flatnonzero(borders[:IGNORE]).tolist():
            widths[index].append(2 * float(areas[index]) / float(borders[index]))
    medians = {index: float(np.median(each)) for index, each in widths.items()}
    if not medians:
        return {}
    index = min(medians, key=lambda each: medians[each])
    return {THIN: round(medians[index], 1), THIN_CLASS: index}


def _border(mask: Mask) -> list[Mask]:
    """Return the classes on both sides of each side between two columns of pixels."""
    left, right = mask[:, :-1], mask[:, 1:]
    differs = left != right
    return [left[differs], right[differs]]
