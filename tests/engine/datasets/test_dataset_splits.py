from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL, assign_splits

SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=8)
PERCENTS = st.tuples(st.floats(0, 99), st.floats(0, 99)).filter(lambda p: sum(p) < 99.5)
SEEDS = st.integers(0, 2**31 - 1)


def labels_of(sizes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.repeat(np.arange(len(sizes)), sizes)


@given(SIZES, PERCENTS, SEEDS)
def test_rules_of_every_class(sizes: list[int], percents: tuple[float, float], seed: int) -> None:
    labels = labels_of(sizes)
    splits = assign_splits(labels, *percents, seed)
    assert splits.dtype == np.int8
    assert splits.shape == labels.shape
    assert not (splits == SKIPPED).any()
    val_requested, test_requested = (percent > 0 for percent in percents)
    for index, size in enumerate(sizes):
        train, val, test = (int((splits[labels == index] == s).sum()) for s in (TRAIN, VAL, TEST))
        assert train >= min(size, 1)
        assert val >= (val_requested and size >= 2)
        assert test >= (test_requested and size >= 2 + val_requested)
        assert val <= max(np.ceil(size * percents[0] / 100 + 1e-6), 1) * val_requested
        assert test <= max(np.ceil(size * percents[1] / 100 + 1e-6), 1) * test_requested


@given(SIZES, PERCENTS, SEEDS)
def test_same_seed_same_splits(sizes: list[int], percents: tuple[float, float], seed: int) -> None:
    labels = labels_of(sizes)
    first, second = (assign_splits(labels, *percents, seed) for _ in range(2))
    assert np.array_equal(first, second)


@given(st.lists(st.integers(20, 90), min_size=1, max_size=8), st.integers(5, 45), SEEDS)
def test_totals_match_the_percentages(sizes: list[int], percent: int, seed: int) -> None:
    # Every class has a whole image to give, so no rule stands above the percentage.
    splits = assign_splits(labels_of(sizes), percent, percent, seed)
    requested = np.floor(sum(sizes) * percent / 100 + 0.5)
    assert (splits == VAL).sum() == requested
    assert (splits == TEST).sum() == requested


def test_digits_are_dealt_as_expected() -> None:
    sizes = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    splits = assign_splits(labels_of(sizes), 20, 10, 0)
    assert np.bincount(splits).tolist() == [1258, 359, 180]


def test_nothing_asked_nothing_taken() -> None:
    assert (assign_splits(labels_of([5, 5]), 0, 0, 1) == TRAIN).all()


@pytest.mark.parametrize(
    ("size", "expected"), [(1, [1, 0, 0]), (2, [1, 1, 0]), (3, [1, 1, 1]), (4, [2, 1, 1])]
)
def test_small_classes_train_first(size: int, expected: list[int]) -> None:
    splits = assign_splits(labels_of([size]), 20, 10, 0)
    assert np.bincount(splits, minlength=3).tolist() == expected


def test_seed_changes_who_but_not_how_many() -> None:
    labels = labels_of([50, 50])
    one, other = assign_splits(labels, 20, 10, 1), assign_splits(labels, 20, 10, 2)
    assert not np.array_equal(one, other)
    assert np.array_equal(np.bincount(one), np.bincount(other))


def test_order_of_labels_is_free_and_classes_are_independent() -> None:
    mixed = np.array([1, 0] * 30)
    splits = assign_splits(mixed, 20, 20, 3)
    assert (splits[mixed == 0] == VAL).sum() == 6
    assert np.array_equal(splits[mixed == 1], assign_splits(np.full(30, 1), 20, 20, 3))


def test_splits_that_the_source_gives_stay() -> None:
    given_splits = np.full(100, SKIPPED, np.int8)
    given_splits[:30] = TEST
    given_splits[30:40] = TRAIN
    splits = assign_splits(np.zeros(100, int), 50, 0, 0, given_splits)
    assert (splits[:30] == TEST).all()
    assert (splits[30:40] == TRAIN).all()
    assert (splits[40:] == VAL).sum() == 30
    assert given_splits[50] == SKIPPED


def test_no_images_at_all() -> None:
    assert len(assign_splits(np.zeros(0, int), 20, 10, 0)) == 0
