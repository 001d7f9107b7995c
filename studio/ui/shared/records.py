"""Records: the name of a new one, the trash, groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton, QWidget

from studio.engine.files import free_name
from studio.engine.jobs.trash import request_trash, restore_all, trash_failed
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import WordMenu
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.tips import explain


class RecordName(QWidget):
    """A line edit for the name; `described` is its accessible name."""

    def __init__(self, described: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_ours = True
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(described)
        self.problem = HintLabel("", "problem", self)
        label = QLabel(self.tr("Name"), self)
        label.setBuddy(self.edit)
        vbox(label, self.edit, self.problem, owner=self, spacing=SPACE.s)
        self.edit.textEdited.connect(self._on_edited)
        explain(self.edit, self.tr("Name shown in lists. You can rename it later."))

    def text(self) -> str:
        """Return the current name."""
        return self.edit.text()

    def suggest(self, preferred: str, taken: Iterable[str]) -> None:
        """Enter a free name, unless the user typed one.

        Args:
            preferred: Preferred name.
            taken: Existing names.
        """
        if not self._is_ours:
            return
        self.edit.setText(free_name(preferred, taken))
        self.edit.setCursorPosition(0)  # of a long name, the beginning is shown

    def accept(self) -> None:
        """Mark the name as used, so that another one may be suggested."""
        self._is_ours = True

    def refuse(self, reason: str) -> None:
        """Say what is wrong with the name; an empty reason takes it back."""
        self.problem.show_text(reason, "problem")
        if reason:
            self.edit.setFocus()

    def _on_edited(self, text: str) -> None:
        self._is_ours = not text
        self.refuse("")


class Trash(QObject):
    """Moves records to the trash and offers to bring them back.

    Signals:
        thrown: Id of a record that has just gone.
        restored: Id of a record that is there again.
    """

    thrown = Signal(str)
    restored = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def throw(self, record: Record, name: str) -> None:
        """Move a record to the trash and offer to undo it.

        Args:
            record: The record.
            name: Its name.
        """
        self._context.background.run(
            self,
            partial(request_trash, self._context.jobs.queue, record),
            partial(self._on_thrown, name),
        )

    def throw_failed(self, kind: RecordKind | None = None) -> None:
        """Move all failed jobs to the trash, or those of a kind; a notice offers to undo it."""
        work = partial(trash_failed, self._context.jobs.queue, kind)
        self._context.background.run(self, work, self._on_failed_thrown)

    def _on_failed_thrown(self, trashed: list[Record]) -> None:
        if not trashed:
            self._context.navigator.notify(
                Notice("info", self.tr("There are no failed jobs to remove."))
            )
            return
        if len(trashed) == 1:
            text = self.tr("1 failed job was moved to the trash.")
        else:
            text = self.tr("{count} failed jobs were moved to the trash.")
            text = text.format(count=count(len(trashed)))
        self.offer_undo(trashed, text)

    def offer_undo(self, trashed: Sequence[Record], text: str, hint: str = "") -> None:
        """Show that records were moved to the trash, with a button that brings them back.

        Args:
            trashed: The records in the trash, at least one.
            text: Text of the notice.
            hint: Second line of the notice.
        """
        self._context.jobs.wake()
        for record in trashed:
            self.thrown.emit(record.id)
        undo, key = partial(self._restore, trashed), f"trash:{trashed[0].id}"
        self._context.navigator.notify(Notice("info", text, hint, key, self.tr("Undo"), undo))

    def _on_thrown(self, name: str, trashed: Record) -> None:
        text = self.tr("“{name}” was moved to the trash.").format(name=apart(name))
        self.offer_undo([trashed], text)

    def _restore(self, trashed: Sequence[Record]) -> None:
        work = partial(restore_all, self._context.workspace, trashed)
        self._context.background.run(self, work, partial(self._on_restored, trashed))

    def _on_restored(self, trashed: Sequence[Record], _nothing: None) -> None:
        self._context.jobs.wake()
        for record in trashed:
            self.restored.emit(record.id)


class GroupMenu(WordMenu):
    """Moves the records of the last `set_entries` to a group.

    Args:
        context: The workspace and its jobs.
        kind: The kind of the records, whose groups are offered.
    """

    def __init__(
        self, context: AppContext, kind: RecordKind, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self.setTitle(self.tr("Move to group"))
        self.set_prompt(self.tr("New group"))
        self._context = context
        self._kind = kind
        self._entries: Sequence[RecordDocument] = ()
        self.aboutToShow.connect(self._fill)
        self.switched.connect(self._on_group)

    def button(self) -> QToolButton:
        """Return a button with an icon that opens the menu."""
        name = self.tr("Move to group")
        button = icon_button("folder", name, self._context.theme)
        button.setMenu(self)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def set_entries(self, entries: Sequence[RecordDocument]) -> None:
        """Set the records to move."""
        self._entries = entries

    def _fill(self) -> None:
        entries = self._context.jobs.entries(self._kind)
        known = sorted({entry.info.group for entry in entries} - {""}, key=str.casefold)
        here = {entry.info.group for entry in self._entries}
        words = [(group, group, here == {group}) for group in known]
        self.set_words([("", self.tr("No group"), here == {""}), *words])

    def _on_group(self, group: str, on: bool) -> None:
        records = [entry.record for entry in self._entries]
        work = partial(move_to_group, self._context.workspace, records, group if on else "")
        self._context.background.run(self, work, self._context.jobs.wake)


def move_to_group(workspace: Workspace, records: Sequence[Record], group: str) -> None:
    """Put records into a group, or into none. Called in another thread.

    Args:
        workspace: The workspace of the records.
        records: The records to move.
        group: Name of the group; empty for none.

    Raises:
        StudioError: The name is not fit, or a record is gone.
    """
    for record in records:
        workspace.annotate(record, group=group)
