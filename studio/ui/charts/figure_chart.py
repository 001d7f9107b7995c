"""A chart of finished figures: looked at, pointed at, clicked, copied and saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from studio.ui.charts.exports import Exports
from studio.ui.charts.figure import SHARES, Figure
from studio.ui.charts.figure_paint import (
    DOT,
    FigureSpace,
    line_color,
    paint_figure,
    tick_text,
)
from studio.ui.charts.picture import save_png, save_svg
from studio.ui.charts.spoken import figure_text
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent, significant

_REACH = 14.0
"""Pixels from a point within which it is pointed at."""


class FigureChart(QWidget):
    """Shows a `Figure`; the point next to the pointer is read out above it.

    Signals:
        point_chosen: A point with a dot was clicked: indices of the line and of the point.
        place_chosen: Somewhere in the plot was clicked: the value across.
        failed: A picture could not be written; carries the `StudioError`.
    """

    point_chosen = Signal(int, int)
    place_chosen = Signal(float)
    failed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.figure = Figure("", SHARES, SHARES, ())
        self._mark: float | None = None
        self._near: tuple[int, int] | None = None
        self._exports = _FigureExports(self)
        self._exports.failed.connect(self.failed)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 170)
        theme.changed.connect(self.update)

    def show_figure(self, figure: Figure) -> None:
        """Show another one."""
        self.figure, self._near = figure, None
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(figure_text(figure, self._across, self._up))
        self.update()

    def set_mark(self, across: float | None) -> None:
        """Draw an upright line at a value; None takes it away."""
        self._mark = across
        self.update()

    def position_of(self, line: int, point: int) -> QPointF:
        """Where a point of a line is in the widget."""
        return self._space().at(self.figure.lines[line].points[point])

    def read_out(self) -> str:
        """What is said of the point under the pointer."""
        if self._near is None:
            return ""
        line = self.figure.lines[self._near[0]]
        x, y = line.points[self._near[1]]
        figure = self.figure
        text = f"{self._across(x)} → {self._up(y)}"
        if line.band:
            low, high = line.band[self._near[1]]
            text += f" ({tick_text(figure.up, low)} – {tick_text(figure.up, high)})"
        return f"{line.name}: {text}" if line.name else text

    def sizeHint(self) -> QSize:
        """A little wider than high."""
        return QSize(320, 260)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read the next point out."""
        near = self._nearest(event.position())
        if near != self._near:
            self._near = near
            on_dot = near is not None and self.figure.lines[near[0]].dots
            shape = Qt.CursorShape.PointingHandCursor if on_dot else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self._near = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a point, or a place."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        near = self._nearest(event.position())
        if near is not None and self.figure.lines[near[0]].dots:
            self.point_chosen.emit(*near)
        area = self._space().area
        share = (event.position().x() - area.left()) / max(1.0, area.width())
        self.place_chosen.emit(self.figure.across.value(min(1.0, max(0.0, share))))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the numbers and the picture."""
        self._exports.menu.popup(event.globalPos())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint title, read-out and lines."""
        painter = QPainter(self)
        space, theme = self._space(), self.theme
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(theme.color("text"))
        top = QRectF(0, 0, self.width(), QFontMetricsF(bold).height())
        title = elided(painter.fontMetrics(), self.figure.title, self.width())
        painter.drawText(QPointF(0, painter.fontMetrics().ascent()), title)
        taken = painter.fontMetrics().horizontalAdvance(title) + SPACE.m
        painter.setFont(self._small())
        painter.setPen(theme.color("muted"))
        read_out = elided(painter.fontMetrics(), self.read_out(), max(0, self.width() - taken))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight, read_out)
        paint_figure(painter, self.figure, space, theme)
        if self._mark is not None:
            x = space.at((self._mark, self.figure.up.low)).x()
            painter.setPen(QPen(theme.color("accent"), 1.5))
            painter.drawLine(QPointF(x, space.area.top()), QPointF(x, space.area.bottom()))
        if self._near is not None:
            line = self.figure.lines[self._near[0]]
            painter.setPen(QPen(line_color(line, theme), 2))
            painter.setBrush(theme.color("surface"))
            painter.drawEllipse(space.at(line.points[self._near[1]]), DOT + 1, DOT + 1)
        painter.end()

    def _across(self, value: float) -> str:
        return percent(value) if self.figure.across.percent else significant(value, 3)

    def _up(self, value: float) -> str:
        return percent(value) if self.figure.up.percent else significant(value, 3)

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(TYPE.caption)
        return font

    def _space(self) -> FigureSpace:
        metrics = QFontMetricsF(self._small())
        return FigureSpace(self.figure, QRectF(self.rect()), metrics)

    def _nearest(self, pointer: QPointF) -> tuple[int, int] | None:
        space = self._space()
        found: tuple[float, tuple[int, int]] | None = None
        for number, line in enumerate(self.figure.lines):
            if line.color_index is None:
                continue
            for place, point in enumerate(line.points):
                gap = space.at(point) - pointer
                away = abs(gap.x()) + abs(gap.y())
                if away <= _REACH and (found is None or away < found[0]):
                    found = (away, (number, place))
        return None if found is None else found[1]


class _FigureExports(Exports):
    """The menu of a chart."""

    def __init__(self, chart: FigureChart) -> None:
        super().__init__(chart)
        self._chart = chart
        self.menu = QMenu(chart)
        for icon, text, action in (
            ("copy", self.tr("Copy as CSV"), self.copy),
            ("image", self.tr("Save PNG…"), self.ask_png),
            ("chart", self.tr("Save SVG…"), self.ask_svg),
        ):
            entry = QAction(text, self)
            set_icon(entry, icon, chart.theme)
            entry.triggered.connect(action)
            self.menu.addAction(entry)

    def title(self) -> str:
        """That of the chart."""
        return self._chart.figure.title

    def copy(self) -> None:
        """Put the points on the clipboard as comma-separated values."""
        self._copy(self._chart.figure.csv_text, now=True)

    def save(self, path: Path) -> None:
        """Write the chart, SVG or PNG by the file's name.

        Raises:
            StudioError: The file cannot be written.
        """
        ground = self._chart.theme.color("surface")
        if path.suffix.lower() == ".svg":
            save_svg(self._chart, path, ground, self.title())
        else:
            save_png(self._chart, path, ground)
