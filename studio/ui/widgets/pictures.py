"""Pictures at any size, with a heat map, or in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QDialog, QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.overlay import GROUND, Overlaid, OverlaidImage, PaintedLayer
from studio.ui.widgets.thumbnails import fit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.arrays import Pixels
    from studio.engine.display_mapping import DisplayMapping

_SQUARE = 8
_TINY = 128
"""Up to this side a picture is enlarged pixel by pixel: that is what the network sees."""


class PictureView(QWidget):
    """Shows a `QImage` with its aspect ratio, and regions over it.

    Transparent parts show a checkerboard.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image = QImage()
        self._scaled = QPixmap()
        self._layer: PaintedLayer | None = None
        self._layer_opacity = 1.0
        self._board = QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(96, 96))
        theme.changed.connect(self._theme_changed)
        self._theme_changed()
        self.set_image(None)

    def image(self) -> QImage:
        """Return the picture; null for none."""
        return self._image

    def set_image(
        self, image: QImage | None, description: str = "", scaled: QImage | None = None
    ) -> None:
        """Show a picture, or nothing.

        Args:
            image: The picture; None for nothing.
            description: Text for screen readers.
            scaled: The same by `scaled_into`, from another thread; without one, or if there is
                other room by now, it is scaled when it is painted.
        """
        self._image = QImage() if image is None else image
        self._scaled = QPixmap() if scaled is None else QPixmap.fromImage(scaled)
        self.setAccessibleName(description or self.tr("Image"))
        self.updateGeometry()
        self.update()

    def set_layer(self, layer: PaintedLayer | None, opacity: float = 1.0) -> None:
        """Paint regions over the picture, or none.

        Args:
            layer: From `Overlay.layer`, made in another thread; None for none.
            opacity: Opacity of regions that let the picture shine through, 0 to 1.
        """
        self._layer, self._layer_opacity = layer, opacity
        self.update()

    def layer(self) -> PaintedLayer | None:
        """Return the regions over the picture; None for none."""
        return self._layer

    def sizeHint(self) -> QSize:
        """Return the size of the picture, within limits."""
        if self._image.isNull():
            return QSize(320, 320)
        size = self._image.size()
        return size.expandedTo(QSize(240, 240)).boundedTo(QSize(640, 640))

    def picture_rect(self) -> QRect:
        """Return the rectangle of the picture."""
        return fit(self._image.size(), self.rect()) if not self._image.isNull() else QRect()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the board where it shines through, then the picture."""
        if self._image.isNull():
            return
        rect = self.picture_rect()
        painter = QPainter(self)
        if self._image.hasAlphaChannel():
            painter.setBrushOrigin(rect.topLeft())
            painter.fillRect(rect, QBrush(self._board))
        if self._layer is None or not self._layer.hides_picture:
            painter.drawPixmap(rect, self._fitted(rect.size()))
        else:
            painter.fillRect(rect, QColor(GROUND))
        if self._layer is not None:
            self._layer.paint(painter, QRectF(rect), self._layer_opacity)
        painter.setPen(QColor(self._theme.palette.border))
        painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.end()

    def _fitted(self, size: QSize) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._scaled.size() != _in_pixels(size, ratio):
            self._scaled = QPixmap.fromImage(_scaled_to(self._image, size, ratio))
        return self._scaled

    def _theme_changed(self) -> None:
        self._board = checkerboard(self._theme)
        self.update()


def checkerboard(theme: Theme) -> QPixmap:
    """Return a tile of what shines through transparent pictures."""
    tile = QPixmap(2 * _SQUARE, 2 * _SQUARE)
    tile.fill(QColor(theme.palette.surface))
    painter = QPainter(tile)
    painter.fillRect(0, 0, _SQUARE, _SQUARE, QColor(theme.palette.checker))
    painter.fillRect(_SQUARE, _SQUARE, _SQUARE, _SQUARE, QColor(theme.palette.checker))
    painter.end()
    return tile


def scaled_into(image: QImage, room: QSize, ratio: float) -> QImage:
    """Scale a picture to the available room; from any thread.

    Args:
        image: The picture; a null one stays null.
        room: In pixels of the window.
        ratio: Pixels of the screen per pixel of the window.
    """
    if image.isNull():
        return image
    point = fit(image.size(), QRect(QPoint(0, 0), room))
    return _scaled_to(image, point.size(), ratio)


def _scaled_to(image: QImage, size: QSize, ratio: float) -> QImage:
    requested = _in_pixels(size, ratio)
    larger = requested.width() > image.width()
    tiny = max(image.width(), image.height()) <= _TINY
    mode = Qt.TransformationMode
    scaled = image.scaled(
        requested,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        mode.FastTransformation if larger and tiny else mode.SmoothTransformation,
    )
    scaled.setDevicePixelRatio(ratio)
    return scaled


def _in_pixels(size: QSize, ratio: float) -> QSize:
    return QSize(round(size.width() * ratio), round(size.height() * ratio))


WHOLE = (0.0, 0.0, 1.0, 1.0)


class HeatView(PictureView):
    """Shows a picture and, over it, how much each part of it counts.

    Where nothing counts the picture stays as it is; what counts most is covered by the opacity
    that is set, in a color per value that is distinguishable with any color vision.

    Attributes:
        opacity: Of the strongest place, 0 to 1.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._heat = QImage()
        self._covers = WHOLE
        self.opacity = 0.6
        super().__init__(theme, parent)

    def set_opacity(self, opacity: float) -> None:
        """Let the map hide more or less of the picture, 0 to 1."""
        self.opacity = min(1.0, max(0.0, opacity))
        self.update()

    def has_heat(self) -> bool:
        """Return True if there is a map."""
        return not self._heat.isNull()

    def set_heat(
        self,
        values: NDArray[np.float32] | None,
        covers: tuple[float, float, float, float] = WHOLE,
    ) -> None:
        """Lay a map over the picture, or take it away.

        Args:
            values: 0 to 1, shape (rows, columns); None for no map.
            covers: Left, top, right and bottom of the map, as fractions of the picture; what is
                beyond 0 and 1 is not painted.
        """
        self._heat = QImage() if values is None else heat_image(values)
        self._covers = covers
        self.update()

    def heat_rect(self) -> QRectF:
        """Return the rectangle of the map, in pixels of the widget."""
        rect = QRectF(self.picture_rect())
        left, top, right, bottom = self._covers
        return QRectF(
            rect.x() + left * rect.width(),
            rect.y() + top * rect.height(),
            (right - left) * rect.width(),
            (bottom - top) * rect.height(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, then the map."""
        super().paintEvent(event)
        if self._heat.isNull() or self.image().isNull():
            return
        painter = QPainter(self)
        painter.setClipRect(self.picture_rect())
        painter.setOpacity(self.opacity)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self.heat_rect(), self._heat)
        painter.end()


def heat_image(values: NDArray[np.float32]) -> QImage:
    """Return a map as a picture in color that is the more transparent the less a place counts."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    from studio.engine.tasks.heat_colors import heat_table  # noqa: PLC0415

    levels = np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
    # A root lifts what counts a little: else it could not be seen on a picture.
    alpha = np.sqrt(levels / 255)[..., None]
    color = heat_table()[levels] * alpha  # Qt wants them multiplied
    pixels = np.concatenate([color, alpha * 255], axis=-1).round().astype(np.uint8)
    height, width = levels.shape
    kind = QImage.Format.Format_RGBA8888_Premultiplied
    image = QImage(pixels.tobytes(), width, height, 4 * width, kind).copy()
    # Larger than a few cells, so that the painter has something to smooth between.
    return image.scaled(
        max(width, 256),
        max(height, round(256 * height / width)),
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )


_STEPS: Final = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Space: 1,
}


class PictureWindow(QDialog):
    """Shows a picture and what it is called; Esc closes it.

    Signals:
        stepped: An arrow key asks for the next picture, 1, or the one before, -1.
    """

    stepped = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = PictureView(theme, self)
        self.name = ElidedLabel("", self)
        self.name.setAlignment(Qt.AlignmentFlag.AlignCenter)
        vbox((self.picture, 1), self.name, owner=self, spacing=SPACE.s, margins=SPACE.m)
        window = QSize(900, 700) if parent is None else parent.window().size()
        self.resize(window * 0.8)

    def show_image(self, image: Overlaid, name: str) -> None:
        """Show a picture.

        Args:
            image: The picture.
            name: Its name.
        """
        if isinstance(image, OverlaidImage):
            layer, style = image.overlay.layer(image.style), image.style
            self.picture.set_image(image.image, name)
            self.picture.set_layer(layer, style.opacity)
        else:
            self.picture.set_image(image, name)
            self.picture.set_layer(None)
        self.name.setText(name)
        self.setWindowTitle(name)
        self.show()
        self.raise_()
        self.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for another picture by the arrow keys."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)


def to_image(pixels: Pixels, display: DisplayMapping) -> QImage:
    """Copy pixels into a Qt image.

    Args:
        pixels: Shape (height, width, channels).
        display: Colors and contrast of the channels.
    """
    shown = display.to_rgb(pixels)
    height, width, channels = shown.shape
    kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
    # The bytes are freed after this call; the copy owns its memory.
    return QImage(shown.tobytes(), width, height, width * channels, kind).copy()


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """Copy the pixels of a Qt image, uint8 of shape (height, width, 3); in any thread."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    flat = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    return rows[:, : 3 * flat.width()].reshape(flat.height(), flat.width(), 3).copy()
