"""Many lines or small images in one call of a painter, from NumPy arrays, by pyqtgraph.

PySide converts each item of a list; pyqtgraph hands the memory of an array to Qt.
"""

from __future__ import annotations

from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QPainter, QPixmap

from studio.ui.charts.series import Array


def draw_segments(painter: QPainter, segments: Array) -> None:
    """Draw line segments.

    Args:
        painter: The painter.
        segments: Rows of x0, y0, x1, y1, shape (n, 4).
    """
    lines = PrimitiveArray(QLineF, 4)
    lines.resize(len(segments))
    lines.ndarray()[:] = segments
    painter.drawLines(*lines.drawargs())


def draw_sprites(painter: QPainter, sprite: QPixmap, x: Array, y: Array) -> None:
    """Draw copies of a small image.

    Args:
        painter: The painter.
        sprite: The image.
        x: Horizontal centers in pixels, shape (n,).
        y: Vertical centers, shape (n,).
    """
    if not len(x):
        return
    pieces = PrimitiveArray(QPainter.PixmapFragment, 10)
    pieces.resize(len(x))
    table = pieces.ndarray()
    table[:, 0], table[:, 1] = x, y
    table[:, 2:4], table[:, 4:6] = 0, sprite.width()
    table[:, 6:10] = 1.0, 1.0, 0.0, 1.0
    first, count = pieces.drawargs()  # PySide takes the first of an array, its stub a list
    painter.drawPixmapFragments(first, count, sprite)
