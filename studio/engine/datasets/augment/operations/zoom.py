"""Shows 1 plus or minus up to the plan's share of each side, shapes kept."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import zoom
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    steps.warp(zoom(1.0 + draws.around(plan.zoom / 100)))


ZOOM = Operation(name="zoom", fields=("zoom",), is_on=lambda plan: plan.zoom > 0, change=_change)
