"""Parallel coordinates: ranges by mouse and keys, and what is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.sweep_trials import random_trials, row, sweep_plan
from studio.ui.charts.colors import LEVELS, levels_of, ramp
from studio.ui.charts.sweeps.data import PlottedScale, SweepAxis, SweepTrials, sweep_trials
from studio.ui.charts.sweeps.parallel import Brush, ParallelView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import DARK, LIGHT, contrast

RATE, BATCH, OPTIMIZER = 0, 1, 2


def _shown(qtbot: QtBot, theme: Theme, trials: SweepTrials) -> ParallelView:
    view = ParallelView(theme)
    qtbot.addWidget(view)
    view.resize(900, 420)
    view.set_trials(trials)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(view.plot.is_whole)
    return view


def _four() -> SweepTrials:
    values = [(1e-4, 8, "sgd"), (1e-3, 16, "sgd"), (1e-2, 32, "adam"), (1e-1, 8, "adam")]
    rows = {
        at: row(at, [0.5 + at / 10, 1e6], {"learning_rate": a, "batch_size": b, "optimizer": c})
        for at, (a, b, c) in enumerate(values)
    }
    return sweep_trials(sweep_plan(), rows)


def _drag(view: ParallelView, axis: int, low: float, high: float) -> None:
    start, end = (view.plot.point_of(axis, share).toPoint() for share in (low, high))
    QTest.mousePress(view.plot, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view.plot, (start + end) / 2)
    QTest.mouseMove(view.plot, end)
    QTest.mouseRelease(view.plot, Qt.MouseButton.LeftButton, pos=end)


def test_ranges_on_several_axes_go_together(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, _four())
    received: list[object] = []
    view.brushed.connect(received.append)

    _drag(view, RATE, 0.2, 1.0)
    assert received[-1] == frozenset({1, 2, 3})
    _drag(view, OPTIMIZER, 1.0, 0.6)
    assert received[-1] == frozenset({2, 3})
    assert "2 of 4 trials selected" in view.plot.accessibleDescription()

    QTest.mouseClick(
        view.plot, Qt.MouseButton.LeftButton, pos=view.plot.point_of(RATE, 0.5).toPoint()
    )
    assert received[-1] == frozenset({2, 3})
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=QPoint(300, 2))
    assert [received[-1], view.plot.selected()] == [None, None]


def test_a_range_is_moved_by_its_middle(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, _four())
    _drag(view, RATE, 0.0, 0.2)

    _drag(view, RATE, 0.1, 0.9)

    assert view.plot.brush.ranges[RATE] == pytest.approx((0.8, 1.0), abs=0.01)
    assert view.plot.selected() == frozenset({3})


def test_keys_pick_out_what_the_mouse_does(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, _four())
    received: list[object] = []
    view.brushed.connect(received.append)

    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.plot.accessibleDescription().startswith("Batch size, axis 2 of 6")
    QTest.keyClick(view.plot, Qt.Key.Key_Up)
    assert received == [frozenset({2})], "the upper quarter"
    QTest.keyClick(view.plot, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert received[-1] == frozenset()
    assert "0 of 4" in view.plot.accessibleDescription()
    QTest.keyClick(view.plot, Qt.Key.Key_Escape)
    assert received[-1] is None


def test_a_click_on_a_line_chooses_its_trial(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, _four())
    received: list[int] = []
    view.trial_chosen.connect(received.append)
    # Trial 2 alone goes from the third quarter of the rates to the top of the batch sizes.
    middle = (view.plot.point_of(RATE, 2 / 3) + view.plot.point_of(BATCH, 1.0)) / 2

    QTest.mouseMove(view.plot, middle.toPoint())
    assert view.bubble.text().startswith("Trial 2")
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=middle.toPoint())

    assert received == [2]


def test_many_lines_are_complete_after_a_delay_and_the_best_is_in_front(
    qtbot: QtBot, theme: Theme
) -> None:
    trials = random_trials(3000)
    view = _shown(qtbot, theme, trials)
    best = int(np.argmax(trials.objectives[0].values))
    point = view.plot.point_of(4, 1.0) + QPointF(-1, 0)

    image = view.plot.grab().toImage()

    assert trials.numbers[best] == trials.best[0]
    color = ramp(dark=False)[-1]
    assert _has_near(image, point, color)


def test_what_is_not_picked_out_is_dim(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, _four())
    point = (view.plot.point_of(RATE, 2 / 3) + view.plot.point_of(BATCH, 1.0)) / 2
    bright = _darkest(view.plot.grab().toImage(), point)

    _drag(view, RATE, 0.0, 0.1)
    qtbot.waitUntil(view.plot.is_whole)
    QTest.mouseMove(view.plot, QPoint(1, 1))

    dim = _darkest(view.plot.grab().toImage(), point)
    assert contrast(dim, LIGHT.surface) < contrast(bright, LIGHT.surface)
    assert dim != LIGHT.surface.lower(), "it is still there"


def test_the_values_that_are_picked_out_stay_when_another_trial_is_finished(
    qtbot: QtBot, theme: Theme
) -> None:
    view = _shown(qtbot, theme, _four())
    _drag(view, RATE, 0.5, 1.0)
    assert view.plot.selected() == frozenset({2, 3})
    rows = {
        at: row(at, [0.5, 1e6], {"learning_rate": rate, "optimizer": "adam"})
        for at, rate in enumerate([1e-4, 1e-3, 1e-2, 1e-1, 1e-8, 0.05])
    }

    view.set_trials(sweep_trials(sweep_plan(), rows))

    assert view.plot.selected() == frozenset({2, 3, 5}), "although the axis has become longer"
    assert "to 0.1" in view.plot.accessibleDescription()


def test_another_trial_takes_no_line_away_while_they_are_drawn(qtbot: QtBot, theme: Theme) -> None:
    view = _shown(qtbot, theme, random_trials(2000))
    before = view.plot.grab().toImage()

    view.set_trials(random_trials(2000))
    assert not view.plot.is_whole()
    assert view.plot.grab().toImage() == before

    qtbot.waitUntil(view.plot.is_whole)
    assert view.plot.grab().toImage() == before


def test_lines_wait_while_another_chart_is_seen(qtbot: QtBot, theme: Theme) -> None:
    hidden, seen = (_shown(qtbot, theme, random_trials(3000)) for _ in range(2))
    for view in (hidden, seen):
        _drag(view, RATE, 0.2, 0.7)
        assert not view.plot.is_whole()

    hidden.hide()
    qtbot.waitUntil(seen.plot.is_whole)
    assert not hidden.plot.is_whole()

    hidden.show()
    qtbot.waitUntil(hidden.plot.is_whole)


def test_a_file_of_vectors_has_the_lines(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    view = _shown(qtbot, theme, _four())

    view.save(tmp_path / "a.svg")

    text = (tmp_path / "a.svg").read_text()
    assert text.count("<polyline") + text.count("<line") >= 4 * 5
    assert "Learning rate" in text
    assert "<image" not in text


def test_the_worst_twentieth_has_one_color_and_all_points_are_visible() -> None:
    values = np.append(np.linspace(0, 1, 99), 1e9)

    levels = levels_of(values, maximize=False)

    assert levels[0] == LEVELS - 1
    assert levels[-1] == 0
    assert len(set(levels.tolist())) == LEVELS
    for dark, palette in ((False, LIGHT), (True, DARK)):
        assert contrast(ramp(dark=dark)[-1].name(), palette.surface) > 7
        assert min(contrast(each.name(), palette.surface) for each in ramp(dark=dark)) > 1.5


def test_scales_name_the_item_at_a_position() -> None:
    logs = PlottedScale.of(SweepAxis("r", "R", np.geomspace(1e-4, 1.0, 30), is_log=True))
    words = PlottedScale.of(SweepAxis("o", "O", np.array([0.0, 1.0]), ((0.0, "a"), (1.0, "b"))))
    few = PlottedScale.of(SweepAxis("b", "B", np.array([8.0, 16.0, 8.0, 64.0])))
    alone = PlottedScale.of(SweepAxis("c", "C", np.array([3.0])))

    assert logs.text_at(0.5) == "0.01"
    assert [text for _, text in logs.ticks(400)][::4] == ["0.0001", "1"]
    assert words.fractions().tolist() == [0.25, 0.75]
    assert words.text_at(0.9) == "b"
    assert [text for _, text in few.ticks(400)] == ["8", "16", "64"]
    assert alone.fractions().tolist() == [0.5]


def test_a_brush_has_ranges_within_the_axis() -> None:
    brush = Brush()
    brush.set(1, 1.4, 0.7)
    brush.move(1, 0.5)
    assert brush.ranges == {1: (0.7, 1.0)}
    brush.move(1, -2.0)
    assert brush.ranges[1] == pytest.approx((0.0, 0.3))
    mask = brush.mask(np.array([[0.5, 0.1], [0.5, 0.31], [0.5, np.nan]]))
    assert mask is not None
    assert mask.tolist() == [True, False, False]


def _has_near(image: QImage, point: QPointF, color: QColor) -> bool:
    around = [(point.x() + x, point.y() + y) for x in range(-12, 1) for y in range(-3, 14)]
    return any(image.pixelColor(round(x), round(y)) == color for x, y in around)


def _darkest(image: QImage, point: QPointF) -> str:
    around = [image.pixelColor(round(point.x()), round(point.y()) + y) for y in range(-3, 4)]
    return min(around, key=QColor.lightness).name()
