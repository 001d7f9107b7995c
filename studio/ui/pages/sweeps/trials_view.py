"""Table of trials with states as pills and sparklines, and the actions on a trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import rerun
from studio.engine.sweeps.trial_order import WaitingTrial
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import OpenRecord, PlanRun
from studio.ui.pages.commands import EARLIER, LATER
from studio.ui.pages.sweeps.messages import STAR, cell_text, heading, objective_label, values_text
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
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count
from studio.ui.widgets.labels import ElidedLabel, state_painter
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.small_charts import curve_painter
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import Column, Paint
from studio.ui.widgets.tips import allow, explain


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
