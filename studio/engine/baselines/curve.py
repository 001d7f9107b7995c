"""Learning curves: the score by the number of training images, and what more would give."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.baselines.report import CurvePoint, Growth

Floats = NDArray[np.float64]

POINTS = 6
FEWEST_POINTS = 4
FARTHEST = 8
"""Nothing is said about more than so many times the images of the largest point."""

WORST_MISS = 0.02
WIDEST = 0.06
DRAWS = 400
_EXPONENTS = np.geomspace(0.05, 2.0, 60)
_LEAST_SPREAD = 0.003


def sizes_up_to(count: int, classes: int, points: int = POINTS) -> list[int]:
    """Numbers of training images to learn from, log-spaced, ascending; the last is `count`.

    The first has at least two images of a class, and at least a thirtieth of all.
    """
    first = max(2 * classes, count // 30, 10)
    if first >= count:
        return [count]
    sizes = np.geomspace(first, count, points).round().astype(int).tolist()
    return sorted(set(sizes))


def point(images: int, scores: Sequence[float]) -> CurvePoint:
    """One point of the curve from what several draws gave."""
    values = np.array(scores, np.float64)
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return CurvePoint(
        images=images,
        score=float(values.mean()),
        spread=spread,
        scores=tuple(values.tolist()),
    )


def growth(curve: Sequence[CurvePoint], images: int, seed: int = 0) -> Growth:
    """What twice as many training images would give.

    A power law is fitted to the error, again and again with the points moved at random by their
    own uncertainty; the interval holds nine tenths of what comes out.

    Args:
        curve: Points, ascending.
        images: How many training images the dataset has; the curve may end earlier.
        seed: Of the random moves.

    Returns:
        A gain with its interval, or the reason why there is none.
    """
    if len(curve) < FEWEST_POINTS:
        return Growth(images=images, reason="there are too few training images for a curve")
    if 2 * images > FARTHEST * curve[-1].images:
        return Growth(
            images=images,
            reason=f"only {curve[-1].images:,} of {images:,} training images were looked at",
        )
    sizes = np.array([each.images for each in curve], np.float64)
    errors = np.array([1 - each.score for each in curve])
    # Few draws may agree by accident: no point is more certain than the others in the middle.
    spreads = np.array([each.spread / math.sqrt(len(each.scores)) for each in curve])
    doubts = np.maximum(spreads, max(float(np.median(spreads)), _LEAST_SPREAD))
    generator = np.random.Generator(np.random.PCG64(seed))
    moved = errors + generator.standard_normal((DRAWS, len(curve))) * doubts
    floors, scales, exponents = _fitted(sizes, np.vstack([errors, moved]), doubts)
    gains = scales * (images**-exponents - (2.0 * images) ** -exponents)
    miss = float(np.sqrt(((floors[0] + scales[0] * sizes ** -exponents[0] - errors) ** 2).mean()))
    low, high = np.percentile(gains[1:], (5, 95)).tolist()
    law = {
        "images": images,
        "floor": float(floors[0]),
        "scale": float(scales[0]),
        "exponent": float(exponents[0]),
        "miss": miss,
    }
    if scales[0] <= 0:
        return Growth(**law, reason="the score does not grow with the images that there are")
    if miss > WORST_MISS:
        return Growth(**law, reason="the curve is too uneven")
    if high - low > WIDEST:
        return Growth(
            **law, reason=f"anything from {low * 100:.0f} to {high * 100:.0f} points is possible"
        )
    return Growth(**law, gain=float(gains[0]), low=min(low, gains[0]), high=max(high, gains[0]))


def _fitted(sizes: Floats, errors: Floats, doubts: Floats) -> tuple[Floats, Floats, Floats]:
    """Weighted least squares of error = floor + scale * size ** -exponent, for each row of errors.

    For a given exponent the law is linear in the other two, which are both not negative; the
    exponent is looked for in a table.

    Returns:
        Floor, scale and exponent of each row.
    """
    weights = 1 / doubts**2
    total = weights.sum()
    mean_error = errors @ weights / total
    rows = len(errors)
    best = np.full(rows, np.inf)
    found = np.zeros((3, rows))
    for exponent in _EXPONENTS:
        basis = sizes**-exponent
        mean_basis = float(basis @ weights / total)
        centered = (basis - mean_basis) * weights
        scale = errors @ centered / float((basis - mean_basis) @ centered)
        floor = mean_error - scale * mean_basis
        through_zero = errors @ (basis * weights) / float(basis * weights @ basis)
        scale = np.where(floor < 0, through_zero, scale)
        floor = np.where(floor < 0, 0.0, floor)
        falls = scale < 0
        scale, floor = np.where(falls, 0.0, scale), np.where(falls, mean_error, floor)
        missed = ((floor[:, None] + scale[:, None] * basis - errors) ** 2) @ weights
        better = missed < best - 1e-12
        best = np.where(better, missed, best)
        found = np.where(better, np.array([floor, scale, np.full(rows, exponent)]), found)
    return found[0], found[1], found[2]
