"""Charts as picture files: PNG at twice the size, or SVG with real lines and text."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QCoreApplication, QPoint, QRect, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPaintEngine, QPainter, QRegion
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.tokens import SPACE

_tr = partial(QCoreApplication.translate, "Exports")

VECTORS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)
"""Paint engines of files that keep shapes."""
_SHARPNESS = 2
_MARGIN = SPACE.l


def ask_file(owner: QWidget, title: str, suffix: str) -> Path | None:
    """Ask where to save a chart; None if the user cancels.

    Args:
        owner: Widget in front of which the dialog opens.
        title: Suggested name.
        suffix: ".png" or ".svg".
    """
    kind = _tr("PNG picture (*.png)") if suffix == ".png" else _tr("SVG picture (*.svg)")
    chosen, _ = QFileDialog.getSaveFileName(owner, _tr("Save the chart"), f"{title}{suffix}", kind)
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix else path.with_suffix(suffix)


def save_picture(widget: QWidget, path: Path, background: QColor, title: str) -> None:
    """Write a widget as it looks now, as SVG or PNG depending on the suffix.

    Args:
        widget: What is written.
        path: The file.
        background: Color under the widget.
        title: Title inside an SVG.

    Raises:
        StudioError: The file cannot be written.
    """
    if path.suffix.lower() == ".svg":
        _save_svg(widget, path, background, title)
    else:
        _save_png(widget, path, background)


def _save_png(widget: QWidget, path: Path, background: QColor) -> None:
    image = QImage(_size(widget) * _SHARPNESS, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SHARPNESS)
    painter = QPainter(image)
    _paint(painter, widget, background)
    painter.end()
    if not QImageWriter(str(path), QByteArray(b"png")).write(image):
        raise _cannot_write(path)


def _save_svg(widget: QWidget, path: Path, background: QColor, title: str) -> None:
    from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415 - needed only here, and rarely

    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setTitle(title)
    generator.setSize(_size(widget))
    generator.setViewBox(QRect(QPoint(0, 0), _size(widget)))
    painter = QPainter()
    if not painter.begin(generator):
        raise _cannot_write(path)
    _paint(painter, widget, background)
    painter.end()


def _size(widget: QWidget) -> QSize:
    return widget.size() + QSize(2 * _MARGIN, 2 * _MARGIN)


def _paint(painter: QPainter, widget: QWidget, background: QColor) -> None:
    size = _size(widget)
    painter.fillRect(0, 0, size.width(), size.height(), background)
    # Without the window's own background, which is not that of the card around a chart.
    flags = QWidget.RenderFlag.DrawChildren
    widget.render(painter, QPoint(_MARGIN, _MARGIN), QRegion(), flags)


def _cannot_write(path: Path) -> StudioError:
    return StudioError(
        f'The picture could not be written to "{path}".',
        "Choose a folder that exists and that you may write to.",
        where=str(path),
    )
