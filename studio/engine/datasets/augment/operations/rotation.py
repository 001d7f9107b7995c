"""Turns about the center by an angle that is uniform in plus or minus the plan's."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import rotation
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    steps.warp(rotation(draws.around(plan.rotation)))


ROTATION = Operation(
    name="rotation", fields=("rotation",), is_on=lambda plan: plan.rotation > 0, change=_change
)
