"""A confusion matrix that is looked at cell by cell, from two classes to thousands."""

from __future__ import annotations

import csv
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
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.charts.confusion_names import NameRoom, paint_names, room_for
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, contrast
from studio.ui.widgets.figures import count, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.ui.charts.confusion_colors import Shares

Cell = tuple[int, int]
"""True class and predicted class."""

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
        self._image = QImage()
        self._drawn = (0, "")
        self._in_percent = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(140, 120))
        self.setAccessibleName(self.tr("Confusion matrix"))
        theme.changed.connect(self.update)

    def set_matrix(
        self,
        counts: NDArray[np.int32],
        names: Sequence[str],
        totals: NDArray[np.int64] | None = None,
    ) -> None:
        """Show counts by true class (row) and predicted class (column), and the class names.

        Args:
            counts: C x C.
            names: C.
            totals: Images of each class where they are not the sums of the rows, C.
        """
        from studio.ui.charts.confusion_colors import Shares  # noqa: PLC0415 - NumPy

        self._matrix = Shares.of(counts, totals)
        if list(names) != self._names:
            self._names, self._current, self._under = list(names), None, None
        self._drawn = (0, "")
        self._describe()
        self.update()

    def counts(self) -> NDArray[np.int32] | None:
        """What is shown."""
        return None if self._matrix is None else self._matrix.counts

    def set_numbers(self, *, percent: bool) -> None:
        """Write shares of the rows, in percent, or counts into the cells."""
        self._in_percent = percent
        self.update()

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
        truth, predicted = (self._names[index] for index in cell)
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
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["true \\ predicted", *self._names])
        if self._matrix is not None:
            for name, row in zip(self._names, self._matrix.counts.tolist(), strict=True):
                writer.writerow([name, *row])
        return text.getvalue()

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell at a point of the widget, of several the commonest mistake."""
        area = self.area()
        if self._matrix is None or not area.contains(point):
            return None
        classes = len(self._names)
        spans = []
        for at, start, length in (
            (point.y(), area.top(), area.height()),
            (point.x(), area.left(), area.width()),
        ):
            first = int((at - start) * classes / length)
            last = max(first + 1, int((at + 1 - start) * classes / length))
            if classes <= length:
                last = first + 1
            spans.append(slice(min(first, classes - 1), min(last, classes)))
        return self._matrix.strongest(*spans)

    def area(self) -> QRectF:
        """Where the cells are."""
        return self._room().area

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell is."""
        area = self.area()
        size = area.width() / max(1, len(self._names))
        return QRectF(area.left() + cell[1] * size, area.top() + cell[0] * size, size, size)

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(320, 320)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take no more width than the square and the names beside it need."""
        super().resizeEvent(event)
        room = room_for(self._names, QSize(4 * self.height(), self.height()), self.fontMetrics())
        self.setMaximumWidth(int(room.area.right()) + 2)

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
        """Arrow keys go from cell to cell."""
        move = _MOVES.get(Qt.Key(event.key()))
        if move is None or not self._names:
            super().keyPressEvent(event)
            return
        row, column = self._current or (0, 0)
        last = len(self._names) - 1
        self._choose((min(max(row + move[0], 0), last), min(max(column + move[1], 0), last)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint cells, names and marks."""
        if self._matrix is None:
            return
        room, palette = self._room(), self._theme.palette
        area = room.area
        painter = QPainter(self)
        painter.drawImage(area, self._picture(area))
        painter.setPen(QColor(palette.border))
        painter.drawRect(area)
        paint_names(painter, room, self._names, self._theme, self.fontMetrics().height())
        self._paint_numbers(painter, area)
        for cell, color in ((self._under, palette.outline), (self._current, palette.text)):
            if cell is not None:
                painter.setPen(QPen(QColor(color), 2))
                mark = self.cell_rect(cell)
                grow = max(0.0, 5 - mark.width()) / 2
                painter.drawRect(mark.adjusted(-grow, -grow, grow, grow))
        painter.end()

    def _room(self) -> NameRoom:
        return room_for(self._names, self.size(), self.fontMetrics())

    def _picture(self, area: QRectF) -> QImage:
        from studio.ui.charts.confusion_colors import matrix_image  # noqa: PLC0415 - NumPy

        most = max(1, int(area.width() * self.devicePixelRatioF()))
        wanted = (most, self._theme.palette.name)
        if self._drawn != wanted and self._matrix is not None:
            self._image = matrix_image(self._matrix, self._theme.palette, most)
            self._drawn = wanted
        return self._image

    def _paint_numbers(self, painter: QPainter, area: QRectF) -> None:
        if self._matrix is None:
            return
        size = area.width() / len(self._names)
        palette, counts = self._theme.palette, self._matrix.counts
        longest = percent(1.0, 0) if self._in_percent else count(int(counts.max(initial=0)))
        widest = self.fontMetrics().horizontalAdvance(longest)
        if size < max(widest + SPACE.xs, self.fontMetrics().height()):
            return
        for row, column in zip(*counts.nonzero(), strict=True):
            ground = QColor(self._image.pixel(int(column), int(row))).name()
            ink = max((palette.text, palette.surface), key=lambda each: contrast(each, ground))
            painter.setPen(QColor(ink))
            text = (
                percent(float(self._matrix.shares[row, column]), 0)
                if self._in_percent
                else count(int(counts[row, column]))
            )
            cell = self.cell_rect((int(row), int(column)))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

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
