"""Hears classes of few images as much as those of many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def class_weights(labels: NDArray[np.int32], classes: int) -> NDArray[np.float64]:
    """What an image of each class counts in the loss.

    Args:
        labels: Of the training images.
        classes: How many classes there are.

    Returns:
        images / (classes with images * images of the class), so that the mean over all images is
        1; 0 for classes without any.
    """
    counts = np.bincount(labels, minlength=classes)
    present = counts > 0
    weights = np.zeros(classes)
    weights[present] = len(labels) / (present.sum() * counts[present])
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
        wanted = share + (position in extra)
        rounds = -(-wanted // len(own))
        drawn = np.concatenate([generator.permutation(own) for _ in range(max(rounds, 1))])
        parts.append(drawn[:wanted])
    drawn = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return generator.permutation(drawn)
