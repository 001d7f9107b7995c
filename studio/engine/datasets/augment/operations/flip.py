"""Mirror images; exact, without resampling when nothing else moves them."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import flip
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    horizontal, vertical = draws.chance(0.5), draws.chance(0.5)
    steps.warp(
        flip(
            horizontal=horizontal and plan.horizontal_flip,
            vertical=vertical and plan.vertical_flip,
        )
    )


FLIP = Operation(
    name="flip",
    fields=("horizontal_flip", "vertical_flip"),
    is_on=lambda plan: plan.horizontal_flip or plan.vertical_flip,
    change=_change,
)
