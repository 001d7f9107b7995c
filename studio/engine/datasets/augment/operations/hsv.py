"""Hue, saturation and value, each with a draw of its own, as one change of color.

DIGITS turned hue by the saturation's amount, and added a value of 0.06 to pixels of 0 to 255; here
each does what it says.
"""

from __future__ import annotations

from studio.engine.datasets.augment import color
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    degrees = draws.around(plan.hue)
    saturation = 1.0 + draws.around(plan.saturation / 100)
    value = 1.0 + draws.around(plan.value / 100)
    if plan.hue:
        steps.recolor(color.hue(degrees))
    if plan.saturation:
        steps.recolor(color.saturation(saturation))
    if plan.value:
        steps.recolor(color.scaling(value))


HSV = Operation(
    name="hsv",
    fields=("hue", "saturation", "value"),
    is_on=lambda plan: plan.hue > 0 or plan.saturation > 0 or plan.value > 0,
    change=_change,
)
