"""Maps of images: colors, lasso, the point under the pointer, and fifty thousand of them."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPolygonF
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.ui.charts.map_chart import MapPlot, MapPoints, coloring_of
from studio.ui.theme.theme import Theme


def points(count: int, classes: int = 3) -> MapPoints:
    """Clouds side by side, one for each class; every tenth is predicted as another."""
    random = np.random.default_rng(0)
    labels = np.arange(count) % classes
    indices = random.normal(0, 0.3, (count, 2)) + np.stack([4 * labels, 0 * labels], axis=1)
    return MapPoints(
        indices.astype(np.float32),
        labels.astype(np.int32),
        (np.arange(count) % 3).astype(np.int8),
        np.arange(count) % 10 != 0,
        tuple(f"class {number}" for number in range(classes)),
    )


@pytest.fixture
def plot(qtbot: QtBot, theme: Theme) -> MapPlot:
    made = MapPlot(theme)
    qtbot.addWidget(made)
    made.resize(640, 440)
    made.show()
    qtbot.waitExposed(made)
    return made


def in_box(plot: MapPlot, index: int) -> QPointF:
    x, y = plot.canvas.positions()
    return QPointF(x[index], y[index])


def drag_around(plot: MapPlot, corners: list[QPoint]) -> None:
    port, left, keys = plot, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mousePress(port, left, pos=corners[0])
    for corner in [*corners[1:], corners[0]]:
        point, there = QPointF(corner), QPointF(port.mapToGlobal(corner))
        move = QMouseEvent(QEvent.Type.MouseMove, point, there, left, left, keys)
        QApplication.sendEvent(port, move)
    QTest.mouseRelease(port, left, pos=corners[0])


def test_a_lasso_selects_what_lies_within(plot: MapPlot) -> None:
    shown = points(300)
    plot.show_points(shown)
    QApplication.processEvents()
    selected = QSignalSpy(plot.selected)
    x, _ = plot.canvas.positions()
    left, right = x[shown.labels == 1].min() - 9, x[shown.labels == 1].max() + 9
    corners = [(left, 8), (right, 8), (right, 390), (left, 390)]

    drag_around(plot, [QPointF(*corner).toPoint() for corner in corners])

    assert selected.count() == 1
    found = selected.at(0)[0]
    assert (found == np.flatnonzero(shown.labels == 1)).all()
    kinds = plot.canvas._dots.kinds
    coloring = plot.coloring
    assert coloring is not None
    assert (kinds >= len(coloring.styles)).sum() == 100  # the others are faded
    plot.show_only(0)
    assert not len(plot.inside(QPolygonF([QPointF(*corner) for corner in corners])))
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    QApplication.processEvents()
    assert not len(plot.selection)


def test_the_point_under_the_pointer_is_described(plot: MapPlot) -> None:
    plot.show_points(points(30))
    QApplication.processEvents()
    pointed, chosen = QSignalSpy(plot.pointed), QSignalSpy(plot.chosen)
    point = plot.position_of(7).toPoint()

    QTest.mouseMove(plot, point)
    QApplication.processEvents()
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=point)
    QApplication.processEvents()

    text = pointed.at(pointed.count() - 1)
    assert np.hypot(*(plot.position_of(text[0]) - point.toPointF()).toTuple()) <= 2
    assert chosen.count() == 1
    assert chosen.at(0)[0] == text[0]


def test_colors_and_shapes_distinguish_more_classes_than_colors(theme: Theme) -> None:
    many = coloring_of(points(180, 18), "class", theme.palette)
    styles = {(look.color.name(), look.shape) for look in many.styles}
    assert len(styles) == 18
    assert many.names == tuple(f"class {number}" for number in range(18))
    more = coloring_of(points(200, 20), "class", theme.palette)
    assert more.names[1] == "class 1, class 19"
    wrong = coloring_of(points(100), "error", theme.palette)
    assert wrong.kinds.sum() == 10
    assert wrong.styles[0].shape != wrong.styles[1].shape
    splits = coloring_of(points(90), "split", theme.palette)
    assert np.bincount(splits.kinds).tolist() == [30, 30, 30]


def test_fifty_thousand_points_stay_smooth(plot: MapPlot) -> None:
    plot.show_points(points(50_000, 10))
    plot.grab()
    took = []
    for step in range(5):
        began = time.process_time()
        plot.zoom(plot.area().adjusted(3, 3, -3, -3))
        plot.grab()
        plot.on_pointer(QPointF(200 + step, 200))
        took.append(time.process_time() - began)
    assert min(took) < 0.1
