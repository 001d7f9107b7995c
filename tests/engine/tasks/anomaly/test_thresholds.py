"""Choice of thresholds by false alarms and by costs, and scores of tiles."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.errors import StudioError
from studio.engine.evaluation.measures import FEWEST, RANK_BUDGET, affordable_draws
from studio.engine.tasks.anomaly.report import REPORTER
from studio.engine.tasks.anomaly.thresholds import by_costs, by_false_alarms, of_pixels
from studio.engine.tasks.threshold import ErrorCosts, ThresholdRule

GOOD = np.arange(100) / 100
DEFECTS = np.array([0.5, 0.905, 0.955, 2.0])


def test_the_allowed_fraction_of_good_images_reaches_the_threshold() -> None:
    choice = by_false_alarms(GOOD, DEFECTS, 0.1)
    assert choice.threshold == pytest.approx(0.895)
    assert choice.false_alarms == pytest.approx(0.1)
    assert choice.low < 0.1 < choice.high
    assert choice.recall == pytest.approx(0.75)
    none = by_false_alarms(GOOD, np.zeros(0), 0.0)
    assert none.threshold > GOOD.max()
    assert (none.false_alarms, none.low, none.recall) == (0, 0, None)
    assert none.high == pytest.approx(0.037, abs=1e-3)


def test_dear_misses_lower_the_threshold_and_dear_alarms_raise_it() -> None:
    careful = by_costs(GOOD, DEFECTS, ErrorCosts(1000, 1))
    bold = by_costs(GOOD, DEFECTS, ErrorCosts(1, 1000))
    assert careful.recall == 1
    assert bold.false_alarms == 0
    assert careful.threshold <= 0.5 < bold.threshold
    rare = by_costs(GOOD, DEFECTS, ErrorCosts(10, 1, 0.001))
    assert rare.threshold > by_costs(GOOD, DEFECTS, ErrorCosts(10, 1, 0.5)).threshold
    share = 4 / 104
    missed, alarms = 1 - (careful.recall or 0), careful.false_alarms
    assert careful.cost == pytest.approx(share * 1000 * missed + (1 - share) * alarms)
    for limit in np.concatenate([GOOD, DEFECTS, [3.0]]):
        other = share * 1000 * (limit > DEFECTS).mean() + (1 - share) * (limit <= GOOD).mean()
        assert other >= (careful.cost or 0) - 1e-9


def test_costs_need_defects_and_positive_numbers() -> None:
    with pytest.raises(StudioError, match="need images with defects"):
        by_costs(GOOD, np.zeros(0), ErrorCosts(1, 1))
    for text in ("1", "1,2,3,4", "a,b", "0,1", "1,1,2", "inf,1", "1,nan", "1%,1"):
        with pytest.raises(StudioError, match="received"):
            ErrorCosts.parsed(text)
    for text in ("100,1,0.02", "100,1,2%"):
        assert ErrorCosts.parsed(text) == ErrorCosts(100, 1, 0.02)
    with pytest.raises(StudioError, match=r"received 1\.5"):
        ThresholdRule(false_alarms=1.5)
    with pytest.raises(StudioError, match="one rule"):
        ThresholdRule(0.1, ErrorCosts(1, 1))


def test_no_alarm_is_possible_where_all_scores_are_0() -> None:
    choice = by_costs(np.zeros(9), np.zeros(1), ErrorCosts(1, 1000))
    assert choice.threshold > 0
    assert choice.false_alarms == 0


def test_adjacent_scores_are_separated() -> None:
    lower, higher = np.float32(1), np.nextafter(np.float32(1), np.float32(2))
    choice = by_costs(np.array([lower, higher]), np.array([higher]), ErrorCosts(1000, 1))
    assert (choice.false_alarms, choice.recall) == (0.5, 1)
    assert lower < choice.threshold <= higher


def tiles() -> tuple[np.ndarray, np.ndarray]:
    """Return evidence and targets of six tiles, of which two have a defect."""
    maps = np.random.default_rng(0).uniform(0, 0.5, (6, 8, 8)).astype(np.float32)
    masks = np.zeros((6, 8, 8), np.uint8)
    for tile, score in ((1, 3.0), (4, 0.9)):
        masks[tile, 2:4, 2:4] = 1
        maps[tile, 2:4, 2:4] = score
    targets = np.stack([(masks == kind).sum(axis=(1, 2)) for kind in (0, 1)], axis=1)
    return REPORTER.evidence(maps, masks, 2), targets


def test_thresholds_of_pixels_count_good_pixels() -> None:
    evidence, targets = tiles()
    image, pixel = REPORTER.thresholds(evidence, targets, ThresholdRule(false_alarms=0.0))
    assert image.unit == "image"
    assert image.recall == 1
    assert pixel.unit == "pixel"
    assert pixel.false_alarms == pixel.low == pixel.high == 0
    assert 0.4 < pixel.threshold <= 0.9
    assert pixel.recall == 1
    half = REPORTER.thresholds(evidence, targets, ThresholdRule(false_alarms=0.5))[1]
    assert 0.4 < half.false_alarms <= 0.5
    assert half.low < half.false_alarms < half.high
    (only,) = REPORTER.thresholds(evidence, targets, ThresholdRule(costs=ErrorCosts(1, 1)))
    assert only.cost == 0


def test_tiles_of_an_image_are_measured_together() -> None:
    evidence, targets = tiles()
    pictures = np.array([0, 0, 1, 1, 2, 2])
    whole, pixels = REPORTER.of_whole_pictures(evidence, targets, pictures)
    assert whole.shape == (3, *evidence.shape[1:])
    assert whole[:, 0, 0] == pytest.approx(evidence[:, 0, 0].reshape(3, 2).max(axis=1))
    assert whole[:, :, 1:].sum() == pytest.approx(evidence[:, :, 1:].sum(), rel=1e-5)
    assert pixels.tolist() == targets.reshape(3, 2, 2).sum(axis=1).tolist()
    assert (pixels[:, 1] > 0).tolist() == [True, False, True]


def test_percentiles_of_a_handful_of_resamples_are_no_interval() -> None:
    assert affordable_draws(1000, 1) == 1000
    assert affordable_draws(1000, RANK_BUDGET / 200) == 200
    assert affordable_draws(1000, RANK_BUDGET / 50) == FEWEST, "a little longer"
    assert affordable_draws(1000, RANK_BUDGET) == 0
    assert affordable_draws(2, RANK_BUDGET) == 2, "someone asked for as few"


def test_the_interval_of_false_alarms_of_pixels_holds_95_percent() -> None:
    images, rate = 400, 0.3
    good = np.zeros((images, 2))
    good[: int(rate * images), 1] = good[int(rate * images) :, 0] = 1
    found = of_pixels(good, np.zeros_like(good), np.array([0.0, 1.0]), 0.4)
    deviation = (rate * (1 - rate) / images) ** 0.5
    assert found.false_alarms == pytest.approx(rate)
    assert (found.high - found.low) / (2 * deviation) == pytest.approx(1.96, rel=0.08)
