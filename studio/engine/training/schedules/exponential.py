"""Down by the same factor in every percent of training."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule


class ExponentialPolicy(Policy):
    """rate = base * gamma ** percent.

    Source: policy `exp` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    gamma: float = plan_field(
        0.95,
        label="Factor",
        help="What the rate is multiplied by in every percent of training.",
        why="0.95 ends at 0.6 % of the first rate, 0.98 at 13 %.",
        gt=0,
        le=1,
    )

    def factor(self, progress: float) -> float:
        """A curve that falls fast at first."""
        return float(self.gamma ** (100 * progress))


EXPONENTIAL = Schedule(
    name="exponential",
    label="Exponential",
    summary="Falls by the same share all the time.",
    parameters=ExponentialPolicy,
)
