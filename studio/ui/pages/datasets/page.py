"""The datasets page: the list, and at its right a dataset or the sheet of an import."""

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
from studio.ui.pages.page import Page
from studio.ui.shared.records import GroupMenu, Trash
from studio.ui.theme.icons import set_icon
from studio.ui.widgets.layout import Debounce, hbox
from studio.ui.widgets.pages import PageStack


class View(Page):
    """All datasets of the workspace, one of them in full."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        # Id of the dataset that is shown; empty when none is.
        self.selected: str = ""
        # A dataset that is to be shown as soon as it is known.
        self._wanted = ""
        self._known = KnownDetails(context, self)
        self.list = DatasetList(context.theme, self)
        self.panel = DatasetPanel(context, self)
        self.sheet = ImportSheet(context, self)
        self.start = StartPanel(context.theme, self)
        self.stack = PageStack(self)
        self._trash = Trash(context, self)
        self.groups = GroupMenu(context, RecordKind.DATASET, self)
        set_icon(self.groups.menuAction(), "folder", context.theme)
        self.samples = SampleSheet(context, self.stack, self.start, self.list)
        # One look after a whole batch of news, not one for each.
        self._settling = Debounce(0, self._settle, self)
        self._lay_out()
        self._connect()
        self._on_loaded()

    @property
    def current_record(self) -> str:
        """Id of the dataset that is shown, or empty."""
        return self.selected

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

    def show_record(self, record_id: str) -> None:
        """Show a dataset."""
        self._want(record_id)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """A folder, or a file of images, can be imported."""
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
        self._show_sheet()

    def _lay_out(self) -> None:
        for part in (self.start, self.panel, self.sheet, self.samples):
            self.stack.addWidget(part)
        hbox(self.list, (self.stack, 1), owner=self, spacing=0)

    def _connect(self) -> None:
        jobs = self.context.jobs
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)
        self.list.chosen.connect(self._want)
        self.list.menu_wanted.connect(self._on_menu)
        self.list.import_button.clicked.connect(self._on_import)
        self.start.sample_button.clicked.connect(self.samples.want_digits)
        self.start.samples_button.clicked.connect(self.samples.open)
        self.start.file_button.clicked.connect(self._on_browse_file)
        self.start.address_button.clicked.connect(self._on_import)
        self.sheet.search.samples_button.clicked.connect(self.samples.open)
        self.start.area.browse_requested.connect(self._on_browse)
        self.start.area.paths_dropped.connect(self.take_drop)
        self.sheet.submitted.connect(self._on_submitted)
        self.sheet.closed.connect(self._on_sheet_closed)
        self.panel.train_button.clicked.connect(self._on_train)
        self.panel.delete_button.clicked.connect(self._on_delete)
        self.panel.add_button.clicked.connect(self._on_add)
        self.panel.progress.cancel_button.clicked.connect(self._on_cancel)
        self.panel.ended.restart_button.clicked.connect(self._on_restart)
        self.panel.clone_button.clicked.connect(self._on_clone)
        self.panel.editor.edited.connect(self._known.read_again)
        self._known.known.connect(self._on_known)
        self.panel.editor.notice_wanted.connect(self.context.navigator.notify)
        self._trash.restored.connect(self._on_submitted)
        self.samples.found.connect(self._on_submitted)
        self.samples.given_up.connect(self._settle)
        self.samples.closed.connect(self._on_sheet_closed)

    def _entry(self, record_id: str) -> RecordDocument | None:
        return self.context.jobs.get(RecordKind.DATASET, record_id)

    def _want(self, record_id: str) -> None:
        """Show a dataset now, or as soon as it is known."""
        self._wanted = record_id
        self._settle()

    def _settle(self) -> None:
        """Show what is wanted; the newest where nothing is; the start where there is nothing."""
        entries = self.context.jobs.entries(RecordKind.DATASET)
        self.list.setVisible(bool(entries))
        wanted = self._entry(self._wanted) if self._wanted else None
        if wanted is not None:
            self._wanted = ""
            self._show(wanted)
        elif self._is_asked_for_images or self._entry(self.selected) is not None:
            return
        elif entries and not self.start.is_busy:
            self._show(entries[0])
        elif not entries:
            self.selected = ""
            self.stack.setCurrentWidget(self.start)

    def _show(self, entry: RecordDocument) -> None:
        record_id = entry.record.id
        was_here = self.stack.currentWidget() is self.panel
        had_focus = self.stack.isAncestorOf(self.focusWidget())
        if record_id != self.selected:
            self.selected = record_id
            self.panel.show_entry(entry, *self._known.of(record_id))
        self.list.set_current(record_id)
        self.start.set_busy("")
        self.stack.setCurrentWidget(self.panel)
        if had_focus and not was_here:
            # Otherwise Qt would hand the focus to what happens to come next.
            self.list.focus_current()

    def _on_loaded(self) -> None:
        for entry in reversed(self.context.jobs.entries(RecordKind.DATASET)):
            self._add(entry)
        self._settle()

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if entry.key[0] != RecordKind.DATASET:
            return
        if change.is_new:
            self._add(entry)
        elif change.is_removed:
            self._remove(entry)
        else:
            self._follow(entry, change)

    def _add(self, entry: RecordDocument) -> None:
        newer = [
            other
            for other in self.context.jobs.entries(RecordKind.DATASET)
            if other.info.created > entry.info.created and self.list.card(other.record.id)
        ]
        self.list.add(entry, len(newer))
        self._known.read(entry)
        self.sheet.refresh_names()
        self._settling.start()

    def _follow(self, entry: RecordDocument, change: Change) -> None:
        is_shown = entry.record.id == self.selected
        self.list.update_entry(entry)
        if is_shown:
            self.panel.take(entry, change.events)
        if change.is_state:
            self._known.read(entry)
        if is_shown and (change.is_state or change.is_info):
            self.panel.refresh(entry, *self._known.of(entry.record.id))
        if change.is_info:
            self.sheet.refresh_names()

    def _remove(self, entry: RecordDocument) -> None:
        self.list.remove(entry.record.id)
        self._known.forget(entry)
        self.sheet.refresh_names()
        if entry.record.id == self.selected:
            self.selected = ""
            self.panel.clear()
        self._settling.start()

    def _on_known(self, entry: RecordDocument) -> None:
        details, damage = self._known.of(entry.record.id)
        if details is not None:
            self.list.set_details(entry.record.id, details)
        if entry.record.id == self.selected:
            self.panel.refresh(entry, details, damage)

    def _open_sheet(self, path: Path | None) -> None:
        self.sheet.start(path)
        self._show_sheet()

    def _show_sheet(self) -> None:
        self.list.set_current("")
        self.stack.setCurrentWidget(self.sheet)

    def _on_import(self) -> None:
        self._open_sheet(None)

    def _on_browse(self) -> None:
        self._open_sheet(None)
        self.sheet.browse()

    def _on_browse_file(self) -> None:
        self._open_sheet(None)
        self.sheet.browse_file()

    @property
    def _is_asked_for_images(self) -> bool:
        return self.samples.is_open or self.stack.currentWidget() is self.sheet

    def _on_sheet_closed(self) -> None:
        self.stack.setCurrentWidget(self.start)
        entry = self._entry(self.selected)
        if entry is not None:
            self._show(entry)
        else:
            self._settle()

    def _on_submitted(self, record_id: str) -> None:
        self.context.jobs.wake()
        self._want(record_id)

    def _on_train(self) -> None:
        self.context.navigator.open(PlanRun(dataset=self.selected))

    def _on_delete(self) -> None:
        self._throw(self.selected)

    def _throw(self, record_id: str) -> None:
        entry = self._entry(record_id)
        if entry is not None:
            self._trash.throw(entry.record, entry.name)

    def _on_menu(self, record_id: str, place: QPoint) -> None:
        menu = self.menu(record_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def menu(self, record_id: str) -> QMenu:
        """Make the menu of a dataset, for a right click."""
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
        entry = self._entry(self.selected)
        if entry is not None:
            self.context.jobs.stop(entry)

    def _on_clone(self) -> None:
        entry = self._entry(self.selected)
        if entry is not None and isinstance(entry.plan, DatasetRecipe):
            self.sheet.start_again(entry.plan)
            self._show_sheet()

    def _on_add(self) -> None:
        self.sheet.start(None, target=self._target(), adding=True)
        self._show_sheet()

    def _target(self) -> AddTarget | None:
        """The dataset that is shown, if images can be added to it."""
        entry = self._entry(self.selected)
        details, damage = self._known.of(self.selected)
        if entry is None or details is None or damage is not None:
            return None
        if self.stack.currentWidget() is not self.panel or entry.state != State.COMPLETED:
            return None
        if not isinstance(entry.plan, DatasetRecipe):
            return None
        counts = details.summary.count
        return AddTarget(entry.name, entry.record.folder, entry.plan, details.version, counts)

    def _on_restart(self) -> None:
        entry = self._entry(self.selected)
        if entry is not None:
            self.context.jobs.restart(entry)
