"""A check box painted as a switch."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from studio.ui.theme.theme import Theme

_WIDTH, _HEIGHT = 36, 20


class Switch(QCheckBox):
    """A switch with an immediate effect; keyboard and accessibility are those of a check box."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return the switch and its focus ring."""
        return QSize(_WIDTH + 6, _HEIGHT + 8)

    def hitButton(self, point: QPoint) -> bool:
        """Return True anywhere: the whole switch can be pressed."""
        return self.rect().contains(point)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint track, knob and focus ring."""
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(3, (self.height() - _HEIGHT) / 2, _WIDTH, _HEIGHT)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.drawRoundedRect(track.adjusted(-2, -2, 2, 2), _HEIGHT / 2 + 2, _HEIGHT / 2 + 2)
        on = self.isChecked()
        edge = palette.accent if on else palette.outline
        fill = palette.accent if on else palette.surface
        knob = palette.on_accent if on else palette.outline
        if not self.isEnabled():
            edge, fill, knob = palette.border, palette.ground, palette.disabled
        painter.setPen(QPen(QColor(edge), 1))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), _HEIGHT / 2, _HEIGHT / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(knob))
        side = _HEIGHT - 8
        left = track.right() - side - 4 if on else track.left() + 4
        painter.drawEllipse(QRectF(left, track.top() + 4, side, side))
        painter.end()
