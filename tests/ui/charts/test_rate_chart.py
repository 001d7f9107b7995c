"""The loss over rising rates, painted."""

from __future__ import annotations

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from studio.engine.training.rate_finder import rising_rates, smoothed
from studio.ui.charts.rate_chart import RateChart
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color


def _colors(chart: RateChart) -> set[str]:
    image: QImage = chart.grab().toImage()
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in places}


def test_curve_and_mark_are_painted_and_muted_when_they_are_old(
    qtbot: QtBot, theme: Theme
) -> None:
    chart = RateChart(theme)
    qtbot.addWidget(chart)
    chart.resize(240, 148)
    assert len(_colors(chart)) == 1, "nothing was found yet"
    rates = [float(rate) for rate in rising_rates(50)]
    losses = [2.3 if at < 20 else 2.3 - at / 30 for at in range(45)] + [50.0] * 5

    chart.set_curve(rates, losses, [float(loss) for loss in smoothed(losses)], None)
    curve = chart_color(0, dark=False).lower()
    assert curve in _colors(chart)
    assert theme.palette.good.lower() not in _colors(chart)
    assert "lowest" in chart.accessibleDescription()
    chart.set_curve(rates, losses, [float(loss) for loss in smoothed(losses)], 0.01)
    assert theme.palette.good.lower() in _colors(chart)
    assert "suggested: 0.010" in chart.accessibleDescription()
    chart.setEnabled(False)
    assert not {curve, theme.palette.good.lower()} & _colors(chart)
