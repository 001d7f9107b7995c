"""The dashboard of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.events import Event
from studio.engine.jobs.states import State
from studio.engine.tasks.metric import in_sentence
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Following
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.dashboard.actions import RunActions
from studio.ui.pages.train.dashboard.charts import LEAST_HEIGHT, RunCharts
from studio.ui.pages.train.dashboard.details import RunDetails
from studio.ui.pages.train.state import best_metric
from studio.ui.shared.training import planned_network
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.figures import count, duration, metric_text
from studio.ui.widgets.labels import ElidedLabel, HintLabel, StateBadge, Tone
from studio.ui.widgets.layout import Debounce, FlowLayout
from studio.ui.widgets.pages import PageHeader

SPLITTER = "train/halves"
_TITLE = 240
"""Pixels of the name of the run that are seen in any case; the buttons become icons for that."""
_TABS = 330
"""Pixels that the tabs have in a low window: enough for a confusion matrix."""


class Dashboard(QWidget):
    """Shows a run, live while it trains.

    Signals:
        clone_wanted: The `TrainingPlan` to start from.
    """

    clone_wanted = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunDocument | None = None
        self._following = Following(self, self._on_changed)
        theme = context.theme
        self.header = PageHeader("", parent=self)
        self.subtitle = ElidedLabel(parent=self)
        self.subtitle.setProperty("role", "muted")
        self.badge = StateBadge(theme, "queued", self)
        self.run_actions = RunActions(context, self)
        self.bar = ThinBar(theme, self)
        self._line = ElidedLabel(parent=self)
        self._line.setProperty("role", "muted")
        self._test = QLabel(self)
        self._reason = HintLabel(parent=self)
        self._reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.charts = RunCharts(context, self)
        self.details = RunDetails(context, self)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._later = Debounce(0, self._balance, self)
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._lay_out()
        self._connect()

    @property
    def entry(self) -> RunDocument | None:
        """The run that is shown."""
        return self._entry

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning, and follow it."""
        self._entry = entry
        self._following.show(entry)
        self.charts.show_run(entry, self._context.jobs.task_of(entry))
        self._refresh()

    def _lay_out(self) -> None:
        self.header.add_action(self.run_actions)
        # In a small window the test takes a line of its own: no figure is cut.
        status = FlowLayout(spacing=SPACE.m)
        for part in (self.badge, self._line, self._test):
            part.setFixedHeight(self.badge.sizeHint().height())
            status.addWidget(part)
        self._splitter.addWidget(self.charts)
        self._splitter.addWidget(self.details)
        self._splitter.setChildrenCollapsible(False)
        # The tabs take what the page gains when the tray goes: their upper edge stays in place.
        self._splitter.setStretchFactor(0, 0)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([300, 300])
        self._splitter.setHandleWidth(SPACE.xs)
        self._splitter.setProperty("grip", True)
        state = self._context.settings.bytes(SPLITTER)
        self._is_arranged = state is not None and self._splitter.restoreState(state)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing below it moves when the run ends
        self.bar.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.s)
        column.addWidget(self.header)
        # Below the buttons, where long names have the whole width.
        column.addWidget(self.subtitle)
        column.addLayout(status)
        column.addWidget(self.bar)
        column.addWidget(self._reason)
        column.addWidget(self._splitter, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tabs have at least half of the height, unless the user arranged it otherwise."""
        super().resizeEvent(event)
        self._later.start()  # once the splitter has its new height

    def _balance(self) -> None:
        self._fit_actions()
        charts, details = self._splitter.sizes()
        total = charts + details
        wanted = max(total // 2, min(_TABS, total - LEAST_HEIGHT))
        if not self._is_arranged and details < wanted:
            self._splitter.setSizes([total - wanted, wanted])

    def _fit_actions(self) -> None:
        """Leave the name of the run enough room to be read."""
        self.run_actions.fit(self.header.room_for_actions(_TITLE))

    def _connect(self) -> None:
        self._context.jobs.listed.connect(self._on_listed)
        self._clock.timeout.connect(self._refresh_line)
        self._splitter.splitterMoved.connect(self._on_splitter)
        self.run_actions.clone_wanted.connect(self.clone_wanted)
        self.details.clone_wanted.connect(self.clone_wanted)
        self.details.stretches_changed.connect(self.charts.show_intervals)

    def _on_changed(self, _entry: RunDocument, change: Change) -> None:
        if not change.is_removed:
            self._refresh(None if change.is_info else change.events)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.EVALUATION in kinds:
            self._show_test()

    def _refresh(self, events: Sequence[Event] | None = None) -> None:
        entry = self._entry
        if entry is None:
            return
        plan, state = entry.plan, entry.state
        dataset = self._dataset_name(entry)
        self.header.set_title(entry.name)
        if isinstance(plan, TrainingPlan):
            text = self.tr("{network} on {dataset}").format(
                network=planned_network(plan), dataset=dataset
            )
            self.subtitle.setText(text)
        self.badge.set_state(state.value)
        self.bar.setVisible(state.has_worker)
        self.bar.set_fraction(entry.history.fraction)
        why = f"{entry.history.reason} {entry.history.hint}".strip()
        is_bad = state in (State.FAILED, State.LOST) or entry.history.category is not None
        tone: Tone = "problem" if is_bad else "help"
        self._reason.show_text(why if state.is_at_rest else "", tone)
        self.details.show_run(entry, dataset, events)
        self.run_actions.show_run(entry)
        self._fit_actions()
        if state.is_at_rest:
            self._clock.stop()
        else:
            self._clock.start()
        self._refresh_line()
        self._show_test()

    def _refresh_line(self) -> None:
        entry = self._entry
        if entry is None:
            return
        history = entry.history
        words = [] if history.state.is_at_rest else [describe.detail(entry)]
        metric, value = best_metric(history)
        if history.best_epoch is not None:
            pattern = (
                self.tr("Best validation {metric} {value} in epoch {epoch}")
                if metric.is_validation
                else self.tr("Best training {metric} {value} in epoch {epoch}")
            )
            best = pattern.format(
                metric=in_sentence(plan_text(history.task.metrics[0].label)),
                value=metric_text(metric, value),
                epoch=count(history.best_epoch.epoch),
            )
            words.append(best)
        now = time.time()
        left = history.seconds_left(now)
        if left is not None:
            words.append(self.tr("{time} left").format(time=duration(left)))
        elif (spent := history.seconds_spent(now)) is not None and round(spent) > 0:
            over = history.state.is_at_rest
            pattern = self.tr("took {time}") if over else self.tr("{time} so far")
            words.append(pattern.format(time=duration(spent)))
        speed = math.nan if history.steps is None else history.steps.images_per_second
        if math.isfinite(speed) and history.state.has_worker:
            pace = count(round(speed))
            words.append(self.tr("{count} images/s").format(count=pace))
        self._line.setText(" · ".join(word for word in words if word))

    def _show_test(self) -> None:
        """The latest measurement of this run, or that it is being made."""
        entry = self._entry
        text = ""
        for evaluation in self._context.jobs.entries(RecordKind.EVALUATION):
            plan = evaluation.plan
            if (
                entry is None
                or not isinstance(plan, EvaluationPlan)
                or (plan.run, plan.moment, plan.dataset) != (entry.record.id, "", "")
                or plan.split != "test"
            ):
                continue
            result = evaluation.history.result
            if result:
                metric = self._context.jobs.task_of(entry).metrics[0]
                value = result.get("metrics", result).get(metric.name, math.nan)
                text = self.tr("Test {metric} {value} on {count} images").format(
                    metric=in_sentence(plan_text(metric.label)),
                    value=metric_text(metric, value),
                    count=count(result["count"]),
                )
            elif not evaluation.state.is_finished:
                text = self.tr("Measuring …")
            break
        self._test.setText(text)
        self._test.setVisible(bool(text))

    def _dataset_name(self, entry: RunDocument) -> str:
        if not isinstance(entry.plan, TrainingPlan):
            return ""
        dataset = self._context.jobs.get(RecordKind.DATASET, entry.plan.dataset)
        return dataset.name if dataset else self.tr("a dataset that was deleted")

    def _on_splitter(self, _position: int, _index: int) -> None:
        self._is_arranged = True
        self._context.settings.set_bytes(SPLITTER, self._splitter.saveState())
