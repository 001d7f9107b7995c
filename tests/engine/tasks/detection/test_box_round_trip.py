"""Boxes that are written in a format are read as they were."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.box_files import SIZE, as_rows, boxes, problems, written
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions, BoxAnnotations, WritableFormat
from studio.engine.tasks.boxes import CROWD, DIFFICULT
from studio.engine.tasks.detection.formats import FORMATS, WRITABLE

NAMES = ("a:1,2,3", "red cell", "größe ± 日本", "no", "<7 & 'x'>", "=1+1", "12", "dontcare")
Row = tuple[float, float, float, float, float, int]
Box = tuple[str, float, float, float, float, int]


@st.composite
def _box(draw: st.DrawFn, whole: bool) -> Row:
    width, height = SIZE

    def side(most: int) -> tuple[float, float]:
        if whole:
            first = draw(st.integers(0, most - 1))
            return first, draw(st.integers(first + 1, most))
        ends = sorted(draw(st.tuples(*[st.floats(0, most, width=32, allow_subnormal=False)] * 2)))
        return (ends[0], ends[1]) if ends[1] - ends[0] > 1e-2 else (0.0, float(most))

    left, right = side(width)
    top, bottom = side(height)
    label = draw(st.integers(0, len(NAMES) - 1))
    return label, left, top, right, bottom, draw(st.sampled_from((0, 0, DIFFICULT, CROWD)))


@st.composite
def _pictures(draw: st.DrawFn) -> dict[str, list[Row]]:
    count = draw(st.integers(1, 4))
    return {
        f"{split}_{number}": draw(
            st.lists(
                _box(draw(st.booleans())),
                max_size=4,
                unique_by=lambda row: (*row[:5], row[5] == CROWD),
            )
        )
        for number, split in enumerate(
            draw(
                st.lists(st.sampled_from(("train", "val", "test")), min_size=count, max_size=count)
            )
        )
    }


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
@settings(max_examples=60, deadline=None)
@given(pictures=_pictures())
def test_what_is_written_is_read(form: WritableFormat, pictures: dict[str, list[Row]]) -> None:
    name = form.name
    if not any(row[5] != CROWD for rows in pictures.values() for row in rows):
        pictures["train_9"] = [(1, 10, 20, 30, 40, 0)]
    with tempfile.TemporaryDirectory() as folder:
        files = written(form, Path(folder), NAMES, pictures).annotated
        assert [each.name for each in FORMATS if each.accepts(files)] == [name]
        assert form.is_evident(files)
        found = form.read(files, AnnotationOptions(), SilentProgress())
    assert isinstance(found, BoxAnnotations)
    splits = {Path(each.path).stem: each.split for each in found.pictures}
    assert splits == {key: key.partition("_")[0] for key in pictures}
    reasons = {reason for each in problems(found).values() for reason in each}
    assert all(reason.startswith("kept ") for reason in reasons), "only crowds are reported"
    read = {Path(path).stem: rows for path, rows in boxes(found).items()}
    for key, rows in pictures.items():
        left_over = _expected(name, rows)
        for one in read[key]:
            # Nearly equal boxes may be in another order: each one takes an equal one away.
            left_over.remove(next(each for each in left_over if _is_same(one, each)))
        assert not left_over


def _is_same(one: Box, other: Box) -> bool:
    """Return True for boxes that differ by rounding alone."""
    return (one[0], one[5]) == (other[0], other[5]) and np.allclose(
        one[1:5], other[1:5], rtol=0, atol=1e-6
    )


def test_nearly_equal_boxes_in_another_order_are_the_same() -> None:
    form = WRITABLE["yolo"]
    near = [(0, 0, 30, 60, 70, 0), (0, 1e-12, 10, 60, 50, 0)]  # both begin at 0 when they are read
    check = test_what_is_written_is_read.hypothesis.inner_test
    check(form, {"train_0": near})


def _expected(name: str, rows: Sequence[Row]) -> list[Box]:
    """Return boxes as a format keeps them."""
    if name == "yolo":
        rows = [(*row[:5], 0) for row in rows if row[5] != CROWD]
    if name == "kitti":
        crowds = {row[1:5] for row in rows if row[5] == CROWD}
        rows = [row for row in rows if row[5] != CROWD]
        rows += [(label, *corners, CROWD) for corners in crowds for label in range(len(NAMES))]
    return as_rows(np.array(rows, np.float32).reshape(-1, 6), _names(name))


def _names(name: str) -> Sequence[str]:
    if name != "kitti":
        return NAMES
    return [*(each.replace(" ", "_") for each in NAMES[:-2]), "class_12", "class_dontcare"]
