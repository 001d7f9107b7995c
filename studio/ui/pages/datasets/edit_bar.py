"""What can be done with the images that are selected, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget

from studio.engine.datasets.edits import SplitName
from studio.ui.pages.datasets import browsing_words, messages
from studio.ui.pages.datasets.commands import EXCLUDE
from studio.ui.pages.datasets.edit_work import Change, EditState
from studio.ui.pages.datasets.undo_buttons import UndoButtons
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.target_widgets import TargetEditor
from studio.ui.tasks.targets import TargetChange
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.split_bar import split_word


class EditBar(QWidget):
    """A line of buttons.

    Signals:
        change_wanted: A `Change` for the selected images.
        undo_wanted: Take the last step back.
        redo_wanted: Do it again.
    """

    change_wanted = Signal(object)
    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self._theme = theme
        self._left_out = False
        self.number = ElidedLabel("", self)
        self.number.setProperty("role", "muted")
        self.exclude_button = push_button("", theme, icon="hidden", parent=self)
        self.move_button = push_button(self.tr("Move to"), theme, parent=self)
        self.targets = TargetEditor(self)
        self._view: DataView | None = None
        menu = QMenu(self.move_button)
        for split in get_args(SplitName):
            action = menu.addAction(split_word(split))
            action.triggered.connect(partial(self._on_split, split))
        self.move_button.setMenu(menu)
        self.steps = UndoButtons(theme, shortcuts, self)
        self.version = QLabel(self)
        self.version.setProperty("role", "caption")
        self._row = QHBoxLayout(self)
        self._lay_out()
        self.exclude_button.clicked.connect(self.exclude)
        self.steps.undo_wanted.connect(self.undo_wanted)
        self.steps.redo_wanted.connect(self.redo_wanted)
        self.set_left_out(False)
        self.show_numbers(0, 0)
        self.allow(None, chosen=0, busy=False)

    def set_outputs(self, view: DataView, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer what a task can change of images.

        Args:
            view: Of the task.
            names: Of the classes, labels or quantities, K.
            units: Of the quantities, K or none.
        """
        if view is not self._view:
            self._view = view
            old, self.targets = self.targets, view.editor(self._theme, self)
            self._row.replaceWidget(old, self.targets)
            old.hide()
            old.deleteLater()
            self.targets.change_wanted.connect(self._on_target)
        self.targets.set_outputs(names, units)

    def set_left_out(self, left_out: bool) -> None:
        """Whether the images in sight are left out, and so can be brought back."""
        self._left_out = left_out
        text = self.tr("Include") if left_out else self.tr("Exclude")
        self.exclude_button.setText(text)
        set_icon(self.exclude_button, "visible" if left_out else "hidden", self._theme, "text")

    def show_numbers(self, total: int, chosen: int) -> None:
        """How many images there are, and how many of them are selected."""
        self.number.setText(
            browsing_words.chosen_of(chosen, total) if chosen else messages.images(total)
        )

    def allow(self, state: EditState | None, *, chosen: int, busy: bool) -> None:
        """Enable what can be done now; say why the rest cannot."""
        reason = self.tr("Select images first")
        if state is None or busy:
            reason = self.tr("Wait until the change before is done")
        ready = state is not None and not busy
        tips = {
            self.exclude_button: self.tr("Use them again")
            if self._left_out
            else self._shortcuts.tip(
                self.tr("Leave them out of every split. Your files stay as they are."), EXCLUDE
            ),
            self.move_button: self.tr("Put them into another split"),
        }
        for button, tip in tips.items():
            button.setEnabled(ready and chosen > 0)
            button.setToolTip(tip if button.isEnabled() else reason)
        self.targets.allow(allowed=ready and chosen > 0, reason=reason)
        self.steps.allow(state, busy=busy)
        number = 0 if state is None else state.version
        self.version.setText(browsing_words.version(number))
        self.version.setToolTip(self.tr("Every change makes a version; 0 is what was imported."))

    def add_first(self, widget: QWidget) -> None:
        """Take a widget in at the left end."""
        self._row.insertWidget(0, widget)

    def exclude(self) -> None:
        """Leave the selected images out, or bring them back."""
        if self.exclude_button.isEnabled():
            self.change_wanted.emit(Change("include" if self._left_out else "exclude"))

    def _lay_out(self) -> None:
        row = self._row
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.number, 1)
        for button in (self.exclude_button, self.targets, self.move_button):
            row.addWidget(button)
        row.addSpacing(SPACE.s)
        row.addWidget(self.steps)
        row.addWidget(self.version)

    def _on_target(self, change: TargetChange) -> None:
        self.change_wanted.emit(Change("target", target=change))

    def _on_split(self, split: SplitName) -> None:
        self.change_wanted.emit(Change("move", split=split))
