"""Targets of boxes as the datasets page shows them: captions, filters, orders, charts."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.engine.datasets.box_table import BoxTable
from studio.engine.tasks.detection.task import DETECTION
from studio.ui.tasks.detection.data import ObjectFilter
from studio.ui.tasks.detection.view import VIEW
from studio.ui.tasks.targets import TargetTable, without_outputs
from studio.ui.theme.theme import Theme

NAMES = ("cell", "wall")
# image, class, width, height
BOXES = (
    (0, 0, 10, 10),
    (0, 0, 50, 40),
    (0, 1, 200, 100),
    (2, 1, 20, 10),
    (3, 0, 120, 100),
)


@pytest.fixture
def targets() -> TargetTable:
    """Five images: three boxes, none, one, one, none."""
    image, label, width, height = np.array(BOXES).T
    values = np.zeros((5, 2), np.int32)
    np.add.at(values, (image, label), 1)
    table = BoxTable(
        image.astype(np.int64),
        label.astype(np.int32),
        width.astype(np.float32),
        height.astype(np.float32),
    )
    return TargetTable(DETECTION, NAMES, (), values, table)


def test_images_are_described_by_their_numbers_of_objects(targets: TargetTable) -> None:
    assert VIEW.caption(targets, 0) == "cell 2 · wall 1"
    assert VIEW.caption(targets, 1) == "No objects"
    assert VIEW.facts(targets, 0) == [("cell", "2 objects"), ("wall", "1 object")]
    kinds, names = VIEW.groups(targets, np.arange(5), 1)
    assert kinds.tolist() == [0, 1, 0, 1, 1]
    assert names == ("with wall", "without wall")
    assert VIEW.balance(targets, np.array([0, 0, 1, 2, 2], np.int8))[1] == [
        ("cell", "2", "0", "1"),
        ("wall", "1", "1", "0"),
    ]


def test_images_are_sorted_by_number_and_size(targets: TargetTable) -> None:
    def sorted_by(key: str) -> list[int]:
        found = VIEW.order(targets, key)
        assert found is not None
        rows: list[int] = found.tolist()
        return rows

    keys = [key for key, _ in VIEW.orders(NAMES)]
    assert keys[:2] == ["objects", "few"]
    assert sorted_by("objects") == [0, 2, 3, 1, 4]
    assert sorted_by("few")[:2] == [1, 4]
    assert sorted_by("0 largest")[:2] == [3, 0]
    assert sorted_by("0 smallest")[:2] == [0, 3]
    assert sorted_by("1 smallest")[:2] == [2, 0]
    assert VIEW.opening_order(1) == "1 largest"
    assert VIEW.order(targets, "5 largest") is None
    assert VIEW.order(targets, "name") is None
    assert VIEW.showcase(targets, np.array([0, 3]), 0).tolist() == [3, 0]


def test_images_are_filtered_by_class_number_and_size(
    theme: Theme, qtbot: QtBot, targets: TargetTable
) -> None:
    bar = ObjectFilter()
    qtbot.addWidget(bar)
    bar.set_outputs(NAMES, ())

    def found() -> list[int]:
        condition = bar.condition()
        chosen = np.ones(5, np.bool_) if condition is None else condition(targets)
        rows: list[int] = np.flatnonzero(chosen).tolist()
        return rows

    assert found() == [0, 1, 2, 3, 4]
    assert bar.below.isHidden()
    bar.reset(0)
    assert found() == [0, 3]
    bar.low.setValue(2)
    assert found() == [0]
    bar.low.setValue(0)
    bar.high.setValue(0)
    assert found() == [1, 2, 4]
    bar.reset(1)
    bar.sizes.setCurrentIndex(bar.sizes.findData("small"))
    assert found() == [2]
    bar.sizes.setCurrentIndex(bar.sizes.findData("large"))
    assert found() == [0]
    bar.box.setCurrentIndex(1)
    bar.box.activated.emit(1)
    assert bar.sizes.currentData() == "", "another class begins with all of it"
    assert found() == [0, 2, 3]
    bar.sizes.setCurrentIndex(bar.sizes.findData("medium"))
    assert found() == [0]
    bar.box.setCurrentIndex(2)
    bar.box.activated.emit(2)
    assert found() == [1, 4]
    assert without_outputs(targets).tolist() == [False, True, False, False, True]


def test_charts_show_sizes_shapes_and_numbers(targets: TargetTable) -> None:
    size, shape, number = VIEW.charts(targets, np.arange(5))
    assert [figure.title for figure in (size, shape, number)] == [
        "Box size",
        "Aspect ratio",
        "Objects per image",
    ]
    assert [line.name for line in size.lines] == list(NAMES)
    for figure in (size, shape):
        for line in figure.lines:
            assert sum(y for _, y in line.points) == pytest.approx(1)
    assert (size.across.low, size.across.log) == (10, True)
    assert dict(number.lines[0].points)[0] == pytest.approx(0.4), "two of five have none"
    assert sum(y for _, y in number.lines[0].points) == pytest.approx(1)
    assert VIEW.charts(targets, np.array([1, 4])) == [], "no boxes in these images"


def test_figures_count_objects_per_image_with_any(targets: TargetTable) -> None:
    cell, wall = VIEW.figures(targets, np.arange(5))
    assert (cell.total, cell.low, cell.mean, cell.high) == (3, 1, 1.5, 2)
    assert (wall.total, wall.mean) == (2, 1)
