"""Two moves drawn from fourteen, all of one strength.

Source: E. Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search
space", NeurIPS 2020, arXiv:1909.13719, with its N = 2.
"""

from __future__ import annotations

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.moves import ALL_MOVES
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps

_MOVES = 2


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    for _ in range(_MOVES):
        move = ALL_MOVES[draws.below(len(ALL_MOVES))]
        level = plan.rand_augment / 10
        move(steps, level if draws.chance(0.5) else -level)


RAND_AUGMENT = Operation(
    name="rand_augment",
    fields=("rand_augment",),
    is_on=lambda plan: plan.rand_augment > 0,
    change=_change,
)
