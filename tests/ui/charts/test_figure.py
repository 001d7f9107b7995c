"""Small charts of finished data: legend, table, zoom, logarithmic axes, mark."""

from __future__ import annotations

import dataclasses
import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QSignalSpy, QTest
from pytestqt.qtbot import QtBot

from studio.ui.charts.axes import FRACTIONS, AxisScale, number_text
from studio.ui.charts.figure import DIAGONAL, Figure, FigureChart, FigureLine
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color

LEFT = Qt.MouseButton.LeftButton
POINTS = [(1.0, 2.0), (10.0, 1.0), (100.0, 0.5)]


@pytest.fixture
def chart(qtbot: QtBot, theme: Theme) -> FigureChart:
    made = FigureChart(theme)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show_figure(
        Figure(
            "Loss",
            AxisScale("Rate", 1.0, 100.0),
            AxisScale("Loss", 0.0, 2.0),
            [
                FigureLine(
                    "a", POINTS, 0, dots=True, band=[(y - 0.1, y + 0.1) for _, y in POINTS]
                ),
                DIAGONAL,
            ],
        )
    )
    made.show()
    qtbot.waitExposed(made)
    return made


def _colors(chart: FigureChart) -> set[str]:
    image: QImage = chart.plot.grab().toImage()
    indices = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in indices}


def test_the_table_has_the_points_but_not_the_guides(chart: FigureChart) -> None:
    lines = chart.csv_text().splitlines()
    assert lines[:2] == ["line,Rate,Loss,low,high", "a,1,2,1.9,2.1"]
    assert len(lines) == 1 + len(POINTS)
    chart.bar.table_action.setChecked(True)
    assert chart.table_view.isVisible()
    headings = [column.heading for column in chart.table_view.content.columns]
    assert headings == ["Line", "Rate", "Loss", "Lower bound", "Upper bound"]
    assert chart.table_view.model().index(2, 1).data() == "100"


def test_the_legend_hides_a_line(chart: FigureChart) -> None:
    color = chart_color(0, dark=False).lower()
    assert chart.legend.keys() == ["0"], "the guide has no name"
    assert color in _colors(chart)
    chart.legend.entry("0").click()
    assert color not in _colors(chart)
    pointed = QSignalSpy(chart.plot.pointed)
    QTest.mouseMove(chart.plot, chart.plot.position_of(0, 1).toPoint())
    assert pointed.count() == 0, "what is hidden cannot be pointed at"


def test_a_line_may_have_the_color_of_its_class(chart: FigureChart) -> None:
    line = dataclasses.replace(chart.figure.lines[0], color="#aa00cc")
    chart.show_figure(dataclasses.replace(chart.figure, lines=[line]))
    assert "#aa00cc" in _colors(chart)
    entry = chart.legend.entry("0").grab().toImage()
    across = range(entry.width())
    assert "#aa00cc" in {entry.pixelColor(x, entry.height() // 2).name() for x in across}


def test_a_logarithmic_axis_has_equal_steps_for_equal_ratios(chart: FigureChart) -> None:
    chart.set_log_x(log=True)
    first, second, third = (chart.plot.position_of(0, at).x() for at in range(3))
    assert second - first == pytest.approx(third - second)
    texts = [tick.text for tick in AxisScale("", 1e-6, 1.0, log=True).ticks() if tick.text]
    assert texts == ["10\u207b\u2076", "10\u207b\u2074", "0.01", "1"]
    chart.set_log_x(log=False)
    first, second, third = (chart.plot.position_of(0, at).x() for at in range(3))
    assert second - first == pytest.approx((third - second) / 10)


def _texts(scale: AxisScale, most: int = 5) -> list[str]:
    return [tick.text.replace(",", "") for tick in scale.ticks(most) if tick.text]


def test_a_short_logarithmic_axis_and_one_of_whole_numbers_have_round_ticks() -> None:
    assert _texts(AxisScale("", 0.125, 8.0, log=True)) == ["0.2", "0.5", "1", "2", "5"]
    assert _texts(AxisScale("", 17.0, 37.0, log=True)) == ["20", "30"]
    assert _texts(AxisScale("", 1.2, 1.21, log=True))[::5] == ["1.200", "1.210"]
    assert _texts(AxisScale("", 0.0, 3.0, whole=True), 9) == ["0", "1", "2", "3"]
    assert _texts(AxisScale("", 0.0, 31.0, whole=True)) == ["0", "10", "20", "30"]
    assert _texts(AxisScale("", 1.0, 0.0, percent=True), 2) == ["0\xa0%", "50\xa0%", "100\xa0%"]


def test_an_axis_below_a_million_has_no_exponents() -> None:
    assert _texts(AxisScale("", 0.0, 1600.0), 4) == ["0", "500", "1000", "1500"]
    assert _texts(AxisScale("", -250_000.0, 0.0), 1)[0] == "0"
    assert number_text(-250_000.0, 50_000.0).replace(",", "") == "-250000"
    assert number_text(2e6, 1e6) == "2e+06"


def test_neighboring_numbers_of_an_axis_have_different_texts() -> None:
    steps = ["1204000", "1204500", "1205000", "1205500", "1206000"]
    assert _texts(AxisScale("", 1_204_000.0, 1_206_000.0)) == steps
    assert _texts(AxisScale("", 1_204_000.0, 1_206_000.0, whole=True)) == steps
    assert _texts(AxisScale("", 0.0, 2e6, whole=True), 2) == ["0", "1000000", "2000000"]
    tiny = ["1.2e-05", "1.2001e-05", "1.2002e-05"]
    assert _texts(AxisScale("", 1.2e-5, 1.2002e-5), 2) == tiny
    for low, step in ((1.0, 1e-10), (-1.0, 1e-10), (3e20, 1e10), (1e-30, 1e-36), (5e5, 1e-3)):
        texts = _texts(AxisScale("", low, low + 4 * step))
        assert len(set(texts)) == len(texts) > 3, (low, step)
        assert max(map(len, texts)) < 20


def test_a_drag_zooms_and_a_click_chooses(chart: FigureChart) -> None:
    chosen, across = QSignalSpy(chart.point_chosen), QSignalSpy(chart.position_chosen)
    before = chart.plot.position_of(0, 0)
    assert not chart.bar.reset_action.isEnabled()
    QTest.mousePress(chart.plot, LEFT, pos=QPoint(100, 40))
    QTest.mouseMove(chart.plot, QPoint(200, 120))
    QTest.mouseRelease(chart.plot, LEFT, pos=QPoint(200, 120))
    assert chart.plot.position_of(0, 0) != before
    assert chosen.count() == across.count() == 0
    assert chart.bar.reset_action.isEnabled()

    chart.bar.reset_action.trigger()
    assert chart.plot.position_of(0, 0) == before
    QTest.mouseClick(chart.plot, LEFT, pos=chart.plot.position_of(0, 1).toPoint())
    assert chosen.at(0) == [0, 1]
    assert across.at(0)[0] == pytest.approx(10.0, abs=0.5)


def test_the_mark_is_described_and_everything_is_muted_when_disabled(
    chart: FigureChart, theme: Theme
) -> None:
    assert theme.palette.good.lower() not in _colors(chart)
    chart.set_mark(10.0, "suggested")
    assert theme.palette.good.lower() in _colors(chart)
    assert "suggested: 10.0" in chart.accessibleDescription()
    chart.setEnabled(False)
    shown = {chart_color(0, dark=False).lower(), theme.palette.good.lower()}
    assert not shown & _colors(chart)


def test_keys_go_along_lines_and_choose_a_point(chart: FigureChart, qtbot: QtBot) -> None:
    lines = [
        FigureLine("one", [(0.0, 0.1), (0.5, 0.6), (1.0, 0.9)], 0, dots=True),
        FigureLine("guide", [(0.0, 0.0), (1.0, 1.0)], None),
        FigureLine("two", [(0.0, 0.2), (1.0, 0.4)], 1),
    ]
    chart.show_figure(Figure("", FRACTIONS, FRACTIONS, lines))
    chosen: list[tuple[int, int]] = []
    chart.point_chosen.connect(lambda *at: chosen.append(at))
    plot = chart.plot
    assert plot.focusPolicy() & Qt.FocusPolicy.TabFocus
    keys = Qt.Key
    for key in (keys.Key_Home, keys.Key_Right, keys.Key_Return, keys.Key_End, keys.Key_Return):
        QTest.keyClick(plot, key)
    assert chosen == [(0, 1), (0, 2)]
    QTest.keyClick(plot, keys.Key_Down)
    assert chart.bar.read_out().startswith("two: ")
    QTest.keyClick(plot, keys.Key_Down)
    assert chart.bar.read_out().startswith("one: ")


def test_hiding_the_line_of_the_point_reached_by_keys_leaves_it(chart: FigureChart) -> None:
    lines = [FigureLine(name, POINTS, at, dots=True) for at, name in enumerate(("one", "two"))]
    chart.show_figure(dataclasses.replace(chart.figure, lines=lines))
    color = chart_color(0, dark=False).lower()
    chosen = QSignalSpy(chart.point_chosen)
    chart.plot.step(0, 0)
    assert chart.bar.read_out().startswith("one: ")
    chart.legend.entry("0").click()
    assert not chart.bar.read_out()
    assert color not in _colors(chart), "neither the line nor the ring"
    QTest.keyClick(chart.plot, Qt.Key.Key_Return)
    assert chosen.count() == 0
    chart.plot.step(0, 0)
    chart.legend.entry("0").click()
    assert chart.bar.read_out().startswith("two: "), "showing another line keeps the point"


def test_keys_skip_points_without_a_position(chart: FigureChart) -> None:
    points = [(0.1, math.nan), (0.2, 0.0), (0.3, 0.5), (0.4, math.nan), (0.5, 0.6)]
    other = [(0.1, 0.1), (0.2, 0.2), (0.3, math.nan), (0.4, 0.4)]
    lines = [
        FigureLine("nothing", [(0.1, math.nan)], 2, dots=True),
        FigureLine("one", points, 0, dots=True),
        FigureLine("two", other, 1, dots=True),
    ]
    chart.show_figure(Figure("", FRACTIONS, FRACTIONS, lines))
    chosen: list[tuple[int, int]] = []
    chart.point_chosen.connect(lambda *at: chosen.append(at))
    for along, across in ((0, 0), (1, 0), (1, 0), (1, 0), (-1, 0), (0, 1)):
        chart.plot.step(along, across)
        chart.plot.choose_point()
    assert chosen == [(1, 1), (1, 2), (1, 4), (1, 4), (1, 2), (2, 3)]
    chart.set_log(log=True)
    chart.plot.step(0, 0)
    chart.plot.choose_point()
    assert chosen[-1] == (1, 2), "a logarithmic axis has no zero"
