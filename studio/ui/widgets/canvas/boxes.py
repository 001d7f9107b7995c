"""Boxes drawn on a picture, with the mouse or with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntFlag
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QRegion,
)
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.boxes import CLASS, FLAGS, LEFT
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE, TYPE, contrast
from studio.ui.widgets.canvas.box_list import (
    NONE,
    BoxArray,
    BoxList,
    Rect,
)
from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.picture import DIRECTIONS, TargetCanvas, Value, guarded
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.figures import counted
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import Debounce

_REACH: Final = 7.0
"""Pixels of the window within which the pointer is at a side."""
_SNAP: Final = 7.0
"""Pixels of the window within which a side snaps to the edge of the picture."""
_HANDLE: Final = 8.0
_LINE: Final = 2
_SHADOW: Final = QColor(0, 0, 0, 140)
"""A dark line under the colored one separates it from any picture."""
_LABEL_WIDTH: Final = 160
_LABEL_HEIGHT: Final = 18
_LEAST: Final = 3.0
"""Pixels of the window: a shorter drag is a click."""
_BIG_STEP: Final = 10
_NEW_PART: Final = 0.25
"""Part of the view that a new box from the keyboard takes."""
_PROPOSED: Final = -1
"""In place of flags: a box that is proposed."""
_PROPOSED_INSIDE: Final = 40
_MANY: Final = 100
"""Boxes from which the view is painted with their colored lines alone while it moves."""
_CALM_MS: Final = 120
"""After the last move of the view, until everything is painted again."""
_BLACK, _WHITE = "#000000", "#FFFFFF"


class Side(IntFlag):
    """Sides of a box that a drag moves."""

    NONE = 0
    LEFT = 1
    TOP = 2
    RIGHT = 4
    BOTTOM = 8
    ALL = 15


_CURSORS: Final = {
    Side.LEFT: Qt.CursorShape.SizeHorCursor,
    Side.RIGHT: Qt.CursorShape.SizeHorCursor,
    Side.TOP: Qt.CursorShape.SizeVerCursor,
    Side.BOTTOM: Qt.CursorShape.SizeVerCursor,
    Side.LEFT | Side.TOP: Qt.CursorShape.SizeFDiagCursor,
    Side.RIGHT | Side.BOTTOM: Qt.CursorShape.SizeFDiagCursor,
    Side.RIGHT | Side.TOP: Qt.CursorShape.SizeBDiagCursor,
    Side.LEFT | Side.BOTTOM: Qt.CursorShape.SizeBDiagCursor,
    Side.ALL: Qt.CursorShape.SizeAllCursor,
}


class BoxCanvas(TargetCanvas):
    """Draws, moves and resizes boxes.

    A drag over an empty place draws a box of the current class; a drag of the selected box, its
    sides or corners changes it; a click selects. Shift draws over other boxes. Keys: N adds a box,
    Tab and Shift+Tab select the next and the previous one, arrows move it, Shift and the arrows
    move its right and lower side, with Alt by ten pixels; Delete removes it, Esc selects none.
    S switches click to segment on and off: then a click or a drag marks an object (`Prompting`),
    and Enter makes the box around it.

    Args:
        theme: The theme.
        most: Number of boxes that a picture may have.
        flags: Bits of flags, each with a sign that is shown behind the name of a class.
        parent: Parent widget.

    Attributes:
        segments: True while clicks mark objects.

    Signals:
        selection_changed: Another box is selected, or none.
        mode_changed: Click to segment was switched on or off.
    """

    selection_changed = Signal()
    mode_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        most: int,
        flags: Sequence[tuple[int, str]] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, parent)
        self.list = BoxList(most)
        self._flags = flags
        self.segments = False
        self._labels: dict[tuple[int, int], QPixmap] = {}
        self._sides = Side.NONE
        self._start = QPointF()
        self._from: Rect = (0, 0, 0, 0)
        self._drawn: Rect | None = None
        self._step = 0
        self._copied: BoxArray = np.zeros((0, 6), np.float32)
        self._is_rough = False
        self._calm = Debounce(_CALM_MS, self._paint_fine, self)
        theme.changed.connect(self._labels.clear)

    # Content

    @property
    def history(self) -> BoxList:
        """The boxes with their changes."""
        return self.list

    def value(self) -> BoxArray:
        """Return the boxes, float32 (n, 6)."""
        return self.list.boxes

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes; see `TargetCanvas.set_classes`."""
        self._labels.clear()
        super().set_classes(names, colors)

    def show_value(
        self, pyramid: ImagePyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture with its boxes; see `TargetCanvas.show_value`."""
        self._drawn, self._sides, self.proposal = None, Side.NONE, None
        self.prompting.clear()
        self.show_picture(pyramid, keeps_view=keeps_view)
        boxes = self.list.boxes[:0] if value is None else value
        self.list.reset(boxes, self.picture_size.width(), self.picture_size.height())
        self._report_selection()

    def show_proposal(self, value: Value | None) -> None:
        """Show boxes with dashed lines; see `TargetCanvas.show_proposal`."""
        self.proposal = value
        self.update()

    def zoom_to(self, scale: float, around: QPointF) -> None:
        """Zoom; see `PictureCanvas.zoom_to`."""
        self._paint_rough()
        super().zoom_to(scale, around)

    def pan_by(self, across: float, down: float) -> None:
        """Pan; see `PictureCanvas.pan_by`."""
        self._paint_rough()
        super().pan_by(across, down)

    # Changes

    @guarded
    def choose_class(self, number: int) -> None:
        """Make a class the current one, and that of the selected box."""
        if 0 <= number < len(self._names):
            self.current_class = number
            self._change_selected(partial(self.list.set_class, number=number))

    @guarded
    def toggle_flag(self, flag: int) -> None:
        """Set or clear a flag of the selected box."""
        self._change_selected(partial(self.list.toggle_flag, flag=flag))

    @guarded
    def add_box(self) -> None:
        """Add a box of the current class in the middle of the view."""
        seen = self.visible_part()
        if seen.isEmpty():
            return
        before = self._room(self.list.selected)
        room = QRectF(QPointF(), seen.size() * _NEW_PART)
        room.moveCenter(seen.center())
        if self.list.add(
            self.current_class, (room.left(), room.top(), room.right(), room.bottom())
        ):
            self._changed(before)
            self._report_selection()

    @guarded
    def remove_selected(self) -> None:
        """Remove the selected box."""
        if self._change_selected(self.list.remove):
            self._report_selection()

    def _change_selected(self, change: Callable[[int], object]) -> bool:
        """Apply a change to the selected box and report it; return False without a selection."""
        index = self.list.selected
        if index != NONE:
            before = self._room(index)
            change(index)
            self._changed(before)
        return index != NONE

    @guarded
    def paste(self, value: Value) -> None:
        """Add boxes, shape (n, 6), such as those of the previous picture."""
        if self.list.paste(value):
            self._replaced()

    def take(self, value: Value) -> None:
        """Add proposed boxes, shape (n, 6)."""
        self.paste(value)

    @guarded
    def undo(self) -> None:
        """Undo the last change; of an object the last mark."""
        if self.prompting.is_active:
            self.prompting.undo()
        elif self.list.undo():
            self._replaced()

    @guarded
    def redo(self) -> None:
        """Repeat the change that was undone last."""
        if self.list.redo():
            self._replaced()

    def cancel(self) -> None:
        """End a drag; a box that is being drawn is dropped."""
        self._drawn, self._sides = None, Side.NONE
        self.list.end_step()
        self.prompting.clear()

    def set_segments(self, segments: bool) -> None:
        """Let clicks mark objects, or draw boxes again; says why if that is not possible.

        Args:
            segments: True to mark objects.
        """
        if segments and self.prompting.reason:
            self.failed.emit(self.prompting.reason)
            segments = False
        if segments and self.prompting.outliner is not None:
            self.prompting.outliner.prepare()
            self.select(NONE)
        self.segments = segments
        self.prompting.clear()
        self.setCursor(self.tool_cursor())
        self.mode_changed.emit()

    @guarded
    def accept_region(self, region: Region) -> None:
        """Add the box around an object; see `TargetCanvas.accept_region`."""
        left, top, right, bottom = region.area
        if self.list.add(self.current_class, (left, top, right, bottom)):
            self._changed(self._room(self.list.selected))
            self._report_selection()

    @guarded
    def take_outlines(self, before: BoxArray, regions: Sequence[Region | None]) -> None:
        """Make each box the one around its object; those without one stay.

        Args:
            before: The boxes that were outlined; if they were changed meanwhile, all stay.
            regions: The object in each box.
        """
        boxes = before.copy()
        if not np.array_equal(before, self.list.boxes):
            self.report_outdated()
            return
        for box, region in zip(boxes, regions, strict=True):
            if region is not None:
                box[LEFT:FLAGS] = region.area
        self.list.replace(boxes)
        self._replaced()

    def select(self, index: int) -> None:
        """Select a box, or `NONE`."""
        before = self._room(self.list.selected)
        self.list.select(index)
        self._repaint(before)
        if index != NONE:
            self.current_class = int(self.list.boxes[index, CLASS])
            self.show_part(_qrect(self.list.rect(index)))
        self._report_selection()

    # Mouse

    @guarded
    def press(self, point: QPointF, event: QMouseEvent) -> None:
        """Begin to draw, move or resize a box, or select one; see `PictureCanvas.drag`."""
        if self.segments:
            self.prompting.press(point, event)
            return
        self._start, self._drawn = point, None
        self._step += 1
        self.list.end_step()
        draws = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._sides = Side.NONE if draws else self._sides_at(point)
        if event.button() == Qt.MouseButton.RightButton:
            self._sides = Side.NONE
            self.select(self.list.at(point.x(), point.y(), _REACH / self.scale))
            return
        if self._sides:
            self._from = self.list.rect(self.list.selected)

    @guarded
    def drag(self, point: QPointF, event: QMouseEvent) -> None:
        """Draw, move or resize a box; see `PictureCanvas.drag`."""
        self.prompting.drag(point)
        if self.segments:
            return
        if not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if self._sides:
            self._drag_sides(point)
            return
        start, end = self._start, point
        if self._drawn is None and QLineF(start, end).length() * self.scale < _LEAST:
            return
        if self._drawn is None and self.list.selected != NONE:
            self.select(NONE)
        before = self._drawn
        self._drawn = self._snapped((start.x(), start.y(), end.x(), end.y()), Side.ALL)
        for rect in filter(None, (before, self._drawn)):
            self._repaint(self._room_of(rect, labeled=False))

    @guarded
    def release(self, point: QPointF, event: QMouseEvent) -> None:
        """Add the drawn box, or select the one under a click; see `PictureCanvas.drag`."""
        if self.segments:
            self.prompting.release(point)
            return
        drawn, self._drawn = self._drawn, None
        self.list.end_step()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if drawn is not None:
            self._repaint(self._room_of(drawn, labeled=False))
            if self.list.add(self.current_class, drawn):
                self._changed(self._room(self.list.selected))
                self._report_selection()
        elif self._sides and self._from != self._current_rect():
            self.changed.emit()
            self._report_selection()
        else:
            self.select(self.list.at(point.x(), point.y(), _REACH / self.scale))
        self._sides = Side.NONE

    @guarded
    def hover(self, point: QPointF, event: QMouseEvent) -> None:
        """Show by the pointer what a drag would do; see `PictureCanvas.drag`."""
        draws = self.segments or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sides = Side.NONE if draws else self._sides_at(point)
        self.setCursor(_CURSORS.get(sides, self.tool_cursor()))

    # Keys

    def focusNextPrevChild(self, _forward: bool) -> bool:
        """Keep Tab for the boxes; after the last one it leaves the canvas."""
        return False

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Add, select, move, resize and remove boxes."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if self.prompting_key(event):
            return
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            if not self._control_key(key):
                super().keyPressEvent(event)
        elif key in DIRECTIONS and self.list.selected != NONE:
            self._arrow(key, modifiers)
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._select_next(forward=key == Qt.Key.Key_Tab)
        elif key == Qt.Key.Key_N:
            self.add_box()
        elif _switches_segments(event) or (key == Qt.Key.Key_Escape and self.segments):
            self.set_segments(key == Qt.Key.Key_S and not self.segments)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.list.selected != NONE:
            self.remove_selected()
        elif key == Qt.Key.Key_Escape and (self._drawn or self.list.selected != NONE):
            self._drawn = None
            self.select(NONE)
            self.update()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End a step of undo when an arrow is let go."""
        if event.key() in DIRECTIONS and not event.isAutoRepeat():
            self.list.end_step()
        super().keyReleaseEvent(event)

    def _control_key(self, key: Qt.Key) -> bool:
        if key == Qt.Key.Key_C and self.list.selected != NONE:
            self._copied = self.list.boxes[self.list.selected : self.list.selected + 1]
        elif key == Qt.Key.Key_V and len(self._copied):
            # A little apart, where it would cover the one that it was copied from.
            moved = self._copied.copy()
            moved[:, LEFT:FLAGS] += _BIG_STEP
            self.paste(moved)
        else:
            return False
        return True

    def _arrow(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        index = self.list.selected
        pixel = max(1, round(1 / self.scale))
        step = pixel * (_BIG_STEP if modifiers & Qt.KeyboardModifier.AltModifier else 1)
        across, down = (part * step for part in DIRECTIONS[key])
        before = self._room(index)
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            left, top, right, bottom = self.list.rect(index)
            right, bottom = max(left + 1, right + across), max(top + 1, bottom + down)
            self.list.set_rect(index, (left, top, right, bottom), ("resize", index))
        else:
            self.list.move(index, across, down, ("move", index))
        self._changed(before)
        self.show_part(_qrect(self.list.rect(index)))

    def _select_next(self, *, forward: bool) -> None:
        number = len(self.list.boxes)
        at = self.list.selected
        following = (at + 1 if forward else (at if at != NONE else number) - 1) if number else NONE
        if 0 <= following < number:
            self.select(following)
            return
        self.select(NONE)
        super().focusNextPrevChild(forward)

    # Geometry

    def _sides_at(self, point: QPointF) -> Side:
        """Return the parts moved by a drag from a position: sides of the selected box, or all."""
        index = self.list.selected
        if index == NONE:
            return Side.NONE
        left, top, right, bottom = self.list.rect(index)
        reach = _REACH / self.scale
        if not (left - reach <= point.x() <= right + reach):
            return Side.NONE
        if not (top - reach <= point.y() <= bottom + reach):
            return Side.NONE
        # The handles of a tiny box leave its middle to move it by.
        across = min(reach, (right - left) / 3) if left < point.x() < right else reach
        down = min(reach, (bottom - top) / 3) if top < point.y() < bottom else reach
        sides = Side.NONE
        if abs(point.x() - left) <= across:
            sides |= Side.LEFT
        elif abs(point.x() - right) <= across:
            sides |= Side.RIGHT
        if abs(point.y() - top) <= down:
            sides |= Side.TOP
        elif abs(point.y() - bottom) <= down:
            sides |= Side.BOTTOM
        return sides or Side.ALL

    def _drag_sides(self, point: QPointF) -> None:
        index, moved = self.list.selected, point - self._start
        left, top, right, bottom = self._from
        before = self._room(index)
        kind = ("drag", self._step)
        if self._sides == Side.ALL:
            target = self._snapped_move(moved)
            now = self.list.rect(index)
            self.list.move(index, target[0] - now[0], target[1] - now[1], kind)
        else:
            rect = (
                left + moved.x() * bool(self._sides & Side.LEFT),
                top + moved.y() * bool(self._sides & Side.TOP),
                right + moved.x() * bool(self._sides & Side.RIGHT),
                bottom + moved.y() * bool(self._sides & Side.BOTTOM),
            )
            self.list.set_rect(index, self._snapped(rect, self._sides), kind)
        self._changed(before, final=False)

    def _snapped(self, rect: Rect, sides: Side) -> Rect:
        """Return a rectangle whose sides snap to the edges of the picture."""
        reach = _SNAP / self.scale
        width, height = self.list.width, self.list.height
        across = Side.LEFT | Side.RIGHT
        down = Side.TOP | Side.BOTTOM
        left, top, right, bottom = rect
        if sides & across:
            left, right = _near(left, width, reach), _near(right, width, reach)
        if sides & down:
            top, bottom = _near(top, height, reach), _near(bottom, height, reach)
        return left, top, right, bottom

    def _snapped_move(self, moved: QPointF) -> tuple[float, float]:
        """Return the left upper corner of a box that is moved as a whole."""
        left, top, right, bottom = self._from
        reach = _SNAP / self.scale
        x = _near(left + moved.x(), self.list.width - (right - left), reach)
        y = _near(top + moved.y(), self.list.height - (bottom - top), reach)
        return float(round(x)), float(round(y))

    def _current_rect(self) -> Rect:
        index = self.list.selected
        return (0, 0, 0, 0) if index == NONE else self.list.rect(index)

    # Painting

    def paint_layer(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the boxes that touch what changed; see `PictureCanvas.paint_layer`."""
        if self._hidden:
            return
        if self.proposal is not None:
            self._paint_proposal(painter, self.proposal, exposed)
        if len(self.list.boxes):
            sides = self._shown_sides(self.list.boxes)
            self._paint_boxes(painter, sides, self._touching(sides, exposed))
        if self._drawn is not None:
            rect = self.rect_to_window(_qrect(self._drawn))
            self._paint_frame(painter, rect, QColor(self._color(self.current_class)), dashed=True)
        self.paint_prompting(painter, exposed)

    def _shown_sides(self, boxes: BoxArray) -> NDArray[np.float64]:
        """Return the sides of boxes in pixels of the window, shape (n, 4)."""
        offset = self.to_window(QPointF(0, 0))
        sides = boxes[:, LEFT:FLAGS].astype(np.float64) * self.scale
        sides += (offset.x(), offset.y(), offset.x(), offset.y())
        return sides

    def _paint_proposal(self, painter: QPainter, boxes: BoxArray, exposed: QRect) -> None:
        """Paint dashed boxes, lightly filled, with a question mark behind their names."""
        sides = self._shown_sides(boxes)
        for index in self._touching(sides, exposed).tolist():
            rect = _qrect(sides[index].tolist())
            number = int(boxes[index, CLASS])
            color = QColor(self._color(number))
            inside = QColor(color)
            inside.setAlpha(_PROPOSED_INSIDE)
            painter.fillRect(rect, inside)
            self._paint_frame(painter, rect, color, dashed=True)
            label = self._label(number, _PROPOSED)
            painter.drawPixmap(self._label_corner(rect, label), label)

    def _paint_rough(self) -> None:
        """Paint lines alone until the view is calm: the whole view is painted for each step."""
        if len(self.list.boxes) >= _MANY:
            self._is_rough = True
            self._calm.start()

    def _paint_fine(self) -> None:
        self._is_rough = False
        self.update()

    def _touching(self, sides: NDArray[np.float64], exposed: QRect) -> NDArray[np.int64]:
        """Return the boxes whose lines or labels may lie in a rectangle."""
        touches = (
            (sides[:, 0] - _LABEL_WIDTH < exposed.right() + _HANDLE)
            & (np.maximum(sides[:, 2], sides[:, 0] + _LABEL_WIDTH) > exposed.left() - _HANDLE)
            & (sides[:, 1] - _LABEL_HEIGHT < exposed.bottom() + _HANDLE)
            & (sides[:, 3] + _LABEL_HEIGHT > exposed.top() - _HANDLE)
        )
        # What shows nothing but the inside of a box needs none of its lines.
        inside = (
            (sides[:, 0] + _HANDLE < exposed.left())
            & (sides[:, 2] - _HANDLE > exposed.right())
            & (sides[:, 1] + _HANDLE + _LABEL_HEIGHT < exposed.top())
            & (sides[:, 3] - _HANDLE > exposed.bottom())
        )
        return np.flatnonzero(touches & ~inside)

    def _paint_boxes(
        self, painter: QPainter, sides: NDArray[np.float64], shown: NDArray[np.int64]
    ) -> None:
        """Paint boxes, the selected one over the others.

        Lines are filled rectangles, all of one color at once: 500 boxes drawn one after another
        with a pen take 15 ms.

        Args:
            painter: The painter.
            sides: Sides of all boxes in pixels of the window, shape (n, 4).
            shown: Indices of those to paint.
        """
        boxes, selected = self.list.boxes, self.list.selected
        plain = shown[(boxes[shown, FLAGS] == 0) & (shown != selected)]
        edges = np.rint(sides)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        if not self._is_rough:
            painter.setBrush(_SHADOW)
            painter.drawRects(_lines(edges[plain], _LINE + 2))
        for number in np.unique(boxes[plain, CLASS]).astype(int).tolist():
            painter.setBrush(QColor(self._color(number)))
            painter.drawRects(_lines(edges[plain[boxes[plain, CLASS] == number]], _LINE))
        labeled = shown[boxes[shown, FLAGS] != 0] if self._is_rough else shown
        for index in labeled.tolist():
            if index != selected:
                self._paint_label(painter, index, sides[index], framed=boxes[index, FLAGS] != 0)
        if selected != NONE:
            rect = _qrect(sides[selected].tolist())
            inside = QColor(self._color(int(boxes[selected, CLASS])))
            inside.setAlpha(48)
            painter.fillRect(rect, inside)
            self._paint_label(painter, selected, sides[selected], framed=True)
            self._paint_handles(painter, rect)

    def _paint_label(
        self, painter: QPainter, index: int, sides: NDArray[np.float64], *, framed: bool
    ) -> None:
        """Paint the label of a box, and its frame unless that was painted with others."""
        row = self.list.boxes[index]
        number, flags = int(row[CLASS]), int(row[FLAGS])
        rect = _qrect(sides.tolist())
        if framed:
            self._paint_frame(painter, rect, QColor(self._color(number)), dashed=bool(flags))
        label = self._label(number, flags)
        painter.drawPixmap(self._label_corner(rect, label), label)

    def _paint_frame(
        self, painter: QPainter, rect: QRectF, color: QColor, *, dashed: bool
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(_SHADOW, _LINE + 2))
        painter.drawRect(rect)
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(color, _LINE, style))
        painter.drawRect(rect)

    def _paint_handles(self, painter: QPainter, rect: QRectF) -> None:
        painter.setPen(QPen(QColor(_BLACK), 1))
        painter.setBrush(QColor(_WHITE))
        middle, half = rect.center(), _HANDLE / 2
        for x in (rect.left(), middle.x(), rect.right()):
            for y in (rect.top(), middle.y(), rect.bottom()):
                is_corner = x != middle.x() and y != middle.y()
                is_middle = x == middle.x() and y == middle.y()
                has_room = min(rect.width(), rect.height()) > 4 * _HANDLE
                if is_corner or (has_room and not is_middle):
                    painter.drawRect(QRectF(x - half, y - half, _HANDLE, _HANDLE))

    def _label_corner(self, rect: QRectF, label: QPixmap) -> QPointF:
        """Return the position of a label: above its box, or inside at the edge of the picture."""
        height = label.height() / label.devicePixelRatio()
        above = rect.top() - height - 1
        edge = max(0.0, self.to_window(QPointF(0, 0)).y())
        return QPointF(rect.left() - 1, above if above >= edge else rect.top() + 1)

    def _label(self, number: int, flags: int) -> QPixmap:
        found = self._labels.get((number, flags))
        if found is None:
            found = self._labels[(number, flags)] = self._make_label(number, flags)
        return found

    def _make_label(self, number: int, flags: int) -> QPixmap:
        font = self.font()
        font.setPixelSize(TYPE.caption)
        signs = "".join(f" {sign}" for bit, sign in self._flags if flags & bit)
        signs = "?" if flags == _PROPOSED else signs
        ratio, metrics = self.devicePixelRatioF(), QFontMetrics(font)
        text = elided(metrics, self._name(number), _LABEL_WIDTH - 2 * SPACE.xs) + signs
        width = metrics.horizontalAdvance(text) + 2 * SPACE.xs
        made = QPixmap(round(width * ratio), round(_LABEL_HEIGHT * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        color = self._color(number)
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(0, 0, width, _LABEL_HEIGHT, RADIUS.control / 2, RADIUS.control / 2)
        dark = contrast(color, _BLACK) > contrast(color, _WHITE)
        painter.setPen(QColor(_BLACK if dark else _WHITE))
        painter.setFont(font)
        painter.drawText(
            QRect(SPACE.xs, 0, width, _LABEL_HEIGHT), Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.end()
        return made

    def _name(self, number: int) -> str:
        return self._names[number] if number < len(self._names) else str(number)

    def _color(self, number: int) -> str:
        return self._colors[number] if number < len(self._colors) else self.theme.palette.accent

    def _room(self, index: int) -> QRegion:
        """Return the area of a box in the window, with its label and handles."""
        return QRegion() if index == NONE else self._room_of(self.list.rect(index))

    def _room_of(self, rect: Rect, *, labeled: bool = True) -> QRegion:
        shown = self.rect_to_window(_qrect(rect))
        pad = int(_HANDLE)
        around = shown.toAlignedRect().adjusted(-pad, -pad, pad, pad)
        region = QRegion(around)
        if not labeled:
            # A box that is being drawn is only its lines: a large one repaints little.
            inner = shown.toAlignedRect().adjusted(pad, pad, -pad, -pad)
            return region.subtracted(QRegion(inner)) if inner.isValid() else region
        corner = shown.topLeft().toPoint()
        label = QRect(
            corner.x() - 2, corner.y() - _LABEL_HEIGHT - 3, _LABEL_WIDTH, 2 * _LABEL_HEIGHT + 6
        )
        return region.united(QRegion(label))

    def _repaint(self, region: QRegion) -> None:
        seen = region.intersected(QRegion(self.rect()))
        if not seen.isEmpty():
            self.update(seen)

    def _changed(self, before: QRegion, *, final: bool = True) -> None:
        """Repaint where a box was and where it is, and report the change.

        Args:
            before: What it took before.
            final: False while a drag continues.
        """
        self._repaint(before.united(self._room(self.list.selected)))
        if final:
            self.changed.emit()

    def _replaced(self) -> None:
        self.update()
        self.changed.emit()
        self._report_selection()

    def _report_selection(self) -> None:
        index = self.list.selected
        if index == NONE:
            one, many = self.tr("1 box, not selected"), self.tr("{n} boxes, none selected")
            text = counted(len(self.list.boxes), one, many)
        else:
            number = int(self.list.boxes[index, CLASS])
            left, top, right, bottom = (int(side) for side in self.list.rect(index))
            text = self.tr(
                "Box {i} of {n}: {name}, {width} × {height} pixels at {left}, {top}"
            ).format(
                i=index + 1,
                n=len(self.list.boxes),
                name=self._name(number),
                width=right - left,
                height=bottom - top,
                left=left,
                top=top,
            )
        self.setAccessibleDescription(text)
        self.selection_changed.emit()


def _switches_segments(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_S and event.modifiers() == Qt.KeyboardModifier.NoModifier


def _lines(sides: NDArray[np.float64], width: int) -> list[QRect]:
    """Return the four lines of each box as rectangles.

    Args:
        sides: Left, top, right and bottom in whole pixels of the window, shape (n, 4).
        width: Width of the lines in pixels.
    """
    half = width // 2
    found = []
    for left, top, right, bottom in sides.astype(int).tolist():
        across, down = right - left + width, bottom - top - width
        found.append(QRect(left - half, top - half, across, width))
        found.append(QRect(left - half, bottom - half, across, width))
        if down > 0:
            found.append(QRect(left - half, top + half, width, down))
            found.append(QRect(right - half, top + half, width, down))
    return found


def _near(value: float, edge: float, reach: float) -> float:
    """Return a coordinate, or 0 or the other edge if it is near to or beyond it."""
    if value < reach:
        return 0.0
    return float(edge) if value > edge - reach else value


def _qrect(rect: Rect) -> QRectF:
    return QRectF(QPointF(rect[0], rect[1]), QPointF(rect[2], rect[3])).normalized()
