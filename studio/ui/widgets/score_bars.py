"""The classes that a model finds most likely, as bars with percentages."""

from __future__ import annotations

from collections.abc import Sequence

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


class ScoreBars(QWidget):
    """One row per class, the most likely on top and in the accent color.

    Drawn at once and not animated: a number that is still moving cannot be read.
    """

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, is_small: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row = _SMALL_ROW if is_small else _ROW
        self._bar = _SMALL_BAR if is_small else _BAR
        self._scores: list[tuple[str, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self._describe()

    def set_scores(self, scores: Sequence[tuple[str, float]]) -> None:
        """Show classes and their probabilities (0 to 1), in the order given."""
        self._scores = list(scores)
        self._describe()
        self.updateGeometry()
        self.update()

    @property
    def row_height(self) -> int:
        """Pixels from one class to the next."""
        return self._row

    def scores(self) -> list[tuple[str, float]]:
        """What is shown."""
        return list(self._scores)

    def sizeHint(self) -> QSize:
        """A row per class."""
        return QSize(260, self._row * max(1, len(self._scores)))

    def minimumSizeHint(self) -> QSize:
        """Narrow, but all rows."""
        return QSize(160, self._row * max(1, len(self._scores)))

    def changeEvent(self, event: QEvent) -> None:
        """Another language, another sentence for the screen reader."""
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint all rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, (name, score) in enumerate(self._scores):
            row = QRect(0, place * self._row, self.width(), self._row)
            self._paint_row(painter, row, name, score, first=place == 0)
        painter.end()

    def _paint_row(
        self, painter: QPainter, row: QRect, name: str, score: float, *, first: bool
    ) -> None:
        palette = self._theme.palette
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold if first else QFont.Weight.Normal)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        figure = percent(score)
        gap = (self._row - metrics.height() - self._bar) // 3
        line = QRect(row.x(), row.y() + min(gap, SPACE.xs), row.width(), metrics.height())
        painter.setPen(QColor(palette.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, figure)
        room = line.width() - metrics.horizontalAdvance(figure) - SPACE.m
        shown = elided(metrics, name, room)
        painter.drawText(line.left(), line.top() + metrics.ascent(), shown)
        track = QRectF(row.x(), line.bottom() + min(gap, SPACE.xs) + 1, row.width(), self._bar)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.pressed))
        painter.drawRoundedRect(track, self._bar / 2, self._bar / 2)
        share = min(1.0, max(0.0, score))
        if share > 0:
            # Clipped to the track, so that one percent is a sliver and not a dot.
            shape = QPainterPath()
            shape.addRoundedRect(track, self._bar / 2, self._bar / 2)
            painter.save()
            painter.setClipPath(shape)
            track.setWidth(max(2.0, track.width() * share))
            color = palette.accent if first else mix(palette.muted, palette.accent, 0.35)
            painter.fillRect(track, QColor(color))
            painter.restore()

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Most likely classes"))
        text = ", ".join(f"{name} {percent(score)}" for name, score in self._scores)
        self.setAccessibleDescription(text)
        self.setToolTip("\n".join(f"{name}: {percent(score, 2)}" for name, score in self._scores))
