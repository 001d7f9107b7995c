"""Spreads every channel about its mean, as `keras.layers.RandomContrast`."""

from __future__ import annotations

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    # Above 100 % the lower end would turn the image into its negative.
    share = plan.contrast / 100
    steps.contrast(draws.between(max(0.0, 1.0 - share), 1.0 + share))


CONTRAST = Operation(
    name="contrast", fields=("contrast",), is_on=lambda plan: plan.contrast > 0, change=_change
)
