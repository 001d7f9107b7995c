"""Labeling of single pictures: by keys, typed names, numbers, boxes or a mask."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFormLayout, QLineEdit, QProgressBar, QWidget

from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import (
    BoxesValue,
    ClassValue,
    ExcludedValue,
    LabelsValue,
    MaskValue,
    NumbersValue,
    Value,
    classes_in,
)
from studio.engine.tasks.metric import with_unit
from studio.ui.context import AppContext
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.pages.label.classes import SIDE_WIDTH, ClassPanel
from studio.ui.pages.label.session import LabelSession, value_text
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import click_once, push_button
from studio.ui.widgets.canvas.picture import PictureCanvas
from studio.ui.widgets.canvas.picture import Value as Drawn
from studio.ui.widgets.canvas.pyramid import Pyramid
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.keys import Step, class_of_key, history_step, is_letter
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

_DECISIONS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Delete)
"""Keys that label a picture or leave it out, and show the next one."""


class SinglePanel(QWidget):
    """One picture at a time, with its label and the classes at the right.

    Keys: 1 to 9 choose a class; a letter goes to the field for names (T where letters choose tools
    to draw with); Enter, or Ctrl+Enter while the keyboard draws, accepts what is proposed, chosen
    or drawn and shows the next picture; Page
    Down skips, Page Up goes back, Ctrl+Del leaves the picture out; Ctrl+Z and Ctrl+Shift+Z undo
    and redo decisions. Where nothing is drawn, the arrows skip and go back, too.
    """

    def __init__(self, context: AppContext, session: LabelSession, parent: QWidget) -> None:
        super().__init__(parent)
        self.context = context
        self.session = session
        theme = context.theme
        kind = session.labeling.kind
        view = view_of(session.labeling.task)
        self.editor = view.drawing_editor(theme, self) if session.is_drawn else None
        self.canvas = PictureCanvas(theme, self) if self.editor is None else self.editor.canvas
        if self.editor is None:
            self.canvas.setAccessibleName(self.tr("Image"))
        self.name = ElidedLabel("", self)
        self.state = text_label("", "muted", self)
        self.proposal = ElidedLabel("", self, role="section")
        title = self.tr("Quantities") if kind == "numbers" else self.tr("Classes")
        self.classes = ClassPanel(title, self)
        self.numbers = NumberFields(self)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Labeled images"))
        self.progress_text = text_label("", "caption", self)
        self.hint = HintLabel("", parent=self)
        self._marked: set[int] = set()
        self._is_touched = False
        self._drawn_for = -1
        self._actions: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_Return: self.confirm,
            Qt.Key.Key_Enter: self.confirm,
            Qt.Key.Key_PageDown: session.skip,
            Qt.Key.Key_PageUp: session.back,
        }
        self._control_actions: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_Return: self.confirm,
            Qt.Key.Key_Enter: self.confirm,
            Qt.Key.Key_Delete: session.exclude,
        }
        if self.editor is None:
            self.canvas.takes_letters = False
            self._actions[Qt.Key.Key_Right] = session.skip
            self._actions[Qt.Key.Key_Left] = self._actions[Qt.Key.Key_Backspace] = session.back
        else:
            self._actions[Qt.Key.Key_T] = self.classes.field.setFocus
            # Every box is a separate decision, which the labeling undoes itself.
            self.editor.set_owns_undo(owns=kind == "mask")
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._show_classes()
        self._on_shown(session.current)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Decide by keys; see the class."""
        key, step, index = Qt.Key(event.key()), history_step(event), class_of_key(event)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        actions = self._control_actions if control else self._actions
        if event.isAutoRepeat() and (index is not None or key in _DECISIONS):
            return  # a held key decides once
        if step is not None:
            self.step(step)
        elif index is not None and not control:
            self.choose(index)
        elif key in actions:
            actions[key]()
        elif is_letter(event) and not control and self.editor is None:
            self.classes.begin_name(event.text())
        else:
            super().keyPressEvent(event)

    def choose(self, index: int) -> None:
        """Choose a class for the shown picture, or draw with it."""
        labeling = self.session.labeling
        if self.session.current < 0 or index >= len(labeling.names):
            return
        if labeling.kind == "class":
            self.session.decide(ClassValue(index=index), "key")
        elif labeling.kind == "labels":
            self._marked ^= {index}
            self._is_touched = True
            self._show_classes()
            self._show_state()
        elif labeling.kind == "numbers":
            self.numbers.focus(index)
        elif self.editor is not None:
            self.editor.choose_class(index)

    def confirm(self) -> None:
        """Accept what is proposed, chosen or drawn, and go to the next picture."""
        session, kind = self.session, self.session.labeling.kind
        if session.current < 0:
            return
        if kind == "labels" and (self._is_touched or session.proposal is None):
            session.decide(LabelsValue.of(self._marked), "key")
        elif kind == "numbers" and self.numbers.is_filled:
            self._decide_numbers()
        elif session.is_drawn and (self._is_touched or session.proposal is None):
            self._confirm_drawn()
        elif not session.accept_shown():
            session.show_next()

    def step(self, step: Step) -> None:
        """Undo or redo the last change of a mask, otherwise the last decision."""
        editor = self.editor
        if editor is None or not editor.step(step):
            self.session.step(step)

    # What is shown

    def _on_shown(self, item: int) -> None:
        labeling = self.session.labeling
        value = self.session.value
        self._marked = set(classes_in(value))
        self._is_touched = False
        was_empty = self._stack.currentWidget() is self.empty
        self._stack.setCurrentWidget(self.empty if item < 0 else self._work)
        if was_empty and item >= 0 and self.isVisible() and not self.classes.field.hasFocus():
            # The keys work as soon as there is a picture.
            self.canvas.setFocus()
        if item < 0:
            self._show_empty()
            self._show_progress()
            return
        self.name.setText(labeling.items[item].name)
        if labeling.kind == "numbers":
            self.numbers.show_fields(labeling.classes, value)
            self.numbers.focus(0)
        if self.session.picture is None:
            self._show_picture(None)
        self._show_state()
        self._show_classes()
        self._show_progress()
        self.back_button.setEnabled(self.session.can_go_back)

    def _on_picture(self, item: int, pyramid: Pyramid) -> None:
        if item == self.session.current:
            self._show_picture(pyramid)

    def _show_picture(self, pyramid: Pyramid | None) -> None:
        self.hint.show_text("")
        if pyramid is not None and pyramid.is_null:
            self.hint.show_text(
                self.tr("This image cannot be read. Press Ctrl+Del to leave it out."), "problem"
            )
        if self.editor is None:
            if self.canvas.pyramid is not pyramid:
                self.canvas.show_picture(pyramid)
            return
        self._drawn_for = self.session.current if pyramid is not None else -1
        value = self.session.value
        unwritten = self.session.unwritten_mask(self.session.current)
        if unwritten is not None:
            self.editor.show_value(pyramid, unwritten, keeps_view=True)
            return
        if isinstance(value, MaskValue) and pyramid is not None:
            work = partial(self.session.labeling.read_mask, value)
            done = partial(self._on_mask, self.session.current, pyramid)
            self.editor.show_value(pyramid, None)
            self._drawn_for = -1
            self.context.background.run(self, work, done)
            return
        boxes = value.array() if isinstance(value, BoxesValue) else None
        keeps = self.editor.canvas.pyramid is pyramid
        self.editor.show_value(pyramid, boxes, keeps_view=keeps)
        self._show_proposal()

    def _on_mask(self, item: int, pyramid: Pyramid, mask: Drawn) -> None:
        if item == self.session.current and self.editor is not None:
            self._drawn_for = item
            self.editor.show_value(pyramid, mask, keeps_view=True)

    def _show_classes(self) -> None:
        labeling = self.session.labeling
        marked = self._marked
        if self.editor is not None and labeling.names:
            marked = {self.editor.canvas.current_class}
        # Masks are not opened to count their classes.
        counts = None if labeling.kind == "mask" else labeling.counts()
        self.classes.show_classes(labeling.classes, counts, marked)

    def _on_classes(self) -> None:
        labeling = self.session.labeling
        if self.editor is not None:
            colors = [each.color for each in labeling.classes]
            self.editor.canvas.set_classes(labeling.names, colors)
        if labeling.kind == "numbers":
            self.numbers.show_fields(labeling.classes, self.session.value)
        self._show_classes()

    def _on_labels(self, items: list[int]) -> None:
        # What was drawn since then waits to be written.
        if self.session.current in items and not self.session.writes.is_busy:
            value = self.session.value
            drawn = self._drawn_value()
            if isinstance(value, BoxesValue) and drawn is not None and value != drawn:
                self._show_picture(self.session.picture)
        self._show_classes()
        self._show_state()
        self._show_progress()

    def _on_assist(self, _status: object) -> None:
        self._show_state()
        self._show_proposal()

    def _show_proposal(self) -> None:
        """Show proposed boxes or a mask on the picture, until it is labeled."""
        if self.editor is None or self._is_touched or self._drawn_for != self.session.current:
            return
        proposal = None if self._has_value else self.session.proposal
        shown: Drawn | None = None if proposal is None else proposal.mask
        if proposal is not None and isinstance(proposal.value, BoxesValue):
            shown = proposal.value.array()
        if shown is not None or self.editor.canvas.proposal is not None:
            self.editor.show_proposal(shown)

    def _show_state(self) -> None:
        value, proposal = self.session.value, self.session.proposal
        if isinstance(value, ExcludedValue):
            text = self.tr("Left out")
        elif value is None:
            text = self.tr("No label yet")
        elif isinstance(value, MaskValue):
            text = self.tr("Mask saved")
        elif isinstance(value, BoxesValue):
            text = self.tr("Boxes: {n}").format(n=count(len(value.boxes)))
        else:
            text = self.tr("Label: {label}").format(label=self._words(value) or "–")
        self.state.setText(text)
        self.proposal.setVisible(proposal is not None)
        self.state.setVisible(proposal is None)
        self.accept_button.setEnabled(self.session.current >= 0)
        if proposal is not None:
            self.proposal.setText(self._proposed_text(proposal))
            tip = self.tr("Enter accepts the proposal.")
            if self.session.is_drawn:
                tip = self.tr("Press Enter to accept the proposal, or A to edit it.")
            self.proposal.setToolTip(tip)

    def _proposed_text(self, proposal: Proposal) -> str:
        value = proposal.value
        if proposal.mask is not None:
            return self.tr("Proposed mask")
        if isinstance(value, BoxesValue):
            return self.tr("Proposed boxes: {n}").format(n=count(len(value.boxes)))
        text = self._words(value)
        if isinstance(value, NumbersValue):
            return self.tr("Proposed: {numbers}").format(numbers=text)
        return self.tr("{label}?  {probability}").format(
            label=text or self.tr("None of the labels"),
            probability=percent(proposal.probability, 0),
        )

    def _words(self, value: Value | None) -> str:
        labeling = self.session.labeling
        return value_text(value, labeling.names, [each.unit for each in labeling.classes])

    def _show_progress(self) -> None:
        labeling = self.session.labeling
        total, done = len(labeling.items), labeling.labeled_count
        self.progress.setRange(0, max(1, total))
        self.progress.setValue(done)
        text = self.tr("{done} of {total} labeled")
        self.progress_text.setText(text.format(done=count(done), total=count(total)))

    def _show_empty(self) -> None:
        has_items = bool(self.session.labeling.items)
        title = self.tr("Add images to label")
        text = self.tr("Drop a folder, images or a video here. Your files stay as they are.")
        if has_items:
            title = self.tr("All images are labeled")
            text = self.tr("Create a dataset, review the grid or add images.")
        self.empty.set_texts(title, text)
        self.dataset_button.setVisible(has_items)

    # Decisions

    def _on_named(self, name: str) -> None:
        if self.session.labeling.kind == "class" and self.session.current >= 0:
            self.session.decide_named(name, self.canvas.setFocus)
        else:
            self.session.class_named(name, partial(self._on_class, self.session.current))

    def _on_class(self, item: int, index: int) -> None:
        """Use a class that was typed, unless another picture is shown by now."""
        self.canvas.setFocus()
        if item == self.session.current:
            self.choose(index)

    def _on_class_clicked(self, index: int) -> None:
        self.choose(index)
        if self.session.labeling.kind != "numbers":
            self.canvas.setFocus()

    def _decide_numbers(self) -> None:
        value = self.numbers.value()
        if value is None:
            self.hint.show_text(self.tr("Type a number in each field."), "problem")
        else:
            self.session.decide(value, "typed")

    def _on_drawn(self) -> None:
        """Save what was drawn: boxes at once, a mask in another thread."""
        if self.editor is None or self._drawn_for != self.session.current:
            return
        self._is_touched = True
        if self.session.labeling.kind == "boxes":
            drawn = self._drawn_value()
            if drawn is not None and drawn != self.session.value:
                self.session.decide(drawn, "drawn", advances=False)
        else:
            self._save_mask()

    def _drawn_value(self) -> Value | None:
        if self.editor is None or self.session.labeling.kind != "boxes":
            return None
        return BoxesValue.of(self.editor.value())

    def _save_mask(self) -> None:
        if self.editor is not None and self._drawn_for >= 0:
            self.session.write_mask(self._drawn_for, self.editor.value().copy())

    def _confirm_drawn(self) -> None:
        """Leave a drawn picture; one without boxes is labeled as having none."""
        if self.editor is None or self._drawn_for != self.session.current:
            return
        self.editor.set_previous(self.editor.value().copy())
        drawn = self._drawn_value()
        if drawn is not None and drawn != self.session.value:
            self.session.decide(drawn, "drawn", advances=False)
        elif drawn is None and not self._has_value:
            self._save_mask()
        self.session.show_next()

    @property
    def _has_value(self) -> bool:
        session = self.session
        return session.value is not None or session.unwritten_mask(session.current) is not None

    # Building

    def _make_buttons(self) -> None:
        theme, session = self.context.theme, self.session
        back = self.tr("Shows the previous image (Page Up)")
        skip = self.tr("Leaves the image for later (Page Down)")
        exclude = self.tr("Leaves an unusable image out of datasets (Ctrl+Del)")
        self._left = [
            push_button(text, theme, icon=icon, tip=tip, on_click=call)
            for text, icon, tip, call in (
                (self.tr("Back"), "back", back, session.back),
                (self.tr("Skip"), "skip", skip, session.skip),
                (self.tr("Leave out"), "hidden", exclude, session.exclude),
            )
        ]
        self.back_button = self._left[0]
        tip = self.tr("Accepts what is proposed, chosen or drawn (Enter)")
        self.accept_button = push_button(
            self.tr("Accept"), theme, kind="primary", icon="check", tip=tip, on_click=self.confirm
        )
        for button in (*self._left, self.accept_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.exclude_button = self._left[-1]
        for button in (self.exclude_button, self.accept_button):
            click_once(button)
        self.empty = EmptyState(theme, "label", "", "", self)
        text = self.tr("Add images…")
        self.add_button = self.empty.add_action(text, kind="primary", icon="plus")
        self.dataset_button = self.empty.add_action(self.tr("Make dataset…"), icon="datasets")

    def _lay_out(self) -> None:
        self._work = QWidget(self)
        self._stack = PageStack(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._work)
        top = hbox((self.name, 1), self.proposal, self.state, spacing=SPACE.s)
        bottom = hbox(*self._left, STRETCH, self.accept_button, spacing=SPACE.s)
        drawing = (self.editor or self.canvas, 1)
        vbox(top, drawing, self.hint, bottom, owner=self._work, spacing=SPACE.s)
        side = QWidget(self)
        side.setFixedWidth(SIDE_WIDTH)
        parts = (self.progress_text, self.progress, self.numbers, (self.classes, 1))
        self.side = vbox(*parts, owner=side, spacing=SPACE.s)
        self.numbers.setVisible(self.session.labeling.kind == "numbers")
        hbox((self._stack, 1), side, owner=self, spacing=SPACE.l)
        self.setFocusProxy(self.canvas)

    def _connect(self) -> None:
        session = self.session
        session.shown.connect(self._on_shown)
        session.picture_ready.connect(self._on_picture)
        session.labels_changed.connect(self._on_labels)
        session.classes_changed.connect(self._on_classes)
        session.items_changed.connect(self._show_progress)
        session.assisted.connect(self._on_assist)
        self.classes.list.chosen.connect(self._on_class_clicked)
        self.classes.field.named.connect(self._on_named)
        self.classes.field.left.connect(self.canvas.setFocus)
        self.numbers.confirmed.connect(self._decide_numbers)
        if self.editor is not None:
            self.editor.changed.connect(self._on_drawn)
            self.editor.class_chosen.connect(self._show_classes)
            self.editor.failed.connect(self.hint.show_text)
            self._on_classes()


class NumberFields(QWidget):
    """A field for each quantity; Enter goes to the next one and, in the last, confirms.

    Signals:
        confirmed: Enter was pressed in the last field.
    """

    confirmed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.fields: list[QLineEdit] = []
        self._names: list[str] = []

    def show_fields(self, classes: Sequence[LabelClass], value: Value | None) -> None:
        """Show the quantities of a picture.

        Args:
            classes: The quantities.
            value: Its value; None if it is undecided.
        """
        names = [with_unit(each.name, each.unit) for each in classes]
        if names != self._names:
            while self.form.rowCount():
                self.form.removeRow(0)
            self.fields, self._names = [], names
            for name in names:
                field = QLineEdit(self)
                field.setAccessibleName(name)
                explain(field, self.tr("A number; Enter goes to the next field."))
                field.returnPressed.connect(partial(self._on_return, len(self.fields)))
                self.form.addRow(name, field)
                self.fields.append(field)
        numbers = value.numbers if isinstance(value, NumbersValue) else (None,) * len(names)
        for field, number in zip(self.fields, numbers, strict=False):
            field.setText("" if number is None else format_number(number, self.locale()))

    def focus(self, index: int) -> None:
        """Go to a field."""
        if index < len(self.fields):
            self.fields[index].setFocus()
            self.fields[index].selectAll()

    @property
    def is_filled(self) -> bool:
        """True if something was typed."""
        return any(field.text().strip() for field in self.fields)

    def value(self) -> NumbersValue | None:
        """Return the typed numbers; None where one cannot be read."""
        numbers: list[float] = []
        for field in self.fields:
            number = parse_number(field.text(), self.locale())
            if number is None or not math.isfinite(number):
                self.focus(self.fields.index(field))
                return None
            numbers.append(number)
        return NumbersValue(numbers=tuple(numbers))

    def _on_return(self, at: int) -> None:
        if at + 1 < len(self.fields):
            self.focus(at + 1)
        else:
            self.confirmed.emit()
