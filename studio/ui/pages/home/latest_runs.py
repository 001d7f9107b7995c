"""The latest runs and sweeps, on the home page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.jobs.history import JobHistory
from studio.engine.messages import in_sentence
from studio.engine.sweeps.history import SweepHistory, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.navigation import job_intent
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.figures import NO_VALUE, counted, metric_text
from studio.ui.widgets.labels import ElidedLabel, StateBadge, state_word
from studio.ui.widgets.layout import STRETCH, hbox, remove_widget, text_label, vbox
from studio.ui.widgets.small_charts import Sparkline

LATEST = 6


class LatestRuns(QWidget):
    """A card for each of the newest runs and sweeps; runs of a sweep are left out.

    Attributes:
        cards: The cards by the id of their run or sweep.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.cards: dict[str, RunCard] = {}
        title = text_label(self.tr("Latest runs"), "section", self)
        self._column = vbox(spacing=SPACE.s)
        vbox(title, self._column, owner=self, spacing=SPACE.s)
        context.jobs.changed.connect(self._on_changed)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        news = [event for event in change.events if isinstance(event, TrialChanged)]
        asked = {run.id for event in news for run in event.runs}
        if asked & self.cards.keys():  # its run was seen before its row
            self.refresh()
        if entry.record.id in self.cards:
            self._show(entry)

    def refresh(self) -> None:
        """Show the newest runs and sweeps."""
        latest = self._latest()
        present = {entry.record.id for entry in latest}
        for record_id in self.cards.keys() - present:
            remove_widget(self._column, self.cards.pop(record_id))
        for index, entry in enumerate(latest):
            record_id = entry.record.id
            if record_id not in self.cards:
                card = RunCard(self._context.theme, self)
                intent = job_intent(*entry.key)
                card.activated.connect(partial(self._context.navigator.open, intent))
                self.cards[record_id] = card
                self._column.insertWidget(index, card)
            self._show(entry)
        self.setVisible(bool(latest))

    def _latest(self) -> list[RecordDocument]:
        jobs = self._context.jobs
        sweeps = jobs.entries(RecordKind.SWEEP)
        theirs = of_sweeps(sweep.history for sweep in sweeps)
        runs = jobs.entries(RecordKind.RUN)
        alone = (run for run in runs if run.record.id not in theirs)
        both: list[RecordDocument] = [*islice(alone, LATEST), *sweeps[:LATEST]]
        return sorted(both, key=lambda entry: entry.info.created, reverse=True)[:LATEST]

    def _show(self, entry: RecordDocument) -> None:
        card = self.cards[entry.record.id]
        if isinstance(entry.plan, TrainingPlan) and isinstance(entry.history, RunHistory):
            card.show_facts(entry.name, entry.shown_state, run_facts(entry.plan, entry.history))
        elif isinstance(entry.plan, SweepPlan) and isinstance(entry.history, SweepHistory):
            one, many = self.tr("Sweep · 1 trial"), self.tr("Sweep · {n} trials")
            words = counted(len(entry.history.trials), one, many)
            facts = sweep_facts(entry.plan, entry.history, words)
            card.show_facts(entry.name, entry.shown_state, facts, is_sweep=True)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run or sweep in one line.

    Attributes:
        network: Label of the network.
        best: Best value of its metric so far; None before the first epoch.
        metric: Main metric on validation images, or on training images if there are no others;
            None for a sweep whose objective is not measured in epochs.
        curve: The same metric by epoch.
    """

    network: str
    best: float | None
    metric: MetricSpec | None
    curve: list[float]


def run_facts(plan: TrainingPlan, history: RunHistory) -> RunFacts:
    """Return the facts of a run."""
    metric = primary_metric(history)
    curve = [epoch.value(metric.name) for epoch in history.epochs]
    return RunFacts(network_label(plan), _best(metric, curve), metric, curve)


def sweep_facts(plan: SweepPlan, history: SweepHistory, words: str) -> RunFacts:
    """Return the facts of a sweep: the results of its trials if its objective is a metric.

    Args:
        plan: Plan of the sweep.
        history: History of the sweep.
        words: Text in place of a network.
    """
    metric = MEASURED_METRICS.get(plan.objectives[0])
    reached: list[float] = []
    if metric is not None:
        rows = (history.trials[number] for number in sorted(history.trials))
        reached = [row.measured[0] for row in rows if row.measured]
    return RunFacts(words, _best(metric, reached), metric, reached)


def _best(metric: MetricSpec | None, values: Sequence[float]) -> float | None:
    best = math.nan if metric is None else metric.best(values)
    return best if math.isfinite(best) else None


def of_sweeps(histories: Iterable[JobHistory]) -> set[str]:
    """Return the ids of the runs that sweeps started; these are not listed as latest runs."""
    return {run for history in histories for run in history.children}


_BADGE_ROOM, _FIGURE_ROOM = 112, 200


class RunCard(PressableCard):
    """One run as a button."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ElidedLabel("", self, is_bold=True)
        self._network = ElidedLabel("", self, role="caption")
        self.badge = StateBadge(theme, "queued", self)
        self.curve = Sparkline(theme, self)
        self.curve.setFixedSize(QSize(128, 28))
        self.best = QLabel(self, alignment=Qt.AlignmentFlag.AlignRight)
        self._of = ElidedLabel("", self, role="caption")
        self._of.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._lay_out()

    def show_facts(
        self, name: str, state: str, facts: RunFacts, *, is_sweep: bool = False
    ) -> None:
        """Show the current state of a run or sweep."""
        spoken = self.tr("Sweep {name}") if is_sweep else self.tr("Run {name}")
        self._name.setText(name)
        self._network.setText(translated(facts.network))
        self.badge.set_state(state)
        self.curve.set_values(facts.curve)
        self.curve.setVisible(len(facts.curve) > 1)
        self.setAccessibleName(spoken.format(name=name))
        words = [state_word(state), translated(facts.network)]
        best, which, tip = NO_VALUE, "", ""
        if facts.best is not None and facts.metric is not None:
            best = metric_text(facts.metric, facts.best)
            which = in_sentence(translated(facts.metric.label))
            tip = self.tr("Best {metric}: {value}").format(metric=which, value=best)
            words.append(tip)
        self.best.setText(best)
        self._of.setText(which)
        self.setToolTip(tip)
        self.setAccessibleDescription(", ".join(words))

    def _lay_out(self) -> None:
        words = vbox(self._name, self._network, spacing=2)
        figures = vbox(self.best, self._of, spacing=2)
        for each in (self.best, self._of):
            each.setFixedWidth(_FIGURE_ROOM)
        badge = _room(_BADGE_ROOM, self.badge, self)
        curve = _room(self.curve.width(), self.curve, self)
        margins = (SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        hbox((words, 1), badge, curve, figures, owner=self, spacing=SPACE.l, margins=margins)


def _room(width: int, content: QWidget, parent: QWidget) -> QWidget:
    """Return a column of a fixed width, also if its content is hidden."""
    holder = QWidget(parent)
    holder.setFixedWidth(width)
    hbox(content, STRETCH, owner=holder)
    return holder
