"""The window onto the canvas: zoom, pan, keys, dotted ground, and an overview in its corner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QWidget

from studio.engine.errors import StudioError
from studio.engine.networks.spec import INPUT, NetworkSpec, topological_order
from studio.ui.pages.networks.designer.items import FAR, GRID, FrameItem
from studio.ui.pages.networks.designer.scene import CanvasScene, NetworkItems, shift
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE
from studio.ui.widgets.painting import FocusRing, PaintedWidget

_LONG: Final = 168.0
_SHORT: Final = 72.0
_PAD: Final = 6.0


class Overview(PaintedWidget):
    """Boxes as patches of color; a press or a drag moves the view there.

    It takes no focus: keyboard users search or use Tab. It is hidden while the
    whole drawing is in sight anyway.
    """

    def __init__(self, scene: CanvasScene, view: CanvasView, theme: Theme) -> None:
        super().__init__(theme, view)
        self._scene = scene
        self._view = view
        self.setAccessibleName(self.tr("Overview of the drawing"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._boxes = QPixmap()
        self._boxes_of = QRectF()
        for signal in (scene.drawing.changed, scene.drawing.folded, theme.changed):
            signal.connect(self._on_changed)
        view.moved.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Update the size and position in the corner."""
        content = self._scene.graphics.content()
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

    def paint(self, painter: QPainter) -> None:
        """Paint the small drawing and the visible area."""
        palette = self._theme.palette
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

    def _on_changed(self) -> None:
        self._boxes = QPixmap()
        self.follow()

    def _drawn_boxes(self) -> QPixmap:
        """Return the painted boxes, cached because painting hundreds per frame is too slow."""
        content, size = self._scene.graphics.content(), self.size() * self.devicePixelRatio()
        if self._boxes.size() == size and self._boxes_of == content:
            return self._boxes
        self._boxes_of = content
        self._boxes = QPixmap(size)
        self._boxes.setDevicePixelRatio(self.devicePixelRatio())
        self._boxes.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self._boxes)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale, origin = self._mapping()
        for box in self._scene.graphics.boxes.values():
            rect = box.box()
            area = QRectF(
                (rect.topLeft() - origin) * scale + QPointF(_PAD, _PAD),
                rect.size() * scale,
            )
            painter.fillRect(area.adjusted(0, 0, 0, max(0.0, 1 - area.height())), box.color())
        painter.end()
        return self._boxes

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Center the view at the pointer."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer while the button is pressed."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, point: QPointF) -> None:
        scale, origin = self._mapping()
        self._view.centerOn((point - QPointF(_PAD, _PAD)) / scale + origin)
        self.update()

    def _mapping(self) -> tuple[float, QPointF]:
        """Return pixels per unit of the drawing, and its position in the upper left corner."""
        content = self._scene.graphics.content()
        scale = min(_LONG / max(content.width(), content.height(), 1.0), 0.2)
        width = (self.width() - 2 * _PAD) / scale
        height = (self.height() - 2 * _PAD) / scale
        return scale, content.center() - QPointF(width / 2, height / 2)


DOTS: Final = 24
"""Distance between two dots in units of the drawing."""
_CLOSEST: Final = 12


def paint_ground(
    painter: QPainter, area: QRect, origin: QPoint, scale: float, theme: Theme
) -> None:
    """Paint the background, with a dotted grid unless zoomed out.

    Args:
        painter: Painter of the viewport.
        area: In its pixels.
        origin: Position of the scene's origin in pixels.
        scale: Pixels per unit of the drawing.
        theme: The theme.
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


_MOST: Final = 8
"""Boxes that a description names."""


def reading_order(graphics: NetworkItems, spec: NetworkSpec) -> list[str]:
    """Return the keys of the boxes of layers in the order of computation."""
    try:
        nodes = topological_order(spec)
    except StudioError:  # wires run in a circle
        nodes = spec.nodes
    return [key for key in graphics.shown(node.id for node in nodes) if key in graphics.boxes]


def description(graphics: NetworkItems, keys: Sequence[str]) -> str:
    """Return the texts of some boxes for screen readers."""
    styles = [graphics.boxes[key].style for key in keys[:_MOST]]
    return ", ".join(f"{style.title} {style.detail}".strip() for style in styles)


SMALLEST: Final = 0.05
LARGEST: Final = 3.0
STEP: Final = 1.2
_ARROWS: Final = {
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
}


class CanvasView(QGraphicsView):
    """Shows the scene.

    Ctrl and the wheel zoom at the pointer; the middle button, or Space and the left one, pan.
    Arrows move what is selected, Tab goes from layer to layer and leaves at the last.

    Signals:
        zoomed: The scale changed.
        menu_requested: A menu is requested, there on the screen.
        moved: Another part of the drawing is in sight.
        add_requested: A layer is to be added there: the bare canvas was pressed twice.
    """

    zoomed = Signal(float)
    moved = Signal()
    menu_requested = Signal(QPoint)
    add_requested = Signal(QPointF)

    def __init__(self, scene: CanvasScene, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self._canvas = scene
        self._theme = theme
        self._pan_from: QPoint | None = None
        self._space = False
        self._fits = True
        self._is_fresh = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.RubberBandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        FocusRing(theme, self)
        self.setMinimumSize(240, 160)
        self.setAccessibleName(self.tr("Drawing of the network"))
        self.viewport().setMouseTracking(True)
        self.zoomed.connect(self._sharpen)
        scene.drawing.selected.connect(self._describe)
        scene.drawing.changed.connect(self._describe)
        scene.drawing.changed.connect(self._stay)
        theme.changed.connect(self.viewport().update)

    @property
    def scale_now(self) -> float:
        """Pixels per unit of the drawing."""
        return self.transform().m11()

    def zoom_by(self, factor: float) -> None:
        """Zoom by a factor within limits."""
        requested = min(LARGEST, max(SMALLEST, self.scale_now * factor))
        factor = requested / self.scale_now
        if factor != 1:
            self._fits = self._is_fresh = False
            self.scale(factor, factor)
            self.zoomed.emit(self.scale_now)

    def zoom_to(self, scale: float) -> None:
        """Zoom to a scale."""
        self.zoom_by(scale / self.scale_now)

    def fit(self) -> None:
        """Show the whole drawing at most at its actual size."""
        content = self._canvas.graphics.content().adjusted(-24, -24, 24, 24)
        room = self.viewport().rect()
        if content.isEmpty() or room.isEmpty():
            return
        scale = min(room.width() / content.width(), room.height() / content.height(), 1.0)
        self.resetTransform()
        self.scale(max(scale, SMALLEST), max(scale, SMALLEST))
        self.centerOn(content.center())
        self._fits, self._is_fresh = True, False
        self.zoomed.emit(self.scale_now)

    def begin(self) -> None:
        """Show the whole of a newly opened drawing, or its start if it is too large to read."""
        self.fit()
        if self.scale_now < 0.6:
            content = self._canvas.graphics.content()
            self.resetTransform()
            self.scale(0.8, 0.8)
            room = self.viewport().rect()
            first = self._canvas.graphics.boxes[INPUT].box().center()
            down = self._canvas.drawing.direction == "down"
            top = QPointF(first.x(), content.top() - 24 + room.height() / 1.6)
            left = QPointF(content.left() - 24 + room.width() / 1.6, first.y())
            self.centerOn(top if down else left)
            self._fits = False
            self.zoomed.emit(self.scale_now)
        self._is_fresh = True

    def jump(self, node_id: str) -> None:
        """Center a layer."""
        box = self._canvas.graphics.boxes.get(node_id)
        if box is not None:
            self._is_fresh = False
            if self.scale_now < 0.6:
                self.zoom_to(1.0)
            self.centerOn(box.box().center())

    def middle(self) -> QPointF:
        """Return the center of the visible area in scene coordinates."""
        return self.seen().center()

    def seen(self) -> QRectF:
        """Return the visible area in scene coordinates."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl; otherwise scroll, sideways with Shift."""
        turned = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(STEP ** (turned / 120))
            event.accept()
        else:
            self._fits = self._is_fresh = False
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the selection, pan or cancel."""
        self._is_fresh = False
        key = Qt.Key(event.key())
        if key in _ARROWS:
            fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._push(_ARROWS[key] * (1.0 if fine else GRID))
        elif key == Qt.Key.Key_Escape:
            if not self._canvas.cancel_gesture():
                self._canvas.drawing.select([])
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Stop panning when Space is released."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.viewport().unsetCursor()
        super().keyReleaseEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's name
        """Select the next or previous layer on Tab; leave after the last one."""
        if not self.hasFocus():  # Qt also asks when a list over the canvas closes
            return super().focusNextPrevChild(next)
        boxes = reading_order(self._canvas.graphics, self._canvas.drawing.spec)
        chosen = [key for key in boxes if self._canvas.graphics.boxes[key].isSelected()]
        at = boxes.index(chosen[-1 if next else 0]) if chosen else (-1 if next else len(boxes))
        at += 1 if next else -1
        if not 0 <= at < len(boxes):
            return super().focusNextPrevChild(next)
        box = self._canvas.graphics.boxes[boxes[at]]
        self._canvas.clearSelection()
        box.setSelected(True)
        self.ensureVisible(box.box(), 40, 40)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start panning with the middle button, or with Space."""
        self._is_fresh = False
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self._space):
            self._pan_from = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or show a cross cursor over ports."""
        if self._pan_from is None:
            super().mouseMoveEvent(event)
            if not event.buttons() and not self._space:
                self._point(self.mapToScene(event.position().toPoint()))
            return
        by = event.position().toPoint() - self._pan_from
        self._pan_from = event.position().toPoint()
        self._fits = False
        across, along = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() - by.x())
        along.setValue(along.value() - by.y())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop panning."""
        if self._pan_from is None:
            super().mouseReleaseEvent(event)
            return
        self._pan_from = None
        self.viewport().unsetCursor()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Add a layer on the empty canvas."""
        if self.itemAt(event.position().toPoint()) is None:
            self.add_requested.emit(self.mapToScene(event.position().toPoint()))
            event.accept()
        else:
            super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Select the item under the pointer and request the menu."""
        item = self.itemAt(event.pos())
        if isinstance(item, FrameItem):
            self._canvas.drawing.select(self._canvas.graphics.picture.inside[item.key])
        elif item is not None and not item.isSelected():
            self._canvas.clearSelection()
            item.setSelected(True)
        self.menu_requested.emit(event.globalPos())
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the whole drawing visible if it was."""
        super().resizeEvent(event)
        if self._is_fresh:
            self.begin()
        elif self._fits:
            self.fit()
        self.moved.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Update the overview."""
        super().scrollContentsBy(dx, dy)
        self.moved.emit()

    def drawBackground(self, painter: QPainter, _rect: QRectF | QRect) -> None:
        """Paint the background."""
        origin = self.mapFromScene(QPointF(0, 0))
        paint_ground(painter, self.viewport().rect(), origin, self.scale_now, self._theme)

    def _push(self, by: QPointF) -> None:
        drawing = self._canvas.drawing
        if drawing.selection:
            keys = [*self._shown_selection(), *drawing.selection]
            shift(self._canvas.graphics, drawing, keys, by, f"push {drawing.selection}")

    def _shown_selection(self) -> list[str]:
        boxes = self._canvas.graphics.boxes
        return [key for key, box in boxes.items() if box.isSelected()]

    def _stay(self) -> None:
        # Who has begun to work wants to find everything where it was.
        self._is_fresh = False

    def _sharpen(self, scale: float) -> None:
        # From far there are only patches and straight lines, and hundreds of them.
        self.setRenderHint(QPainter.RenderHint.Antialiasing, scale >= FAR)
        self.moved.emit()

    def _point(self, point: QPointF) -> None:
        box = self._canvas.graphics.box_at(point)
        if box is not None and box.port_at(point) is not None:
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.viewport().unsetCursor()

    def _describe(self) -> None:
        """Describe the selection, or all layers, for screen readers."""
        graphics, keys = self._canvas.graphics, self._shown_selection()
        if keys:
            self.setAccessibleDescription(description(graphics, keys))
            return
        every = reading_order(graphics, self._canvas.drawing.spec)
        text = self.tr("Layers from input to output: {count}. {layers}")
        self.setAccessibleDescription(
            text.format(count=len(every), layers=description(graphics, every))
        )
