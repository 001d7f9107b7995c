"""Corrected counts: their intervals contain the true number of objects of other images."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.evaluation.counting import (
    CountedImage,
    CountedImages,
    CountRow,
    corrections,
    count_rows,
    counts_table,
)
from studio.engine.evaluation.measures import ImageGroups


def _images(
    random: np.random.Generator, origins: int, images: int, spread: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return predicted and true counts; recall 0.8, and it varies between origins."""
    recall = np.repeat(random.normal(0.8, spread, origins).clip(0.5, 1.0), images)
    objects = random.poisson(10, origins * images)
    false = random.poisson(1.0, origins * images)
    return random.binomial(objects, recall) + false, objects


@pytest.mark.parametrize(("spread", "with_groups"), [(0.0, False), (0.08, True)])
def test_intervals_of_folders_hold_their_true_count(spread: float, with_groups: bool) -> None:
    random, held, widths = np.random.default_rng(1), [], []
    for _ in range(600):
        predicted, objects = _images(random, 20, 10, spread)
        groups = ImageGroups.of(np.repeat(np.arange(20), 10)) if with_groups else None
        counted = CountedImages(["cell"], predicted[:, None], objects[:, None], groups)
        correction = corrections(counted)["cell"]
        assert correction.ratio == objects.sum() / predicted.sum()
        others, truth = _images(random, 3, 10, spread)
        images = [10, 10, 10] if with_groups else [1] * 30
        value, (low, high) = correction.estimate(int(others.sum()), images)
        assert low <= value <= high
        held.append(low <= truth.sum() <= high)
        widths.append(high - low)
    assert 0.93 <= np.mean(held) <= 0.98
    assert np.mean(widths) < 150, "of 300 objects"


def test_agreement_and_classes_that_cannot_be_corrected() -> None:
    predicted, objects = np.array([[4, 0], [6, 0], [5, 0]]), np.array([[5, 1], [6, 0], [7, 0]])
    found = corrections(CountedImages(["a", "b"], predicted, objects, None))
    assert list(found) == ["a"]
    assert found["a"].agreement.bias == pytest.approx(-1.0)
    assert found["a"].agreement.high - found["a"].agreement.low == pytest.approx(2 * 1.96)
    assert found["a"].ratio == pytest.approx(1.2)
    value, (low, _) = found["a"].estimate(0, [1])
    assert (value, low) == (0.0, 0.0)
    single = ImageGroups.of(np.zeros(3, np.int64))
    assert not corrections(CountedImages(["a"], predicted[:, :1], objects[:, :1], single))


def _rows(level: str, *images: CountedImage) -> list[CountRow]:
    return [each for each in count_rows(images, ["a"], {}) if each.level == level]


def test_frames_are_counted_by_second() -> None:
    frames = [
        CountedImage(f"in/film.mp4/film-{number}.png", ["a"] * number, seconds=number / 2)
        for number in range(5)
    ]
    found = _rows("second", *frames, CountedImage("in/still.png", ["a"]))
    assert [(each.name, each.images, each.predicted) for each in found] == [
        ("in/film.mp4 0:00", 2, 1),
        ("in/film.mp4 0:01", 2, 5),
        ("in/film.mp4 0:02", 1, 4),
    ]
    assert not _rows("second", CountedImage("in/still.png", ["a"]))


def test_the_table_of_counts_has_a_line_for_each_row() -> None:
    lines = counts_table(count_rows([CountedImage("x/a.png", ["a", "a"])], ["a"], {})).splitlines()
    assert lines[0] == "level,name,class,images,predicted,estimate,low,high"
    assert lines[1] == "image,x/a.png,a,1,2,,,"
    assert lines[-1] == "all,,a,1,2,,,"
