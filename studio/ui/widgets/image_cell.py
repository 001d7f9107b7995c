"""How one cell of a grid of pictures is painted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, RADIUS
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.image_grid_layout import PAD

_FRAME = 3


@dataclass(frozen=True, slots=True)
class CellState:
    """What a cell shows besides its picture."""

    selected: bool
    current: bool
    hovered: bool
    wrong: bool = False


def outline_wrong(painter: QPainter, square: QRect, theme: Theme) -> None:
    """Mark a wrong prediction by a frame and, as color alone is not enough, by a cross.

    Args:
        painter: Paints on the widget that shows the picture.
        square: Of the picture, in pixels of the widget.
        theme: Gives the colors.
    """
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.palette.bad), _FRAME))
    painter.drawRect(square.adjusted(1, 1, -1, -1))
    cross = pixmap("close", theme, "bad", ICON_SMALL)
    corner = QRect(0, 0, ICON_SMALL + 4, ICON_SMALL + 4)
    corner.moveTopRight(square.topRight())
    painter.fillRect(corner, QColor(theme.palette.surface))
    painter.drawPixmap(corner.adjusted(2, 2, -2, -2), cross)


class CellPainter:
    """Paints cells in the colors of a theme."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint(
        self, painter: QPainter, cell: QRect, image: QImage | None, caption: str, state: CellState
    ) -> None:
        """Paint one cell; `image` is None while it loads and null where it cannot be read."""
        palette = self._theme.palette
        self._paint_back(painter, cell, state)
        side = cell.width() - 2 * PAD
        square = QRect(cell.x() + PAD, cell.y() + PAD, side, side)
        if image is None:
            painter.fillRect(square, QColor(palette.hover))
        elif image.isNull():
            painter.fillRect(square, QColor(palette.hover))
            broken = pixmap("warning", self._theme, "warn", ICON)
            painter.drawPixmap(square.center() - QRect(0, 0, ICON, ICON).center(), broken)
        else:
            place = fit(image.size(), square)
            # Tiny images (digits of 28 x 28) are shown as the pixels that they are.
            smooth = image.width() > place.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(place, image)
        if state.wrong:
            outline_wrong(painter, square, self._theme)
        text = QRect(square.x(), square.bottom() + 1, side, cell.bottom() - square.bottom() - PAD)
        painter.setPen(QColor(palette.text if state.selected else palette.muted))
        shown = elided(painter.fontMetrics(), caption, side)
        painter.drawText(text, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, shown)

    def _paint_back(self, painter: QPainter, cell: QRect, state: CellState) -> None:
        palette = self._theme.palette
        if not (state.selected or state.hovered or state.current):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(QColor(palette.accent), 2)
            if state.current or state.selected
            else Qt.PenStyle.NoPen
        )
        painter.setBrush(QColor(palette.selection if state.selected else palette.hover))
        painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), RADIUS.control, RADIUS.control)
        painter.restore()


def fit(size: QSize, room: QRect) -> QRect:
    """The largest rectangle of that shape in the middle of a room."""
    scaled = size.scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRect(0, 0, max(1, scaled.width()), max(1, scaled.height()))
    place.moveCenter(room.center())
    return place
