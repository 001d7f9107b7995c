"""Statistics of the training split: mean image, scale of targets, class weights, photographs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.augment.plan import Mean
from studio.engine.datasets.store import Store
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
    total, pixels = np.zeros(store.shape), store.pixel_format
    for start in range(0, len(rows), _CHUNK):
        images = store.images[rows[start : start + _CHUNK]]
        values = images if pixels.is_standard else pixels.network_values(images)
        total += values.sum(axis=0, dtype=np.float64)
    mean = total / len(rows)
    if kind == "pixel":
        mean = mean.mean(axis=(0, 1), keepdims=True)
    return MeanImage(mean.shape[0], mean.shape[1], tuple(mean.ravel().tolist()))


def target_scale(store: Store) -> TargetScale | None:
    """Return the statistics of the training targets; None for tasks without numbers."""
    if not store.task.gives_numbers:
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


# Photographs.

SAMPLED = 48
"""Images whose pixels are read."""

MIN_LEVELS = 48
MAX_DOMINANT = 0.15
"""Photographs have many gray levels, and none of them covers much of the image. Medians measured:
CIFAR-10 193 levels and 0.02, blood cells 94 and 0.04, electron micrographs 230 and 0.01; digits
206 and 0.31."""

MIN_SMOOTHNESS = 0.4
"""Neighboring pixels of photographs are alike: CIFAR-10 0.90, electron micrographs of 64 pixels
0.63; noise 0.0."""

COLORFUL = 5.0
_CUT_OUT_LEVELS = 100
_CUT_OUT_DOMINANT = 0.85


@dataclass(frozen=True, slots=True)
class PhotoStatistics:
    """Medians over a sample of the images.

    Attributes:
        levels: Gray levels that occur, of 256.
        dominant: Fraction of the pixels that have the most frequent gray level, 0 to 1.
        saturation: Mean distance of the largest from the smallest channel, 0 to 255.
        smoothness: Correlation of neighboring pixels, -1 to 1.
    """

    levels: float
    dominant: float
    saturation: float
    smoothness: float

    @property
    def is_photo(self) -> bool:
        """True if the images look like photographs."""
        if self.levels < MIN_LEVELS or self.smoothness < MIN_SMOOTHNESS:
            return False
        if self.dominant < MAX_DOMINANT:
            return True
        # A product in front of a plain background.
        return (
            self.saturation >= COLORFUL
            and self.levels >= _CUT_OUT_LEVELS
            and self.dominant < _CUT_OUT_DOMINANT
        )


def photo_statistics(store: Store) -> PhotoStatistics | None:
    """Measure a sample of the training images; None if there are none.

    Raises:
        BadDataError: An image is damaged.
    """
    rows = store.rows("train")
    if not len(rows):
        return None
    some = rows[np.linspace(0, len(rows) - 1, min(SAMPLED, len(rows))).astype(np.int64)]
    found = [_of_image(image) for image in store.pixel_format.to_bytes(store.images[some])]
    return PhotoStatistics(*np.median(np.array(found, np.float64), axis=0).tolist())


def _of_image(image: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Return the values of an image, shape (H, W, C), in the order of `PhotoStatistics`."""
    gray = image.mean(axis=2).round().astype(np.uint8)
    counts = np.bincount(gray.ravel(), minlength=256)
    spread = image.max(axis=2).astype(np.float32) - image.min(axis=2)
    dominant = float(counts.max() / gray.size)
    return float((counts > 0).sum()), dominant, float(spread.mean()), _smoothness(gray)


def _smoothness(gray: NDArray[np.uint8]) -> float:
    left = gray[:, :-1].ravel().astype(np.float32)
    right = gray[:, 1:].ravel().astype(np.float32)
    if left.size < 2 or left.std() == 0 or right.std() == 0:
        return 1.0
    return float(np.corrcoef(left, right)[0, 1])
