"""Slants in both directions, each by an angle of its own."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import shear
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    steps.warp(shear(draws.around(plan.shear), draws.around(plan.shear)))


SHEAR = Operation(
    name="shear", fields=("shear",), is_on=lambda plan: plan.shear > 0, change=_change
)
