"""Confidence intervals of metrics: of proportions measured on some images, and of resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL: Final = 0.95
"""Confidence level of all intervals."""


def wilson(right: float, count: float, z: float = 1.96) -> tuple[float, float]:
    """Return the score interval of a proportion, which has a width also at 0 and 1.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

    Args:
        right: Number of correct predictions.
        count: Number of predictions, above 0.
        z: Half the width in standard deviations; 1.96 covers 95 %.

    Returns:
        Its lower and upper end, 0 to 1.
    """
    share = right / count
    divisor = 1 + z * z / count
    middle = (share + z * z / (2 * count)) / divisor
    half = z / divisor * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    # Rounding must not leave the proportion itself outside.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def percentile_interval(values: Sequence[float] | NDArray[Any]) -> tuple[float, float] | None:
    """Return the interval of the middle 95 % of resamples; None if none of them is finite.

    Resamples in which a metric cannot be measured (NaN) do not count.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    known = np.asarray(values, np.float64)
    known = known[np.isfinite(known)]
    if not len(known):
        return None
    low, high = np.percentile(known, (50 * (1 - LEVEL), 50 * (1 + LEVEL))).tolist()
    return low, high


def paired_difference(more: int, less: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of the difference of two proportions of the same images.

    A. Agresti and Y. Min, "Simple improved confidence intervals for comparing matched
    proportions", Statistics in Medicine 24, 2005: half an observation is added to each of the four
    kinds of pairs, so that the interval has a width also where only one kind occurs.

    Args:
        more: Images that only the first is right on.
        less: Images that only the second is right on.
        count: All images, above 0.
        z: Half the width in standard deviations; 1.96 covers 95 %.

    Returns:
        Its lower and upper end, -1 to 1.
    """
    total = count + 2
    first, second = (more + 0.5) / total, (less + 0.5) / total
    middle = first - second
    half = z * math.sqrt(max(0.0, first + second - middle * middle) / total)
    found = (more - less) / count
    return max(-1.0, min(found, middle - half)), min(1.0, max(found, middle + half))
