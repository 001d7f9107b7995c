"""The bar of the splits with its words and numbers beside it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.button import push_button
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.split_bar import SplitBar, split_word

_DOT = 8


class _Dot(QWidget):
    """A dot in the color of a split."""

    def __init__(self, color: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._color = QColor(color)
        self.setFixedSize(QSize(_DOT, _DOT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._color))
        painter.setBrush(self._color)
        painter.drawEllipse(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


class SplitLegend(QWidget):
    """How many images train, validate and test: a bar, and a word and a number for each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = SplitBar(theme, self)
        self._words: dict[str, QLabel] = {}
        line = QHBoxLayout()
        line.setSpacing(SPACE.xs)
        for split, color in SPLIT_COLORS.items():
            label = QLabel(self)
            label.setProperty("role", "caption")
            self._words[split] = label
            line.addWidget(_Dot(color, self))
            line.addWidget(label)
            line.addSpacing(SPACE.m)
        line.addStretch(1)
        self.split_button = push_button(self.tr("Split again…"), theme, kind="quiet", parent=self)
        self.split_button.setToolTip(
            self.tr("Deal the images to training, validation and test in another way")
        )
        line.addWidget(self.split_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(self.bar)
        column.addLayout(line)

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show the number of images by split."""
        self.bar.set_counts(counts)
        total = sum(counts.values())
        for split, label in self._words.items():
            number = counts.get(split, 0)
            share = percent(number / total, 0) if total else ""
            label.setText(f"{split_word(split)} {count(number)} ({share})")
