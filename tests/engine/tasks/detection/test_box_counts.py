"""Boxes of each class as targets."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.errors import StudioError
from studio.engine.tasks.boxes import CROWD, DIFFICULT, box_counts, padded
from studio.engine.tasks.detection.targets import TARGETS

NAMES = ("red", "white", "rare")
VALUES = np.array([[3, 1, 0], [0, 0, 0], [2, 0, 0], [1, 0, 4]], np.int32)


def test_traits_are_the_classes_in_an_image() -> None:
    assert TARGETS.traits(VALUES).tolist() == [
        [True, True, False],
        [False, False, False],
        [True, False, False],
        [True, False, True],
    ]
    assert TARGETS.has(VALUES, 2).tolist() == [False, False, False, True]
    assert TARGETS.strata(VALUES).tolist() == [1, 3, 0, 2]


def test_texts_of_an_image() -> None:
    assert TARGETS.text(NAMES, (), VALUES[0]) == "3 red, 1 white"
    assert TARGETS.text(NAMES, (), VALUES[3]) == "4 rare, 1 red"
    assert TARGETS.text(NAMES, (), VALUES[1]) == "no objects"
    assert TARGETS.document(NAMES, VALUES[3]) == {
        "boxes": 5,
        "classes": [{"class": "red", "boxes": 1}, {"class": "rare", "boxes": 4}],
    }


def test_figures_of_the_classes() -> None:
    found = {name: values.tolist() for name, values in TARGETS.figures(VALUES).items()}

    assert found["images"] == [3, 1, 1]
    assert found["boxes"] == [6, 1, 4]
    assert found["boxes per image"] == [2, 1, 4]
    assert found["share"] == pytest.approx([6 / 11, 1 / 11, 4 / 11])


def test_figures_without_boxes() -> None:
    found = TARGETS.figures(np.zeros((2, 2), np.int32))

    assert np.isnan(found["share"]).all()
    assert np.isnan(found["boxes per image"]).all()
    assert found["boxes"].tolist() == [0, 0]


def test_crowds_and_empty_places_are_not_counted() -> None:
    one = np.array(
        [[0, 1, 1, 2, 2, 0], [0, 1, 1, 2, 2, DIFFICULT], [2, 1, 1, 2, 2, CROWD]], np.float32
    )
    boxes = np.stack([padded(one, 4), padded(one[:1], 4), padded(one[:0], 4)])

    assert box_counts(boxes, 3).tolist() == [[2, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert box_counts(boxes, 3).dtype == TARGETS.dtype
    assert box_counts(boxes[:0], 3).shape == (0, 3)


def test_a_table_contains_no_boxes() -> None:
    with pytest.raises(StudioError, match="no masks and no boxes"):
        TARGETS.read(["a"], [["1"], ["2"]])
    assert TARGETS.usable(["a"], [["1"]]) == []
    assert TARGETS.refusal(3)
