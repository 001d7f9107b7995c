"""Numbers, sizes and names as they stand in annotation files, which may contain anything."""

from __future__ import annotations

import math
from typing import Final

from studio.engine.errors import one_line, shortened

FARTHEST: Final = 1e9
"""Largest side of a picture or coordinate of a box."""
_LONGEST_NAME = 100


def number_in(value: object) -> float:
    """Return a number of a file; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def size_in(width: object, height: object) -> tuple[int, int] | None:
    """Return a size in pixels; None if it is unknown.

    Args:
        width: Value for the width in the file.
        height: Value for the height in the file.
    """
    numbers = number_in(width), number_in(height)
    if not all(1 <= number <= FARTHEST and number.is_integer() for number in numbers):
        return None
    return int(numbers[0]), int(numbers[1])


def name_in(value: object) -> str:
    """Return the name of a class as it can be shown on a line; empty for anything but a text."""
    if not isinstance(value, str):
        return ""
    return shortened(one_line(value).strip(), _LONGEST_NAME)
