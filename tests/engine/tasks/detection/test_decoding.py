"""Decoding of outputs to detections, against slow references and OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.sampling import few_examples
from studio.engine.tasks import boxes
from studio.engine.tasks.decoding import (
    CANDIDATES,
    MAX_OVERLAP,
    MIN_SCORE,
    MOST,
    SCORE,
    decoded,
    merged,
    suppressed,
    without_places,
)

SIZE = (64, 96)
POSITIONS = 8 * 12 + 4 * 6 + 2 * 3


def outputs_of(seed: int, images: int = 2, classes: int = 3) -> NDArray[np.float32]:
    """Return random outputs with few distinct scores, so that many are equal."""
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 40, (images, POSITIONS, classes)) / 40 * draw.random((images, 1, 1))
    sides = draw.gamma(1.5, 1.0, (images, POSITIONS, 4))
    return np.concatenate([scores, sides], axis=-1).astype(np.float32)


def slowly_decoded(outputs: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the detections of an image, one candidate after another."""
    classes = outputs.shape[1] - 4
    places = boxes.positions_of(len(outputs), *size)
    found = []
    for at, (x, y, stride) in enumerate(places):
        left, top, right, bottom = outputs[at, classes:] * stride
        corners = (
            min(max(x - left, 0), size[1]),
            min(max(y - top, 0), size[0]),
            min(max(x + right, 0), size[1]),
            min(max(y + bottom, 0), size[0]),
        )
        for label in range(classes):
            score = outputs[at, label]
            is_there = corners[2] > corners[0] and corners[3] > corners[1]
            if score >= np.float32(MIN_SCORE) and is_there:
                found.append((label, *corners, score))
    rows = np.array(found, np.float32).reshape(-1, 6)
    rows = rows[np.argsort(-rows[:, SCORE], kind="stable")][:CANDIDATES]
    return slowly_suppressed(rows)[:MOST]


def slowly_suppressed(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return detections in their order, each compared with every one that is kept."""
    kept: list[NDArray[np.float32]] = []
    for row in rows:
        if all(
            other[0] != row[0]
            or boxes.overlaps(other[None, 1:5], row[None, 1:5])[0, 0] <= MAX_OVERLAP
            for other in kept
        ):
            kept.append(row)
    return np.array(kept, np.float32).reshape(-1, 6)


@settings(max_examples=few_examples() // 3)
@given(st.integers(0, 10_000))
def test_detections_are_those_of_a_slow_reference(seed: int) -> None:
    """Every candidate, clipped, and suppressed one after another, gives the same rows."""
    outputs = outputs_of(seed)
    found = decoded(outputs, SIZE)
    assert found.shape == (2, MOST, 6)
    assert found.dtype == np.float32
    for rows, each in zip(found, outputs, strict=True):
        expected = slowly_decoded(each, SIZE)
        np.testing.assert_array_equal(without_places(rows), expected)
        np.testing.assert_array_equal(
            rows[len(expected) :], boxes.empty(1, MOST)[0, len(expected) :]
        )


@given(st.integers(0, 10_000))
def test_suppression_equals_opencv(seed: int) -> None:
    """OpenCV keeps the same boxes of each class."""
    draw = np.random.default_rng(seed)
    corner, sides = draw.random((60, 2)) * 40, draw.random((60, 2)) * 30 + 5
    scores = np.sort(draw.permutation(60) / 60 + 0.01)[::-1]
    labels = draw.integers(0, 2, 60)
    rows = np.column_stack([labels, corner, corner + sides, scores]).astype(np.float32)
    rects = np.column_stack([rows[:, 1:3], rows[:, 3:5] - rows[:, 1:3]]).astype(np.float64)
    kept = cv2.dnn.NMSBoxesBatched(
        rects.tolist(), rows[:, SCORE].tolist(), labels.tolist(), 0.0, MAX_OVERLAP
    )
    np.testing.assert_array_equal(suppressed(rows), rows[np.sort(kept)])


def test_only_the_highest_scores_are_considered() -> None:
    """Equal scores at the limit are taken in the order of their positions."""
    outputs = np.full((1, 40 * 40, 5), 0.5, np.float32)
    outputs[0, :, 1:] = 0.25
    found = without_places(decoded(outputs, (160, 160))[0])
    places = boxes.positions_of(1600, 160, 160)
    assert len(found) == MOST
    np.testing.assert_array_equal(found[:, 1:3], places[:MOST, :2] - 1)


def test_nothing_is_found_in_low_scores() -> None:
    """Scores below the least one, and boxes outside of the image, are no detections."""
    outputs = outputs_of(0)
    outputs[..., :3] = MIN_SCORE / 2
    assert np.all(decoded(outputs, SIZE)[..., 0] == boxes.NO_BOX)


def detections(*rows: tuple[float, ...]) -> NDArray[np.float32]:
    """Return rows as detections."""
    return np.array(rows, np.float32).reshape(-1, 6)


def test_a_part_of_an_object_gives_way_to_the_whole() -> None:
    """A detection that its tile cuts is left out where another tile shows the whole object."""
    tiles = [(0, 0, 100, 100), (75, 0, 100, 100)]
    part = (0, 80, 40, 100, 60, 0.9)
    whole = (0, 78, 38, 140, 62, 0.6)
    found = merged([detections(part), detections(whole)], tiles, (175, 100))
    np.testing.assert_array_equal(found, detections(whole))
    weak = (*whole[:5], 0.4)
    assert len(merged([detections(part), detections(weak)], tiles, (175, 100))) == 2
    other = (1, *whole[1:])
    assert len(merged([detections(part), detections(other)], tiles, (175, 100))) == 2


def test_an_object_of_two_tiles_is_one_detection() -> None:
    """Of two detections of one object, the better one is kept; empty places are left out."""
    tiles = [(0, 0, 100, 100), (75, 0, 100, 100)]
    one, other = (0, 78, 38, 95, 62, 0.7), (0, 79, 38, 96, 62, 0.8)
    parts = [np.concatenate([detections(one), boxes.empty(1, 3)[0]]), detections(other)]
    np.testing.assert_array_equal(merged(parts, tiles, (175, 100)), detections(other))
    assert merged([], [], (5, 5)).shape == (0, 6)
    assert merged([detections()], tiles[:1], (100, 100)).shape == (0, 6)


def test_the_border_of_the_picture_cuts_nothing() -> None:
    """A detection at the border of the picture is whole."""
    tiles = [(0, 0, 100, 100), (75, 0, 100, 100)]
    at_border, inside = (0, 140, 38, 175, 62, 0.5), (0, 150, 40, 172, 60, 0.9)
    found = merged([detections(), detections(inside, at_border)], tiles, (175, 100))
    assert found[:, SCORE] == pytest.approx([0.9, 0.5])
