"""The legend of a sweep's heat map: its colors from the worst value to the best."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from studio.ui.charts.sweep_colors import area_ramp
from studio.ui.theme.tokens import SPACE

_SIZE = QSize(160, 12)


class _Strip(QWidget):
    """The colors, the worst at the left."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(_SIZE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint one box for each color."""
        painter = QPainter(self)
        colors = area_ramp()
        width = self.width() / len(colors)
        for index, color in enumerate(colors):
            painter.fillRect(QRectF(index * width, 0, width + 1, self.height()), color)
        painter.end()


class ScaleBar(QWidget):
    """The worst value, the colors, and the best value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.worst, self.best = QLabel(self), QLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addStretch(1)
        for widget in (self.worst, _Strip(self), self.best):
            row.addWidget(widget)
        for label in (self.worst, self.best):
            label.setProperty("role", "caption")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_scale(self, worst: str, best: str) -> None:
        """Show a scale from one value to the other; two empty texts hide it."""
        self.worst.setText(self.tr("Worst: {value}").format(value=worst))
        self.best.setText(self.tr("Best: {value}").format(value=best))
        self.setAccessibleName(f"{self.worst.text()}, {self.best.text()}")
        self.setVisible(bool(best))
