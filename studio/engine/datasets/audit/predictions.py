"""Predicts the class or targets of every image by simple models that were not trained on it.

Not a network: the audit runs before there is one. The features are the small gray picture and the
mean color of each image, which are measured anyway. Two classifiers that err in different ways
look at their main components, and the mean of the two is taken: the ten nearest neighbors, and a
linear discriminant behind an approximate Gaussian kernel (Williams and Seeger, "Using the Nyström
method to speed up kernel machines", 2001). Thousands of images take seconds. Measured with the
1,797 handwritten digits: 98 % are predicted correctly; 4 given labels are doubted, and with 60
wrong ones among them 48 of those and 4 others. The discriminant alone doubts 30 given ones.

Labels and numbers are predicted by the ten nearest neighbors and by ridge regression behind the
same kernel. The images are split into five folds, and each is predicted from the others.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.store import Store
from studio.engine.messages import message
from studio.engine.progress import Progress

FOLDS = 5
LEARN_FROM = 10_000
"""Maximum number of training images per fold; more cost time and change little."""

ENOUGH = 0.7
"""Fraction of correct predictions from which on labels are doubted."""

MOST_VALUES = 20_000_000
FEWEST = 50
"""Images with targets that are predicted at least; fewer say too little."""
_AT_ONCE = 8192
_COMPONENTS = 64
_LANDMARKS = 400
_NEIGHBORS = 10
_SOFTNESS = 5
_ALPHA = 0.1
"""Of the ridge regression."""
_WORDS, _TARGET_WORDS = "Checking labels", "Checking targets"


@dataclass(frozen=True, slots=True)
class OutOfFoldPredictions:
    """Predictions out of fold.

    Attributes:
        rows: Images that were predicted, rows of the dataset, ascending, N.
        probabilities: Probabilities of each class, N x K, 0 for a class too small to learn; or
            targets, N x K.
    """

    rows: NDArray[np.int64]
    probabilities: NDArray[np.float32]


def predict_labels(
    store: Store, measures: Measures, progress: Progress
) -> OutOfFoldPredictions | str:
    """Compute out-of-fold predictions of all images, or return the reason why not.

    Args:
        store: The dataset.
        measures: Statistics of its images.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The job was asked to end.
    """
    if store.targets is not None:
        return _predicted_targets(store, measures, progress)
    labels = store.labels[measures.rows].astype(np.int64)
    counts = np.bincount(labels, minlength=len(store.classes))
    # Every fold must hold a class, and what is left of it must show how it varies.
    known = np.flatnonzero(counts >= 2 * FOLDS)
    if len(known) < 2:
        return message("fewer than two classes have {count} images", count=2 * FOLDS)
    chosen = np.flatnonzero(np.isin(labels, known))
    if len(chosen) * len(store.classes) > MOST_VALUES:
        return "there are too many images and classes"
    rows = measures.rows[chosen]
    scores = np.zeros((len(chosen), len(store.classes)), np.float32)
    folds = _dealt(labels[chosen])
    right = seen = 0
    progress.advance(0, len(chosen), _WORDS)  # what follows first is the import of scikit-learn
    for fold in range(FOLDS):
        inside = np.flatnonzero(folds == fold)
        outside = _sample(np.flatnonzero(folds != fold))
        part = _Part(progress, seen, len(inside), len(chosen), _WORDS)
        scores[inside] = _learned(
            measures, chosen[outside], labels, chosen[inside], scores.shape, part
        )
        right += int((scores[inside].argmax(axis=1) == labels[chosen[inside]]).sum())
        seen = int((folds <= fold).sum())
        progress.advance(seen, len(chosen), _WORDS)
        progress.check()
        if right < ENOUGH * seen:
            return message(
                "simple models on small copies of the images recognize only {share:.0%} of them",
                share=right / seen,
            )
    return OutOfFoldPredictions(rows, scores)


def _predicted_targets(
    store: Store, measures: Measures, progress: Progress
) -> OutOfFoldPredictions | str:
    rows = measures.rows
    targets = store.required_targets[rows].astype(np.float64)
    if len(rows) < FEWEST:
        return message("there are fewer than {count} images", count=FEWEST)
    if targets.size > MOST_VALUES:
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


def _models(images: int, size: int, *, classifies: bool) -> tuple[Any, Any, Any]:
    """Return the main components, and both models on them.

    Args:
        images: Number of images to learn from.
        size: Number of features.
        classifies: True for classes, False for targets.
    """
    # Half a second of import, for this alone.
    from sklearn.decomposition import PCA  # noqa: PLC0415
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: PLC0415
    from sklearn.kernel_approximation import Nystroem  # noqa: PLC0415
    from sklearn.linear_model import Ridge  # noqa: PLC0415
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    components, neighbors = min(_COMPONENTS, images, size), min(_NEIGHBORS, images)
    kernel = Nystroem(gamma=1 / size, n_components=min(_LANDMARKS, images // 2), random_state=0)
    main = make_pipeline(StandardScaler(), PCA(components, random_state=0))
    if not classifies:
        return main, make_pipeline(kernel, Ridge(_ALPHA)), KNeighborsRegressor(neighbors)
    linear = make_pipeline(kernel, LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.01))
    return main, linear, KNeighborsClassifier(neighbors)


def _learned(
    measures: Measures,
    learn: NDArray[np.int64],
    truth: NDArray[Any],
    predict: NDArray[np.int64],
    shape: tuple[int, ...],
    progress: _Part,
) -> NDArray[np.float32]:
    """Learn classes or targets of some measured images and predict others; len(predict) x K."""
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    features = _features(measures, learn)
    main, linear, nearest = _models(*features.shape, classifies=truth.ndim == 1)
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
            if truth.ndim > 1:
                # Ridge leaves out the axis of the targets if there is only one.
                by_kernel = linear.predict(reduced).reshape(len(part), -1)
                result[here] = (by_kernel + nearest.predict(reduced)) / 2
            else:
                soft = _softened(linear.predict_proba(reduced))
                mean = (soft + nearest.predict_proba(reduced)) / 2
                result[here, nearest.classes_] = np.clip(mean, 0, 1)
            progress.step(steps)
    return result


def _softened(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return less confident scores in the same order: a discriminant is overconfident."""
    roots = np.clip(probabilities, 1e-12, 1) ** (1 / _SOFTNESS)
    softened: NDArray[np.float64] = roots / roots.sum(axis=1, keepdims=True)
    return softened


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
