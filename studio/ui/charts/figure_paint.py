"""Paints a chart of finished figures."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from studio.ui.charts.figure import Figure, FigureLine, Point, Scale
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent

DOT = 4.0
_TICKS = 4
_BAND = 46
"""How strong the color of a band is, of 255."""


class FigureSpace:
    """Where things are in a chart of a size.

    Args:
        figure: What is shown.
        whole: The room of the chart.
        metrics: Of the small letters.
    """

    def __init__(self, figure: Figure, whole: QRectF, metrics: QFontMetricsF) -> None:
        self._figure = figure
        line = metrics.height()
        words = [tick_text(figure.up, value) for value in ticks(figure.up)]
        left = max((metrics.horizontalAdvance(word) for word in words), default=0) + SPACE.s
        below = line + SPACE.xs + (line if figure.across.label else 0)
        named = any(each.name for each in figure.lines)
        self.legend_top = whole.bottom() - (line if named else 0)
        bottom = whole.bottom() - below - (line + SPACE.xs if named else 0)
        self.area = QRectF(
            QPointF(whole.left() + left, whole.top() + line + SPACE.m),
            # Half of the last word under the axis stands beyond its end.
            QPointF(whole.right() - SPACE.l - SPACE.xs, bottom),
        )

    def at(self, point: Point) -> QPointF:
        """Where a point is."""
        area, figure = self.area, self._figure
        return QPointF(
            area.left() + figure.across.share(point[0]) * area.width(),
            area.bottom() - figure.up.share(point[1]) * area.height(),
        )


def ticks(scale: Scale) -> list[float]:
    """Evenly spaced values of an axis, both ends among them."""
    return [scale.value(at / _TICKS) for at in range(_TICKS + 1)]


def tick_text(scale: Scale, value: float) -> str:
    """A value as the axis writes it."""
    if not scale.percent:
        return QLocale().toString(float(value), "g", 3)
    is_whole = abs(value * 100 - round(value * 100)) < 1e-6
    return percent(value, 0 if is_whole else 1)


def paint_figure(painter: QPainter, figure: Figure, space: FigureSpace, theme: Theme) -> None:
    """Paint axes, lines and legend."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_axes(painter, figure, space, theme)
    painter.save()
    painter.setClipRect(space.area.adjusted(-DOT, -DOT, DOT, DOT))
    for line in figure.lines:
        _paint_line(painter, line, space, theme)
    painter.restore()
    _paint_legend(painter, figure, space, theme)


def line_color(line: FigureLine, theme: Theme) -> QColor:
    """The color of a line."""
    if line.color_index is None:
        return theme.color("muted")
    return QColor(chart_color(line.color_index, dark=theme.is_dark))


def _paint_axes(painter: QPainter, figure: Figure, space: FigureSpace, theme: Theme) -> None:
    area, height = space.area, painter.fontMetrics().height()
    quiet, words = QPen(theme.color("border"), 1), QPen(theme.color("muted"))
    for value in ticks(figure.up):
        y = space.at((figure.across.low, value)).y()
        painter.setPen(quiet)
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(words)
        room = QRectF(0, y - height / 2, area.left() - SPACE.xs, height)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight, tick_text(figure.up, value))
    every = 1 if area.width() > 240 else 2
    for value in ticks(figure.across)[::every]:
        x = space.at((value, figure.up.low)).x()
        painter.setPen(quiet)
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(words)
        room = QRectF(x - 40, area.bottom() + SPACE.xs, 80, height)
        painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, tick_text(figure.across, value))
    if figure.across.label:
        middle, half = area.center().x(), area.right() - area.center().x() + SPACE.xl
        room = QRectF(middle - half, area.bottom() + SPACE.xs + height, 2 * half, height)
        painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, figure.across.label)


def _paint_line(painter: QPainter, line: FigureLine, space: FigureSpace, theme: Theme) -> None:
    color = line_color(line, theme)
    if line.band:
        edges = [(x, low) for (x, _), (low, _) in zip(line.points, line.band, strict=True)]
        back = [(x, high) for (x, _), (_, high) in zip(line.points, line.band, strict=True)]
        shade = QColor(color)
        shade.setAlpha(_BAND)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        painter.drawPolygon(QPolygonF([space.at(each) for each in (*edges, *reversed(back))]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(color, 1 if line.color_index is None else 2)
    if line.dashed:
        pen.setDashPattern([4, 3])
    painter.setPen(pen)
    if line.joined:
        painter.drawPolyline(QPolygonF([space.at(each) for each in line.points]))
    if line.dots:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        size = DOT if line.joined else DOT / 2
        for each in line.points:
            painter.drawEllipse(space.at(each), size, size)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_legend(painter: QPainter, figure: Figure, space: FigureSpace, theme: Theme) -> None:
    metrics = painter.fontMetrics()
    x, y = space.area.left(), space.legend_top
    for line in figure.lines:
        if not line.name:
            continue
        left = space.area.right() - x - 20
        if left < 24:
            return
        middle = y + metrics.height() / 2
        pen = QPen(line_color(line, theme), 2)
        if line.dashed:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle), QPointF(x + 14, middle))
        painter.setPen(theme.color("text"))
        word = elided(metrics, line.name, min(left, 160))
        painter.drawText(QPointF(x + 20, y + metrics.ascent()), word)
        x += 20 + metrics.horizontalAdvance(word) + SPACE.m
