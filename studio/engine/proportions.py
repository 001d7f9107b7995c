"""Confidence intervals of proportions that were measured on some images."""

from __future__ import annotations

import math


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
