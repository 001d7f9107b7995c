"""High at first, low in the end, with a smooth fall around one point."""

from __future__ import annotations

import math

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule

_LARGEST_EXPONENT = 700.0


class SigmoidPolicy(Policy):
    """rate = base / (1 + exp(gamma * (percent - step))).

    Source: policy `sigmoid` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), with the sign of
    DIGITS, which falls, and measured in percent of training. It starts a little below the base
    rate (at 99.3 % of it as it stands here).
    """

    step_percent: float = plan_field(
        50.0,
        label="Middle",
        help="Point of training at which half of the rate is left.",
        why="Put it where the validation curve becomes flat.",
        unit="%",
        ge=0,
        le=100,
    )
    gamma: float = plan_field(
        0.1,
        label="Steepness",
        help="How sudden the fall is.",
        why="Low is almost a straight line, high almost a step.",
        gt=0,
        le=100,
        scale="log",
    )

    def factor(self, progress: float) -> float:
        """An S that goes down."""
        exponent = self.gamma * (100 * progress - self.step_percent)
        return 1 / (1 + math.exp(min(exponent, _LARGEST_EXPONENT)))


SIGMOID = Schedule(
    name="sigmoid",
    label="Sigmoid",
    summary="Stays high, falls smoothly around one point, stays low.",
    parameters=SigmoidPolicy,
)
