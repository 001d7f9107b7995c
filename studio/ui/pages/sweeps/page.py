"""Page of sweeps: the list at the left, one sweep with its trials at the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_pause
from studio.engine.jobs.events import Amended
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.sweeps.history import SweepJob, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import rerun
from studio.engine.sweeps.trial_order import WaitingTrial, move_trial
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Following
from studio.ui.bridge.request import Request
from studio.ui.charts.sweeps.charts import SweepCharts
from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument, SweepDocument
from studio.ui.navigation import OpenPage, OpenRecord, PlanRun, PlanSweep
from studio.ui.pages.commands import EARLIER, LATER
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.pages.sweeps.facts import SweepFacts, SweepMonitor
from studio.ui.pages.sweeps.messages import (
    STAR,
    best_text,
    cell_text,
    done_text,
    facts_text,
    heading,
    objective_label,
    values_text,
)
from studio.ui.pages.sweeps.new_sweep import NewSweep
from studio.ui.pages.sweeps.space import AddValues
from studio.ui.pages.sweeps.trial_row import (
    CURVE,
    INTERVAL,
    NUMBER,
    STATE,
    TIME,
    Runs,
    TrialRow,
    can_rerun,
    columns_of,
    moved_before,
)
from studio.ui.shared.jobs import JobActions
from studio.ui.shared.records import Trash
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, count
from studio.ui.widgets.labels import ElidedLabel, HintLabel, StateBadge, state_painter, state_word
from studio.ui.widgets.layout import STRETCH, Debounce, Splitter, fill, hbox, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, EmptyState, PageHeader, PageStack, ScrollColumn
from studio.ui.widgets.small_charts import curve_painter
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import Column, Paint
from studio.ui.widgets.tips import allow, explain

if TYPE_CHECKING:
    from studio.ui.charts.sweeps.data import BackgroundWork, SweepTrials


class SweepActions(JobActions):
    """Buttons for a sweep; those without effect in its state are hidden."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._trash = Trash(context, self)
        explain(self.pause_button, self.tr("Starts no more trials until you resume."))
        explain(self.stop_button, self.tr("Stops the sweep and its runs. Results are kept."))
        explain(self.resume_button, self.tr("Continues with the remaining trials."))
        icon = partial(icon_button, theme=context.theme, parent=self)
        self.add_button = icon("plus", self.tr("Add values, trials or hours"))
        trash = self.tr("Move to the trash")
        self.delete_button = icon("trash", trash, on_click=self._on_delete)
        buttons = self.pause_button, self.stop_button, self.resume_button
        hbox(*buttons, self.add_button, self.delete_button, owner=self, spacing=SPACE.s)

    def show_sweep(self, entry: RecordDocument) -> None:
        """Show the actions that a sweep allows in its state."""
        self.show_job(entry)
        state, ends = entry.state, self.tr("The sweep is already stopping.")
        self.pause_button.setToolTip(self.pause_button.whatsThis() if can_pause(state) else ends)
        is_stopping = state == State.STOPPING
        self.stop_button.setToolTip(ends if is_stopping else self.stop_button.whatsThis())
        can_add = state in (State.STARTING, State.RUNNING) or state.is_at_rest
        why_not = "" if can_add else self.tr("Only while the sweep runs or after it has ended.")
        allow(self.add_button, why_not, self.tr("Add values, trials or hours"))
        why_not = "" if state.is_at_rest else self.tr("Stop it first.")
        allow(self.delete_button, why_not, self.tr("Move to the trash"))

    def _on_pause(self) -> None:
        super()._on_pause()
        self.pause_button.setToolTip(self.tr("Saving its runs…"))

    def _on_stop(self) -> None:
        super()._on_stop()
        self.stop_button.setToolTip(self.tr("Stopping its runs…"))

    def _on_delete(self) -> None:
        self._trash.throw(self._entry.record, self._entry.name)


SETTLE_MS = 500
Trials = Mapping[int, TrialChanged]


class TrialCharts(SweepCharts):
    """Charts of the trials of one sweep; follows trials that finish.

    Args:
        context: The application.
        trials: Returns the plan and the trials of the shown sweep.
    """

    def __init__(
        self,
        context: AppContext,
        trials: Callable[[], tuple[SweepPlan, Trials] | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context.theme, parent)
        self._context = context
        self._asked_of = trials
        self._drawing = Request(context.background, self)
        self._weighing = Request(context.background, self)
        self._settle = Debounce(SETTLE_MS, self.draw, self)
        self.work_requested.connect(self._do)
        self.importance_requested.connect(self._find_importance)
        self.failed.connect(context.navigator.show_failure)
        explain(self.tabs, self.tr("Charts of the trials."))

    def draw_soon(self) -> None:
        """Draw the trials after a pause."""
        if not self._settle.isActive():
            self._settle.start()

    def draw(self) -> None:
        """Draw the current trials; a result for a sweep that is no longer shown is dropped."""
        self._settle.stop()
        found = self._asked_of()
        self._drawing.drop()
        self._weighing.drop()
        if found is not None:
            plan, trials = found
            # A copy: the history continues in the window's thread meanwhile.
            self._drawing.run(partial(_arrays, plan, dict(trials)), self.set_trials)

    def _do(self, work: BackgroundWork) -> None:
        self._context.background.run(work.owner, work.call, work.done)

    def _find_importance(self) -> None:
        found = self._asked_of()
        if found is not None:
            plan, trials = found
            self._weighing.run(partial(_importance, plan, dict(trials)), self.set_importance)


def _arrays(plan: SweepPlan, trials: Trials) -> SweepTrials:
    from studio.ui.charts.sweeps.data import sweep_trials  # noqa: PLC0415 - NumPy

    return sweep_trials(plan, trials)


def _importance(plan: SweepPlan, trials: Trials) -> Mapping[str, float]:
    from studio.engine.sweeps.study import importances  # noqa: PLC0415 - Optuna, at its use

    try:
        return importances(plan, trials)
    except StudioError:
        return {}  # too few trials: the chart says so itself


class TrialActions(QWidget):
    """Buttons below the table for the selected trial, or for the best one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sweep: RecordDocument | None = None
        self._row: TrialRow | None = None
        self.about = ElidedLabel("", self, role="muted")
        button = partial(push_button, theme=context.theme, parent=self)
        self.open_button = button(self.tr("Open run"), icon="train", on_click=self.open_run)
        self.rerun_button = button(self.tr("Rerun"), icon="refresh", on_click=self._on_rerun)
        self.longer_button = button(self.tr("Train longer"), icon="plus", on_click=self._on_longer)
        self.export_button = button(self.tr("Export"), icon="export", on_click=self._on_export)
        longer = self.tr("Opens a new run with the settings of the trial and twice the epochs.")
        explain(self.open_button, self.tr("Opens the run of the trial with its curves."))
        explain(self.rerun_button, self.tr("Trains the trial again, for example after a failure."))
        explain(self.longer_button, longer)
        explain(self.export_button, self.tr("Exports the model of the trial as files."))
        buttons = self.open_button, self.rerun_button, self.longer_button, self.export_button
        hbox((self.about, 1), *buttons, owner=self, spacing=SPACE.s)

    def show_trial(self, sweep: RecordDocument, row: TrialRow | None, *, is_best: bool) -> None:
        """Show the actions that a trial allows; without one, ask to select one."""
        self._sweep, self._row = sweep, row
        run = self._run()
        if row is None:
            self.about.setText(self.tr("Select a trial."))
        else:
            pattern = self.tr("Best trial {number}") if is_best else self.tr("Trial {number}")
            words = [pattern.format(number=count(row.number)), values_text(row)]
            self.about.setText(" · ".join(words))
        waits = row is not None and row.state == State.QUEUED
        gone = (
            self.tr("The trial has not started.")
            if waits
            else self.tr("The trial has no run, or its run was deleted.")
        )
        none = self.tr("Select a trial first.") if row is None else gone
        has_run, has_model = run is not None, run and MODEL_ARTIFACT in run.history.artifacts
        for button in (self.open_button, self.longer_button):
            allow(button, "" if has_run else none)
        early = self.tr("The first epoch has not finished yet.") if has_run else none
        allow(self.export_button, "" if has_model else early)
        can_run = row is not None and can_rerun(sweep.state, row.event)
        only = self.tr("Only trials that failed or ended early can be rerun.")
        allow(self.rerun_button, "" if can_run else none if row is None else only)

    def open_run(self) -> None:
        """Show the run of the trial on the training page."""
        run = self._run()
        if run is not None:
            self._context.navigator.open(OpenRecord("train", run.record.id))

    def _run(self) -> RecordDocument | None:
        record_id = "" if self._row is None else self._row.first_run
        return self._context.jobs.get(RecordKind.RUN, record_id) if record_id else None

    def _on_rerun(self) -> None:
        if self._sweep is not None and self._row is not None:
            queue = self._context.jobs.queue
            work = partial(rerun, queue, Job(self._sweep.record), self._row.number)
            self._context.background.run(self, work, self._context.jobs.wake)
            allow(self.rerun_button, self.tr("Requested"))

    def _on_longer(self) -> None:
        run = self._run()
        if run is not None and isinstance(run.plan, TrainingPlan):
            self._context.navigator.open(
                PlanRun(copy_of=run.record.id, epochs=2 * run.plan.epochs)
            )

    def _on_export(self) -> None:
        run = self._run()
        if run is not None:
            self._context.navigator.open(OpenRecord("export", run.record.id))


WIDTHS = {NUMBER: 76, STATE: 120, INTERVAL: 188, TIME: 88, CURVE: 88}
_OTHER_WIDTH = 116


class TrialsTable(Table[TrialRow]):
    """Table of trials; those that have not started come last, in their order.

    Signals:
        move_wanted: Number of a waiting trial, and -1 for up or 1 for down.
    """

    move_requested = Signal(int, int)

    def __init__(self, context: AppContext, runs: Runs, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("number"))
        self._theme = context.theme
        self._shortcuts = context.settings.shortcuts
        self._runs = runs
        self._paint: dict[str, Paint[TrialRow]] = {
            STATE: state_painter(context.theme, lambda row: row.state.value),
            CURVE: curve_painter(context.theme, TrialRow.curve, WIDTHS[CURVE]),
        }
        self._trials: dict[int, TrialRow] = {}
        self._waiting: dict[int, TrialRow] = {}
        self._by_run: dict[str, int] = {}
        self._best: frozenset[int] = frozenset()
        self.setAccessibleName(self.tr("Trials"))
        self.up_action = self._action(self.tr("Move up"), EARLIER, partial(self._move, -1))
        self.down_action = self._action(self.tr("Move down"), LATER, partial(self._move, 1))
        self.selection_changed.connect(self._allow_moves)
        self.content.rowsInserted.connect(self._allow_moves)
        self.content.rowsRemoved.connect(self._allow_moves)
        self._allow_moves()

    @property
    def waiting(self) -> Sequence[int]:
        """Numbers of the trials that have not started, in their order."""
        return list(self._waiting)

    @property
    def chosen(self) -> TrialRow | None:
        """The selected trial."""
        return next(iter(self.selected), None)

    def row(self, number: int) -> TrialRow | None:
        """Return a trial by its number."""
        return self._trials.get(number)

    def show_trials(self, plan: SweepPlan, trials: Mapping[int, TrialChanged]) -> None:
        """Show another sweep, or this one with other columns."""
        self._trials = {
            number: TrialRow(trials[number], plan, self._runs) for number in sorted(trials)
        }
        self._waiting = {}
        self._by_run = {run.id: n for n, each in trials.items() for run in each.runs}
        self.content.set_filter(None)
        self.show_rows(self._trials.values(), [self._column(key) for key in columns_of(plan)])

    def show_waiting(self, waiting: Iterable[WaitingTrial], plan: SweepPlan) -> None:
        """Show the trials that have not started below all others, in their order."""
        rows = {}
        for each in waiting:
            if each.number not in self._trials:
                values, state = dict(each.values), State.QUEUED
                event = TrialChanged(number=each.number, values=values, state=state)
                rows[each.number] = TrialRow(event, plan, self._runs, is_waiting=True)
        before = [(number, row.event.values) for number, row in self._waiting.items()]
        if [(number, row.event.values) for number, row in rows.items()] != before:
            self._waiting = rows
            self.show_rows([*self._trials.values(), *self._waiting.values()])

    def update_trials(self, plan: SweepPlan, trials: Iterable[TrialChanged]) -> None:
        """Update some trials, and add new ones."""
        new = []
        for trial in trials:
            self._by_run.update({run.id: trial.number for run in trial.runs})
            row = self._trials.get(trial.number)
            if row is None:
                new.append(trial.number)
                self._trials[trial.number] = TrialRow(trial, plan, self._runs)
            else:
                row.event = trial
                row.forget()
                self.touch(trial.number)
        if new:
            first = list(self._waiting)[: len(new)]
            # If another trial came first, the next summary has the new order.
            left = self._waiting if sorted(first) == sorted(new) else {}
            self._waiting = {number: row for number, row in left.items() if number not in new}
            self._trials = dict(sorted(self._trials.items()))
            self.show_rows([*self._trials.values(), *self._waiting.values()])

    def touch_run(self, record_id: str) -> bool:
        """Update a run that changed; return True if its trial is shown."""
        number = self._by_run.get(record_id)
        if number is None:
            return False
        self._trials[number].forget()
        return self.touch(number)

    def set_best(self, best: frozenset[int]) -> None:
        """Mark the best trials."""
        changed, self._best = best ^ self._best, best
        for number in changed:
            self.touch(number)

    def show_only(self, numbers: frozenset[int] | None) -> None:
        """Show only these trials; None shows all."""
        only = None if numbers is None else lambda row: row.number in numbers
        self.content.set_filter(only)

    def _column(self, key: str) -> Column[TrialRow]:
        return Column(
            heading(key),
            partial(self._text, key),
            value=lambda row: None if row.is_waiting else row.value(key),
            key=key,
            width=WIDTHS.get(key, _OTHER_WIDTH),
            is_text=key in (STATE, CURVE),
            cell_tip=lambda row: row.reason or self._text(key, row),
            spoken=_spoken if key == CURVE else None,
            color=self._color,
            is_bold=self._is_best,
            paint=self._paint.get(key),
        )

    def _text(self, key: str, row: TrialRow) -> str:
        text = cell_text(row, key)
        return f"{STAR} {text}" if key == NUMBER and self._is_best(row) else text

    def _is_best(self, row: TrialRow) -> bool:
        return row.number in self._best

    def _color(self, row: TrialRow) -> QColor | None:
        return self._theme.color("bad") if row.state in (State.FAILED, State.LOST) else None

    def _action(self, text: str, command: Command, slot: Callable[..., None]) -> QAction:
        action = QAction(text, self)
        self._shortcuts.bind(action, command)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _allow_moves(self, *_: object) -> None:
        """Enable moving for waiting trials only."""
        row = self.chosen
        for action, step in ((self.up_action, -1), (self.down_action, 1)):
            action.setEnabled(row is not None and moved_before(self.waiting, row.number, step)[0])

    def _move(self, step: int, _checked: bool = False) -> None:
        if self.chosen is not None:
            self.move_requested.emit(self.chosen.number, step)


def _spoken(row: TrialRow) -> str:
    said = row.spoken_curve()
    return f"{objective_label(row.curve_name())} {said}" if said else NO_VALUE


class SweepPanel(QWidget):
    """Shows one sweep and follows it; shows results of runs while they train.

    Attributes:
        entry: The sweep that is shown.
    """

    def __init__(
        self, context: AppContext, monitor: SweepMonitor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._monitor = monitor
        self.entry: SweepDocument | None = None
        self._following = Following(self, self._on_changed)
        self._plan: SweepPlan | None = None
        self._moved: dict[str, object] | None = None
        self.header = PageHeader("", parent=self)
        self.badge = StateBadge(context.theme, parent=self)
        self.reason = HintLabel("", "problem", self)
        self.actions_of_sweep = SweepActions(context, self)
        self.table = TrialsTable(context, self._history_of, self)
        self.charts = TrialCharts(context, self._trials_now, self)
        self.actions_of_trial = TrialActions(context, self)
        self.add_values = AddValues(context, self)
        self._lay_out()
        self._connect()
        explain(
            self.table,
            self.tr("One row for each trial, the best in bold. Select a row to see its actions."),
        )

    def show_sweep(self, entry: SweepDocument) -> None:
        """Show a sweep; its summary follows when it is computed."""
        if entry is self.entry:
            return
        self.entry, self._plan = entry, None
        self._following.show(entry)
        self.header.set_title(entry.name)
        self.header.set_subtitle("")
        self.table.clearSelection()
        self._show_trials()
        if isinstance(entry.plan, SweepPlan):
            self.table.show_trials(entry.plan, {})
        self._show_state()
        self._on_facts([entry.record.id])

    def _lay_out(self) -> None:
        self.header.add_action(self.badge)
        self.header.add_action(self.actions_of_sweep)
        trials = QWidget(self)
        down = Qt.Orientation.Vertical
        splitter = Splitter(self._context.settings, "sweeps/charts-splitter", down, self)
        splitter.split((self.charts, 3, 300), (self.table, 2, 200))
        vbox((splitter, 1), self.actions_of_trial, owner=trials, spacing=SPACE.m)
        adding = ScrollColumn(SPACE.m, self)
        fill(adding.column, self.add_values, STRETCH)
        self._stack = PageStack(self, trials, adding)
        parts = (self.header, self.reason, (self._stack, 1))
        vbox(*parts, owner=self, spacing=SPACE.m, margins=PAGE_MARGINS)

    def _trials_now(self) -> tuple[SweepPlan, Mapping[int, TrialChanged]] | None:
        entry, plan = self.entry, self._plan
        return None if entry is None or plan is None else (plan, entry.history.trials)

    def _connect(self) -> None:
        self._context.jobs.changed.connect(self._on_run)
        self._monitor.changed.connect(self._on_facts)
        self.actions_of_sweep.add_button.clicked.connect(self._on_add_requested)
        self.add_values.closed.connect(self._show_trials)
        self.charts.trial_chosen.connect(self.table.select)
        self.charts.brushed.connect(self._on_brushed)
        self.table.selection_changed.connect(self._on_chosen)
        self.table.opened.connect(self._on_opened)
        self.table.move_requested.connect(self._on_move_requested)

    def _on_add_requested(self) -> None:
        if self.entry is not None and self._plan is not None:
            self.add_values.show_sweep(self.entry, self._plan)
            self._stack.setCurrentIndex(1)

    def _show_trials(self) -> None:
        self._stack.setCurrentIndex(0)

    def _history_of(self, run: str) -> RunHistory | None:
        entry = self._context.jobs.get(RecordKind.RUN, run) if run else None
        return None if entry is None else entry.history

    def _on_facts(self, ids: list[str]) -> None:
        entry = self.entry
        facts = None if entry is None else self._monitor.facts(entry.record.id)
        if entry is None or facts is None or entry.record.id not in ids:
            return
        if facts.plan != self._plan:
            self._plan = facts.plan
            chosen = self.table.chosen
            self.table.show_trials(facts.plan, entry.history.trials)
            if chosen is not None:
                self.table.select(chosen.number)
            self.charts.draw()
        self.table.set_best(frozenset(facts.best))
        self._show_waiting(facts)
        self.header.set_subtitle(facts_text(facts))
        self.actions_of_sweep.show_sweep(entry)
        self._on_chosen()

    def _show_waiting(self, facts: SweepFacts) -> None:
        """List the trials that have not started; the selection stays, even with a new number."""
        chosen = self.table.chosen
        self.table.show_waiting(facts.waiting, facts.plan)
        values = self._moved or (None if chosen is None else dict(chosen.event.values))
        if chosen is None and self._moved is None:
            return
        self._moved = None
        numbers = [each.number for each in facts.waiting if dict(each.values) == values]
        if numbers:
            self.table.select(numbers[0])
        elif chosen is not None:
            self.table.select(chosen.number)

    def _on_move_requested(self, number: int, step: int) -> None:
        """Move a waiting trial up or down by one row."""
        row = self.table.chosen
        may, before = moved_before(self.table.waiting, number, step)
        if self.entry is None or row is None or not may:
            return
        self._moved = dict(row.event.values)
        queue = self._context.jobs.queue
        work = partial(move_trial, queue, SweepJob(self.entry.record), number, before)
        self._context.background.run(self, work, self._context.jobs.wake)

    def _on_changed(self, entry: SweepDocument, change: RecordChange) -> None:
        self.header.set_title(entry.name)
        trials = [event for event in change.events if isinstance(event, TrialChanged)]
        if any(isinstance(event, Amended) for event in change.events):
            self._plan = None  # the next summary has the new one
        elif trials and self._plan is not None:
            self.table.update_trials(self._plan, trials)
            self.charts.draw_soon()
            self._on_chosen()
        if change.is_state:
            self._show_state()

    def _on_run(self, entry: RecordDocument, _change: object) -> None:
        if entry.key[0] == RecordKind.RUN and self.table.touch_run(entry.record.id):
            chosen = self.table.chosen
            if chosen is not None and chosen.first_run == entry.record.id:
                self._on_chosen()

    def _show_state(self) -> None:
        if self.entry is None:
            return
        history = self.entry.history
        self.badge.set_state(self.entry.shown_state)
        is_bad = history.state in (State.FAILED, State.LOST)
        reason = joined((history.reason, history.hint))
        self.reason.show_text(reason if is_bad else "", "problem")
        self.actions_of_sweep.show_sweep(self.entry)

    def _on_chosen(self) -> None:
        if self.entry is None:
            return
        facts = self._monitor.facts(self.entry.record.id)
        chosen, is_best = self.table.chosen, False
        if facts is not None and facts.best:
            best = self.table.row(facts.best[0])
            is_best = chosen is None or chosen.number in facts.best
            chosen = chosen or best
        self.actions_of_trial.show_trial(self.entry, chosen, is_best=is_best)

    def _on_brushed(self, numbers: frozenset[int] | None) -> None:
        """Show only the trials that are selected in a chart."""
        chosen = self.table.chosen
        self.table.show_only(numbers)
        if chosen is not None:
            self.table.select(chosen.number)

    def _on_opened(self, number: int) -> None:
        self.table.select(number)
        self.actions_of_trial.open_run()


class View(RecordPage):
    """Plans sweeps, follows them live and shows finished ones."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        kinds = (RecordKind.SWEEP,)
        super().__init__(context, kinds, parent)
        self.monitor = SweepMonitor(context, self)
        self.list = RecordList(context, kinds, self.tr("Sweeps"), self._describe, self)
        self.monitor.changed.connect(self.list.records.refresh)
        trains = self.tr("Trains many networks with different settings and shows the best.")
        self.new_button = push_button(
            self.tr("New sweep"), context.theme, icon="plus", parent=self, tip=trains
        )
        self.new_button.clicked.connect(self._show_new)
        self.empty = EmptyState(context.theme, "sweeps", "", "", self)
        self.empty_button = self.empty.add_action(
            self.tr("New sweep"), kind="primary", icon="plus"
        )
        self.data_button = self.empty.add_action(self.tr("Go to the data"), icon="datasets")
        self.empty_button.clicked.connect(self._show_new)
        self.data_button.clicked.connect(self._on_go_to_data)
        self.list.chosen.connect(self.show_record)
        explain(self.empty_button, trains)
        explain(self.data_button, self.tr("A sweep needs a dataset. Import images there."))
        explain(self.list, self.tr("All sweeps, newest first. Choose one to see its trials."))
        self.lay_out("sweeps", self.list, self.empty, self.new_button, (self.list, 1))

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new sweep."""
        if not isinstance(intent, PlanSweep):
            super().open(intent)
            return
        self._show_new()
        if self.has_data:
            self.new_sweep.choose_run(intent.base)

    @cached_property
    def panel(self) -> SweepPanel:
        """One sweep with its trials, made when it is first shown."""
        return self.add_view(SweepPanel(self.context, self.monitor, self.stack))

    @cached_property
    def new_sweep(self) -> NewSweep:
        """The form of a new sweep, made when it is first used."""
        form = self.add_view(NewSweep(self.context, self.stack))
        form.started.connect(self.show_record)
        return form

    def show_detail(self, entry: SweepDocument) -> SweepPanel:
        """Show a sweep in its panel."""
        self.panel.show_sweep(entry)
        return self.panel

    def refresh(self) -> None:
        """Offer a new sweep if there is a dataset."""
        ready = self.has_data
        for button in (self.new_button, self.empty_button):
            allow(button, "" if ready else self.tr("Import images first."))
        self.data_button.setVisible(not ready)
        what = self.tr(
            "A sweep trains a network many times with different settings and finds the best."
        )
        first = "" if ready else self.tr("Import a folder of images first.")
        self.empty.set_texts(self.tr("No sweeps yet"), f"{what} {first}".strip())

    def _describe(self, entry: RecordDocument) -> RecordRow:
        facts = self.monitor.facts(entry.record.id)
        done = done_text(facts) if facts else ""
        tip = "\n".join(filter(None, [state_word(entry.shown_state), done]))
        return RecordRow(best_text(facts) if facts else "", done, tip=tip)

    def _show_new(self) -> None:
        if self.has_data:
            self.show_view(self.new_sweep)

    def _on_go_to_data(self) -> None:
        self.context.navigator.open(OpenPage("datasets"))
