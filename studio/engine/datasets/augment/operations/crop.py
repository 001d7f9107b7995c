"""A square at a random place in training, and in the middle otherwise, as `crop_size` of DIGITS.

The network itself cuts out the middle, so that whoever holds the model can feed it whole images.
Here the image is moved by whole pixels, so that the wanted square comes to lie in that middle.
"""

from __future__ import annotations

from studio.engine.datasets.augment.affine import translation
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    right, down = (_shift(side, plan.crop, draws) for side in (steps.width, steps.height))
    steps.warp(translation(right, down))


def _shift(side: int, crop: int, draws: Draws) -> int:
    """From the window that is drawn to the one in the middle, in pixels."""
    return (side - crop) // 2 - draws.below(side - crop + 1)


CROP = Operation(
    name="crop",
    fields=("crop",),
    is_on=lambda plan: plan.crop > 0,
    change=_change,
    in_network=True,
)
