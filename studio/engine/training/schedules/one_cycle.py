"""Up to the base rate and down below where it began, once."""

from __future__ import annotations

import math

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule


class OneCyclePolicy(Policy):
    """From base * start up to base, then down to base * final, both along half a cosine.

    Source: L. N. Smith and N. Topin, "Super-convergence: very fast training of neural networks
    using large learning rates", 2018, arXiv:1708.07120; with cosines instead of straight lines.
    """

    rise_percent: float = plan_field(
        30.0,
        label="Rise",
        help="Share of training in which the rate goes up.",
        why="30 % is usual; less when there are many epochs.",
        unit="%",
        ge=0,
        le=100,
    )
    start_percent: float = plan_field(
        4.0,
        label="First rate",
        help="Rate at the start, as a share of the highest.",
        why="4 to 10 %: low enough that the first steps cannot jump.",
        unit="%",
        gt=0,
        le=100,
    )
    final_percent: float = plan_field(
        0.01,
        label="Last rate",
        help="Rate at the end, as a share of the highest.",
        why="The lower, the more the last steps only settle.",
        unit="%",
        level="expert",
        ge=0,
        le=100,
    )

    def factor(self, progress: float) -> float:
        """One hill."""
        rise = self.rise_percent / 100
        if progress < rise:
            return _between(self.start_percent / 100, 1.0, progress / rise)
        fallen = (progress - rise) / (1 - rise) if rise < 1 else 0.0
        return _between(1.0, self.final_percent / 100, fallen)


def _between(first: float, last: float, done: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * done)) / 2


ONE_CYCLE = Schedule(
    name="one_cycle",
    label="One cycle",
    summary="Rises to the learning rate and falls far below: fast training with high rates.",
    parameters=OneCyclePolicy,
)
