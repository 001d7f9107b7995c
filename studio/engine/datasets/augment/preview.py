"""What training will see, for a picture of it before training begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.augment.augmenter import Augmenter, one_hot
from studio.engine.datasets.augment.checks import check_augmentation
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import raise_if_serious


def preview(
    images: NDArray[np.uint8],
    plan: AugmentationPlan,
    seed: int,
    epoch: int,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.uint8]:
    """Change images exactly as training does, whose functions these are.

    Only what makes images: whitening and the mean are subtracted by the network, and no picture.
    The images count as the first batch where batches are mixed.

    Args:
        images: uint8, shape (n, height, width, 1 or 3); left as they are.
        plan: What is done.
        seed: The seed of the training plan.
        epoch: From 0.
        rows: Rows of the images in their dataset; 0, 1, ... when left out.

    Returns:
        uint8, shape (n, height, width, channels); with `plan.crop`, what the network cuts out.

    Raises:
        StudioError: The plan does not fit the images.
    """
    height, width, channels = images.shape[1:]
    raise_if_serious(check_augmentation(plan, (height, width, channels), len(images)))
    augmenter = Augmenter(plan, seed)
    rows = np.arange(len(images)) if rows is None else rows
    changed = augmenter.changed(images.copy(), rows, epoch)
    labels = one_hot(np.zeros(len(images), np.int32), 1)
    changed, _ = augmenter.mixed(changed, labels, epoch, 0)
    if not plan.crop:
        return changed
    top, left = (height - plan.crop) // 2, (width - plan.crop) // 2
    return changed[:, top : top + plan.crop, left : left + plan.crop]
