"""The comparison of several runs: their curves and a table of the differences."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QWidget,
)

from studio.engine.csv_cells import CsvWriter
from studio.engine.jobs.events import Event
from studio.engine.tasks.metric import VALIDATION
from studio.engine.training.comparison import ComparedRun, Line, compare
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Following
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.pages.record_page import RememberedSplitter
from studio.ui.pages.train.dashboard.charts import (
    MetricCharts,
    step_positions,
    steps_per_epoch,
)
from studio.ui.pages.train.runs.model import EPOCHS, TIME, heading, metric_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count, duration, metric_text, significant
from studio.ui.widgets.layout import STRETCH, Debounce, hbox, vbox
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.tables import dress_table

if TYPE_CHECKING:
    from studio.ui.charts.series import Array

    Values = Sequence[float] | Array

MOST = 24
"""Number of runs that can be distinguished in a chart."""
_LEGEND_SHARE = 0.36


class CompareCharts(MetricCharts):
    """Curves over the epochs: training solid, validation dashed, steps faint.

    Attributes:
        parts: Curves that are drawn of each run: `train`, `val`, `step`.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._jobs = context.jobs
        self._entries: list[RunDocument] = []
        self.parts: set[str] = {"val"}
        # New entries of a legend get their size with the next events.
        self._fitting = Debounce(0, self._fit_legends, self)

    def show_runs(self, entries: Sequence[RunDocument]) -> None:
        """Draw the first `MOST` of some runs."""
        self._entries = list(entries[:MOST])
        self.set_tasks(self._jobs.task_of(entry) for entry in self._entries)
        self.draw()

    def draw(self) -> None:
        """Draw all curves from the beginning."""
        for chart, metric in self.charts():
            chart.clear()
            for color, entry in enumerate(self._entries):
                for part in ("step", "train", "val"):
                    if part in self.parts:
                        self._set_curve(chart, metric, entry, color, part)
        self._fitting.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide legends that would leave no room for the curves."""
        super().resizeEvent(event)
        self._fitting.start()

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Draw new events, which the history contains already."""
        if entry not in self._entries:
            return
        if any(isinstance(event, TrainingBegan) for event in events):
            self.draw()
            return
        for event in events:
            if isinstance(event, StepsDone):
                self._add_steps(entry, event)
            if isinstance(event, EpochDone):
                self._append(entry, "train", event)
            if isinstance(event, EpochDone | ValidationDone):
                self._append(entry, "val", event)

    def _fit_legends(self) -> None:
        # The headings of the table below show the names and colors, too.
        for chart, _ in self.charts():
            layout = chart.legend.layout()
            needed = layout.heightForWidth(chart.width()) if layout is not None else 0
            chart.legend.setVisible(needed <= self.height() * _LEGEND_SHARE)

    def _append(self, entry: RunDocument, part: str, event: EpochDone | ValidationDone) -> None:
        prefix = VALIDATION if part == "val" else ""
        for chart, name in self.charts():
            if part in self.parts and f"{prefix}{name}" in event.metrics:
                chart.append(_key(entry, part), event.epoch, event.metrics[f"{prefix}{name}"])

    def _add_steps(self, entry: RunDocument, event: StepsDone) -> None:
        if "step" not in self.parts:
            return
        per_epoch = steps_per_epoch(entry.history)
        for chart, name in self.charts():
            each = event.per_step(name)
            chart.extend(
                _key(entry, "step"), step_positions(event.first, len(each), per_epoch), each
            )

    def _set_curve(
        self, chart: LineChart, metric: str, entry: RunDocument, color: int, part: str
    ) -> None:
        patterns = {
            "step": self.tr("{run}, steps"),
            "train": self.tr("{run}, train"),
            "val": self.tr("{run}, val"),
        }
        pattern = patterns[part] if len(self.parts) > 1 else "{run}"
        x, y = _points(entry, metric, part)
        chart.set_curve(
            _key(entry, part),
            x,
            y,
            name=pattern.format(run=entry.name),
            color_index=color,
            dashed=part == "val",
            faint=part == "step",
        )


def _key(entry: RunDocument, part: str) -> str:
    return f"{entry.record.id}:{part}"


def _points(entry: RunDocument, metric: str, part: str) -> tuple[Values, Values]:
    """Return the epochs and the values of a curve."""
    history = entry.history
    if part == "train":
        values = [epoch.value(metric) for epoch in history.epochs]
        return [epoch.epoch for epoch in history.epochs], values
    if part == "val":
        ends = [(end.epoch, end.value(f"{VALIDATION}{metric}")) for end in history.measured]
        there = [(at, value) for at, value in ends if not math.isnan(value)]
        return [at for at, _ in there], [value for _, value in there]
    steps = history.steps_of(metric)
    return step_positions(1, len(steps), steps_per_epoch(history)), steps


Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_SWATCH = 10


class CompareTable(QAbstractTableModel):
    """A row for each different setting and each metric, a column for each run."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._lines: list[Line] = []
        self._settings = 0
        self._datasets: dict[str, str] = {}

    def show_runs(self, entries: Sequence[RunDocument], datasets: dict[str, str]) -> None:
        """Compare runs; `datasets` has the names of datasets by their ids."""
        found = compare(
            [
                ComparedRun(entry.name, entry.plan, entry.history)
                for entry in entries
                if isinstance(entry.plan, TrainingPlan)
            ]
        )
        lines = [*found.settings, *found.figures]
        same = [line.name for line in lines] == [line.name for line in self._lines]
        if same and found.names == self._names:
            self._lines, self._datasets = lines, datasets
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(lines) - 1, len(self._names) - 1)
            )
            return
        self.beginResetModel()
        self._names, self._lines, self._datasets = found.names, lines, datasets
        self._settings = len(found.settings)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of settings and metrics."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of runs."""
        return 0 if parent.isValid() else len(self._names)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a run with the color of its curves, or a setting or metric."""
        across = orientation == Qt.Orientation.Horizontal
        if role == Qt.ItemDataRole.DecorationRole and across and section < MOST:
            swatch = QPixmap(_SWATCH, _SWATCH)
            swatch.fill(QColor(chart_color(section, dark=self._theme.is_dark)))
            return swatch
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return self._names[section] if across else self._label(section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the value of a run; the best one is bold."""
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(line, line.values[index.column()], index.row() < self._settings)
        if role == Qt.ItemDataRole.FontRole and index.column() in line.best:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and index.column() in line.best:
            return self.tr("best")
        return None

    def csv_text(self) -> str:
        """Return the table as CSV with exact numbers."""
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow(["", *self._names])
        for line in self._lines:
            values = [self._datasets.get(str(value), value) for value in line.values]
            writer.writerow([line.name, *("" if _is_nan(value) else value for value in values)])
        return text.getvalue()

    def _label(self, row: int) -> str:
        name = self._lines[row].name
        if row < self._settings:
            return plan_text(setting_label(name))
        return heading({"epochs": EPOCHS, "seconds": TIME}.get(name, name))

    def _text(self, line: Line, value: object, is_setting: bool) -> str:
        if is_setting:
            if line.name == "dataset":
                return self._datasets.get(str(value), str(value))
            return setting_words(line.name, value)
        if not isinstance(value, int | float) or _is_nan(value):
            return NO_VALUE
        if line.name == "epochs":
            return count(int(value))
        if line.name == "seconds":
            return duration(value)
        metric = metric_of(line.name)
        return significant(value) if metric is None else metric_text(metric, value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


REFRESH_MS = 500
SPLITTER = "train/compare-splitter"
"""Key of the position of the splitter in the settings."""
_COLUMN = 150


class CompareView(QWidget):
    """Compares runs, live while they train.

    Signals:
        back_wanted: The table of all runs is requested.
        opened: Id of the run to open.
    """

    back_wanted = Signal()
    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entries: list[RunDocument] = []
        self._following = Following(self, self._on_changed)
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
        button = partial(push_button, theme=context.theme, parent=self)
        self.copy_button = button(self.tr("Copy as CSV"), icon="copy", on_click=self._on_copy)
        self.back_button = button(self.tr("All runs"), icon="table")
        self.back_button.clicked.connect(self.back_wanted)
        self._refreshing = Debounce(REFRESH_MS, self._show_table, self)
        self._lay_out()

    @property
    def entries(self) -> list[RunDocument]:
        """The runs that are compared."""
        return list(self._entries)

    def show_runs(self, ids: list[str]) -> None:
        """Compare runs by their ids; deleted runs are left out."""
        found = [self._context.jobs.get(RecordKind.RUN, record_id) for record_id in ids]
        self._entries = [entry for entry in found if entry is not None]
        self._following.show(*self._entries)
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
        bar = hbox(*self.parts.values(), SPACE.m, self.note, STRETCH, spacing=SPACE.xs)
        self._style_table()
        splitter = RememberedSplitter(self._context, SPLITTER, Qt.Orientation.Vertical, self)
        splitter.split((self.charts, 3, 360), (self.table, 2, 240))
        vbox(
            self.header,
            bar,
            (splitter, 1),
            owner=self,
            spacing=SPACE.s,
            margins=(SPACE.xl, SPACE.l, SPACE.l, SPACE.l),
        )

    def _style_table(self) -> None:
        self.table.setModel(self.model)
        dress_table(self.table)
        self.table.setAccessibleName(self.tr("Differences between the runs"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        # The corner between both headings is a button.
        corner = self.table.findChild(QAbstractButton)
        if corner is not None:
            self.table.setCornerButtonEnabled(False)
            corner.setAccessibleName(self.tr("Settings and metrics"))
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
        top.setToolTip(self.tr("Double-click to open this run"))
        top.sectionDoubleClicked.connect(self._on_run)

    def _show_table(self) -> None:
        datasets = self._context.jobs.entries(RecordKind.DATASET)
        self.model.show_runs(self._entries, {each.record.id: each.name for each in datasets})

    def _on_part(self, _on: bool) -> None:
        self.charts.parts = {part for part, button in self.parts.items() if button.isChecked()}
        self.charts.draw()

    def _on_changed(self, entry: RunDocument, change: Change) -> None:
        if change.is_info or change.is_removed:
            self.show_runs([each.record.id for each in self._entries])
        elif self.isVisible():
            self.charts.add(entry, change.events)
            if not self._refreshing.isActive():
                self._refreshing.start()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.csv_text())

    def _on_run(self, section: int) -> None:
        self.opened.emit(self._entries[section].record.id)
