"""Click to segment: clicks and a box mark an object, whose outline a model finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtCore import QLineF, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QMouseEvent, QPainter, QPen

from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.pyramid import part_of

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

    from studio.ui.widgets.canvas.picture import TargetCanvas

STRIPE: Final = 12
"""Pixels of the window from one stripe of a proposal to the next."""
_DRAG: Final = 6.0
"""Pixels of the window from which a drag is a box and no click."""
_RADIUS: Final = 7.0
_INSIDE, _OUTSIDE = QColor("#1B7F4B"), QColor("#C0362C")
_REGION: Final = 200
"""Opacity of the found object, 0 to 255."""


@dataclass(frozen=True, slots=True)
class PromptMark:
    """A click, or a box around the object.

    Attributes:
        point: The click, or a corner of the box, in pixels of the picture.
        end: The opposite corner; None for a click.
        is_inside: False for a place that does not belong to the object.
    """

    point: QPointF
    end: QPointF | None = None
    is_inside: bool = True


FoundObject = Callable[[Region | None], None]
"""Receives an object; None if nothing was found."""
FailedText = Callable[[str], None]
"""Receives the reason why nothing can be found."""


class ObjectFinder(Protocol):
    """Finds objects in the picture that is shown.

    Attributes:
        changed: `reason` or `state` changed.
    """

    changed: SignalInstance

    @property
    def reason(self) -> str:
        """Reason why it cannot be used; empty if it can."""

    @property
    def state(self) -> str:
        """Current work; empty for none."""

    def prepare(self) -> None:
        """Prepare the shown picture and the next one, now and whenever another one is shown."""

    def find(self, marks: Sequence[PromptMark], found: FoundObject, failed: FailedText) -> None:
        """Find an object; what was requested before is dropped.

        Args:
            marks: Clicks and boxes.
            found: Receives it.
            failed: Receives the reason why that is not possible.
        """

    def find_all(
        self,
        boxes: Callable[[], Sequence[tuple[float, float, float, float]]],
        found: Callable[[Sequence[Region | None]], None],
        failed: FailedText,
    ) -> None:
        """Find the object in each of several boxes.

        Args:
            boxes: Returns left, top, right and bottom in pixels of the picture; called in another
                thread.
            found: Receives an object for each.
            failed: Receives the reason why that is not possible.
        """

    def drop(self) -> None:
        """Ignore what is still to come."""


class Prompting(QObject):
    """Marks of one object on a canvas, and the object that was found by them.

    A left click marks the object, a right click or Shift and a click what does not belong to it; a
    drag draws a box around it. Each mark finds the object again.

    Args:
        canvas: The canvas; gets the object by `accept_region`.

    Attributes:
        outliner: Finds objects; None if nothing does.
        marks: Marks of the object, the oldest first.
        region: The found object; None for none. While `is_waiting`, it is that of earlier marks.
        is_waiting: True until the object of the latest marks is found; it cannot be accepted.

    Signals:
        changed: Other marks, or another object.
    """

    changed = Signal()

    def __init__(self, canvas: TargetCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.outliner: ObjectFinder | None = None
        self.marks: list[PromptMark] = []
        self.region: Region | None = None
        self.is_waiting = False
        self._image = QImage()
        self._pressed: PromptMark | None = None
        self._dragged: QPointF | None = None
        self._ticket = 0

    @property
    def is_active(self) -> bool:
        """True if something is marked."""
        return bool(self.marks)

    @property
    def reason(self) -> str:
        """Reason why objects cannot be found; empty if they can."""
        if self.outliner is None:
            return self.tr("Nothing finds objects here.")
        return self.outliner.reason

    def clear(self) -> None:
        """Forget the marks."""
        self._ticket += 1
        self.marks, self.region, self._image = [], None, QImage()
        self.is_waiting = False
        self._pressed = self._dragged = None
        if self.outliner is not None:
            self.outliner.drop()
        self._update()

    def undo(self) -> None:
        """Take the last mark back."""
        if self.marks:
            self.marks.pop()
            self._find()

    def accept(self) -> bool:
        """Give the found object to the canvas; False if there is none yet."""
        if self.is_waiting:
            text = self.tr("The outline is being computed. Press Enter when it is shown.")
            self._canvas.failed.emit(text)
            return False
        region = self.region
        if region is None:
            return False
        self.clear()
        self._canvas.accept_region(region)
        return True

    def add(self, point: QPointF, *, is_inside: bool) -> None:
        """Mark a place.

        Args:
            point: In pixels of the picture.
            is_inside: True if it belongs to the object.
        """
        size = self._canvas.picture_size
        if 0 <= point.x() < size.width() and 0 <= point.y() < size.height():
            self.marks.append(PromptMark(point, is_inside=is_inside))
            self._find()

    def press(self, point: QPointF, event: QMouseEvent) -> None:
        """Begin a click or a box; see `PictureCanvas.drag`."""
        is_plain = event.button() == Qt.MouseButton.LeftButton
        has_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._pressed = PromptMark(point, is_inside=is_plain and not has_shift)
        self._dragged = None

    def drag(self, point: QPointF) -> None:
        """Draw a box from where the button was pressed."""
        pressed = self._pressed
        if pressed is None or not pressed.is_inside:
            return
        far = QLineF(pressed.point, point).length() * self._canvas.scale >= _DRAG
        if far or self._dragged is not None:
            self._dragged = point
            self._canvas.update()

    def release(self, point: QPointF) -> None:
        """End a click or a box."""
        pressed, self._pressed = self._pressed, None
        dragged, self._dragged = self._dragged, None
        if pressed is None:
            return
        if dragged is None:
            self.add(pressed.point, is_inside=pressed.is_inside)
            return
        size = self._canvas.picture_size
        whole = QRectF(0, 0, size.width(), size.height())
        box = QRectF(pressed.point, point).normalized() & whole
        if box.width() >= 1 and box.height() >= 1:
            # A box starts over: earlier clicks were for another object.
            self.marks = [PromptMark(box.topLeft(), box.bottomRight())]
            self._find()

    def _find(self) -> None:
        self._ticket += 1
        if not self.marks or self.outliner is None:
            self.clear()
            return
        ticket, self.is_waiting = self._ticket, True
        self.outliner.find(
            self.marks, partial(self._on_found, ticket), partial(self._on_failed, ticket)
        )
        self._update()

    def _update(self) -> None:
        self._canvas.update()
        self.changed.emit()

    def _on_found(self, ticket: int, region: Region | None) -> None:
        if ticket != self._ticket:
            return
        self.is_waiting = False
        self.region, self._image = region, QImage()
        if region is None:
            text = self.tr(
                "Nothing was found there. Add a click, or draw a box around the object."
            )
            self._canvas.failed.emit(text)
        else:
            height, width = region.inside.shape
            inside = region.inside.view("uint8")
            self._image = QImage(inside.data, width, height, width, QImage.Format.Format_Indexed8)
            self._canvas.failed.emit("")
        self._update()

    def _on_failed(self, ticket: int, text: str) -> None:
        if ticket == self._ticket:
            self.clear()
            self._canvas.failed.emit(text)

    def paint(self, painter: QPainter, exposed: QRect, color: QColor) -> None:
        """Paint the object in stripes, and the marks.

        Args:
            painter: The painter.
            exposed: Bounds of what changed, in pixels of the window.
            color: Color of the class.
        """
        canvas = self._canvas
        if self.region is not None and not self._image.isNull():
            left, top, right, bottom = self.region.area
            color.setAlpha(_REGION)
            self._image.setColorTable([0, color.rgba()])
            whole = canvas.rect_to_window(QRectF(left, top, right - left, bottom - top))
            paint_striped(painter, self._image, whole, exposed, canvas.devicePixelRatioF())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for mark in self.marks:
            if mark.end is None:
                _paint_click(painter, canvas.to_window(mark.point), is_inside=mark.is_inside)
            else:
                _paint_box(painter, QRectF(*map(canvas.to_window, (mark.point, mark.end))))
        if self._pressed is not None and self._dragged is not None:
            ends = (self._pressed.point, self._dragged)
            _paint_box(painter, QRectF(*map(canvas.to_window, ends)).normalized())


def paint_striped(
    painter: QPainter, image: QImage, whole: QRectF, exposed: QRect, ratio: float
) -> None:
    """Paint an image over a picture in diagonal stripes.

    Args:
        painter: The painter.
        image: The image.
        whole: Its rectangle in pixels of the window.
        exposed: Bounds of what changed, in pixels of the window.
        ratio: Pixels of the screen per pixel of the window.
    """
    source = part_of(whole, QRectF(exposed), image.size())
    if source.isEmpty():
        return
    across, down = whole.width() / image.width(), whole.height() / image.height()
    target = QRectF(
        whole.x() + source.x() * across,
        whole.y() + source.y() * down,
        source.width() * across,
        source.height() * down,
    )
    made = QImage(exposed.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    made.setDevicePixelRatio(ratio)
    made.fill(0)
    inner = QPainter(made)
    inner.translate(-exposed.topLeft())
    inner.drawImage(target, image, source)
    inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    inner.setBrushOrigin(whole.topLeft())
    inner.fillRect(exposed, QBrush(_stripes()))
    inner.end()
    painter.drawImage(exposed.topLeft(), made)


@cache
def _stripes() -> QImage:
    """Return a tile of diagonal stripes, every other one opaque."""
    made = QImage(STRIPE, STRIPE, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(0)
    for row in range(STRIPE):
        for column in range(STRIPE // 2):
            made.setPixel((row + column) % STRIPE, row, 0xFF000000)
    return made


def _paint_click(painter: QPainter, place: QPointF, *, is_inside: bool) -> None:
    """Paint a plus or a minus sign in a disk."""
    painter.setPen(QPen(QColor("#FFFFFF"), 2))
    painter.setBrush(_INSIDE if is_inside else _OUTSIDE)
    painter.drawEllipse(place, _RADIUS, _RADIUS)
    reach = _RADIUS / 2
    painter.drawLine(place - QPointF(reach, 0), place + QPointF(reach, 0))
    if is_inside:
        painter.drawLine(place - QPointF(0, reach), place + QPointF(0, reach))


def _paint_box(painter: QPainter, box: QRectF) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, style in TWO_LINES:
        painter.setPen(QPen(color, 2, style))
        painter.drawRect(box)


TWO_LINES: Final = (
    (QColor(0, 0, 0, 190), Qt.PenStyle.SolidLine),
    (QColor(255, 255, 255), Qt.PenStyle.DashLine),
)
"""A dashed line on a dark one is visible on any picture."""
