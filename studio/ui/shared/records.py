"""Records: the name of a new one, notes, the trash, groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QToolButton, QWidget

from studio.engine.files import free_name
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.references import users_of
from studio.engine.jobs.trash import restore_all, trash_all, trash_failed
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import WordMenu
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import Debounce, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.tips import explain


class RecordName(QWidget):
    """A line edit for the name; `described` is its accessible name."""

    def __init__(self, described: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_ours = True
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(described)
        # Its room is kept: the button below must not move away from the mouse.
        self.problem = HintLabel("", "problem", self, keeps_room=True)
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


NOTES_MS = 800
"""Pause after typing before notes are saved."""


class NotesEdit(QPlainTextEdit):
    """The notes of a record, saved while they are typed and when the field is left.

    Args:
        context: The workspace and its jobs.
        prompt: Text while there are none.
        parent: Owner.
    """

    def __init__(self, context: AppContext, prompt: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, placeholderText=prompt, tabChangesFocus=True)
        self.setAccessibleName(self.tr("Notes"))
        self._context = context
        self._entry: RecordDocument | None = None
        self._saving = Debounce(NOTES_MS, self.save, self)
        self.textChanged.connect(self._saving.start)

    def show_entry(self, entry: RecordDocument) -> None:
        """Show the notes of a record; text that is being edited stays."""
        is_other = self._entry is None or self._entry.key != entry.key
        if is_other:
            self.save()
        self._entry = entry
        is_edited = not is_other and (self.hasFocus() or self._saving.isActive())
        if not is_edited and self.toPlainText() != entry.info.notes:
            with QSignalBlocker(self):
                self.setPlainText(entry.info.notes)

    def save(self) -> None:
        """Save the notes now, if they changed."""
        self._saving.stop()
        entry, text = self._entry, self.toPlainText()
        if entry is not None and text != entry.info.notes:
            work = partial(self._context.workspace.annotate, entry.record, text)
            self._context.background.run(self, work, self._context.jobs.wake)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Save the notes."""
        super().focusOutEvent(event)
        self.save()

    def hideEvent(self, event: QHideEvent) -> None:
        """Save the notes, for example when another tab is opened."""
        super().hideEvent(event)
        self.save()


class Trash(QObject):
    """Moves records to the trash and offers to bring them back.

    Signals:
        thrown: Id of a record that has just gone.
        restored: Id of a record that is there again.
        kept: Id of a record that could not be moved.
    """

    thrown = Signal(str)
    restored = Signal(str)
    kept = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def throw(self, record: Record, name: str) -> None:
        """Move a record to the trash and offer to undo it.

        Args:
            record: The record.
            name: Its name.
        """
        self._throw([record], {record.id: name})

    def throw_runs(self, entries: Sequence[RecordDocument]) -> None:
        """Move runs to the trash; those that are running stay, and the notice says so."""
        idle = [entry.record for entry in entries if not entry.state.has_worker]
        self._throw(idle, {entry.record.id: entry.name for entry in entries})

    def throw_failed(self, kind: RecordKind | None = None) -> None:
        """Move all failed jobs to the trash, or those of a kind; a notice offers to undo it."""
        work = partial(trash_failed, self._context.jobs.queue, kind)
        self._context.background.run(self, work, self._on_failed_thrown)

    def restore(self, record: Record) -> None:
        """Restore a record of the trash, and say so."""
        name = apart(record.name)  # it is no longer in the trash afterwards
        self._restore([record])
        text = self.tr("“{name}” was restored.").format(name=name)
        self._context.navigator.notify(Notice("success", text, key=f"trash:{record.id}"))

    def _throw(self, records: Sequence[Record], names: dict[str, str]) -> None:
        work = partial(_trashed_with_users, self._context.jobs.queue, records)
        done, failed = partial(self._on_thrown, names), partial(self._on_not_thrown, list(names))
        self._context.background.run(self, work, done, failed)

    def _on_not_thrown(self, ids: Sequence[str], error: BaseException) -> None:
        for record_id in ids:
            self.kept.emit(record_id)
        self._context.navigator.show_failure(error)

    def _on_thrown(
        self, names: dict[str, str], found: tuple[list[Record], list[tuple[RecordKind, str]]]
    ) -> None:
        trashed, users = found
        if len(trashed) == 1:
            name = apart(names[trashed[0].id])
            text = self.tr("“{name}” was moved to the trash.").format(name=name)
        else:
            text = self.tr("{count} runs were moved to the trash.")
            text = text.format(count=count(len(trashed)))
        left = len(names) - len(trashed)
        hint = self.tr("Running runs are kept: {count}.").format(count=count(left)) if left else ""
        self._offer_undo(trashed, text, hint or self._needed_by(users))

    def _needed_by(self, users: Sequence[tuple[RecordKind, str]]) -> str:
        """Name the records that need what was moved to the trash; empty if there are none."""
        if not users:
            return ""
        shown = [
            self.tr("{kind} “{name}”").format(kind=translated(kind.label), name=apart(name))
            for kind, name in users[:_NAMED_USERS]
        ]
        more = len(users) - len(shown)
        rest = [self.tr("{count} more").format(count=count(more))] if more else []
        text = self.tr("Still needed by: {records}.")
        return text.format(records=", ".join([*shown, *rest]))

    def _on_failed_thrown(self, trashed: list[Record]) -> None:
        if len(trashed) == 1:
            text = self.tr("1 failed job was moved to the trash.")
        else:
            text = self.tr("{count} failed jobs were moved to the trash.")
            text = text.format(count=count(len(trashed)))
        self._offer_undo(trashed, text)

    def _offer_undo(self, trashed: list[Record], text: str, hint: str = "") -> None:
        self._context.jobs.wake()
        for record in trashed:
            self.thrown.emit(record.id)
        undo, key = partial(self._restore, trashed), f"trash:{trashed[0].id}"
        self._context.navigator.notify(Notice("info", text, hint, key, self.tr("Undo"), undo))

    def _restore(self, trashed: list[Record]) -> None:
        work = partial(restore_all, self._context.workspace, trashed)
        self._context.background.run(self, work, partial(self._on_restored, trashed))

    def _on_restored(self, trashed: list[Record], _nothing: None) -> None:
        self._context.jobs.wake()
        for record in trashed:
            self.restored.emit(record.id)


_NAMED_USERS = 3


def _trashed_with_users(
    queue: JobQueue, records: Sequence[Record]
) -> tuple[list[Record], list[tuple[RecordKind, str]]]:
    """Move records to the trash; return them, and kind and name of what needs a single one."""
    users = users_of(queue.workspace, records[0]) if len(records) == 1 else []
    named = [(user.kind, user.name) for user in users]
    return trash_all(queue, records), named


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
