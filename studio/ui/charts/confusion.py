"""Confusion matrix from two classes to thousands, with recall and precision as bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.chart import Chart
from studio.ui.charts.heat_map import Cell, HeatMapChart
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.ui.charts.colors import RowFractions
    from studio.ui.charts.table import DataTable

_tr = partial(QCoreApplication.translate, "ConfusionView")

_LENGTH = 36
"""Length of a full bar in pixels."""
_WRONG = 0.5
"""Strength of the color of the missing part of a bar."""
_LEAST = 240
"""Least size of a widget with bars, in pixels."""
_THICK = 10
_APART = 6
"""Least size of a row with space between bars, in pixels."""
_NO_LIMIT = 16_777_215


@dataclass(frozen=True, slots=True)
class MarginShare:
    """Value of a bar.

    Attributes:
        value: Fraction, 0 to 1.
        images: Number of images it was computed on; no bar if 0.
        interval: Confidence interval, or None.
    """

    value: float
    images: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Margins:
    """Bars of the shown classes, in the order of the matrix.

    Attributes:
        recall: Recall of the true classes, (C,).
        precision: Precision of the predicted classes, (C,).
    """

    recall: Sequence[MarginShare]
    precision: Sequence[MarginShare]

    def describe(self, names: Sequence[str], cell: Cell) -> str:
        """Describe a bar of the margins.

        Args:
            names: Names of the classes.
            cell: Position of the bar, one past the last column or row.
        """
        row, column = cell
        if row < len(self.recall):
            pattern = _tr("“{name}”: recall {share} of {images} images of the class")
            return _sentence(pattern, names[row], self.recall[row])
        pattern = _tr("“{name}”: precision {share} of {images} images predicted as it")
        return _sentence(pattern, names[column], self.precision[column])


class ConfusionMatrix(HeatMapChart):
    """Cells of a confusion matrix: true classes in rows, predicted classes in columns.

    Cells are colored by their fraction of the row. If cells are smaller than a pixel, the pointer
    finds the most frequent error in a pixel. With C classes, (row, C) is the bar of a row and
    (C, column) the bar of a column.

    Attributes:
        has_mistakes: False if cells off the diagonal are not errors, so that all have one color.

    Signals:
        width_changed: Largest useful width in pixels.
    """

    is_square = True
    keys_choose = True
    has_mistakes = True

    width_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.matrix: RowFractions | None = None
        self.margins: Margins | None = None
        self._image, self._image_key = QImage(), (0, "")
        self._in_percent = False
        self.setMinimumSize(QSize(140, 120))

    def set_matrix(
        self, matrix: RowFractions, names: Sequence[str], margins: Margins | None
    ) -> None:
        """Show a confusion matrix.

        Args:
            matrix: Counts and fractions, shape (C, C).
            names: Names of the C classes.
            margins: Bars of recall and precision; None for no bars.
        """
        self.matrix, self.margins = matrix, margins
        self._image_key = (0, "")
        self.set_cells(names, names, (_tr("True class"), _tr("Predicted class")))
        self._limit_width()

    def set_numbers(self, *, percent: bool) -> None:
        """Show percentages of the rows, or counts, in the cells."""
        self._in_percent = percent
        self.redraw()

    def image(self, most: int) -> QImage:
        """Return the colors, cached for the same blocks of cells and theme."""
        from studio.ui.charts.colors import matrix_image  # noqa: PLC0415 - NumPy

        palette = self.theme.palette
        key = -(-len(self.rows) // most), palette.name
        if key != self._image_key and self.matrix is not None:
            image = matrix_image(self.matrix, palette, most, has_mistakes=self.has_mistakes)
            self._image, self._image_key = image, key
        return self._image

    def numbers(self) -> Iterable[tuple[Cell, str]]:
        """Return the counts or percentages of the cells that are not empty."""
        if self.matrix is None:
            return
        counts, fractions = self.matrix.counts, self.matrix.fractions
        for cell in zip(*(each.tolist() for each in counts.nonzero()), strict=True):
            share = float(fractions[cell])
            yield cell, percent(share, 0) if self._in_percent else count(int(counts[cell]))

    def widest_number(self, metrics: QFontMetrics) -> float:
        """Return the width of the widest number, in pixels."""
        most = 0 if self.matrix is None else int(self.matrix.counts.max(initial=0))
        return metrics.horizontalAdvance(percent(1.0, 0) if self._in_percent else count(most))

    def cell_rect(self, cell: Cell) -> QRectF:
        """Return the rectangle of a cell or a bar."""
        if max(cell) == len(self.rows):
            return _bar_track(self.area(), cell, len(self.rows))
        return super().cell_rect(cell)

    def cell_at(self, point: QPointF) -> Cell | None:
        """Return the cell or bar at a point, the most important one of several."""
        area, classes = self.area(), len(self.rows)
        if self.matrix is None:
            return None
        rows = self._span(point.y() - area.top(), area.height())
        columns = self._span(point.x() - area.left(), area.width())
        if area.contains(point):
            return self.matrix.strongest(rows, columns)
        if self.margins is None or not self.margin():
            return None
        beside = QRectF(area.right() + SPACE.xs, area.top(), _LENGTH, area.height())
        if beside.contains(point):
            return weakest(self.margins.recall, rows), classes
        below = QRectF(area.left(), area.bottom() + SPACE.xs, area.width(), _LENGTH)
        if below.contains(point):
            return classes, weakest(self.margins.precision, columns)
        return None

    def last_cell(self) -> Cell:
        """Return the last row and column that keys reach, including bars."""
        last = len(self.rows) if self.margin() else len(self.rows) - 1
        return last, last

    def margin(self, height: int = 0) -> int:
        """Return the size in pixels of the bars, for a height or the current one."""
        if self.margins is None:
            return 0
        least = height or min(self.width(), self.height())
        return _LENGTH + self.fontMetrics().height() + 2 * SPACE.xs if least >= _LEAST else 0

    def sizeHint(self) -> QSize:
        """Return a square."""
        return QSize(320, 320)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Limit the width to that of the square and the names."""
        super().resizeEvent(event)
        self._limit_width()

    def paint_beside(self, painter: QPainter, area: QRectF) -> None:
        """Paint the bars of rows and columns; see `HeatMapChart.paint_beside`."""
        if self.margins is None or not self.margin():
            return
        line = painter.fontMetrics().height()
        _paint_bars(painter, area, self.margins.recall, self.theme, of_rows=True)
        _paint_bars(painter, area, self.margins.precision, self.theme, of_rows=False)
        painter.setPen(QColor(self.theme.palette.muted))
        away = SPACE.xs + _LENGTH + SPACE.xs
        across = QRect(int(area.left()), int(area.bottom() + away), int(area.width()), line)
        painter.drawText(across, Qt.AlignmentFlag.AlignLeft, _tr("Precision"))
        painter.save()
        painter.translate(area.right() + away, area.bottom())
        painter.rotate(-90)
        up = QRect(0, 0, int(area.height()), line)
        painter.drawText(up, Qt.AlignmentFlag.AlignRight, _tr("Recall"))
        painter.restore()

    def _span(self, at: float, length: float) -> slice:
        """Return the classes that share a pixel."""
        classes = len(self.rows)
        first = min(max(0, int(at * classes / length)), classes - 1)
        last = first + 1 if classes <= length else int((at + 1) * classes / length)
        return slice(first, min(max(first + 1, last), classes))

    def _limit_width(self) -> None:
        margin = self.margin(self.height())
        room = self.room(QSize(4 * self.height(), self.height()), margin)
        self.width_changed.emit(int(room.area.right()) + margin + 2)


class ConfusionChart(Chart):
    """Confusion matrix with table, export and summary.

    Signals:
        described: Description of the cell under the pointer, else of the chosen one, or empty.
        chosen: A cell was clicked or chosen by the keyboard.
    """

    described = Signal(str)
    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, _tr("Confusion matrix"), parent=parent)
        self._names: list[str] = []
        self._max_width = _NO_LIMIT
        self.plot = ConfusionMatrix(theme)
        self.set_plot(self.plot)
        self.legend.hide()
        self.plot.hovered.connect(self._describe_cell)
        self.plot.chosen.connect(self._on_chosen)
        # Queued: within the resizing that it follows from, the header would keep the old width.
        self.plot.width_changed.connect(self._limit_width, Qt.ConnectionType.QueuedConnection)
        self.bar.table_action.toggled.connect(self._on_table)

    def set_matrix(
        self,
        counts: NDArray[np.integer],
        names: Sequence[str],
        totals: NDArray[np.int64] | None = None,
        margins: Margins | None = None,
    ) -> None:
        """Show counts by true class (row) and predicted class (column).

        Args:
            counts: Number of images, (C, C).
            names: Names of the classes, (C,).
            totals: Images of each class if not the sums of the rows, (C,).
            margins: Bars beside the rows and below the columns, or None.
        """
        from studio.ui.charts.colors import RowFractions  # noqa: PLC0415 - NumPy

        self._names = list(names)
        self.plot.set_matrix(RowFractions.of(counts, totals), self._names, margins)
        self.update_texts()
        self._describe_cell()

    def counts(self) -> NDArray[np.integer] | None:
        """Return the shown counts, (C, C)."""
        return None if self.plot.matrix is None else self.plot.matrix.counts

    def set_current(self, cell: Cell | None) -> None:
        """Mark a cell."""
        self.plot.set_current(cell)
        self.description.write()
        self._describe_cell()

    def describe(self, cell: Cell) -> str:
        """Describe a cell in a sentence."""
        matrix = self.plot.matrix
        if matrix is None:
            return ""
        if self.plot.margins is not None and max(cell) == len(self._names):
            return self.plot.margins.describe(self._names, cell)
        truth, predicted = (apart(self._names[index]) for index in cell)
        pattern = (
            _tr("{number} of {whole} “{truth}” predicted correctly ({share})")
            if cell[0] == cell[1]
            else _tr("{number} of {whole} “{truth}” predicted as “{predicted}” ({share})")
        )
        return pattern.format(
            number=count(int(matrix.counts[cell])),
            whole=count(int(matrix.totals[cell[0]])),
            truth=truth,
            predicted=predicted,
            share=percent(float(matrix.fractions[cell])),
        )

    def data_table(self) -> DataTable:
        """Return the counts, true classes in rows, predicted classes in columns."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        from studio.ui.charts.table import DataColumn, DataTable  # noqa: PLC0415

        counts = self.counts()
        if counts is None:
            return DataTable()
        names = DataColumn(_tr("True \\ predicted"), self._names, key="true \\ predicted")
        columns = counts.T.astype(np.float64)
        cells = [
            DataColumn(name, values, count)
            for name, values in zip(self._names, columns, strict=True)
        ]
        return DataTable([names, *cells])

    def summary(self) -> str:
        """Describe the chosen cell, or the whole matrix."""
        cell = self.plot.current()
        return self.overview() if cell is None else self.describe(cell)

    def overview(self) -> str:
        """Return the accuracy and the most frequent error."""
        counts = self.counts()
        if counts is None or not self._names:
            return ""
        from studio.ui.charts.colors import most_confused  # noqa: PLC0415 - NumPy

        whole, right = int(counts.sum()), int(counts.trace())
        text = _tr("{right} of {whole} images in {classes} classes are correct.").format(
            right=count(right), whole=count(whole), classes=count(len(self._names))
        )
        worst = most_confused(counts)
        if worst is None:
            return text
        return _tr("{all} Most frequent error: {worst}.").format(
            all=text, worst=self.describe(worst)
        )

    def _describe_cell(self, under: Cell | None = None) -> None:
        cell = under or self.plot.current()
        self.described.emit("" if cell is None else self.describe(cell))

    def _on_chosen(self, cell: Cell) -> None:
        self.description.write()
        self._describe_cell()
        self.chosen.emit(cell)

    def _on_table(self, shown: bool) -> None:
        self.setMaximumWidth(_NO_LIMIT if shown else self._max_width)

    def _limit_width(self, width: int) -> None:
        self._max_width = max(width, self.bar.sizeHint().width())
        self._on_table(self.is_table_shown())


def weakest(fractions: Sequence[MarginShare], span: slice) -> int:
    """Return the index of the shortest bar.

    Args:
        fractions: All bars.
        span: Range of bars to compare.
    """
    indices = range(*span.indices(len(fractions)))
    known = [index for index in indices if fractions[index].images] or list(indices)
    return min(known, key=lambda index: fractions[index].value)


def _bar_track(area: QRectF, cell: Cell, classes: int) -> QRectF:
    """Return the track of the bar of a row (column `classes`) or column (row `classes`)."""
    row, column = cell
    size = area.width() / max(1, classes)
    if row < classes:
        return QRectF(area.right() + SPACE.xs, area.top() + row * size, _LENGTH, size)
    return QRectF(area.left() + column * size, area.bottom() + SPACE.xs, size, _LENGTH)


def _paint_bars(
    painter: QPainter,
    area: QRectF,
    fractions: Sequence[MarginShare],
    theme: Theme,
    *,
    of_rows: bool,
) -> None:
    if not fractions:
        return
    # As for the cells: with more classes than pixels, the weakest one represents a block.
    block = math.ceil(len(fractions) / max(1, int(area.width())))
    blocks = math.ceil(len(fractions) / block)
    palette = theme.palette
    right, wrong = QColor(palette.accent), QColor(mix(palette.surface, palette.bad, _WRONG))
    for index in range(blocks):
        share = fractions[weakest(fractions, slice(index * block, (index + 1) * block))]
        if not share.images:
            continue
        track = _bar_track(area, (index, blocks) if of_rows else (blocks, index), blocks)
        thick = track.height() if of_rows else track.width()
        inset = max(thick / 5, (thick - _THICK) / 2) if thick >= _APART else 0.0
        across, down = (0.0, inset) if of_rows else (inset, 0.0)
        track.adjust(across, down, -across, -down)
        painter.fillRect(track, wrong)
        # Rounded down, so that only a value of 1 fills the bar.
        length = float(int(_LENGTH * min(1.0, max(0.0, share.value))))
        if of_rows:
            track.setWidth(length)
        else:
            track.setHeight(length)
        painter.fillRect(track, right)


def _sentence(pattern: str, name: str, share: MarginShare) -> str:
    if not share.images:
        return _tr("“{name}”: no images").format(name=apart(name))
    value = percent(share.value)
    if share.interval is not None:
        low, high = share.interval
        span = f"{QLocale().toString(low * 100, 'f', 1)} – {percent(high)}"
        value = _tr("{value} (95 % interval {span})").format(value=value, span=span)
    return pattern.format(name=apart(name), share=value, images=count(share.images))
