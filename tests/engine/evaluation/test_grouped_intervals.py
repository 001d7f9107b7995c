"""Intervals of images that belong to groups, such as films, contain the true value in 95 %.

Groups and images are simulated; three standard deviations of the fraction of 2000 cases are 1.5 %.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from helpers.sampling import sample
from studio.engine import proportions
from studio.engine.evaluation.mcnemar import paired_gain
from studio.engine.evaluation.measures import ImageGroups, draws, interval, proportion
from studio.engine.evaluation.outcomes import outcomes_of
from studio.engine.evaluation.report import EvaluatedModel, Report
from studio.engine.evaluation.report_builder import Measured, report_on_classes
from studio.engine.progress import SilentProgress
from studio.engine.proportions import grouped_difference, percentile_interval, wilson

LEAST, MOST = 0.93, 0.97
CASES = 2000
RESAMPLES = 2000
COUNTS = sample([10, 30, 100], 1)
Numbers = NDArray[np.float64]


def _groups(count: int, random: np.random.Generator) -> ImageGroups:
    """Return groups of 15 to 25 images."""
    groups = ImageGroups.of(np.repeat(np.arange(count), random.integers(15, 26, count)))
    assert groups is not None
    return groups


def _coverage(ends: list[tuple[float, float] | None], value: float) -> float:
    return float(np.mean([found is not None and found[0] <= value <= found[1] for found in ends]))


@pytest.mark.parametrize("count", COUNTS)
def test_resamples_of_groups(count: int) -> None:
    random = np.random.default_rng(count)
    groups = _groups(count, random)
    sizes = np.bincount(groups.of_image)
    # Losses differ between films as much as between the images of a film.
    sums = sizes * random.normal(1.0, 0.3, (CASES, count))
    sums += np.sqrt(sizes) * random.normal(0.0, 0.3, (CASES, count))
    drawn = draws(len(groups.of_image), RESAMPLES, 0, groups)
    times = np.stack([np.bincount(groups.of_image[rows], minlength=count) for rows in drawn])
    assert (times % sizes == 0).all(), "groups are drawn as wholes"
    times //= sizes
    assert (times.sum(axis=1) == count).all()
    means = (times @ sums.T) / (times @ sizes)[:, None]

    held = _coverage([interval(each, groups) for each in means.T], 1.0)
    as_images = _coverage([percentile_interval(each) for each in means.T], 1.0)

    assert LEAST <= held <= MOST
    assert count > 10 or as_images < 0.92, "plain percentiles of few groups are too narrow"


def _simulated(
    count: int, share: float, correlation: float
) -> tuple[NDArray[np.bool_], ImageGroups]:
    """Return right and wrong predictions of images of groups, shape (CASES / 2, images).

    Args:
        count: Number of groups.
        share: Expected fraction of right predictions.
        correlation: Correlation within a group.
    """
    random = np.random.default_rng(count)
    groups = _groups(count, random)
    spread = 1 / correlation - 1
    rates = random.beta(share * spread, (1 - share) * spread, (CASES // 2, count))
    return random.random((CASES // 2, len(groups.of_image))) < rates[:, groups.of_image], groups


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("share", [0.6, 0.85])
def test_a_proportion_of_images_of_groups(count: int, share: float) -> None:
    right, groups = _simulated(count, share, 0.1)

    held = _coverage([proportion(each, groups) for each in right], share)
    as_images = _coverage([proportion(each) for each in right], share)

    assert LEAST <= held <= MOST
    assert as_images < 0.88


FRACTIONS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99]


@pytest.mark.thorough
@pytest.mark.parametrize("count", [10, 30, 100])
@pytest.mark.parametrize("correlation", [0.02, 0.1, 0.3, 0.8])
def test_proportions_of_every_size(count: int, correlation: float) -> None:
    """At most 97 % wherever ten independent images of the rarer outcome are expected."""
    for share in FRACTIONS:
        right, groups = _simulated(count, share, correlation)
        held = _coverage([proportion(each, groups) for each in right], share)
        rare = (1 - share) * count * 20 / (1 + 19 * correlation)
        # Three standard deviations of 1000 cases are 2 %, and there are 120 settings.
        assert held >= LEAST - 0.015, share
        assert held <= MOST + 0.01 or rare < 10, share


def test_ten_groups_that_agree_in_themselves_have_no_interval_near_95_percent() -> None:
    """Why more than 97 % cannot be avoided with few outcomes: their numbers are too few.

    Of ten groups that are right or wrong as wholes, an interval is a set of numbers of right
    groups. With half of them right, the sets that treat both outcomes alike hold 89.1, 97.9 or
    99.8 %. Ours is the last: one group that differs says little about the variance.
    """
    chances = binom.pmf(np.arange(11), 10, 0.5)
    symmetric = [chances[left : 11 - left].sum() for left in range(5)]
    assert not any(LEAST <= each <= MOST for each in symmetric)
    held = 0.0
    for right in range(11):
        groups = ImageGroups.of(np.repeat(np.arange(10), 20))
        found = proportion(np.repeat(np.arange(10) < right, 20), groups)
        assert found is not None
        held += chances[right] * (found[0] <= 0.5 <= found[1])
    assert held == pytest.approx(symmetric[1])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("share", [0.03, 0.97, 0.99])
def test_rare_errors_of_few_groups(count: int, share: float, correlation: float) -> None:
    """The variance of few groups with errors is uncertain: plain quantiles hold in 84 %.

    More than 97 % are unavoidable where half of the samples have no error at all.
    """
    right, groups = _simulated(count, share, correlation)
    held = _coverage([proportion(each, groups) for each in right], share)
    assert held >= LEAST - 0.015
    assert held <= MOST + 0.01 or count < 30 or share > 0.97


@pytest.mark.parametrize(("share", "correlation"), [(0.6, 0.1), (0.9, 0.1), (0.97, 0.3)])
def test_another_level_is_noticed(
    monkeypatch: pytest.MonkeyPatch, share: float, correlation: float
) -> None:
    """Intervals of 90 % would not pass the tests above."""
    right, groups = _simulated(30, share, correlation)
    assert _coverage([proportion(each, groups) for each in right], share) >= LEAST
    monkeypatch.setattr(proportions, "LEVEL", 0.90)
    assert _coverage([proportion(each, groups) for each in right], share) < LEAST


@pytest.mark.parametrize("count", COUNTS)
def test_the_difference_of_two_models_on_images_of_groups(count: int) -> None:
    random = np.random.default_rng(count)
    groups = _groups(count, random)
    better = random.beta(2.0, 6.0, (CASES // 2, count))[:, groups.of_image]
    images = random.random(better.shape)
    signs = (images < better).astype(np.int64) - (images > 0.75)

    found = [grouped_difference(each, groups.of_image) for each in signs]
    gain = paired_gain(signs[0] < 0, signs[0] > 0, groups)
    assert (gain.low, gain.high) == found[0][:2]

    assert LEAST <= _coverage([(low, high) for low, high, _ in found], 0.0) <= MOST
    rejected = np.mean([p_value < 0.05 for _, _, p_value in found])
    assert 1 - MOST <= rejected <= 1 - LEAST


def test_groups_that_agree_are_one_observation_each() -> None:
    groups = ImageGroups.of(np.repeat(np.arange(8), 10))
    assert groups is not None
    assert proportion(np.ones(80, np.bool_), groups) != wilson(80, 80)
    low, high = proportion(np.ones(80, np.bool_), groups) or (0.0, 0.0)
    assert (high, low < 0.7) == (1.0, True)
    assert grouped_difference(np.ones(80), groups.of_image)[2] == 2.0**-7
    assert grouped_difference(np.zeros(80), groups.of_image)[2] == 1.0
    single = ImageGroups.of(np.zeros(5, np.int64))
    assert single is not None
    assert proportion(np.array([True, False, True, True, True]), single) is None
    assert ImageGroups.of(np.array([3, 1, 2])) is None
    assert len(single.among(np.array([True, True, False, False, False])).of_image) == 2


def _report(groups: ImageGroups | None) -> Report:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 200).astype(np.int32)
    # Each film of 20 images is predicted correctly, or is not.
    is_right = np.repeat(np.arange(10) % 3 > 0, 20)
    scores = np.where((labels == 1) == is_right, 0.8, 0.2)
    probabilities = np.stack([1 - scores, scores], axis=1) + random.normal(0, 0.01, (200, 1))
    subject = EvaluatedModel(
        model="m", dataset="d", dataset_name="D", dataset_version=0, split="test"
    )
    outcomes = outcomes_of(probabilities, labels, 2)
    measured = Measured(subject, ["a", "b"], outcomes, probabilities, groups=groups)
    return report_on_classes(measured, 400, 0, SilentProgress())


def test_all_intervals_of_a_report_resample_groups() -> None:
    plain, grouped = _report(None), _report(ImageGroups.of(np.repeat(np.arange(10), 20)))
    assert (plain.groups, grouped.groups) == (0, 10)
    for name, (low, high) in grouped.intervals.items():
        before = plain.intervals[name]
        assert high - low > 2 * (before[1] - before[0]), name
    for old, new in zip(plain.outputs, grouped.outputs, strict=True):
        for name, (low, high) in new.intervals.items():
            assert high - low > 1.5 * (old.intervals[name][1] - old.intervals[name][0]), name
