"""One picture, as large as there is room, true to its shape."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.widgets.image_cell import fit

_SQUARE = 8
_TINY = 128
"""Up to this side a picture is enlarged pixel by pixel: that is what the network sees."""


class PictureView(QWidget):
    """Shows a `QImage` with its aspect kept; a checkerboard shines through transparent parts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image = QImage()
        self._scaled = QPixmap()
        self._board = QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(96, 96))
        theme.changed.connect(self._theme_changed)
        self._theme_changed()
        self.set_image(None)

    def image(self) -> QImage:
        """What is shown; null when nothing is."""
        return self._image

    def set_image(
        self, image: QImage | None, description: str = "", scaled: QImage | None = None
    ) -> None:
        """Show a picture, or nothing.

        Args:
            image: The picture; None for nothing.
            description: What a screen reader says.
            scaled: The same by `scaled_into`, from another thread; without one, or where there is
                other room by now, it is scaled when it is painted.
        """
        self._image = QImage() if image is None else image
        self._scaled = QPixmap() if scaled is None else QPixmap.fromImage(scaled)
        self.setAccessibleName(description or self.tr("Picture"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The picture's own size, within reason."""
        if self._image.isNull():
            return QSize(320, 320)
        size = self._image.size()
        return size.expandedTo(QSize(240, 240)).boundedTo(QSize(640, 640))

    def picture_rect(self) -> QRect:
        """Where the picture is painted."""
        return fit(self._image.size(), self.rect()) if not self._image.isNull() else QRect()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the board where it shines through, then the picture."""
        if self._image.isNull():
            return
        place = self.picture_rect()
        painter = QPainter(self)
        if self._image.hasAlphaChannel():
            painter.setBrushOrigin(place.topLeft())
            painter.fillRect(place, QBrush(self._board))
        painter.drawPixmap(place, self._fitted(place.size()))
        painter.setPen(QColor(self._theme.palette.border))
        painter.drawRect(place.adjusted(0, 0, -1, -1))
        painter.end()

    def _fitted(self, size: QSize) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._scaled.size() != _in_pixels(size, ratio):
            self._scaled = QPixmap.fromImage(_scaled_to(self._image, size, ratio))
        return self._scaled

    def _theme_changed(self) -> None:
        palette = self._theme.palette
        self._board = QPixmap(2 * _SQUARE, 2 * _SQUARE)
        self._board.fill(QColor(palette.surface))
        painter = QPainter(self._board)
        painter.fillRect(0, 0, _SQUARE, _SQUARE, QColor(palette.checker))
        painter.fillRect(_SQUARE, _SQUARE, _SQUARE, _SQUARE, QColor(palette.checker))
        painter.end()
        self.update()


def scaled_into(image: QImage, room: QSize, ratio: float) -> QImage:
    """A picture as large as there is room; from any thread.

    Args:
        image: The picture; a null one stays null.
        room: In pixels of the window.
        ratio: Pixels of the screen per pixel of the window.
    """
    if image.isNull():
        return image
    place = fit(image.size(), QRect(QPoint(0, 0), room))
    return _scaled_to(image, place.size(), ratio)


def _scaled_to(image: QImage, size: QSize, ratio: float) -> QImage:
    wanted = _in_pixels(size, ratio)
    larger = wanted.width() > image.width()
    tiny = max(image.width(), image.height()) <= _TINY
    mode = Qt.TransformationMode
    scaled = image.scaled(
        wanted,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        mode.FastTransformation if larger and tiny else mode.SmoothTransformation,
    )
    scaled.setDevicePixelRatio(ratio)
    return scaled


def _in_pixels(size: QSize, ratio: float) -> QSize:
    return QSize(round(size.width() * ratio), round(size.height() * ratio))
