from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.ui.charts.axes import AxisScale, log_marks, log_numbers
from studio.ui.charts.curves import Bounds, Curve, bounds_of
from studio.ui.charts.header import weight_at
from studio.ui.charts.line_chart import LineChart
from studio.ui.charts.series import Axes, Points, segments_of
from studio.ui.theme.theme import Theme


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> LineChart:
    made = LineChart(theme, "Loss", "Epoch", "loss")
    qtbot.addWidget(made)
    made.resize(500, 320)
    made.show()
    made.set_curve("train", [1, 2, 3, 4], [2.0, 1.0, 0.5, 0.25], name="Training", color_index=0)
    made.set_curve("val", [2, 4], [1.5, math.nan], name="Validation", color_index=0, dashed=True)
    made.flush()
    return made


def _values_at(chart: LineChart, x: float) -> dict[str, float]:
    return {key: value for key, (_, value) in chart.points_at(x).items()}


def colors(chart: LineChart) -> set[str]:
    image = chart.plot.grab().toImage()
    indices = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in indices}


def _mark(chart: LineChart) -> float:
    mark = chart.plot.mark()
    assert mark is not None
    return mark[0]


def drawn(chart: LineChart, key: str) -> tuple[list[float], list[float]]:
    """The points of the front line of a curve, in its own numbers."""
    stroke = [each for each in chart.plot.canvas.strokes() if each.key == key][-1]
    assert isinstance(stroke.trace, Points)
    (left, right), (low, high) = chart.plot.view_range()
    size = chart.plot.canvas.size
    x = left + stroke.trace.x * (right - left) / size.width()
    y = high - stroke.trace.y * (high - low) / size.height()
    return list(x), list(y)


def test_what_is_set_is_drawn(chart: LineChart) -> None:
    x, y = drawn(chart, "train")
    assert x == pytest.approx([1, 2, 3, 4])
    assert y == pytest.approx([2.0, 1.0, 0.5, 0.25])
    assert list(chart.curve_data("train")[0]) == [1, 2, 3, 4]
    assert chart.curve_data("train")[1][-1] == 0.25
    image = chart.plot.grab().toImage()
    blue = QColor("#0072B2")
    assert any(
        image.pixelColor(x, y) == blue for x in range(image.width()) for y in range(image.height())
    )


def test_training_is_solid_and_validation_dashed_in_one_color(chart: LineChart) -> None:
    train, val = chart.plot.canvas.strokes()
    assert train.color == val.color
    assert (train.dashed, val.dashed) == (False, True)


def test_the_view_follows_until_the_user_zooms(chart: LineChart, qtbot: QtBot) -> None:
    chart.append("train", 5, 0.1)
    chart.flush()
    assert chart.plot.view_range()[0][1] >= 5
    assert not chart.bar.reset_button.isEnabled()
    chart.plot.set_view((2, 3))
    chart.plot.view_chosen.emit()
    assert chart.bar.reset_button.isEnabled()
    chart.append("train", 6, 0.05)
    chart.flush()
    assert chart.plot.view_range()[0] == pytest.approx([2, 3])
    chart.bar.reset_button.click()
    chart.flush()
    assert chart.plot.view_range()[0][1] >= 6
    assert not chart.bar.reset_button.isEnabled()


def test_bursts_are_drawn_once(
    chart: LineChart, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws: list[int] = []
    real = chart.plot.draw

    def draw(curves: Iterable[Curve]) -> None:
        draws.append(1)
        real(curves)

    monkeypatch.setattr(chart.plot, "draw", draw)
    for epoch in range(5, 500):
        chart.append("train", epoch, 1 / epoch)
    qtbot.waitUntil(lambda: bool(draws))
    assert draws == [1]
    assert not chart._frame.isActive()


def test_values_under_the_pointer(chart: LineChart) -> None:
    assert _values_at(chart, 2.4) == {"train": 1.0, "val": 1.5}
    assert _values_at(chart, 100) == {"train": 0.25}
    chart.plot.hovered.emit(2.4)
    assert chart.bar.read_out() == "Epoch 2"
    assert chart.legend.entry("val").accessibleDescription() == "1.500"
    width = chart.legend.entry("train").sizeHint().width()
    chart.append("val", 8.22222, 1.0)
    chart.plot.hovered.emit(8.2)
    assert chart.bar.read_out() == "Epoch 8.2", "one decimal of an epoch is enough"
    chart.plot.hovered.emit(4.0)
    assert chart.legend.entry("train").sizeHint().width() >= width
    chart.plot.hovered.emit(math.nan)
    assert chart.bar.read_out() == ""
    assert chart.legend.entry("train").accessibleDescription() == "0.2500"


def test_the_legend_switches_curves_by_keyboard(chart: LineChart, qtbot: QtBot) -> None:
    entry = chart.legend.entry("train")
    QTest.keyClick(entry, Qt.Key.Key_Space)
    chart.flush()
    assert not entry.isChecked()
    assert "train" not in {each.key for each in chart.plot.canvas.strokes()}
    assert "train" not in _values_at(chart, 2)
    assert chart.csv_text().startswith("Epoch,Validation\n")
    QTest.keyClick(entry, Qt.Key.Key_Space)
    chart.flush()
    assert "train" in {each.key for each in chart.plot.canvas.strokes()}


def test_a_log_axis_has_gaps_for_what_is_not_positive(chart: LineChart) -> None:
    chart.set_curve("train", [1, 2, 3], [100, 0, 0.01], name="Training", color_index=0)
    chart.set_log(log=True)
    chart.flush()
    _, y = drawn(chart, "train")
    assert y[0] == pytest.approx(2)
    assert math.isnan(y[1])
    assert y[2] == pytest.approx(-2)
    chart.grab()


def test_smoothing_leaves_the_raw_curve_behind(chart: LineChart) -> None:
    chart.bar.slider.setValue(10)
    chart.flush()
    raw, front = [each for each in chart.plot.canvas.strokes() if each.key == "train"]
    assert list(raw.series.y) == [2.0, 1.0, 0.5, 0.25]
    weight = weight_at(chart.bar.slider.value())
    assert weight == pytest.approx(0.5, abs=0.01)
    expected = (weight * (1 - weight) * 2 + (1 - weight) * 1) / (1 - weight**2)
    assert front.series.y[1] == pytest.approx(expected)
    chart.bar.slider.setValue(0)
    chart.flush()
    assert len([each for each in chart.plot.canvas.strokes() if each.key == "train"]) == 1


def test_steps_are_smoothed_and_means_of_epochs_are_not(chart: LineChart) -> None:
    chart.set_curve("steps", [1, 2, 3], [3, 1, 2], name="Steps", color_index=0, faint=True)
    chart.bar.slider.setValue(33)
    chart.flush()
    assert _values_at(chart, 4)["train"] == 0.25
    assert _values_at(chart, 4)["steps"] == pytest.approx(1.97, abs=0.02)


def test_the_equivalent_table(chart: LineChart) -> None:
    assert chart.csv_text() == "Epoch,Training,Validation\n1,2,\n2,1,1.5\n3,0.5,\n4,0.25,\n"
    chart.bar.table_action.setChecked(True)
    chart.flush()
    assert chart.table_view.isVisible()
    model = chart.table_view.model()
    assert (model.rowCount(), model.columnCount()) == (4, 3)
    assert model.index(1, 2).data() == "1.500"
    assert model.index(0, 2).data() == ""


def test_copy_as_csv(chart: LineChart) -> None:
    chart.bar.copy_action.trigger()
    rows = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert rows[0] == ["Epoch", "Training", "Validation"]
    assert rows[2] == ["2", "1", "1.5"]
    assert rows[4] == ["4", "0.25", ""]


def test_a_long_table_is_copied_whole_without_keeping_the_window_waiting(
    chart: LineChart, qtbot: QtBot
) -> None:
    chart.set_curve("val", [], [], name="Validation", color_index=0)
    x = np.arange(1.0, 20_001.0)
    chart.set_curve("train", x, x / 7, name="Training", color_index=0)
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    chart.bar.copy_action.trigger()
    qtbot.waitUntil(lambda: clipboard.text() != "before")
    rows = list(csv.reader(io.StringIO(clipboard.text())))
    assert len(rows) == 20_001
    assert float(rows[-1][1]) == pytest.approx(20_000 / 7, rel=1e-9)
    chart.bar.table_action.setChecked(True)
    chart.flush()
    assert chart.table_view.model().rowCount() == 20_000


def test_save_pictures(chart: LineChart, tmp_path: Path) -> None:
    chart.save(tmp_path / "loss.png")
    image = QImage(str(tmp_path / "loss.png"))
    assert image.width() > 2 * chart.width()
    chart.save(tmp_path / "loss.svg")
    assert "Training" in (tmp_path / "loss.svg").read_text("utf-8")
    assert chart.bar.slider.isVisible()
    with pytest.raises(StudioError, match="could not be written"):
        chart.save(tmp_path / "missing" / "loss.png")


def test_the_best_epoch_is_marked(chart: LineChart) -> None:
    chart.set_mark(3, "best {0}")
    assert chart.plot.mark() == (3, "best {0}")
    good = QColor(chart.theme.palette.good).name()
    assert good in colors(chart)
    chart.clear()
    assert chart.plot.mark() is None
    assert good not in colors(chart)
    chart.set_mark(2, "best")
    chart.set_log_x(log=True)
    assert _mark(chart) == pytest.approx(math.log10(2))
    chart.set_mark(None)
    assert chart.plot.mark() is None


def test_clear_and_start_again(chart: LineChart) -> None:
    chart.clear()
    chart.flush()
    assert chart.keys() == []
    assert chart.legend.keys() == []
    assert chart.csv_text() == "Epoch\n"
    chart.set_curve("new", [1], [1], name="New", color_index=3)
    chart.flush()
    points = chart.plot.canvas.strokes()[0].trace
    assert isinstance(points, Points)
    assert len(segments_of(points)) == 3, "a single point is drawn as a square"


def test_colors_follow_the_theme(chart: LineChart, theme: Theme) -> None:
    theme.mode = "dark"
    chart.flush()
    image = chart.plot.grab().toImage()
    assert image.pixelColor(image.width() - 2, 2) == QColor(theme.palette.surface)


def test_screen_readers_get_the_last_values(chart: LineChart, qtbot: QtBot) -> None:
    assert chart.accessibleName() == "Loss"
    chart.flush()
    qtbot.waitUntil(lambda: bool(chart.accessibleDescription()))
    text = chart.accessibleDescription()
    assert text.startswith("loss: 2 lines. Training: 0.2500 at Epoch 4, lowest")
    chart.append("train", 9.0, 0.125)
    chart.flush()
    assert chart.accessibleDescription() == text, "not in every frame"
    chart.description.write()
    assert "0.1250 at Epoch 9, lowest 0.1250 at 9" in chart.accessibleDescription()
    for tool in chart.bar.tools():
        assert tool.accessibleName()


def wheel(
    chart: LineChart,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    *,
    turned: int = 120,
    phase: Qt.ScrollPhase = Qt.ScrollPhase.NoScrollPhase,
) -> bool:
    point = chart.plot.area().center()
    button = Qt.MouseButton.NoButton
    event = QWheelEvent(point, point, QPoint(), QPoint(0, turned), button, keys, phase, False)
    chart.plot.wheelEvent(event)
    return event.isAccepted()


def test_the_wheel_zooms_along_x_with_ctrl_both_and_with_shift_moves(chart: LineChart) -> None:
    before = chart.plot.view_range()
    wheel(chart)
    zoomed = chart.plot.view_range()
    assert before[0][0] < zoomed[0][0] < zoomed[0][1] < before[0][1]
    assert zoomed[1] == before[1]
    assert not chart.plot.follows
    wheel(chart, Qt.KeyboardModifier.ControlModifier)
    assert chart.plot.view_range()[1] != before[1]
    width = np.diff(chart.plot.view_range()[0])
    left = chart.plot.view_range()[0][0]
    wheel(chart, Qt.KeyboardModifier.ShiftModifier)
    assert chart.plot.view_range()[0][0] < left
    assert np.diff(chart.plot.view_range()[0]) == pytest.approx(width)


@pytest.mark.parametrize("phase", [Qt.ScrollPhase.ScrollBegin, Qt.ScrollPhase.ScrollEnd])
def test_an_empty_event_of_a_trackpad_changes_nothing(
    chart: LineChart, phase: Qt.ScrollPhase
) -> None:
    before = chart.plot.view_range()
    assert wheel(chart, turned=0, phase=phase), "the rest of the scroll is for the chart"
    assert chart.plot.view_range() == before
    assert chart.plot.follows


def test_what_does_not_change_the_view_is_no_choice_of_the_user(chart: LineChart) -> None:
    chart.plot.set_view((0.0, 1e-9))
    wheel(chart)
    assert chart.plot.follows, "nothing smaller can be shown"


def drag(chart: LineChart, keys: Qt.KeyboardModifier) -> None:
    box, view, left = chart.plot.area(), chart.plot, Qt.MouseButton.LeftButton
    start = box.center().toPoint()
    stop = (box.center() + QPointF(box.width() / 4, box.height() / 4)).toPoint()
    QTest.mousePress(view, left, keys, start)
    for share in (0.5, 1.0):
        point = start + (stop - start) * share
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(point),
            view.mapToGlobal(QPointF(point)),
            left,
            left,
            keys,
        )
        QGuiApplication.sendEvent(view, move)
    QTest.mouseRelease(view, left, keys, stop)


def test_a_drag_zooms_into_a_box_and_with_shift_moves(chart: LineChart) -> None:
    (left, right), _ = chart.plot.view_range()
    drag(chart, Qt.KeyboardModifier.NoModifier)
    zoomed = chart.plot.view_range()[0]
    assert zoomed == pytest.approx(
        [(left + right) / 2, (left + right) / 2 + (right - left) / 4], abs=0.05
    )
    drag(chart, Qt.KeyboardModifier.ShiftModifier)
    moved = chart.plot.view_range()[0]
    assert moved[1] - moved[0] == pytest.approx(zoomed[1] - zoomed[0])
    assert moved[0] < zoomed[0]


def test_linked_charts_zoom_and_fit_together(chart: LineChart, theme: Theme, qtbot: QtBot) -> None:
    other = LineChart(theme, "Accuracy", "Epoch", "accuracy", percent=True)
    qtbot.addWidget(other)
    other.set_curve("train", [1, 2, 3, 4], [0.1, 0.5, 0.6, 0.7], name="Train", color_index=0)
    chart.link(other)
    other.flush()
    heights = other.plot.view_range()[1]
    wheel(chart)
    assert other.plot.view_range()[0] == pytest.approx(chart.plot.view_range()[0])
    assert other.plot.view_range()[1] == heights
    assert not other.plot.follows
    other.reset_view()
    assert chart.plot.follows
    other.set_log_x(log=True)
    assert chart.plot.scale.log_x


def test_a_log_axis_of_epochs(chart: LineChart) -> None:
    chart.set_mark(4, "best")
    chart.set_log_x(log=True)
    chart.flush()
    x, _ = drawn(chart, "train")
    assert x == pytest.approx(np.log10([1, 2, 3, 4]))
    assert _mark(chart) == pytest.approx(math.log10(4))
    assert chart.plot.x_range()[1] == pytest.approx(4, rel=0.1)
    chart.plot.show_x(2, 3)
    assert chart.plot.view_range()[0] == pytest.approx([math.log10(2), math.log10(3)])
    chart.grab()


def test_epochs_are_whole_and_values_have_just_enough_digits() -> None:
    epochs = AxisScale("", 1.0, 3.0, whole=True)
    assert [tick.text for tick in epochs.ticks(8)] == ["1", "2", "3"]
    inside = AxisScale("", 10.0, 10.05, whole=True).ticks(5)
    assert [tick.text for tick in inside] == ["10.00", "10.01", "10.02", "10.03", "10.04", "10.05"]
    percents = AxisScale("", 0.975, 0.98, percent=True).ticks(1)
    assert percents[0].text.startswith("97.5")
    assert [tick.text for tick in AxisScale("", 0.5, 1.0).ticks(1)] == ["0.5", "1.0"]


def test_powers_of_ten_have_numbers() -> None:
    assert log_numbers(-3.2, 0.4, 5) == [-3, -2, -1, 0]
    assert len(log_marks(-3.2, 0.4, 5)) > 20
    assert [round(10**at, 6) for at in log_numbers(-0.1, 0.8, 8)] == [1, 2, 5]
    texts = [tick.text for tick in AxisScale("", 0.01, 1.0, log=True).ticks(5) if tick.text]
    assert texts == ["0.01", "0.1", "1"]
    assert len(AxisScale("", 0.50, 0.52, log=True).ticks()) > 2


def test_keys_go_from_point_to_point(chart: LineChart) -> None:
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right):
        QTest.keyClick(chart.plot, key)
    assert chart.bar.read_out() == "Epoch 2"
    QTest.keyClick(chart.plot, Qt.Key.Key_End)
    assert chart.bar.read_out() == "Epoch 4"


def test_the_box_around_curves() -> None:
    curve = Curve("a", "a")
    assert bounds_of([curve], Axes()) is None
    curve.set_data([1, 2], [0, -1])
    assert bounds_of([curve], Axes(log_y=True)) is None
    curve.set_data([0, 1, 10], [-1, 10, 100])
    assert bounds_of([curve], Axes()) == Bounds(0, 10, -1, 100)
    assert bounds_of([curve], Axes(log_x=True, log_y=True)) == Bounds(0, 1, 1, 2)


def test_a_million_steps_are_smoothed_in_parts(chart: LineChart) -> None:
    y = np.random.default_rng(0).random(1_000_000)
    chart.set_curve("train", np.arange(1.0, 1_000_001), y, name="Training", color_index=0)
    chart.bar.slider.setValue(67)
    for _ in range(100):
        chart.flush()
        if not chart._smooth_on():
            break
    chart.flush()
    assert _values_at(chart, 1e6)["train"] == pytest.approx(0.5, abs=0.1)
    assert len(chart.curve_data("train")[0]) == 1_000_000


def test_long_lines_are_coarse_only_while_the_view_moves(chart: LineChart, qtbot: QtBot) -> None:
    canvas = chart.plot.canvas
    noise = np.random.default_rng(0).uniform(0, 9, (12, 20_000))
    for run, y in enumerate(noise):
        chart.set_curve(f"{run}", np.arange(20_000.0), y, name=f"{run}", color_index=run)
    chart.flush()

    def share() -> float:
        """Columns of the picture by pixels of the plot."""
        chart.plot.grab()
        assert canvas.image is not None
        return round(canvas.image.width() / canvas.size.width(), 1)

    assert share() == 1
    chart.plot.set_view((0, 15_000))
    assert share() == 1, "the view follows the data without a user"
    chart.plot.set_follows(follows=False)
    chart.plot.set_view((0, 12_000))
    assert share() == 0.5
    qtbot.waitUntil(lambda: share() == 1)


def test_short_lines_are_sharp_while_the_view_moves(chart: LineChart) -> None:
    chart.plot.set_follows(follows=False)
    for right in (3, 2):
        chart.plot.set_view((1, right))
        chart.plot.grab()
        image = chart.plot.canvas.image
        assert image is not None
        assert image.width() == chart.plot.canvas.size.width()
