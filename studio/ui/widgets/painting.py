"""Base of widgets that paint themselves in the colors of the theme."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import TYPE


def caption_font(font: QFont) -> QFont:
    """Return a font in the size of captions."""
    small = QFont(font)
    small.setPixelSize(TYPE.caption)
    return small


class PaintedWidget(QWidget):
    """Paints itself again when the theme changes.

    Attributes:
        is_smooth: True if edges between pixels are smoothed.
    """

    is_smooth: ClassVar[bool] = True

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def paint(self, painter: QPainter) -> None:
        """Paint the widget."""
        raise NotImplementedError

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the widget."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.is_smooth)
        self.paint(painter)
        painter.end()
