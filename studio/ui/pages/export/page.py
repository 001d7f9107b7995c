"""The export page: the form on the left, results and all exports on the right."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile
from studio.engine.exporting.plan import is_archive
from studio.engine.exporting.requests import request_export, save_measured
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.export import messages
from studio.ui.pages.export.detail_card import DetailCard
from studio.ui.pages.export.form import ExportForm, ExportFormState
from studio.ui.pages.export.state import (
    DisabledReason,
    Exported,
    command_line,
    exported,
    latest_certificate,
    shown_export,
)
from studio.ui.pages.export.tables import ExportsTable
from studio.ui.pages.page import Page
from studio.ui.shared.jobs import Ordering
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import EmptyState, PageHeader, PageStack, ScrollColumn
from studio.ui.widgets.tips import explain

_MOST_HEIGHT = 1080
"""Largest height of the form in pixels: its rows stay together on a large screen."""


class View(Page):
    """Exports a model as files that work without Studio, with their certificates."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._requested = ""
        self._shown: Exported | None = None
        self.header = PageHeader(
            self.tr("Export"),
            self.tr(
                "Files that work without Studio, each measured by its own runtime before you rely "
                "on it."
            ),
            self,
        )
        self.form = ExportForm(context, self)
        self._ordering = Ordering(context, self.form, request_export, self)
        self.chooser = self.form.chooser
        self.detail = DetailCard(context, self)
        self.exports_table = ExportsTable(context.settings, self)
        self.nothing_yet = EmptyState(
            context.theme,
            "export",
            self.tr("Nothing exported yet"),
            self.tr(
                "Every exported file is loaded again and compared with the trained model. "
                "Its certificate appears here."
            ),
            self,
        )
        self.empty = train_first(
            context,
            "export",
            self.tr("Then export it as a file that works without Studio."),
            self,
        )
        self._loading = QWidget(self)
        self._work = QWidget(self)
        self._results = QWidget(self)
        self._right = PageStack(self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        self._refresh()
        explain(
            self.exports_table,
            self.tr("All exports, newest first. Select one to read its certificates."),
        )

    def show_record(self, record_id: str) -> None:
        """Choose that run, or show that export."""
        self._requested = record_id
        self._refresh()

    def state(self) -> ExportFormState:
        """Return the formats, tolerance, folder and archive that are chosen."""
        return self.form.state()

    def restore(self, state: object) -> None:
        """Choose what was chosen."""
        if isinstance(state, ExportFormState):
            self.form.restore(state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show all formats at once in a high window."""
        super().resizeEvent(event)
        self.detail.files.set_room(self.height() // 3)

    def exports(self) -> list[Exported]:
        """Return all exports of the workspace, newest first."""
        entries = self.context.jobs.entries(RecordKind.EXPORT)
        return [each for each in map(exported, entries) if each is not None]

    def _refresh(self) -> None:
        jobs = self.context.jobs
        if self._requested and jobs.get(RecordKind.RUN, self._requested) is not None:
            self.chooser.select(self._requested)
            self._requested = ""
        exports, choice = self.exports(), self.chooser.choice()
        if not jobs.is_loaded:
            self._stack.setCurrentWidget(self._loading)
        elif choice is None and not exports:
            self._stack.setCurrentWidget(self.empty)
        else:
            self._stack.setCurrentWidget(self._work)
        newest = partial(latest_certificate, exports, "" if choice is None else choice.id)
        self.form.formats.show_certificates(newest)
        self._shown = shown_export(exports, self._requested)
        self._right.setCurrentWidget(self._results if self._shown else self.nothing_yet)
        if self._shown is None:
            return
        self.exports_table.show_exports(exports, self._shown.id)
        entry = jobs.get(RecordKind.EXPORT, self._shown.id)
        if entry is not None:
            self.detail.show_export(self._shown, entry)

    def _on_entry(self, entry: RecordDocument, _change: object) -> None:
        if entry.key[0] == RecordKind.EXPORT or entry.record.id == self._requested:
            self._refresh()

    def _on_selected(self, export_id: str) -> None:
        self._requested = export_id
        self._refresh()

    def _on_cancel(self) -> None:
        if self._shown is None:
            return
        entry = self.context.jobs.get(RecordKind.EXPORT, self._shown.id)
        if entry is not None:
            self.context.jobs.stop(entry)

    def _on_save(self, files: list[ExportedFile]) -> None:
        target = self.form.target()
        if target is None:
            self.detail.show_failure(messages.export_tooltip(DisabledReason.NO_FOLDER))
            return
        if self._shown is None:
            return
        record = self.context.workspace.root / RecordKind.EXPORT.folder / self._shown.id
        work = partial(
            save_measured, record, files, target, archive=self.form.archive.currentData()
        )
        self.context.background.run(self, work, self._on_saved, self._on_not_saved)

    def _on_saved(self, paths: list[Path]) -> None:
        self.detail.show_failure("")
        text = messages.saved([str(path) for path in paths])
        self.context.navigator.notify(Notice("success", text))

    def _on_not_saved(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.detail.show_failure(str(error))
        else:
            self.context.navigator.show_failure(error)

    def _path(self) -> Path | None:
        """Return the folder, or archive, of the file that is shown."""
        file = self.detail.current()
        return Path(file.path) if file is not None and file.path else None

    def _on_open(self) -> None:
        path = self._path()
        if path is not None:
            path = path.parent if is_archive(path.name) else path
            done = partial(self._on_folder_checked, path)
            self.context.background.run(self, path.is_dir, done)

    def _on_folder_checked(self, path: Path, is_there: bool) -> None:
        if is_there and self._open_folder(path):
            return
        text = (
            self.tr("No program opened the folder {path}.")
            if is_there
            else self.tr("The folder {path} no longer exists. Export again to restore it.")
        )
        self.detail.show_failure(text.format(path=path))

    def _open_folder(self, path: Path) -> bool:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _on_copy(self) -> None:
        path = self._path()
        if path is not None:
            QGuiApplication.clipboard().setText(command_line(path))
            self.context.navigator.notify(
                Notice("success", self.tr("Copied. Paste it into a terminal to run the script."))
            )

    def _connect(self) -> None:
        jobs = self.context.jobs
        jobs.changed.connect(self._on_entry)
        jobs.loaded.connect(self._refresh)
        self.form.changed.connect(self._refresh)
        self.form.submitted.connect(self._ordering.ask)
        self._ordering.accepted.connect(self._on_selected)
        self.detail.cancel_requested.connect(self._on_cancel)
        self.detail.open_requested.connect(self._on_open)
        self.detail.copy_requested.connect(self._on_copy)
        self.detail.save_requested.connect(self._on_save)
        self.exports_table.row_chosen.connect(self._on_selected)

    def _lay_out(self) -> None:
        results = QVBoxLayout(self._results)
        results.setContentsMargins(0, 0, 0, 0)
        results.setSpacing(SPACE.l)
        detail = ScrollColumn(SPACE.m, self._results)
        detail.column.addWidget(self.detail)
        detail.column.addStretch(1)
        results.addWidget(self.exports_table, 1)
        results.addWidget(detail, 2)
        for widget in (self.nothing_yet, self._results):
            self._right.addWidget(widget)
        row = QHBoxLayout(self._work)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        left = QVBoxLayout()
        left.addWidget(self.form, 1000)
        left.addStretch(1)
        self.form.setMaximumHeight(_MOST_HEIGHT)
        row.addLayout(left)
        row.addWidget(self._right, 1)
        for widget in (self._loading, self.empty, self._work):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.l)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)
