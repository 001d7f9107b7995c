"""How often values of each size come, as bars."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, significant

_BARS = 44
_GAP = 1.0


class Histogram(QWidget):
    """Bars over a range, with its ends written below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: tuple[int, ...] = ()
        self._ends = (0.0, 0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Histogram"))
        theme.changed.connect(self.update)

    def show_counts(self, counts: Sequence[int], low: float, high: float) -> None:
        """Show how many values lie in each of the equal parts from `low` to `high`."""
        self._counts, self._ends = tuple(counts), (low, high)
        most = max(self._counts, default=0)
        self.setAccessibleDescription(
            self.tr("{total} values from {low} to {high}; the fullest bar holds {most}").format(
                total=count(sum(self._counts)),
                low=significant(low, 3),
                high=significant(high, 3),
                most=count(most),
            )
        )
        self.setToolTip(self.accessibleDescription())
        self.update()

    def sizeHint(self) -> QSize:
        """A strip."""
        return QSize(160, _BARS + self.fontMetrics().height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bars and the ends."""
        painter = QPainter(self)
        area = QRectF(0, 0, self.width(), _BARS)
        most = max(self._counts, default=0)
        wide = area.width() / max(1, len(self._counts))
        painter.fillRect(
            QRectF(0, area.bottom() - 1, area.width(), 1), self._theme.color("border")
        )
        for at, number in enumerate(self._counts):
            if number:
                # What is there is seen, however little it is beside the rest.
                tall = max(1.0, number / most * area.height())
                bar = QRectF(at * wide, area.bottom() - tall, max(1.0, wide - _GAP), tall)
                painter.fillRect(bar, self._theme.color("accent"))
        painter.setPen(self._theme.color("muted"))
        line = QRectF(0, area.bottom() + 2, self.width(), self.fontMetrics().height())
        for value, side in zip(
            self._ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True
        ):
            painter.drawText(line, int(side), significant(value, 3))
        painter.end()
