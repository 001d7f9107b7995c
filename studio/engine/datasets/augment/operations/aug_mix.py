"""Blends the image with three chains of one to three moves.

Source: D. Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
uncertainty", ICLR 2020, arXiv:1912.02781, algorithm 1, without its consistency loss.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.moves import ROBUST_MOVES
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps, render
from studio.engine.datasets.augment.warp import to_picture, to_pixels

_CHAINS = 3
_LONGEST = 3


def _change(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    generator = draws.generator()
    # Dirichlet and beta of parameter 1: the shares of the chains, and of the image itself.
    shares = generator.dirichlet(np.ones(_CHAINS)) * (1.0 - (kept := generator.beta(1.0, 1.0)))
    chains = [_chain(plan, draws, steps) for _ in range(_CHAINS)]

    def blend(picture: Image.Image) -> Image.Image:
        pixels = to_pixels(picture)
        mixed = pixels * np.float32(kept)
        for share, changed in zip(
            shares, render(np.stack([pixels] * _CHAINS), chains), strict=True
        ):
            mixed += changed * np.float32(share)
        # Shares are rounded: a white pixel may come to a little above 255.
        return to_picture(np.minimum(np.rint(mixed), 255).astype(np.uint8))

    steps.filter(blend)


def _chain(plan: AugmentationPlan, draws: Draws, steps: Steps) -> Steps:
    chain = Steps(steps.height, steps.width, steps.channels, steps.fill)
    for _ in range(1 + draws.below(_LONGEST)):
        move = ROBUST_MOVES[draws.below(len(ROBUST_MOVES))]
        move(chain, draws.around(plan.aug_mix / 10))
    return chain


AUG_MIX = Operation(
    name="aug_mix", fields=("aug_mix",), is_on=lambda plan: plan.aug_mix > 0, change=_change
)
