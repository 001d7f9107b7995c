"""The page of the trash: a table of deleted records, with restoring and deleting forever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from studio.engine.jobs.trash import (
    TrashEntry,
    delete_forever,
    restore_all,
    size_of,
    trash_entries,
)
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.page import Page
from studio.ui.record_kinds import kind_word
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, date_text, size
from studio.ui.widgets.inputs import search_field
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, EmptyState, PageHeader, PageStack
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import allow, explain


@dataclass(frozen=True, slots=True)
class Deleted:
    """A deleted record.

    Attributes:
        entry: The record.
        bytes: Size of its files.
    """

    entry: TrashEntry
    bytes: int


class View(Page):
    """Deleted records. Restoring is undone by deleting again; deleting forever asks first."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._to_delete: list[Deleted] = []
        tip = self.tr("Shows only records whose name contains this text.")
        self.search = search_field(self, self.tr("Search the trash"), tip, self.tr("Search"))
        self.table = Table(
            self.tr("Deleted records"),
            self._columns(),
            self,
            key=attrgetter("entry.record.folder"),
            selection="many",
        )
        button = partial(push_button, theme=context.theme)
        restores = self.tr("Moves the selected records back to their pages.")
        self.restore_button = button(self.tr("Restore"), tip=restores, on_click=self._on_restore)
        deletes = self.tr("Deletes the selected records after asking.")
        self.delete_button = button(
            self.tr("Delete forever…"), kind="quiet", tip=deletes, on_click=self._on_delete
        )
        empties = self.tr("Deletes everything in the trash, after asking.")
        self.empty_button = button(
            self.tr("Empty trash…"), icon="trash", tip=empties, on_click=self._on_empty
        )
        self.question = QLabel(self, wordWrap=True)
        final = self.tr("This cannot be undone.")
        self.confirm_button = button(
            self.tr("Delete forever"), kind="primary", tip=final, on_click=self._on_confirmed
        )
        keeps = self.tr("Deletes nothing.")
        self.cancel_button = button(self.tr("Cancel"), tip=keeps, on_click=self._hide_question)
        how = self.tr("Deleted datasets, runs and other records appear here until you empty it.")
        self.empty = EmptyState(context.theme, "trash", self.tr("The trash is empty"), how, self)
        self._prepare()
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        self.table.selection_changed.connect(self._refresh_buttons)
        self._refresh_buttons()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the trash again whenever the page is opened."""
        super().showEvent(event)
        self.reload()

    def reload(self) -> None:
        """Read the trash in another thread and show it."""
        self.context.background.run(
            self, partial(_read, self.context.workspace), self._show_records
        )

    def _columns(self) -> list[Column[Deleted]]:
        return [
            Column(self.tr("Name"), _name, value=_name, width=FILL, is_text=True),
            Column(self.tr("Kind"), _kind, value=_kind, width=150, is_text=True),
            Column(
                self.tr("Deleted"),
                lambda record: date_text(_seconds(record)),
                value=_seconds,
                is_text=True,
                is_descending=True,
            ),
            Column(
                self.tr("Size"),
                lambda record: size(record.bytes),
                value=attrgetter("bytes"),
                is_descending=True,
            ),
        ]

    def _prepare(self) -> None:
        self.table.set_empty_text(self.tr("No deleted record matches."))
        explain(self.table, self.tr("Select records to restore or delete them."))

    def _lay_out(self) -> None:
        header = PageHeader(
            self.tr("Trash"), self.tr("Deleted records stay here until you empty the trash.")
        )
        header.add_action(self.empty_button)
        actions = hbox((self.search, 1), self.restore_button, self.delete_button, spacing=SPACE.s)
        self._confirmation = QFrame(self)
        hbox(
            *((self.question, 1), self.cancel_button, self.confirm_button),
            owner=self._confirmation,
            spacing=SPACE.s,
        )
        self._confirmation.hide()
        filled = QWidget(self)
        vbox(actions, self._confirmation, (self.table, 1), owner=filled, spacing=SPACE.m)
        self._stack = PageStack(self, self.empty, filled)
        vbox(header, (self._stack, 1), owner=self, spacing=SPACE.l, margins=PAGE_MARGINS)

    def _show_records(self, records: list[Deleted]) -> None:
        self._stack.setCurrentIndex(1 if records else 0)
        self.table.show_rows(records)
        self._refresh_buttons()
        self._hide_question()

    def _on_search(self, typed: str) -> None:
        words = typed.casefold().split()
        self.table.content.set_filter(partial(_matches, words) if words else None)
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        has_selection = bool(self.table.selected)
        reason = "" if has_selection else self.tr("Select a record first.")
        for button in (self.restore_button, self.delete_button):
            allow(button, reason)
        self.empty_button.setEnabled(bool(self.table.content.rows))

    def _on_restore(self) -> None:
        records = [each.entry.record for each in self.table.selected]
        self.restore_button.setEnabled(False)
        work = partial(restore_all, self.context.workspace, records)
        self.context.background.run(self, work, self._on_changed, self._on_failed)

    def _on_delete(self) -> None:
        self._ask(self.table.selected)

    def _on_empty(self) -> None:
        self._ask(self.table.content.rows)

    def _ask(self, records: Sequence[Deleted]) -> None:
        """Ask for confirmation in place before records are deleted."""
        self._to_delete = list(records)
        total = size(sum(each.bytes for each in records))
        one = self.tr("Delete 1 record ({size}) forever? This cannot be undone.")
        several = self.tr("Delete {count} records ({size}) forever? This cannot be undone.")
        pattern = one if len(records) == 1 else several
        self.question.setText(pattern.format(count=count(len(records)), size=total))
        self._confirmation.show()
        self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_confirmed(self) -> None:
        self.confirm_button.setEnabled(False)
        self.question.setText(self.tr("Deleting…"))
        entries = [each.entry for each in self._to_delete]
        work = partial(delete_forever, self.context.workspace, entries, SilentProgress())
        self.context.background.run(self, work, self._on_changed, self._on_failed)

    def _hide_question(self) -> None:
        self._to_delete = []
        self._confirmation.hide()
        self.confirm_button.setEnabled(True)

    def _on_changed(self, _nothing: object) -> None:
        self.context.jobs.wake()
        self.reload()

    def _on_failed(self, error: BaseException) -> None:
        self.context.navigator.show_failure(error)
        self.reload()


def _read(workspace: Workspace) -> list[Deleted]:
    """Return the records in the trash; called in another thread."""
    return [Deleted(entry, size_of(entry.record)) for entry in trash_entries(workspace)]


def _kind(record: Deleted) -> str:
    return kind_word(record.entry.record.kind)


def _matches(words: list[str], record: Deleted) -> bool:
    name = _name(record).casefold()
    return all(word in name for word in words)


def _name(record: Deleted) -> str:
    return record.entry.info.name


def _seconds(record: Deleted) -> float:
    return record.entry.deleted.timestamp()
