"""Comparison of images with the training images by their pixels and by features of the network.

Features are compared in two ways, of which the larger distance counts, because each misses images
that the other one recognizes:

* the angle to the nearest training images, after Sun, Ming, Zhu and Li, "Out-of-distribution
  detection with deep nearest neighbors", ICML 2022;
* the Mahalanobis distance, after Lee, Lee, Lee and Shin, "A simple unified framework for detecting
  out-of-distribution samples and adversarial attacks", NeurIPS 2018, of one distribution, so that
  it fits every task, with a covariance that is shrunk, as there are fewer images than features.

The threshold is that of conformal prediction: at most `ALARMS` of images like the validation
images are beyond it (Laxhammar and Falkman, "Conformal prediction for distribution independent
anomaly detection in streaming vessel data", 2010).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features, Pixels
from studio.engine.compute.forward import forward, outline, pooled, with_layer
from studio.engine.compute.graph import functional
from studio.engine.datasets.decode import describe
from studio.engine.datasets.store import Store, evenly_spaced
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import open_arrays, replacing
from studio.engine.inference.unlike.differences import Familiarity, compared
from studio.engine.inference.unlike.reference import (
    FEATURES_NAME,
    MIN_IMAGES,
    MIN_VALIDATION,
    SAMPLE,
    Reference,
    ValueRange,
    write_reference,
)
from studio.engine.inference.unlike.statistics import STATISTICS, Statistics, statistics_of
from studio.engine.pixel_format import PixelFormat
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from studio.engine.compute.forward import Passed

ALARMS: Final = 0.01
"""Share of images like the validation images whose features are called far."""
NEIGHBORS: Final = 3
"""Nearest training images whose mean distance counts."""
_AT_ONCE: Final = 32
_COMPILING_SECONDS: Final = 6.0
"""Time that layer by layer may take; beyond it a deep model is compiled, which takes 2 s or so."""
_FILES: Final = 64
"""Original files whose sizes are read."""

SHRINKAGE: Final = 0.1
"""Part of the covariance that is replaced by the same variance in every direction."""

Distances = NDArray[np.float32]
"""A row for each image: angle, and Mahalanobis distance."""


class KnownFeatures:
    """Features of training images, from which distances are measured.

    Args:
        features: Output of the layer for training images, shape (m, channels).
    """

    def __init__(self, features: NDArray[Any]) -> None:
        self.features = np.asarray(features, np.float32)
        self._directions = _normalized(self.features)
        self._mean = self.features.mean(axis=0)
        _, spread, self._axes = np.linalg.svd(self.features - self._mean, full_matrices=False)
        variances = spread**2 / len(self.features)
        floor = max(variances.sum() / self.features.shape[1], np.finfo(np.float32).tiny)
        self._floor = SHRINKAGE * floor
        self._variances = (1 - SHRINKAGE) * variances + self._floor

    def distances(self, features: NDArray[Any]) -> Distances:
        """Return the distances of images.

        Args:
            features: Output of the layer, shape (n, channels).

        Returns:
            Angle and Mahalanobis distance, shape (n, 2).
        """
        exact = np.asarray(features, np.float32)
        return np.stack([self._chords(exact), self._deviations(exact)], axis=1)

    def _chords(self, features: Features) -> NDArray[np.float32]:
        """Return the mean length of the chords to the nearest training images, 0 to 2."""
        squares = np.maximum(2 - 2 * (_normalized(features) @ self._directions.T), 0)
        count = min(NEIGHBORS, len(self._directions))
        nearest = np.partition(squares, count - 1, axis=1)[:, :count]
        mean: NDArray[np.float32] = np.sqrt(nearest).mean(axis=1)
        return mean

    def _deviations(self, features: Features) -> NDArray[np.float32]:
        """Return the Mahalanobis distances; the rest is what lies outside of all axes."""
        centered = features - self._mean
        inside = centered @ self._axes.T
        rest = np.maximum((centered**2).sum(axis=1) - (inside**2).sum(axis=1), 0)
        squares = (inside**2 / self._variances).sum(axis=1) + rest / self._floor
        deviations: NDArray[np.float32] = np.sqrt(squares).astype(np.float32)
        return deviations


def _normalized(features: Features) -> Features:
    lengths = np.linalg.norm(features, axis=1, keepdims=True)
    scaled: Features = features / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def _combined(far: Distances, scales: Sequence[float]) -> NDArray[np.float32]:
    """Return the larger of the distances in units of their scales, shape (n,)."""
    largest: NDArray[np.float32] = (far / np.asarray(scales, np.float32)).max(axis=1)
    return largest


# Measuring, at the end of a training.


def can_compare_features(store: Store) -> bool:
    """Return True if there are enough images for a threshold of the distance.

    Of some tasks, the outputs measure that distance themselves.
    """
    if not store.task.capabilities.familiarity:
        return False
    return min(len(store.rows("train")), len(store.rows("val"))) >= MIN_VALIDATION


def measure_training_images(
    folder: Path,
    store: Store,
    model: Callable[[], keras.Model],
    batch_size: int,
    progress: Progress,
) -> Reference | None:
    """Measure a sample of the training images, and write the result into the folder of a run.

    Args:
        folder: Folder of the run.
        store: The dataset.
        model: Opens the trained model; called only if its features can be compared.
        batch_size: Images that the model was trained with at a time, for which memory suffices.
        progress: Receives the progress.

    Returns:
        The reference; None if there are too few training images, and nothing was written.

    Raises:
        BadDataError: An image is damaged.
        DiskFullError: No space was left.
    """
    train = evenly_spaced(store.rows("train"), SAMPLE)
    val = evenly_spaced(store.rows("val"), SAMPLE)
    if len(train) < MIN_IMAGES:
        return None
    usual, held_back = (_measured(store, rows) for rows in (train, val))
    aspect, shortest = _original_sizes(store, train)
    reference = Reference(
        images=len(train),
        validation_images=len(val),
        statistics=_ranges(usual),
        aspect=aspect,
        shortest=shortest,
    )
    far = np.full(len(val), -1.0, np.float32)
    if can_compare_features(store):
        layer, known, others = _features(
            model(), store, (train, val), min(batch_size, _AT_ONCE), progress
        )
        if layer:
            distances = KnownFeatures(known).distances(others)
            scales = [_threshold(column) for column in distances.T]
            far = _combined(distances, scales)
            changes = {"layer": layer, "scales": tuple(scales), "threshold": _threshold(far)}
            reference = reference.model_copy(update=changes)
            _write_features(folder, known)
    reference = _with_rates(reference, held_back, far)
    write_reference(folder, reference)
    return reference


def _measured(store: Store, rows: NDArray[np.int64]) -> Statistics:
    pixels = store.pixel_format
    parts = [statistics_of(images, pixels) for images in _chunks(store, rows)]
    return np.concatenate(parts) if parts else np.zeros((0, len(STATISTICS)), np.float32)


def _chunks(store: Store, rows: NDArray[np.int64], size: int = _AT_ONCE) -> Iterable[Pixels]:
    for start in range(0, len(rows), size):
        yield store.images[rows[start : start + size]]


def _ranges(statistics: Statistics) -> dict[str, ValueRange]:
    low, high = statistics.min(axis=0).tolist(), statistics.max(axis=0).tolist()
    return {name: ValueRange(low=low[i], high=high[i]) for i, name in enumerate(STATISTICS)}


def _original_sizes(store: Store, rows: NDArray[np.int64]) -> tuple[ValueRange | None, int]:
    """Return the range of width divided by height, and the shortest side, of original files.

    Returns:
        None and 0 if images are tiles, or if a file is not there any longer.
    """
    some = evenly_spaced(rows, _FILES).tolist()
    if any(store.tile(row) is not None for row in some):
        return None, 0
    try:
        sizes = [describe(Path(store.origin(row)))[:2] for row in some]
    except (BadDataError, OSError, ValueError):
        return None, 0
    aspects = [width / height for width, height in sizes]
    return ValueRange(low=min(aspects), high=max(aspects)), min(map(min, sizes))


def _features(
    model: keras.Model,
    store: Store,
    splits: tuple[NDArray[np.int64], NDArray[np.int64]],
    batch_size: int,
    progress: Progress,
) -> tuple[str, Features, Features]:
    """Return the path of the layer, and the features of training and validation images.

    The path is empty if the layers of the model are unknown.
    """
    try:
        layer = outline(model).features
    except StudioError:  # a custom class
        return "", np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32)
    rows, parts = np.concatenate(splits), []
    batches = math.ceil(len(rows) / batch_size)
    output: Callable[[Pixels], Features] = partial(_layer_output, model, layer)
    for images in _chunks(store, rows, batch_size):
        start = time.monotonic()
        parts.append(output(images))
        if len(parts) == 1 and (time.monotonic() - start) * (batches - 1) > _COMPILING_SECONDS:
            output = _compiled_output(model, layer, batch_size)
        progress.advance(sum(map(len, parts)), len(rows), "Measuring the training images")
    features = np.concatenate(parts)
    known, others = np.split(features, [len(splits[0])])
    return layer, known.astype(np.float16).astype(np.float32), others


def _compiled_output(
    model: keras.Model, layer: str, batch_size: int
) -> Callable[[Pixels], Features]:
    """Return a function that computes the same as `_layer_output`, 2.5 times faster."""
    observed = observing(model, layer)

    def output(images: Pixels) -> Features:
        # Another number of images would be compiled again.
        whole = np.resize(images, (batch_size, *images.shape[1:]))
        return np.asarray(observed.predict_on_batch(whole)[1], np.float32)[: len(images)]

    return output


def _layer_output(model: keras.Model, layer: str, images: Pixels) -> Features:
    """Run a model layer by layer, without compiling it."""
    found: list[Any] = []

    def visited(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path == layer:
            found.append(pooled(keras.tree.flatten(passed.output)[0]))
        return passed.output

    forward(model, images, visited)
    return np.asarray(keras.ops.convert_to_numpy(found[0]), np.float32)


def _threshold(far: NDArray[np.float32]) -> float:
    """Return the distance beyond which at most `ALARMS` of new images are, where images allow."""
    rank = min(len(far), math.ceil((1 - ALARMS) * (len(far) + 1)))
    return max(float(np.sort(far)[rank - 1]), float(np.finfo(np.float32).tiny))


def _with_rates(
    reference: Reference, statistics: Statistics, far: NDArray[np.floating]
) -> Reference:
    """Add how often images like the training images are called different.

    Without features `far` is negative. One is added to both numbers, for the next image.
    """
    if not len(statistics):
        return reference

    def rate(reference: Reference) -> float:
        called = sum(
            bool(compared(_named(row), None, float(distance), reference).differences)
            for row, distance in zip(statistics, far, strict=True)
        )
        return (called + 1) / (len(far) + 1)

    rates = {
        "false_alarm_rate": rate(reference),
        "statistics_false_alarm_rate": rate(reference.without_features()),
    }
    return reference.model_copy(update=rates)


def _named(statistics: NDArray[np.float32]) -> dict[str, float]:
    return dict(zip(STATISTICS, statistics.tolist(), strict=True))


def _write_features(folder: Path, features: Features) -> None:
    with replacing(folder / FEATURES_NAME) as draft, draft.open("wb") as file:
        np.savez(file, features=features.astype(np.float16), allow_pickle=False)


def read_features(path: Path, channels: int) -> KnownFeatures:
    """Return the features of the training images of a run.

    Args:
        path: The file.
        channels: Number of features of an image.

    Raises:
        BadDataError: They are missing or damaged.
    """
    try:
        with open_arrays(path) as arrays:
            features = arrays["features"]
            is_table = features.ndim == 2 and features.dtype == np.float16
            fits = is_table and features.shape[1] == channels and 0 < len(features) <= SAMPLE
            if not fits or not np.isfinite(features).all():
                raise ValueError("these are no features")
    except DAMAGED as error:
        raise BadDataError(
            "The features of the training images in {path} cannot be read.",
            "Train again.",
            str(path),
            path=path,
        ) from error
    return KnownFeatures(features)


# Comparing, while a model predicts.


def observing(model: keras.Model, layer: str) -> keras.Model:
    """Return a model whose second output are the features, shape (n, channels).

    Args:
        model: The model, whose layers are shared.
        layer: Path of the layer, see `Reference`.

    Raises:
        StudioError: There is no such layer.
    """
    graph = functional(model)
    if layer in {each.name for each in graph.layers}:  # connecting all layers again takes seconds
        values = graph.get_layer(layer).output
        return keras.Model(graph.inputs, [graph.outputs[0], pooled(values)])
    images, values, outputs = with_layer(model, layer)
    return keras.Model(images, [outputs, pooled(values)])


class FamiliarityCheck:
    """Compares images with the training images while they are predicted.

    Args:
        reference: What was measured on the training images; None to compare nothing.
        known: Features of training images; None to compare none.
        pixels: Number format of the images.
    """

    def __init__(
        self, reference: Reference | None, known: KnownFeatures | None, pixels: PixelFormat
    ) -> None:
        self._pixels = pixels
        self._reference = reference
        self._known = known
        self._statistics: list[Statistics] = []
        self._distances: list[NDArray[np.float32]] = []

    @property
    def has_sizes(self) -> bool:
        """True if the sizes of original images are compared."""
        return self._reference is not None and self._reference.aspect is not None

    def add(self, images: Pixels, features: NDArray[Any] | None) -> None:
        """Measure images.

        Args:
            images: Pixels as the model receives them, shape (n, height, width, channels).
            features: Output of the layer, shape (n, channels); None if there is none.
        """
        if self._reference is None:
            return
        self._statistics.append(statistics_of(images, self._pixels))
        if features is not None and self._known is not None:
            far = self._known.distances(features)
            self._distances.append(_combined(far, self._reference.scales))

    def results(self, sizes: Sequence[tuple[int, int] | None]) -> list[Familiarity | None]:
        """Return the result for each image.

        Args:
            sizes: Width and height of each original image; None if it is not compared.
        """
        if self._reference is None or not self._statistics:
            return [None] * len(sizes)
        far = self._far()
        return [
            compared(_named(row), size, None if far is None else float(far[i]), self._reference)
            for i, (row, size) in enumerate(
                zip(np.concatenate(self._statistics), sizes, strict=True)
            )
        ]

    def of_tiles(self) -> Familiarity | None:
        """Return the result for one image whose tiles were measured: that of their medians."""
        if self._reference is None or not self._statistics:
            return None
        far = self._far()
        row = np.median(np.concatenate(self._statistics), axis=0)
        distance = None if far is None else float(np.median(far))
        return compared(_named(row), None, distance, self._reference)

    def _far(self) -> NDArray[np.float32] | None:
        return np.concatenate(self._distances) if self._distances else None
