"""Dark lines; imported only where images are changed."""

from __future__ import annotations

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def darken(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Darken a quarter of the lines, each by up to the strength of the plan.

    All that is random comes from `draws`, so that a run that resumes sees the same images.
    """
    generator = draws.generator()
    dark = generator.random(steps.height) < 0.25
    factors = 1 - dark * generator.random(steps.height) * plan.added_strength / 100

    def paint(pixels: Pixels) -> Pixels:
        changed: Pixels = (pixels * factors[:, None, None]).astype(pixels.dtype)
        return changed

    steps.paint(paint)
