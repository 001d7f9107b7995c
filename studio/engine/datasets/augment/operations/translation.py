"""Moves sideways and upwards, each by a share of its own of that side."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import translation
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    share = plan.translation / 100
    right, down = draws.around(share) * steps.width, draws.around(share) * steps.height
    steps.warp(translation(right, down))


TRANSLATION = Operation(
    name="translation",
    fields=("translation",),
    is_on=lambda plan: plan.translation > 0,
    change=_change,
)
