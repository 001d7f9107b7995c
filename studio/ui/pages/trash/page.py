"""The page of the trash: a table of deleted records, with restoring and deleting forever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.engine.jobs.trash import TrashEntry, delete_forever, size_of, trash_entries
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.page import Page
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, size
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.pages import EmptyState, PageHeader
from studio.ui.widgets.tables import dress_table, set_widths
from studio.ui.widgets.tips import explain

_WIDTHS: Final = (320, 150, 170, 90)
_MOST_SHOWN: Final = 2000
"""Rows of the table; the newest deletions of a larger trash, the others by searching."""
_ROLE: Final = Qt.ItemDataRole.UserRole


class View(Page):
    """Deleted records. Restoring is undone by deleting again; deleting forever asks first."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._entries: list[tuple[TrashEntry, int]] = []
        self._to_delete: list[TrashEntry] = []
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the trash"))
        self.search.setClearButtonEnabled(True)
        self.table = QTableWidget(0, len(_WIDTHS), self)
        self.restore_button = push_button(
            self.tr("Restore"),
            context.theme,
            tip=self.tr("Moves the selected records back to their pages."),
            on_click=self._on_restore,
        )
        self.delete_button = push_button(
            self.tr("Delete forever…"),
            context.theme,
            kind="quiet",
            tip=self.tr("Deletes the selected records after asking."),
            on_click=self._on_delete,
        )
        self.empty_button = push_button(
            self.tr("Empty trash…"),
            context.theme,
            icon="trash",
            tip=self.tr("Deletes everything in the trash, after asking."),
            on_click=self._on_empty,
        )
        self.question = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.confirm_button = push_button(
            self.tr("Delete forever"),
            context.theme,
            kind="primary",
            tip=self.tr("This cannot be undone."),
            on_click=self._on_confirmed,
        )
        self.cancel_button = push_button(
            self.tr("Cancel"),
            context.theme,
            tip=self.tr("Keeps everything in the trash."),
            on_click=self._hide_question,
        )
        self.empty = EmptyState(
            context.theme,
            "trash",
            self.tr("The trash is empty"),
            self.tr("Deleted datasets, runs and other records appear here until you empty it."),
            self,
        )
        self._prepare()
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        self.table.itemSelectionChanged.connect(self._refresh_buttons)
        self._refresh_buttons()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the trash again whenever the page is opened."""
        super().showEvent(event)
        self.reload()

    def reload(self) -> None:
        """Read the trash in another thread and show it."""
        self.context.background.run(
            self, partial(_read, self.context.workspace), self._show_entries
        )

    def selected(self) -> list[TrashEntry]:
        """The selected records, from top to bottom."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        found = []
        for row in rows:
            item = self.table.item(row, 0)
            if item is not None and not self.table.isRowHidden(row):
                found.append(self._entries[int(item.data(_ROLE))][0])
        return found

    def _prepare(self) -> None:
        dress_table(self.table)
        self.table.setHorizontalHeaderLabels(
            [self.tr("Name"), self.tr("Kind"), self.tr("Deleted"), self.tr("Size")]
        )
        self.table.setAccessibleName(self.tr("Deleted records"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        set_widths(self.table, _WIDTHS)
        explain(self.search, self.tr("Shows only records whose name contains this text."))
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
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(filled)
        margins = (SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        vbox(header, (self._stack, 1), owner=self, spacing=SPACE.l, margins=margins)

    def _show_entries(self, entries: list[tuple[TrashEntry, int]]) -> None:
        self._entries = entries
        self._stack.setCurrentIndex(1 if entries else 0)
        shown = entries[:_MOST_SHOWN]
        self.table.setUpdatesEnabled(False)
        self.table.setRowCount(len(shown))
        locale = QLocale()
        for row, (entry, bytes_) in enumerate(shown):
            deleted = locale.toString(
                QDateTime.fromSecsSinceEpoch(int(entry.deleted.timestamp())),
                QLocale.FormatType.ShortFormat,
            )
            texts = (entry.info.name, self._kind(entry.record.kind), deleted, size(bytes_))
            for place, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setData(_ROLE, row)
                self.table.setItem(row, place, item)
        self.table.setUpdatesEnabled(True)
        self._on_search(self.search.text())
        self._hide_question()

    def _kind(self, kind: RecordKind) -> str:
        return {
            RecordKind.DATASET: self.tr("Dataset"),
            RecordKind.RUN: self.tr("Run"),
            RecordKind.EVALUATION: self.tr("Evaluation"),
            RecordKind.EXPORT: self.tr("Export"),
            RecordKind.AUDIT: self.tr("Audit"),
            RecordKind.BASELINE: self.tr("Baseline"),
            RecordKind.PREFLIGHT: self.tr("Preflight check"),
            RecordKind.SWEEP: self.tr("Sweep"),
            RecordKind.EMBEDDING: self.tr("Map"),
            RecordKind.NETWORK: self.tr("Network"),
        }.get(kind, self.tr("Benchmark"))

    def _on_search(self, typed: str) -> None:
        words = typed.casefold().split()
        for row in range(self.table.rowCount()):
            name = self._entries[row][0].info.name.casefold()
            self.table.setRowHidden(row, not all(word in name for word in words))
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        has_selection = bool(self.selected())
        reason = "" if has_selection else self.tr("Select a record first.")
        for button in (self.restore_button, self.delete_button):
            button.setEnabled(has_selection)
            button.setToolTip(reason)
        self.empty_button.setEnabled(bool(self._entries))

    def _on_restore(self) -> None:
        records = [entry.record for entry in self.selected()]
        self.restore_button.setEnabled(False)
        work = partial(_restore, self.context.workspace, records)
        self.context.background.run(self, work, self._on_changed, self._on_failed)

    def _on_delete(self) -> None:
        self._ask(self.selected())

    def _on_empty(self) -> None:
        self._ask([entry for entry, _ in self._entries])

    def _ask(self, entries: list[TrashEntry]) -> None:
        """Ask in place before something is lost."""
        self._to_delete = entries
        sizes = {entry.record.folder: bytes_ for entry, bytes_ in self._entries}
        total = size(sum(sizes[entry.record.folder] for entry in entries))
        self.question.setText(
            (
                self.tr("Delete 1 record ({size}) forever? This cannot be undone.")
                if len(entries) == 1
                else self.tr("Delete {count} records ({size}) forever? This cannot be undone.")
            ).format(count=count(len(entries)), size=total)
        )
        self._confirmation.show()
        self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_confirmed(self) -> None:
        self.confirm_button.setEnabled(False)
        self.question.setText(self.tr("Deleting…"))
        work = partial(
            delete_forever, self.context.workspace, list(self._to_delete), SilentProgress()
        )
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


def _read(workspace: Workspace) -> list[tuple[TrashEntry, int]]:
    """Return the records in the trash with their bytes; called in another thread."""
    return [(entry, size_of(entry.record)) for entry in trash_entries(workspace)]


def _restore(workspace: Workspace, records: Sequence[Record]) -> None:
    for record in records:
        workspace.restore(record)
