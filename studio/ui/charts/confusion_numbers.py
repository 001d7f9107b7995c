"""The numbers inside the cells of a confusion matrix, where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from studio.ui.theme.tokens import SPACE, Palette, contrast
from studio.ui.widgets.figures import count, percent

if TYPE_CHECKING:
    from studio.ui.charts.confusion_colors import Shares


def paint_numbers(
    painter: QPainter,
    area: QRectF,
    matrix: Shares,
    ground: QImage,
    palette: Palette,
    *,
    in_percent: bool,
) -> None:
    """Write counts, or shares of the rows in percent, into the cells that are not empty.

    Args:
        painter: Of the widget.
        area: The cells.
        matrix: What they say.
        ground: Their colors, one pixel each.
        palette: Where the color of the numbers is taken from.
        in_percent: Whether to write shares.
    """
    counts = matrix.counts
    size = area.width() / len(counts)
    metrics = painter.fontMetrics()
    longest = percent(1.0, 0) if in_percent else count(int(counts.max(initial=0)))
    if size < max(metrics.horizontalAdvance(longest) + SPACE.xs, metrics.height()):
        return
    for row, column in zip(*(each.tolist() for each in counts.nonzero()), strict=True):
        color = QColor(ground.pixel(column, row)).name()
        ink = max((palette.text, palette.surface), key=lambda each: contrast(each, color))
        painter.setPen(QColor(ink))
        share = float(matrix.shares[row, column])
        text = percent(share, 0) if in_percent else count(int(counts[row, column]))
        cell = QRectF(area.left() + column * size, area.top() + row * size, size, size)
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)
