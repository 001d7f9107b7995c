"""Labeling of single pictures: by keys, typed names, numbers, boxes or a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.label.classes import SIDE_WIDTH, ClassPanel
from studio.ui.pages.label.session import LabelSession
from studio.ui.pages.label.tools import tools_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import click_once, push_button
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.figures import count
from studio.ui.widgets.keys import Step, class_of_key, history_step, is_letter
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import flow, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack

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
        self.tools = tools_of(session, self)
        self.editor, self.canvas = self.tools.editor, self.tools.canvas
        self.name = ElidedLabel("", self)
        self.state = text_label("", "muted", self)
        self.proposal = ElidedLabel("", self, role="section")
        self.classes = ClassPanel(self.tools.title, self)
        if not session.labeling.editor.names_classes:
            self.classes.field.hide()
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Labeled images"))
        self.progress_text = text_label("", "caption", self)
        self.hint = HintLabel("", parent=self)
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
            self._actions[Qt.Key.Key_Right] = session.skip
            self._actions[Qt.Key.Key_Left] = self._actions[Qt.Key.Key_Backspace] = session.back
        else:
            self._actions[Qt.Key.Key_T] = self.classes.field.setFocus
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
        if self.session.current >= 0 and index < len(self.session.labeling.names):
            self.tools.choose(index)

    def confirm(self) -> None:
        """Accept what is proposed, chosen or drawn, and go to the next picture."""
        session = self.session
        if session.current < 0 or self.tools.confirm() or session.accept_shown():
            return
        if session.value is None:
            self.hint.show_text(self.tr("This image has no label yet. Label it, or skip it."))
        else:
            session.show_next()

    def step(self, step: Step) -> None:
        """Undo or redo the last change of a mask, otherwise the last decision."""
        if not self.tools.step(step):
            self.session.step(step)

    # What is shown

    def _on_shown(self, item: int) -> None:
        labeling = self.session.labeling
        was_empty = self._stack.currentWidget() is self.empty
        self._stack.setCurrentWidget(self.empty if item < 0 else self._work)
        if was_empty and item >= 0 and self.isVisible() and not self.classes.field.hasFocus():
            # The keys work as soon as there is a picture.
            self.canvas.setFocus()
        self.tools.begin()
        if item < 0:
            self._show_empty()
            self._show_progress()
            return
        self.name.setText(labeling.items[item].name)
        if self.session.picture is None:
            self._show_picture(None)
        self._show_state()
        self._show_classes()
        self._show_progress()
        self.back_button.setEnabled(self.session.can_go_back)

    def _on_picture(self, item: int, pyramid: ImagePyramid) -> None:
        if item == self.session.current:
            self._show_picture(pyramid)

    def _show_picture(self, pyramid: ImagePyramid | None) -> None:
        self.hint.show_text("")
        if pyramid is not None and pyramid.is_null:
            self.hint.show_text(
                self.tr("This image cannot be read. Press Ctrl+Del to leave it out."), "problem"
            )
        self.tools.show_picture(pyramid)

    def _show_classes(self) -> None:
        labeling = self.session.labeling
        counts = labeling.counts() if labeling.editor.counts_classes else None
        self.classes.show_classes(labeling.classes, counts, self.tools.marked)

    def _on_classes(self) -> None:
        self.tools.show_classes()
        self._show_classes()

    def _on_labels(self, items: list[int]) -> None:
        # What was drawn since then waits to be written.
        if self.session.current in items and not self.session.writes.is_busy:
            self.tools.refresh()
        self._show_classes()
        self._show_state()
        self._show_progress()

    def _on_assist(self, _status: object) -> None:
        self._show_state()
        self.tools.show_proposal()

    def _show_state(self) -> None:
        value, proposal = self.session.value, self.session.proposal
        if value is None:
            text = self.tr("No label yet")
        else:
            text = self.tr("Left out") if value.is_excluded else self.tools.state_text(value)
        self.state.setText(text)
        self.proposal.setVisible(proposal is not None)
        self.state.setVisible(proposal is None)
        self.accept_button.setEnabled(self.session.current >= 0)
        if proposal is not None:
            self.proposal.setText(self.tools.proposed_text(proposal))
            self.proposal.setToolTip(self.tools.proposal_tip)

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
        self.tools.choose_named(name)

    def _on_class_clicked(self, index: int) -> None:
        if self.session.current >= 0 and index < len(self.session.labeling.names):
            self.tools.clicked(index)

    def _on_tools(self) -> None:
        self._show_classes()
        self._show_state()

    def _on_problem(self, text: str) -> None:
        self.hint.show_text(text, "problem")

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
        bottom = hbox((flow(*self._left), 1), self.accept_button, spacing=SPACE.s)
        vbox(top, (self.tools.view, 1), self.hint, bottom, owner=self._work, spacing=SPACE.s)
        side = QWidget(self)
        side.setFixedWidth(SIDE_WIDTH)
        parts = (self.progress_text, self.progress, (self.classes, 1))
        self.side = vbox(*parts, owner=side, spacing=SPACE.s)
        if self.tools.fields is not None:
            self.side.insertWidget(len(parts) - 1, self.tools.fields)
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
        self.tools.changed.connect(self._on_tools)
        self.tools.problem.connect(self._on_problem)
        self.tools.show_classes()
