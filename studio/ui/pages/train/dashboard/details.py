"""The tabs with details of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import TypeVar

from PySide6.QtCore import (
    QCoreApplication,
    QDateTime,
    QLocale,
    QSignalBlocker,
    Signal,
)
from PySide6.QtWidgets import (
    QHeaderView,
    QPlainTextEdit,
    QTableView,
    QTabWidget,
    QWidget,
)

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.jobs.events import Event, Started, StateChanged
from studio.engine.plans import PlanField, fields_of
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, RunHistory, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.pages.train.dashboard.sections import SECTIONS
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.pages.train.plan.augmentation import preset_of
from studio.ui.pages.train.state import epoch_metrics, recipe_fields
from studio.ui.shared.training import planned_network
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, metric_text, significant
from studio.ui.widgets.labels import ElidingDelegate, state_word
from studio.ui.widgets.tables import TableColumn, TableModel
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "RunDetails")

Section = TypeVar("Section", bound=RunSection)

_LEAST_COLUMN = 112
"""Pixels: the longest heading, and the widest figure."""


def epoch_columns(history: RunHistory, task: Task) -> list[TableColumn[EpochDone]]:
    """Return the columns of the epochs of a run; the best epoch has a star."""
    tr = partial(QCoreApplication.translate, "EpochModel")
    best = history.best_epoch.epoch if history.best_epoch else 0
    main, others = epoch_metrics(history, task)
    return [
        TableColumn(
            tr("Epoch"), lambda each: count(each.epoch) + (" ★" if each.epoch == best else "")
        ),
        *map(_metric_column, main),
        TableColumn(tr("Rate"), lambda epoch: significant(epoch.learning_rate)),
        TableColumn(tr("Images/s"), _speed),
        TableColumn(tr("Seconds"), lambda epoch: significant(epoch.seconds)),
        *map(_metric_column, others),
    ]


def _metric_column(metric: MetricSpec) -> TableColumn[EpochDone]:
    return TableColumn(
        plan_text(metric.label), lambda epoch: metric_text(metric, epoch.value(metric.name))
    )


def _speed(epoch: EpochDone) -> str:
    speed = epoch.images_per_second
    return count(round(speed)) if math.isfinite(speed) else significant(speed)


class RunDetails(QTabWidget):
    """The tabs under the charts: those of `SECTIONS`, and everything that is text.

    Signals:
        clone_wanted: The `TrainingPlan` that a new run is to start from.
        stretches_changed: What the open tab points at in the charts: from where to where, in
            epochs, each.
    """

    clone_wanted = Signal(object)
    stretches_changed = Signal(list)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunDocument | None = None
        self._places: dict[type[RunSection], QWidget] = {}
        self._sections: dict[type[RunSection], RunSection] = {}
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Details of the run"))
        explain(self.tabBar(), self.tr("More about the run, each in a tab of its own."))
        self.tabBar().setAccessibleName(self.accessibleName())
        self._model = TableModel[EpochDone]((), self, key=attrgetter("epoch"))
        self.table = QTableView(self)
        self.table.setItemDelegate(ElidingDelegate(self.table))
        self.table.setModel(self._model)
        self.table.setAccessibleName(self.tr("Epochs"))
        # Tab leaves the table; the arrow keys move inside it.
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        # In a small window figures are scrolled, not cut.
        header.setMinimumSectionSize(_LEAST_COLUMN)
        self.log = self._text(self.tr("Log"))
        self.plan = self._text(self.tr("Plan"))
        self.addTab(self.table, self.tr("Epochs"))
        for kind in SECTIONS:
            self._places[kind] = QWidget(self)
            self.addTab(self._places[kind], kind.title())
        self.addTab(self.log, self.tr("Log"))
        self.addTab(self.plan, self.tr("Plan"))
        self.currentChanged.connect(self._on_tab)
        self._explain()

    def _explain(self) -> None:
        explain(self.log, self.tr("What the run said while it worked."))
        explain(self.plan, self.tr("All settings of the run, as they are kept in its folder."))
        explain(self.table, self.tr("The figures of each epoch; the best one has a star."))

    def open(self, kind: type[Section]) -> Section:
        """Open a tab of `SECTIONS`."""
        section = self._section(kind)
        self.setCurrentWidget(section)
        return section

    def show_run(
        self, entry: RunDocument, dataset: str, events: Sequence[Event] | None = None
    ) -> None:
        """Show another run, or what is new of the same."""
        task = self._context.jobs.task_of(entry)
        self._show_tabs(task)
        section = self.currentWidget()
        if isinstance(section, RunSection):
            if events is None or entry is not self._entry:
                section.show_run(entry)
            else:
                section.add(entry, events)
        self._entry = entry
        self._model.show_rows(entry.history.epochs, epoch_columns(entry.history, task))
        _replace(self.log, log_text(entry.history))
        if isinstance(entry.plan, TrainingPlan):
            _replace(self.plan, asked_text(entry.plan, dataset, entry.history.changes))
            self._align_plan()

    def _show_tabs(self, task: Task) -> None:
        """Show the tabs that mean something for a task."""
        for kind in SECTIONS:
            index = self.indexOf(self._sections.get(kind) or self._places[kind])
            title = kind.title_for(task)
            if self.isTabVisible(index) != bool(title):
                self.setTabVisible(index, bool(title))
            if title and self.tabText(index) != title:
                self.setTabText(index, title)

    def _on_tab(self, _index: int) -> None:
        place = self.currentWidget()
        kind = next((kind for kind, each in self._places.items() if each is place), None)
        section = place if kind is None else self._section(kind)
        if isinstance(section, RunSection) and self._entry is not None:
            section.show_run(self._entry)
        self._on_stretches()

    def _on_stretches(self) -> None:
        section = self.currentWidget()
        self.stretches_changed.emit(section.stretches if isinstance(section, RunSection) else [])

    def _section(self, kind: type[Section]) -> Section:
        """A tab, made when it is first wanted: all at once would hold the window up."""
        made = self._sections.get(kind)
        if not isinstance(made, kind):
            made = self._sections[kind] = kind(self._context, self)
            made.clone_wanted.connect(self.clone_wanted)
            made.stretches_changed.connect(self._on_stretches)
            self._put_in_place(made, self._places.pop(kind))
        return made

    def _put_in_place(self, section: RunSection, place: QWidget) -> None:
        index, is_open = self.indexOf(place), self.currentWidget() is place
        title, is_shown = self.tabText(index), self.isTabVisible(index)
        with QSignalBlocker(self):
            self.removeTab(index)
            self.insertTab(index, section, title)
            self.setTabVisible(index, is_shown)
            if is_open:
                self.setCurrentIndex(index)
        place.deleteLater()

    def _align_plan(self) -> None:
        """All values of the plan begin at one place, whatever the letters before are."""
        metrics = self.plan.fontMetrics()
        labels = (line.partition("\t")[0] for line in self.plan.toPlainText().splitlines())
        widest = max((metrics.horizontalAdvance(label) for label in labels), default=0)
        self.plan.setTabStopDistance(widest + SPACE.xl)

    def _text(self, name: str) -> QPlainTextEdit:
        text = QPlainTextEdit(self)
        text.setTabChangesFocus(True)
        text.setReadOnly(True)
        text.setAccessibleName(name)
        return text


def log_text(history: RunHistory) -> str:
    """What the run said, oldest first, with the time of day."""
    lines: list[tuple[float, str]] = []
    for event in history.log:
        if isinstance(event, Started):
            pattern = _tr("Studio {version} on {host}, process {process}")
            words = pattern.format(version=event.studio, host=event.host, process=event.pid)
        elif isinstance(event, TrainingBegan):
            words = _frame(event)
        elif isinstance(event, StateChanged):
            told = engine_text(f"{event.reason} {event.hint}".strip())
            words = f"{state_word(event.state.value)}. {told}".strip()
        else:
            continue
        lines.append((event.t, words))
    lines += [(note.t, engine_text(note.message)) for note in history.notes]
    lines.sort(key=itemgetter(0))
    text = "\n".join(f"{_clock(at)}  {what}" for at, what in lines)
    return f"{text}\n\n{history.detail}".strip()


def _frame(began: TrainingBegan) -> str:
    return _tr(
        "{backend} on {device}: {train} training and {val} validation images, "
        "{parameters} parameters, {trained} of them trained"
    ).format(
        backend=began.backend,
        device=engine_text(began.device),
        train=count(began.train_images),
        val=count(began.val_images),
        parameters=count(began.parameters),
        trained=count(began.trainable_parameters),
    )


def _clock(at: float) -> str:
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(at)).time(), "HH:mm:ss")


def asked_text(
    plan: TrainingPlan, dataset: str, changes: Mapping[str, object] | None = None
) -> str:
    """What was asked, one field per line, a tab before its value, and what became of it since."""
    rows = [(_tr("Dataset"), dataset), (_tr("Network"), planned_network(plan))]
    if changes:
        since = ", ".join(
            f"{plan_text(setting_label(name))} {setting_words(name, value)}"
            for name, value in changes.items()
        )
        rows.append((_tr("Changed since"), since))
    rows += [
        _row(field, field.name, getattr(plan, field.name))
        for field in fields_of(TrainingPlan)
        if field.name in recipe_fields()
    ]
    rows.append((_tr("Augmentation"), preset_of(plan.augmentation)))
    new = AugmentationPlan()
    for field in fields_of(AugmentationPlan):
        value = getattr(plan.augmentation, field.name)
        if value != getattr(new, field.name):
            label, text = _row(field, f"augmentation.{field.name}", value)
            rows.append((f"  {label}", text))
    return "\n".join(f"{label}\t{value}" for label, value in rows)


def _row(field: PlanField, name: str, value: object) -> tuple[str, str]:
    words = f"{setting_words(name, value)} {plan_text(field.unit)}".strip()
    return plan_text(field.label), words


def _replace(view: QPlainTextEdit, text: str) -> None:
    if view.toPlainText() != text:
        view.setPlainText(text)
