"""Information about a dataset: name and notes, recipe, runs, classes, and mean image."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QWidget,
)

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.trash import size_of
from studio.engine.plans import FieldKind, PlanField, fields_of
from studio.engine.tasks import TASKS
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import runs_on
from studio.ui.charts.figure import Figure, FigureChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.navigation import OpenRecord
from studio.ui.pages.datasets.auditing.findings import DatasetAudit, MeanImages
from studio.ui.pages.datasets.dataset_list import Details
from studio.ui.pages.datasets.import_summary import WarningList, report_facts
from studio.ui.pages.datasets.importing.fields import NameRow
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.messages import version as version_words
from studio.ui.pages.datasets.sample_grid import SampleGrid
from studio.ui.shared.baseline_card import BaselineCard
from studio.ui.shared.records import NotesEdit
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import Distribution
from studio.ui.tasks.output_table import OutputTable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import NO_VALUE, count, date_text, duration, percent, size
from studio.ui.widgets.labels import FactList, StateBadge
from studio.ui.widgets.layout import (
    STRETCH,
    Part,
    fill,
    grid_layout,
    replace_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "datasets")

Lines = list[tuple[str, str]]


def import_line(entry: RecordDocument) -> str:
    """Describe the time of an import: 2026-11-20 19:03, in 12 s."""
    history = entry.history
    when = date_text(history.ended_at or entry.info.created.timestamp())
    if history.started_at is None or history.ended_at is None:
        return when
    took = duration(history.ended_at - history.started_at)
    return _tr("{when}, in {time}").format(when=when, time=took)


def recipe_lines(recipe: DatasetRecipe) -> Lines:
    """Describe the settings of an import; expert settings only if they are not the default."""
    values = recipe.model_dump()
    lines = []
    for field in fields_of(DatasetRecipe):
        value = values[field.name]
        usual = field.level == "expert" and value == field.default and field.name != "encoding"
        if field.level != "hidden" and not usual:
            lines.append((translated(field.label), _value(field, value)))
    task = TASKS[recipe.task]
    lines.insert(0, (_tr("Task"), view_of(task).words(task).choice))
    if recipe.target_columns:
        lines.insert(1, (_tr("Columns with the targets"), ", ".join(recipe.target_columns)))
    locations = "\n".join(recipe.more_sources)
    return [*lines, (_tr("More images"), locations)] if locations else lines


def split_lines(summary: DatasetSummary) -> dict[str, str]:
    """Describe the current size of validation and test."""
    total = max(1, summary.total)
    lines = {}
    for split, label in (("val", "Validation"), ("test", "Test")):
        number = summary.count[split]
        lines[translated(label)] = f"{images(number)} ({percent(number / total, 0)})"
    return lines


def _value(field: PlanField, value: object) -> str:
    if field.kind == FieldKind.CHOICE:
        return translated(field.choice_labels[field.choices.index(str(value))])
    if isinstance(value, int):
        text = count(value)
    elif isinstance(value, float):
        text = QLocale().toString(value, "g", 6)
    else:
        text = str(value)
    return f"{text}\N{NO-BREAK SPACE}{translated(field.unit)}" if field.unit else text


# Further ones are on the page of the runs.
_MOST = 12


class RunLinks(QWidget):
    """A line for each run."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: list[tuple[str, str, str]] = []
        self._lines = QWidget(self)
        self._column = vbox(self._lines, owner=self)

    def buttons(self) -> list[QPushButton]:
        """Return the buttons of the runs, in order."""
        return self._lines.findChildren(QPushButton)

    def show_runs(self, dataset: str, nothing: str, version: int | None = None) -> None:
        """Show the runs of a dataset.

        Args:
            dataset: Id of the dataset.
            nothing: Text if there are none.
            version: Only runs of this version; None for all.
        """
        runs = runs_on(self._context.jobs, dataset, version)
        shown = [(run.record.id, run.name, run.shown_state) for run in runs]
        if shown and shown == self._shown:
            return  # a button must not be replaced under the pointer
        self._shown = shown
        old, self._lines = self._lines, QWidget(self)
        replace_widget(self._column, old, self._lines)
        grid = grid_layout(self._lines, SPACE.m, widest=2)
        for row, run in enumerate(runs[:_MOST]):
            self._add(grid, row, run)
        rest = len(runs) - _MOST
        text = "" if runs else nothing
        if rest > 0:
            text = self.tr("and {n} more on the page Train").format(n=count(rest))
        if text:
            label = text_label(text, "muted", self._lines, wraps=True)
            grid.addWidget(label, _MOST, 0, 1, 3)

    def _add(self, grid: QGridLayout, row: int, run: RecordDocument) -> None:
        theme = self._context.theme
        button = push_button(run.name, theme, kind="quiet", icon="train", parent=self._lines)
        button.setToolTip(self.tr("Show this run"))
        button.setAccessibleName(self.tr("Show the run {name}").format(name=run.name))
        target = OpenRecord("train", run.record.id)
        button.clicked.connect(partial(self._context.navigator.open, target))
        version = run.plan.dataset_version if isinstance(run.plan, TrainingPlan) else None
        label = text_label(version_words(version or 0), "muted", self._lines)
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(StateBadge(theme, run.shown_state, self._lines), row, 1)
        grid.addWidget(label, row, 2)


_NOTES_HEIGHT = 84
_TWO_COLUMNS = 900
_CHART_HEIGHT = 210
_SAMPLE_SIDE = 84


class AboutSection(QScrollArea):
    """Shows one dataset; name and notes are saved while they are typed.

    Signals:
        class_activated: Number of a class, label or quantity to show.
        rename_requested: Number of the one to rename.
    """

    class_activated = Signal(int)
    rename_requested = Signal(int)

    def __init__(
        self, context: AppContext, audits: DatasetAudit, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._audits = audits
        self._entry: RecordDocument | None = None
        self._details: Details | None = None
        self._size = ""
        self.name = NameRow(self)
        self.name.edit.editingFinished.connect(self._on_name)
        self.notes = NotesEdit(context, self.tr("Notes: origin, purpose…"), self)
        self.notes.setFixedHeight(_NOTES_HEIGHT)
        explain(self.notes, self.tr("Saved with the dataset."))
        self.baseline = BaselineCard(context, self)
        self.baseline.started.connect(self._open_run)
        self.runs = RunLinks(context, self)
        self.classes = OutputTable(context.theme, self)
        tip = self.tr("Number of images or range of values. Rare classes are hard to learn.")
        explain(self.classes, tip)
        self.classes.opened.connect(self._on_opened)
        self.classes.selection_changed.connect(self._allow_rename)
        text = self.tr("Rename…")
        self.rename_button = push_button(text, context.theme, on_click=self._on_rename)
        self.means = MeanImages(context.theme, self)
        self._no_means = text_label(self.tr("It appears after an audit."), "muted", self)
        audits.changed.connect(self._show_means)
        self.facts = FactList(parent=self)
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.charts: list[FigureChart] = []
        self._charts_card = Card(self.tr("Distributions"), self)
        self.warnings = WarningList(context.theme, self)
        self.samples = SampleGrid(context.theme, _SAMPLE_SIDE, self)
        self._samples_card = Card(self.tr("Random images with their annotations"), self)
        self._classes_card = Card("", self)
        self._lay_out()
        self._allow_rename()
        self._show_means()

    def _lay_out(self) -> None:
        about = self._card(self.tr("About this dataset"), self.name, self.notes, self.facts)
        fill(self._samples_card.body, self.samples)
        means = self._card(self.tr("Mean image"), self.means, self._no_means)
        right = (self.rename_button, Qt.AlignmentFlag.AlignRight)
        fill(self._classes_card.body, self.classes, right)
        runs = self._card(self.tr("Runs on this dataset"), self.runs)
        left = (self.warnings, about, self._samples_card, means)
        for cards in (left, (self.baseline, self._classes_card, self._charts_card, runs)):
            self._columns.addLayout(vbox(*cards, STRETCH, spacing=SPACE.m), 1)
        self._columns.setSpacing(SPACE.m)
        self._columns.setContentsMargins(0, 0, SPACE.s, SPACE.m)
        inside = QWidget(self)
        inside.setLayout(self._columns)
        self.setAccessibleName(self.tr("About this dataset"))
        scrolled(self, inside)

    def _card(self, title: str, *parts: Part) -> Card:
        card = Card(title, self)
        fill(card.body, *parts)
        return card

    def show_entry(self, entry: RecordDocument, details: Details) -> None:
        """Show a dataset, or its new state; what is being typed stays."""
        is_other = self._entry is None or self._entry.key != entry.key
        if is_other:
            self._size = ""
            self.verticalScrollBar().setValue(0)
        self._entry = entry
        self.baseline.show_dataset(entry.record.id)
        if is_other or not self.name.edit.hasFocus():
            self.name.set_name(entry.name, self._taken())
        self.notes.show_entry(entry)
        if details is not self._details:
            self._details = details
            self._show_distribution(details)
            work = partial(size_of, entry.record)
            self._context.background.run(self, work, partial(self._on_size, entry))
        self._show_facts()
        self.refresh_runs()

    def refresh_runs(self) -> None:
        """Show the runs and their states again."""
        if self._entry is not None:
            self.runs.show_runs(self._entry.record.id, self.tr("No run has used it yet."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show two columns if there is room."""
        super().resizeEvent(event)
        wide = self.viewport().width() >= _TWO_COLUMNS
        direction = QBoxLayout.Direction
        self._columns.setDirection(direction.LeftToRight if wide else direction.TopToBottom)

    def _show_distribution(self, details: Details) -> None:
        """Show the number of images of each class, or what the task has in its place."""
        summary, task = details.summary, TASKS[details.summary.task]
        view = view_of(task)
        words = view.words(task)
        self.baseline.setVisible(not task.no_baseline)
        self._classes_card.set_title(words.distribution)
        distribution = Distribution(summary, details.figures, details.skipped)
        self.classes.show_lines(view.lines(distribution))
        self._allow_rename()
        self._show_charts(details.charts)
        self.warnings.show_warnings(details.report.warnings if details.report else ())
        self.samples.show_samples(details.samples)
        self._samples_card.setVisible(bool(details.samples))

    def _show_charts(self, figures: Sequence[Figure]) -> None:
        while len(self.charts) < len(figures):
            chart = FigureChart(self._context.theme, self)
            chart.setMinimumHeight(_CHART_HEIGHT)
            chart.failed.connect(self._context.navigator.show_failure)
            self._charts_card.body.addWidget(chart)
            self.charts.append(chart)
        for chart, figure in zip(self.charts, figures, strict=False):
            chart.show_figure(figure)
        for index, chart in enumerate(self.charts):
            chart.setVisible(index < len(figures))
        self._charts_card.setVisible(bool(figures))

    def _allow_rename(self) -> None:
        reason = "" if self.classes.chosen >= 0 else self.tr("Select a line first")
        allow(self.rename_button, reason, self.tr("Renames the selected class or target"))

    def _on_opened(self, name: str) -> None:
        self.class_activated.emit(self.classes.number(name))

    def _on_rename(self) -> None:
        self.rename_requested.emit(self.classes.chosen)

    def _show_facts(self) -> None:
        entry, details = self._entry, self._details
        if entry is None or details is None or not isinstance(entry.plan, DatasetRecipe):
            return
        facts = {
            self.tr("Images from"): entry.plan.source,
            self.tr("Imported"): import_line(entry),
            self.tr("On the disk"): self._size or NO_VALUE,
            **(report_facts(details.report) if details.report else {}),
            self.tr("Files left out by the import"): count(len(details.skipped)),
            self.tr("Images excluded since"): count(details.excluded),
            **dict(recipe_lines(entry.plan)),
            **split_lines(details.summary),
        }
        self.facts.show_facts(facts)

    def _show_means(self) -> None:
        means = self._audits.means
        self._no_means.setVisible(not means)
        self.means.setVisible(bool(means))
        self.means.set_means(means)

    def _taken(self) -> list[str]:
        entries = self._context.jobs.entries(RecordKind.DATASET)
        return [entry.name for entry in entries if entry is not self._entry]

    def _on_size(self, entry: RecordDocument, number: int) -> None:
        if entry is self._entry:
            self._size = size(number)
            self._show_facts()

    def _open_run(self, run_id: str) -> None:
        self._context.navigator.open(OpenRecord("train", run_id))

    def _on_name(self) -> None:
        entry, name = self._entry, self.name.name()
        if entry is None or name == entry.name or self.name.problem is not None:
            return
        work = partial(self._context.workspace.rename, entry.record, name)
        self._context.background.run(self, work, self._on_saved, self._on_refused)

    def _on_saved(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _on_refused(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.name.show_problem(Problem("name", error.message, error.hint))
        else:
            self._context.background.failed.emit(error)
