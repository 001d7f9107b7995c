"""Outcomes of images against scikit-learn and against counting by hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import astuple
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from helpers.evaluations import report_of
from studio.engine.errors import BadDataError, NotFiniteError
from studio.engine.evaluation.outcomes import TOP, joined, outcomes_of

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]


def _predictions(count: int, classes: int, seed: int) -> tuple[Floats, Ints]:
    random = np.random.default_rng(seed)
    probabilities = random.dirichlet(np.ones(classes), count)
    # Some classes never occur, as in small splits.
    labels = random.integers(0, max(1, classes - seed % 3), count)
    return probabilities, labels


@given(count=st.integers(1, 60), classes=st.integers(6, 12), seed=st.integers(0, 2**31))
def test_top_5_and_loss_same_as_scikit_learn(count: int, classes: int, seed: int) -> None:
    probabilities, labels = _predictions(count, classes, seed)
    every = np.arange(classes)

    ours = report_of(probabilities, labels)

    top_5 = sk.top_k_accuracy_score(labels, probabilities, k=5, labels=every)
    assert ours.metrics["top_5"] == top_5
    assert ours.model_dump()["top_k"] == 5
    if probabilities.min() > 1e-7:
        loss = sk.log_loss(labels, probabilities, labels=every)
        assert ours.metrics["loss"] == pytest.approx(loss)


@given(
    rows=st.lists(st.lists(st.integers(0, 2), min_size=7, max_size=7), min_size=1, max_size=20),
    data=st.data(),
)
def test_equals_are_ranked_in_the_order_of_the_classes(
    rows: list[list[int]], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    hits = sum(
        label in sorted(range(7), key=lambda k: (-row[k], k))[:5]
        for row, label in zip(rows, labels, strict=True)
    )

    ours = outcomes_of(np.array(rows, dtype=np.float32), np.array(labels), 7)

    assert (ours.rank < TOP).mean() == hits / len(rows)
    assert ours.accuracy == np.mean(np.argmax(rows, axis=1) == labels)


@given(cuts=st.lists(st.integers(0, 50), max_size=4), seed=st.integers(0, 2**31))
def test_batches_add_up(cuts: list[int], seed: int) -> None:
    probabilities, labels = _predictions(50, 6, seed)
    edges = [0, *sorted(cuts), 50]

    parts = [
        outcomes_of(probabilities[start:end], labels[start:end], 6)
        for start, end in itertools.pairwise(edges)
    ]

    together, whole = astuple(joined(parts)), astuple(outcomes_of(probabilities, labels, 6))
    assert all(map(np.array_equal, together, whole))


def test_top_5_of_few_classes_is_always_right() -> None:
    ours = report_of(*_predictions(20, 3, 1))

    assert (ours.model_dump()["top_k"], ours.metrics["top_5"]) == (3, 1.0)


def test_a_hopeless_prediction_costs_as_much_as_in_keras() -> None:
    ours = outcomes_of(np.array([[1.0, 0.0]]), np.array([1]), 2)

    assert ours.loss == pytest.approx(-math.log(1e-7))


def test_classes_without_images_do_not_lower_macro_f1() -> None:
    ours = report_of(np.eye(3)[[0, 1]], np.array([0, 1]))

    assert ours.metrics["macro_f1"] == 1.0
    assert ours.outputs[2].images == 0
    assert ours.outputs[2].metrics["f1"] == 0.0


def test_single_precision_is_enough() -> None:
    probabilities, labels = _predictions(40, 10, 3)

    assert outcomes_of(probabilities.astype(np.float32), labels, 10).loss == pytest.approx(
        outcomes_of(probabilities, labels, 10).loss, rel=1e-6
    )


@pytest.mark.parametrize(
    ("probabilities", "labels"),
    [
        (np.full((2, 3), 1 / 3), np.array([0])),
        (np.full((2, 3), 1 / 3), np.array([0, 3])),
        (np.full((2, 3), 1 / 3), np.array([-1, 0])),
        (np.full(3, 1 / 3), np.array([0, 1, 2])),
    ],
)
def test_what_does_not_fit_is_refused(probabilities: Floats, labels: Ints) -> None:
    with pytest.raises(BadDataError):
        outcomes_of(probabilities, labels, 3)


def test_values_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(NotFiniteError):
        outcomes_of(np.array([[np.nan, 0.5]]), np.array([0]), 2)
