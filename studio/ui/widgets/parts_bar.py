"""The parts of a whole as one bar, with their names and shares below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.figures import percent

_HEIGHT = 12
_DOT = 10


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part: its word, its share from 0 to 1, and the number of its color."""

    word: str
    share: float
    color_index: int


class PartsBar(QWidget):
    """A stacked bar, and a legend that says every share in figures."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bar = _Bar(theme, self)
        self._legend = QHBoxLayout()
        self._legend.setSpacing(SPACE.l)
        self._entries: list[_Entry] = []
        self._parts: list[BarPart] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self._bar)
        column.addLayout(self._legend)
        self._legend.addStretch(1)
        self.setAccessibleName(name)

    def set_parts(self, parts: Sequence[BarPart]) -> None:
        """Show these parts, from left to right."""
        self._parts = list(parts)
        while len(self._entries) < len(self._parts):
            entry = _Entry(self._theme, self)
            self._legend.insertWidget(len(self._entries), entry)
            self._entries.append(entry)
        for place, entry in enumerate(self._entries):
            entry.setVisible(place < len(self._parts))
            if place < len(self._parts):
                entry.show_part(self._parts[place])
        self._bar.set_parts(self._parts)
        words = ", ".join(f"{part.word} {percent(part.share, 0)}" for part in self._parts)
        self.setAccessibleDescription(words)

    def parts(self) -> list[BarPart]:
        """What is shown."""
        return list(self._parts)


class _Bar(QWidget):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: list[BarPart] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_parts(self, parts: list[BarPart]) -> None:
        self._parts = parts
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect())
        shape = QPainterPath()
        shape.addRoundedRect(area, _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(shape)
        painter.fillRect(area, QColor(self._theme.palette.pressed))
        left = 0.0
        for part in self._parts:
            width = area.width() * part.share
            if width > 0:
                color = QColor(chart_color(part.color_index, dark=self._theme.is_dark))
                # One pixel of ground between two parts.
                painter.fillRect(QRectF(left, 0, max(1.0, width - 1), _HEIGHT), color)
            left += width
        painter.end()


class _Entry(QWidget):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._dot = _Dot(theme, self)
        self._label = QLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.xs)
        row.addWidget(self._dot)
        row.addWidget(self._label)

    def show_part(self, part: BarPart) -> None:
        self._dot.set_color(part.color_index)
        self._label.setText(f"{part.word} {percent(part.share, 0)}")


class _Dot(QWidget):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._index = 0
        self.setFixedSize(_DOT, _DOT)
        theme.changed.connect(self.update)

    def set_color(self, index: int) -> None:
        self._index = index
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 2, 2)
        painter.fillPath(shape, QColor(chart_color(self._index, dark=self._theme.is_dark)))
        painter.end()
