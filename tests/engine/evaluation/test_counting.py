"""Corrected counts: their intervals contain the true number of objects of other images."""

from __future__ import annotations

from collections.abc import Callable

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
from studio.engine.tasks import TASKS
from studio.engine.tasks.boxes import CLASS, NO_BOX
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.stars import X


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


def _raccoons(random: np.random.Generator, images: int) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of pictures with one object, seldom more, as of animals."""
    objects = 1 + random.binomial(1, 0.1, images) + random.binomial(1, 0.03, images)
    return random.binomial(objects, 0.9) + random.poisson(0.08, images), objects


def _nuclei(random: np.random.Generator, images: int) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of pictures with 40 objects on average, which differ much, as of cells."""
    objects = random.negative_binomial(2, 2 / 42, images)
    return random.binomial(objects, 0.93) + random.poisson(0.02 * objects + 0.3), objects


@pytest.mark.parametrize(("made", "measured", "counted"), [(_raccoons, 60, 30), (_nuclei, 40, 15)])
def test_few_and_many_objects_of_a_picture(
    made: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]],
    measured: int,
    counted: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def held() -> float:
        random, inside = np.random.default_rng(1), []
        for _ in range(800):
            predicted, objects = made(random, measured)
            images = CountedImages(["a"], predicted[:, None], objects[:, None], None)
            others, truth = made(random, counted)
            correction = corrections(images)["a"]
            _, (low, high) = correction.estimate(int(others.sum()), [1] * counted)
            inside.append(low <= truth.sum() <= high)
        return float(np.mean(inside))

    assert 0.925 <= held() <= 0.97
    monkeypatch.setattr("studio.engine.proportions.LEVEL", 0.90)
    assert held() < 0.925, "another level is noticed"


def _shapes(random: np.random.Generator, images: int) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of a network that hardly errs."""
    objects = random.poisson(0.5, images)
    return random.binomial(objects, 0.98) + random.poisson(0.004, images), objects


@pytest.mark.parametrize("counted", [1, 9, 40, 150])
def test_rare_errors_are_whole_objects(counted: int) -> None:
    random, inside = np.random.default_rng(2), []
    for _ in range(800):
        predicted, objects = _shapes(random, 150)
        images = CountedImages(["a"], predicted[:, None], objects[:, None], None)
        others, truth = _shapes(random, counted)
        _, (low, high) = corrections(images)["a"].estimate(int(others.sum()), [1] * counted)
        inside.append(low <= truth.sum() <= high)
    assert 0.93 <= np.mean(inside) <= 0.995


def test_outlines_are_counted_as_they_are_predicted() -> None:
    """Counts of an evaluation are those of the predictions that they correct."""
    task, names = TASKS["instances"], ("a", "b")
    stars = np.zeros((2, 1000, 40), np.float32)
    stars[..., CLASS] = NO_BOX
    scores = (0.9, 0.8, 0.6, 0.3)
    for at, score in enumerate(scores):
        left = 20.0 * at
        stars[0, at, : X + 2] = (at % 2, left, 10, left + 10, 20, score, left + 5, 15)
        stars[0, at, X + 2 :] = 5
    calibration = Calibration(thresholds=(0.5, 0.7))
    found = task.reporter.object_counts(stars, 2, calibration)
    assert found is not None
    assert found.tolist() == [[2, 1], [0, 0]]
    assert task.reporter.counts_objects
    prediction = task.predictor.of_decoded(
        stars[0], (100, 40), Meaning(names, calibration=calibration)
    )
    assert prediction.objects is not None
    shown = [each.label for each in prediction.objects.given]
    assert sorted(shown) == ["a", "a", "b"]


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
