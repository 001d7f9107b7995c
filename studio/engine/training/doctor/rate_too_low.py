"""Steps are so short that training would take many times as long as was asked."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.signs import OF_RESULTS, Finding, Illness, Signs, number, slower

_FEWEST_EPOCHS = 5
_DONE = 0.5
"""Share of the epochs that were asked for: a large network may begin slowly."""
_LEARNED_LITTLE = 0.6
"""A loss above this share of where it began, so late, has hardly learned."""
_HARDLY = 0.95
_FALLING = 0.75
"""Share of the epochs that brought the loss down."""
_STILL = 0.2
"""Share of all that was gained which came in the last third: a third if it falls evenly."""


def find(signs: Signs) -> Finding | None:
    """A high loss late in the run that falls evenly, and still does."""
    enough = max(_FEWEST_EPOCHS, _DONE * signs.plan.epochs)
    if signs.epochs < enough or not np.isfinite(signs.loss).all() or not np.isfinite(signs.start):
        return None
    losses = signs.loss
    first, last = float(losses[0]), float(losses[-1])
    gained = first - last
    late = float(losses[-1 - signs.epochs // 3]) - last
    falls = float(np.mean(np.diff(losses) < 0))
    even = falls >= _FALLING and gained > 0 and late >= _STILL * gained
    if not even or last < _LEARNED_LITTLE * max(first, signs.start):
        return None
    factor = 10.0 if last > _HARDLY * first else 3.0
    rate = slower(signs, factor)
    if rate <= signs.plan.learning_rate:
        return None
    return Finding(
        "rate_too_low",
        "The learning rate is too low",
        f"The training loss fell in {falls:.0%} of the epochs, but only from {number(first)} to "
        f"{number(last)} in {signs.epochs} epochs, and still falls.",
        f"Take {factor:.0f} times the learning rate.",
        {"learning_rate": rate},
        0.0,
        float(signs.epochs),
    )


RATE_TOO_LOW = Illness("rate_too_low", find, ("plateau", "over_fitting", *OF_RESULTS))
