"""The answers for a video along its time: a strip in the colors of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLocale, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.engine.inference.questions import Prediction
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE, chart_color
from studio.ui.widgets.figures import percent

_STRIP: Final = 24
_SWATCH: Final = 10
_COLORS: Final = 6
"""Classes with a color of their own; the rest is gray."""
_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class Timeline(QWidget):
    """Click, drag or the arrow keys choose a frame.

    Signals:
        chosen: The number of the frame.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._times: tuple[float, ...] = ()
        self._answers: list[tuple[str, float]] = []
        self._current = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Answers along the video"))
        theme.changed.connect(self.update)

    def show_answers(
        self, times: Sequence[float], predictions: Sequence[Prediction], current: int
    ) -> None:
        """Show the answers so far for frames at these seconds; `current` is the one shown."""
        self._times = tuple(times)
        self._answers = [
            (each.scores[0].label, each.scores[0].score) if each.scores else ("", 0.0)
            for each in predictions
        ]
        self._current = current
        self.setAccessibleDescription(self.words(current))
        self.update()

    def classes(self) -> list[str]:
        """The classes in the strip, the most frequent first."""
        counts: dict[str, int] = {}
        for label, _ in self._answers:
            if label:
                counts[label] = counts.get(label, 0) + 1
        return sorted(counts, key=lambda label: -counts[label])

    def words(self, frame: int) -> str:
        """A frame in words: its second and its answer."""
        if frame >= len(self._times):
            return ""
        time = self.tr("{seconds} s").format(
            seconds=QLocale().toString(self._times[frame], "f", 1)
        )
        if frame >= len(self._answers) or not self._answers[frame][0]:
            return time
        label, score = self._answers[frame]
        return f"{time}: {label} · {percent(score)}"

    def sizeHint(self) -> QSize:
        """A strip, and a line with the names of the classes."""
        return QSize(240, _STRIP + SPACE.s + self.fontMetrics().height() + SPACE.xs)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint strip, mark and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strip = QRectF(0, 0, self.width(), _STRIP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.palette.pressed))
        painter.drawRoundedRect(strip, RADIUS.control / 2, RADIUS.control / 2)
        colors = self._colors()
        for frame, (label, score) in enumerate(self._answers):
            if label:
                color = QColor(colors[label])
                color.setAlphaF(0.25 + 0.75 * min(1.0, score))
                painter.fillRect(self._span(frame), color)
        mark = self._span(self._current)
        painter.setPen(QColor(self._theme.palette.text))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(mark.adjusted(0.5, 0.5, -0.5, -0.5))
        self._paint_names(painter, colors)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the frame under the mouse."""
        self._choose(self._frame_at(event.position().toPoint()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose while the button is held; otherwise say what is under the mouse."""
        frame = self._frame_at(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(frame)
        else:
            QToolTip.showText(event.globalPosition().toPoint(), self.words(frame), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right step through the frames."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._current + step)

    def _choose(self, frame: int) -> None:
        wanted = max(0, min(len(self._times) - 1, frame))
        if self._times and wanted != self._current:
            self.chosen.emit(wanted)

    def _frame_at(self, point: QPoint) -> int:
        return int(point.x() / max(1, self.width()) * len(self._times))

    def _span(self, frame: int) -> QRectF:
        width = self.width() / max(1, len(self._times))
        return QRectF(frame * width, 0, max(1.0, width), _STRIP)

    def _colors(self) -> dict[str, str]:
        return {
            label: chart_color(place, dark=self._theme.is_dark)
            if place < _COLORS
            else self._theme.palette.muted
            for place, label in enumerate(self.classes())
        }

    def _paint_names(self, painter: QPainter, colors: dict[str, str]) -> None:
        metrics, left = self.fontMetrics(), 0
        top = _STRIP + SPACE.s
        for label in list(colors)[:_COLORS]:
            width = _SWATCH + SPACE.xs + metrics.horizontalAdvance(label)
            if left + width > self.width():
                break
            swatch = QRect(left, top + (metrics.height() - _SWATCH) // 2, _SWATCH, _SWATCH)
            painter.fillRect(swatch, QColor(colors[label]))
            painter.setPen(QColor(self._theme.palette.muted))
            painter.drawText(left + _SWATCH + SPACE.xs, top + metrics.ascent(), label)
            left += width + SPACE.m
