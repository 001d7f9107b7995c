"""Blends every image of a batch with another one, and their labels alike.

Source: H. Zhang et al., "mixup: beyond empirical risk minimization", ICLR 2018, arXiv:1710.09412;
one share per batch, from beta(alpha, alpha).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operations.operation import Operation, Shares
from studio.engine.datasets.augment.plan import AugmentationPlan


def _mix(
    plan: AugmentationPlan, draws: Draws, images: NDArray[np.uint8], labels: Shares
) -> tuple[NDArray[np.uint8], Shares]:
    generator = draws.generator()
    # In steps of 1/256, so that whole numbers do, and labels have exactly the share of pixels.
    own = round(256 * generator.beta(plan.mix_up, plan.mix_up))
    partners = generator.permutation(len(images))
    mixed = images * np.uint16(own)
    mixed += images[partners] * np.uint16(256 - own)
    mixed += np.uint16(128)
    mixed >>= np.uint16(8)
    share = np.float32(own / 256)
    return mixed.astype(np.uint8), share * labels + (1 - share) * labels[partners]


MIX_UP = Operation(name="mix_up", fields=("mix_up",), is_on=lambda plan: plan.mix_up > 0, mix=_mix)
