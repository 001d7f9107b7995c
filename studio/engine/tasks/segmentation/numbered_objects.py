"""Tells label images, whose values number objects, from masks, whose values are classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotations import MAX_CLASSES, Tree
from studio.engine.tasks.segmentation.levels import ValuePool
from studio.engine.tasks.segmentation.mask_statistics import inspect

_EXAMINED: Final = 16
"""Masks that are read."""
_MIN_DEPTHS: Final = 5
"""Number of masks, or of their highest values, from which on values may number objects."""
_MIN_NUMBERED: Final = 8
"""Number of values that may number objects if most occur in one mask only."""
_MANY: Final = 16
"""Highest value from which on there is hardly a doubt."""


def are_counted(pool: ValuePool) -> bool:
    """Return True if each mask has all values from 0 to its highest one, which differ."""
    return pool.depths is not None and len(pool.depths) >= _MIN_DEPTHS


def are_rarely_shared(pool: ValuePool, codes: Sequence[int]) -> bool:
    """Return True if most of many values occur in one mask only.

    Args:
        pool: Values of the masks.
        codes: Those that may be classes.
    """
    objects = [code for code in codes if code]
    single = sum(pool.masks[code] == 1 for code in objects)
    is_many = len(objects) >= _MIN_NUMBERED and max(pool.masks.values()) >= _MIN_DEPTHS
    return is_many and 2 * single > len(objects)


def number_objects(files: Tree, masks: Sequence[str]) -> bool:
    """Return True if the values of masks can hardly be classes.

    Args:
        files: The masks.
        masks: Their paths.
    """
    pool = ValuePool()
    for path in masks[:: max(1, len(masks) // _EXAMINED)][:_EXAMINED]:
        try:
            statistics = inspect(files.read(path))
        except BadDataError:
            continue
        if statistics.has_colors or statistics.is_lossy or statistics.palette:
            return False
        pool.add(path, statistics.counts, is_lossy=False)
    values = sorted(pool.pixels)
    if not values or values[-1] < _MANY:
        return False
    return len(values) > MAX_CLASSES or are_counted(pool) or are_rarely_shared(pool, values)
