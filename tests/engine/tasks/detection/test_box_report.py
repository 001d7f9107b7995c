"""Metrics of images and of whole evaluations, and the states of boxes and objects."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CROWD, DIFFICULT, empty
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import MOST
from studio.engine.tasks.detection.matching import (
    DUPLICATE,
    NONE,
    NOTHING,
    OTHER_CLASS,
    SIDES_OFF,
    outcome,
)
from studio.engine.tasks.detection.precision import evidence_of
from studio.engine.tasks.detection.report import REPORTER, THRESHOLD, tuned_thresholds
from studio.engine.tasks.prediction import FALSE, IGNORED, MISSED, RIGHT

Rows = list[tuple[float, ...]]
HALF = Calibration(thresholds=(0.5, 0.5))


def batch(images: list[Rows], places: int) -> NDArray[np.float32]:
    """Return the rows of images with empty places behind them."""
    found = empty(len(images), places)
    for at, rows in enumerate(images):
        found[at, : len(rows)] = np.array(rows, np.float32).reshape(-1, 6)
    return found


OBJECT = (0, 10, 10, 30, 30, 0)
EXACT = (0, 10, 10, 30, 30, 0.9)


def test_states_of_boxes_and_objects() -> None:
    """Each false box has its reason, and what does not count is left out."""
    boxes: Rows = [
        OBJECT,
        (1, 50, 10, 70, 30, 0),
        (1, 10, 50, 30, 70, 0),
        (0, 50, 50, 70, 70, DIFFICULT),
        (1, 0, 80, 100, 100, CROWD),
    ]
    detections: Rows = [
        EXACT,
        (0, 11, 11, 31, 31, 0.85),  # a second one
        (0, 50, 10, 70, 30, 0.8),  # of another class
        (1, 10, 50, 30, 57, 0.75),  # too low
        (0, 80, 80, 90, 90, 0.7),  # of nothing
        (0, 50, 50, 70, 70, 0.65),  # of a difficult one
        (1, 20, 82, 40, 98, 0.6),  # in a crowd
        (1, 50, 10, 70, 30, 0.4),  # below its threshold
    ]
    found = outcome(batch([detections], MOST)[0], batch([boxes], 6)[0], np.array([0.5, 0.5]))

    assert found.states.tolist() == [RIGHT, FALSE, FALSE, FALSE, FALSE, IGNORED, IGNORED]
    assert found.reasons == ("", DUPLICATE, OTHER_CLASS, SIDES_OFF, NOTHING, "", "")
    assert found.partners.tolist() == [0, 0, 1, 2, NONE, 3, 4]
    assert found.object_states.tolist() == [RIGHT, MISSED, MISSED, IGNORED, IGNORED]
    assert found.object_partners.tolist() == [0, NONE, NONE, NONE, NONE]
    assert found.ious[0] == pytest.approx(1)

    confusion = REPORTER.confusion(batch([detections], MOST), batch([boxes], 6), 2, HALF)
    assert confusion.tolist() == [[1, 0, 0], [1, 0, 1], [2, 1, 0]]
    for cell in np.ndindex(3, 3):
        row, column = cell
        of_cell = REPORTER.in_cell(
            batch([detections], MOST)[0], batch([boxes], 6)[0], (row, column), 2, HALF
        )
        assert of_cell == confusion[row, column]


def test_an_image_without_anything() -> None:
    """There is nothing to match."""
    found = outcome(empty(1, MOST)[0], empty(1, 1)[0], np.array([0.5]))
    assert not len(found.states)
    assert not len(found.object_states)
    assert REPORTER.confusion(empty(2, MOST), empty(2, 1), 1).tolist() == [[0, 0], [0, 0]]


def test_errors_of_images() -> None:
    """The share of wrong boxes and missed objects, of a class and of all."""
    decoded = batch([[EXACT], [EXACT], [], []], MOST)
    truth = batch([[OBJECT], [OBJECT, (1, 50, 10, 70, 30, 0)], [OBJECT], []], 2)
    evidence, none = REPORTER.evidence(decoded, truth, 2), np.zeros((4, 2))

    assert REPORTER.errors(evidence, none, None, HALF).tolist() == pytest.approx([0, 1 / 3, 1, -1])
    assert REPORTER.errors(evidence, none, 0, HALF).tolist() == [0, 0, 1, -1]
    assert REPORTER.errors(evidence, none, 1, HALF).tolist() == [-1, 1, -1, -1]
    assert REPORTER.error_text(evidence[1], none[1], 1, HALF) == "1 missed, 0 false"
    strict = Calibration(thresholds=(0.95, 0.95))
    assert REPORTER.errors(evidence, none, 0, strict).tolist() == [1, 1, 1, -1]
    assert REPORTER.recognized(evidence, none)[0].tolist() == [3, 1]
    assert REPORTER.recognized(evidence, none)[1].tolist() == [2, 0]
    assert REPORTER.predicted(evidence).tolist() == [1, 0]


def test_wrong_boxes_are_outlined() -> None:
    """Missed objects and false boxes are outlined, right ones are not."""
    decoded = batch([[EXACT, (0, 60, 60, 80, 80, 0.8)]], MOST)[0]
    truth = batch([[OBJECT, (1, 50, 10, 70, 30, 0)]], 2)[0]
    image = REPORTER.error_map(decoded, truth, None, (100, 90), HALF)

    assert image.shape == (100, 90)
    assert image[10, 10] == RIGHT
    assert image[10, 60] == image[29, 69] == MISSED
    assert image[60, 60] == image[79, 65] == FALSE
    assert image[70, 70] == image[20, 60] == RIGHT
    assert not REPORTER.error_map(decoded, truth, 1, (100, 90), HALF)[60, 60]


def test_all_metrics() -> None:
    """Of one exact box and one missed object."""
    decoded = batch([[EXACT], []], MOST)
    truth = batch([[OBJECT], [OBJECT, (1, 0, 0, 100, 100, 0)]], 2)
    evidence = REPORTER.evidence(decoded, truth, 2)
    found = REPORTER.measure(evidence, np.zeros((2, 2)), HALF)

    assert set(found.whole) == {each.name for each in REPORTER.whole}
    assert set(found.outputs) == {each.name for each in REPORTER.outputs}
    half = 51 / 101  # the precision is 1 at recalls of 0 to 50 %
    assert found.whole["map"] == pytest.approx(half / 2)
    assert found.whole["ap50"] == pytest.approx(half / 2)
    assert found.whole["ar100"] == pytest.approx(0.25)
    assert found.whole["map_small"] == pytest.approx(half)
    assert found.whole["map_large"] == 0
    assert np.isnan(found.whole["map_medium"])
    assert found.outputs["recall"].tolist() == [0.5, 0]
    assert found.outputs["precision"][0] == 1
    assert np.isnan(found.outputs["precision"][1])

    nothing = REPORTER.constant(np.array([[1, 0], [1, 1]], np.int32))
    assert REPORTER.measure(nothing, np.zeros((2, 2)), HALF).whole["map"] == 0
    assert REPORTER.outputs_in(nothing) == 2


def test_resamples_are_those_of_the_images() -> None:
    """A resample is measured as a dataset of the drawn images."""
    decoded = batch([[EXACT], [(1, 0, 0, 50, 50, 0.6)], []], MOST)
    truth = batch([[OBJECT], [(1, 0, 0, 60, 50, 0)], [OBJECT]], 1)
    evidence, none = REPORTER.evidence(decoded, truth, 2), np.zeros((3, 2))
    draws = [np.array(each) for each in ([0, 0, 1], [2, 2, 2], [1, 2, 0])]

    for drawn, found in zip(draws, REPORTER.resampled(evidence, none, HALF, draws), strict=True):
        expected = REPORTER.measure(evidence[drawn], none, HALF)
        assert found.whole == pytest.approx(expected.whole, nan_ok=True)
        for name, values in expected.outputs.items():
            np.testing.assert_allclose(found.outputs[name], values)


def test_models_agree_on_boxes_that_are_nearly_the_same() -> None:
    """Sides and scores may differ a little; boxes below the threshold do not count."""
    one = batch([[EXACT, (1, 0, 0, 50, 50, 0.52)], [EXACT], [(0, 1, 1, 9, 9, 0.2)]], MOST)
    other = batch([[(0, 10, 10, 30, 30.5, 0.88), (1, 0, 0, 50, 50, 0.49)], [], []], MOST)

    assert REPORTER.disagree(one, other, HALF, np.ones(1)).tolist() == [False, True, False]
    assert REPORTER.agreement(one, other, HALF) == pytest.approx(3 / 4)
    assert REPORTER.agreement(other[1:], other[1:], HALF) == 1


def test_thresholds_are_tuned_where_there_are_objects_enough() -> None:
    """A class with few objects has the usual threshold."""
    decoded = batch([[EXACT, (0, 50, 50, 70, 70, 0.4)]] * 6, MOST)
    truth = batch([[OBJECT]] * 6, 1)

    assert tuned_thresholds(evidence_of(decoded, truth, 2)) == pytest.approx((0.65, THRESHOLD))


def test_detections_of_another_size_are_scaled() -> None:
    """A network that sees images of another size answers in pixels of those of the dataset."""
    outputs = np.zeros((1, 4 * 4 + 2 * 2 + 1, 5), np.float32)
    outputs[0, 5] = (0.9, 1, 1, 1, 1)
    found = REPORTER.decoded(outputs, (64, 128), (32, 32))
    np.testing.assert_allclose(found[0, 0], (0, 16, 8, 80, 40, 0.9))
    np.testing.assert_allclose(REPORTER.decoded(outputs, (32, 32))[0, 0], (0, 4, 4, 20, 20, 0.9))


def test_an_overlap_and_a_score_that_are_just_reached_count() -> None:
    boxes: Rows = [OBJECT, (1, 50, 50, 70, 70, 0)]
    detections: Rows = [(0, 10, 10, 30, 20, 0.75), (0, 50, 50, 70, 60, 0.5)]  # both with IoU 0.5
    found = outcome(batch([detections], MOST)[0], batch([boxes], 2)[0], np.array([0.5, 0.5]))
    assert found.states.tolist() == [RIGHT, FALSE]
    confusion = REPORTER.confusion(batch([detections], MOST), batch([boxes], 2), 2, HALF)
    assert confusion.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
