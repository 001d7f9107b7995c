"""Heat map: grid of colored cells with names and numbers, used by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.charts.chart import VECTORS
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, contrast
from studio.ui.widgets.labels import TAILS, elided

Cell = tuple[int, int]
"""Row and column of a cell."""
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_NAMED = 13
"""Least size in pixels of a cell with a name."""
_LONGEST = 96
_MOST_SHAPES = 10_000
"""Most cells that are written as shapes into a vector file."""
_CENTER = int(Qt.AlignmentFlag.AlignCenter.value)
_RIGHT = int((Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter).value)
_LEFT = int((Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value)


@dataclass(frozen=True, slots=True)
class HeatMapLayout:
    """Layout of cells and names, in pixels.

    Attributes:
        area: The cells.
        side: Width of the names of rows; 0 if they are hidden.
        foot: Height of the names of columns; 0 if they are hidden.
        upright: True if the names of columns fit without rotation.
    """

    area: QRectF
    side: float
    foot: float
    upright: bool


class HeatMapChart(QWidget):
    """Heat map whose subclass provides colors and numbers.

    Signals:
        hovered: The cell under the pointer or reached by keys, or None.
        chosen: A cell was clicked, or chosen by the keyboard.
    """

    is_square = False
    """True if cells are squares."""
    from_below = False
    """True if row 0 is the lowest and the names of columns are below the cells."""
    keys_choose = False
    """True if arrow keys choose a cell; otherwise Return does."""
    has_gaps = False
    """True if there are lines between cells."""

    hovered = Signal(object)
    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.rows: Sequence[str] = ()
        self.columns: Sequence[str] = ()
        self.titles = "", ""
        self._current: Cell | None = None
        self._under: Cell | None = None
        self._picture = QPixmap()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.redraw)

    # Provided by a subclass.

    def image(self, most: int) -> QImage:
        """Return one pixel for each cell, or block of cells if there are more than `most`."""
        raise NotImplementedError

    def numbers(self) -> Iterable[tuple[Cell, str]]:
        """Return the cells with a number, and its text."""
        raise NotImplementedError

    def widest_number(self, metrics: QFontMetrics) -> float:
        """Return the width of the widest number, in pixels."""
        return max((metrics.horizontalAdvance(text) for _, text in self.numbers()), default=0)

    def margin(self, _height: int = 0) -> int:
        """Return the size in pixels of the margin on the right and at the bottom."""
        return 0

    def paint_beside(self, painter: QPainter, area: QRectF) -> None:
        """Paint into the margins.

        Args:
            painter: The painter.
            area: Rectangle of the cells.
        """

    def paint_under(self, painter: QPainter, area: QRectF) -> None:
        """Paint the background of transparent cells.

        Args:
            painter: The painter.
            area: Rectangle of the cells.
        """

    # Common to all heat maps.

    def set_cells(
        self, rows: Sequence[str], columns: Sequence[str], titles: tuple[str, str]
    ) -> None:
        """Show other cells.

        Args:
            rows: Names of the rows.
            columns: Names of the columns.
            titles: Titles of rows and columns.
        """
        if (list(rows), list(columns)) != (list(self.rows), list(self.columns)):
            self._current = self._under = None
        self.rows, self.columns, self.titles = rows, columns, titles
        self.redraw()

    def current(self) -> Cell | None:
        """Return the chosen cell."""
        return self._current

    def set_current(self, cell: Cell | None) -> None:
        """Mark a cell as chosen."""
        self._current = cell
        self.update()

    def under(self) -> Cell | None:
        """Return the cell under the pointer or reached by keys."""
        return self._under

    def area(self) -> QRectF:
        """Return the rectangle of the cells."""
        return self.room(self.size()).area

    def cell_rect(self, cell: Cell) -> QRectF:
        """Return the rectangle of a cell."""
        area, row = self.area(), self._from_top(cell[0])
        width = area.width() / max(1, len(self.columns))
        height = area.height() / max(1, len(self.rows))
        return QRectF(area.left() + cell[1] * width, area.top() + row * height, width, height)

    def cell_at(self, point: QPointF) -> Cell | None:
        """Return the cell at a point of the widget."""
        area = self.area()
        if not area.contains(point) or not self.rows or not self.columns:
            return None
        row = int((point.y() - area.top()) / area.height() * len(self.rows))
        column = int((point.x() - area.left()) / area.width() * len(self.columns))
        return self._from_top(min(row, len(self.rows) - 1)), min(column, len(self.columns) - 1)

    def last_cell(self) -> Cell:
        """Return the last row and column that keys reach."""
        return len(self.rows) - 1, len(self.columns) - 1

    def room(self, size: QSize, margin: int | None = None) -> HeatMapLayout:
        """Return the layout for a size, with names if the cells stay large enough.

        Args:
            size: Size of the widget.
            margin: Width of the margins in pixels; None for the current one.
        """
        free = self.margin() if margin is None else margin
        size = size - QSize(free, free)
        metrics = self.fontMetrics()
        line = metrics.height()
        side = min(_widest(metrics, self.rows), _LONGEST, size.width() // 3)
        longest = min(_widest(metrics, self.columns), _LONGEST, size.width() // 3)
        turned = min(longest, size.height() // 3)
        for foot, upright in ((line, True), (turned, False), (0, False)):
            area = self._fitted(size, side + line + SPACE.s, foot + line + SPACE.xs)
            width = area.width() / max(1, len(self.columns))
            height = area.height() / max(1, len(self.rows))
            is_wide = not upright or longest + SPACE.xs <= width
            if min(width, height) >= _NAMED and is_wide:
                return HeatMapLayout(area, side, foot, upright)
        area = self._fitted(size, line + SPACE.xs, line + SPACE.xs)
        return HeatMapLayout(area, 0, 0, upright=False)

    def redraw(self) -> None:
        """Paint again from the data."""
        self._picture = QPixmap()
        self.update()

    def point_at(self, cell: Cell | None) -> None:
        """Mark the cell under the pointer."""
        if cell != self._under:
            self._under = cell
            self.hovered.emit(cell)
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Paint in another size."""
        super().resizeEvent(event)
        self.redraw()

    def changeEvent(self, event: QEvent) -> None:
        """Paint with another font or language."""
        super().changeEvent(event)
        self.redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report what is under the pointer."""
        self.point_at(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Report that nothing is under the pointer."""
        super().leaveEvent(event)
        self.point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self._choose(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between cells with arrow keys, choose with Return."""
        key = Qt.Key(event.key())
        at = self._current if self.keys_choose else self._under
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and at is not None:
            self._choose(at)
            return
        move = _MOVES.get(key)
        if move is None or not self.rows or not self.columns:
            super().keyPressEvent(event)
            return
        cell, last = (0, 0), self.last_cell()
        if at is not None:
            down = -move[0] if self.from_below else move[0]
            cell = min(max(at[0] + down, 0), last[0]), min(max(at[1] + move[1], 0), last[1])
        if cell == (len(self.rows), len(self.columns)):
            return  # the corner between the margins is empty
        if self.keys_choose:
            self._choose(cell)
        else:
            self.point_at(cell)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the stored picture and the marks on top."""
        if not self.rows or not self.columns:
            return
        painter = QPainter(self)
        if painter.paintEngine().type() in VECTORS:
            self._paint_all(painter, 1.0, as_shapes=True)
        else:
            ratio = abs(painter.deviceTransform().m11()) or 1.0
            if self._picture.isNull() or self._picture.devicePixelRatio() != ratio:
                self._picture = self._painted(ratio)
            painter.drawPixmap(0, 0, self._picture)
        palette = self.theme.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for cell, color in ((self._under, palette.outline), (self._current, palette.text)):
            if cell is not None:
                painter.setPen(QPen(QColor(color), 2))
                mark = self.cell_rect(cell)
                wide, high = (max(0.0, 5 - side) / 2 for side in (mark.width(), mark.height()))
                painter.drawRect(mark.adjusted(-wide, -high, wide, high))
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _choose(self, cell: Cell) -> None:
        self.set_current(cell)
        self.chosen.emit(cell)

    def _from_top(self, row: int) -> int:
        return len(self.rows) - 1 - row if self.from_below else row

    def _fitted(self, size: QSize, side: float, foot: float) -> QRectF:
        """Return the rectangle of the cells next to the names."""
        width, height = size.width() - side - 1.0, size.height() - foot - 1.0
        if self.is_square:
            width = height = min(width, height)
        sides = []
        for length, number in ((width, len(self.columns)), (height, len(self.rows))):
            even = length if not length > number > 0 else float(int(length) // number * number)
            sides.append(max(1.0, even))  # cells of equal size
        top = size.height() - foot - sides[1] if self.from_below else foot
        return QRectF(side, top, *sides)

    def _painted(self, ratio: float) -> QPixmap:
        """Return everything but the marks; stored, as thousands of cells take long."""
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self._paint_all(painter, ratio)
        painter.end()
        return picture

    def _paint_all(self, painter: QPainter, ratio: float, *, as_shapes: bool = False) -> None:
        room = self.room(self.size())
        area, palette = room.area, self.theme.palette
        painter.setFont(self.font())
        self.paint_under(painter, area)
        image = self.image(max(1, int(area.width() * ratio)))
        if as_shapes and image.width() * image.height() <= _MOST_SHAPES:
            _paint_shapes(painter, area, image)
        elif as_shapes:
            painter.drawImage(area.topLeft(), image.scaled(area.size().toSize()))
        else:
            painter.drawImage(area, image)
        if self.has_gaps:
            painter.setPen(QColor(palette.surface))
            for row in range(1, len(self.rows)):
                y = area.top() + row * area.height() / len(self.rows)
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            for column in range(1, len(self.columns)):
                x = area.left() + column * area.width() / len(self.columns)
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(QColor(palette.border))
        painter.drawRect(area)
        self._paint_names(painter, room)
        self._paint_numbers(painter, area, image)
        self.paint_beside(painter, area)

    def _paint_numbers(self, painter: QPainter, area: QRectF, image: QImage) -> None:
        width, height = area.width() / len(self.columns), area.height() / len(self.rows)
        metrics, palette = painter.fontMetrics(), self.theme.palette
        if width < self.widest_number(metrics) + SPACE.xs or height < metrics.height():
            return
        for (row, column), text in self.numbers():
            top = self._from_top(row)
            color = QColor(image.pixel(column, top)).name()
            ink = max((palette.text, palette.surface), key=lambda each: contrast(each, color))
            painter.setPen(QColor(ink))
            box = QRectF(area.left() + column * width, area.top() + top * height, width, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_names(self, painter: QPainter, room: HeatMapLayout) -> None:
        area, line = room.area, painter.fontMetrics().height()
        width, height = area.width() / len(self.columns), area.height() / len(self.rows)
        painter.setPen(QColor(self.theme.palette.text))
        for row, name in enumerate(self.rows if room.side else ()):
            top = area.top() + self._from_top(row) * height
            box = QRectF(line + SPACE.xs, top, room.side, height)
            painter.drawText(box, _RIGHT | TAILS, _elided(painter, name, room.side))
        for column, name in enumerate(self.columns if room.foot else ()):
            left = area.left() + column * width
            if room.upright:
                top = area.bottom() + 2 if self.from_below else area.top() - line - 2
                painter.drawText(QRectF(left, top, width, line), _CENTER | TAILS, name)
                continue
            start = area.bottom() + SPACE.xs + room.foot if self.from_below else area.top()
            self._paint_turned(
                painter,
                QPointF(left, start - (0 if self.from_below else SPACE.xs)),
                QRectF(0, 0, room.foot, width),
                (_RIGHT if self.from_below else _LEFT) | TAILS,
                name,
            )
        painter.setPen(QColor(self.theme.palette.muted))
        top = self.height() - self.margin() - line if self.from_below else 0
        across = QRectF(area.left(), top, area.width(), line)
        align = _CENTER if self.from_below else _LEFT
        painter.drawText(across, align, _elided(painter, self.titles[1], area.width()))
        turned = QRectF(0, 0, area.height(), line)
        self._paint_turned(painter, QPointF(0, area.bottom()), turned, _RIGHT, self.titles[0])

    def _paint_turned(
        self, painter: QPainter, start: QPointF, box: QRectF, align: int, text: str
    ) -> None:
        painter.save()
        painter.translate(start)
        painter.rotate(-90)
        painter.drawText(box, align, _elided(painter, text, box.width()))
        painter.restore()


def _widest(metrics: QFontMetrics, names: Sequence[str]) -> int:
    # Of thousands of names none is shown.
    return max((metrics.horizontalAdvance(name) for name in names[:100]), default=0)


def _elided(painter: QPainter, name: str, width: float) -> str:
    return elided(painter.fontMetrics(), name, width)


def _paint_shapes(painter: QPainter, area: QRectF, image: QImage) -> None:
    """Paint each pixel of an image as a rectangle."""
    width, height = area.width() / image.width(), area.height() / image.height()
    for row in range(image.height()):
        for column in range(image.width()):
            box = QRectF(area.left() + column * width, area.top() + row * height, width, height)
            painter.fillRect(box, image.pixelColor(column, row))
