"""The page of sweeps: all of them at the left, one with its trials at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.page import Page
from studio.ui.pages.sweeps.sweep_list import SweepList
from studio.ui.pages.sweeps.sweep_panel import SweepPanel
from studio.ui.pages.sweeps.watch import SweepWatch
from studio.ui.theme.tokens import SPACE

LIST_WIDTH = 220


class View(Page):
    """Plans sweeps, watches them live, looks back at them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self.watch = SweepWatch(context, self)
        self.sweeps = SweepList(context.jobs, self.watch, context.theme, self)
        self.panel = SweepPanel(context, self.watch, self)
        # Until the workspace was looked through, nobody knows what to show.
        self._unknown = QWidget(self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        if context.jobs.is_loaded:
            self._show_start()

    def show_record(self, record_id: str) -> None:
        """Show a sweep."""
        entry = self.context.jobs.get(RecordKind.SWEEP, record_id)
        # A sweep that was just asked for is known a moment later.
        self._wanted = "" if entry else record_id
        if entry is not None:
            self._show_sweep(entry)

    def _lay_out(self) -> None:
        left = QWidget(self)
        left.setMinimumWidth(160)
        column = QVBoxLayout(left)
        column.setContentsMargins(SPACE.m, SPACE.l, 0, SPACE.m)
        column.setSpacing(SPACE.m)
        column.addWidget(self.sweeps, 1)
        for page in (self._unknown, self.panel):
            self._stack.addWidget(page)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self._stack)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([LIST_WIDTH, 1000])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter)

    def _connect(self) -> None:
        jobs = self.context.jobs
        self.sweeps.chosen.connect(self.show_record)
        jobs.loaded.connect(self._show_start)
        jobs.added.connect(self._on_added)
        jobs.removed.connect(self._on_removed)

    def _show_start(self) -> None:
        """The sweep that is wanted, else what goes, else the latest."""
        sweeps = self.context.jobs.entries(RecordKind.SWEEP)
        wanted = [entry for entry in sweeps if entry.record.id == self._wanted]
        going = [entry for entry in sweeps if entry.state.has_worker]
        if sweeps:
            self._show_sweep((wanted or going or sweeps)[0])

    def _show_sweep(self, entry: JobEntry) -> None:
        self._wanted = ""
        self.sweeps.select(entry.record.id)
        self.panel.show_sweep(entry)
        self._stack.setCurrentWidget(self.panel)

    def _on_added(self, entry: JobEntry) -> None:
        if self.context.jobs.is_loaded and entry.record.id == self._wanted:
            self._show_sweep(entry)

    def _on_removed(self, entry: JobEntry) -> None:
        if entry is self.panel.entry:
            self._show_start()
