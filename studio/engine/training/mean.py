"""The mean of the training images."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.augment.plan import Mean
from studio.engine.datasets.store import Store
from studio.engine.training.preprocessing import MeanImage

MEAN_IMAGES = 20_000
"""Most images that a mean is taken of; more of them change it by less than a level."""

_CHUNK = 256


def mean_of(store: Store, kind: Mean) -> MeanImage | None:
    """Take the mean, of images spread evenly over the training split.

    Args:
        store: The dataset.
        kind: `"pixel"` for the mean color, `"image"` for the mean of every pixel.

    Returns:
        None for `"none"`, or where there is no training image.
    """
    rows = store.rows("train")
    if kind == "none" or not len(rows):
        return None
    if len(rows) > MEAN_IMAGES:
        rows = rows[np.linspace(0, len(rows) - 1, MEAN_IMAGES).astype(np.int64)]
    total = np.zeros(store.shape)
    for start in range(0, len(rows), _CHUNK):
        total += store.images[rows[start : start + _CHUNK]].sum(axis=0, dtype=np.uint64)
    mean = total / len(rows)
    if kind == "pixel":
        mean = mean.mean(axis=(0, 1), keepdims=True)
    return MeanImage(mean.shape[0], mean.shape[1], tuple(mean.ravel().tolist()))
