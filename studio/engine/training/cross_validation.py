"""k-fold cross-validation: the mean of a metric over folds, and how far it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEVEL: Final = 0.95
"""Confidence level of the interval."""


@dataclass(frozen=True, slots=True)
class FoldSummary:
    """A metric over the folds of one cross-validation.

    Attributes:
        mean: Mean over the folds.
        deviation: Sample standard deviation; NaN for a single fold.
        low: Lower end of the 95 % interval of the mean.
        high: Upper end of the interval.
    """

    mean: float
    deviation: float
    low: float
    high: float


def summarize_folds(values: Sequence[float]) -> FoldSummary:
    """Average a metric over folds, with Student's t interval of the mean.

    The training sets of the folds overlap, so the interval is somewhat too narrow (Bengio and
    Grandvalet, "No Unbiased Estimator of the Variance of K-Fold Cross-Validation", 2004). For a
    fraction such as accuracy it is cut to 0..1 by whoever shows it.

    Args:
        values: One finite value per fold.

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("no fold was measured")
    # Imported here: scipy takes 0.2 s, and the command line imports this module for its options.
    from scipy.stats import t  # noqa: PLC0415

    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return FoldSummary(mean, math.nan, math.nan, math.nan)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = float(t.ppf((1 + LEVEL) / 2, count - 1)) * deviation / math.sqrt(count)
    return FoldSummary(mean, deviation, mean - half, mean + half)
