"""One wire of the canvas: a curve from port to port, with its number of channels."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

from studio.ui.pages.networks.designer.layout import Direction
from studio.ui.pages.networks.designer.node_item import FAR
from studio.ui.pages.networks.designer.painted import Painted
from studio.ui.pages.networks.designer.routing import TURN
from studio.ui.pages.networks.designer.wiring import Wire
from studio.ui.theme.theme import Theme

_REACH: Final = 12.0
_WORDS: Final = 0.85
"""From this scale on a wire says how many channels it carries."""


def curve(
    start: QPointF, end: QPointF, direction: Direction, lane: float | None = None
) -> QPainterPath:
    """A curve that leaves and arrives along the direction of the wires.

    Args:
        start: Where it begins.
        end: Where it ends.
        direction: Where the wires lead.
        lane: Where across the wires it runs between; straight on when None.
    """
    path = QPainterPath(start)
    if lane is None:
        _bend(path, end, direction, 24.0)
        return path
    if direction == "down":
        corners = QPointF(lane, start.y() + TURN), QPointF(lane, end.y() - TURN)
    else:
        corners = QPointF(start.x() + TURN, lane), QPointF(end.x() - TURN, lane)
    _bend(path, corners[0], direction, 0.0)
    path.lineTo(corners[1])
    _bend(path, end, direction, 0.0)
    return path


def _bend(path: QPainterPath, end: QPointF, direction: Direction, least: float) -> None:
    start = path.currentPosition()
    if direction == "down":
        by = QPointF(0, max(least, abs(end.y() - start.y()) / 2))
    else:
        by = QPointF(max(least, abs(end.x() - start.x()) / 2), 0)
    path.cubicTo(start + by, end - by, end)


class WireItem(Painted, QGraphicsPathItem):
    """A wire; `wire` is the one of the drawing that it stands for."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.wire: Wire = ("", "")
        self.is_lit = False
        self._theme = theme
        self._channels = ""
        self._stale = False
        self._bounds = QRectF()
        self._line = QLineF()
        self._middle = QPointF()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(-1)
        self.setPen(QPen(Qt.GlobalColor.black, 3))

    def run(self, start: QPointF, end: QPointF, direction: Direction, lane: float | None) -> None:
        """Lead from one port to another."""
        self._line = QLineF(start, end)
        self._middle = QPointF()
        path = curve(start, end, direction, lane)
        self.prepareGeometryChange()
        self._bounds = path.controlPointRect().adjusted(-4, -4, 44, 8)
        self.setPath(path)

    def say(self, channels: str, *, stale: bool) -> None:
        """Show the number of channels."""
        if (channels, stale) != (self._channels, self._stale):
            self._channels, self._stale = channels, stale
            self.update()

    def light(self, *, lit: bool) -> None:
        """Show that what is dragged would go into this wire."""
        if lit != self.is_lit:
            self.is_lit = lit
            self.update()

    def boundingRect(self) -> QRectF:
        """The curve, and the number beside it."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Wide enough to be hit."""
        stroker = QPainterPathStroker()
        stroker.setWidth(_REACH)
        return stroker.createStroke(self.path())

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the curve, and from near the number of channels."""
        chosen = self.isSelected()
        palette = self._theme.palette
        color, width = QColor(palette.outline), 1.5
        if self.is_lit:
            color, width = QColor(palette.good), 3.0
        elif chosen:
            color, width = QColor(palette.accent), 2.5
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if scale < FAR:
            painter.setPen(QPen(color, 0))
            painter.drawLine(self._line)
            return
        painter.setPen(QPen(color, width))
        painter.drawPath(self.path())
        if scale >= _WORDS and self._channels:
            self._paint_channels(painter)

    def _paint_channels(self, painter: QPainter) -> None:
        palette = self._theme.palette
        font = QFont()
        font.setPixelSize(10)
        painter.setFont(font)
        painter.setPen(QColor(palette.disabled if self._stale else palette.muted))
        if self._middle.isNull():  # finding it takes longer than painting
            self._middle = self.path().pointAtPercent(0.5) + QPointF(6, 4)
        painter.drawText(self._middle, self._channels)
