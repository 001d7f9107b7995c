"""The cells of a heat map: colors, figures, names at the sides, and the one under the pointer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.charts.plot_picture import VECTORS
from studio.ui.charts.sweep_colors import area_ramp, levels_of
from studio.ui.charts.sweep_data import SweepAxis
from studio.ui.charts.sweep_grid import Grid
from studio.ui.charts.sweep_text import cell_text
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, contrast
from studio.ui.widgets.eliding import elided

Cell = tuple[int, int]
"""Row, counted from below, and column."""
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (1, 0),
    Qt.Key.Key_Down: (-1, 0),
}
_SIDE = 110.0
_GAP = 1.0


class HeatCells(QWidget):
    """A grid of cells, the low end of both fields in the lower left corner.

    Signals:
        pointed: The cell under the pointer or reached by keys, or None; and the place.
        chosen: The cell that was clicked, or on which Return was pressed.
    """

    pointed = Signal(object, QPointF)
    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid: Grid | None = None
        self._names = "", ""
        self._texts: list[list[str]] = []
        self._levels: NDArray[np.intp] = np.empty((0, 0), np.intp)
        self._current: Cell | None = None
        self._picture = QPixmap()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Heat map"))
        theme.changed.connect(self._redraw)

    def show_grid(
        self, grid: Grid, x_name: str, y_name: str, values: SweepAxis, *, maximize: bool
    ) -> None:
        """Show these cells.

        Args:
            grid: The cells.
            x_name: Of the field across.
            y_name: Of the field upwards.
            values: The objective, for the figures in the cells.
            maximize: Whether more of it is better.
        """
        self._grid, self._names = grid, (x_name, y_name)
        self._current = None
        shape = grid.values.shape
        self._levels = levels_of(grid.values.ravel(), maximize=maximize).reshape(shape)
        self._texts = [[cell_text(values, value) for value in row] for row in grid.values.tolist()]
        self._redraw()

    def current(self) -> Cell | None:
        """The cell that is pointed at."""
        return self._current

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell is."""
        area = self._area()
        rows, columns = self._levels.shape
        width, height = area.width() / max(1, columns), area.height() / max(1, rows)
        top = area.bottom() - (cell[0] + 1) * height
        return QRectF(area.left() + cell[1] * width, top, width - _GAP, height - _GAP)

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell at a place."""
        area = self._area()
        if not area.contains(place) or not self._levels.size:
            return None
        rows, columns = self._levels.shape
        row = int((area.bottom() - place.y()) / area.height() * rows)
        column = int((place.x() - area.left()) / area.width() * columns)
        return min(row, rows - 1), min(column, columns - 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the pointer."""
        self._point_at(self.cell_at(event.position()), event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None, QPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.chosen.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys go from cell to cell, Return chooses."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.chosen.emit(self._current)
            return
        move = _MOVES.get(key)
        if move is None or not self._levels.size:
            super().keyPressEvent(event)
            return
        rows, columns = self._levels.shape
        row, column = self._current or (0, 0)
        if self._current is not None:
            row = min(max(row + move[0], 0), rows - 1)
            column = min(max(column + move[1], 0), columns - 1)
        self._point_at((row, column), self.cell_rect((row, column)).center())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint cells, figures and names, once for all frames until something changes."""
        if self._grid is None:
            return
        painter = QPainter(self)
        if painter.paintEngine().type() in VECTORS:
            self._paint_all(painter, self._grid)
        else:
            ratio = abs(painter.deviceTransform().m11()) or 1.0
            if self._picture.isNull() or self._picture.devicePixelRatio() != ratio:
                self._picture = self._painted(self._grid, ratio)
            painter.drawPixmap(0, 0, self._picture)
        if self._current is not None:
            painter.setPen(QPen(QColor(self._theme.palette.text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.cell_rect(self._current))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cells are painted for a size."""
        super().resizeEvent(event)
        self._redraw()

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style, another picture."""
        super().changeEvent(event)
        self._redraw()

    def _redraw(self) -> None:
        self._picture = QPixmap()
        self.update()

    def _painted(self, grid: Grid, ratio: float) -> QPixmap:
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        painter = QPainter(picture)
        self._paint_all(painter, grid)
        painter.end()
        return picture

    def _paint_all(self, painter: QPainter, grid: Grid) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.palette.surface))
        font = QFont(self.font())
        font.setPixelSize(TYPE.caption)
        painter.setFont(font)
        self._paint_cells(painter, grid)
        self._paint_words(painter, grid)

    def _area(self) -> QRectF:
        line = self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(_SIDE, SPACE.s + line, -SPACE.m, -2.0 * line - SPACE.m)

    def _paint_cells(self, painter: QPainter, grid: Grid) -> None:
        palette, colors = self._theme.palette, area_ramp()
        metrics = QFontMetricsF(painter.font())
        widest = max((metrics.horizontalAdvance(t) for row in self._texts for t in row), default=0)
        room = self.cell_rect((0, 0))
        fits = room.width() > widest + SPACE.xs and room.height() > metrics.height()
        hatched = QBrush(QColor(palette.border), Qt.BrushStyle.BDiagPattern)
        inks = [QColor(_ink(each.name(), palette.text, palette.surface)) for each in colors]
        counts, levels = grid.counts.tolist(), self._levels.tolist()
        for row, texts in enumerate(self._texts):
            box = self.cell_rect((row, 0))
            across = self.cell_rect((row, 1)).left() - box.left()
            for column, text in enumerate(texts):
                if not counts[row][column]:
                    painter.fillRect(box, hatched)
                else:
                    level = levels[row][column]
                    painter.fillRect(box, colors[level])
                    if fits:
                        painter.setPen(inks[level])
                        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                box.translate(across, 0)

    def _paint_words(self, painter: QPainter, grid: Grid) -> None:
        metrics, area = QFontMetricsF(painter.font()), self._area()
        painter.setPen(QColor(self._theme.palette.muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, word in enumerate(grid.y.words):
            box = self.cell_rect((row, 0))
            side = QRectF(0, box.top(), area.left() - SPACE.s, box.height())
            painter.drawText(side, right, elided(metrics, word, side.width()))
        for column, word in enumerate(grid.x.words):
            box = self.cell_rect((0, column))
            foot = QRectF(box.left(), area.bottom() + SPACE.xs, box.width(), metrics.height())
            text = elided(metrics, word, foot.width())
            painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(QColor(self._theme.palette.text))
        line = metrics.height()
        head = QRectF(0, 0, self.width(), line + SPACE.xs)
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, self._names[1])
        foot = QRectF(area.left(), self.height() - line - 2, area.width(), line)
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, self._names[0])

    def _point_at(self, cell: Cell | None, place: QPointF) -> None:
        if cell is None and self._current is None:
            return
        self._current = cell
        self.pointed.emit(cell, place)
        self.update()


def _ink(ground: str, one: str, other: str) -> str:
    """Whichever can be read better on a ground."""
    return one if contrast(one, ground) >= contrast(other, ground) else other
