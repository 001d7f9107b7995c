"""A small picture of the whole drawing in a corner, with a frame around what is in sight."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from studio.ui.pages.networks.designer.scene import CanvasScene
from studio.ui.pages.networks.designer.view import CanvasView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE

_LONG: Final = 168.0
_SHORT: Final = 72.0
_PAD: Final = 6.0


class Overview(QWidget):
    """Boxes as patches of color; a press or a drag moves the view there.

    It takes no focus: whoever uses the keyboard searches or goes by Tab. It is hidden while the
    whole drawing is in sight anyway.
    """

    def __init__(self, scene: CanvasScene, view: CanvasView, theme: Theme) -> None:
        super().__init__(view)
        self._scene = scene
        self._view = view
        self._theme = theme
        self.setAccessibleName(self.tr("Overview of the drawing"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._boxes = QPixmap()
        self._boxes_of = QRectF()
        for signal in (scene.drawing.changed, scene.drawing.folded, theme.changed):
            signal.connect(self._on_changed)
        view.moved.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Stand in the corner, as large as the drawing asks for."""
        content = self._scene.stage.content()
        seen = self._view.seen()
        self.setVisible(not content.isEmpty() and not seen.contains(content))
        scale = min(_LONG / max(content.width(), content.height()), 0.2)
        size = QSize(
            round(max(_SHORT / 2, content.width() * scale) + 2 * _PAD),
            round(max(_SHORT / 2, content.height() * scale) + 2 * _PAD),
        )
        room = self._view.viewport().rect()
        self.resize(size)
        self.move(room.width() - size.width() - SPACE.m, room.height() - size.height() - SPACE.m)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the drawing in small."""
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(palette.border), 1))
        painter.setBrush(QColor(palette.surface))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS.control, RADIUS.control
        )
        scale, origin = self._mapping()
        painter.drawPixmap(0, 0, self._drawn_boxes())
        seen = self._view.seen()
        frame = QRectF(
            (seen.topLeft() - origin) * scale + QPointF(_PAD, _PAD), seen.size() * scale
        )
        painter.setPen(QPen(QColor(palette.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inside = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        painter.drawRoundedRect(frame.intersected(inside), 3, 3)
        painter.end()

    def _on_changed(self) -> None:
        self._boxes = QPixmap()
        self.follow()

    def _drawn_boxes(self) -> QPixmap:
        """The boxes, drawn once: hundreds of them in every frame of a scrolling would be late."""
        content, size = self._scene.stage.content(), self.size() * self.devicePixelRatio()
        if self._boxes.size() == size and self._boxes_of == content:
            return self._boxes
        self._boxes_of = content
        self._boxes = QPixmap(size)
        self._boxes.setDevicePixelRatio(self.devicePixelRatio())
        self._boxes.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self._boxes)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale, origin = self._mapping()
        for box in self._scene.stage.boxes.values():
            rect = box.box()
            place = QRectF(
                (rect.topLeft() - origin) * scale + QPointF(_PAD, _PAD),
                rect.size() * scale,
            )
            painter.fillRect(place.adjusted(0, 0, 0, max(0.0, 1 - place.height())), box.color())
        painter.end()
        return self._boxes

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show what is there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, place: QPointF) -> None:
        scale, origin = self._mapping()
        self._view.centerOn((place - QPointF(_PAD, _PAD)) / scale + origin)
        self.update()

    def _mapping(self) -> tuple[float, QPointF]:
        """Pixels per unit of the drawing, and what lies in the upper left corner."""
        content = self._scene.stage.content()
        scale = min(_LONG / max(content.width(), content.height(), 1.0), 0.2)
        width = (self.width() - 2 * _PAD) / scale
        height = (self.height() - 2 * _PAD) / scale
        return scale, content.center() - QPointF(width / 2, height / 2)
