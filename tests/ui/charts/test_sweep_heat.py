"""An objective over two fields."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_rows, random_trials, row, sweep_plan
from studio.ui.charts.sweeps.data import SweepAxis, cell_text, sweep_trials, value_text
from studio.ui.charts.sweeps.heat import ObjectiveHeatView, bins_of, grid_of
from studio.ui.theme.theme import Theme

BATCH = SweepAxis("batch_size", "Batch size", np.array([8.0, 8, 16, 16, 16]))
WORDS = SweepAxis("o", "O", np.array([0.0, 1, 0, 0, np.nan]), ((0.0, "a"), (1.0, "b"), (2.0, "c")))
LOSS = SweepAxis("val_loss", "Val loss", np.array([0.5, 0.4, 0.9, 0.3, 0.1]))


def test_the_best_and_the_mean_of_every_cell() -> None:
    best = grid_of(BATCH, WORDS, LOSS, "best", maximize=False)
    mean = grid_of(BATCH, WORDS, LOSS, "mean", maximize=False)
    most = grid_of(BATCH, WORDS, LOSS, "best", maximize=True)

    assert best.x.names == ("8", "16")
    assert best.y.names == ("a", "b", "c")
    assert best.counts.tolist() == [[1, 2], [1, 0], [0, 0]]
    assert best.values[0].tolist() == [0.5, 0.3]
    assert mean.values[0].tolist() == pytest.approx([0.5, 0.6])
    assert most.values[0, 1] == 0.9
    assert best.best.tolist() == [[0, 3], [1, -1], [-1, -1]]
    assert np.isnan(best.values[2]).all()


def test_percentages_in_cells_have_equal_digits() -> None:
    share = SweepAxis("val_accuracy", "Val accuracy", np.array([0.12]))

    assert [cell_text(share, value) for value in (0.12, 0.963, 1.0)] == [
        "12.0\N{NO-BREAK SPACE}%",
        "96.3\N{NO-BREAK SPACE}%",
        "100.0\N{NO-BREAK SPACE}%",
    ]
    assert cell_text(share, float("nan")) == value_text(share, float("nan"))
    assert cell_text(LOSS, 0.5) == value_text(LOSS, 0.5)


def test_many_numbers_are_gathered_into_ten_stretches_of_equal_ratio() -> None:
    bins = bins_of(SweepAxis("r", "R", np.geomspace(1e-5, 1.0, 101), is_log=True))

    assert np.bincount(bins.cells).tolist() == [10] * 9 + [11]
    assert bins.ranges[0] == "1e-05 – 3.16e-05"
    assert len(bins.names) == 10


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> ObjectiveHeatView:
    view = ObjectiveHeatView(theme)
    qtbot.addWidget(view)
    view.resize(700, 420)
    view.set_trials(random_trials(300))
    view.show()
    qtbot.waitExposed(view)
    return view


def test_a_click_chooses_the_best_trial_of_a_cell(view: ObjectiveHeatView) -> None:
    view.across.setCurrentText("Batch size")
    view.up.setCurrentText("Optimizer")
    trials, grid = random_trials(300), view.grid
    received: list[int] = []
    view.trial_chosen.connect(received.append)
    point = view.cells.cell_rect((1, 2)).center().toPoint()

    QTest.mouseMove(view.cells, point)
    assert "Batch size: 32" in view.bubble.text()
    assert "Optimizer: Adam" in view.bubble.text()
    QTest.mouseClick(view.cells, Qt.MouseButton.LeftButton, pos=point)

    there = (trials.axes[1].values == 32) & (trials.axes[2].values == 1)
    accuracy = np.where(there, trials.objectives[0].values, -np.inf)
    assert received == [int(accuracy.argmax())]
    assert grid is not None
    assert grid.counts[1, 2] == there.sum()
    assert grid.values[1, 2] == accuracy.max()


def test_keys_go_from_cell_to_cell(view: ObjectiveHeatView) -> None:
    received: list[int] = []
    view.trial_chosen.connect(received.append)
    view.across.setCurrentText("Batch size")
    view.up.setCurrentText("Optimizer")

    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(view.cells, key)

    assert view.cells.under() == (1, 0)
    assert "Optimizer: Adam" in view.cells.accessibleDescription()
    assert len(received) == 1


def test_empty_cells_look_empty(qtbot: QtBot, theme: Theme, view: ObjectiveHeatView) -> None:
    rows = {
        0: row(0, [0.5, 1.0], {"batch_size": 8, "optimizer": "sgd"}),
        1: row(1, [0.9, 1.0], {"batch_size": 16, "optimizer": "adam"}),
    }
    view.across.setCurrentText("Batch size")
    view.up.setCurrentText("Optimizer")
    view.set_trials(sweep_trials(sweep_plan(), rows))

    image = view.cells.grab().toImage()

    def colors(row: int, column: int) -> set[str]:
        box = view.cells.cell_rect((row, column)).toRect()
        xs = range(box.left() + 4, box.left() + 24)
        return {image.pixelColor(x, box.top() + 6).name() for x in xs}

    assert len(colors(0, 0)) == 1, "filled"
    assert len(colors(1, 0)) > 1, "hatched"
    assert theme.color("surface").name() in colors(0, 1)
    assert "No trial" in view.describe_cell((1, 0))


@pytest.mark.usefixtures("portuguese")
def test_the_choices_are_readable_in_a_small_window(qtbot: QtBot, theme: Theme) -> None:
    view = ObjectiveHeatView(theme)
    qtbot.addWidget(view)
    view.resize(660, 420)
    view.show()
    qtbot.waitExposed(view)

    view.set_trials(random_trials(30))

    boxes = view.across, view.up, view.objective, view.statistic
    qtbot.waitUntil(lambda: all(box.shown_text() == box.currentText() for box in boxes))


def test_one_field_is_not_enough(view: ObjectiveHeatView) -> None:
    plan = sweep_plan(vary=["batch_size=8,16,32"])

    view.set_trials(sweep_trials(plan, random_rows(5)))

    assert "two fields" in view.missing()
