"""The training loss falls, but the metric of the task does not rise."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.plateau import GOOD, halves, no_score_rises
from studio.engine.training.doctor.signs import Finding, Illness, Signs, number

_FEWEST = 10
_FALLS = 0.9
"""Training loss of the last quarter of the epochs against that of the quarter before."""


def find(signs: Signs) -> Finding | None:
    """A loss that fell over the last half of the epochs, in which no score rose."""
    late = slice(signs.epochs // 2, None)
    has_score = bool(np.isfinite(signs.val_score[late]).any())
    if signs.epochs < _FEWEST or not has_score or not np.isfinite(signs.loss).all():
        return None
    before, now = halves(signs.loss[late])
    best = np.nanmax(np.concatenate([signs.score[late], signs.val_score[late]]))
    if now > _FALLS * before or not no_score_rises(signs, late) or best >= GOOD:
        return None
    reached = float(np.nanmedian(signs.val_score[late]))
    first = signs.epochs // 2 + 1
    changes = signs.accepted({"balance": "class_weights"} if signs.plan.balance == "none" else {})
    advice = "Take a network that can learn more, or pretrained weights."
    if changes:
        advice = "Let what is rare weigh more in the loss: a loss also falls by what is frequent."
    return Finding(
        "flat_score",
        "The loss falls, but the results do not get better",
        f"From epoch {first} to {signs.epochs} training loss fell from {number(before)} to "
        f"{number(now)}, with validation {signs.score_text(reached)} all the time.",
        advice,
        changes,
        float(first - 1),
        float(signs.epochs),
    )


FLAT_SCORE = Illness("flat_score", find)
