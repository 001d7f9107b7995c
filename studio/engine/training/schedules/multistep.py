"""Down by a factor at points of training that are named one by one."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, model_validator

from studio.engine.plans import plan_field
from studio.engine.training.schedules.schedule import ROUNDING, Policy, Schedule

_WHOLE = 100.0


def _numbers(value: object) -> object:
    """The list that a person typed, "50, 85" or "[50, 85]", as its parts."""
    if isinstance(value, str):
        parts = value.strip().removeprefix("[").removesuffix("]").split(",")
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(value, int | float):
        return (value,)
    return value


class MultistepPolicy(Policy):
    """rate = base * gamma ** (number of points that are reached).

    Source: policy `multistep` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in
    percent of training as in DIGITS. The order of the points does not matter.
    """

    at_percent: Annotated[tuple[float, ...], BeforeValidator(_numbers)] = plan_field(
        (50.0, 85.0),
        label="At",
        help="Points of training at which the rate falls, with commas between.",
        why="Put them where the validation curve has become flat.",
        unit="%",
    )
    gamma: float = plan_field(
        0.5,
        label="Factor",
        help="What the rate is multiplied by each time.",
        why="0.1 is the classic; 0.5 for more and smaller steps.",
        gt=0,
        le=1,
    )

    def factor(self, progress: float) -> float:
        """A staircase with steps of different length."""
        done = 100 * (progress + ROUNDING)
        return float(self.gamma ** sum(point <= done for point in self.at_percent))

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        outside = [point for point in self.at_percent if not 0 < point <= _WHOLE]
        if outside or not self.at_percent:
            raise ValueError(
                "one or more percents above 0 and up to 100 are needed; received "
                f"{', '.join(f'{point:g}' for point in self.at_percent) or 'none'}"
            )
        return self


MULTISTEP = Schedule(
    name="multistep",
    label="Steps at given points",
    summary="Falls by a factor at the points of training that you name.",
    parameters=MultistepPolicy,
)
