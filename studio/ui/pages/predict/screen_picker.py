"""A region of the screen as a picture: the screen is shown still, and a rectangle drawn on it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QScreen,
)
from PySide6.QtWidgets import QRubberBand, QWidget

_HIDDEN_MS: Final = 300
"""Until a hidden window is gone from most screens."""
_LEAST: Final = 4
_SHADE: Final = QColor(0, 0, 0, 70)


def unavailable() -> str:
    """Why the screen cannot be taken; empty where it can."""
    if QGuiApplication.platformName().startswith("wayland"):
        return QCoreApplication.translate(
            "predict",
            "Wayland lets no program see the screen. Take a screenshot with the tool of the "
            "desktop, and paste it.",
        )
    return ""


class ScreenPicker(QWidget):
    """Hides a window, then covers its screen with a still picture of it.

    Signals:
        picked: A `QImage` of the region that was drawn.
        closed: It is over, with or without a picture.
    """

    picked = Signal(object)
    closed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(None)
        self._window = window
        self._shot = QPixmap()
        self._from = QPoint()
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self.setWindowFlags(Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(self.tr("Draw a rectangle around the picture"))

    def start(self) -> None:
        """Hide the window, wait until it is gone, and show the screen."""
        screen = self._window.screen()
        self._window.hide()
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(self._take)
        self._screen: QScreen = screen
        timer.start(_HIDDEN_MS)

    def show_shot(self, shot: QPixmap, place: QRect) -> None:
        """Cover a place of the desktop with what was taken of it."""
        self._shot = shot
        self.setGeometry(place)
        self.show()
        self.activateWindow()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The screen as it was, a little darker where nothing is chosen."""
        painter = QPainter(self)
        painter.drawPixmap(self.rect(), self._shot)
        painter.fillRect(self.rect(), _SHADE)
        if self._band.isVisible():
            painter.setClipRect(self._band.geometry())
            painter.drawPixmap(self.rect(), self._shot)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a rectangle."""
        self._from = event.position().toPoint()
        self._band.setGeometry(QRect(self._from, self._from))
        self._band.show()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw it."""
        self._band.setGeometry(QRect(self._from, event.position().toPoint()).normalized())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take what is in it; a mere click takes nothing."""
        place = QRect(self._from, event.position().toPoint()).normalized()
        self._end()
        if min(place.width(), place.height()) >= _LEAST:
            ratio = self._shot.width() / max(1, self.width())
            corner = QPoint(round(place.x() * ratio), round(place.y() * ratio))
            part = QRect(corner, place.size() * ratio)
            self.picked.emit(self._shot.copy(part).toImage())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes nothing."""
        if event.key() == Qt.Key.Key_Escape:
            self._end()

    def _take(self) -> None:
        self.show_shot(self._screen.grabWindow(0), self._screen.geometry())

    def _end(self) -> None:
        self._window.show()
        self.close()
        self.closed.emit()
