"""A size factor that is normal about 1, shapes kept, as `aug_scale` of DIGITS."""

from __future__ import annotations

from studio.engine.datasets.augment.affine import zoom
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps

# A normal size has no limits; an image a fifth or five times as large says nothing any more.
_SMALLEST, _LARGEST = 0.2, 5.0


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    factor = 1.0 + draws.normal() * plan.rescale / 100
    steps.warp(zoom(1.0 / min(max(factor, _SMALLEST), _LARGEST)))


RESCALE = Operation(
    name="rescale", fields=("rescale",), is_on=lambda plan: plan.rescale > 0, change=_change
)
