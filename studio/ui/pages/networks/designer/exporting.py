"""The drawing in files: PNG, SVG, JSON, Python code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.networks.code import keras_code
from studio.engine.networks.spec import NetworkSpec
from studio.ui.pages.networks.designer.scene import CanvasScene

_MARGIN: Final = 24.0
_SHARPNESS: Final = 2.0
_LARGEST: Final = 16_000
"""Pixels at most along one side of a PNG; larger drawings are scaled down."""


def picture(scene: CanvasScene, ground: QColor) -> QImage:
    """The whole drawing at twice its size.

    Raises:
        StudioError: There is no memory for it.
    """
    area = _area(scene)
    sharpness = min(_SHARPNESS, _LARGEST / max(area.width(), area.height()))
    image = QImage(
        round(area.width() * sharpness),
        round(area.height() * sharpness),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    if image.isNull():
        raise StudioError(
            "The picture takes more memory than there is.",
            "Fold some blocks, or write the drawing as SVG.",
        )
    image.fill(ground)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _render(scene, painter, QRectF(image.rect()), area)
    painter.end()
    return image


def save_png(image: QImage, path: Path) -> None:
    """Write a picture.

    Raises:
        StudioError: The file cannot be written.
    """
    buffer = QBuffer()
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise StudioError(
            f"The picture cannot be written as PNG: {writer.errorString()}.",
            "Fold some blocks, or write the drawing as SVG.",
            str(path),
        )
    save(bytes(buffer.data().data()), path)


def vectors(scene: CanvasScene, ground: QColor, title: str) -> bytes:
    """The whole drawing as the text of an SVG file."""
    from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415 - needed only here, and rarely

    area = _area(scene)
    size = QSize(round(area.width()), round(area.height()))
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(title)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    painter.fillRect(0, 0, size.width(), size.height(), ground)
    _render(scene, painter, QRectF(0, 0, size.width(), size.height()), area)
    painter.end()
    return bytes(buffer.data().data())


def save_json(spec: NetworkSpec, path: Path) -> None:
    """Write the description.

    Raises:
        StudioError: The file cannot be written.
    """
    save(spec.to_json(), path)


def save_code(spec: NetworkSpec, path: Path) -> None:
    """Write Keras code that builds the network without Studio.

    Raises:
        StudioError: The file cannot be written, or the network has something wrong.
    """
    save(keras_code(spec), path)


def save(content: str | bytes, path: Path) -> None:
    """Write a file.

    Raises:
        StudioError: It cannot be written.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        raise _cannot_write(path) from error


def _area(scene: CanvasScene) -> QRectF:
    return scene.stage.content().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _render(scene: CanvasScene, painter: QPainter, target: QRectF, area: QRectF) -> None:
    """Paint the scene without marks of the selection."""
    drawing = scene.drawing
    selection, wire = drawing.selection, drawing.wire
    drawing.select([])
    scene.render(painter, target, area, Qt.AspectRatioMode.KeepAspectRatio)
    drawing.select(selection, wire)


def _cannot_write(path: Path) -> StudioError:
    return StudioError(
        f'"{path}" could not be written.',
        "Choose a folder that exists and that you may write to.",
        str(path),
    )
