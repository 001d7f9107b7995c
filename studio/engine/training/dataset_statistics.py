"""Statistics of the training split: mean image, scale of the targets, class weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.augment.plan import Mean
from studio.engine.datasets.store import Store
from studio.engine.networks.checks import LINEAR
from studio.engine.networks.fitting import TargetScale
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
        None for `"none"`, or if there is no training image.
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


def target_scale(store: Store) -> TargetScale | None:
    """Return the statistics of the training targets; None for tasks without numbers."""
    if store.targets is None or store.task.activation != LINEAR:
        return None
    values = store.targets[store.rows("train")].astype(np.float64)
    if not len(values):
        return None
    deviation = values.std(axis=0)
    # A constant target is not scaled.
    deviation[deviation < np.finfo(np.float32).tiny] = 1.0
    return TargetScale(tuple(values.mean(axis=0).tolist()), tuple(deviation.tolist()))


def class_weights(labels: NDArray[np.int32], classes: int) -> NDArray[np.float64]:
    """Return the weight of an image of each class in the loss.

    Args:
        labels: Labels of the training images.
        classes: Number of classes.

    Returns:
        images / (classes with images * images of the class), so that the mean over all images is
        1; 0 for classes without any.
    """
    return balanced_weights(np.bincount(labels, minlength=classes))


def balanced_weights(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weight of each class in the loss from what there is of it, shape (K,).

    Args:
        counts: Images, pixels or boxes of each class, shape (K,).

    Returns:
        all / (classes that occur * those of the class), so that the mean over all is 1; 0 for
        classes without any.
    """
    present = counts > 0
    weights = np.zeros(len(counts))
    weights[present] = counts.sum() / (present.sum() * counts[present])
    return weights


def balanced_order(labels: NDArray[np.int32], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return a random order of as many images, with every class as often as the others.

    Classes of few images come several times, each image as often as the others of its class, give
    or take one; of classes with many, every epoch draws other ones.

    Args:
        labels: Class of each training image, or its rarest label.
        generator: Seeded, so that an epoch can be repeated.

    Returns:
        Indices into `labels`, as many as it has.
    """
    present = np.unique(labels)
    share, more = divmod(len(labels), max(len(present), 1))
    parts = []
    # Which classes get the images that are left over is drawn, too.
    extra = set(generator.permutation(len(present))[:more].tolist())
    for position, label in enumerate(present):
        own = np.flatnonzero(labels == label)
        requested = share + (position in extra)
        rounds = -(-requested // len(own))
        drawn = np.concatenate([generator.permutation(own) for _ in range(max(rounds, 1))])
        parts.append(drawn[:requested])
    drawn = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return generator.permutation(drawn)
