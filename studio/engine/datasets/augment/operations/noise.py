"""Normal noise for every pixel and channel, as `aug_noise` of DIGITS."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps
from studio.engine.datasets.augment.warp import Pixels


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    generator, spread = draws.generator(), np.float32(2.55 * plan.noise)

    def paint(pixels: Pixels) -> Pixels:
        noisy = generator.standard_normal(pixels.shape, np.float32)
        noisy *= spread
        noisy += pixels
        return np.clip(np.rint(noisy, out=noisy), 0, 255, out=noisy).astype(np.uint8)

    steps.paint(paint)


NOISE = Operation(
    name="noise", fields=("noise",), is_on=lambda plan: plan.noise > 0, change=_change
)
