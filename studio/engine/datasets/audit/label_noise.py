"""Finds labels that are probably wrong, and estimates how many of them are.

Each image is predicted by a model that was fitted to all others (`label_model`). The given labels
are explained by two numbers, found by maximum likelihood: the temperature of the scores, and the
fraction of labels that were replaced by another one at random. Confident contradictions that no
temperature explains raise the fraction; without any it is 0, and nothing is suspicious. Bayes'
rule gives the probability that a label is wrong.

Few images say too little about the fraction. Of up to `MAX_FEW` without significant errors, the
most doubtful are listed nevertheless, to be checked one by one: probabilities are means over all
temperatures and over fractions from 0 to 20 %, weighted by how well they explain the labels.

The precision is measured, too: the estimated number of labels is made wrong at random in repeated
draws, and it is counted how many of them are among the first of the ranking (A. Northcutt,
L. Jiang and I. Chuang, "Confident learning", 2021, inject errors to evaluate their method).

Measured with MobileNetV2 of ImageNet and errors injected into pictures of CIFAR-10 (5 classes,
sums of 5 draws), suspects and really wrong ones among them: of 200 images with 7 % errors 45 and
27, with 20 % 119 and 90; of 1,000 with 3 % 70 and 44, with 20 % 923 and 761; of 60 images, and
without errors, none in any draw. The list of doubtful images (24 draws of 60 images of 5 classes):
with 4 wrong labels 23 lists of 9 images on average, 2.8 of them wrong (32 %; stated 17 %), with 8
24 lists, 4.7 of 9 wrong (stated 22 %), with 2 20 lists, 1.4 of 8.5 wrong (stated 16 %), without
18 lists of 7 (stated 12 %). The stated interval held the true precision in 88 % of the lists with
8 wrong labels, and in more of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

from studio.engine.arrays import Floats
from studio.engine.datasets.audit.label_model import PENALTIES, LeaveOneOutModel
from studio.engine.messages import Text, message
from studio.engine.progress import Progress

MIN_PER_CLASS = 5
"""Images of a class that is judged at least."""
ENOUGH = 0.5
"""Fraction of correct predictions from which on labels are doubted."""
MAX_BLOCK = 4000
"""Images that are fitted together; more are split into blocks of about this size."""
DRAWS = 20
MIN_LOG_LIKELIHOOD_GAIN = 2.0
"""Gain by wrong labels from which on they are significant: 4.6 % of sound data exceed 1.92 for
one parameter inside its range, and half as many for a fraction that cannot be below 0."""
SPREAD = 2.5
"""Standard deviations of the interval of the precision. The probabilities depend on two estimated
numbers, so that 1.6 of them, as for independent images, hold the true precision too rarely."""
MAX_FEW = 300
"""Images up to which the most doubtful are listed without significant errors."""
MIN_LISTED, MAX_LISTED = 3, 10
"""Length of this list."""
MIN_PRECISION = 0.1
"""Estimated fraction of wrong labels in this list; below, checking is not worth the time."""
SOUND = 0.25
"""Prior probability that none of few labels is wrong."""
_FEW_RATES = np.geomspace(0.01, 0.2, 16)
"""Fractions of wrong labels that are equally probable otherwise."""
_TEMPERATURES = np.geomspace(0.5, 60, 36)
_RATES = np.concatenate([[0.0], np.geomspace(0.001, 0.6, 36)])
_WORDS = "Checking labels"


@dataclass(frozen=True, slots=True)
class ImageFeatures:
    """Features of images.

    Attributes:
        values: Shape (N, D).
        label: Origin of the features, as displayed.
    """

    values: NDArray[np.floating]
    label: Text


@dataclass(frozen=True, slots=True)
class LabelSuspects:
    """Labels that are probably wrong, the most suspicious first.

    Attributes:
        indices: Indices or rows of the images, shape (K,).
        suggested: Probable class of each, shape (K,).
        probability: Probability that the label is wrong, shape (K,).
        precision: Estimated fraction of them that are wrong.
        low: Lower end of its interval.
        high: Upper end of its interval.
        features: Origin of the features, as displayed.
        is_significant: False for the most doubtful of few images: perhaps none of them is wrong.
    """

    indices: NDArray[np.int64]
    suggested: NDArray[np.int64]
    probability: Floats
    precision: float
    low: float
    high: float
    features: Text = ""
    is_significant: bool = True


@dataclass(frozen=True, slots=True)
class _Noise:
    """Explanation of the labels.

    Attributes:
        inverse_temperature: Factor of the scores in the softmax.
        rate: Fraction of labels that were replaced at random.
        gain: Log-likelihood above that without replaced labels.
    """

    inverse_temperature: float
    rate: float
    gain: float


class _Steps:
    """Reports steps as fractions of the images."""

    def __init__(self, progress: Progress, images: int, steps: int) -> None:
        self._progress = progress
        self._images = images
        self._steps = steps
        self._done = 0
        progress.advance(0, images, _WORDS)

    def step(self) -> None:
        """Report one more step as done."""
        self._done += 1
        self._progress.check()
        done = min(self._images * self._done // self._steps, self._images)
        self._progress.advance(done, self._images, _WORDS)


def find_label_suspects(
    features: list[ImageFeatures], labels: NDArray[np.integer], progress: Progress
) -> LabelSuspects | Text | None:
    """Return the labels that are probably wrong.

    Args:
        features: Features of the same images; those that predict most labels correctly are used.
        labels: Class of each image, 0 to K - 1, shape (N,).
        progress: Receives the progress and may cancel.

    Returns:
        The suspects; None if nothing is suspicious; or the reason why that is unknown.

    Raises:
        Cancelled: Through `progress`.
    """
    counts = np.bincount(labels)
    judged = np.flatnonzero(counts >= MIN_PER_CLASS)
    if len(judged) < 2:
        return message("fewer than two classes have {count} images", count=MIN_PER_CLASS)
    rows = np.flatnonzero(np.isin(labels, judged))
    classes = np.searchsorted(judged, labels[rows])
    fits = len(_blocks(len(rows))) * len(features) * (len(PENALTIES) + 1)
    steps = _Steps(progress, len(labels), fits + DRAWS + 1)
    # On matrices of this size, several threads only wait for each other on a busy machine.
    with threadpool_limits(1):
        return _find(features, rows, judged, classes, steps)


def _find(
    features: list[ImageFeatures],
    rows: NDArray[np.int64],
    judged: NDArray[np.int64],
    labels: NDArray[np.int64],
    steps: _Steps,
) -> LabelSuspects | Text | None:
    """Return the suspects among some images of the judged classes.

    Args:
        features: Features of all images.
        rows: Indices of the images, shape (M,).
        judged: Index of each judged class, shape (K,).
        labels: Class of each of the images among these, shape (M,).
        steps: Receives the steps.
    """
    blocks = _blocks(len(rows))
    fitted = [_fit(each.values[rows], labels, blocks, steps) for each in features]
    correct = [int((each.scores.argmax(axis=1) == labels).sum()) for each in fitted]
    best = int(np.argmax(correct))
    share = correct[best] / len(rows)
    # A model that predicts no more than the largest class would has learned nothing.
    if share < ENOUGH or share <= np.bincount(labels).max() / len(labels):
        return message(
            "a simple model on {features} predicts only {share:.0%} of the labels",
            features=features[best].label,
            share=share,
        )
    found = _suspects(fitted[best], labels, steps)
    if found is None:
        return None
    return replace(
        found,
        indices=rows[found.indices],
        suggested=judged[found.suggested],
        features=features[best].label,
    )


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Predictions of all images, and the model of the first block, for draws."""

    scores: Floats
    model: LeaveOneOutModel
    block: NDArray[np.int64]


def _fit(
    values: NDArray[np.floating],
    labels: NDArray[np.int64],
    blocks: list[NDArray[np.int64]],
    steps: _Steps,
) -> _Fitted:
    count = int(labels.max()) + 1
    scores = np.zeros((len(labels), count))
    first: LeaveOneOutModel | None = None
    for block in blocks:
        model = LeaveOneOutModel(values[block])
        steps.step()
        model.fit_penalty(labels[block], count, steps.step)
        scores[block] = model.scores(labels[block], count)
        first = first or model
    if first is None:
        raise ValueError("there are no images")
    return _Fitted(scores, first, blocks[0])


def _suspects(fitted: _Fitted, labels: NDArray[np.int64], steps: _Steps) -> LabelSuspects | None:
    noise = _explain(fitted.scores, labels)
    steps.step()
    if noise.gain < MIN_LOG_LIKELIHOOD_GAIN:
        return _doubtful(fitted.scores, labels) if len(labels) <= MAX_FEW else None
    given = _own_probability(fitted.scores, labels, noise.inverse_temperature)
    others = max(1, fitted.scores.shape[1] - 1)
    replaced = noise.rate * (1 - given) / others
    wrong = replaced / np.maximum((1 - noise.rate) * given + replaced, 1e-300)
    suggested = _best_other(fitted.scores, labels)
    indices = np.argsort(-wrong, kind="stable")
    indices = indices[wrong[indices] > 0.5]
    if not len(indices):
        return None
    probable = labels.copy()
    probable[indices] = suggested[indices]
    expected = float(wrong[indices].mean())
    measured = _measured_precision(fitted, probable, len(indices) / len(labels), noise, steps)
    spread = SPREAD * float(np.sqrt((wrong[indices] * (1 - wrong[indices])).sum())) / len(indices)
    low = min(expected - spread, float(np.quantile(measured, 0.05)))
    high = max(expected + spread, float(np.quantile(measured, 0.95)))
    return LabelSuspects(
        indices, suggested[indices], wrong[indices], expected, max(0.0, low), min(1.0, high)
    )


def _doubtful(scores: Floats, labels: NDArray[np.int64]) -> LabelSuspects | None:
    """Return the most doubtful of few images; None if even they are hardly wrong.

    Args:
        scores: Score of each class, shape (N, K).
        labels: Given class of each image, shape (N,).
    """
    weights, wrong = _explanations(scores, labels)
    mean = weights @ wrong
    order = np.argsort(-mean, kind="stable")[:MAX_LISTED]
    precision = np.cumsum(mean[order]) / np.arange(1, len(order) + 1)
    number = int((precision >= MIN_PRECISION).sum())
    if number < MIN_LISTED:
        return None
    indices = order[:number]
    random = np.random.Generator(np.random.PCG64(0))
    drawn = wrong[random.choice(len(weights), DRAWS * DRAWS, p=weights)][:, indices]
    found = (random.random(drawn.shape) < drawn).mean(axis=1)
    return LabelSuspects(
        indices,
        _best_other(scores, labels)[indices],
        mean[indices],
        float(precision[number - 1]),
        float(np.quantile(found, 0.05)),
        float(np.quantile(found, 0.95)),
        is_significant=False,
    )


def _explanations(scores: Floats, labels: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the probability of each explanation, and by each that of a wrong label.

    Args:
        scores: Score of each class, shape (N, K).
        labels: Given class of each image, shape (N,).

    Returns:
        Probabilities of the explanations, shape (E,), and of wrong labels, shape (E, N).
    """
    others = max(1, scores.shape[1] - 1)
    rates = np.concatenate([[0.0], _FEW_RATES])[:, np.newaxis]
    prior = np.append(SOUND, np.full(len(_FEW_RATES), (1 - SOUND) / len(_FEW_RATES)))
    likelihoods, wrong = [], []
    for inverse in _TEMPERATURES.tolist():
        given = _own_probability(scores, labels, inverse)
        replaced = rates / others * (1 - given)
        mixed = np.maximum((1 - rates) * given + replaced, 1e-300)
        likelihoods.append(np.log(mixed).sum(axis=1) + np.log(prior))
        wrong.append(replaced / mixed)
    likelihood = np.concatenate(likelihoods)
    weights = np.exp(likelihood - likelihood.max())
    return weights / weights.sum(), np.concatenate(wrong)


def _best_other(scores: Floats, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class with the highest score except the given one, shape (N,)."""
    others = scores.copy()
    others[np.arange(len(labels)), labels] = -np.inf
    best: NDArray[np.int64] = others.argmax(axis=1)
    return best


def _measured_precision(
    fitted: _Fitted,
    labels: NDArray[np.int64],
    fraction: float,
    noise: _Noise,
    steps: _Steps,
) -> Floats:
    """Make labels wrong at random, and measure the precision among the first of the ranking.

    Args:
        fitted: Predictions and the model.
        labels: Probable class of each image, shape (N,).
        fraction: Fraction of labels that are made wrong.
        noise: Explanation of the given labels.
        steps: Receives a step for each draw.

    Returns:
        Fraction of wrong labels among as many as were made wrong, shape (DRAWS,).
    """
    count, mine = fitted.scores.shape[1], labels[fitted.block]
    number = max(1, round(fraction * len(mine)))
    measured = np.zeros(DRAWS)
    for draw in range(DRAWS):
        random = np.random.Generator(np.random.PCG64(draw))
        flipped = random.permutation(len(mine))[:number]
        changed = mine.copy()
        changed[flipped] = (changed[flipped] + random.integers(1, count, number)) % count
        scores = fitted.model.scores(changed, count)
        given = _own_probability(scores, changed, noise.inverse_temperature)
        first = np.argsort(given, kind="stable")[:number]
        measured[draw] = np.isin(first, flipped).mean()
        steps.step()
    return measured


def _explain(scores: Floats, labels: NDArray[np.int64]) -> _Noise:
    """Return the most likely temperature and fraction of replaced labels."""
    others = max(1, scores.shape[1] - 1)
    best, sound = (-np.inf, 0.0, 0.0), -np.inf
    for inverse in _TEMPERATURES.tolist():
        given = _own_probability(scores, labels, inverse)
        mixed = np.outer(1 - _RATES, given) + np.outer(_RATES / others, 1 - given)
        likelihood = np.log(np.maximum(mixed, 1e-300)).sum(axis=1)
        index = int(np.argmax(likelihood))
        sound = max(sound, float(likelihood[0]))
        best = max(best, (float(likelihood[index]), inverse, float(_RATES[index])))
    return _Noise(best[1], best[2], best[0] - sound)


def _own_probability(scores: Floats, labels: NDArray[np.int64], inverse: float) -> Floats:
    """Return the probability of the given label of each image, shape (N,)."""
    values = scores * inverse
    values -= values.max(axis=1, keepdims=True)
    exponents = np.exp(values)
    result: Floats = exponents[np.arange(len(labels)), labels] / exponents.sum(axis=1)
    return result


def _blocks(count: int) -> list[NDArray[np.int64]]:
    """Split images at random into blocks of equal size."""
    order = np.random.Generator(np.random.PCG64(0)).permutation(count)
    number = max(1, round(count / MAX_BLOCK))
    return [np.sort(each) for each in np.array_split(order, number)]
