"""The same rate all along."""

from __future__ import annotations

from studio.engine.training.schedules.schedule import Policy, Schedule


class ConstantPolicy(Policy):
    """rate = base. Nothing to set."""

    def factor(self, progress: float) -> float:  # noqa: ARG002 - it does not matter here
        """Always 1."""
        return 1.0


CONSTANT = Schedule(
    name="constant",
    label="Constant",
    summary="The same rate all along.",
    parameters=ConstantPolicy,
)
