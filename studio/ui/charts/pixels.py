"""Pictures as arrays of pixels, where a painter would take too long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QColor, QImage, QPainter

Pixels = NDArray[np.uint32]
"""Premultiplied pixels of a picture, (height, width)."""
_FORMAT = QImage.Format.Format_ARGB32_Premultiplied


def color_table(colors: Sequence[QColor]) -> NDArray[np.uint32]:
    """Opaque colors as pixels, (n,)."""
    return np.array([color.rgb() for color in colors], np.uint32)


def paint_indexed(image: QImage, indexes: NDArray[np.uint8], colors: NDArray[np.uint32]) -> None:
    """Fill a picture with at most 256 colors.

    Args:
        image: Where nothing that was there stays.
        indexes: Color of each pixel, (height, width), as large as the picture.
        colors: Pixels, (n,); as many as there are indexes.
    """
    height, width = indexes.shape
    indexed = QImage(indexes.data, width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable(colors.tolist())
    painter = QPainter(image)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, 0, indexed)
    painter.end()


def paint_stamped(painter: QPainter, pixels: Pixels, stamp: QSize) -> None:
    """Paint what `stamped` made, from the upper left corner.

    Args:
        painter: Paints into a picture.
        pixels: The stamps, with a margin as wide and high as one of them.
        stamp: Size of a stamp.
    """
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, 4 * width, _FORMAT)
    painter.drawImage(QPoint(-stamp.width(), -stamp.height()), image)


def stamped(
    sprite: QImage,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    size: QSize,
    last: Pixels | None = None,
) -> Pixels:
    """A small picture at many places; where they overlap, the more opaque pixel is seen.

    Ten thousand stamps of five by five pixels take a millisecond, a painter needs ten.

    Args:
        sprite: The small picture.
        x: Middles of the stamps in pixels, (n,); they are rounded.
        y: The same.
        size: Of the whole picture.
        last: What this made before; its memory is used again where it is of this size.

    Returns:
        The picture with a margin all around, as wide and high as a stamp.
    """
    small = _pixels_of(sprite)
    height, width = small.shape
    # With the margin, no stamp has to be cut.
    shape = size.height() + 2 * height, size.width() + 2 * width
    whole = np.empty(shape, np.uint32) if last is None or last.shape != shape else last
    whole.fill(0)
    flat = whole.reshape(-1)
    left = np.rint(x - width / 2).astype(np.intp) + width
    top = np.rint(y - height / 2).astype(np.intp) + height
    inside = (left >= 0) & (left <= size.width() + width)
    inside &= (top >= 0) & (top <= size.height() + height)
    first = top[inside] * whole.shape[1] + left[inside]
    alphas = small >> 24
    for place in np.argsort(alphas, axis=None, kind="stable").tolist():
        row, column = divmod(place, width)
        if alphas[row, column]:
            flat[first + row * whole.shape[1] + column] = small[row, column]
    return whole


def _pixels_of(image: QImage) -> Pixels:
    image = image.convertToFormat(_FORMAT)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()
