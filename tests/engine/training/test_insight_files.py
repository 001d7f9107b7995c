"""Insights on the disk: what comes back, what is let go, what is damaged."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.engine.errors import BadDataError
from studio.engine.training.insights import (
    FOLDER,
    FixedPictureBoxes,
    Insight,
    LayerNorm,
    PicturePredictions,
    TargetAnswers,
    ValidationPredictions,
    fixed_indices,
    insight_path,
    read_insight,
    read_norms,
    remove_unfinished,
    stored_steps,
    superfluous,
    thin_out,
    write_insight,
)


def _insight(step: int = 7, images: int = 6) -> Insight:
    truth = np.array([0, 0, 1, 1, 2, 2], np.int32)[:images]
    answers = ValidationPredictions(
        np.array([3, 5, 9, 70_000, 70_001, 2**40], np.int64)[:images],
        truth,
        np.array([0, 1, 1, 0, 2, 0], np.int32)[:images],
        np.array([0.9, 0.6, 0.8, 0.7, 1.0, 0.95], np.float32)[:images],
        10,
    )
    pictures = PicturePredictions(
        answers.rows[:2],
        truth[:2],
        np.array([[0, 1, 2], [1, 0, 2]], np.int32)[:images],
        np.array([[0.9, 0.1, 0.0], [0.6, 0.4, 0.0]], np.float32)[:images],
    )
    norms = (LayerNorm("block ü/conv", 2.5, math.nan, 0.01), LayerNorm("head", 1.0, 0.5, 0.02))
    return Insight(2.5, step, 3, answers, pictures, norms)


def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    path = write_insight(tmp_path, _insight())

    assert path == tmp_path / FOLDER / "step-000007.npz"
    found, requested = read_insight(path), _insight()
    assert (found.epoch, found.step, found.classes) == (2.5, 7, 3)
    assert found.answers.of == 10
    for part in ("answers", "pictures"):
        one, other = getattr(found, part), getattr(requested, part)
        for name in ("rows", "truth", "predicted", "classes", "scores"):
            if hasattr(one, name):
                assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
                assert getattr(one, name).dtype == getattr(other, name).dtype, name
    assert repr(found.norms) == repr(requested.norms) == repr(read_norms(path))


def test_boxes_and_records_come_back(tmp_path: Path) -> None:
    records = np.zeros(2, [("score", np.float32, 3), ("label", np.int16, 3)])
    records["score"] = [[0.9, 0.5, 0], [0.1, 0, 0]]
    rows = np.array([4, 9], np.int64)
    found = TargetAnswers(rows, np.ones((2, 3), np.float32), records, 5)
    boxes = FixedPictureBoxes(rows, np.arange(2 * 4 * 6, dtype=np.float32).reshape(2, 4, 6))
    bare = _insight(images=0)
    insight = replace(bare, targets=found, boxes=boxes)
    path = write_insight(tmp_path, insight)

    back = read_insight(path)
    assert back.boxes is not None
    assert back.boxes.detections.tolist() == boxes.detections.tolist()
    assert back.targets.outputs.dtype == records.dtype
    assert back.targets.outputs.tobytes() == records.tobytes()
    write_insight(tmp_path, replace(insight, boxes=replace(boxes, rows=rows[:1])))
    with pytest.raises(BadDataError):
        read_insight(path)


def test_nothing_to_report_returns_too(tmp_path: Path) -> None:
    bare = _insight(images=0)
    path = write_insight(tmp_path, Insight(1, 1, 3, bare.answers, bare.pictures, ()))

    found = read_insight(path)
    assert len(found.answers.rows) == len(found.pictures.rows) == 0
    assert found.norms == ()
    assert found.confusion().tolist() == [[0] * 3] * 3


def test_what_is_counted_from_the_answers() -> None:
    answers = _insight().answers

    assert _insight().confusion().tolist() == [[1, 1, 0], [1, 1, 0], [1, 0, 1]]
    assert answers.mistakes().tolist() == [5, 3, 1], "the surest first"
    assert answers.mistakes(1).tolist() == [5]
    assert answers.cell(0, 1).tolist() == [1]
    assert answers.cell(2, 1).tolist() == []


@pytest.mark.parametrize("damage", ["gone", "cut", "other", "class"])
def test_a_damaged_file_is_a_plain_error(tmp_path: Path, damage: str) -> None:
    path = write_insight(tmp_path, _insight())
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "other":
        np.savez(path, something=np.zeros(3))
    else:
        with np.load(path) as file:
            columns = {name: file[name] for name in file.files}
        columns["predicted"] = columns["predicted"] + 5
        np.savez(path, **columns)

    with pytest.raises(BadDataError, match="cannot be read"):
        read_insight(path)


def test_first_best_and_last_remain_and_the_rest_is_even() -> None:
    steps = list(range(10, 10_010, 10))

    gone = set(superfluous(steps, best=4010, most=50))

    left = [step for step in steps if step not in gone]
    assert len(left) == 50
    assert {10, 4010, 10_000} <= set(left)
    gaps = np.diff(left)
    assert gaps.max() <= 4 * np.median(gaps)
    assert superfluous(steps[:50], best=None, most=50) == []


def test_thinning_removes_files_and_those_that_are_void(tmp_path: Path) -> None:
    for step in (10, 20, 30, 40, 50, 90):
        write_insight(tmp_path, _insight(step))

    thin_out(tmp_path, now=50, best=20, most=4)

    assert stored_steps(tmp_path) == [10, 20, 40, 50], "step 90 is to be done again"


def test_what_a_kill_left_is_removed(tmp_path: Path) -> None:
    write_insight(tmp_path, _insight())
    partial = tmp_path / FOLDER / ".step-000008-abcdefabcdef.partial.npz"
    partial.write_bytes(b"half")

    remove_unfinished(tmp_path)

    assert not partial.exists()
    assert stored_steps(tmp_path) == [7]
    assert insight_path(tmp_path, 7).exists()


@pytest.mark.parametrize("classes", [2, 10, 1000])
def test_fixed_pictures_are_of_as_many_classes_as_possible(classes: int) -> None:
    labels = np.random.default_rng(1).integers(0, classes, 3000).astype(np.int32)

    locations = fixed_indices(labels, seed=4, count=24)

    assert len(set(locations.tolist())) == 24
    assert len(set(labels[locations].tolist())) == min(24, classes)
    assert locations.tolist() == fixed_indices(labels, seed=4, count=24).tolist()
    assert locations.tolist() != fixed_indices(labels, seed=5, count=24).tolist()
    assert len(fixed_indices(labels[:5], seed=4)) == 5
    assert len(fixed_indices(labels[:0], seed=4)) == 0
