"""A canvas with its tools: what a task offers to draw the targets of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QLabel, QSlider, QToolButton, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.canvas.box_list import NONE
from studio.ui.widgets.canvas.boxes import BoxCanvas
from studio.ui.widgets.canvas.masks import TOOL_KEYS, MaskCanvas, Tool
from studio.ui.widgets.canvas.picture import PictureCanvas
from studio.ui.widgets.canvas.pyramid import Pyramid
from studio.ui.widgets.figures import percent
from studio.ui.widgets.inputs import SpinBox
from studio.ui.widgets.layout import FlowLayout, text_label, vbox

Value = NDArray[Any]
"""Boxes, float32 (n, 6), or a mask, uint8 (height, width), by the editor."""
_DIGITS: Final = range(int(Qt.Key.Key_1), int(Qt.Key.Key_9) + 1)
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
        failed: A text: a tool could do nothing.
    """

    changed = Signal()
    class_chosen = Signal(int)
    failed = Signal(str)

    def __init__(self, theme: Theme, canvas: PictureCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.canvas = canvas
        self.owns_undo = True
        self._previous: Value | None = None
        self.tools = FlowLayout(spacing=SPACE.xs)
        self.undo_button = self._button("undo", self.tr("Undo (Ctrl+Z)"), self.undo)
        self.redo_button = self._button("redo", self.tr("Redo (Ctrl+Shift+Z)"), self.redo)
        self.copy_button = self._button(
            "copy", self.tr("Copy from the previous picture (C)"), self.copy_previous
        )
        self.take_button = self._button(
            "check", self.tr("Take the proposal over to correct it (A)"), self.take_proposal
        )
        self.take_button.hide()
        self.fit_button = self._button("fit", self.tr("Fit into the view (F)"), canvas.fit)
        self.zoom_text = text_label("", "caption", self)
        self.zoom_text.setMinimumSize(48, CONTROL_HEIGHT)
        canvas.zoomed.connect(self._on_zoomed)
        vbox(self.tools, (canvas, 1), owner=self, spacing=SPACE.s)
        self.setFocusProxy(canvas)

    # To be filled in by the kinds

    def show_value(
        self, pyramid: Pyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture and what is drawn on it.

        Args:
            pyramid: The picture; None for nothing.
            value: What is drawn; None for nothing yet.
            keeps_view: True to stay at the same place and zoom, where the size is the same.
        """
        raise NotImplementedError

    def value(self) -> Value:
        """Return what is drawn; a mask is not copied."""
        raise NotImplementedError

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes.

        Args:
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K.
        """
        raise NotImplementedError

    def choose_class(self, number: int) -> None:
        """Draw with a class, and give it to what is selected."""
        raise NotImplementedError

    @property
    def current_class(self) -> int:
        """Index of the class that is drawn with."""
        raise NotImplementedError

    @property
    def can_undo(self) -> bool:
        """True if a change of this picture can be undone here."""
        raise NotImplementedError

    @property
    def can_redo(self) -> bool:
        """True if a change of this picture can be repeated here."""
        raise NotImplementedError

    def undo(self) -> None:
        """Undo the last change of this picture."""
        raise NotImplementedError

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        raise NotImplementedError

    def show_proposal(self, value: Value | None) -> None:
        """Show a proposal apart from what is drawn, until it is taken over or taken away.

        Args:
            value: Like `value`; None for nothing.
        """
        raise NotImplementedError

    @property
    def proposal(self) -> Value | None:
        """The proposal that is shown; None for nothing."""
        raise NotImplementedError

    def _take(self, value: Value) -> None:
        """Add a proposal to what is drawn; can be undone."""
        raise NotImplementedError

    def _paste(self, value: Value) -> None:
        raise NotImplementedError

    def _set_hidden(self, hidden: bool) -> None:
        raise NotImplementedError

    # Shared

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
            self._paste(self._previous)

    def take_proposal(self) -> None:
        """Add what is proposed to what is drawn, where it can be changed."""
        value = self.proposal
        if value is not None:
            self.show_proposal(None)
            self._take(value)

    def update_buttons(self) -> None:
        """Enable the buttons that have an effect."""
        self.take_button.setVisible(self.proposal is not None)
        self.undo_button.setEnabled(self.can_undo)
        self.redo_button.setEnabled(self.can_redo)
        self.copy_button.setEnabled(self._previous is not None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys that the canvas leaves."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        undoes = control and self.owns_undo
        if undoes and key == _Z and not shift and self.can_undo:
            self.undo()
        elif undoes and self.can_redo and (key == Qt.Key.Key_Y or (shift and key == _Z)):
            self.redo()
        elif control:
            super().keyPressEvent(event)
        elif int(key) in _DIGITS:
            self.choose_class(int(key) - _DIGITS[0])
        elif key == Qt.Key.Key_C:
            self.copy_previous()
        elif key == Qt.Key.Key_A and self.proposal is not None:
            self.take_proposal()
        elif key == Qt.Key.Key_H and not event.isAutoRepeat():
            self._set_hidden(True)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Show again what H hid."""
        if event.key() == Qt.Key.Key_H and not event.isAutoRepeat():
            self._set_hidden(False)
        else:
            super().keyReleaseEvent(event)

    def _button(self, icon: str, name: str, call: object) -> QToolButton:
        button = icon_button(icon, name, self.theme, parent=self)
        button.clicked.connect(call)
        # The canvas keeps the focus, so that its keys work after a click on a tool.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _add_tools(self, *widgets: QWidget) -> None:
        for widget in widgets:
            self.tools.addWidget(widget)

    def _on_zoomed(self, scale: float) -> None:
        self.zoom_text.setText(percent(scale * self.devicePixelRatioF(), 0))

    def _on_changed(self) -> None:
        self.update_buttons()
        self.changed.emit()


_Z: Final = Qt.Key.Key_Z


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
        self.boxes = BoxCanvas(theme, most)
        super().__init__(theme, self.boxes, parent)
        self._flags = flags
        new_button = self._button("plus", self.tr("New box (N)"), self.boxes.add_box)
        self.delete_button = self._button(
            "trash", self.tr("Delete the box (Del)"), self.boxes.remove_selected
        )
        self.flag_buttons = []
        self._add_tools(new_button, self.delete_button)
        for bit, name, _sign, key in flags:
            text = self.tr("{name} ({key})").format(name=name, key=chr(int(key)))
            button = QToolButton(self)
            button.setText(name)
            button.setToolTip(text)
            button.setCheckable(True)
            button.setProperty("kind", "quiet")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setProperty("flag", bit)
            button.clicked.connect(self._on_flag)
            self.flag_buttons.append(button)
            self._add_tools(button)
        self._add_tools(
            self.undo_button,
            self.redo_button,
            self.copy_button,
            self.take_button,
            self.fit_button,
            self.zoom_text,
        )
        self.boxes.changed.connect(self._on_changed)
        self.boxes.selection_changed.connect(self._on_selected)
        self.boxes.setAccessibleName(self.tr("Boxes on the picture"))
        self._on_selected()

    def show_value(
        self, pyramid: Pyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture with its boxes; see `CanvasEditor.show_value`."""
        boxes = self.boxes.list.boxes[:0] if value is None else value
        self.boxes.show_boxes(pyramid, boxes, keeps_view=keeps_view)
        self.update_buttons()

    def value(self) -> Value:
        """Return the boxes, float32 (n, 6)."""
        return self.boxes.list.boxes

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes; see `CanvasEditor.set_classes`."""
        signs = [(bit, sign) for bit, _name, sign, _key in self._flags]
        self.boxes.set_classes(names, colors, signs)

    def choose_class(self, number: int) -> None:
        """Draw with a class, and give it to the selected box."""
        self.boxes.choose_class(number)
        self.class_chosen.emit(self.boxes.current_class)

    @property
    def current_class(self) -> int:
        """Index of the class of the next box."""
        return self.boxes.current_class

    @property
    def can_undo(self) -> bool:
        """True if a change of the boxes can be undone."""
        return self.boxes.list.can_undo

    @property
    def can_redo(self) -> bool:
        """True if a change of the boxes can be repeated."""
        return self.boxes.list.can_redo

    def undo(self) -> None:
        """Undo the last change of the boxes."""
        self.boxes.undo()

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        self.boxes.redo()

    def show_proposal(self, value: Value | None) -> None:
        """Show boxes with dashed lines; see `CanvasEditor.show_proposal`."""
        self.boxes.show_proposal(value)
        self.update_buttons()

    @property
    def proposal(self) -> Value | None:
        """The proposed boxes; None for nothing."""
        return self.boxes.proposal

    def _take(self, value: Value) -> None:
        self.boxes.paste(value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Set flags of the selected box by their keys."""
        flag = next((bit for bit, _, _, key in self._flags if event.key() == key), 0)
        if flag and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.boxes.toggle_flag(flag)
            self._on_selected()
        else:
            super().keyPressEvent(event)

    def _on_flag(self) -> None:
        self.boxes.toggle_flag(int(self.sender().property("flag")))
        self._on_selected()

    def _paste(self, value: Value) -> None:
        self.boxes.paste(value)

    def _set_hidden(self, hidden: bool) -> None:
        self.boxes.set_hidden(hidden)

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


class MaskEditor(CanvasEditor):
    """Draws a class for each pixel; keys as in `MaskCanvas`.

    Args:
        theme: The theme.
        empty: Value of pixels without a class, which the eraser leaves.
        parent: Parent widget.
    """

    def __init__(self, theme: Theme, empty: int, parent: QWidget | None = None) -> None:
        self.masks = MaskCanvas(theme)
        super().__init__(theme, self.masks, parent)
        self._empty = empty
        self._group = QButtonGroup(self)
        self.tool_buttons: dict[Tool, QToolButton] = {}
        for key, tool in TOOL_KEYS.items():
            name = self.tr("{name} ({key})").format(
                name=self.masks.tool_name(tool), key=chr(int(key))
            )
            button = icon_button(_ICONS[tool], name, theme, parent=self)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setCheckable(True)
            self._group.addButton(button)
            self.tool_buttons[tool] = button
        self._make_fields()
        self.busy_text = QLabel(self)
        self.busy_text.setProperty("role", "muted")
        self._lay_out()
        self._group.buttonClicked.connect(self._on_tool_button)
        self.size_field.valueChanged.connect(self._on_size)
        self.tolerance_field.valueChanged.connect(self._on_tolerance)
        self.opacity.valueChanged.connect(self._on_opacity)
        self.masks.changed.connect(self._on_changed)
        self.masks.tool_changed.connect(self._on_tool)
        self.masks.busy_changed.connect(self._on_busy)
        self.masks.tool_failed.connect(self.failed)
        self.masks.setAccessibleName(self.tr("Mask on the picture"))
        self.tolerance_field.setValue(self.masks.tolerance)
        self.opacity.setValue(round(100 * self.masks.opacity))
        self._on_tool()
        self._on_busy(is_busy=False)

    def _make_fields(self) -> None:
        self.size_field = SpinBox(self)
        self.size_field.setRange(1, 1000)
        self.size_field.setSuffix(self.tr(" px"))
        self.size_field.setAccessibleName(self.tr("Brush size"))
        self.size_field.setToolTip(self.tr("Brush size in pixels of the picture: [ and ]"))
        self.tolerance_field = SpinBox(self)
        self.tolerance_field.setRange(0, 255)
        self.tolerance_field.setAccessibleName(self.tr("Tolerance of the magic wand"))
        self.tolerance_field.setToolTip(
            self.tr("Largest difference of color that the magic wand accepts, 0 to 255")
        )
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setRange(5, 100)
        self.opacity.setFixedSize(_SLIDER_WIDTH, CONTROL_HEIGHT)
        self.opacity.setAccessibleName(self.tr("Opacity of the mask"))
        self.opacity.setToolTip(self.tr("Opacity of the mask"))

    def _lay_out(self) -> None:
        self._add_tools(
            *self.tool_buttons.values(),
            self.size_field,
            self.tolerance_field,
            self.opacity,
            self.undo_button,
            self.redo_button,
            self.copy_button,
            self.take_button,
            self.fit_button,
            self.zoom_text,
            self.busy_text,
        )

    def show_value(
        self, pyramid: Pyramid | None, value: Value | None, *, keeps_view: bool = False
    ) -> None:
        """Show a picture with its mask; see `CanvasEditor.show_value`."""
        self.masks.show_mask(pyramid, value, keeps_view=keeps_view)
        self.update_buttons()

    def value(self) -> Value:
        """Return the mask, uint8 (height, width); drawing changes it in place."""
        return self.masks.mask_image.labels

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes; see `CanvasEditor.set_classes`."""
        self.masks.set_classes(names, colors, self._empty)

    def choose_class(self, number: int) -> None:
        """Draw with a class."""
        self.masks.choose_class(number)
        self.class_chosen.emit(self.masks.current_class)

    @property
    def current_class(self) -> int:
        """Index of the class that is drawn with."""
        return self.masks.current_class

    @property
    def can_undo(self) -> bool:
        """True if a change of the mask can be undone."""
        return self.masks.mask_image.can_undo

    @property
    def can_redo(self) -> bool:
        """True if a change of the mask can be repeated."""
        return self.masks.mask_image.can_redo

    def undo(self) -> None:
        """Undo the last change of the mask."""
        self.masks.undo()

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        self.masks.redo()

    def show_proposal(self, value: Value | None) -> None:
        """Show a mask in stripes; see `CanvasEditor.show_proposal`."""
        self.masks.show_proposal(value)
        self.update_buttons()

    @property
    def proposal(self) -> Value | None:
        """The proposed mask; None for nothing."""
        return self.masks.proposal

    def _take(self, value: Value) -> None:
        self.masks.add_mask(value)

    def _paste(self, value: Value) -> None:
        labels = self.masks.mask_image.labels
        if value.shape == labels.shape:
            self.masks.replace_mask(value)
        else:
            self.failed.emit(
                self.tr(
                    "The previous picture has another size, so its mask does not fit this one."
                )
            )

    def _set_hidden(self, hidden: bool) -> None:
        self.masks.set_hidden(hidden)

    def _on_tool_button(self, button: QToolButton) -> None:
        chosen = {each: tool for tool, each in self.tool_buttons.items()}
        self.masks.choose_tool(chosen[button])
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


_ICONS: Final = {
    Tool.BRUSH: "brush",
    Tool.ERASER: "eraser",
    Tool.POLYGON: "polygon",
    Tool.FILL: "fill",
    Tool.WAND: "wand",
    Tool.CUT: "cut-out",
}
