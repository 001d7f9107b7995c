"""A widget as a picture in a file: PNG at twice the size, or SVG with real lines and text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.tokens import SPACE

_SHARPNESS = 2
_MARGIN = SPACE.l


def save_png(widget: QWidget, path: Path, ground: QColor) -> None:
    """Write a widget as it looks now, on a ground, at twice its size.

    Raises:
        StudioError: The file cannot be written.
    """
    image = QImage(_size(widget) * _SHARPNESS, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SHARPNESS)
    painter = QPainter(image)
    _paint(painter, widget, ground)
    painter.end()
    if not QImageWriter(str(path), QByteArray(b"png")).write(image):
        raise _cannot_write(path)


def save_svg(widget: QWidget, path: Path, ground: QColor, title: str) -> None:
    """Write a widget as it looks now, on a ground, as vectors.

    Raises:
        StudioError: The file cannot be written.
    """
    from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415 - needed only here, and rarely

    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setTitle(title)
    generator.setSize(_size(widget))
    generator.setViewBox(QRect(QPoint(0, 0), _size(widget)))
    painter = QPainter()
    if not painter.begin(generator):
        raise _cannot_write(path)
    _paint(painter, widget, ground)
    painter.end()


def _size(widget: QWidget) -> QSize:
    return widget.size() + QSize(2 * _MARGIN, 2 * _MARGIN)


def _paint(painter: QPainter, widget: QWidget, ground: QColor) -> None:
    size = _size(widget)
    painter.fillRect(0, 0, size.width(), size.height(), ground)
    # Without the window's own background, which is not that of the card around a chart.
    flags = QWidget.RenderFlag.DrawChildren
    widget.render(painter, QPoint(_MARGIN, _MARGIN), QRegion(), flags)


def _cannot_write(path: Path) -> StudioError:
    return StudioError(
        f'The picture could not be written to "{path}".',
        "Choose a folder that exists and that you may write to.",
        where=str(path),
    )
