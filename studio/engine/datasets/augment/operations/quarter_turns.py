"""Turns by multiples of 90 degrees, as `aug_quad_rot` of DIGITS."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import quarter_turn
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps

_TURNS = {"none": (0,), "half": (0, 2), "quarter": (0, 1, 3), "all": (0, 1, 2, 3)}


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    turns = _TURNS[plan.quarter_turns]
    steps.warp(quarter_turn(turns[draws.below(len(turns))], steps.width, steps.height))


QUARTER_TURNS = Operation(
    name="quarter_turns",
    fields=("quarter_turns",),
    is_on=lambda plan: plan.quarter_turns != "none",
    change=_change,
)
