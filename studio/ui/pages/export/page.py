"""The view: what is exported at the left, how it went and what there is at the right."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile
from studio.engine.exporting.plan import is_archive
from studio.engine.exporting.requests import keep, request_export
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.export import messages
from studio.ui.pages.export.detail_card import DetailCard
from studio.ui.pages.export.earlier_table import EarlierTable
from studio.ui.pages.export.order_card import OrderCard, OrderState
from studio.ui.pages.export.state import (
    Exported,
    Obstacle,
    command_line,
    exported,
    latest_certificate,
    to_show,
)
from studio.ui.pages.page import Page
from studio.ui.shared.jobs import Ordering
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import EmptyState, PageHeader, PageStack, ScrollColumn
from studio.ui.widgets.tips import explain

_MOST_HEIGHT = 1080
"""Pixels of the card at the left: more would tear it apart on a large screen."""


class View(Page):
    """Choose a model and a format, get files that work without Studio, and their certificate."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self._shown: Exported | None = None
        self.header = PageHeader(
            self.tr("Export"),
            self.tr(
                "Files that work without Studio, each measured by its own runtime before you rely "
                "on it."
            ),
            self,
        )
        self.order = OrderCard(context, self)
        self._ordering = Ordering(context, self.order, request_export, self)
        self.chooser = self.order.chooser
        self.detail = DetailCard(context, self)
        self.earlier = EarlierTable(context.settings, self)
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
            self.tr("Then take it with you as a file that works without Studio."),
            self,
        )
        self._unknown = QWidget(self)
        self._work = QWidget(self)
        self._results = QWidget(self)
        self._right = PageStack(self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        self._refresh()
        explain(
            self.earlier,
            self.tr("All exports, newest first. Choose one to read its certificates."),
        )

    def show_record(self, record_id: str) -> None:
        """Choose that run, or show that export."""
        self._wanted = record_id
        self._refresh()

    def state(self) -> OrderState:
        """Return the formats, tolerance, folder and archive that are chosen."""
        return self.order.state()

    def restore(self, state: object) -> None:
        """Choose what was chosen."""
        if isinstance(state, OrderState):
            self.order.restore(state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A high window shows all formats at once."""
        super().resizeEvent(event)
        self.detail.files.set_room(self.height() // 3)

    def exports(self) -> list[Exported]:
        """All exports of the workspace, newest first."""
        entries = self.context.jobs.entries(RecordKind.EXPORT)
        return [each for each in map(exported, entries) if each is not None]

    def _refresh(self) -> None:
        jobs = self.context.jobs
        if self._wanted and jobs.get(RecordKind.RUN, self._wanted) is not None:
            wanted, self._wanted = self._wanted, ""
            self.chooser.select(wanted)
        exports, choice = self.exports(), self.chooser.choice()
        if not jobs.is_loaded:
            self._stack.setCurrentWidget(self._unknown)
        elif choice is None and not exports:
            self._stack.setCurrentWidget(self.empty)
        else:
            self._stack.setCurrentWidget(self._work)
        newest = partial(latest_certificate, exports, "" if choice is None else choice.id)
        self.order.formats.show_certificates(newest)
        self._shown = to_show(exports, self._wanted)
        self._right.setCurrentWidget(self._results if self._shown else self.nothing_yet)
        if self._shown is None:
            return
        self.earlier.show_exports(exports, self._shown.id)
        entry = jobs.get(RecordKind.EXPORT, self._shown.id)
        if entry is not None:
            self.detail.show_export(self._shown, entry)

    def _on_entry(self, entry: RecordDocument, _change: object) -> None:
        if entry.key[0] == RecordKind.EXPORT or entry.record.id == self._wanted:
            self._refresh()

    def _on_picked(self, export_id: str) -> None:
        self._wanted = export_id
        self._refresh()

    def _on_cancel(self) -> None:
        if self._shown is None:
            return
        entry = self.context.jobs.get(RecordKind.EXPORT, self._shown.id)
        if entry is not None:
            self.context.jobs.stop(entry)

    def _on_keep(self, files: list[ExportedFile]) -> None:
        target = self.order.target()
        if target is None:
            self.detail.show_failure(messages.why_not(Obstacle.NO_FOLDER))
            return
        if self._shown is None:
            return
        record = self.context.workspace.root / RecordKind.EXPORT.folder / self._shown.id
        work = partial(keep, record, files, target, archive=self.order.archive.currentData())
        self.context.background.run(self, work, self._on_kept, self._on_not_kept)

    def _on_kept(self, paths: list[Path]) -> None:
        self.detail.show_failure("")
        text = messages.kept([str(path) for path in paths])
        self.context.navigator.notify(Notice("success", text))

    def _on_not_kept(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.detail.show_failure(str(error))
        else:
            self.context.navigator.show_failure(error)

    def _path(self) -> Path | None:
        """The folder, or archive, of the file that is shown."""
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
        self.order.changed.connect(self._refresh)
        self.order.ordered.connect(self._ordering.ask)
        self._ordering.accepted.connect(self._on_picked)
        self.detail.cancel_requested.connect(self._on_cancel)
        self.detail.open_requested.connect(self._on_open)
        self.detail.copy_requested.connect(self._on_copy)
        self.detail.keep_requested.connect(self._on_keep)
        self.earlier.picked.connect(self._on_picked)

    def _lay_out(self) -> None:
        results = QVBoxLayout(self._results)
        results.setContentsMargins(0, 0, 0, 0)
        results.setSpacing(SPACE.l)
        detail = ScrollColumn(SPACE.m, self._results)
        detail.column.addWidget(self.detail)
        detail.column.addStretch(1)
        results.addWidget(self.earlier, 1)
        results.addWidget(detail, 2)
        for widget in (self.nothing_yet, self._results):
            self._right.addWidget(widget)
        row = QHBoxLayout(self._work)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        left = QVBoxLayout()
        left.addWidget(self.order, 1000)
        left.addStretch(1)
        self.order.setMaximumHeight(_MOST_HEIGHT)
        row.addLayout(left)
        row.addWidget(self._right, 1)
        for widget in (self._unknown, self.empty, self._work):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.l)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)
