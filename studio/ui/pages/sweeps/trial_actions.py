"""What can be done with a trial: open its run, do it again, train longer, export."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.sweeps.requests import rerun
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.navigation import OpenRecord, PlanRun
from studio.ui.pages.sweeps.messages import values_text
from studio.ui.pages.sweeps.state import can_rerun
from studio.ui.pages.sweeps.trial_row import TrialRow
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count


class TrialActions(QWidget):
    """A row of buttons under the table; for the selected trial, or else for the best."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sweep: JobEntry | None = None
        self._row: TrialRow | None = None
        theme = context.theme
        self.about = ElidedLabel("", self)
        self.about.setProperty("role", "muted")
        self.open_button = push_button(self.tr("Open run"), theme, icon="train", parent=self)
        self.again_button = push_button(self.tr("Do again"), theme, icon="refresh", parent=self)
        self.longer_button = push_button(self.tr("Train longer"), theme, icon="plus", parent=self)
        self.export_button = push_button(self.tr("Export"), theme, icon="export", parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.about, 1)
        for button, slot in (
            (self.open_button, self.open_run),
            (self.again_button, self._on_again),
            (self.longer_button, self._on_longer),
            (self.export_button, self._on_export),
        ):
            row.addWidget(button)
            button.clicked.connect(slot)
        self._explain()

    def _explain(self) -> None:
        explain(self.export_button, self.tr("Takes the model of the trial away as files."))
        explain(self.longer_button, self.tr("Goes on with the run of the trial for more epochs."))
        explain(self.open_button, self.tr("Shows the run of the trial with its curves."))
        explain(
            self.again_button,
            self.tr("Trains the chosen trials once more, such as those that failed."),
        )

    def show_trial(self, sweep: JobEntry, row: TrialRow | None, *, is_best: bool) -> None:
        """Offer what this trial allows; without one, say that one is to be selected."""
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
            self.tr("It has not begun.")
            if waits
            else self.tr("It has no run, or that was deleted.")
        )
        none = self.tr("Select a trial first.") if row is None else gone
        has_model = run is not None and MODEL_ARTIFACT in run.history.artifacts
        self._allow(self.open_button, run is not None, none)
        self._allow(self.longer_button, run is not None, none)
        early = self.tr("A model is there after the first epoch.")
        self._allow(self.export_button, has_model, none if run is None else early)
        again = row is not None and can_rerun(sweep.state, row.event)
        only = self.tr("Only a trial that failed, was stopped or ended early is done again.")
        self._allow(self.again_button, again, none if row is None else only)

    def open_run(self) -> None:
        """Show the run of the trial on the training page."""
        run = self._run()
        if run is not None:
            self._context.navigator.open(OpenRecord("train", run.record.id))

    @staticmethod
    def _allow(button: QWidget, may: bool, why_not: str) -> None:
        button.setEnabled(may)
        button.setToolTip("" if may else why_not)

    def _run(self) -> JobEntry | None:
        record_id = "" if self._row is None else self._row.first_run
        return self._context.jobs.get(RecordKind.RUN, record_id) if record_id else None

    def _on_again(self) -> None:
        if self._sweep is not None and self._row is not None:
            queue = self._context.jobs.queue
            work = partial(rerun, queue, Job(self._sweep.record), self._row.number)
            self._context.background.run(self, work, self._on_asked)
            self._allow(self.again_button, False, self.tr("It was asked for."))

    def _on_asked(self, _nothing: object) -> None:
        self._context.jobs.wake()

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
