"""A note beside a drawing."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem

from studio.engine.networks.spec import Comment
from studio.ui.pages.networks.designer.painted import Painted
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE, TYPE, mix

WIDTH: Final = 184.0
_LOWEST: Final = 40.0
_WRAP: Final = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft)


class NoteItem(Painted, QGraphicsRectItem):
    """Paints a comment; its key is `NOTE_PREFIX` and its place in the list."""

    def __init__(self, key: str, theme: Theme) -> None:
        super().__init__()
        self.key = key
        self._theme = theme
        self._text = ""
        self.setZValue(-2)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)

    def show_comment(self, comment: Comment) -> None:
        """Show another text, somewhere else."""
        self._text = comment.text
        inside = QRectF(0, 0, WIDTH - 2 * SPACE.m, 2000)
        needed = QFontMetricsF(_font()).boundingRect(inside, _WRAP, self._text or " ")
        self.setRect(0, 0, WIDTH, max(_LOWEST, needed.height() + 2 * SPACE.s))
        self.setPos(QPointF(comment.x, comment.y))
        self.update()

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint the note."""
        palette = self._theme.palette
        chosen = self.isSelected()
        edge = palette.accent if chosen else mix(palette.raised, palette.warn, 0.45)
        painter.setPen(QPen(QColor(edge), 2 if chosen else 1))
        painter.setBrush(QColor(mix(palette.raised, palette.warn, 0.12)))
        painter.drawRoundedRect(self.rect(), RADIUS.control, RADIUS.control)
        if scale < 0.35:
            return
        painter.setFont(_font())
        painter.setPen(QColor(palette.text))
        inside = self.rect().adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        painter.drawText(inside, _WRAP, self._text)


def _font() -> QFont:
    font = QFont()
    font.setPixelSize(TYPE.caption)
    return font
