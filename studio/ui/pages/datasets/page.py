"""Datasets page: the list at the left; a dataset or the form of an import at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.datasets.importable import importable
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.navigation import ImportImages, OpenPage, OpenSample, PlanRun
from studio.ui.pages.datasets.dataset_list import DatasetList
from studio.ui.pages.datasets.dataset_panel import DatasetPanel
from studio.ui.pages.datasets.details import KnownDetails
from studio.ui.pages.datasets.importing.adding import AddTarget
from studio.ui.pages.datasets.importing.samples import SampleSheet
from studio.ui.pages.datasets.importing.search_panel import StartPanel
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.messages import drop_words
from studio.ui.pages.record_page import RecordPage
from studio.ui.shared.records import GroupMenu, Trash
from studio.ui.theme.icons import set_icon


class View(RecordPage):
    """All datasets of the workspace, one of them in full."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, (RecordKind.DATASET,), parent)
        self._known = KnownDetails(context, self)
        self.list = DatasetList(context.theme, self)
        self.panel = self.add_view(DatasetPanel(context, self))
        self.sheet = self.add_view(ImportSheet(context, self))
        self.start = StartPanel(context.theme, self)
        self._trash = Trash(context, self)
        self.groups = GroupMenu(context, RecordKind.DATASET, self)
        set_icon(self.groups.menuAction(), "folder", context.theme)
        self.samples = self.add_view(SampleSheet(context, self.stack, self.start, self.list))
        self._connect()
        self._on_loaded()
        self.refresh()
        self.lay_out("datasets", self.list, self.start, (self.list, 1))

    def open(self, intent: OpenPage) -> None:
        """Import images, show or make the dataset of a sample, or list the samples."""
        if isinstance(intent, ImportImages) and intent.path is not None:
            self._open_sheet(intent.path)
        elif isinstance(intent, ImportImages):
            self._on_browse()
        elif isinstance(intent, OpenSample) and intent.name:
            self.samples.want(intent.name)
        elif isinstance(intent, OpenSample):
            self.samples.open()
        else:
            super().open(intent)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return a folder, or a file of images, can be imported."""
        path = importable(paths)
        if path is None:
            return ""
        target = self._target()
        return drop_words(path.name or str(path), "" if target is None else target.name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Open the sheet with what was dropped; it says what is wrong with that."""
        if not paths:
            return
        if self.stack.currentWidget() is not self.sheet:
            self.sheet.start(None, target=self._target())
        self.sheet.take_drop(paths)
        self.show_view(self.sheet)

    def show_detail(self, entry: RecordDocument) -> DatasetPanel:
        """Show a dataset in its panel."""
        if entry is not self.shown:
            self.panel.show_entry(entry, *self._known.of(entry.record.id))
        self.start.set_busy("")
        if self.stack.isAncestorOf(self.focusWidget()) and not self.is_detail_shown:
            # Otherwise Qt would move the focus to any control of the panel.
            self.list.focus_current()
        return self.panel

    def show_start(self) -> None:
        """Show the newest dataset, or how to get one; a sample that is being made comes first."""
        if self.start.is_busy:
            self.show_nothing()
        else:
            super().show_start()

    def follow(self, entry: RecordDocument, change: Change) -> None:
        """Show a change of the dataset in the panel."""
        if change.is_removed:
            self.panel.clear()
            return
        self.panel.take(entry, change.events)
        if change.is_state or change.is_info:
            self.panel.refresh(entry, *self._known.of(entry.record.id))

    def _connect(self) -> None:
        jobs = self.context.jobs
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)
        self.list.chosen.connect(self.show_record)
        self.list.menu_requested.connect(self._on_menu)
        self.list.import_button.clicked.connect(self._on_import)
        self.start.sample_button.clicked.connect(self.samples.want_digits)
        self.start.samples_button.clicked.connect(self.samples.open)
        self.start.file_button.clicked.connect(self._on_browse_file)
        self.start.address_button.clicked.connect(self._on_import)
        self.sheet.search.samples_button.clicked.connect(self.samples.open)
        self.start.area.browse_requested.connect(self._on_browse)
        self.start.area.paths_dropped.connect(self.take_drop)
        self.sheet.submitted.connect(self._on_submitted)
        self.sheet.closed.connect(self._show_last)
        self.panel.train_button.clicked.connect(self._on_train)
        self.panel.delete_button.clicked.connect(self._on_delete)
        self.panel.add_button.clicked.connect(self._on_add)
        self.panel.progress.cancel_button.clicked.connect(self._on_cancel)
        self.panel.ended.restart_button.clicked.connect(self._on_restart)
        self.panel.clone_button.clicked.connect(self._on_clone)
        self.panel.editor.edited.connect(self._known.reload)
        self._known.known.connect(self._on_known)
        self.panel.editor.notice_requested.connect(self.context.navigator.notify)
        self._trash.restored.connect(self._on_submitted)
        self.samples.found.connect(self._on_submitted)
        self.samples.given_up.connect(self._on_given_up)
        self.samples.closed.connect(self._show_last)

    def _entry(self, record_id: str) -> RecordDocument | None:
        return self.context.jobs.get(RecordKind.DATASET, record_id)

    def _on_loaded(self) -> None:
        for entry in reversed(self.context.jobs.entries(RecordKind.DATASET)):
            self._add(entry)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if entry.key[0] != RecordKind.DATASET:
            return
        if change.is_new:
            self._add(entry)
        elif change.is_removed:
            self._remove(entry)
        else:
            self.list.update_entry(entry)
            if change.is_state:
                self._known.read(entry)
            if change.is_info:
                self.sheet.refresh_names()

    def _add(self, entry: RecordDocument) -> None:
        newer = [
            other
            for other in self.context.jobs.entries(RecordKind.DATASET)
            if other.info.created > entry.info.created and self.list.card(other.record.id)
        ]
        self.list.add(entry, len(newer))
        self._known.read(entry)
        self.sheet.refresh_names()

    def _remove(self, entry: RecordDocument) -> None:
        self.list.remove(entry.record.id)
        self._known.forget(entry)
        self.sheet.refresh_names()

    def _on_known(self, entry: RecordDocument) -> None:
        details, damage = self._known.of(entry.record.id)
        if details is not None:
            self.list.set_details(entry.record.id, details)
        if entry is self.shown:
            self.panel.refresh(entry, details, damage)

    def _open_sheet(self, path: Path | None) -> None:
        self.sheet.start(path)
        self.show_view(self.sheet)

    def _on_import(self) -> None:
        self._open_sheet(None)

    def _on_browse(self) -> None:
        self._open_sheet(None)
        self.sheet.browse()

    def _on_browse_file(self) -> None:
        self._open_sheet(None)
        self.sheet.browse_file()

    def _show_last(self) -> None:
        if self.shown is not None:
            self.show_entry(self.shown)
        else:
            self.show_start()

    def _on_given_up(self) -> None:
        if self.stack.currentWidget() is self.start:
            self._show_last()

    def _on_submitted(self, record_id: str) -> None:
        self.context.jobs.wake()
        self.show_record(record_id)

    def _on_train(self) -> None:
        self.context.navigator.open(PlanRun(dataset=self.current_record))

    def _on_delete(self) -> None:
        self._throw(self.current_record)

    def _throw(self, record_id: str) -> None:
        entry = self._entry(record_id)
        if entry is not None:
            self._trash.throw(entry.record, entry.name)

    def _on_menu(self, record_id: str, point: QPoint) -> None:
        menu = self.menu(record_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def menu(self, record_id: str) -> QMenu:
        """Return the context menu of a dataset."""
        menu = QMenu(self)
        entry = self._entry(record_id)
        self.groups.set_entries([] if entry is None else [entry])
        menu.addMenu(self.groups)
        menu.addSeparator()
        delete = menu.addAction(self.tr("Move to the trash"))
        set_icon(delete, "trash", self.context.theme)
        delete.triggered.connect(partial(self._throw, record_id))
        return menu

    def _on_cancel(self) -> None:
        if self.shown is not None:
            self.context.jobs.stop(self.shown)

    def _on_clone(self) -> None:
        if self.shown is not None and isinstance(self.shown.plan, DatasetRecipe):
            self.sheet.restart(self.shown.plan)
            self.show_view(self.sheet)

    def _on_add(self) -> None:
        self.sheet.start(None, target=self._target(), adding=True)
        self.show_view(self.sheet)

    def _target(self) -> AddTarget | None:
        """Return the dataset that is shown, if images can be added to it."""
        entry = self.shown
        details, damage = self._known.of(self.current_record)
        if entry is None or details is None or damage is not None:
            return None
        if not self.is_detail_shown or entry.state != State.COMPLETED:
            return None
        if not isinstance(entry.plan, DatasetRecipe):
            return None
        counts = details.summary.count
        return AddTarget(entry.name, entry.record.folder, entry.plan, details.version, counts)

    def _on_restart(self) -> None:
        if self.shown is not None:
            self.context.jobs.restart(self.shown)
