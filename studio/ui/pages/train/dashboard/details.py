"""The tabs of a run: the findings of the doctor, its notes, its epochs, its log and its plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QDateTime,
    QLocale,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QTabWidget, QWidget

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, Started, StateChanged
from studio.engine.messages import message
from studio.engine.plans import PlanField, fields_of
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.history import (
    EpochDone,
    InsightStored,
    RunHistory,
    TrainingBegan,
    ValidationDone,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import RecordInfo, RecordKind, Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.pages.train.dashboard.fit import FitSection
from studio.ui.pages.train.dashboard.insights import (
    ConfusionSection,
    Mistakes,
    Norms,
    Samples,
    TargetsSection,
)
from studio.ui.pages.train.dashboard.machine import Rate, Usage
from studio.ui.pages.train.dashboard.section import RunSection
from studio.ui.pages.train.plan.augmentation import preset_of
from studio.ui.pages.train.runs.actions import clone_plan, save_text
from studio.ui.pages.train.state import epoch_metrics, recipe_fields
from studio.ui.shared.records import GroupMenu, NotesEdit
from studio.ui.shared.training import planned_network
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE, Role
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, metric_text, significant
from studio.ui.widgets.labels import IconLabel, state_word
from studio.ui.widgets.layout import STRETCH, fill, hbox, remove_widget, text_label, vbox
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.training.doctor import RunDataset, RunFinding


_ICONS: Mapping[str, tuple[str, Role]] = {"divergence": ("error", "bad")}
_WARNING: tuple[str, Role] = ("warning", "warn")


class FindingCard(Card):
    """A finding with a button for a new run that avoids it.

    Signals:
        clone_requested: The changed `TrainingPlan`.
    """

    clone_requested = Signal(object)

    def __init__(
        self, theme: Theme, finding: RunFinding, plan: TrainingPlan, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._finding = finding
        self._plan = _changed_plan(plan, finding)
        icon, role = _ICONS.get(finding.name, _WARNING)
        self._icon = IconLabel(theme, icon, role, ICON, self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        opens = self.tr("Opens the form of a new run with these changes.")
        self.apply_button = push_button(
            self.tr("Apply as a new run"), theme, parent=self, tip=opens, on_click=self._on_apply
        )
        self.apply_button.setVisible(self._plan is not None)
        self.setAccessibleName(translated(finding.title))
        self.setAccessibleDescription(translated(finding.evidence))
        self._lay_out()

    def _lay_out(self) -> None:
        finding = self._finding
        head = hbox(
            (_label(translated(finding.title), "section", self), 1),
            _label(self._epochs(), "caption", self, wraps=False),
        )
        foot = hbox(
            (_label(changes_text(finding), "caption", self), 1),
            (self.apply_button, Qt.AlignmentFlag.AlignBottom),
            spacing=SPACE.m,
        )
        evidence = _label(translated(finding.evidence), "", self)
        advice = _label(translated(finding.advice), "muted", self)
        words = vbox(head, evidence, advice, foot, spacing=SPACE.xs)
        icon = (self._icon, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(hbox(icon, (words, 1), spacing=SPACE.m))

    def _epochs(self) -> str:
        first, last = max(1, round(self._finding.first)), max(1, round(self._finding.last))
        if first >= last:
            return self.tr("Epoch {epoch}").format(epoch=count(last))
        return self.tr("Epochs {first} to {last}").format(first=count(first), last=count(last))

    def _on_apply(self) -> None:
        if self._plan is not None:
            self.clone_requested.emit(self._plan)


def changes_text(finding: RunFinding) -> str:
    """Return the changed settings of a finding in one line."""
    shown = [(name, value) for name, value in finding.changes.items() if value != {}]
    return " · ".join(
        f"{translated(setting_label(name))}: {setting_words(name, value)}" for name, value in shown
    )


def _changed_plan(plan: TrainingPlan, finding: RunFinding) -> TrainingPlan | None:
    """Return the plan with the changes of a finding; None if it has none."""
    if not finding.changes:
        return None
    try:
        return plan.changed(**finding.changes)
    except StudioError:
        return None


def _label(text: str, role: str, parent: QWidget, *, wraps: bool = True) -> QLabel:
    label = text_label(text, role, parent, wraps=wraps, selectable=True)
    label.setVisible(bool(text))
    return label


Examined = tuple["tuple[RunFinding, ...]", "RunDataset"]
"""The findings, and the facts about the dataset."""

_NEW_FIGURES = (EpochDone, ValidationDone, InsightStored, StateChanged, TrainingBegan)
"""Events after which a run is examined again."""
_FEWEST_EPOCHS = 3


class Doctor(RunSection):
    """The findings, the worst first, or a line that says that there are none.

    Attributes:
        cards: One for each finding.
    """

    word = str(QT_TRANSLATE_NOOP("Doctor", "Doctor"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.cards: list[QWidget] = []
        self._findings: tuple[RunFinding, ...] = ()
        self._examining = Request(context.background, self)
        self._dataset: RunDataset | None = None
        self.verdict = text_label("", "muted", self, wraps=True)
        self._scroll = ScrollColumn(SPACE.m, self)
        fill(self._scroll.column, self.verdict, STRETCH)
        self.column.addWidget(self._scroll)

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """Epochs of the findings; a single epoch starts at the end of the previous one."""
        return [(min(each.first, each.last - 1), each.last) for each in self._findings]

    def show_run(self, entry: RunDocument) -> None:
        """Examine a run in the background."""
        if entry is not self.entry:
            self._show((), self.tr("Checking the run…"))
            self._dataset = None
        self.entry = entry
        if not isinstance(entry.plan, TrainingPlan):
            return
        work = _examination(self.context.workspace, entry, entry.plan, self._dataset)
        self._examining.run(work, partial(self._on_found, entry))

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Examine the run again after an epoch or a validation."""
        if entry is not self.entry or any(isinstance(event, _NEW_FIGURES) for event in events):
            self.show_run(entry)

    def _on_found(self, entry: RunDocument, found: Examined) -> None:
        findings, self._dataset = found
        self._show(findings, "" if findings else self._no_findings(entry))

    def _no_findings(self, entry: RunDocument) -> str:
        epochs = len(entry.history.epochs)
        if epochs < _FEWEST_EPOCHS and not entry.state.is_finished:
            return self.tr("Available after a few epochs.")
        if epochs == 1:
            return self.tr("No problems found after one epoch.")
        return self.tr("No problems found after {count} epochs.").format(count=count(epochs))

    def _show(self, findings: tuple[RunFinding, ...], verdict: str) -> None:
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))
        if findings == self._findings:
            return
        self._findings = findings
        for card in self.cards:
            remove_widget(self._scroll.column, card)
        self.cards = [self._card(finding) for finding in findings]
        for position, card in enumerate(self.cards, 1):
            self._scroll.column.insertWidget(position, card)
        self.stretches_changed.emit()

    def _card(self, finding: RunFinding) -> QWidget:
        entry = self.entry
        if entry is None:
            raise TypeError("a finding is about a run")
        plan = clone_plan(entry).changed(**entry.history.changes)
        card = FindingCard(self.context.theme, finding, plan, self)
        card.clone_requested.connect(self.clone_requested)
        return card


def _examination(
    workspace: Workspace, entry: RunDocument, plan: TrainingPlan, dataset: RunDataset | None
) -> Callable[[], Examined]:
    """Copy the figures of a run and return the examination for another thread.

    Args:
        workspace: The workspace of the run.
        entry: The run.
        plan: Its plan.
        dataset: Facts about its dataset; None if they have not been read yet.
    """
    from studio.engine.training.doctor import TrainingHistory, diagnose, run_dataset  # noqa: PLC0415 - NumPy, not needed at the start

    history = TrainingHistory.of(entry.history, plan)
    folder = entry.record.folder

    def work() -> Examined:
        known = run_dataset(workspace, plan) if dataset is None else dataset
        return diagnose(history.with_answers(folder, known)), known

    return work


class Notes(RunSection):
    """Tags, group and notes of a run."""

    word = str(QT_TRANSLATE_NOOP("Notes", "Notes"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._shown: RecordInfo | None = None
        self.tags = QLineEdit(self, placeholderText=self.tr("Tags, separated by commas"))
        self.tags.setAccessibleName(self.tr("Tags"))
        self.group = push_button("", context.theme, icon="folder", parent=self)
        self.group.setAccessibleName(self.tr("Group"))
        self.group.setToolTip(self.tr("Group"))
        self.groups = GroupMenu(context, RecordKind.RUN, self)
        self.group.setMenu(self.groups)
        prompt = self.tr("Notes: what you tried and the result…")
        self.notes = NotesEdit(context, prompt, self)
        fill(self.column, hbox((self.tags, 1), self.group, spacing=SPACE.s), (self.notes, 1))
        self.tags.editingFinished.connect(self._on_tags)

    def show_run(self, entry: RunDocument) -> None:
        """Show a run; text that is being edited stays."""
        if entry is self.entry and entry.info is self._shown:
            return
        is_other, info = entry is not self.entry, entry.info
        self.entry, self._shown = entry, info
        self.groups.set_entries([entry])
        if is_other or not self.tags.hasFocus():
            self.tags.setText(", ".join(info.tags))
        self.group.setText(info.group.replace("&", "&&") or self.tr("No group"))
        self.notes.show_entry(entry)

    def _on_tags(self) -> None:
        entry, text = self.entry, self.tags.text()
        if entry is not None and text != ", ".join(entry.info.tags):
            work = partial(save_text, self.context.workspace, entry.record, "tags", text)
            self.context.background.run(self, work, self.context.jobs.wake)


SECTIONS: tuple[type[RunSection], ...] = (
    Doctor,
    FitSection,
    TargetsSection,
    ConfusionSection,
    Mistakes,
    Samples,
    Norms,
    Rate,
    Usage,
    Notes,
)
"""The tabs that show data, in their order. To add a tab, list its `RunSection` here."""

_tr = partial(QCoreApplication.translate, "RunDetails")

Section = TypeVar("Section", bound=RunSection)


def epoch_columns(history: RunHistory, task: Task) -> list[Column[EpochDone]]:
    """Return the columns of the table of epochs; the best epoch has a star."""
    tr = partial(QCoreApplication.translate, "EpochModel")
    best = history.best_epoch.epoch if history.best_epoch else 0
    main, others = epoch_metrics(history, task)
    return [
        _epoch_column(
            tr("Epoch"),
            "epoch",
            lambda each: count(each.epoch) + (" ★" if each.epoch == best else ""),
        ),
        *map(_metric_column, main),
        _epoch_column(tr("Rate"), "learning_rate", lambda epoch: significant(epoch.learning_rate)),
        _epoch_column(tr("Images/s"), "images_per_second", _speed),
        _epoch_column(tr("Seconds"), "seconds", lambda epoch: significant(epoch.seconds)),
        *map(_metric_column, others),
    ]


def _epoch_column(heading: str, name: str, text: Callable[[EpochDone], str]) -> Column[EpochDone]:
    return Column(heading, text, value=attrgetter(name), width=FILL)


def _metric_column(metric: MetricSpec) -> Column[EpochDone]:
    return Column(
        translated(metric.label),
        lambda epoch: metric_text(metric, epoch.value(metric.name)),
        value=lambda epoch: epoch.value(metric.name),
        width=FILL,
    )


def _speed(epoch: EpochDone) -> str:
    speed = epoch.images_per_second
    return count(round(speed)) if math.isfinite(speed) else significant(speed)


class RunDetails(QTabWidget):
    """The tabs below the charts: epochs, `SECTIONS`, log and plan.

    Signals:
        clone_requested: The `TrainingPlan` from which to start a new run.
        stretches_changed: Epochs that the open tab highlights, each with its start and end.
    """

    clone_requested = Signal(object)
    stretches_changed = Signal(list)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunDocument | None = None
        self._placeholders: dict[type[RunSection], QWidget] = {}
        self._sections: dict[type[RunSection], RunSection] = {}
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Details of the run"))
        self.tabBar().setAccessibleName(self.accessibleName())
        explain(self.tabBar(), self.tr("Shows another part of the run."))
        self.table: Table[EpochDone] = Table(
            self.tr("Epochs"), (), self, key=attrgetter("epoch"), selection="many"
        )
        explain(self.table, self.tr("Metrics of each epoch; a star marks the best one."))
        self.log = self._text(self.tr("Log"), self.tr("Events and messages of the run."))
        self.plan = self._text(self.tr("Plan"), self.tr("All settings of the run."))
        self.addTab(self.table, self.tr("Epochs"))
        for kind in SECTIONS:
            self._placeholders[kind] = QWidget(self)
            self.addTab(self._placeholders[kind], kind.title())
        self.addTab(self.log, self.tr("Log"))
        self.addTab(self.plan, self.tr("Plan"))
        # Of fits; other runs have no such tab, and show the table.
        self._wanted: type[RunSection] | QWidget = FitSection
        self.currentChanged.connect(self._on_tab)

    @property
    def needs_room(self) -> bool:
        """True unless the open tab is a table without rows."""
        is_empty = self._entry is None or not self._entry.history.epochs
        return not (is_empty and self.currentWidget() is self.table)

    def open(self, kind: type[Section]) -> Section:
        """Open a tab of `SECTIONS` and return it."""
        section = self._section(kind)
        self.setCurrentWidget(section)
        return section

    def show_run(
        self, entry: RunDocument, dataset: str, events: Sequence[Event] | None = None
    ) -> None:
        """Show a run, or new events of the run that is shown.

        Args:
            entry: The run.
            dataset: Name of its dataset.
            events: New events; None to show the run from its beginning.
        """
        task = self._context.jobs.task_of(entry)
        self._show_tabs(task)
        section = self._current_tab()
        if isinstance(section, RunSection):
            if events is None or entry is not self._entry:
                section.show_run(entry)
            else:
                section.add(entry, events)
        self._entry = entry
        self.table.show_rows(entry.history.epochs, epoch_columns(entry.history, task))
        _replace(self.log, log_text(entry.history))
        self.show_plan(entry, dataset)

    def show_plan(self, entry: RunDocument, dataset: str) -> None:
        """Show the plan of a run.

        Args:
            entry: The run.
            dataset: Name of its dataset.
        """
        if isinstance(entry.plan, TrainingPlan):
            _replace(self.plan, plan_lines(entry.plan, dataset, entry.history.changes))
            self._align_plan()

    def _show_tabs(self, task: Task) -> None:
        """Show the tabs that apply to a task; the chosen one stays, or the first takes its place.

        A chosen tab comes back with the next run that has it.
        """
        before = self.currentWidget()
        with QSignalBlocker(self):  # a hidden tab would open its neighbor
            for kind in SECTIONS:
                index = self.indexOf(self._tab(kind))
                title = kind.title_for(task)
                if self.isTabVisible(index) != bool(title):
                    self.setTabVisible(index, bool(title))
                if title and self.tabText(index) != title:
                    self.setTabText(index, title)
            chosen = self._tab(self._wanted)
            is_shown = self.isTabVisible(self.indexOf(chosen))
            self.setCurrentWidget(chosen if is_shown else self.table)
        if self.currentWidget() is not before:
            self._on_stretches()

    def _tab(self, key: type[RunSection] | QWidget) -> QWidget:
        """Return the widget of a tab: of a section, once built, or its placeholder."""
        if isinstance(key, type):
            return self._sections.get(key) or self._placeholders[key]
        return key

    def _current_tab(self) -> QWidget:
        """Return the current tab, built if it is a section."""
        tab = self.currentWidget()
        kind = next((kind for kind, each in self._placeholders.items() if each is tab), None)
        return tab if kind is None else self._section(kind)

    def _on_tab(self, _index: int) -> None:
        tab = self._current_tab()
        self._wanted = type(tab) if isinstance(tab, RunSection) else tab
        if isinstance(tab, RunSection) and self._entry is not None:
            tab.show_run(self._entry)
        self._on_stretches()

    def _on_stretches(self) -> None:
        section = self.currentWidget()
        self.stretches_changed.emit(section.stretches if isinstance(section, RunSection) else [])

    def _section(self, kind: type[Section]) -> Section:
        """Return a tab; it is built when it is first opened."""
        made = self._sections.get(kind)
        if not isinstance(made, kind):
            made = self._sections[kind] = kind(self._context, self)
            made.clone_requested.connect(self.clone_requested)
            made.stretches_changed.connect(self._on_stretches)
            self._replace_tab(self._placeholders.pop(kind), made)
        return made

    def _replace_tab(self, placeholder: QWidget, section: RunSection) -> None:
        index, is_open = self.indexOf(placeholder), self.currentWidget() is placeholder
        title, is_shown = self.tabText(index), self.isTabVisible(index)
        with QSignalBlocker(self):
            self.removeTab(index)
            self.insertTab(index, section, title)
            self.setTabVisible(index, is_shown)
            if is_open:
                self.setCurrentIndex(index)
        placeholder.deleteLater()

    def _align_plan(self) -> None:
        """Align the values of the plan in a column."""
        metrics = self.plan.fontMetrics()
        labels = (line.partition("\t")[0] for line in self.plan.toPlainText().splitlines())
        widest = max((metrics.horizontalAdvance(label) for label in labels), default=0)
        self.plan.setTabStopDistance(widest + SPACE.xl)

    def _text(self, name: str, tip: str) -> QPlainTextEdit:
        text = QPlainTextEdit(self, tabChangesFocus=True, readOnly=True)
        text.setAccessibleName(name)
        explain(text, tip)
        return text


def log_text(history: RunHistory) -> str:
    """Return the events and messages of a run with their time of day, the oldest first."""
    lines: list[tuple[float, str]] = []
    for event in history.log:
        if isinstance(event, Started):
            pattern = _tr("Studio {version} on {host}, process {process}")
            words = pattern.format(version=event.studio, host=event.host, process=event.pid)
        elif isinstance(event, TrainingBegan):
            words = _start_text(event)
        elif isinstance(event, StateChanged):
            reason = translated(f"{event.reason} {event.hint}".strip())
            words = f"{state_word(event.state.value)}. {reason}".strip()
        else:
            continue
        lines.append((event.t, words))
    lines += [(note.t, translated(note.message)) for note in history.notes]
    lines.sort(key=itemgetter(0))
    text = "\n".join(f"{_clock(at)}  {words}" for at, words in lines)
    return f"{text}\n\n{history.detail}".strip()


def _start_text(began: TrainingBegan) -> str:
    return _tr(
        "{backend} on {device}. Training images: {train}, validation images: {val}, parameters: "
        "{parameters}, of them trained: {trained}"
    ).format(
        backend=began.backend,
        device=translated(began.device),
        train=count(began.train_images),
        val=count(began.val_images),
        parameters=count(began.parameters),
        trained=count(began.trainable_parameters),
    )


def _clock(at: float) -> str:
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(at)).time(), "HH:mm:ss")


def plan_lines(
    plan: TrainingPlan, dataset: str, changes: Mapping[str, object] | None = None
) -> str:
    """Return the settings of a run, one per line with a tab before its value.

    Args:
        plan: Its plan.
        dataset: Name of the dataset.
        changes: Settings that were changed during the training.
    """
    rows = [(_tr("Dataset"), dataset), (_tr("Network"), planned_network(plan))]
    if changes:
        values = ", ".join(
            f"{translated(setting_label(name))} {setting_words(name, value)}"
            for name, value in changes.items()
        )
        rows.append((_tr("Changed since"), values))
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
    if field.unit == "epochs":
        words = translated(message("{count:g} epochs", one="1 epoch", count=value))
    else:
        words = f"{setting_words(name, value)} {translated(field.unit)}".strip()
    return translated(field.label), words


def _replace(view: QPlainTextEdit, text: str) -> None:
    if view.toPlainText() != text:
        view.setPlainText(text)
