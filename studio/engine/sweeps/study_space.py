"""The space of a sweep in Optuna's words."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from studio.engine.sweeps.plan import GRID, Dimension, SweepPlan
from studio.engine.sweeps.space import is_whole, points_of

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution


def distributions_of(plan: SweepPlan) -> dict[str, BaseDistribution]:
    """A distribution per dimension; a grid chooses among the points of its ranges."""
    return {
        dimension.field: _distribution(dimension, is_grid=plan.sampler == GRID)
        for dimension in plan.dimensions
    }


def fingerprint(plan: SweepPlan) -> str:
    """A text that changes when the space does."""
    dimensions = [dimension.model_dump(mode="json") for dimension in plan.dimensions]
    return json.dumps([plan.sampler == GRID, dimensions])


def _distribution(dimension: Dimension, *, is_grid: bool) -> BaseDistribution:
    from optuna.distributions import (  # noqa: PLC0415 - takes half a second, see the package
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    low, high, step = dimension.low, dimension.high, dimension.step
    if is_grid or low is None or high is None:
        return CategoricalDistribution(points_of(dimension))
    log = dimension.scale == "log"
    if is_whole(dimension):
        stride = round(step or 1)
        top = round(low) + (round(high) - round(low)) // stride * stride
        return IntDistribution(round(low), top, log=log, step=stride)
    if step is not None:
        # Optuna wants a range of whole steps.
        high = low + math.floor((high - low) / step + 1e-9) * step
    return FloatDistribution(low, high, log=log, step=step)
