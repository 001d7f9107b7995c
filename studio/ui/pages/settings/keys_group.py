"""The list of commands with their shortcuts, which can be changed."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFocusEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QKeySequenceEdit, QLabel, QLineEdit, QWidget

from studio.ui.commands import Command, Reach
from studio.ui.context import AppContext
from studio.ui.pages.settings.rows import SettingGroup, fits
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

HEIGHT: Final = 380


class KeysGroup(SettingGroup):
    """The list of commands, and below it the keys of the selected one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("shortcuts", "", parent)
        self.title = self.tr("Keyboard shortcuts")
        self.set_title(self.title)
        self._shortcuts = context.settings.shortcuts
        self.table = Table(
            self.tr("Commands and their keys"),
            [
                Column(self.tr("Command"), _label, value=_label, width=FILL, is_text=True),
                Column(self.tr("Keys"), self._shortcuts.text, width=190, is_text=True),
                Column(self.tr("Where"), self._where, value=self._where, is_text=True),
            ],
            self,
            key=attrgetter("name"),
        )
        self.chosen = QLabel(self)
        self.edit = KeyField(self)
        self.none_button = push_button(self.tr("No keys"), context.theme, icon="close")
        self.usual_button = push_button(self.tr("Usual keys"), context.theme, icon="undo")
        self.all_button = push_button(self.tr("Usual keys for all"), context.theme, icon="undo")
        self.hint = HintLabel("", "help", self)
        self._lay_out()
        self._connect()
        self.table.show_rows(self._shortcuts.commands)
        self._select_shown()
        self._explain()

    def _explain(self) -> None:
        explain(self.edit, self.tr("Click here, then press the new keys."))
        explain(self.none_button, self.tr("Removes the shortcut of the selected command."))
        explain(self.table, self.tr("All commands with their shortcuts. Select one to change it."))

    def select(self, name: str) -> None:
        """Select a command by its name."""
        self.table.select(name)

    def finds_more(self, typed: str) -> bool:
        """Show matching commands only; return True if there are any."""
        self.table.content.set_filter(partial(self._fits, typed))
        self._select_shown()
        return bool(self.table.content.shown)

    def _fits(self, typed: str, command: Command) -> bool:
        texts = [column.text(command) for column in self.table.content.columns]
        return fits(typed, (self.title, *texts, command.more_words()))

    def _select_shown(self) -> None:
        """Select a listed command, so that the fields below the list edit one that is visible."""
        shown = self.table.content.shown
        if shown and not self.table.selected:
            self.table.select(shown[0].name)

    def _lay_out(self) -> None:
        self.table.setFixedHeight(HEIGHT)
        self.edit.setAccessibleName(self.tr("Keys of the selected command"))
        line = QHBoxLayout()
        line.setSpacing(SPACE.s)
        line.addWidget(self.chosen, 1)
        for control in (self.edit, self.none_button, self.usual_button):
            line.addWidget(control)
        last = QHBoxLayout()
        last.addWidget(self.hint, 1)
        last.addWidget(self.all_button)
        self.body.addWidget(self.table)
        self.body.addLayout(line)
        self.body.addLayout(last)

    def _connect(self) -> None:
        self.table.selection_changed.connect(self._show)
        self.table.opened.connect(self._on_opened)
        self.edit.editingFinished.connect(self._on_edited)
        self.none_button.clicked.connect(self._on_none)
        self.usual_button.clicked.connect(self._on_usual)
        self.all_button.clicked.connect(self._shortcuts.reset_all)
        self._shortcuts.changed.connect(self._on_changed)

    def _where(self, command: Command) -> str:
        name = f"page.{command.page}"
        page = next((each for each in self._shortcuts.commands if each.name == name), None)
        if command.reach is Reach.WINDOW or page is None:
            scope = self.tr("Everywhere")
        else:
            scope = page.label()
        return self.tr("{place}, fixed").format(place=scope) if _is_fixed(command) else scope

    def _command(self) -> Command | None:
        return next(iter(self.table.selected), None)

    def _show(self) -> None:
        """Show the keys of the selected command, and enable the buttons that apply."""
        command = self._command()
        with QSignalBlocker(self.edit):
            keys = self._shortcuts.keys(command) if command else []
            self.edit.setKeySequence(keys[0] if keys else QKeySequence())
        self.chosen.setText(command.label() if command else "")
        fixed = command is None or _is_fixed(command)
        reason = self.tr("These keys cannot be changed.") if fixed else ""
        self.edit.setEnabled(not fixed)
        self._allow(self.none_button, reason or ("" if keys else self.tr("It has no keys.")))
        usual = command is None or self._shortcuts.is_usual(command)
        self._allow(
            self.usual_button, reason or (self.tr("These are the default keys.") if usual else "")
        )
        all_usual = all(map(self._shortcuts.is_usual, self._shortcuts.commands))
        self._allow(
            self.all_button, self.tr("All shortcuts are the defaults.") if all_usual else ""
        )
        how = self.tr("Click into the field, or press Enter in the list; then press the new keys.")
        self.hint.show_text(reason or how)

    def _allow(self, button: QWidget, reason: str) -> None:
        button.setEnabled(not reason)
        button.setToolTip(reason)

    def _on_opened(self, _name: str) -> None:
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        command, keys = self._command(), self.edit.keySequence()
        if command is None or keys.isEmpty() or keys in self._shortcuts.keys(command):
            return
        other = self._shortcuts.clash(command, keys)
        if other is None:
            self._shortcuts.choose(command, keys)
            return
        self._show()
        self.hint.show_text(
            self.tr(
                "{keys} is used by “{command}”. Choose other keys, or change those first."
            ).format(
                keys=keys.toString(QKeySequence.SequenceFormat.NativeText),
                command=other.label(),
            ),
            "problem",
        )

    def _on_none(self) -> None:
        command = self._command()
        if command is not None:
            self._shortcuts.choose(command, QKeySequence())

    def _on_usual(self) -> None:
        command = self._command()
        if command is None:
            return
        taken = [self._shortcuts.clash(command, keys) for keys in command.usual_keys()]
        other = next((each for each in taken if each is not None), None)
        if other is None:
            self._shortcuts.reset(command)
            return
        self.hint.show_text(
            self.tr("The default keys are now used by “{command}”.").format(command=other.label()),
            "problem",
        )

    def _on_changed(self, name: str) -> None:
        self.table.touch(name)
        self._show()


def _label(command: Command) -> str:
    return command.label()


def _is_fixed(command: Command) -> bool:
    return command.reach is Reach.FIXED


class KeyField(QKeySequenceEdit):
    """A field that takes one key combination.

    Its inner line edit, the visible part, never has the focus itself, so it is styled here.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        # It takes every key, so the focus must not come by itself, nor could Tab leave it.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the field takes keys."""
        super().focusInEvent(event)
        self._show_focus(is_here=True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that it does not."""
        super().focusOutEvent(event)
        self._show_focus(is_here=False)

    def _show_focus(self, *, is_here: bool) -> None:
        for field in self.findChildren(QLineEdit):
            restyle(field, "takesKeys", is_here)
