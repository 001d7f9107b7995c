"""What the items of the canvas share: they are painted by the scale, and anew when they change."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget


class Painted:
    """Comes before a class of graphics items in the bases of one."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paint as much as can be seen at the scale."""
        del widget
        self.paint_at(painter, option.levelOfDetailFromTransform(painter.worldTransform()))

    def paint_at(self, painter: QPainter, scale: float) -> None:
        """Paint; a scale of 1 shows everything as large as it is."""
        raise NotImplementedError
