"""What a model answers, a line for each class, label or value: bars with figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent

_BAR = 8
_ROW = 44
_SMALL_BAR = 4
_SMALL_ROW = 28


@dataclass(frozen=True, slots=True)
class BarLine:
    """A line.

    Attributes:
        name: Of a class, label or quantity.
        text: Its figure.
        share: Length of its bar, 0 to 1; None for no bar.
        mark: Where a tick stands on the bar, 0 to 1; None for none.
        is_strong: True for what is answered; the others are fainter.
    """

    name: str
    text: str
    share: float | None = None
    mark: float | None = None
    is_strong: bool = False


class ScoreBars(QWidget):
    """One row per class, label or value; what is answered has the accent color.

    Drawn at once and not animated: a number that is still moving cannot be read.
    """

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, is_small: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row = _SMALL_ROW if is_small else _ROW
        self._bar = _SMALL_BAR if is_small else _BAR
        self._lines: list[BarLine] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self._describe()

    def set_scores(self, scores: Sequence[tuple[str, float]]) -> None:
        """Show classes and their probabilities (0 to 1), the most likely first."""
        self.set_lines(
            [
                BarLine(name, percent(score), score, is_strong=place == 0)
                for place, (name, score) in enumerate(scores)
            ]
        )

    def set_lines(self, lines: Sequence[BarLine]) -> None:
        """Show lines in the order given."""
        self._lines = list(lines)
        self._describe()
        self.updateGeometry()
        self.update()

    @property
    def row_height(self) -> int:
        """Pixels from one class to the next."""
        return self._row

    def scores(self) -> list[tuple[str, float]]:
        """Return the names and lengths of the bars that are shown."""
        return [(line.name, line.share) for line in self._lines if line.share is not None]

    def lines(self) -> list[BarLine]:
        """Return what is shown."""
        return list(self._lines)

    def sizeHint(self) -> QSize:
        """A row per class."""
        return QSize(260, self._row * max(1, len(self._lines)))

    def minimumSizeHint(self) -> QSize:
        """Narrow, but all rows."""
        return QSize(160, self._row * max(1, len(self._lines)))

    def changeEvent(self, event: QEvent) -> None:
        """Another language, another sentence for the screen reader."""
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint all rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, line in enumerate(self._lines):
            self._paint_row(painter, QRect(0, place * self._row, self.width(), self._row), line)
        painter.end()

    def _paint_row(self, painter: QPainter, row: QRect, shown: BarLine) -> None:
        palette = self._theme.palette
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold if shown.is_strong else QFont.Weight.Normal)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        gap = (self._row - metrics.height() - self._bar) // 3
        line = QRect(row.x(), row.y() + min(gap, SPACE.xs), row.width(), metrics.height())
        painter.setPen(QColor(palette.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, shown.text)
        room = line.width() - metrics.horizontalAdvance(shown.text) - SPACE.m
        name = elided(metrics, shown.name, room)
        painter.drawText(line.left(), line.top() + metrics.ascent(), name)
        if shown.share is None:
            return
        track = QRectF(row.x(), line.bottom() + min(gap, SPACE.xs) + 1, row.width(), self._bar)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.pressed))
        painter.drawRoundedRect(track, self._bar / 2, self._bar / 2)
        share = min(1.0, max(0.0, shown.share))
        if share > 0:
            # Clipped to the track, so that one percent is a sliver and not a dot.
            shape = QPainterPath()
            shape.addRoundedRect(track, self._bar / 2, self._bar / 2)
            painter.save()
            painter.setClipPath(shape)
            filled = QRectF(track)
            filled.setWidth(max(2.0, track.width() * share))
            faint = mix(palette.muted, palette.accent, 0.35)
            painter.fillRect(filled, QColor(palette.accent if shown.is_strong else faint))
            painter.restore()
        if shown.mark is not None:
            at = track.left() + track.width() * min(1.0, max(0.0, shown.mark))
            painter.fillRect(
                QRectF(at - 1, track.top() - 2, 2, self._bar + 4), QColor(palette.text)
            )

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Answer of the model"))
        text = ", ".join(f"{line.name} {line.text}" for line in self._lines)
        self.setAccessibleDescription(text)
        self.setToolTip("\n".join(f"{line.name}: {line.text}" for line in self._lines))
