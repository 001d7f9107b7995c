"""The comparison of several runs: their curves and a table of the differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from studio.engine.csv_cells import table_text
from studio.engine.jobs.events import Event
from studio.engine.training.comparison import ComparedRun, ComparisonRow, compare
from studio.engine.training.history import TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Following
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RunDocument
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.pages.train.dashboard.charts import STEP, TRAIN, VAL, MetricCharts, curve_points
from studio.ui.pages.train.runs.table import EPOCHS, TIME, heading, metric_of
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count, duration, metric_text, significant
from studio.ui.widgets.layout import STRETCH, Debounce, Splitter, hbox, text_label, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import Column

MOST = 24
"""Number of runs that can be distinguished in a chart."""
_LEGEND_SHARE = 0.36


class CompareCharts(MetricCharts):
    """Curves over the epochs: training solid, validation dashed, steps faint.

    Attributes:
        parts: Curves that are drawn of each run: `TRAIN`, `VAL`, `STEP`.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._jobs = context.jobs
        self._entries: list[RunDocument] = []
        self.parts: set[str] = {VAL}
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
                for part in (STEP, TRAIN, VAL):
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
        else:
            self.append(entry.history, events, _prefix(entry))

    def _fit_legends(self) -> None:
        # The headings of the table below show the names and colors, too.
        for chart, _ in self.charts():
            layout = chart.legend.layout()
            needed = layout.heightForWidth(chart.width()) if layout is not None else 0
            chart.legend.setVisible(needed <= self.height() * _LEGEND_SHARE)

    def _set_curve(
        self, chart: LineChart, metric: str, entry: RunDocument, color: int, part: str
    ) -> None:
        patterns = {
            STEP: self.tr("{run}, steps"),
            TRAIN: self.tr("{run}, train"),
            VAL: self.tr("{run}, val"),
        }
        pattern = patterns[part] if len(self.parts) > 1 else "{run}"
        chart.set_curve(
            f"{_prefix(entry)}{part}",
            *curve_points(entry.history, metric, part),
            name=pattern.format(run=entry.name),
            color_index=color,
            dashed=part == VAL,
            faint=part == STEP,
        )


def _prefix(entry: RunDocument) -> str:
    """Return what the keys of the curves of a run begin with."""
    return f"{entry.record.id}:"


_SWATCH = 10


@dataclass(frozen=True, slots=True)
class CompareRow:
    """A setting or a metric of all runs.

    Attributes:
        line: Its values.
        datasets: Names of datasets by their ids.
        is_setting: True for a setting.
    """

    line: ComparisonRow
    datasets: Mapping[str, str]
    is_setting: bool

    @property
    def key(self) -> tuple[bool, str]:
        """Identifies the row."""
        return self.is_setting, self.line.name

    @property
    def label(self) -> str:
        """Heading of the row."""
        name = self.line.name
        if self.is_setting:
            return translated(setting_label(name))
        return heading({"epochs": EPOCHS, "seconds": TIME}.get(name, name))

    def text(self, run: int) -> str:
        """Return the value of a run, by its position."""
        name, value = self.line.name, self.line.values[run]
        if self.is_setting:
            is_dataset = name == "dataset"
            return self._dataset(value) if is_dataset else setting_words(name, value)
        if not isinstance(value, int | float) or _is_nan(value):
            return NO_VALUE
        if name in ("epochs", "seconds"):
            return count(int(value)) if name == "epochs" else duration(value)
        metric = metric_of(name)
        return significant(value) if metric is None else metric_text(metric, value)

    def exact(self) -> list[object]:
        """Return the name and the unformatted values."""
        values = ("" if _is_nan(value) else value for value in self.line.values)
        return [self.line.name, *(self.datasets.get(str(value), value) for value in values)]

    def _dataset(self, value: object) -> str:
        return self.datasets.get(str(value), str(value))


def compare_rows(
    entries: Sequence[RunDocument], datasets: Mapping[str, str]
) -> tuple[tuple[str, ...], list[CompareRow]]:
    """Return the names of runs, and a row for each different setting and each metric.

    Args:
        entries: The runs.
        datasets: Names of datasets by their ids.
    """
    found = compare(
        [
            ComparedRun(entry.name, entry.plan, entry.history)
            for entry in entries
            if isinstance(entry.plan, TrainingPlan)
        ]
    )
    settings = [CompareRow(line, datasets, is_setting=True) for line in found.settings]
    return found.names, settings + [
        CompareRow(line, datasets, is_setting=False) for line in found.figures
    ]


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


REFRESH_MS = 500
SPLITTER = "train/compare-splitter"
"""Key of the position of the splitter in the settings."""
_COLUMN = 150


class CompareView(QWidget):
    """Compares runs, live while they train.

    Attributes:
        entries: The runs that are compared.

    Signals:
        back_requested: The table of all runs is requested.
        opened: Id of the run to open.
    """

    back_requested = Signal()
    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.entries: list[RunDocument] = []
        self._names: tuple[str, ...] = ()
        self._following = Following(self, self._on_changed)
        self.header = PageHeader("", parent=self)
        self.charts = CompareCharts(context, self)
        self.table: Table[CompareRow] = Table(
            self.tr("Differences between the runs"), (), self, key=attrgetter("key")
        )
        self.note = text_label("", "caption", self)
        words = {TRAIN: self.tr("Train"), VAL: self.tr("Validation"), STEP: self.tr("Steps")}
        self.parts = {part: self._part(word, part) for part, word in words.items()}
        button = partial(push_button, theme=context.theme, parent=self)
        self.copy_button = button(self.tr("Copy as CSV"), icon="copy", on_click=self._on_copy)
        self.back_button = button(self.tr("All runs"), icon="table")
        self.back_button.clicked.connect(self.back_requested)
        self._refreshing = Debounce(REFRESH_MS, self._show_table, self)
        self._lay_out()

    def show_runs(self, ids: list[str]) -> None:
        """Compare runs by their ids; deleted runs are left out."""
        found = [self._context.jobs.get(RecordKind.RUN, record_id) for record_id in ids]
        self.entries = [entry for entry in found if entry is not None]
        self._following.show(*self.entries)
        title = self.tr("{count} runs compared").format(count=count(len(self.entries)))
        self.header.set_title(title)
        few = self.tr("The charts show the first {most} of them.").format(most=count(MOST))
        self.note.setText(few)
        self.note.setVisible(len(self.entries) > MOST)
        self.charts.show_runs(self.entries)
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
        bar = hbox(*self.parts.values(), SPACE.m, self.note, STRETCH, spacing=SPACE.xs)
        self._style_table()
        splitter = Splitter(self._context.settings, SPLITTER, Qt.Orientation.Vertical, self)
        splitter.split((self.charts, 3, 360), (self.table, 2, 240))
        vbox(self.header, bar, (splitter, 1), owner=self, spacing=SPACE.s, margins=PAGE_MARGINS)

    def _style_table(self) -> None:
        self.table.set_row_headings(attrgetter("label"))
        # The corner between both headings is a button.
        corner = self.table.findChild(QAbstractButton)
        if corner is not None:
            corner.setAccessibleName(self.tr("Settings and metrics"))
            corner.setToolTip(corner.accessibleName())
        self.table.horizontalHeader().sectionDoubleClicked.connect(self._on_run)

    def _show_table(self) -> None:
        datasets = self._context.jobs.entries(RecordKind.DATASET)
        names = {each.record.id: each.name for each in datasets}
        self._names, rows = compare_rows(self.entries, names)
        self.table.show_rows(rows, [self._column(*each) for each in enumerate(self._names)])

    def _column(self, run: int, name: str) -> Column[CompareRow]:
        def spoken(row: CompareRow) -> str:
            best = self.tr("best")
            return f"{row.text(run)}, {best}" if run in row.line.best else row.text(run)

        return Column(
            name,
            lambda row: row.text(run),
            key=str(run),
            width=_COLUMN,
            tip="\n".join((name, self.tr("Double-click to open this run"))),
            is_text=True,
            spoken=spoken,
            is_bold=lambda row: run in row.line.best,
            icon=partial(self._swatch, run) if run < MOST else None,
        )

    def _swatch(self, run: int) -> QPixmap:
        """Return the color of the curves of a run."""
        swatch = QPixmap(_SWATCH, _SWATCH)
        swatch.fill(QColor(chart_color(run, dark=self._context.theme.is_dark)))
        return swatch

    def _on_part(self, _on: bool) -> None:
        self.charts.parts = {part for part, button in self.parts.items() if button.isChecked()}
        self.charts.draw()

    def _on_changed(self, entry: RunDocument, change: RecordChange) -> None:
        if change.is_info or change.is_removed:
            self.show_runs([each.record.id for each in self.entries])
        elif self.isVisible():
            self.charts.add(entry, change.events)
            if not self._refreshing.isActive():
                self._refreshing.start()

    def _on_copy(self) -> None:
        rows = (row.exact() for row in self.table.content.rows)
        QGuiApplication.clipboard().setText(table_text([["", *self._names], *rows]))

    def _on_run(self, section: int) -> None:
        self.opened.emit(self.entries[section].record.id)
