"""Half a cosine from the base rate down to a last one."""

from __future__ import annotations

import math

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import Policy, Schedule


class CosinePolicy(Policy):
    """rate = base * (final + (1 - final) * (1 + cos(pi * progress)) / 2).

    Source: I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts",
    ICLR 2017, arXiv:1608.03983, equation 5, without restarts.
    """

    final_percent: float = plan_field(
        1.0,
        label="Last rate",
        help="Rate at the end, as a share of the first.",
        why="0 to 1 % is usual: the last epochs then only settle.",
        unit="%",
        level="expert",
        ge=0,
        le=100,
    )

    def factor(self, progress: float) -> float:
        """A curve that falls slowly at first, then fast, then slowly."""
        final = self.final_percent / 100
        return final + (1 - final) * (1 + math.cos(math.pi * progress)) / 2


COSINE = Schedule(
    name="cosine",
    label="Cosine",
    summary="Falls slowly at first and at the end, fast between: a good choice when unsure.",
    parameters=CosinePolicy,
)
