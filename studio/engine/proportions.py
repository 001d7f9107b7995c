"""Confidence intervals of metrics: of proportions measured on some images, and of resamples.

Images of one origin, such as frames of a film, are no independent observations: for them the
functions with `groups` treat the origins as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
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


def percentile_interval(
    values: Sequence[float] | NDArray[Any], groups: int | None = None
) -> tuple[float, float] | None:
    """Return the interval of the middle 95 % of resamples; None if none of them is finite.

    Percentiles of resamples of few groups are too narrow: with 10 groups they contain the true
    value in about 90 % of all cases. They are expanded as a t interval is against a normal one.
    T. C. Hesterberg, "What teachers should know about the bootstrap", The American Statistician
    69, 2015, section 3.2: expanded percentiles.

    Args:
        values: Values of a metric in the resamples; those that are not finite do not count.
        groups: Number of groups that were resampled; None for single images.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    known = np.asarray(values, np.float64)
    known = known[np.isfinite(known)]
    tail = (1 - LEVEL) / 2 if groups is None else _expanded_tail(groups)
    if not len(known) or not tail:
        return None
    low, high = np.quantile(known, (tail, 1 - tail)).tolist()
    return low, high


def _expanded_tail(groups: int) -> float:
    """Return the part of the resamples below the interval; 0 for fewer than two groups."""
    if groups < 2:
        return 0.0
    return NormalDist().cdf(-t_quantile(groups) * math.sqrt(groups / (groups - 1)))


def t_quantile(groups: float) -> float:
    """Return half the width of a 95 % interval in standard errors that groups are the basis of.

    Args:
        groups: Their number, one more than the degrees of freedom.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - the window starts without it

    return float(stdtrit(groups - 1, (1 + LEVEL) / 2))


def error_of_counts(variance: float) -> int:
    """Return the largest error of a number of objects in 95 % of all cases: a whole number.

    Few objects that are missed and few that are invented are two Poisson numbers; their difference
    has J. G. Skellam's distribution ("The frequency distribution of the difference between two
    Poisson variates", 1946). Where errors are rare, a normal interval is too short: half of a
    missed object does not exist.

    Args:
        variance: Variance of the error; 0 for none.
    """
    from scipy.special import ive  # noqa: PLC0415 - the window starts without it

    error, held = 0, float(ive(0, variance))
    while held < LEVEL:
        error += 1
        held += 2 * float(ive(error, variance))
    return error


def grouped_proportion(right: NDArray[Any], groups: NDArray[Any]) -> tuple[float, float] | None:
    """Return the score interval of a proportion of images that belong to groups.

    Wilson's interval of as many independent images as would vary as much as the groups do, with
    the quantile of the t distribution: E. L. Korn and B. I. Graubard, "Confidence intervals for
    proportions with small expected number of positive counts estimated from survey data", Survey
    Methodology 24, 1998, whose effective sample size is used. Its degrees of freedom are those of
    the variance: near 0 and 1 a few groups make up all of it, see `_degrees`. Where all images are
    right, or all wrong, each group counts as one image.

    In simulations with 10, 30 and 100 groups, shares of 50 to 99 % and correlations within groups
    of 0.02 to 0.8, the interval holds the true proportion in 93 to 97 % wherever the effective
    sample is expected to have ten images of the rarer outcome or more. With fewer it holds in 93
    to 99.8 %: so few outcomes leave only a few possible intervals, such as those of ten groups
    that are right or wrong as wholes, and none of them is near 95 %.

    Args:
        right: True or 1 for each correct prediction, shape (n,).
        groups: Group of each image, any integers, shape (n,).

    Returns:
        Its lower and upper end, 0 to 1; None for fewer than two groups.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    _, unit_of = np.unique(groups, return_inverse=True)
    sizes = np.bincount(unit_of)
    count, total = len(sizes), len(unit_of)
    if count < 2:
        return None
    share = float(np.mean(right))
    residuals = np.bincount(unit_of, weights=np.asarray(right, np.float64)) - share * sizes
    variance = count / (count - 1) * float(np.square(residuals).sum()) / total**2
    effective = share * (1 - share) / variance if variance > 0 else float(count)
    # Beyond the number of images it is chance: the variance of few groups is often too small.
    effective = min(_MOST_EFFECTIVE * total, effective)
    degrees = _degrees(residuals, min(share, 1 - share) * effective)
    return wilson(share * effective, effective, t_quantile(1 + degrees))


_MOST_EFFECTIVE: Final = 1.5
"""Largest effective sample size per image. With 1, intervals of independent images are too wide:
the variance of their groups is as often too large as too small."""
_MANY_RARE: Final = 20.0
"""Images of the rarer outcome from which on sums of groups are about normal."""


def _degrees(residuals: NDArray[Any], rare: float) -> float:
    """Return the degrees of freedom of the variance that the residuals of groups give.

    F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
    Biometrics Bulletin 2, 1946. By the moments of a normal distribution the factor is 3. Of rare
    errors it is down to half of that, so that simulated intervals hold: few groups have them, and
    the fourth moment of few is too small.

    Args:
        residuals: Sums of the deviations from the mean by group, shape (groups,).
        rare: Images of the rarer outcome in the effective sample.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    squares = np.square(residuals)
    fourth = float(np.square(squares).sum())
    most = len(residuals) - 1.0
    if fourth == 0:
        return most
    factor = 1.5 + 1.5 * min(1.0, rare / _MANY_RARE)
    return max(1.0, min(most, factor * float(squares.sum()) ** 2 / fourth))


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


def independent_difference(
    one: tuple[float, tuple[float, float]], other: tuple[float, tuple[float, float]]
) -> tuple[float, float]:
    """Return the interval of the difference of two metrics of different images.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions",
    Statistics in Medicine 17, 1998, method 10, for any two metrics: the distances from each value
    to the ends of its interval are added as squares.

    Args:
        one: The first metric and its interval.
        other: The second metric and its interval.
    """
    (first, (first_low, first_high)), (second, (second_low, second_high)) = one, other
    value = first - second
    return (
        value - math.hypot(first - first_low, second_high - second),
        value + math.hypot(first_high - first, second - second_low),
    )


def grouped_difference(
    difference: NDArray[Any], groups: NDArray[Any]
) -> tuple[float, float, float]:
    """Return the interval of a mean difference of images that belong to groups, and its p-value.

    A t interval of the sums of the groups. N. A. Obuchowski, "On the comparison of correlated
    proportions for clustered data", Statistics in Medicine 17, 1998: this variance in McNemar's
    test.

    Args:
        difference: Difference of two measurements of each image, such as -1, 0 and 1, shape (n,).
        groups: Group of each image, any integers, shape (n,); at least two groups.

    Returns:
        Lower and upper end, and the probability of such a difference, or a larger one, if there
        is none; 1 if no group differs.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it
    from scipy.special import stdtr  # noqa: PLC0415 - as above

    _, unit_of = np.unique(groups, return_inverse=True)
    sizes = np.bincount(unit_of)
    count, total = len(sizes), len(unit_of)
    mean = float(np.mean(difference))
    residuals = np.bincount(unit_of, weights=np.asarray(difference, np.float64)) - mean * sizes
    error = math.sqrt(count / (count - 1) * float(np.square(residuals).sum())) / total
    if error == 0:
        # All groups agree: each of them is one observation with this sign, or without a sign.
        return (
            (*paired_difference(0, 0, count), 1.0)
            if mean == 0
            else (
                mean,
                mean,
                2.0 ** (1 - count),
            )
        )
    half = t_quantile(count) * error
    p_value = 2 * float(stdtr(count - 1, -abs(mean) / error))
    return max(-1.0, mean - half), min(1.0, mean + half), p_value
