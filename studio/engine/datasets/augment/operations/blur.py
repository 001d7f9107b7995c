"""Gaussian blur of a radius that is uniform from 0 to the plan's."""

from __future__ import annotations

from PIL import ImageFilter

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    soft = ImageFilter.GaussianBlur(draws.between(0.0, plan.blur))
    steps.filter(lambda picture: picture.filter(soft))


BLUR = Operation(name="blur", fields=("blur",), is_on=lambda plan: plan.blur > 0, change=_change)
