"""A mask drawn on a picture: brush, eraser, polygon, box, fill, magic wand and GrabCut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.mask_image import (
    NOWHERE,
    Area,
    Labels,
    MaskImage,
    Region,
    alike,
    cut_out,
    same_class,
)
from studio.ui.widgets.canvas.picture import DIRECTIONS, TargetCanvas, Value, guarded
from studio.ui.widgets.canvas.prompting import TWO_LINES, paint_striped
from studio.ui.widgets.canvas.pyramid import ImagePyramid, part_of
from studio.ui.widgets.pictures import pixels_of

_LARGEST_BRUSH: Final = 1000
_GROWTH: Final = 1.25
_BIG_STEP: Final = 10
_GRAY: Final = 0xFF8A919C
"""Color of pixels without a class, where the eraser gives another one."""
_DARK: Final = 0xFF20242A
"""Color of a background whose own is black."""
_LEAST: Final = 3.0
"""Pixels of the window: a shorter drag is a click."""
_CLOSE: Final = 8.0
"""Pixels of the window from the first corner within which a click closes a polygon."""
# One for all canvases: their tools work for the person at the screen, one after another.
_pool = ThreadPoolExecutor(1, thread_name_prefix="canvas")


class Tool(Enum):
    """Tools of canvases of pixels, by their icons."""

    SELECT = "cursor"
    SPLIT = "pruned"
    BRUSH = "brush"
    ERASER = "eraser"
    POLYGON = "polygon"
    BOX = "box"
    FILL = "fill"
    WAND = "wand"
    CUT = "cut-out"
    SEGMENT = "segment"


TOOL_KEYS: Final = {
    Qt.Key.Key_B: Tool.BRUSH,
    Qt.Key.Key_E: Tool.ERASER,
    Qt.Key.Key_P: Tool.POLYGON,
    Qt.Key.Key_R: Tool.BOX,
    Qt.Key.Key_G: Tool.FILL,
    Qt.Key.Key_W: Tool.WAND,
    Qt.Key.Key_O: Tool.CUT,
    Qt.Key.Key_S: Tool.SEGMENT,
}
_STROKES: Final = (Tool.BRUSH, Tool.ERASER)
_RECTANGLES: Final = (Tool.BOX, Tool.CUT)
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MaskCanvas(TargetCanvas):
    """Draws a class for each pixel.

    Keys: B brush, E eraser, P polygon, R box, G fill, W magic wand, O object in a rectangle
    (GrabCut), S click to segment (see `Prompting`: Enter accepts the object, Backspace takes the
    last mark back, Esc drops all), [ and ] size of the brush. The keyboard alone draws with a pen
    that the arrows move (Shift: by ten pixels): Enter puts the pen down and lifts it, adds a
    corner, marks a place, or applies the tool; Backspace takes the last corner back, Esc ends a
    polygon without effect and, without one, puts the pen away.

    Args:
        theme: The theme.
        empty: Value of pixels that the eraser leaves; they are not painted.
        parent: Parent widget.

    Attributes:
        keys: Keys of the tools.

    Signals:
        tool_changed: Another tool, another size of the brush, or another class.
        busy_changed: True while a tool computes in another thread.
    """

    keys: ClassVar[dict[Qt.Key, Tool]] = TOOL_KEYS
    tool_changed = Signal()
    busy_changed = Signal(bool)
    _found = Signal(object, object)

    def __init__(self, theme: Theme, empty: int, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.mask_image = MaskImage()
        self.tool = Tool.BRUSH
        self.brush_size = 32.0
        self.tolerance = 24
        self.opacity = 0.55
        self._empty = empty
        self._layer = QImage()
        self._proposed_layer = QImage()
        self._pixels: Labels | None = None
        self._ticket = 0
        self._busy = 0
        self._last: QPointF | None = None
        self._pointer: QPointF | None = None
        self._pen_down = False
        self._has_pen = False
        self._corners: list[QPointF] = []
        self._rect: QRectF | None = None
        self._found.connect(self._on_found)
        _pool.submit(_load_tools)

    # Content

    @property
    def history(self) -> MaskImage:
        """The mask with its changes."""
        return self.mask_image

    def value(self) -> NDArray[Any]:
        """Return the mask, uint8 (height, width); drawing changes it in place."""
        return self.mask_image.labels

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes; see `TargetCanvas.set_classes`."""
        super().set_classes(names, colors)
        self._recolor()

    def show_value(
        self, pyramid: ImagePyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture with its mask; see `TargetCanvas.show_value`."""
        self._ticket += 1
        self._set_busy(0)
        self._corners, self._rect, self._last, self._pixels = [], None, None, None
        self._pen_down = self._has_pen = False
        self.prompting.clear()
        self.proposal, self._proposed_layer = None, QImage()
        self.show_picture(pyramid, keeps_view=keeps_view)
        size = self.picture_size
        if value is None:
            value = np.full((size.height(), size.width()), self._empty, np.uint8)
        self.mask_image.reset(value)
        self._wrap()
        self._describe()
        self.update()

    def show_proposal(self, value: Value | None) -> None:
        """Show a mask of the picture in stripes; see `TargetCanvas.show_proposal`."""
        is_fit = value is not None and value.shape == self.mask_image.labels.shape
        self.proposal = np.ascontiguousarray(value) if is_fit else None
        self._proposed_layer = _layer_of(self.proposal)
        self._recolor()

    def set_opacity(self, opacity: float) -> None:
        """Set the opacity of the mask, 0 to 1."""
        self.opacity = min(1.0, max(0.05, opacity))
        self._recolor()

    @property
    def is_busy(self) -> bool:
        """True while a tool computes."""
        return self._busy > 0

    # Changes

    def choose_class(self, number: int) -> None:
        """Draw with another class; from the eraser, change to the brush."""
        if 0 <= number < len(self._names):
            self.current_class = number
            if self.tool is Tool.ERASER:
                self.choose_tool(Tool.BRUSH)
            self.tool_changed.emit()
            self._describe()
            self.update()

    def choose_tool(self, tool: Tool) -> None:
        """Draw with another tool; one that cannot be used says why."""
        if tool is Tool.SEGMENT and self.prompting.reason:
            self.tool_changed.emit()
            self.failed.emit(self.prompting.reason)
            return
        if tool is not self.tool:
            self.cancel()
            self.tool = tool
            if tool is Tool.SEGMENT and self.prompting.outliner is not None:
                self.prompting.outliner.prepare()
            self.tool_changed.emit()
            self._describe()
            self.update()

    def set_brush_size(self, size: float) -> None:
        """Set the diameter of the brush, in pixels of the picture."""
        self._update_pointer()
        self.brush_size = min(_LARGEST_BRUSH, max(1.0, size))
        self._update_pointer()
        self.tool_changed.emit()

    @guarded
    def paste(self, value: Value) -> None:
        """Replace the mask by another one of the same size; can be undone."""
        if value.shape != self.mask_image.labels.shape:
            text = self.tr(
                "The previous image has another size, so its mask does not fit this one."
            )
            self.failed.emit(text)
            return
        self.mask_image.begin()
        self.mask_image.replace(value)
        self._finish()
        self.update()

    def take(self, value: Value) -> None:
        """Add a proposed mask where nothing is drawn yet; can be undone."""
        drawn = self.mask_image.labels
        self.paste(np.where(drawn == self._empty, value, drawn))

    @guarded
    def undo(self) -> None:
        """Undo the last change; of an open polygon the last corner, of an object the last mark."""
        if self._corners:
            self._take_corner()
        elif self.prompting.is_active:
            self.prompting.undo()
        else:
            self._show_changed(self.mask_image.undo())

    @guarded
    def redo(self) -> None:
        """Repeat the change that was undone last."""
        self._show_changed(self.mask_image.redo())

    def cancel(self) -> None:
        """End an open polygon or a stroke without effect."""
        if self.mask_image.is_changing:
            self._finish()
        self._corners, self._rect, self._last = [], None, None
        self._pen_down = False
        self.prompting.clear()

    # Mouse

    @guarded
    def press(self, point: QPointF, event: QMouseEvent) -> None:
        """Begin a stroke, add a corner, or apply a tool; see `PictureCanvas.drag`."""
        if self.tool is Tool.SEGMENT:
            self._put_pen_away()
            self.prompting.press(point, event)
            return
        if event.button() == Qt.MouseButton.RightButton:
            if self.tool is Tool.POLYGON and self._corners:
                self.close_polygon()
            return
        if self.tool in _STROKES:
            straight = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            start = self._last if straight and self._last is not None else point
            self.mask_image.begin()
            self._stroke(start, point)
        elif self.tool in _RECTANGLES:
            self._rect = QRectF(point, point)
        elif self.tool is Tool.POLYGON:
            first = self._corners[0] if len(self._corners) > 2 else None
            if first is not None and QLineF(first, point).length() * self.scale < _CLOSE:
                self.close_polygon()
            else:
                self._add_corner(point)
        else:
            self._apply(point)

    @guarded
    def drag(self, point: QPointF, _event: QMouseEvent) -> None:
        """Continue a stroke or a rectangle; see `PictureCanvas.drag`."""
        self.prompting.drag(point)
        if self.mask_image.is_changing and self._last is not None:
            self._update_pointer()
            self._pointer = point
            self._stroke(self._last, point)
            self._update_pointer()
        elif self._rect is not None:
            before = self._rect
            self._rect = QRectF(before.topLeft(), point)
            self._repaint(before.normalized().united(self._rect.normalized()), 4)

    @guarded
    def release(self, point: QPointF, _event: QMouseEvent) -> None:
        """End a stroke, or use the drawn rectangle; see `PictureCanvas.drag`."""
        self.prompting.release(point)
        if self.mask_image.is_changing:
            self._finish()
        elif self._rect is not None:
            rect, self._rect = QRectF(self._rect.topLeft(), point).normalized(), None
            self.update()
            self._use(rect)

    def hover(self, point: QPointF, _event: QMouseEvent) -> None:
        """Show the brush, or the next side of a polygon; see `PictureCanvas.drag`."""
        self._has_pen = self._has_pen and self._pen_down
        self._move_pointer(point)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Close a polygon; elsewhere a double click is two clicks."""
        if self.tool is Tool.POLYGON and self._corners:
            self.close_polygon()
        else:
            self.mousePressEvent(event)

    # Keys

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose tools and draw by the keyboard."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        has_control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        has_shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        # With a pen, Enter marks a place and Ctrl+Enter accepts the object.
        marks = self._has_pen and key in _ENTER and not has_control
        if not marks and self.prompting_key(event):
            return
        if has_control:
            super().keyPressEvent(event)
        elif key in self.keys and not (key == Qt.Key.Key_S and has_shift):
            self.choose_tool(self.keys[key])
        elif key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            grows = key == Qt.Key.Key_BracketRight
            size = self.brush_size
            larger = max(size + 1, size * _GROWTH)
            smaller = min(size - 1, size / _GROWTH)
            self.set_brush_size(round(larger if grows else smaller))
        elif key in DIRECTIONS:
            self._move_pen(key, _BIG_STEP if has_shift else 1)
        elif key in _ENTER:
            if not self._press_pen(closes=has_shift):
                super().keyPressEvent(event)
        elif key == Qt.Key.Key_Backspace and self._corners:
            self._take_corner()
        elif not (key == Qt.Key.Key_Escape and self._escape()):
            super().keyPressEvent(event)

    def _escape(self) -> bool:
        """End what the tool has begun, or put the pen away; False if there is neither."""
        if self._corners or self._rect or self._pen_down:
            self.cancel()
        elif self._has_pen:
            self._put_pen_away()
        else:
            return False
        return True

    def _move_pen(self, key: Qt.Key, steps: int) -> None:
        pixel = max(1.0, round(1 / self.scale)) * steps
        at = self._pen()
        across, down = DIRECTIONS[key]
        size = self.picture_size
        point = QPointF(
            min(max(0.5, at.x() + across * pixel), size.width() - 0.5),
            min(max(0.5, at.y() + down * pixel), size.height() - 0.5),
        )
        if self._pen_down and self.tool in _STROKES:
            self._stroke(at, point)
        elif self._pen_down and self._rect is not None:
            self._rect = QRectF(self._rect.topLeft(), point)
            self.update()
        self._has_pen = True
        self._move_pointer(point)
        self.show_part(QRectF(point.x() - 1, point.y() - 1, 2, 2))
        self._describe()

    def _press_pen(self, *, closes: bool) -> bool:
        """Put the pen down or lift it; False if Enter belongs to others."""
        # Where the mouse moves the pointer, it also draws.
        if self.pyramid.is_null or self._pointer is None or not self._has_pen:
            return False
        point = self._pen()
        if self.tool in _STROKES:
            self._pen_down = not self._pen_down
            if self._pen_down:
                self.mask_image.begin()
                self._stroke(point, point)
            else:
                self._finish()
        elif self.tool in _RECTANGLES:
            if self._rect is None:
                self._rect, self._pen_down = QRectF(point, point), True
            else:
                rect, self._rect = self._rect.normalized(), None
                self._pen_down = False
                self.update()
                self._use(rect)
        elif self.tool is Tool.POLYGON:
            if closes:
                self.close_polygon()
            else:
                self._add_corner(point)
        elif self.tool is Tool.SEGMENT:
            self.prompting.add(point, is_inside=not closes)
        else:
            self._apply(point)
        return True

    def _put_pen_away(self) -> None:
        self._update_pointer()
        self._has_pen, self._pointer = False, None
        self._describe()

    def _pen(self) -> QPointF:
        return self.visible_part().center() if self._pointer is None else self._pointer

    # Tools

    def close_polygon(self) -> None:
        """Fill the open polygon."""
        corners, self._corners = self._corners, []
        if len(corners) > 2:
            self.mask_image.begin()
            self.mask_image.polygon([(each.x(), each.y()) for each in corners], self.current_class)
            self._finish()
        self.update()

    def _stroke(self, start: QPointF, end: QPointF) -> None:
        value = self._empty if self.tool is Tool.ERASER else self.current_class
        size = max(1.0, self.brush_size)
        area = self.mask_image.stroke((start.x(), start.y()), (end.x(), end.y()), size, value)
        self._last = end
        self._repaint_area(area)

    def _add_corner(self, point: QPointF) -> None:
        size = self.picture_size
        inside = QPointF(
            min(max(0.0, point.x()), size.width()), min(max(0.0, point.y()), size.height())
        )
        self._corners.append(inside)
        self._repaint_polygon()

    def _take_corner(self) -> None:
        self._repaint_polygon()
        self._corners.pop()
        self.update()

    def _apply(self, point: QPointF) -> None:
        """Fill, or select similar pixels, around a position."""
        x, y = int(point.x()), int(point.y())
        size = self.picture_size
        if not (0 <= x < size.width() and 0 <= y < size.height()):
            return
        if self.tool is Tool.FILL:
            # A copy: the mask may change while it is read.
            self._compute(partial(same_class, self.mask_image.labels.copy(), x, y))
        else:
            image, tolerance = self.pyramid.image, self.tolerance
            self._compute(lambda: alike(pixels_of(image), x, y, tolerance))

    def _use(self, rect: QRectF) -> None:
        """Fill a rectangle, or cut out the object in it."""
        if self.tool is Tool.CUT:
            self._cut(rect)
        elif min(rect.width(), rect.height()) * self.scale >= _LEAST:
            corners = rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()
            self._corners = [*corners]
            self.close_polygon()

    def _cut(self, rect: QRectF) -> None:
        if min(rect.width(), rect.height()) * self.scale < _LEAST:
            return
        area, image = rect.toAlignedRect(), self.pyramid.image
        sides = (area.left(), area.top(), area.left() + area.width(), area.top() + area.height())
        self._compute(lambda: cut_out(pixels_of(image), sides))

    def _compute(self, work: Callable[[], Region]) -> None:
        """Run a tool in another thread and paint what it finds."""
        self._set_busy(self._busy + 1)
        value = self.current_class
        future = _pool.submit(work)
        future.add_done_callback(partial(_report, self, (self._ticket, value)))

    @guarded
    def _on_found(self, about: tuple[int, int], future: Future[Region]) -> None:
        ticket, value = about
        if ticket != self._ticket:
            return
        self._set_busy(self._busy - 1)
        error = future.exception()
        if error is not None:
            self.report_failure(error)
            return
        region = future.result()
        if region.is_empty:
            self.failed.emit(self.tr("Nothing was found there. Try another place."))
            return
        self._paint_region(region, value)

    def accept_region(self, region: Region) -> None:
        """Paint an object that was found; see `TargetCanvas.accept_region`."""
        self._paint_region(region, self.current_class)

    def _paint_region(self, region: Region, value: int) -> None:
        was_changing = self.mask_image.is_changing
        if was_changing:
            self.mask_image.end()
        self.mask_image.begin()
        area = self.mask_image.paint(region, value)
        self._finish()
        self._repaint_area(area)
        if was_changing:
            self.mask_image.begin()

    def _set_busy(self, number: int) -> None:
        was, self._busy = self.is_busy, max(0, number)
        if was != self.is_busy:
            self.busy_changed.emit(self.is_busy)

    def _finish(self) -> None:
        """End a step of undo and report it."""
        if self.mask_image.end():
            self.changed.emit()

    def _show_changed(self, area: Area) -> None:
        if area != NOWHERE:
            self._repaint_area(area)
            self.changed.emit()

    # Painting

    def paint_layer(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the mask and the tool; see `PictureCanvas.paint_layer`."""
        whole = self.picture_rect()
        if not self._layer.isNull() and not self._hidden:
            source = part_of(whole, QRectF(exposed), self._layer.size())
            if not source.isEmpty():
                target = self.rect_to_window(source)
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
                painter.drawImage(target, self._layer, source)
        if not self._proposed_layer.isNull() and not self._hidden:
            ratio = self.devicePixelRatioF()
            paint_striped(painter, self._proposed_layer, whole, exposed, ratio)
        self.paint_prompting(painter, exposed)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._corners:
            self._paint_polygon(painter)
        if self._rect is not None:
            rect = self.rect_to_window(self._rect.normalized())
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for color, style in TWO_LINES:
                painter.setPen(QPen(color, 2, style))
                painter.drawRect(rect)
        if self._pointer is not None:
            self._paint_pointer(painter)

    def _paint_polygon(self, painter: QPainter) -> None:
        points = [self.to_window(each) for each in self._corners]
        if self._pointer is not None:
            points.append(self.to_window(self._pointer))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for color, style in TWO_LINES:
            painter.setPen(QPen(color, 2, style))
            painter.drawPolyline(QPolygonF(points))
        painter.setPen(QPen(QColor("#000000"), 1))
        painter.setBrush(QColor("#FFFFFF"))
        for point in points[: len(self._corners)]:
            painter.drawRect(QRectF(point.x() - 3, point.y() - 3, 6, 6))

    def _paint_pointer(self, painter: QPainter) -> None:
        point = self.to_window(self._pen())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = max(2.0, self.brush_size * self.scale / 2)
        for color, width in ((QColor(0, 0, 0, 170), 3), (QColor(255, 255, 255), 1)):
            painter.setPen(QPen(color, width))
            if self.tool in _STROKES:
                painter.drawEllipse(point, radius, radius)
            else:
                painter.drawLine(point - QPointF(7, 0), point + QPointF(7, 0))
                painter.drawLine(point - QPointF(0, 7), point + QPointF(0, 7))

    def _wrap(self) -> None:
        """Let an image show the memory of the mask, so that nothing is copied for painting."""
        self._layer = _layer_of(self.mask_image.labels)
        self._recolor()

    def _recolor(self) -> None:
        for layer in (self._layer, self._proposed_layer):
            if not layer.isNull():
                layer.setColorTable(self._table())
        self.update()

    def _table(self) -> list[int]:
        """Return the color of each value as 0xaarrggbb."""
        table = [_GRAY] * 256
        for number, color in enumerate(self._colors):
            rgb = int(color[1:], 16)
            table[number] = 0xFF000000 | rgb if rgb else _DARK
        alpha = round(255 * self.opacity) << 24
        table = [alpha | (color & 0xFFFFFF) for color in table]
        table[self._empty] = 0
        return table

    def _move_pointer(self, point: QPointF) -> None:
        if self._corners:
            self._repaint_polygon()
        self._update_pointer()
        self._pointer = point
        self._update_pointer()
        if self._corners:
            self._repaint_polygon()

    def _update_pointer(self) -> None:
        if self._pointer is None:
            return
        point = self.to_window(self._pointer)
        radius = 10.0
        if self.tool in _STROKES:
            radius = max(radius, self.brush_size * self.scale / 2 + 3)
        around = QRectF(point.x() - radius, point.y() - radius, 2 * radius, 2 * radius)
        self.update(around.toAlignedRect())

    def _repaint_polygon(self) -> None:
        points = [*self._corners[:1], *self._corners[-1:]]
        if self._pointer is not None:
            points.append(self._pointer)
        # Only the last side moves; the others stay as they are painted.
        last = [self.to_window(each) for each in points[1:] or points]
        self.update(QPolygonF(last).boundingRect().toAlignedRect().adjusted(-8, -8, 8, 8))

    def _repaint(self, rect: QRectF, pad: int) -> None:
        shown = self.rect_to_window(rect).toAlignedRect()
        self.update(shown.adjusted(-pad, -pad, pad, pad))

    def _repaint_area(self, area: Area) -> None:
        if area != NOWHERE:
            left, top, right, bottom = area
            self._repaint(QRectF(left, top, right - left, bottom - top), 2)

    def leaveEvent(self, _event: QEvent) -> None:
        """Hide the brush, unless the keyboard moves it."""
        if not self._pen_down and not self._corners:
            self._update_pointer()
            self._pointer = None

    def _describe(self) -> None:
        name = self._names[self.current_class] if self._names else ""
        tool = self.tool_name(self.tool)
        text = self.tr("{tool}, class {name}").format(tool=tool, name=name)
        if self._pointer is not None:
            text = self.tr("{text}, at {x}, {y}").format(
                text=text, x=int(self._pointer.x()), y=int(self._pointer.y())
            )
        self.setAccessibleDescription(text)

    def tool_name(self, tool: Tool) -> str:
        """Return the name of a tool."""
        names = {
            Tool.BRUSH: self.tr("Brush"),
            Tool.ERASER: self.tr("Eraser"),
            Tool.POLYGON: self.tr("Polygon"),
            Tool.BOX: self.tr("Box"),
            Tool.FILL: self.tr("Fill"),
            Tool.WAND: self.tr("Magic wand"),
            Tool.CUT: self.tr("Object in a rectangle"),
            Tool.SEGMENT: self.tr("Click to segment"),
        }
        return names[tool]


def _layer_of(labels: Labels | None) -> QImage:
    """Return an image on the memory of a mask; null for nothing."""
    if labels is None or not labels.size:
        return QImage()
    height, width = labels.shape
    return QImage(labels.data, width, height, width, QImage.Format.Format_Indexed8)


def _load_tools() -> None:
    """Import OpenCV, which takes 100 ms, before the first stroke."""
    import cv2  # noqa: PLC0415

    cv2.setNumThreads(cv2.getNumThreads())


def _report(canvas: MaskCanvas, about: tuple[int, int], future: Future[Region]) -> None:
    """Bring a result to the window's thread; from the other one."""
    if shiboken6.isValid(canvas):
        canvas._found.emit(about, future)  # noqa: SLF001 - its own signal
