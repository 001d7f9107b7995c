"""Adds one amount to all channels, as `keras.layers.RandomBrightness`."""

from __future__ import annotations

from studio.engine.datasets.augment.color import UNCHANGED
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    shift = 255.0 * draws.around(plan.brightness / 100)
    steps.recolor(UNCHANGED, (shift, shift, shift))


BRIGHTNESS = Operation(
    name="brightness",
    fields=("brightness",),
    is_on=lambda plan: plan.brightness > 0,
    change=_change,
)
