"""A confusion matrix that is looked at cell by cell, from two classes to thousands."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
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

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.confusion_margins import (
    Margins,
    bar_track,
    is_beside,
    paint_margins,
    room_of,
    weakest,
)
from studio.ui.charts.confusion_names import NameRoom, paint_names, room_for
from studio.ui.charts.confusion_numbers import paint_numbers
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.names import apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.ui.charts.confusion_colors import Shares

Cell = tuple[int, int]
"""True class and predicted class; of C classes, (row, C) is the bar of a row and (C, column) that
of a column."""

_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class ConfusionView(QWidget):
    """Rows are true classes, columns predicted ones; cells are colored by the share of their row.

    Where cells are smaller than a pixel, several share one; pointing there finds the mistake among
    them that is the most frequent.

    Signals:
        hovered: The cell under the pointer, a pair (true class, predicted class), or None.
        chosen: A cell was clicked, or reached by the keyboard.
    """

    hovered = Signal(object)
    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._matrix: Shares | None = None
        self._names: list[str] = []
        self._current: Cell | None = None
        self._under: Cell | None = None
        self._margins: Margins | None = None
        self._picture = QPixmap()
        self._cells, self._cells_look = QImage(), (0, "")
        self._in_percent = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(140, 120))
        self.setAccessibleName(self.tr("Confusion matrix"))
        theme.changed.connect(self._redraw)

    def set_matrix(
        self,
        counts: NDArray[np.int32],
        names: Sequence[str],
        totals: NDArray[np.int64] | None = None,
        margins: Margins | None = None,
    ) -> None:
        """Show counts by true class (row) and predicted class (column), and the class names.

        Args:
            counts: C x C.
            names: C.
            totals: Images of each class where they are not the sums of the rows, C.
            margins: Bars beside the rows and below the columns, or None for none.
        """
        from studio.ui.charts.confusion_colors import Shares  # noqa: PLC0415 - NumPy

        self._matrix = Shares.of(counts, totals)
        if list(names) != self._names:
            self._names, self._current, self._under = list(names), None, None
        self._margins = margins
        self._cells_look = (0, "")
        self._limit_width()
        self._describe()
        self._redraw()

    def counts(self) -> NDArray[np.int32] | None:
        """What is shown."""
        return None if self._matrix is None else self._matrix.counts

    def set_numbers(self, *, percent: bool) -> None:
        """Write shares of the rows, in percent, or counts into the cells."""
        self._in_percent = percent
        self._redraw()

    def current(self) -> Cell | None:
        """The chosen cell."""
        return self._current

    def set_current(self, cell: Cell | None) -> None:
        """Mark a cell; tells nobody."""
        self._current = cell
        self._describe()
        self.update()

    def describe(self, cell: Cell) -> str:
        """A cell in a sentence."""
        if self._matrix is None:
            return ""
        if self._margins is not None and max(cell) == len(self._names):
            return self._margins.describe(self._names, cell)
        truth, predicted = (apart(self._names[index]) for index in cell)
        number = int(self._matrix.counts[cell])
        share = percent(float(self._matrix.shares[cell]))
        whole = count(int(self._matrix.totals[cell[0]]))
        pattern = (
            self.tr("{number} of {whole} “{truth}” recognized ({share})")
            if cell[0] == cell[1]
            else self.tr("{number} of {whole} “{truth}” taken for “{predicted}” ({share})")
        )
        return pattern.format(
            number=count(number), whole=whole, truth=truth, predicted=predicted, share=share
        )

    def csv_text(self) -> str:
        """The counts as comma-separated values, true classes down, predicted classes across."""
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow(["true \\ predicted", *self._names])
        if self._matrix is not None:
            for name, row in zip(self._names, self._matrix.counts.tolist(), strict=True):
                writer.writerow([name, *row])
        return text.getvalue()

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell or bar at a point of the widget, of several the one to look at."""
        area, classes = self.area(), len(self._names)
        if self._matrix is None:
            return None
        rows = self._span(point.y() - area.top(), area.height())
        columns = self._span(point.x() - area.left(), area.width())
        if area.contains(point):
            return self._matrix.strongest(rows, columns)
        if self._margins is not None and self._margin():
            beside, below = is_beside(area, point)
            if beside:
                return weakest(self._margins.recall, rows), classes
            if below:
                return classes, weakest(self._margins.precision, columns)
        return None

    def area(self) -> QRectF:
        """Where the cells are."""
        return self._room().area

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell or a bar is."""
        area, classes = self.area(), len(self._names)
        if max(cell) == classes:
            return bar_track(area, cell, classes)
        size = area.width() / max(1, classes)
        return QRectF(area.left() + cell[1] * size, area.top() + cell[0] * size, size, size)

    def _span(self, at: float, length: float) -> slice:
        """The classes that share a pixel."""
        classes = len(self._names)
        first = min(max(0, int(at * classes / length)), classes - 1)
        last = first + 1 if classes <= length else int((at + 1) * classes / length)
        return slice(first, min(max(first + 1, last), classes))

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(320, 320)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take no more width than the square and the names beside it need."""
        super().resizeEvent(event)
        self._limit_width()
        self._redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the pointer."""
        self._point_at(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self._choose(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys go from cell to cell, and behind the last to the bar."""
        move = _MOVES.get(Qt.Key(event.key()))
        if move is None or not self._names:
            super().keyPressEvent(event)
            return
        row, column = self._current or (0, 0)
        classes = len(self._names)
        last = classes if self._margins is not None and self._margin() else classes - 1
        cell = (min(max(row + move[0], 0), last), min(max(column + move[1], 0), last))
        if cell != (classes, classes):  # there is nothing in the corner
            self._choose(cell)

    def changeEvent(self, event: QEvent) -> None:
        """Another font or language, another picture."""
        super().changeEvent(event)
        self._redraw()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what was drawn before, and the marks over it."""
        if self._matrix is None:
            return
        ratio = self.devicePixelRatioF()
        if self._picture.isNull() or self._picture.devicePixelRatio() != ratio:
            self._picture = self._drawn(self._matrix, ratio)
        palette = self._theme.palette
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        for cell, color in ((self._under, palette.outline), (self._current, palette.text)):
            if cell is not None:
                painter.setPen(QPen(QColor(color), 2))
                mark = self.cell_rect(cell)
                wide, high = (max(0.0, 5 - side) / 2 for side in (mark.width(), mark.height()))
                painter.drawRect(mark.adjusted(-wide, -high, wide, high))
        painter.end()

    def _redraw(self) -> None:
        self._picture = QPixmap()
        self.update()

    def _drawn(self, matrix: Shares, ratio: float) -> QPixmap:
        """All but the marks, kept for the next time: drawing thousands of cells takes long."""
        from studio.ui.charts.confusion_colors import matrix_image  # noqa: PLC0415 - NumPy

        room, palette = self._room(), self._theme.palette
        area = room.area
        most = max(1, int(area.width() * ratio))
        # Other sizes have the same blocks of cells, as long as no more or fewer share a pixel.
        look = -(-len(self._names) // most), palette.name
        if look != self._cells_look:
            self._cells, self._cells_look = matrix_image(matrix, palette, most), look
        cells = self._cells
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setFont(self.font())
        painter.drawImage(area, cells)
        painter.setPen(QColor(palette.border))
        painter.drawRect(area)
        paint_names(painter, room, self._names, self._theme, self.fontMetrics().height())
        paint_numbers(painter, area, matrix, cells, palette, in_percent=self._in_percent)
        if self._margins is not None and self._margin():
            paint_margins(painter, area, self._margins, self._theme)
        painter.end()
        return picture

    def _margin(self) -> int:
        """Pixels that the bars take at the right and at the bottom."""
        if self._margins is None:
            return 0
        return room_of(self.width(), self.height(), self.fontMetrics().height())

    def _room(self) -> NameRoom:
        return room_for(self._names, self.size(), self.fontMetrics(), self._margin())

    def _limit_width(self) -> None:
        """Take no more width than the square and what is beside it need."""
        margin = (
            0
            if self._margins is None
            else room_of(self.height(), self.height(), self.fontMetrics().height())
        )
        most = QSize(4 * self.height(), self.height())
        room = room_for(self._names, most, self.fontMetrics(), margin)
        self.setMaximumWidth(int(room.area.right()) + margin + 2)

    def _point_at(self, cell: Cell | None) -> None:
        if cell != self._under:
            self._under = cell
            self.hovered.emit(cell)
            self.update()

    def _choose(self, cell: Cell) -> None:
        self.set_current(cell)
        self.chosen.emit(cell)

    def _describe(self) -> None:
        cell = self._current
        self.setAccessibleDescription(self._summary() if cell is None else self.describe(cell))

    def _summary(self) -> str:
        """All of it in two sentences, for who goes through no cells."""
        if self._matrix is None or not self._names:
            return ""
        from studio.ui.charts.confusion_colors import most_confused  # noqa: PLC0415 - NumPy

        counts = self._matrix.counts
        whole, right = int(counts.sum()), int(counts.trace())
        text = self.tr("{right} of {whole} images in {classes} classes recognized.").format(
            right=count(right), whole=count(whole), classes=count(len(self._names))
        )
        worst = most_confused(counts)
        if worst is None:
            return text
        return self.tr("{all} The commonest mistake: {worst}.").format(
            all=text, worst=self.describe(worst)
        )
