"""Ranges of the values of pixels: written as text, and proposed from a sample of images."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from studio.engine.messages import message

if TYPE_CHECKING:
    from studio.engine.arrays import Floats

PER_IMAGE: Final = "per_image"
"""Text for the own range of each image."""
ValueRange = tuple[float, float]
"""Lowest and highest value."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*-\s*({_NUMBER})\s*")
_CAMERA_BITS = (8, 10, 12, 14, 16)
_PERCENTILES = (0.1, 99.9)
_DIGITS = 3


def parsed_ranges(text: str) -> list[ValueRange]:
    """Return the ranges of a text such as `"0-4095"` or `"0-255,0-4095"`.

    Args:
        text: Ranges with commas between them; empty or `"per_image"` for none.

    Raises:
        ValueError: The text has another form.
    """
    if not text.strip() or text == PER_IMAGE:
        return []
    found = [_RANGE.fullmatch(part) for part in text.split(",")]
    ranges = [(float(each[1]), float(each[2])) for each in found if each is not None]
    is_finite = all(math.isfinite(each) for pair in ranges for each in pair)
    if len(ranges) < len(found) or not is_finite or not all(low < high for low, high in ranges):
        raise ValueError(
            message(
                "the value range has the form LOW-HIGH, such as 0-4095, with commas between the "
                "channels, or is per_image; received {received}",
                received=repr(text),
            )
        )
    return ranges


def range_text(ranges: Sequence[ValueRange]) -> str:
    """Return ranges as the text that `parsed_ranges` reads; one for all channels if they agree.

    Args:
        ranges: Range of each channel.
    """
    distinct = list(dict.fromkeys(ranges))
    shown = distinct if len(distinct) == 1 else list(ranges)
    return ",".join(f"{_shortest(low)}-{_shortest(high)}" for low, high in shown)


def _shortest(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def range_of_counts(counts: Sequence[int], low: float, high: float) -> ValueRange:
    """Return the range of a histogram without the lowest and the highest 0.1 % of the values.

    Args:
        counts: Number of values in each bin; the bins have the same width.
        low: Lower edge of the first bin.
        high: Upper edge of the last bin.
    """
    total, width = sum(counts), (high - low) / max(1, len(counts))
    if not total or width <= 0:
        return low, high if high > low else low + 1.0
    limits = [total * percent / 100 for percent in _PERCENTILES]
    sums = list(accumulate(counts))
    first = next(at for at, each in enumerate(sums) if each > limits[0])
    last = next(at for at, each in enumerate(sums) if each >= limits[1])
    return low + first * width, low + (last + 1) * width


def camera_range(highest: float) -> ValueRange:
    """Return the range of the camera with the fewest bits that reach a value.

    Args:
        highest: Largest value of a sample, at most 65,535.
    """
    bits = next(bits for bits in _CAMERA_BITS if highest < 2**bits or bits == _CAMERA_BITS[-1])
    return 0.0, float(2**bits - 1)


def fraction_range(values: Sequence[Floats]) -> list[ValueRange]:
    """Propose a range for each channel of floating-point numbers.

    Args:
        values: Finite values of each channel of a sample.
    """
    import numpy as np  # noqa: PLC0415 - recipes import this module, and the window starts with them

    every = np.concatenate(list(values)) if values else np.zeros(0)
    if not every.size:
        return [(0.0, 1.0)] * len(values)
    for usual in ((0.0, 1.0), (-1.0, 1.0)):
        if usual[0] <= every.min() and every.max() <= usual[1]:
            return [usual] * len(values)
    return [_percentiles(channel if channel.size else every) for channel in values]


def _percentiles(values: Floats) -> ValueRange:
    import numpy as np  # noqa: PLC0415 - as above

    low, high = (_rounded(float(each)) for each in np.percentile(values, _PERCENTILES))
    return (low, high) if low < high else (low, low + max(1.0, abs(low)))


def _rounded(value: float) -> float:
    """Round to three significant digits."""
    if not value:
        return 0.0
    return round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))
