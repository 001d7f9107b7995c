"""Classes of few images count as much as those of many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.training.dataset_statistics import balanced_order, class_weights

LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=60).map(
    lambda each: np.array(each, np.int32)
)


def test_weights_are_against_the_counts() -> None:
    weights = class_weights(np.array([0, 0, 0, 1], np.int32), 3)

    assert weights.tolist() == [4 / 6, 2.0, 0.0]


@given(LABELS)
def test_the_mean_weight_of_images_is_one(labels: NDArray[np.int32]) -> None:
    assert np.isclose(class_weights(labels, 5)[labels].mean(), 1)


@given(LABELS, st.integers(0, 3))
def test_all_classes_come_equally_often(labels: NDArray[np.int32], seed: int) -> None:
    order = balanced_order(labels, np.random.default_rng(seed))

    assert len(order) == len(labels)
    counts = np.bincount(labels[order], minlength=5)[np.unique(labels)]
    assert counts.max() - counts.min() <= 1
    for label in np.unique(labels):
        own = np.bincount(order, minlength=len(labels))[labels == label]
        assert own.max() - own.min() <= 1
    assert order.tolist() == balanced_order(labels, np.random.default_rng(seed)).tolist()
