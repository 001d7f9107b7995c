"""A picture at several sizes, so that any zoom paints about as many pixels as the screen has."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

_SMALLEST: Final = 512
"""Pixels of the longer side from which no smaller size is made."""
_SHARP: Final = 3.0
"""Screen pixels per pixel from which single pixels are shown as squares."""
_MARGIN: Final = 2
"""Pixels around what is exposed, so that smoothing has no edge there."""


class ImagePyramid:
    """A picture, and the same at a half, a quarter and so on of its size.

    It takes about 20 ms for 12 megapixels; made in any thread, painted in the window's.

    Args:
        image: The picture.
    """

    def __init__(self, image: QImage) -> None:
        level = image
        if not image.isNull():
            has_alpha = image.hasAlphaChannel()
            kind = QImage.Format
            level = image.convertToFormat(
                kind.Format_ARGB32_Premultiplied if has_alpha else kind.Format_RGB32
            )
        self._levels = [level]
        while max(level.width(), level.height()) > _SMALLEST:
            level = level.scaled(
                QSize(max(1, (level.width() + 1) // 2), max(1, (level.height() + 1) // 2)),
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            self._levels.append(level)

    @property
    def image(self) -> QImage:
        """The picture at its own size."""
        return self._levels[0]

    @property
    def size(self) -> QSize:
        """Its size in pixels."""
        return self._levels[0].size()

    @property
    def is_null(self) -> bool:
        """True if there is no picture."""
        return self._levels[0].isNull()

    def paint(self, painter: QPainter, whole: QRectF, exposed: QRectF, ratio: float) -> None:
        """Paint the exposed part of the picture.

        Args:
            painter: The painter.
            whole: Rectangle of the whole picture, in pixels of the window.
            exposed: Rectangle to paint, in pixels of the window.
            ratio: Pixels of the screen per pixel of the window.
        """
        scale = whole.width() / max(1, self.size.width()) * ratio
        level = self._level(scale)
        shown = level.width() / max(1e-9, whole.width())
        source = part_of(whole, exposed, level.size())
        if source.isEmpty():
            return
        target = QRectF(
            whole.x() + source.x() / shown,
            whole.y() + source.y() * whole.height() / level.height(),
            source.width() / shown,
            source.height() * whole.height() / level.height(),
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < _SHARP)
        painter.drawImage(target, level, source)

    def _level(self, scale: float) -> QImage:
        """Return the smallest level that has at least as many pixels as the screen."""
        number = 0
        while number + 1 < len(self._levels) and scale <= 0.5:
            number, scale = number + 1, scale * 2
        return self._levels[number]


def part_of(whole: QRectF, exposed: QRectF, size: QSize) -> QRectF:
    """Return the exposed pixels of a picture, with a margin.

    Args:
        whole: Rectangle of the whole picture.
        exposed: The exposed rectangle.
        size: Size of the picture in pixels.
    """
    if whole.isEmpty():
        return QRectF()
    across, down = size.width() / whole.width(), size.height() / whole.height()
    left = max(0, int((exposed.left() - whole.left()) * across) - _MARGIN)
    top = max(0, int((exposed.top() - whole.top()) * down) - _MARGIN)
    right = min(size.width(), int((exposed.right() - whole.left()) * across) + 1 + _MARGIN)
    bottom = min(size.height(), int((exposed.bottom() - whole.top()) * down) + 1 + _MARGIN)
    return QRectF(left, top, max(0, right - left), max(0, bottom - top))
