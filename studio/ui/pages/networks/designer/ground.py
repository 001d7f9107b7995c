"""The dotted ground of the canvas."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QBrush, QColor, QPainter, QPixmap

from studio.ui.theme.theme import Theme

DOTS: Final = 24
"""Units of the drawing between two dots."""
_CLOSEST: Final = 12


def paint_ground(
    painter: QPainter, area: QRect, origin: QPoint, scale: float, theme: Theme
) -> None:
    """Fill an area of the window, with dots where these are not too close.

    Args:
        painter: Of the viewport.
        area: In its pixels.
        origin: Where the drawing's zero is, in its pixels.
        scale: Pixels per unit of the drawing.
        theme: For the colors.
    """
    palette = theme.palette
    step = round(DOTS * scale)
    painter.save()
    painter.resetTransform()
    painter.fillRect(area, QColor(palette.ground))
    if step >= _CLOSEST:
        tile = QPixmap(step, step)
        tile.fill(QColor(palette.ground))
        dots = QPainter(tile)
        dots.fillRect(0, 0, 2, 2, QColor(palette.border))
        dots.end()
        painter.setBrushOrigin(origin)
        painter.fillRect(area, QBrush(tile))
    painter.restore()
