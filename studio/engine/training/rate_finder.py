"""Reads a learning rate off losses that were taken at rising rates. Pure; NumPy only.

L. N. Smith, "Cyclical learning rates for training neural networks", WACV 2017, section 3.3: the
rate rises from step to step; where it is too low the loss stays, where it is right the loss
falls, and where it is too high the loss jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.training.preflight import RateCurve

LOWEST, HIGHEST = 1e-7, 10.0
STEPS = 100
FEWEST_STEPS = 40
KEEP = 0.8
"""Share of the running mean that every loss keeps. It lags by KEEP / (1 - KEEP) = 4 steps, a third
of a power of ten: more would push the steepest place towards rates that are too high."""

DIVERGED = 4.0
"""A loss that many times the best one is lost."""

_FEWEST = 10
_LEAST_FALL = 0.05
"""A fall by less than this share of the first loss is none."""
_NOISES = 4.0
"""A fall by less than so many standard deviations of the smoothed loss may be chance."""


def rising_rates(steps: int) -> NDArray[np.float64]:
    """The learning rate of each step of a search: each a constant factor above the last."""
    return np.geomspace(LOWEST, HIGHEST, steps)


class Smoother:
    """An exponential running mean, corrected for its beginning at 0.

    m_i = KEEP * m_(i-1) + (1 - KEEP) * x_i, told as m_i / (1 - KEEP ** i): D. P. Kingma and J. Ba,
    "Adam", ICLR 2015, section 3.
    """

    def __init__(self) -> None:
        self._mean = 0.0
        self._count = 0

    def add(self, value: float) -> float:
        """Take a value in and give the mean so far."""
        self._count += 1
        self._mean = KEEP * self._mean + (1 - KEEP) * value
        return self._mean / (1 - KEEP**self._count)


def smoothed(losses: Sequence[float]) -> NDArray[np.float64]:
    """The running mean after each loss."""
    smoother = Smoother()
    return np.array([smoother.add(loss) for loss in losses], dtype=np.float64)


class Divergence:
    """Says when a search is over because the loss is lost."""

    def __init__(self) -> None:
        self._smoother = Smoother()
        self._best = math.inf
        self._count = 0

    def add(self, loss: float) -> bool:
        """Take a loss in; whether it is not finite, or its mean far above the best so far."""
        if not math.isfinite(loss):
            return True
        mean = self._smoother.add(loss)
        self._count += 1
        self._best = min(self._best, mean)
        return self._count > _FEWEST and mean > DIVERGED * self._best


def read_curve(
    rates: Sequence[float], losses: Sequence[float], usual: tuple[float, float], label: str
) -> RateCurve:
    """What a search says.

    The suggestion is the rate at which the smoothed loss falls fastest, or a tenth of the rate at
    which it is lowest, whichever is less; never more than is usual for the optimizer.

    Args:
        rates: Rising.
        losses: One of each rate; what follows the first that is not finite is left out.
        usual: Lowest and highest rate that are usual for the optimizer.
        label: The optimizer as people call it.
    """
    count = next((at for at, loss in enumerate(losses) if not math.isfinite(loss)), len(losses))
    raw = np.asarray(losses[:count], dtype=np.float64)
    mean = smoothed(losses[:count])
    curve = RateCurve(
        rates=tuple(rates[:count]), losses=tuple(raw), smoothed=tuple(mean), reason=""
    )
    if count < _FEWEST:
        reason = f"The loss was lost after {count} steps: too few to say anything."
        return curve.model_copy(update={"reason": reason})
    lowest = int(np.argmin(mean))
    if not _falls(raw, mean, lowest):
        reason = "There is no clear fall of the loss at any rate, so none can be suggested."
        return curve.model_copy(update={"reason": reason})
    steepest, tenth = rates[_steepest(rates[:count], mean, lowest)], rates[lowest] / 10
    found = min(steepest, tenth)
    suggestion = _rounded(min(found, usual[1]))
    return curve.model_copy(
        update={
            "steepest": steepest,
            "tenth": tenth,
            "suggestion": suggestion,
            "reason": _reason(found, suggestion, steepest, usual, label),
        }
    )


def _falls(raw: NDArray[np.float64], mean: NDArray[np.float64], lowest: int) -> bool:
    """Whether the smoothed loss falls by more than chance would have it."""
    start = float(raw[: max(3, len(raw) // 10)].mean())
    # Of the differences between neighbors: a slow fall does not count as noise.
    steps = np.diff(raw[: max(lowest, _FEWEST) + 1])
    deviation = float(np.median(np.abs(steps))) / (0.6745 * math.sqrt(2))
    of_mean = deviation * math.sqrt((1 - KEEP) / (1 + KEEP))
    return start - float(mean[lowest]) > max(_LEAST_FALL * abs(start), _NOISES * of_mean)


def _steepest(rates: Sequence[float], mean: NDArray[np.float64], lowest: int) -> int:
    """Index of the fastest fall over the logarithm of the rate, up to the lowest loss."""
    slopes = np.gradient(mean, np.log10(rates))
    width = max(3, len(mean) // 12)
    padded = np.pad(slopes, width // 2, mode="edge")
    even = np.convolve(padded, np.full(width, 1 / width), mode="valid")[: len(mean)]
    return int(np.argmin(even[: lowest + 1]))


def _rounded(rate: float) -> float:
    """Two digits: more would be false precision."""
    return float(f"{rate:.1e}")


def _reason(
    found: float, suggestion: float, steepest: float, usual: tuple[float, float], label: str
) -> str:
    why = (
        "the loss falls fastest there"
        if found == steepest
        else "it is a tenth of the rate at which the loss is lowest"
    )
    low, high = usual
    if found > high:
        return (
            f"{suggestion:g} is the highest rate that is usual for {label}; the loss still falls "
            f"well at {_rounded(found):g}."
        )
    below = f" That is less than is usual for {label}: {low:g} to {high:g}." if found < low else ""
    return f"{suggestion:g}, because {why}.{below}"
