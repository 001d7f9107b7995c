"""Down as the inverse of time: fast at first, then ever more slowly."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule


class InversePolicy(Policy):
    """rate = base * (1 + gamma * percent) ** -power.

    Source: policy `inv` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    gamma: float = plan_field(
        0.1,
        label="Speed",
        help="How soon the rate falls.",
        why="Higher falls sooner. 0.1 has a third of the rate left at the end, "
        "with a power of a half.",
        ge=0,
        le=1000,
        scale="log",
    )
    power: float = plan_field(
        0.5,
        label="Power",
        help="How far the rate falls.",
        why="1 falls as one divided by time, a half more slowly; 0 does not fall at all.",
        ge=0,
        le=20,
    )

    def factor(self, progress: float) -> float:
        """A curve that never reaches zero."""
        return float((1 + self.gamma * 100 * progress) ** -self.power)


INVERSE = Schedule(
    name="inverse",
    label="Inverse",
    summary="Falls fast at first and never ends falling.",
    parameters=InversePolicy,
)
