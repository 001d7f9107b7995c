"""The objective of every trial, and the best so far."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_trials, row, sweep_plan
from studio.ui.charts.sweeps.data import sweep_trials
from studio.ui.charts.sweeps.views import BEST, BestView, records_of, running_best, steps
from studio.ui.theme.theme import Theme


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> BestView:
    view = BestView(theme)
    qtbot.addWidget(view)
    view.resize(600, 400)
    values = [0.5, 0.4, 0.7, 0.7, 0.6]
    rows = {number: row(number, [value, 1.0]) for number, value in enumerate(values, 10)}
    view.set_trials(sweep_trials(sweep_plan(), rows))
    view.show()
    qtbot.waitExposed(view)
    return view


def test_the_running_best_goes_the_way_of_the_objective() -> None:
    values = np.array([3.0, 1.0, 4.0, 0.0])

    assert running_best(values, maximize=True).tolist() == [3, 3, 4, 4]
    assert running_best(values, maximize=False).tolist() == [3, 1, 1, 0]
    assert records_of(np.array([3.0, 1, 1, 0])).tolist() == [True, True, False, True]
    x, y = steps(np.array([0.0, 1, 2]), np.array([5.0, 6, 7]))
    assert list(zip(x.tolist(), y.tolist(), strict=True)) == [
        (0, 5),
        (1, 5),
        (1, 6),
        (2, 6),
        (2, 7),
    ]


def test_a_dot_for_each_trial_and_a_line_of_steps(view: BestView) -> None:
    dots = view.plot.dots

    assert dots.x.tolist() == [10, 11, 12, 13, 14]
    assert dots.y.tolist() == [0.5, 0.4, 0.7, 0.7, 0.6]
    assert dots.kinds.tolist() == [BEST, 0, BEST, 0, 0]
    assert dots.line_x.tolist() == [10, 12, 12, 14, 14]
    assert dots.line_y.tolist() == [0.5, 0.5, 0.7, 0.7, 0.7]
    assert view.plot.names() == ("Trial", "Val accuracy")


def test_a_click_selects_the_trial_and_hovering_describes_it(qtbot: QtBot, view: BestView) -> None:
    received: list[int] = []
    view.trial_chosen.connect(received.append)
    point = view.plot.position_of(2).toPoint()

    QTest.mouseMove(view.plot, point)
    qtbot.waitUntil(lambda: view.plot.under() == 2)
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=point)
    qtbot.waitUntil(lambda: received == [12])

    assert view.bubble.isVisible()
    assert view.bubble.text().startswith("Trial 12")
    assert "Trial 12" in view.plot.accessibleDescription()
    assert "Val accuracy: 70" in view.plot.accessibleDescription()
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=point + QPoint(40, 40))
    assert received == [12], "beside the dots there is nothing"


def test_keys_go_from_dot_to_dot_and_choose(view: BestView) -> None:
    received: list[int] = []
    view.trial_chosen.connect(received.append)

    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(view.plot, key)

    assert received == [11]


def test_a_zoom_stays_when_another_trial_is_finished(view: BestView) -> None:
    view.plot.set_view((11, 13), (0.6, 0.8))

    view.set_trials(random_trials(50))
    assert view.plot.view_range()[0] == pytest.approx([11, 13])

    view.plot.show_all()
    assert view.plot.view_range()[0][1] > 49


@pytest.mark.parametrize("count", [1, 300])
def test_dots_are_on_the_screen_in_both_palettes(
    qtbot: QtBot, theme: Theme, view: BestView, count: int
) -> None:
    view.set_trials(random_trials(count))
    for mode in ("light", "dark"):
        theme.mode = mode
        image = view.plot.grab().toImage()
        point = view.plot.position_of(0).toPoint()
        assert image.pixelColor(point) != theme.color("surface")
