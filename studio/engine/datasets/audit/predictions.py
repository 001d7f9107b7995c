"""Predicts the labels or targets of every image by simple models that were not trained on it.

The audit runs before there is a network for the dataset. Classes are judged by `label_noise`, with
features of a pretrained network where there is one, and with the small gray picture and the mean
color of each image, which are measured anyway.

Labels and numbers are predicted from the latter by the ten nearest neighbors and by ridge
regression behind an approximate Gaussian kernel. The images are split into five folds, and each is
predicted from the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.label_noise import (
    ImageFeatures,
    LabelSuspects,
    find_label_suspects,
)
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.store import Store
from studio.engine.messages import Text, message
from studio.engine.progress import Progress

FOLDS = 5
LEARN_FROM = 10_000
"""Maximum number of training images per fold; more cost time and change little."""

SMALL_COPIES = message("small copies of the images")

MAX_VALUES = 20_000_000
FEWEST = 50
"""Images with targets that are predicted at least; fewer say too little."""
_AT_ONCE = 8192
_COMPONENTS = 64
_LANDMARKS = 400
_NEIGHBORS = 10
_ALPHA = 0.1
"""Of the ridge regression."""
_TARGET_WORDS = "Checking targets"


@dataclass(frozen=True, slots=True)
class OutOfFoldPredictions:
    """Predictions out of fold.

    Attributes:
        rows: Images that were predicted, rows of the dataset, ascending, N.
        probabilities: Predicted targets, N x K.
    """

    rows: NDArray[np.int64]
    probabilities: NDArray[np.float32]


FeatureSource = Callable[[Store, NDArray[np.int64], Progress], ImageFeatures | None]
"""Returns features of some rows of a dataset by a pretrained network; None if there is none."""


def no_features(
    store: Store,  # noqa: ARG001 - a `FeatureSource`
    rows: NDArray[np.int64],  # noqa: ARG001
    progress: Progress,  # noqa: ARG001
) -> None:
    """Return None: there is no pretrained network.

    Args:
        store: The dataset.
        rows: Rows of the images, shape (N,).
        progress: Receives the progress and may cancel.
    """
    return


def suspect_labels(
    store: Store, measures: Measures, progress: Progress, network: FeatureSource = no_features
) -> LabelSuspects | Text | None:
    """Find suspect labels of images that have one class each.

    Args:
        store: The dataset.
        measures: Statistics of its images.
        progress: Receives the progress and may cancel.
        network: Features of a pretrained network, if there is one.

    Returns:
        Suspect labels by their rows; None if no label is suspicious; or the reason why nothing can
        be said.

    Raises:
        Cancelled: The job was asked to end.
    """
    rows = measures.rows
    if len(rows) * len(store.classes) > MAX_VALUES:
        return "there are too many images and classes"
    every = np.arange(len(rows))
    features = [ImageFeatures(_features(measures, every), SMALL_COPIES)]
    learned = network(store, rows, progress)
    if learned is not None:
        features.append(learned)
    found = find_label_suspects(features, store.labels[rows].astype(np.int64), progress)
    if isinstance(found, LabelSuspects):
        return replace(found, indices=rows[found.indices])
    return found


def predicted_targets(
    store: Store, measures: Measures, progress: Progress
) -> OutOfFoldPredictions | str:
    """Predict the targets of images by models that did not learn from them.

    Args:
        store: The dataset.
        measures: Statistics of its images.
        progress: Receives the progress and may cancel.

    Returns:
        The predictions; or the reason why there are none.

    Raises:
        Cancelled: The job was asked to end.
    """
    rows = measures.rows
    targets = store.targets[rows].astype(np.float64)
    if len(rows) < FEWEST:
        return message("there are fewer than {count} images", count=FEWEST)
    if targets.size > MAX_VALUES:
        return "there are too many images and targets"
    outputs = np.zeros(targets.shape, np.float32)
    folds = _dealt(store.strata[rows])
    progress.advance(0, len(rows), _TARGET_WORDS)
    seen = 0
    for fold in range(FOLDS):
        inside = np.flatnonzero(folds == fold)
        outside = _sample(np.flatnonzero(folds != fold))
        part = _Part(progress, seen, len(inside), len(rows), _TARGET_WORDS)
        outputs[inside] = _learned(measures, outside, targets, inside, targets.shape, part)
        seen += len(inside)
        progress.advance(seen, len(rows), _TARGET_WORDS)
        progress.check()
    return OutOfFoldPredictions(rows, outputs)


@dataclass(slots=True)
class _Part:
    """Reports the steps of one fold as a fraction of its images.

    Attributes:
        progress: Receives the progress and may cancel.
        before: Images of the folds before.
        images: Images of this fold.
        total: Images of all folds.
        what: Description of the work.
        done: Finished steps.
    """

    progress: Progress
    before: int
    images: int
    total: int
    what: str
    done: int = 0

    def step(self, steps: int) -> None:
        """Report one more of this many steps as done."""
        self.done += 1
        self.progress.check()
        seen = self.before + self.images * self.done // (steps + 1)
        self.progress.advance(seen, self.total, self.what)


def _models(images: int, size: int) -> tuple[Any, Any, Any]:
    """Return the main components, and both models on them.

    Args:
        images: Number of images to learn from.
        size: Number of features.
    """
    # Half a second of import, for this alone.
    from sklearn.decomposition import PCA  # noqa: PLC0415
    from sklearn.kernel_approximation import Nystroem  # noqa: PLC0415
    from sklearn.linear_model import Ridge  # noqa: PLC0415
    from sklearn.neighbors import KNeighborsRegressor  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    components, neighbors = min(_COMPONENTS, images, size), min(_NEIGHBORS, images)
    kernel = Nystroem(gamma=1 / size, n_components=min(_LANDMARKS, images // 2), random_state=0)
    main = make_pipeline(StandardScaler(), PCA(components, random_state=0))
    return main, make_pipeline(kernel, Ridge(_ALPHA)), KNeighborsRegressor(neighbors)


def _learned(
    measures: Measures,
    learn: NDArray[np.int64],
    truth: NDArray[Any],
    predict: NDArray[np.int64],
    shape: tuple[int, ...],
    progress: _Part,
) -> NDArray[np.float32]:
    """Learn targets of some measured images and predict others; len(predict) x K."""
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    features = _features(measures, learn)
    main, linear, nearest = _models(*features.shape)
    result = np.zeros((len(predict), shape[1]), np.float32)
    parts = range(0, len(predict), _AT_ONCE)
    steps = 4 + len(parts)
    progress.step(steps)
    # On matrices of this size, several threads only wait for each other: the digits take nine
    # times as long on a busy machine.
    with warnings.catch_warnings(), threadpool_limits(1):
        # Constant features and classes of few images: their effect shows in the accuracy
        # of the predictions.
        warnings.simplefilter("ignore")
        reduced = main.fit_transform(features)
        progress.step(steps)
        linear.fit(reduced, truth[learn])
        progress.step(steps)
        nearest.fit(reduced, truth[learn])
        progress.step(steps)
        for start in parts:
            part = predict[start : start + _AT_ONCE]
            reduced = main.transform(_features(measures, part))
            here = slice(start, start + len(part))
            # Ridge leaves out the axis of the targets if there is only one.
            by_kernel = linear.predict(reduced).reshape(len(part), -1)
            result[here] = (by_kernel + nearest.predict(reduced)) / 2
            progress.step(steps)
    return result


def _features(measures: Measures, which: NDArray[np.int64]) -> NDArray[np.float32]:
    """Small gray picture and mean color of measured images, n x (256 + C)."""
    thumbs = np.asarray(measures.thumbs[which], np.float32)
    return np.hstack([thumbs, measures.channel_mean[which].astype(np.float32)])


def _dealt(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the fold of each image; every class goes round in a seeded random order."""
    generator = np.random.Generator(np.random.PCG64(0))
    folds = np.empty(len(labels), np.int64)
    for label in np.unique(labels):
        of_class = generator.permutation(np.flatnonzero(labels == label))
        folds[of_class] = np.arange(len(of_class)) % FOLDS
    return folds


def _sample(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    if len(rows) <= LEARN_FROM:
        return rows
    generator = np.random.Generator(np.random.PCG64(1))
    return np.sort(generator.choice(rows, LEARN_FROM, replace=False))
