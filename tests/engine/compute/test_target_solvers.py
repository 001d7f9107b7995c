"""Linear heads for labels and numbers, held against scikit-learn and against what is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from studio.engine.compute.solvers import Scaling, solve_targets
from studio.engine.errors import BadDataError


def _data(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    features = (random.normal(size=(count, 12)) * 3 + 5).astype(np.float32)
    weights = np.linspace(-1, 1, 24).reshape(12, 2)
    return features, features @ weights + random.normal(size=(count, 2)) * 0.1


def test_ridge_is_that_of_scikit_learn_on_standardized_features() -> None:
    features, targets = _data(200, 0)
    found = solve_targets("ridge", features, targets, seed=0, strength=0.1)

    scaled = Scaling.of(features).apply(features).astype(np.float64)
    theirs = Ridge(alpha=10.0).fit(scaled, targets).predict(scaled)
    np.testing.assert_allclose(found.head.logits(features), theirs, atol=1e-4)
    assert (found.strength, found.converged, found.selected_on) == (0.1, True, "given")


def test_each_label_has_its_own_logistic_regression() -> None:
    features, numbers = _data(300, 1)
    labels = (numbers > numbers.mean(axis=0)).astype(np.float64)
    found = solve_targets("logistic_regression", features, labels, seed=0, strength=0.01)

    scaled = Scaling.of(features).apply(features)
    for index in range(2):
        theirs = LogisticRegression(C=0.01, tol=1e-3, max_iter=300, random_state=0)
        theirs.fit(scaled, labels[:, index])
        logits = theirs.decision_function(scaled)
        np.testing.assert_allclose(found.head.logits(features)[:, index], logits, atol=1e-3)


def test_a_label_of_no_or_every_image_keeps_its_odds() -> None:
    features, numbers = _data(50, 2)
    labels = np.stack([numbers[:, 0] > 0, np.zeros(50), np.ones(50)], axis=1).astype(np.float64)
    head = solve_targets("logistic_regression", features, labels, seed=0, strength=1.0).head

    assert head.kernel[:, 1:].any() == False  # noqa: E712 - an array
    assert head.bias[1] < -3 < 3 < head.bias[2]


def test_the_strength_is_selected_where_the_head_did_not_learn() -> None:
    features, targets = _data(400, 3)
    more, truth = _data(100, 4)
    by_validation = solve_targets("ridge", features, targets, 0, validation=(more, truth))
    by_folds = solve_targets("ridge", features, targets, 0, validation=(more[:5], truth[:5]))

    assert (by_validation.selected_on, by_folds.selected_on) == ("validation", "folds")
    # There is hardly any noise, so weights need not be held back.
    assert by_validation.strength == by_folds.strength == 0.1


def test_features_that_are_no_numbers_are_refused() -> None:
    features, targets = _data(10, 5)
    features[3, 4] = np.nan
    with pytest.raises(BadDataError, match="not numbers"):
        solve_targets("ridge", features, targets, seed=0)


def test_a_feature_that_all_but_never_changes_does_not_outweigh_the_others() -> None:
    features, targets = _data(200, 5)
    rare = np.zeros((200, 1), np.float32)
    rare[0] = 1e-8
    head = solve_targets("ridge", np.hstack([features, rare]), targets, seed=0, strength=0.1).head
    other = np.hstack([features, np.full((200, 1), 0.1, np.float32)])

    np.testing.assert_allclose(head.logits(other), targets, atol=1.0)


def test_features_that_were_hardly_ever_active_do_not_dominate() -> None:
    (features, targets), (more, truth) = _data(200, 5), _data(100, 6)
    random = np.random.default_rng(7)
    rare = np.zeros((300, 8), np.float32)
    rare[:200][random.random((200, 8)) < 0.02] = 0.02
    rare[200:][random.random((100, 8)) < 0.3] = 2.0
    seen, new = np.hstack([features, rare[:200]]), np.hstack([more, rare[200:]])

    head = solve_targets("ridge", seen, targets, seed=0).head

    residuals = head.logits(new) - truth
    assert (residuals.var(axis=0) < 0.05 * truth.var(axis=0)).all()
