"""Linear heads learned at once, on features that stay as they are.

Features are standardized first, which is worth several points (a head that Adam learns on raw
features of SqueezeNet reaches 0.93 to 0.95 where one on standardized features reaches 0.96 to
0.98), and the standardization is folded into the weights: the head that comes out is an
ordinary dense layer with a softmax on the raw features.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features, Floats, Labels
from studio.engine.errors import BadDataError
from studio.engine.training.plan import BEST_LINEAR

STRENGTHS = {
    "logistic_regression": (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0),
    "linear_svm": (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1),
    "ridge": (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1),
}
"""Values of scikit-learn's C (1 / alpha of ridge regression) that are tried: how little weights
are held back. On 512 features of 1,000 images the best are 0.01 and 0.001; a machine with C = 1
takes twenty times as long."""

CHOSEN_FROM = 2000
"""Images on which C is chosen at most; more cost time and choose the same."""

FOLDS = 3
MIN_VALIDATION = 30
"""Fewer validation images select C by chance; then folds of the training images do."""

NEVER = -30.0
"""Logit of a class without a training image, below every other: it is never answered."""

ONE_THREAD = 20_000_000
"""Features in all, up to which one thread solves as fast as several."""

_COMPARED_IMAGES, _MAX_ROUNDS = 1500, 5
"""Solvers are compared on this number of images in all, those of several draws of folds."""

SelectedOn = Literal["given", "validation", "folds"]

_ITERATIONS = 300
_SHARPNESS = np.geomspace(0.1, 30.0, 40)


_LEAST_DEVIATION = 0.1
_RARE = 4
"""A feature that is farther from its mean somewhere, in deviations, is active in few images. If
its deviation is small, too, it is hundreds of deviations away in the first image in which it is
fully active: with 287 microscope images, R² of ridge regression on features of SqueezeNet is -0.38
without the limit of a tenth of the median deviation, and 0.46 with it."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Takes features to mean 0 and deviation 1: (features - mean) / deviation.

    Attributes:
        mean: Mean of each feature, D.
        deviation: Deviation of each feature, D; 1 where a feature never changes, and a tenth of
            the median where one that is active in few images has less.
    """

    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, features: Features) -> Scaling:
        """Return the scaling of some features, n x D."""
        deviation = features.std(axis=0, dtype=np.float64)
        mean = features.mean(axis=0, dtype=np.float64)
        # Differences below the precision of 32 bits are rounding. A feature that hardly changed
        # would be millions of deviations away in the first image in which it does.
        usual = float(np.median(deviation[deviation > 0])) if deviation.any() else 0.0
        flat = deviation <= 1e-7 * np.abs(mean) + 1e-12 + 1e-6 * usual
        least = _LEAST_DEVIATION * usual
        farthest = np.maximum(features.max(axis=0) - mean, mean - features.min(axis=0))
        is_rare = ~flat & (deviation < least) & (farthest > _RARE * deviation)
        return cls(mean, np.where(flat, 1.0, np.where(is_rare, least, deviation)))

    def apply(self, features: Features) -> Features:
        """Scaled features, n x D, float32."""
        scaled: Features = ((features - self.mean) / self.deviation).astype(np.float32)
        return scaled

    def folded(self, head: LinearHead) -> LinearHead:
        """Return the head on raw features that does what one on scaled features does."""
        kernel = head.kernel / self.deviation[:, np.newaxis]
        return LinearHead(kernel, head.bias - self.mean @ kernel)


@dataclass(frozen=True, slots=True)
class LinearHead:
    """Weights of a dense layer: logits = features @ kernel + bias.

    Attributes:
        kernel: D x classes.
        bias: classes.
    """

    kernel: Floats
    bias: Floats

    def logits(self, features: Features) -> Floats:
        """Before the softmax, n x classes."""
        result: Floats = features @ self.kernel + self.bias
        return result

    def predict(self, features: Features) -> NDArray[np.int64]:
        """Return the class of each row."""
        answers: NDArray[np.int64] = self.logits(features).argmax(axis=1)
        return answers

    def probabilities(self, features: Features) -> Floats:
        """Softmax of the logits, n x classes."""
        logits = self.logits(features)
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities_: Floats = exponents / exponents.sum(axis=1, keepdims=True)
        return probabilities_

    def sharpened(self, factor: float) -> LinearHead:
        """Return the same answers with probabilities that are more, or less, certain."""
        return LinearHead(self.kernel * factor, self.bias * factor)


@dataclass(frozen=True, slots=True)
class Solution:
    """A head with how it was found.

    Attributes:
        head: On raw features.
        strength: scikit-learn's C.
        converged: True if the solver came to its end.
        selected_on: Images on which C was chosen.
        solver: Name of the solver.
        compared: Accuracy of each solver in cross-validation on the training images, where the
            best of them was chosen.
    """

    head: LinearHead
    strength: float
    converged: bool
    selected_on: SelectedOn
    solver: str
    compared: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    """A solver and its C, selected by cross-validation.

    Attributes:
        solver: Name of the solver.
        strength: scikit-learn's C.
        compared: Accuracy of each solver that was tried; empty for one alone.
    """

    solver: str
    strength: float
    compared: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Validation:
    """Images that C is selected on, which the head does not learn from.

    Attributes:
        features: Raw, n x D, finite.
        labels: Class of each row, n.
    """

    features: Features
    labels: Labels

    def suits(self, labels: Labels) -> bool:
        """Return True if these images suffice to select C for a head of such labels."""
        enough = max(MIN_VALIDATION, 2 * len(np.unique(labels)))
        return int(np.isin(self.labels, labels).sum()) >= enough


Targets = NDArray[np.float64]


def solve(
    name: str,
    features: Features,
    labels: Labels,
    classes: int,
    seed: int,
    strength: float | None = None,
    validation: Validation | None = None,
) -> Solution:
    """Learn a head.

    Args:
        name: `"logistic_regression"`, `"linear_svm"`, or `BEST_LINEAR` for the one that is more
            accurate in cross-validation.
        features: Raw, n x D, finite.
        labels: Class of each row, n.
        classes: Number of classes of the head; some may have no row.
        seed: Seed of the rows that C is chosen on.
        strength: C; None selects it on the validation images, or by cross-validation.
        validation: Images that C is selected on; None, or too few of them, for cross-validation,
            by which the best solver is always chosen.

    Raises:
        BadDataError: There are fewer than two classes, or a feature is not finite.
    """
    scaling, scaled, present, members = _prepared(features, labels)
    training = scaled, members
    others: _Examples | None = None
    if name != BEST_LINEAR and validation is not None and validation.suits(labels):
        known = np.isin(validation.labels, present)
        answers = np.searchsorted(present, validation.labels[known])
        others = scaling.apply(validation.features[known]), answers
    if name == BEST_LINEAR and not _folds(members, seed):
        # A class has too few images to compare solvers; the first chooses C as it would alone.
        return solve(SOLVERS[0], features, labels, classes, seed, strength, validation)
    selected_on: SelectedOn = "folds" if others is None else "validation"
    if strength is not None:
        selected_on = "given"
    if name == BEST_LINEAR:
        chosen = _best_solver(training, seed, strength)
    elif strength is None:
        chosen = Choice(name, _selected(_CLASS_METHODS[name], training, others, seed))
    else:
        chosen = Choice(name, strength)
    head, converged = _CLASS_METHODS[chosen.solver].fit(scaled, members, chosen.strength, seed)
    if chosen.solver == "linear_svm":
        head = head.sharpened(_sharpness(scaled, members, chosen.strength, seed))
    whole = _spread(scaling.folded(head), present, classes)
    return Solution(whole, chosen.strength, converged, selected_on, chosen.solver, chosen.compared)


def select_solver(
    name: str, features: Features, labels: Labels, seed: int, tried: Callable[[], None]
) -> Choice:
    """Select solver and C by cross-validation, as `solve` does without a C and validation images.

    Args:
        name: As that of `solve`.
        features: Raw, n x D, finite.
        labels: Class of each row, n.
        seed: Seed of the rows that C is chosen on.
        tried: Called after each C that was tried; it may cancel.

    Raises:
        BadDataError: There are fewer than two classes, or a feature is not finite.
    """
    _, scaled, _, members = _prepared(features, labels)
    training = scaled, members
    if name == BEST_LINEAR:
        return _best_solver(training, seed, None, tried)
    return Choice(name, _selected(_CLASS_METHODS[name], training, None, seed, tried))


def strengths_tried(name: str) -> int:
    """Return how many values of C a selection tries, of all solvers that are compared."""
    names = SOLVERS if name == BEST_LINEAR else (name,)
    return sum(len(STRENGTHS[each]) for each in names)


def _best_solver(
    training: _Examples,
    seed: int,
    strength: float | None,
    tried: Callable[[], None] = lambda: None,
) -> Choice:
    """Return the solver with the fewest errors in cross-validation; the first of equals.

    Each solver is measured with the C that its own loss selects: two choices by one measure on
    few images would prefer the solver that happened to have more tries.

    Args:
        training: Scaled features and labels.
        seed: Random seed.
        strength: C of all solvers; None selects that of each.
        tried: Called after each C; it may cancel.
    """
    features, labels = training
    # With few images, the draw of the folds would decide.
    rounds = max(1, min(_MAX_ROUNDS, _COMPARED_IMAGES // len(labels)))
    pairs = [pair for number in range(rounds) for pair in _folds(labels, seed + number)]
    choices: dict[str, Choice] = {}
    for name, method in _CLASS_METHODS.items():
        c = _selected(method, training, None, seed, tried) if strength is None else strength
        errors = 0.0
        for inside, outside in pairs:
            head, _ = method.fit(features[inside], labels[inside], c, seed)
            errors += _loss(head, features[outside], labels[outside], margins=True)
        rows = sum(len(outside) for _, outside in pairs)
        accuracy = 1 - errors / rows if rows else math.nan
        choices[name] = Choice(name, c, {name: accuracy})
    if not pairs:  # nothing to compare them on
        return Choice(SOLVERS[0], choices[SOLVERS[0]].strength)
    compared = {name: each.compared[name] for name, each in choices.items()}
    best = max(compared, key=compared.__getitem__)
    return Choice(best, choices[best].strength, compared)


def _prepared(features: Features, labels: Labels) -> tuple[Scaling, Features, Labels, Labels]:
    """Scaling, scaled features, classes that are there, and which of these each row is."""
    present, members = np.unique(labels, return_inverse=True)
    if len(present) < 2:
        raise BadDataError(
            "A classifier needs training images of two classes; there are {count}.",
            "Add images of another class to the training split.",
            "dataset",
            count=len(present),
        )
    _require_finite(features)
    scaling = Scaling.of(features)
    return scaling, scaling.apply(features), present, members


def _require_finite(features: Features) -> None:
    if not np.isfinite(features).all():
        raise BadDataError(
            "The network returns features that are not numbers.",
            "Choose other weights.",
            "weights",
        )


def _logistic_regression(
    features: Features, labels: Labels, strength: float, seed: int
) -> tuple[LinearHead, bool]:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - half a second

    model = LogisticRegression(C=strength, max_iter=_ITERATIONS, tol=1e-3, random_state=seed)
    return _fitted(model, features, labels)


def _linear_svm(
    features: Features, labels: Labels, strength: float, seed: int
) -> tuple[LinearHead, bool]:
    from sklearn.svm import LinearSVC  # noqa: PLC0415 - half a second

    rows, columns = features.shape
    model = LinearSVC(
        C=strength, dual=rows < 2 * columns, max_iter=4 * _ITERATIONS, tol=1e-3, random_state=seed
    )
    return _fitted(model, features, labels)


@contextlib.contextmanager
def _threads_for(features: Features) -> Iterator[None]:
    """Use one thread for small problems: several wait for each other longer than they compute.

    On a busy machine a fit of 300 images by 512 features took minutes with two.
    """
    # It comes with scikit-learn.
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    with threadpool_limits(1 if features.size < ONE_THREAD else None):
        yield


def _fitted(model: Any, features: Features, labels: Labels) -> tuple[LinearHead, bool]:  # noqa: ANN401 - scikit-learn has no types
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415

    with _threads_for(features), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(features, labels)
    kernel, bias = model.coef_.T.astype(np.float64), model.intercept_.astype(np.float64)
    if kernel.shape[1] == 1:  # of two classes scikit-learn gives the second alone
        kernel, bias = np.hstack([-kernel, kernel]) / 2, np.concatenate([-bias, bias]) / 2
    converged = not any(issubclass(each.category, ConvergenceWarning) for each in caught)
    return LinearHead(kernel, bias), converged


_Examples = tuple[Features, Any]
_Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True, slots=True)
class _Method:
    """A solver and how its C is selected.

    Attributes:
        strengths: Values of C to try.
        fit: The solver.
        loss: Loss of a head, summed over rows.
        folds: Rows to learn from and rows to measure on, from all labels or targets and a seed.
    """

    strengths: tuple[float, ...]
    fit: Callable[[Features, Any, float, int], tuple[LinearHead, bool]]
    loss: Callable[[LinearHead, Features, Any], float]
    folds: Callable[[Any, int], _Folds]


def _selected(
    method: _Method,
    training: _Examples,
    validation: _Examples | None,
    seed: int,
    tried: Callable[[], None] = lambda: None,
) -> float:
    """Return the C of the least loss; the smaller one of equals.

    Args:
        method: The solver.
        training: Scaled features, and labels or targets.
        validation: The same of images to measure on; None for cross-validation.
        seed: Random seed.
        tried: Called after each C; it may cancel.
    """
    strengths = method.strengths
    features, answers = training
    pairs = (
        [(training, validation)]
        if validation is not None
        else [
            ((features[inside], answers[inside]), (features[out], answers[out]))
            for inside, out in method.folds(answers, seed)
        ]
    )
    if not pairs:
        return strengths[len(strengths) // 2]
    losses = []
    for strength in strengths:
        heads = ((method.fit(*inside, strength, seed)[0], out) for inside, out in pairs)
        losses.append(sum(method.loss(head, *out) for head, out in heads))
        tried()
    return strengths[int(np.argmin(losses))]


def _sharpness(features: Features, labels: Labels, strength: float, seed: int) -> float:
    """Return the factor that makes the softmax of a machine's margins the best probabilities.

    Margins are no logits; their scale is chosen on rows outside of training (Guo et al.,
    "On calibration of modern neural networks", ICML 2017). Answers stay the same.
    """
    pairs = _folds(labels, seed)
    if not pairs:
        return 1.0
    heads = [
        _linear_svm(features[inside], labels[inside], strength, seed)[0] for inside, _ in pairs
    ]
    losses = [
        sum(
            _loss(head.sharpened(factor), features[out], labels[out], margins=False)
            for head, (_, out) in zip(heads, pairs, strict=True)
        )
        for factor in _SHARPNESS
    ]
    return float(_SHARPNESS[int(np.argmin(losses))])


def _loss(head: LinearHead, features: Features, labels: Labels, *, margins: bool) -> float:
    """Compute the loss of a head, summed over rows."""
    if margins:
        return float((head.predict(features) != labels).sum())
    right = head.probabilities(features)[np.arange(len(labels)), labels]
    return float(-np.log(right + 1e-12).sum())


def _folds(labels: Labels, seed: int) -> _Folds:
    """Return rows to learn from and rows to check on; none where a class has too few for that."""
    rows = np.random.default_rng(seed).permutation(len(labels))[:CHOSEN_FROM]
    rows = rows[np.argsort(labels[rows], kind="stable")]
    if np.bincount(labels[rows], minlength=int(labels.max()) + 1).min() < FOLDS:
        return []
    fold = np.arange(len(rows)) % FOLDS
    return [(rows[fold != number], rows[fold == number]) for number in range(FOLDS)]


def _spread(head: LinearHead, present: Labels, classes: int) -> LinearHead:
    """Return the head with columns also for classes that it did not see."""
    if len(present) == classes:
        return head
    kernel = np.zeros((len(head.kernel), classes))
    bias = np.full(classes, NEVER)
    # The mean logit of the classes that are there becomes 0, so that NEVER lies below all.
    kernel[:, present] = head.kernel - head.kernel.mean(axis=1, keepdims=True)
    bias[present] = head.bias - head.bias.mean()
    return LinearHead(kernel, bias)


# Heads for several targets of each image.


def solve_targets(
    name: str,
    features: Features,
    targets: Targets,
    seed: int,
    strength: float | None = None,
    validation: tuple[Features, Targets] | None = None,
    tried: Callable[[], None] = lambda: None,
) -> Solution:
    """Learn a head whose outputs are numbers, or logits of labels.

    Args:
        name: `"ridge"` for numbers, `"logistic_regression"` for labels, one against the rest.
        features: Raw, n x D.
        targets: Standardized numbers, or 0 and 1; n x K.
        seed: Seed of the rows that C is chosen on.
        strength: C; None selects it on the validation images, or by cross-validation.
        validation: Features and targets of images that C is selected on; None, or fewer than
            `MIN_VALIDATION`, for cross-validation.
        tried: Called after each C that was tried; it may cancel.

    Raises:
        BadDataError: A feature is not finite.
    """
    _require_finite(features)
    method = _TARGET_METHODS[name]
    scaling = Scaling.of(features)
    scaled = scaling.apply(features)
    if strength is None:
        others: _Examples | None = None
        if validation is not None and len(validation[0]) >= MIN_VALIDATION:
            others = scaling.apply(validation[0]), validation[1]
        strength = _selected(method, (scaled, targets), others, seed, tried)
        selected_on: SelectedOn = "folds" if others is None else "validation"
    else:
        selected_on = "given"
    head, converged = method.fit(scaled, targets, strength, seed)
    return Solution(scaling.folded(head), strength, converged, selected_on, name)


def _target_folds(targets: Targets, seed: int) -> _Folds:
    rows = np.random.default_rng(seed).permutation(len(targets))[:CHOSEN_FROM]
    fold = np.arange(len(rows)) % FOLDS
    folds = FOLDS if len(rows) >= 2 * FOLDS else 0
    return [(rows[fold != number], rows[fold == number]) for number in range(folds)]


def _ridge(
    features: Features,
    targets: Targets,
    strength: float,
    seed: int,  # noqa: ARG001 - nothing is drawn
) -> tuple[LinearHead, bool]:
    from sklearn.linear_model import Ridge  # noqa: PLC0415 - half a second

    with _threads_for(features):
        model = Ridge(alpha=1 / strength).fit(features.astype(np.float64), targets)
    return LinearHead(np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_)), True


def _one_against_rest(
    features: Features, targets: Targets, strength: float, seed: int
) -> tuple[LinearHead, bool]:
    kernel, bias = np.zeros((features.shape[1], targets.shape[1])), np.zeros(targets.shape[1])
    converged = True
    for index, there in enumerate(targets.T > 0.5):
        if there.all() or not there.any():
            # Nothing distinguishes such images; the odds of one more image of each kind.
            bias[index] = np.log((there.sum() + 0.5) / ((~there).sum() + 0.5))
            continue
        head, ended = _logistic_regression(features, there.astype(np.int64), strength, seed)
        kernel[:, index] = head.kernel[:, 1] - head.kernel[:, 0]
        bias[index] = head.bias[1] - head.bias[0]
        converged = converged and ended
    return LinearHead(kernel, bias), converged


def _squared_error(head: LinearHead, features: Features, targets: Targets) -> float:
    return float(((head.logits(features) - targets) ** 2).sum())


def _binary_cross_entropy(head: LinearHead, features: Features, targets: Targets) -> float:
    logits = head.logits(features)
    return float((np.logaddexp(0, logits) - targets * logits).sum())


# The loss is more informative than accuracy, but margins are not logits.
_CLASS_METHODS = {
    name: _Method(STRENGTHS[name], fit, partial(_loss, margins=name == "linear_svm"), _folds)
    for name, fit in (
        ("logistic_regression", _logistic_regression),
        ("linear_svm", _linear_svm),
    )
}
SOLVERS = tuple(_CLASS_METHODS)
_TARGET_METHODS = {
    "ridge": _Method(STRENGTHS["ridge"], _ridge, _squared_error, _target_folds),
    "logistic_regression": _Method(
        STRENGTHS["logistic_regression"], _one_against_rest, _binary_cross_entropy, _target_folds
    ),
}
