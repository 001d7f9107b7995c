"""Linear heads learned at once: standardized, folded, for any number of classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.compute.solvers import SOLVERS, STRENGTHS, Scaling, Validation, solve
from studio.engine.errors import BadDataError
from studio.engine.training.plan import BEST_LINEAR


def _blobs(
    classes: int, each: int, seed: int = 0, spread: float = 1.0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Clouds around the corners of a simplex, one feature of a wild scale and one constant."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), each)
    features = random.standard_normal((len(labels), classes + 4)) * spread
    features[np.arange(len(labels)), labels] += 4
    features[:, -1] = 7.0
    features[:, -2] *= 1e4
    features[:, -3] = features[:, -3] * 1e-4 + 100
    return features.astype(np.float32), labels


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("classes", [2, 5])
def test_heads_answer_right(name: str, classes: int) -> None:
    features, labels = _blobs(classes, 40)
    unseen, truth = _blobs(classes, 40, seed=1)

    found = solve(name, features, labels, classes, 0)

    assert found.head.kernel.shape == (features.shape[1], classes)
    assert (found.head.predict(unseen) == truth).mean() > 0.93
    assert (found.head.probabilities(unseen).argmax(axis=1) == truth).mean() > 0.93
    assert found.head.probabilities(unseen).sum(axis=1) == pytest.approx(1)


def test_the_folded_head_does_what_scikit_learn_does_on_scaled_features() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    features, labels = _blobs(4, 50, spread=2.0)
    found = solve("logistic_regression", features, labels, 4, 0, strength=0.01)

    scaled = StandardScaler().fit_transform(features.astype(np.float64))
    theirs = LogisticRegression(C=0.01, tol=1e-8, max_iter=2000).fit(scaled, labels)
    assert found.head.probabilities(features) == pytest.approx(
        theirs.predict_proba(scaled), abs=0.02
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_a_class_without_images_is_never_answered(name: str) -> None:
    features, labels = _blobs(3, 30)
    labels = np.where(labels == 2, 5, labels)

    found = solve(name, features, labels, 7, 0)

    assert set(found.head.predict(features)) == {0, 1, 5}
    assert found.head.probabilities(features)[:, [2, 3, 4, 6]].max() < 1e-3


def test_the_margins_of_a_machine_become_fair_probabilities() -> None:
    features, labels = _blobs(3, 300, spread=2.5)
    unseen, truth = _blobs(3, 200, seed=1, spread=2.5)

    fractions = solve("linear_svm", features, labels, 3, 0).head.probabilities(unseen)

    right = (fractions.argmax(axis=1) == truth).mean()
    assert right < 0.95, "otherwise this says nothing"
    assert fractions.max(axis=1).mean() == pytest.approx(right, abs=0.06)


def test_few_images_of_a_class_and_the_same_answer_twice() -> None:
    features, labels = _blobs(3, 30)
    stored = np.concatenate([np.flatnonzero(labels < 2), np.flatnonzero(labels == 2)[:1]])

    heads = [solve("linear_svm", features[stored], labels[stored], 3, 4).head for _ in range(2)]

    assert (heads[0].kernel == heads[1].kernel).all()
    assert (heads[0].predict(features[stored]) == labels[stored]).mean() > 0.95


def test_untrainable_datasets() -> None:
    features, labels = _blobs(2, 10)
    with pytest.raises(BadDataError, match="two classes"):
        solve("linear_svm", features[:10], labels[:10], 2, 0)
    features[3, 0] = np.nan
    with pytest.raises(BadDataError, match="not numbers"):
        solve("logistic_regression", features, labels, 2, 0)


def test_scaling_leaves_constant_features_alone() -> None:
    features, _ = _blobs(2, 30)

    scaled = Scaling.of(features).apply(features)

    assert scaled[:, -1] == pytest.approx(0.0)
    assert scaled[:, :-1].std(axis=0) == pytest.approx(1.0, rel=1e-3)
    assert scaled.mean(axis=0) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("name", SOLVERS)
def test_c_is_selected_on_the_validation_images(name: str) -> None:
    features, labels = _blobs(4, 15, spread=3.0)
    validation = Validation(*_blobs(4, 40, seed=1, spread=3.0))

    found = solve(name, features, labels, 4, 0, validation=validation)

    def wrong(strength: float) -> float:
        head = solve(name, features, labels, 4, 0, strength=strength).head
        chosen = head.probabilities(validation.features)
        if name == "linear_svm":
            return float((chosen.argmax(axis=1) != validation.labels).mean())
        right = chosen[np.arange(len(validation.labels)), validation.labels]
        return float(-np.log(right).mean())

    assert found.selected_on == "validation"
    assert wrong(found.strength) == pytest.approx(min(map(wrong, STRENGTHS[name])), abs=0.01)
    again = solve(name, features, labels, 4, 0, validation=validation)
    assert np.array_equal(again.head.kernel, found.head.kernel), "the same every time"


def test_few_validation_images_leave_the_choice_to_folds() -> None:
    features, labels = _blobs(3, 30)
    few = Validation(features[:20], labels[:20])

    found = solve("logistic_regression", features, labels, 3, 0, validation=few)

    assert found.selected_on == "folds"
    assert found.strength == solve("logistic_regression", features, labels, 3, 0).strength
    given = solve("logistic_regression", features, labels, 3, 0, strength=0.5, validation=few)
    assert (given.selected_on, given.strength) == ("given", 0.5)


def test_the_best_solver_is_the_more_accurate_one_in_cross_validation() -> None:
    winners = set()
    for seed in range(8):
        features, labels = _blobs(4, 12, seed, spread=2.5)
        wrong = Validation(features, (labels + 1) % 4)

        found = solve(BEST_LINEAR, features, labels, 4, seed, validation=wrong)

        alone = solve(found.solver, features, labels, 4, seed)
        assert np.array_equal(found.head.kernel, alone.head.kernel), "validation has no say"
        assert (found.strength, found.selected_on) == (alone.strength, "folds")
        assert set(found.compared) == set(SOLVERS)
        assert found.compared[found.solver] == max(found.compared.values())
        winners.add(found.solver)
    assert winners == set(SOLVERS)


def test_too_few_images_to_compare_solvers_leave_the_first() -> None:
    features, labels = _blobs(3, 1)

    found = solve(BEST_LINEAR, features, labels, 3, 0)

    assert (found.solver, dict(found.compared)) == (SOLVERS[0], {})


def test_a_rare_class_leaves_the_choice_of_c_to_the_validation_images() -> None:
    features, labels = _blobs(3, 30)
    kept = np.concatenate([np.flatnonzero(labels < 2), np.flatnonzero(labels == 2)[:2]])
    validation = Validation(*_blobs(3, 30, seed=1))

    found = solve(BEST_LINEAR, features[kept], labels[kept], 3, 0, validation=validation)

    assert (found.solver, found.selected_on) == (SOLVERS[0], "validation")
