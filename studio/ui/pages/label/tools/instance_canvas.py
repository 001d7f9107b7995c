"""Objects drawn on a picture: select, brush, eraser, polygon, holes, wand, GrabCut and split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget
from scipy.ndimage import find_objects

from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import CLASSES
from studio.engine.tasks.instances import edits
from studio.ui.pages.label.tools.instance_image import InstanceImage, colored
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.editor import MaskCanvasEditor
from studio.ui.widgets.canvas.mask_image import NOWHERE, Area, Region, united
from studio.ui.widgets.canvas.masks import TOOL_KEYS, MaskCanvas, Tool
from studio.ui.widgets.canvas.picture import Value, guarded
from studio.ui.widgets.canvas.pyramid import ImagePyramid

_CLASS_BITS: Final = 8
"""Lower bits of a value, which are the class."""
Sides = tuple[float, float, float, float]
"""Left, top, right and bottom of a box in pixels of the picture."""
_KEYS: Final = {Qt.Key.Key_V: Tool.SELECT, **TOOL_KEYS, Qt.Key.Key_X: Tool.SPLIT}


class InstanceCanvas(MaskCanvas):
    """Draws objects, each with a class and its own pixels.

    Keys besides those of `MaskCanvas`: V selects (with Shift several), X splits an object along a
    line, M merges the selected ones, Del deletes them, and a class is given to them. While an
    object is selected, the brush extends it, and the eraser leaves others as they are; Esc ends
    the selection. G fills the holes of an object.

    Signals:
        selection_changed: Other objects are selected.
    """

    selection_changed = Signal()
    keys: ClassVar[dict[Qt.Key, Tool]] = _KEYS
    mask_image: InstanceImage

    def __init__(self, theme: Theme, empty: int, parent: QWidget | None = None) -> None:
        self.selected: list[int] = []
        self._cut_line: QLineF | None = None
        self._drawn = 0
        self._colored: NDArray[np.uint32] = np.zeros((0, 0), np.uint32)
        super().__init__(theme, empty, parent)
        self.mask_image = InstanceImage()

    def value(self) -> Instances:
        """Return the label image, int32 (height, width); drawing changes it in place."""
        return self.mask_image.labels

    def show_value(
        self, pyramid: ImagePyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture with its objects; see `TargetCanvas.show_value`."""
        self._cut_line = None
        self.selected = []
        super().show_value(pyramid, value, keeps_view=keeps_view)
        self.selection_changed.emit()

    def show_proposal(self, value: Value | None) -> None:
        """Show objects of the picture in stripes; see `TargetCanvas.show_proposal`."""
        is_fit = value is not None and value.shape == self.mask_image.labels.shape
        self.proposal = np.ascontiguousarray(value) if is_fit else None
        self._recolor()

    def take(self, value: Value) -> None:
        """Add proposed objects where nothing is drawn yet; can be undone."""
        drawn = self.mask_image.labels
        self.select([])
        used = int(drawn.max(initial=0)) // CLASSES
        added = np.where(value > 0, value.astype(np.int32) + used * CLASSES, value)
        self.paste(np.where(drawn == 0, added, drawn))

    def paste(self, value: Value) -> None:
        """Replace the objects by those of another picture; the selection ends."""
        self.select([])
        super().paste(value)
        self._recolor()

    # Selection

    def select(self, values: Sequence[int]) -> None:
        """Select objects by their values."""
        before, self.selected = self.selected, list(values)
        self.mask_image.target = self.selected[0] if len(self.selected) == 1 else 0
        changed = {*before, *self.selected}
        area = edits.rectangle_of(self.mask_image.labels, changed) if changed else None
        self._repaint_area(area or NOWHERE)
        self.selection_changed.emit()

    def choose_class(self, number: int) -> None:
        """Draw with a class, and give it to the selected objects."""
        super().choose_class(number)
        if self.selected and 0 <= number < len(self._names):
            labels, numbers = self.mask_image.labels, [each // CLASSES for each in self.selected]
            self._change(edits.reclassified(labels, self.selected, number))
            self.select([each * CLASSES + number for each in numbers])

    def merge_selected(self) -> None:
        """Make one object of the selected ones."""
        if len(self.selected) > 1:
            keep = self.selected[0]
            self._change(edits.merged(self.mask_image.labels, self.selected))
            self.select([keep])

    def remove_selected(self) -> None:
        """Delete the selected objects."""
        if self.selected:
            self._change(edits.deleted(self.mask_image.labels, self.selected))
            self.select([])

    @guarded
    def undo(self) -> None:
        """Undo the last change; the selection ends, since its objects may be gone."""
        self.select([])
        super().undo()

    @guarded
    def redo(self) -> None:
        """Repeat the change that was undone last; the selection ends, as by `undo`."""
        self.select([])
        super().redo()

    def cancel(self) -> None:
        """End what the tool has begun, also a line that splits, without effect."""
        self._cut_line = None
        super().cancel()

    @guarded
    def take_outlines(
        self, before: Instances, boxes: Mapping[int, Sides], regions: Sequence[Region | None]
    ) -> None:
        """Give each object the pixels that were found in its box; those without any stay.

        Only the rectangles of the boxes and of what was found are read and changed.

        Args:
            before: The label image that was outlined; if it was changed meanwhile, all stay.
            boxes: Left, top, right and bottom of the objects, by their values.
            regions: What was found for each.
        """
        image = self.mask_image
        old, new = [], []
        for (value, box), region in zip(boxes.items(), regions, strict=True):
            if region is not None:
                left, top, right, bottom = map(int, box)
                whole = np.ones((bottom - top, right - left), np.bool_)
                old.append((value, Patch.of(left, top, whole)))
                new.append((value, Patch.of(*region.area[:2], region.inside)))
        patches = [patch for _, patch in (*old, *new)]
        if image.is_changing or not all(_are_same(image.labels, before, each) for each in patches):
            self.report_outdated()
            return
        image.begin()
        freed = [image.erase(patch, [value]) for value, patch in old]
        drawn = [image.draw(patch, value) for value, patch in new]
        self._finish()
        for areas in zip(freed, drawn, strict=True):
            self._repaint_area(united(*areas))

    def _change(self, edit: edits.Edit | None) -> bool:
        """Make an edit as a step of undo; False if there is nothing to change."""
        if edit is None:
            return False
        area = self.mask_image.change(edit)
        self._repaint_area(area)
        self.changed.emit()
        return True

    # Mouse and keys

    @guarded
    def press(self, point: QPointF, event: QMouseEvent) -> None:
        """Select, or begin a line that splits; see `MaskCanvas.press`."""
        if event.button() == Qt.MouseButton.LeftButton and self.tool is Tool.SELECT:
            adds = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._select_at(point, adds=adds)
        elif event.button() == Qt.MouseButton.LeftButton and self.tool is Tool.SPLIT:
            self._cut_line = QLineF(point, point)
        else:
            self._drawn = 0
            super().press(point, event)

    @guarded
    def drag(self, point: QPointF, event: QMouseEvent) -> None:
        """Move the end of a line that splits; see `MaskCanvas.drag`."""
        if self._cut_line is not None:
            self._cut_line.setP2(point)
            self.update()
        else:
            super().drag(point, event)

    @guarded
    def release(self, point: QPointF, event: QMouseEvent) -> None:
        """Split the object under a line; see `MaskCanvas.release`."""
        line, self._cut_line = self._cut_line, None
        if line is not None:
            self.update()
            self._split(line.p1(), point)
        else:
            super().release(point, event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change the selected objects; see `MaskCanvas.keyPressEvent`."""
        key = Qt.Key(event.key())
        if self.prompting.is_active:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.selected:
            self.remove_selected()
        elif key == Qt.Key.Key_M and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.merge_selected()
        elif key == Qt.Key.Key_Escape and self._cut_line is not None:
            self.cancel()
        elif key == Qt.Key.Key_Escape and self.selected and not self._corners:
            self.select([])
        else:
            super().keyPressEvent(event)

    def _press_pen(self, *, closes: bool) -> bool:
        """Begin or end a line that splits by the keyboard; see `MaskCanvas._press_pen`."""
        is_splitting = self.tool is Tool.SPLIT and self._has_pen and not self.pyramid.is_null
        if not is_splitting:
            self._drawn = 0
            return super()._press_pen(closes=closes)
        line, self._cut_line = self._cut_line, None
        if line is None:
            self._cut_line = QLineF(self._pen(), self._pen())
        else:
            self._split(line.p1(), self._pen())
        self.update()
        return True

    # Tools

    def _select_at(self, point: QPointF, *, adds: bool) -> None:
        value = edits.value_at(self.mask_image.labels, int(point.x()), int(point.y()))
        if value <= 0:
            self.select(self.selected if adds else [])
        elif adds:
            others = [each for each in self.selected if each != value]
            self.select(others if value in self.selected else [*others, value])
        else:
            self.select([value])

    def _stroke(self, start: QPointF, end: QPointF) -> None:
        image = self.mask_image
        patch = image.line((start.x(), start.y()), (end.x(), end.y()), max(1.0, self.brush_size))
        if self.tool is Tool.ERASER:
            area = image.erase(patch, self.selected)
        else:
            # One object for the whole stroke.
            self._drawn = self._drawn or image.drawn_value(self.current_class)
            area = image.draw(patch, self._drawn)
        self._last = end
        self._repaint_area(area)

    def _split(self, start: QPointF, end: QPointF) -> None:
        labels = self.mask_image.labels
        cut = self.mask_image.line((start.x(), start.y()), (end.x(), end.y()), 1.0)
        height, width = cut.inside.shape
        below = labels[cut.top : cut.top + height, cut.left : cut.left + width][cut.inside]
        values, counts = np.unique(below[below > 0], return_counts=True)
        value = int(values[counts.argmax()]) if len(values) else 0
        if not value or not self._change(edits.split(labels, value, cut)):
            self.failed.emit(self.tr("Draw the line through one object, from side to side."))
        else:
            self.select([])

    def _apply(self, point: QPointF) -> None:
        """Select by the keyboard, fill holes, or find similar pixels around a position."""
        if self.tool is Tool.SELECT:
            self._select_at(point, adds=False)
        elif self.tool is Tool.FILL:
            labels = self.mask_image.labels
            value = edits.value_at(labels, int(point.x()), int(point.y()))
            if value <= 0 or not self._change(edits.filled_holes(labels, value)):
                self.failed.emit(self.tr("Click an object that has a hole."))
        else:
            super()._apply(point)

    def close_polygon(self) -> None:
        """Fill the open polygon with an object."""
        super().close_polygon()
        self._recolor()

    def tool_name(self, tool: Tool) -> str:
        """Return the name of a tool."""
        own = {
            Tool.SELECT: self.tr("Select"),
            Tool.SPLIT: self.tr("Split along a line"),
            Tool.FILL: self.tr("Fill holes"),
        }
        return own.get(tool) or super().tool_name(tool)

    # Painting

    def paint_layer(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the objects and the tool; see `PictureCanvas.paint_layer`."""
        super().paint_layer(painter, exposed)
        if self._cut_line is not None:
            ends = [self.to_window(each) for each in (self._cut_line.p1(), self._cut_line.p2())]
            for color, width in ((QColor(0, 0, 0, 190), 4), (QColor("white"), 2)):
                painter.setPen(QPen(color, width))
                painter.drawLine(*ends)

    def _wrap(self) -> None:
        self._recolor()

    def _recolor(self) -> None:
        """Color all objects again."""
        labels = self.mask_image.labels
        self._colored = np.ascontiguousarray(self._colors_of(labels))
        self._layer = _image_on(self._colored)
        proposal = self.proposal
        self._proposed = None if proposal is None else self._colors_of(proposal)
        self._proposed_layer = QImage() if self._proposed is None else _image_on(self._proposed)
        self.update()

    def _colors_of(self, labels: NDArray[np.generic]) -> NDArray[np.uint32]:
        table: NDArray[np.uint32] = np.array(self._table(), np.uint32)
        return colored(labels.astype(np.int32, copy=False), table, self.selected, self.opacity)

    def _table(self) -> list[int]:
        """Return the color of each class as 0xffrrggbb."""
        table = [0xFF8A919C] * CLASSES
        for number, color in enumerate(self._colors):
            table[number] = 0xFF000000 | int(color[1:], 16)
        return table

    def _repaint_area(self, area: Area) -> None:
        """Color the objects in an area again, and paint it."""
        if area != NOWHERE and self._colored.size:
            height, width = self._colored.shape
            # Edges are between pixels: one more on each side.
            left, top = max(0, area[0] - 2), max(0, area[1] - 2)
            right, bottom = min(width, area[2] + 2), min(height, area[3] + 2)
            part = self._colors_of(self.mask_image.labels[top:bottom, left:right])
            # Those at the sides of the part do not know their neighbors beyond it.
            rows = slice(min(1, top), bottom - top - (bottom < height))
            inner = rows, slice(min(1, left), right - left - (right < width))
            self._colored[top:bottom, left:right][inner] = part[inner]
        super()._repaint_area(area)


def _are_same(one: Instances, other: Instances, patch: Patch) -> bool:
    """Return True if two label images have the same values in the rectangle of a patch."""
    height, width = patch.inside.shape
    place = np.s_[patch.top : patch.top + height, patch.left : patch.left + width]
    return np.array_equal(one[place], other[place])


def boxes_of_objects(labels: Instances, chosen: Sequence[int]) -> dict[int, Sides]:
    """Return left, top, right and bottom of objects in pixels, by their values.

    Args:
        labels: Label image, shape (height, width).
        chosen: Values of the objects; empty for all.
    """
    numbers = np.maximum(labels, 0) >> _CLASS_BITS
    found = {}
    for number, slices in enumerate(find_objects(numbers), 1):
        if slices is None:
            continue
        rows, columns = slices
        value = int(labels[slices][numbers[slices] == number][0])
        if not chosen or value in chosen:
            left, right = float(columns.start), float(columns.stop)
            found[value] = (left, float(rows.start), right, float(rows.stop))
    return found


def _image_on(pixels: NDArray[np.uint32]) -> QImage:
    """Return an image on the memory of pixels."""
    height, width = pixels.shape
    kind = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.data, width, height, 4 * width, kind) if pixels.size else QImage()


class InstanceCanvasEditor(MaskCanvasEditor):
    """Draws objects; keys as in `InstanceCanvas`.

    Args:
        theme: The theme.
        parent: Parent widget.
    """

    canvas_type = InstanceCanvas
    masks: InstanceCanvas

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, 0, parent)
        canvas = self.masks
        canvas.setAccessibleName(self.tr("Objects on the image"))
        self.merge_button = self._button(
            "layer-merging", self.tr("Merge the selected objects (M)"), canvas.merge_selected
        )
        self.delete_button = self._button(
            "trash", self.tr("Delete the selected objects (Del)"), canvas.remove_selected
        )
        for button in (self.merge_button, self.delete_button):
            self.tools.addWidget(button)
        self.outline_button.show()
        canvas.selection_changed.connect(self._on_selected)
        canvas.choose_tool(Tool.BRUSH)
        self._on_selected()

    def outline_all(self) -> None:
        """Outline the selected objects, or all, again, each by the box around it."""
        labels, chosen = self.masks.value().copy(), list(self.masks.selected)
        boxes: dict[int, Sides] = {}

        def sides() -> list[Sides]:
            boxes.update(boxes_of_objects(labels, chosen))
            return list(boxes.values())

        self._outline(sides, partial(self.masks.take_outlines, labels, boxes))

    def _on_selected(self) -> None:
        count = len(self.masks.selected)
        self.merge_button.setEnabled(count > 1)
        self.delete_button.setEnabled(count > 0)
