"""Base of widgets that paint themselves in the colors of the theme."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
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


class FocusRing(PaintedWidget):
    """A frame over the edge of a view while the view has the focus.

    For views whose own marks, such as a selected cell, are the same without the focus.

    Args:
        theme: Color of the frame.
        view: The view; it becomes the parent.
    """

    is_smooth = False

    def __init__(self, theme: Theme, view: QWidget) -> None:
        super().__init__(theme, view)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Come and go with the focus of the view, and keep its size."""
        kind = event.type()
        if isinstance(watched, QWidget) and kind in (QEvent.Type.FocusIn, QEvent.Type.Resize):
            self.setGeometry(watched.rect())
            self.raise_()
        if kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setVisible(kind == QEvent.Type.FocusIn)
        return False

    def paint(self, painter: QPainter) -> None:
        """Paint the frame."""
        painter.setPen(QPen(QColor(self._theme.palette.accent), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
