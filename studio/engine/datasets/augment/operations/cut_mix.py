"""Pastes a rectangle of another image of the batch; labels are mixed by its area.

Source: S. Yun et al., "CutMix: regularization strategy to train strong classifiers with
localizable features", ICCV 2019, arXiv:1905.04899;
one rectangle per batch, its area 1 - beta(alpha, alpha).
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
    height, width = images.shape[1:3]
    side = (1.0 - generator.beta(plan.cut_mix, plan.cut_mix)) ** 0.5
    rows = _span(height, side, draws)
    columns = _span(width, side, draws)
    partners = generator.permutation(len(images))
    images[:, rows, columns] = images[partners][:, rows, columns]
    # The border may have cut the rectangle: its true area counts.
    area = (rows.stop - rows.start) * (columns.stop - columns.start)
    share = np.float32(1.0 - area / (height * width))
    return images, share * labels + (1 - share) * labels[partners]


def _span(length: int, share: float, draws: Draws) -> slice:
    """A part of a side about a place that is uniform, cut at the borders."""
    middle, half = draws.unit() * length, share * length / 2
    return slice(max(0, round(middle - half)), min(length, round(middle + half)))


CUT_MIX = Operation(
    name="cut_mix", fields=("cut_mix",), is_on=lambda plan: plan.cut_mix > 0, mix=_mix
)
