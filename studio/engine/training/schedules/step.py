"""Down by a factor every so often."""

from __future__ import annotations

import math

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import ROUNDING, Policy, Schedule


class StepPolicy(Policy):
    """rate = base * gamma ** floor(percent / step).

    Source: policy `step` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    step_percent: float = plan_field(
        33.0,
        label="Every",
        help="Share of training after which the rate falls, again and again.",
        why="33 % makes two falls; take less for more of them.",
        unit="%",
        gt=0,
        le=100,
    )
    gamma: float = plan_field(
        0.1,
        label="Factor",
        help="What the rate is multiplied by each time.",
        why="0.1 is the classic; 0.5 with many steps.",
        gt=0,
        le=1,
        scale="log",
    )

    def factor(self, progress: float) -> float:
        """A staircase that goes down."""
        return self.gamma ** math.floor(100 * (progress + ROUNDING) / self.step_percent)


STEP = Schedule(
    name="step",
    label="Step down",
    summary="Falls by a factor after every third of training, or as often as you say.",
    parameters=StepPolicy,
)
