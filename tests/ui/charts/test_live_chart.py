from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.ui.charts.axes import CountAxis, NumberAxis
from studio.ui.charts.curve import Curve, bounds_of, in_window, to_plot
from studio.ui.charts.live_chart import LiveChart
from studio.ui.theme.theme import Theme


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> LiveChart:
    made = LiveChart(theme, "Loss", "Epoch", "loss")
    qtbot.addWidget(made)
    made.resize(500, 320)
    made.show()
    made.set_curve("train", [1, 2, 3, 4], [2.0, 1.0, 0.5, 0.25], name="Training", color_index=0)
    made.set_curve("val", [2, 4], [1.5, math.nan], name="Validation", color_index=0, dashed=True)
    made.flush()
    return made


def drawn(chart: LiveChart, key: str) -> tuple[list[float], list[float]]:
    x, y = chart.plot._items[key][1].getData()
    return list(x), list(y)


def test_what_is_set_is_drawn(chart: LiveChart) -> None:
    assert drawn(chart, "train") == ([1, 2, 3, 4], [2.0, 1.0, 0.5, 0.25])
    x, y = chart.curve_data("train")
    assert list(x) == [1, 2, 3, 4]
    assert y[-1] == 0.25
    image = chart.plot.grab().toImage()
    blue = QColor("#0072B2")
    assert any(
        image.pixelColor(x, y) == blue for x in range(image.width()) for y in range(image.height())
    )


def test_training_is_solid_and_validation_dashed_in_one_color(chart: LiveChart) -> None:
    train, val = (chart.plot._items[key][1].opts["pen"] for key in ("train", "val"))
    assert train.color() == val.color()
    assert train.style() == Qt.PenStyle.SolidLine
    assert val.style() == Qt.PenStyle.CustomDashLine


def test_the_view_follows_until_the_user_zooms(chart: LiveChart, qtbot: QtBot) -> None:
    chart.append("train", 5, 0.1)
    chart.flush()
    assert chart.plot.zoom_box.viewRange()[0][1] >= 5
    assert not chart.bar.reset_button.isEnabled()
    chart.plot.zoom_box.setRange(xRange=(2, 3), padding=0)
    chart.plot.zoom_box.sigRangeChangedManually.emit([True, True])
    assert chart.bar.reset_button.isEnabled()
    chart.append("train", 6, 0.05)
    chart.flush()
    assert chart.plot.zoom_box.viewRange()[0] == pytest.approx([2, 3])
    chart.bar.reset_button.click()
    chart.flush()
    assert chart.plot.zoom_box.viewRange()[0][1] >= 6
    assert not chart.bar.reset_button.isEnabled()


def test_bursts_are_drawn_once(
    chart: LiveChart, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws: list[int] = []
    real = chart.plot.draw

    def draw(curves: Iterable[Curve], weight: float) -> None:
        draws.append(1)
        real(curves, weight)

    monkeypatch.setattr(chart.plot, "draw", draw)
    for epoch in range(5, 500):
        chart.append("train", epoch, 1 / epoch)
    qtbot.waitUntil(lambda: bool(draws))
    assert draws == [1]
    assert not chart._frame.isActive()


def test_values_under_the_pointer(chart: LiveChart) -> None:
    assert chart.values_at(2.4) == {"train": 1.0, "val": 1.5}
    assert chart.values_at(100) == {"train": 0.25}
    chart.plot.hovered.emit(2.4)
    assert chart.bar.read_out() == "Epoch 2"
    assert chart.legend.entry("val").value() == "1.500"
    width = chart.legend.entry("train").sizeHint().width()
    chart.plot.hovered.emit(4.0)
    assert chart.legend.entry("train").sizeHint().width() >= width
    chart.plot.hovered.emit(math.nan)
    assert chart.bar.read_out() == ""
    assert chart.legend.entry("train").value() == "0.2500"


def test_the_legend_switches_curves_by_keyboard(chart: LiveChart, qtbot: QtBot) -> None:
    entry = chart.legend.entry("train")
    QTest.keyClick(entry, Qt.Key.Key_Space)
    chart.flush()
    assert not entry.isChecked()
    assert not chart.plot._items["train"][1].isVisible()
    assert "train" not in chart.values_at(2)
    assert chart.table()[0] == ["Epoch", "Validation"]
    chart.set_curve_visible("train", visible=True)
    chart.flush()
    assert chart.plot._items["train"][1].isVisible()


def test_a_log_axis_has_gaps_for_what_is_not_positive(chart: LiveChart) -> None:
    chart.set_curve("train", [1, 2, 3], [100, 0, 0.01], name="Training", color_index=0)
    chart.set_log(log=True)
    chart.flush()
    _, y = drawn(chart, "train")
    assert y[0] == pytest.approx(2)
    assert math.isnan(y[1])
    assert y[2] == pytest.approx(-2)
    chart.grab()


def test_smoothing_leaves_the_raw_curve_behind(chart: LiveChart) -> None:
    chart.set_smoothing(0.5)
    chart.flush()
    raw, front = chart.plot._items["train"]
    assert raw.isVisible()
    assert list(raw.getData()[1]) == [2.0, 1.0, 0.5, 0.25]
    assert front.getData()[1][1] == pytest.approx((0.5 * 0.5 * 2 + 0.5 * 1) / 0.75)
    chart.bar.slider.setValue(0)
    chart.flush()
    assert not raw.isVisible()


def test_the_table_twin(chart: LiveChart) -> None:
    header, rows = chart.table()
    assert header == ["Epoch", "Training", "Validation"]
    assert rows == [[1, 2.0, None], [2, 1.0, 1.5], [3, 0.5, None], [4, 0.25, None]]
    chart.set_table_shown(shown=True)
    chart.flush()
    assert chart.table_view.isVisible()
    model = chart.table_view.model()
    assert (model.rowCount(), model.columnCount()) == (4, 3)
    assert model.index(1, 2).data() == "1.500"
    assert model.index(0, 2).data() == ""


def test_copy_as_csv(chart: LiveChart) -> None:
    chart.bar.copy_action.trigger()
    rows = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert rows[0] == ["Epoch", "Training", "Validation"]
    assert rows[2] == ["2", "1", "1.5"]
    assert rows[4] == ["4", "0.25", ""]


def test_save_pictures(chart: LiveChart, tmp_path: Path) -> None:
    chart.save(tmp_path / "loss.png")
    image = QImage(str(tmp_path / "loss.png"))
    assert image.width() > 2 * chart.width()
    chart.save(tmp_path / "loss.svg")
    assert "Training" in (tmp_path / "loss.svg").read_text("utf-8")
    assert chart.bar.slider.isVisible()
    with pytest.raises(StudioError, match="could not be written"):
        chart.save(tmp_path / "missing" / "loss.png")


def test_the_best_epoch_is_marked(chart: LiveChart) -> None:
    chart.set_mark(3, "best {0}")
    assert chart.plot._mark.isVisible()
    assert chart.plot._mark.value() == 3
    chart.grab()
    chart.set_mark(None)
    assert not chart.plot._mark.isVisible()


def test_clear_and_start_again(chart: LiveChart) -> None:
    chart.clear()
    chart.flush()
    assert chart.keys() == []
    assert chart.legend.keys() == []
    assert chart.table() == (["Epoch"], [])
    chart.set_curve("new", [1], [1], name="New", color_index=3)
    chart.flush()
    assert len(drawn(chart, "new")[0]) == 2, "a single point is drawn as a short dash"


def test_colors_follow_the_theme(chart: LiveChart, theme: Theme) -> None:
    theme.mode = "dark"
    chart.flush()
    image = chart.plot.grab().toImage()
    assert image.pixelColor(image.width() - 2, 2) == QColor(theme.palette.surface)


def test_screen_readers_hear_the_last_values(chart: LiveChart) -> None:
    assert chart.accessibleName() == "Loss"
    assert chart.accessibleDescription() == "loss: Training 0.2500"
    for tool in chart.bar._tools():
        assert tool.accessibleName()


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(chart: LiveChart) -> None:
    def wheel(modifier: Qt.KeyboardModifier) -> bool:
        event = QWheelEvent(
            QPointF(200, 100), QPointF(200, 100), QPoint(), QPoint(0, 120),
            Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        chart.plot.wheelEvent(event)
        return event.isAccepted()

    before = chart.plot.zoom_box.viewRange()
    assert not wheel(Qt.KeyboardModifier.NoModifier)
    assert chart.plot.zoom_box.viewRange() == before


def test_epochs_are_whole_and_values_have_just_enough_digits(qtbot: QtBot) -> None:
    levels = CountAxis().tickValues(1.0, 3.0, 400)
    ticks = {value for _, values in levels for value in values}
    assert ticks
    assert all(value == round(value) for value in ticks)
    percent = NumberAxis(percent=True)
    assert percent.tickStrings([0.975, 0.98], 1, 0.005)[0].startswith("97.5")
    assert NumberAxis().tickStrings([0.5, 1.0], 1, 0.5) == ["0.5", "1.0"]


def test_long_curves_are_thinned_but_keep_their_peaks() -> None:
    y = np.sin(np.arange(100_000) / 50)
    y[54_321] = 9
    x, thin = in_window(np.arange(100_000.0), y, 0, 1e6, 400)
    assert len(x) <= 1600
    assert thin.max() == 9
    curve = Curve("a", "a")
    assert bounds_of([curve], 0, log=False) is None
    curve.set_data([1, 2], [0, -1])
    assert bounds_of([curve], 0, log=True) is None
    assert np.isnan(to_plot(curve.series.y, log=True)).all()
