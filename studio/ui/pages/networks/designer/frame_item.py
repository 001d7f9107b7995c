"""The frame of an open block: a soft group behind its layers, with a header that acts."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsRectItem

from studio.ui.pages.networks.designer.look import layer_pixmap
from studio.ui.pages.networks.designer.node_item import FAR
from studio.ui.pages.networks.designer.painted import Painted
from studio.ui.pages.networks.designer.picture import BLOCK_HEADER, Frame
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE, TYPE
from studio.ui.widgets.eliding import elided

_BUTTON: Final = 20.0


class FrameItem(Painted, QGraphicsRectItem):
    """A frame; presses count on its header alone, so that a rubber band can begin inside."""

    def __init__(self, key: str, block: str, theme: Theme) -> None:
        super().__init__()
        self.key = key
        self.block = block
        self._theme = theme
        self._frozen = False
        self._rate = ""
        self._chosen = False
        self.setZValue(-3)

    def run(self, frame: Frame) -> None:
        """Lead around other places."""
        self.setRect(QRectF(QPointF(frame.left, frame.top), QPointF(frame.right, frame.bottom)))

    def say(self, *, frozen: bool, rate: str) -> None:
        """Show what is true of all layers inside."""
        if (frozen, rate) != (self._frozen, self._rate):
            self._frozen, self._rate = frozen, rate
            self.update()

    def mark(self, *, chosen: bool) -> None:
        """Show whether all layers inside are selected."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    def header(self) -> QRectF:
        """Where the name stands."""
        rect = self.rect()
        return QRectF(rect.left(), rect.top(), rect.width(), BLOCK_HEADER)

    def fold_button(self) -> QRectF:
        """Where a press folds the block."""
        header = self.header()
        return QRectF(header.right() - _BUTTON - SPACE.xs, header.top() + 3, _BUTTON, _BUTTON)

    def shape(self) -> QPainterPath:
        """The header."""
        path = QPainterPath()
        path.addRect(self.header())
        return path

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the frame, and from near its header."""
        palette = self._theme.palette
        fill = QColor(palette.muted)
        fill.setAlphaF(0.10 if self._theme.is_dark else 0.07)
        edge = QColor(palette.accent if self._chosen else palette.border)
        if scale < FAR:
            painter.fillRect(self.rect(), fill)
            return
        painter.setPen(QPen(edge, 1.5 if self._chosen else 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(self.rect(), RADIUS.card + 4, RADIUS.card + 4)
        self._paint_header(painter)

    def _paint_header(self, painter: QPainter) -> None:
        header = self.header()
        font = QFont()
        font.setPixelSize(TYPE.caption)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self._theme.color("muted"))
        place = header.adjusted(SPACE.m, 2, -_BUTTON - SPACE.s, 0)
        words = f"{self.block}   {self._rate}" if self._rate else self.block
        middle = Qt.AlignmentFlag.AlignVCenter
        shown = elided(painter.fontMetrics(), words, round(place.width()) - 18)
        painter.drawText(place, middle, shown)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._frozen:
            left = place.left() + painter.fontMetrics().horizontalAdvance(shown) + 6
            lock = layer_pixmap("lock", self._theme, "accent")
            painter.drawPixmap(QRectF(left, header.top() + 7, 14, 14), lock, QRectF(lock.rect()))
        fold = layer_pixmap("fold", self._theme, "muted")
        inner = self.fold_button().adjusted(3, 3, -3, -3)
        painter.drawPixmap(inner, fold, QRectF(fold.rect()))
