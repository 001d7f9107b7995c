"""Steps are so long that they jump over what is to be learned."""

from __future__ import annotations

import math

import numpy as np

from studio.engine.training.doctor.signs import OF_RESULTS, Finding, Illness, Signs, number, slower

_FEWEST_EPOCHS = 3
_STUCK = 0.5
"""A loss above this share of where it began has learned little."""
_FALLS = 0.95
"""Below this share of the half before, the loss of an epoch still falls."""
_JUMP = 1.6
"""Times the loss at the beginning: guessing costs about once that, whatever the batch."""
_FAR = 6.0
"""And so many spreads of the mean over a batch above it, which chance does not reach."""
_RESTLESS = 2.0
"""Spread between steps, as a share of the loss, times the root of the batch size. Chance alone
makes it about 1: losses of single images are spread about as wide as they are high."""
_LEAST_SPREAD = 0.2


def find(signs: Signs) -> Finding | None:
    """A loss that is still high, does not fall, and jumped or jumps more than chance explains."""
    if signs.epochs < _FEWEST_EPOCHS or not np.isfinite(signs.start):
        return None
    losses = signs.loss[np.isfinite(signs.loss)]
    if len(losses) < _FEWEST_EPOCHS:
        return None
    half = len(losses) // 2
    before, now = float(np.median(losses[:half])), float(np.median(losses[half:]))
    if now < _STUCK * signs.start or (now < _FALLS * before and now < signs.start):
        return None
    steps = signs.step_loss[np.isfinite(signs.step_loss)]
    # A single odd batch, or the label of one image, is no jump.
    worst = float(np.sort(steps)[-min(3, len(steps))])
    spread = _spread(steps[-len(steps) // 2 :]) / max(now, 1e-12)
    batch = signs.plan.batch_size * signs.plan.accumulate
    jumped = worst >= max(_JUMP, 1 + _FAR / math.sqrt(batch)) * signs.start
    restless = spread >= max(_LEAST_SPREAD, _RESTLESS / math.sqrt(batch))
    if not jumped and not restless:
        return None
    seen = f"went up to {number(worst)}" if jumped else f"jumps by {spread:.0%} between steps"
    return Finding(
        "rate_too_high",
        "The learning rate is too high",
        f"The training loss {seen} and is at {number(float(losses[-1]))} after {signs.epochs} "
        f"epochs; before anything was learned it was {number(signs.start)}.",
        "Take a third of the learning rate."
        if now < 0.9 * signs.start
        else "Take a tenth of the learning rate.",
        {"learning_rate": slower(signs, 1 / 3 if now < 0.9 * signs.start else 0.1)},
        0.0,
        float(signs.epochs),
    )


def _spread(steps: np.ndarray) -> float:
    """Standard deviation of neighbors' differences, from their median: a trend does not count."""
    if len(steps) < 2:
        return 0.0
    differences = np.abs(np.diff(steps))
    return float(np.median(differences)) / 0.6745 / math.sqrt(2)


RATE_TOO_HIGH = Illness(
    "rate_too_high", find, ("rate_too_low", "plateau", "over_fitting", *OF_RESULTS)
)
