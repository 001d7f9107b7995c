"""The picture under its heat map."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count
from studio.ui.widgets.pictures import HeatView
from studio.ui.widgets.small_charts import Histogram


def color_at(view: HeatView, across: float, down: float) -> QColor:
    rect = view.picture_rect()
    at = rect.topLeft() + QPoint(round(across * rect.width()), round(down * rect.height()))
    return view.grab().toImage().pixelColor(at)


def test_the_strongest_region_is_covered_and_the_rest_visible(qtbot: QtBot, theme: Theme) -> None:
    view = HeatView(theme)
    qtbot.addWidget(view)
    view.resize(400, 300)
    picture = QImage(40, 40, QImage.Format.Format_RGB888)
    picture.fill(QColor(128, 128, 128))
    view.set_image(picture)
    values = np.zeros((4, 4), np.float32)
    values[0, 3] = 1
    view.set_heat(values)
    view.set_opacity(1)

    hot, cold = color_at(view, 0.9, 0.1), color_at(view, 0.1, 0.9)
    assert hot.red() > 220
    assert hot.blue() < 90  # yellow
    assert cold == QColor(128, 128, 128)
    view.set_opacity(0)
    assert color_at(view, 0.9, 0.1) == QColor(128, 128, 128)
    view.set_opacity(1)
    view.set_heat(values, (0.0, 0.0, 0.5, 1.0))  # of a picture of which the left half was seen
    assert color_at(view, 0.9, 0.1) == QColor(128, 128, 128)
    assert color_at(view, 0.45, 0.1).blue() < 90
    view.set_heat(None)
    assert color_at(view, 0.45, 0.1) == QColor(128, 128, 128)


def test_a_histogram_shows_what_is_rare(qtbot: QtBot, theme: Theme) -> None:
    bars = Histogram(theme)
    qtbot.addWidget(bars)
    bars.resize(200, bars.sizeHint().height())
    bars.show_counts((1_000_000, 0, 1, 0), -1.0, 3.0)
    shown = bars.grab().toImage()
    accent = QColor(theme.palette.accent)

    assert shown.pixelColor(10, 5) == accent
    assert shown.pixelColor(60, 5) != accent
    assert shown.pixelColor(110, 43) == accent
    assert count(1_000_001) in bars.accessibleDescription()
