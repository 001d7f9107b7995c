"""Cosine again and again, each time from a full or a lower rate."""

from __future__ import annotations

import math

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import ROUNDING, Policy, Schedule


class CosineRestartsPolicy(Policy):
    """Cosine in several rounds, each `length` times as long as the one before.

    Within round i, of which the share u is done, rate = base * decay ** i *
    (final + (1 - final) * (1 + cos(pi * u)) / 2).

    Source: I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts",
    ICLR 2017, arXiv:1608.03983, section 3; `length` is their T_mult.
    """

    rounds: int = plan_field(
        3,
        label="Rounds",
        help="How often the rate falls.",
        why="Each restart can leave a poor solution, but every round needs enough "
        "epochs: 2 to 4 are plenty.",
        ge=1,
        le=100,
    )
    length: float = plan_field(
        2.0,
        label="Growth",
        help="How many times as long each round is as the one before.",
        why="2 gives the last round the most time; 1 makes all alike.",
        ge=1,
        le=10,
    )
    decay: float = plan_field(
        1.0,
        label="Factor",
        help="What the highest rate is multiplied by in every new round.",
        why="Below 1 when a restart throws away what was learned.",
        gt=0,
        le=1,
    )
    final_percent: float = plan_field(
        1.0,
        label="Last rate",
        help="Rate at the end of a round, as a share of the one at its start.",
        why="Near 0, every round ends in a model that is good by itself.",
        unit="%",
        level="expert",
        ge=0,
        le=100,
    )

    def factor(self, progress: float) -> float:
        """A saw with rounded teeth."""
        lengths = [self.length**index for index in range(self.rounds)]
        left = progress * sum(lengths)
        index = 0
        while index + 1 < self.rounds and left + ROUNDING * sum(lengths) >= lengths[index]:
            left = max(left - lengths[index], 0.0)
            index += 1
        done = min(left / lengths[index], 1.0)
        final = self.final_percent / 100
        return float(
            self.decay**index * (final + (1 - final) * (1 + math.cos(math.pi * done)) / 2)
        )


COSINE_RESTARTS = Schedule(
    name="cosine_restarts",
    label="Cosine with restarts",
    summary="Falls as a cosine in several rounds; each restart may leave a poor solution.",
    parameters=CosineRestartsPolicy,
)
