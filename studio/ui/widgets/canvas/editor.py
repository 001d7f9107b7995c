"""A canvas with its tools: what a task offers to draw the targets of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from studio.engine.tasks.boxes import FLAGS, LEFT
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.canvas.box_list import NONE
from studio.ui.widgets.canvas.boxes import BoxCanvas
from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.masks import MaskCanvas, Tool
from studio.ui.widgets.canvas.picture import TargetCanvas, Value
from studio.ui.widgets.canvas.prompting import ObjectFinder
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.figures import percent
from studio.ui.widgets.inputs import SpinBox, horizontal_slider
from studio.ui.widgets.keys import Step, class_of_key, history_step
from studio.ui.widgets.layout import FlowLayout, text_label, vbox
from studio.ui.widgets.tips import allow

_SLIDER_WIDTH: Final = 120


class CanvasEditor(QWidget):
    """A canvas below its tools.

    Keys besides those of the canvas: 1 to 9 choose a class, Ctrl+Z and Ctrl+Shift+Z undo and redo,
    C copies from the previous picture, A takes a proposal over to change it, H hides what is drawn
    while it is held.

    Attributes:
        canvas: The canvas.
        owns_undo: False if the widgets around undo changes.

    Signals:
        changed: The user changed the value.
        class_chosen: The index of the class that is drawn with now.
        files_requested: The files of a model for click to segment are to be chosen (no arguments).
        failed: A text: a tool could do nothing.
    """

    changed = Signal()
    class_chosen = Signal(int)
    failed = Signal(str)
    files_requested = Signal()

    def __init__(self, theme: Theme, canvas: TargetCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.canvas = canvas
        self.owns_undo = True
        self._previous: Value | None = None
        self.tools = FlowLayout(spacing=SPACE.xs, is_centered=True)
        self.undo_button = self._button("undo", self.tr("Undo (Ctrl+Z)"), canvas.undo)
        self.redo_button = self._button("redo", self.tr("Redo (Ctrl+Shift+Z)"), canvas.redo)
        self.copy_button = self._button(
            "copy", self.tr("Copy from the previous image (C)"), self.copy_previous
        )
        self.take_button = self._button(
            "check", self.tr("Edit the proposal (A)"), self.take_proposal
        )
        self.take_button.hide()
        self._make_segmenting()
        self.fit_button = self._button("fit", self.tr("Fit into the view (F)"), canvas.fit)
        self.zoom_text = text_label("", "caption", self)
        self.zoom_text.setMinimumSize(48, CONTROL_HEIGHT)
        canvas.zoomed.connect(self._on_zoomed)
        canvas.changed.connect(self._on_changed)
        canvas.failed.connect(self.failed)
        vbox(self.tools, (canvas, 1), owner=self, spacing=SPACE.s)
        self.setFocusProxy(canvas)

    def _make_segmenting(self) -> None:
        name = self.tr("Outline the object in every box (Shift+S)")
        self.outline_button = self._button("box", name, self.outline_all)
        self.outline_button.hide()
        tip = self.tr("Chooses a folder with the encoder and the decoder of a model.")
        text = self.tr("Click to segment: use files…")
        self.files_button = push_button(text, self.theme, kind="quiet", tip=tip, parent=self)
        self.files_button.clicked.connect(self.files_requested)
        self.files_button.hide()
        # Over the picture: a line of its own would move the picture under the pointer.
        self.segment_text = text_label("", "caption", self.canvas)
        self.segment_text.setAutoFillBackground(True)
        self.segment_text.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.segment_text.setMargin(SPACE.xs)
        self.segment_text.move(SPACE.s, SPACE.s)
        self.segment_text.hide()
        self.segment_button: QToolButton | None = None

    def set_outliner(self, outliner: ObjectFinder) -> None:
        """Find objects by clicks and boxes from now on.

        Args:
            outliner: Finds them.
        """
        self.canvas.prompting.outliner = outliner
        outliner.changed.connect(self._on_outliner)
        self.canvas.prompting.changed.connect(self._show_segmenting)
        self._on_outliner()

    def outline_all(self) -> None:
        """Outline the object in every box."""

    def _outline(
        self,
        boxes: Callable[[], Sequence[tuple[float, float, float, float]]],
        take: Callable[[Sequence[Region | None]], None],
    ) -> None:
        """Find the object in each box and give them to the canvas, unless it has changed."""
        outliner = self.canvas.prompting.outliner
        if outliner is None or outliner.reason:
            self.failed.emit(self.canvas.prompting.reason)
        else:
            pyramid = self.canvas.pyramid
            # One request at a time: the object of the marks would never be found.
            self.canvas.prompting.clear()

            def found(regions: Sequence[Region | None]) -> None:
                if self.canvas.pyramid is pyramid and not self.canvas.prompting.is_active:
                    take(regions)

            outliner.find_all(boxes, found, self.failed.emit)

    def _on_outliner(self) -> None:
        reason = self.canvas.prompting.reason
        for button in filter(None, (self.segment_button, self.outline_button)):
            allow(button, reason)
        self.files_button.setVisible(bool(reason))
        self._show_segmenting()

    def _show_segmenting(self) -> None:
        """Show what is computed, or what can be done with the object that was found."""
        outliner, prompting = self.canvas.prompting.outliner, self.canvas.prompting
        text = "" if outliner is None else outliner.state
        if not text and prompting.region is not None and not prompting.is_waiting:
            text = self.tr("Enter accepts, a right click excludes, Esc drops")
        self.segment_text.setText(text)
        self.segment_text.adjustSize()
        self.segment_text.setVisible(bool(text))

    def value(self) -> Value:
        """Return what is drawn; a mask is not copied."""
        return self.canvas.value()

    def show_value(
        self, pyramid: ImagePyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture and what is drawn on it; see `TargetCanvas.show_value`."""
        self.canvas.show_value(pyramid, value, keeps_view=keeps_view)
        self.update_buttons()

    def choose_class(self, number: int) -> None:
        """Draw with a class, and give it to what is selected."""
        self.canvas.choose_class(number)
        self.class_chosen.emit(self.canvas.current_class)

    def show_proposal(self, value: Value | None) -> None:
        """Show a proposal until it is taken over; see `TargetCanvas.show_proposal`."""
        self.canvas.show_proposal(value)
        self.update_buttons()

    def step(self, step: Step) -> bool:
        """Undo the last change here, or repeat what was undone last.

        Returns:
            False if there is none, or the widgets around undo.
        """
        if step == "undo" and self.canvas.prompting.is_active:
            self.canvas.undo()
            return True
        history = self.canvas.history
        is_done = self.owns_undo and (history.can_undo if step == "undo" else history.can_redo)
        if is_done:
            (self.canvas.undo if step == "undo" else self.canvas.redo)()
        return is_done

    def set_owns_undo(self, *, owns: bool) -> None:
        """Leave undo and redo to the widgets around, which undo decisions, or take them here."""
        self.owns_undo = owns
        for button in (self.undo_button, self.redo_button):
            button.setVisible(owns)

    def set_previous(self, value: Value | None) -> None:
        """Set what was drawn on the previous picture; None for nothing."""
        self._previous = value
        self.update_buttons()

    def copy_previous(self) -> None:
        """Add what was drawn on the previous picture."""
        if self._previous is not None:
            self.canvas.paste(self._previous)

    def take_proposal(self) -> None:
        """Add what is proposed to what is drawn, where it can be changed."""
        value = self.canvas.proposal
        if value is not None:
            self.show_proposal(None)
            self.canvas.take(value)

    def update_buttons(self) -> None:
        """Enable the buttons that have an effect."""
        history = self.canvas.history
        self.take_button.setVisible(self.canvas.proposal is not None)
        self.undo_button.setEnabled(history.can_undo)
        self.redo_button.setEnabled(history.can_redo)
        self.copy_button.setEnabled(self._previous is not None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that the canvas ignores."""
        key, step, index = Qt.Key(event.key()), history_step(event), class_of_key(event)
        canvas = self.canvas
        if step is not None and self.step(step):
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        elif index is not None:
            self.choose_class(index)
        elif key == Qt.Key.Key_S and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.outline_all()
        elif key == Qt.Key.Key_C:
            self.copy_previous()
        elif key == Qt.Key.Key_A and canvas.proposal is not None:
            self.take_proposal()
        elif key == Qt.Key.Key_H and not event.isAutoRepeat():
            canvas.set_hidden(True)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Show again what H hid."""
        if event.key() == Qt.Key.Key_H and not event.isAutoRepeat():
            self.canvas.set_hidden(False)
        else:
            super().keyReleaseEvent(event)

    def _button(self, icon: str, name: str, call: object) -> QToolButton:
        button = icon_button(icon, name, self.theme, parent=self)
        button.clicked.connect(call)
        # The canvas keeps the focus, so that its keys work after a click on a tool.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _add_tools(self, *widgets: QWidget) -> None:
        """Add tools, and behind them those of all kinds."""
        shared = (self.undo_button, self.redo_button, self.copy_button, self.take_button)
        segmenting = (self.outline_button, self.files_button)
        for widget in (*widgets, *shared, self.fit_button, self.zoom_text, *segmenting):
            self.tools.addWidget(widget)

    def _on_zoomed(self, scale: float) -> None:
        self.zoom_text.setText(percent(scale * self.devicePixelRatioF(), 0))

    def _on_changed(self) -> None:
        self.update_buttons()
        self.changed.emit()


class BoxEditor(CanvasEditor):
    """Draws boxes; keys as in `BoxCanvas`.

    Args:
        theme: The theme.
        most: Number of boxes that a picture may have.
        flags: Bits of flags, with the name, the sign and the key of each.
        parent: Parent widget.
    """

    def __init__(
        self,
        theme: Theme,
        most: int,
        flags: Sequence[tuple[int, str, str, Qt.Key]] = (),
        parent: QWidget | None = None,
    ) -> None:
        self.boxes = BoxCanvas(theme, most, [(bit, sign) for bit, _name, sign, _key in flags])
        super().__init__(theme, self.boxes, parent)
        self._flags = flags
        name = self.tr("Click to segment (S)")
        self.segment_button = self._button("segment", name, self._toggle_segments)
        self.segment_button.setCheckable(True)
        self.outline_button.show()
        self.boxes.mode_changed.connect(self._on_mode)
        new_button = self._button("plus", self.tr("New box (N)"), self.boxes.add_box)
        self.delete_button = self._button(
            "trash", self.tr("Delete the box (Del)"), self.boxes.remove_selected
        )
        self.flag_buttons = []
        for bit, name, _sign, key in flags:
            text = self.tr("{name} ({key})").format(name=name, key=chr(int(key)))
            button = QToolButton(self)
            button.setText(name)
            button.setToolTip(text)
            button.setCheckable(True)
            button.setProperty("kind", "quiet")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._toggle_flag, bit))
            self.flag_buttons.append(button)
        self._add_tools(new_button, self.segment_button, self.delete_button, *self.flag_buttons)
        self.boxes.selection_changed.connect(self._on_selected)
        self.boxes.setAccessibleName(self.tr("Boxes on the image"))
        self._on_selected()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Set flags of the selected box by their keys."""
        flag = next((bit for bit, _, _, key in self._flags if event.key() == key), 0)
        if flag and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._toggle_flag(flag)
        else:
            super().keyPressEvent(event)

    def outline_all(self) -> None:
        """Make every box the one around its object; see `CanvasEditor.outline_all`."""
        rows = self.boxes.list.boxes[:, LEFT:FLAGS].tolist()
        boxes = [(left, top, right, bottom) for left, top, right, bottom in rows]
        if boxes:
            self._outline(lambda: boxes, partial(self.boxes.take_outlines, self.boxes.list.boxes))

    def _toggle_segments(self) -> None:
        self.boxes.set_segments(not self.boxes.segments)
        self.boxes.setFocus()

    def _on_mode(self) -> None:
        if self.segment_button is not None:
            self.segment_button.setChecked(self.boxes.segments)

    def _toggle_flag(self, flag: int) -> None:
        self.boxes.toggle_flag(flag)
        self._on_selected()

    def _on_selected(self) -> None:
        index = self.boxes.list.selected
        flags = 0 if index == NONE else int(self.boxes.list.boxes[index, -1])
        self.delete_button.setEnabled(index != NONE)
        for button, (bit, *_) in zip(self.flag_buttons, self._flags, strict=True):
            button.setEnabled(index != NONE)
            button.setChecked(bool(flags & bit))
        if index != NONE:
            self.class_chosen.emit(self.boxes.current_class)
        self.update_buttons()


class MaskCanvasEditor(CanvasEditor):
    """Draws a class for each pixel; keys as in `MaskCanvas`.

    Args:
        theme: The theme.
        empty: Value of pixels without a class, which the eraser leaves.
        parent: Parent widget.

    Attributes:
        canvas_type: Type of the canvas.
    """

    canvas_type: ClassVar[type[MaskCanvas]] = MaskCanvas

    def __init__(self, theme: Theme, empty: int, parent: QWidget | None = None) -> None:
        self.masks = self.canvas_type(theme, empty)
        super().__init__(theme, self.masks, parent)
        self._group = QButtonGroup(self)
        self.tool_buttons: dict[Tool, QToolButton] = {}
        for key, tool in self.masks.keys.items():
            name = self.tr("{name} ({key})").format(
                name=self.masks.tool_name(tool), key=chr(int(key))
            )
            button = self._button(tool.value, name, partial(self._choose_tool, tool))
            button.setCheckable(True)
            self._group.addButton(button)
            self.tool_buttons[tool] = button
        self.segment_button = self.tool_buttons[Tool.SEGMENT]
        self._make_fields()
        self.busy_text = text_label("", "muted", self)
        self._add_tools(
            *self.tool_buttons.values(), self.size_field, self.tolerance_field, self.opacity
        )
        self.tools.addWidget(self.busy_text)
        self.size_field.valueChanged.connect(self._on_size)
        self.tolerance_field.valueChanged.connect(self._on_tolerance)
        self.opacity.valueChanged.connect(self._on_opacity)
        self.masks.tool_changed.connect(self._on_tool)
        self.masks.busy_changed.connect(self._on_busy)
        self.masks.setAccessibleName(self.tr("Mask on the image"))
        self._on_tool()
        self._on_busy(is_busy=False)

    def _make_fields(self) -> None:
        self.size_field = SpinBox(self)
        self.size_field.setRange(1, 1000)
        self.size_field.setSuffix(self.tr(" px"))
        self.size_field.setAccessibleName(self.tr("Brush size"))
        self.size_field.setToolTip(self.tr("Brush size in pixels of the image: [ and ]"))
        self.tolerance_field = SpinBox(self)
        self.tolerance_field.setRange(0, 255)
        self.tolerance_field.setValue(self.masks.tolerance)
        self.tolerance_field.setAccessibleName(self.tr("Tolerance of the magic wand"))
        self.tolerance_field.setToolTip(
            self.tr("Largest difference of color that the magic wand accepts, 0 to 255")
        )
        name, opacity = self.tr("Opacity of the mask"), round(100 * self.masks.opacity)
        self.opacity = horizontal_slider(self, name, 5, 100, opacity, _SLIDER_WIDTH)
        self.opacity.setFixedHeight(CONTROL_HEIGHT)
        self.opacity.setToolTip(name)

    def _choose_tool(self, tool: Tool) -> None:
        self.masks.choose_tool(tool)
        self.masks.setFocus()

    def _on_size(self, size: int) -> None:
        if size != round(self.masks.brush_size):
            self.masks.set_brush_size(size)

    def _on_tolerance(self, tolerance: int) -> None:
        self.masks.tolerance = tolerance

    def _on_opacity(self, part: int) -> None:
        self.masks.set_opacity(part / 100)

    def _on_tool(self) -> None:
        self.tool_buttons[self.masks.tool].setChecked(True)
        self.size_field.setValue(round(self.masks.brush_size))
        self.size_field.setVisible(self.masks.tool in (Tool.BRUSH, Tool.ERASER))
        self.tolerance_field.setVisible(self.masks.tool is Tool.WAND)

    def _on_busy(self, is_busy: bool) -> None:
        self.busy_text.setText(self.tr("Computing…") if is_busy else "")
