"""Covers a rectangle with the mean color.

Source: Z. Zhong et al., "Random erasing data augmentation", AAAI 2020, arXiv:1708.04896; the area
is uniform from nothing to the plan's, the sides differ by up to 3.3 times.
"""

from __future__ import annotations

import math

import numpy as np

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps
from studio.engine.datasets.augment.warp import Pixels

_LARGEST_RATIO = 3.3


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    area = draws.between(0.0, plan.erasing / 100)
    ratio = math.exp(draws.around(math.log(_LARGEST_RATIO)))
    # Shares of the sides; where one would be longer than the image, the other makes up for it.
    tall = min(1.0, max(area, math.sqrt(area * ratio)))
    height = round(steps.height * tall)
    width = round(steps.width * area / tall) if tall else 0
    top = draws.below(steps.height - height + 1)
    left = draws.below(steps.width - width + 1)

    def paint(pixels: Pixels) -> Pixels:
        pixels = pixels.copy()
        # By columns first: NumPy is ten times slower over both sides of an image at once.
        columns = pixels.sum(axis=0, dtype=np.uint32)
        mean = (columns.sum(axis=0) / (steps.height * steps.width)).round().astype(np.uint8)
        pixels[top : top + height, left : left + width] = mean
        return pixels

    steps.paint(paint)


ERASING = Operation(
    name="erasing", fields=("erasing",), is_on=lambda plan: plan.erasing > 0, change=_change
)
