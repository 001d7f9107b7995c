"""Several runs at once: their curves over each other, and a table of what differs."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from studio.engine.jobs.events import Event
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.compare_charts import MOST, CompareCharts
from studio.ui.pages.train.compare_table import CompareTable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.tables import dress_table

REFRESH_MS = 500
SPLITTER = "train/compare-splitter"
_COLUMN = 150


class CompareView(QWidget):
    """Compares runs, live while they train.

    Signals:
        back_wanted: The table of all runs is wanted.
        opened: Id of a run that is wanted alone.
    """

    back_wanted = Signal()
    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entries: list[RunEntry] = []
        self.header = PageHeader("", parent=self)
        self.charts = CompareCharts(context, self)
        self.model = CompareTable(context.theme, self)
        self.table = QTableView(self)
        self.note = QLabel(self)
        self.parts = {
            "train": self._part(self.tr("Train"), "train"),
            "val": self._part(self.tr("Validation"), "val"),
            "step": self._part(self.tr("Steps"), "step"),
        }
        self.copy_button = push_button(
            self.tr("Copy as CSV"), context.theme, icon="copy", parent=self
        )
        self.back_button = push_button(
            self.tr("All runs"), context.theme, icon="table", parent=self
        )
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._refreshing = QTimer(self)
        self._refreshing.setSingleShot(True)
        self._refreshing.setInterval(REFRESH_MS)
        self._lay_out()
        self._connect()

    @property
    def entries(self) -> list[RunEntry]:
        """The runs that are compared."""
        return list(self._entries)

    def show_runs(self, ids: list[str]) -> None:
        """Compare these, as far as they are there."""
        found = [self._context.jobs.get(RecordKind.RUN, record_id) for record_id in ids]
        self._entries = [entry for entry in found if entry is not None]
        title = self.tr("{count} runs compared").format(count=count(len(self._entries)))
        self.header.set_title(title)
        few = self.tr("The charts show the first {most} of them.").format(most=count(MOST))
        self.note.setText(few)
        self.note.setVisible(len(self._entries) > MOST)
        self.charts.show_runs(self._entries)
        self._show_table()

    def _part(self, text: str, part: str) -> QPushButton:
        button = push_button(text, self._context.theme, kind="quiet", parent=self)
        button.setCheckable(True)
        button.setChecked(part in self.charts.parts)
        button.toggled.connect(self._on_part)
        return button

    def _lay_out(self) -> None:
        for button in (self.copy_button, self.back_button):
            self.header.add_action(button)
        self.note.setProperty("role", "caption")
        bar = QHBoxLayout()
        bar.setSpacing(SPACE.xs)
        for button in self.parts.values():
            bar.addWidget(button)
        bar.addSpacing(SPACE.m)
        bar.addWidget(self.note)
        bar.addStretch(1)
        self._dress_table()
        self._splitter.addWidget(self.charts)
        self._splitter.addWidget(self.table)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setSizes([360, 240])
        state = self._context.settings.bytes(SPLITTER)
        if state is not None:
            self._splitter.restoreState(state)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.s)
        column.addWidget(self.header)
        column.addLayout(bar)
        column.addWidget(self._splitter, 1)

    def _dress_table(self) -> None:
        self.table.setModel(self.model)
        dress_table(self.table)
        self.table.setAccessibleName(self.tr("What differs between the runs"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        # The place where both headings meet is a button to Qt.
        corner = self.table.findChild(QAbstractButton)
        if corner is not None:
            self.table.setCornerButtonEnabled(False)
            corner.setAccessibleName(self.tr("What is compared"))
            corner.setToolTip(corner.accessibleName())
        side = self.table.verticalHeader()
        side.show()
        side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        side.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        side.setHighlightSections(False)
        top = self.table.horizontalHeader()
        top.setStretchLastSection(False)
        top.setDefaultSectionSize(_COLUMN)
        top.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        top.setSectionsClickable(True)
        top.setToolTip(self.tr("Press twice to see this run alone"))

    def _connect(self) -> None:
        jobs = self._context.jobs
        jobs.moved.connect(self._on_moved)
        jobs.info_changed.connect(self._on_info)
        jobs.removed.connect(self._on_removed)
        self.copy_button.clicked.connect(self._on_copy)
        self.back_button.clicked.connect(self.back_wanted)
        self.table.horizontalHeader().sectionDoubleClicked.connect(self._on_run)
        self._refreshing.timeout.connect(self._show_table)
        self._splitter.splitterMoved.connect(self._on_splitter)

    def _show_table(self) -> None:
        datasets = self._context.jobs.entries(RecordKind.DATASET)
        self.model.show_runs(self._entries, {each.record.id: each.name for each in datasets})

    def _on_part(self, _on: bool) -> None:
        self.charts.parts = {part for part, button in self.parts.items() if button.isChecked()}
        self.charts.draw()

    def _on_moved(self, entry: RunEntry, events: list[Event]) -> None:
        if self.isVisible() and entry in self._entries:
            self.charts.add(entry, events)
            if not self._refreshing.isActive():
                self._refreshing.start()

    def _on_info(self, entry: RunEntry) -> None:
        if entry in self._entries:
            self.show_runs([each.record.id for each in self._entries])

    def _on_removed(self, entry: RunEntry) -> None:
        if entry in self._entries:
            left = [each.record.id for each in self._entries if each is not entry]
            self.show_runs(left)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.csv_text())

    def _on_run(self, section: int) -> None:
        self.opened.emit(self._entries[section].record.id)

    def _on_splitter(self, _position: int, _index: int) -> None:
        self._context.settings.set_bytes(SPLITTER, self._splitter.saveState())
