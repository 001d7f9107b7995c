"""A picture with zoom and pan, on which canvases draw."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QImage,
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.engine.errors import StudioError
from studio.ui.language import sentence
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.prompting import Prompting
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.pictures import checkerboard

_LARGEST: Final = 48.0
"""Pixels of the window for each pixel of a picture."""
_SMALLEST_PART: Final = 0.5
"""Of the scale at which the whole picture fits."""
_STEP: Final = 1.25
_NOTCH: Final = 120
"""Eighths of a degree of a step of the wheel."""
_EDGE: Final = 12
"""Pixels around a picture that fits."""
_PAN: Final = 0.1
"""Part of the view that a key moves it by."""


class PictureCanvas(QWidget):
    """Shows a picture of any size; the wheel zooms, the middle button or Space and a drag pan it.

    Keys: + and - zoom, F fits the picture into the view, Shift+F shows its own pixels, Ctrl and
    the arrows pan. Subclasses draw over it in `paint_layer`, and take the mouse in `press`,
    `drag`, `release` and `hover`, which get positions in pixels of the picture.

    Args:
        theme: The theme.
        parent: Parent widget.

    Attributes:
        takes_letters: False where letters belong to the widgets around.
        is_viewer: True if the left button pans, as nothing is drawn.
        scale: Pixels of the window for each pixel of the picture.
        pyramid: The picture shown.

    Signals:
        zoomed: The scale changed; pixels of the window for each pixel of the picture.
    """

    zoomed = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.takes_letters = True
        self.is_viewer = False
        self.pyramid = ImagePyramid(QImage())
        self.scale = 1.0
        self._offset = QPointF()
        self._fits = True
        self._held_space = False
        self._panned_from: QPointF | None = None
        self._pressed = False
        self._board = QPixmap()
        self.setMinimumSize(QSize(160, 120))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changed.connect(self._theme_changed)
        self._theme_changed()

    # What is shown

    def show_picture(self, pyramid: ImagePyramid | None, *, keeps_view: bool = False) -> None:
        """Show a picture, or nothing.

        Args:
            pyramid: The picture, made in another thread; None for nothing.
            keeps_view: True to stay at the same place and zoom, where the size is the same.
        """
        before = self.pyramid.size
        self.pyramid = ImagePyramid(QImage()) if pyramid is None else pyramid
        self._pressed = False
        if not keeps_view or before != self.pyramid.size:
            self._fits = True
        self._settle()
        self._update_cursor()
        self.update()

    @property
    def picture_size(self) -> QSize:
        """Size of the picture in pixels; empty for none."""
        return self.pyramid.size

    def picture_rect(self) -> QRectF:
        """Return the rectangle of the whole picture, in pixels of the window."""
        size = self.pyramid.size
        return QRectF(
            self._offset.x(),
            self._offset.y(),
            size.width() * self.scale,
            size.height() * self.scale,
        )

    def visible_part(self) -> QRectF:
        """Return the part of the picture that is seen, in pixels of the picture."""
        seen = QRectF(
            self.to_picture(QPointF(0, 0)), self.to_picture(QPointF(self.width(), self.height()))
        )
        return seen & QRectF(QPointF(0, 0), self.pyramid.size.toSizeF())

    def to_picture(self, point: QPointF) -> QPointF:
        """Return a position of the window in pixels of the picture."""
        return (point - self._offset) / self.scale

    def to_window(self, point: QPointF) -> QPointF:
        """Return a position of the picture in pixels of the window."""
        return point * self.scale + self._offset

    def rect_to_window(self, rect: QRectF) -> QRectF:
        """Return a rectangle of the picture in pixels of the window."""
        return QRectF(self.to_window(rect.topLeft()), rect.size() * self.scale)

    # Zoom and pan

    def fit(self) -> None:
        """Show the whole picture."""
        self._fits = True
        self._settle()
        self.update()

    def show_actual_pixels(self) -> None:
        """Show each pixel of the picture as one of the screen."""
        self.zoom_to(1 / self.devicePixelRatioF(), QPointF(self.rect().center()))

    def zoom_by(self, steps: float, around: QPointF | None = None) -> None:
        """Zoom in or out.

        Args:
            steps: Steps of a quarter each; negative zooms out.
            around: Position of the window that stays; None for its center.
        """
        center = QPointF(self.rect().center()) if around is None else around
        self.zoom_to(self.scale * _STEP**steps, center)

    def zoom_to(self, scale: float, around: QPointF) -> None:
        """Zoom to a scale.

        Args:
            scale: Pixels of the window for each pixel of the picture.
            around: Position of the window that stays.
        """
        if self.pyramid.is_null:
            return
        point = self.to_picture(around)
        least = self._fitting_scale() * _SMALLEST_PART
        self.scale = min(_LARGEST, max(least, scale))
        self._offset = around - point * self.scale
        self._fits = False
        self._settle()
        self.update()

    def pan_by(self, across: float, down: float) -> None:
        """Move the picture in the view.

        Args:
            across: Pixels of the window to the right.
            down: Pixels of the window downward.
        """
        before = QPointF(self._offset)
        self._offset += QPointF(across, down)
        self._fits = False
        self._settle()
        if self._offset != before:
            self.update()

    def show_part(self, part: QRectF) -> None:
        """Pan so that a part of the picture is seen, where it is not.

        Args:
            part: In pixels of the picture.
        """
        shown, room = self.rect_to_window(part), QRectF(self.rect())
        across = max(0.0, room.left() - shown.left()) or min(0.0, room.right() - shown.right())
        down = max(0.0, room.top() - shown.top()) or min(0.0, room.bottom() - shown.bottom())
        if across or down:
            self.pan_by(across, down)

    def _fitting_scale(self) -> float:
        size = self.pyramid.size
        if size.isEmpty():
            return 1.0
        room = QSize(max(1, self.width() - 2 * _EDGE), max(1, self.height() - 2 * _EDGE))
        scale = min(room.width() / size.width(), room.height() / size.height())
        return max(1e-4, min(_LARGEST, scale))

    def _settle(self) -> None:
        """Keep the picture in the view: centered where it is smaller than it."""
        if self._fits:
            self.scale = self._fitting_scale()
        size = self.pyramid.size.toSizeF() * self.scale
        self._offset = QPointF(
            _settled(self._offset.x(), size.width(), self.width(), centered=self._fits),
            _settled(self._offset.y(), size.height(), self.height(), centered=self._fits),
        )
        self.zoomed.emit(self.scale)

    # For subclasses

    def paint_layer(self, painter: QPainter, exposed: QRect) -> None:
        """Paint over the picture.

        Args:
            painter: The painter, clipped to what changed.
            exposed: Bounds of what changed, in pixels of the window.
        """

    def press(self, point: QPointF, event: QMouseEvent) -> None:
        """Begin to draw; see `drag`."""

    def drag(self, point: QPointF, event: QMouseEvent) -> None:
        """Draw while the button is held.

        Args:
            point: Position in pixels of the picture; may be beyond its edges.
            event: The event.
        """

    def release(self, point: QPointF, event: QMouseEvent) -> None:
        """End to draw; see `drag`."""

    def hover(self, point: QPointF, event: QMouseEvent) -> None:
        """Follow the pointer without a button; see `drag`."""

    def tool_cursor(self) -> Qt.CursorShape:
        """Return the pointer over the picture while nothing is panned."""
        return Qt.CursorShape.CrossCursor

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the part that changed: the ground, the picture, and what is drawn over it."""
        exposed = event.rect()
        painter = QPainter(self)
        whole = self.picture_rect()
        if self.pyramid.is_null or not whole.contains(QRectF(exposed)):
            painter.fillRect(exposed, QColor(self.theme.palette.pressed))
        if not self.pyramid.is_null:
            if self.pyramid.image.hasAlphaChannel():
                painter.setBrushOrigin(whole.topLeft())
                painter.fillRect(whole & QRectF(exposed), QBrush(self._board))
            self.pyramid.paint(painter, whole, QRectF(exposed), self.devicePixelRatioF())
            self.paint_layer(painter, exposed)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(self.theme.palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitting picture fitting."""
        super().resizeEvent(event)
        self._settle()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with a mouse, pan with a touchpad."""
        modifiers = event.modifiers()
        is_pad = event.device().type() == QInputDevice.DeviceType.TouchPad
        zooms = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if is_pad and not zooms:
            delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta()
            self.pan_by(delta.x(), delta.y())
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            delta = event.angleDelta()
            self.pan_by(delta.x() + delta.y(), 0)
        else:
            self.zoom_by(event.angleDelta().y() / _NOTCH, event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Zoom by two fingers."""
        if isinstance(event, QNativeGestureEvent) and (
            event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            self.zoom_to(self.scale * (1 + event.value()), event.position())
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pan, or begin to draw."""
        middle = event.button() == Qt.MouseButton.MiddleButton
        if self.pyramid.is_null:
            return
        if middle or (
            (self._held_space or self.is_viewer) and event.button() == Qt.MouseButton.LeftButton
        ):
            self._panned_from = event.position()
            self._update_cursor()
        elif event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
            self._pressed = True
            self.press(self.to_picture(event.position()), event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, draw, or follow the pointer."""
        if self._panned_from is not None:
            moved = event.position() - self._panned_from
            self._panned_from = event.position()
            self.pan_by(moved.x(), moved.y())
        elif self._pressed:
            self.drag(self.to_picture(event.position()), event)
        elif not self.pyramid.is_null:
            self.hover(self.to_picture(event.position()), event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End to pan or to draw."""
        if self._panned_from is not None:
            self._panned_from = None
            self._update_cursor()
        elif self._pressed:
            self._pressed = False
            self.release(self.to_picture(event.position()), event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom and pan; other keys belong to the widgets around."""
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._held_space = True
                self._update_cursor()
        elif not self._zoom_key(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let Space go."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._held_space = False
            self._update_cursor()
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus; keys that are released elsewhere are not noticed."""
        super().focusOutEvent(event)
        self._held_space = False
        self._update_cursor()
        self.update()

    def _zoom_key(self, event: QKeyEvent) -> bool:
        key, modifiers = event.key(), event.modifiers()
        has_control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_by(1)
        elif key == Qt.Key.Key_Minus:
            self.zoom_by(-1)
        elif key == Qt.Key.Key_F and self.takes_letters and not has_control:
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                self.show_actual_pixels()
            else:
                self.fit()
        elif has_control and key in DIRECTIONS:
            across, down = DIRECTIONS[Qt.Key(key)]
            self.pan_by(-across * self.width() * _PAN, -down * self.height() * _PAN)
        else:
            return False
        return True

    def _update_cursor(self) -> None:
        shapes = Qt.CursorShape
        if self._panned_from is not None:
            self.setCursor(shapes.ClosedHandCursor)
        elif self._held_space:
            self.setCursor(shapes.OpenHandCursor)
        else:
            self.setCursor(shapes.ArrowCursor if self.pyramid.is_null else self.tool_cursor())

    def _theme_changed(self) -> None:
        self._board = checkerboard(self.theme)
        self.update()


Value = NDArray[Any]
"""Boxes, float32 (n, 6), or a mask, uint8 (height, width), by the canvas."""


class History(Protocol):
    """Changes of a picture that can be undone."""

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""

    @property
    def can_redo(self) -> bool:
        """True if a change was undone."""


class TargetCanvas(PictureCanvas):
    """A picture on which its target is drawn: boxes or a mask.

    Attributes:
        current_class: Index of the class that is drawn with.
        proposal: Like `value`: what is proposed; None for nothing.
        prompting: Marks of an object that a model finds.

    Signals:
        changed: The user changed the value.
        failed: A text: a tool could do nothing.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.current_class = 0
        self.proposal: Value | None = None
        self._names: Sequence[str] = ()
        self._colors: Sequence[str] = ()
        self._hidden = False
        self.prompting = Prompting(self)

    @property
    def history(self) -> History:
        """The changes of this picture."""
        raise NotImplementedError

    def value(self) -> Value:
        """Return what is drawn; a mask is not copied."""
        raise NotImplementedError

    def show_value(
        self, pyramid: ImagePyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture and what is drawn on it.

        Args:
            pyramid: The picture; None for nothing.
            value: What is drawn; None for nothing yet.
            keeps_view: True to stay at the same place and zoom, where the size is the same.
        """
        raise NotImplementedError

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes.

        Args:
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K.
        """
        self._names, self._colors = tuple(names), tuple(colors)
        self.current_class = min(self.current_class, max(0, len(names) - 1))
        self.update()

    def choose_class(self, number: int) -> None:
        """Draw with a class, and give it to what is selected."""
        raise NotImplementedError

    def undo(self) -> None:
        """Undo the last change of this picture."""
        raise NotImplementedError

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        raise NotImplementedError

    def show_proposal(self, value: Value | None) -> None:
        """Show a proposal, which cannot be changed, apart from what is drawn.

        Args:
            value: Like `value`; None for nothing.
        """
        raise NotImplementedError

    def cancel(self) -> None:
        """End what the tool has begun."""
        raise NotImplementedError

    def report_failure(self, error: BaseException) -> None:
        """Reset the tool, and say what failed."""
        self._pressed = False
        self.cancel()
        if isinstance(error, StudioError):
            self.failed.emit(sentence(error.message, error.hint))
            return
        _log.error("A tool of the canvas failed", exc_info=error)
        text = self.tr("The tool failed and was reset. Undo removes what it has drawn.")
        self.failed.emit(text)

    def report_outdated(self) -> None:
        """Say that outlines were dropped, since what they were for was changed meanwhile."""
        text = self.tr(
            "Something was drawn while the outlines were computed, so they were dropped. "
            "Outline again."
        )
        self.failed.emit(text)

    def take(self, value: Value) -> None:
        """Add a proposal to what is drawn; can be undone."""
        raise NotImplementedError

    def paste(self, value: Value) -> None:
        """Add what was drawn on another picture; can be undone."""
        raise NotImplementedError

    def accept_region(self, region: Region) -> None:
        """Add an object that was found by clicks or a box; can be undone."""
        raise NotImplementedError

    def prompting_key(self, event: QKeyEvent) -> bool:
        """Accept, undo or drop the marks of an object by the keyboard; False for other keys."""
        if not self.prompting.is_active:
            return False
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.prompting.accept()
        elif key == Qt.Key.Key_Backspace:
            self.prompting.undo()
        elif key == Qt.Key.Key_Escape:
            self.prompting.clear()
        else:
            return False
        return True

    def paint_prompting(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the marks of an object and what was found by them.

        Args:
            painter: The painter.
            exposed: Bounds of what changed, in pixels of the window.
        """
        number = self.current_class
        name = self._colors[number] if number < len(self._colors) else "#FFFFFF"
        self.prompting.paint(painter, exposed, QColor(name))

    def set_hidden(self, hidden: bool) -> None:
        """Hide what is drawn to show the picture, or show it again."""
        self._hidden = hidden
        self.update()


_log = logging.getLogger(__name__)
CanvasT = TypeVar("CanvasT", bound=TargetCanvas)
Arguments = ParamSpec("Arguments")


def guarded(
    step: Callable[Concatenate[CanvasT, Arguments], None],
) -> Callable[Concatenate[CanvasT, Arguments], None]:
    """Report an error of a step of a tool on its canvas, instead of as an internal error."""

    @functools.wraps(step)
    def attempted(canvas: CanvasT, /, *args: Arguments.args, **named: Arguments.kwargs) -> None:
        try:
            step(canvas, *args, **named)
        except Exception as error:  # noqa: BLE001 - shown
            canvas.report_failure(error)

    return attempted


DIRECTIONS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""Steps across and down of the arrow keys."""


def _settled(offset: float, size: float, room: float, *, centered: bool) -> float:
    """Return the position of a picture that leaves no side of the view empty unnecessarily."""
    if size <= room or centered:
        return (room - size) / 2
    return min(_EDGE, max(room - size - _EDGE, offset))
