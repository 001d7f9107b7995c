"""Down to zero along a power of what is left of training."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule


class PolynomialPolicy(Policy):
    """rate = base * (1 - percent / 100) ** power.

    Source: policy `poly` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`).
    """

    power: float = plan_field(
        3.0,
        label="Power",
        help="1 is a straight line; more falls earlier.",
        why="1 or 2 keep learning fast for longer; 3 and more settle early.",
        gt=0,
        le=20,
    )

    def factor(self, progress: float) -> float:
        """A curve that ends at zero."""
        return float((1 - progress) ** self.power)


POLYNOMIAL = Schedule(
    name="polynomial",
    label="Polynomial",
    summary="Falls to zero: in a straight line, or earlier with a higher power.",
    parameters=PolynomialPolicy,
)
