"""A running trial of a sweep: its runs are submitted, followed and reported to the study.

Everything that must not be done twice is written to the journal of the sweep before it is done.
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.jobs import control
from studio.engine.jobs.job import Ending, Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.messages import as_message, message
from studio.engine.sweeps import variants
from studio.engine.sweeps.fields import recipe_changes
from studio.engine.sweeps.history import SweepContext, TrialChanged, TrialRun
from studio.engine.sweeps.plan import NO_PRUNER, SweepPlan
from studio.engine.sweeps.requests import is_finite
from studio.engine.sweeps.rows import epoch_values, measured
from studio.engine.sweeps.space import Key, key_of, trial_plan
from studio.engine.sweeps.study import Outcome, StoredTrial, StudyState, SweepStudy
from studio.engine.training.history import RunJob
from studio.engine.training.packages import with_packages
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.training.starting_weights import stored_weights
from studio.engine.workspace import Record, RecordKind
from studio.engine.workspace.records import LONGEST_WORD


class TrialDatasets:
    """Finds or imports the datasets of trials, each only once.

    Args:
        queue: Queue of the workspace.
        base: The training plan of the sweep, which names the original.
    """

    def __init__(self, queue: JobQueue, base: TrainingPlan) -> None:
        self._queue = queue
        self._base = base
        self._jobs: dict[Key, Job] = {}
        self._requested: set[Key] = set()
        self._at_work: set[Key] = set()
        self._restarted: set[Key] = set()
        self._ready: dict[Key, tuple[str, int]] = {}

    def ready(self, changes: Mapping[str, object]) -> tuple[str, int] | None:
        """Return the id and version of the dataset with another recipe; None while it is imported.

        Args:
            changes: Changed fields, by the names of the recipe.

        Raises:
            StudioError: It cannot be had.
        """
        key, workspace, base = key_of(changes), self._queue.workspace, self._base
        known = self._ready.get(key)
        if known is not None and workspace.record(RecordKind.DATASET, known[0]) is None:
            del self._ready[key]  # deleted since then
        if key not in self._ready:
            variant = variants.variant_of(workspace, base.dataset, base.dataset_version, changes)
            if variants.is_original(variant):
                self._ready[key] = (base.dataset, variant.version)
            elif self._is_imported(key, variant):
                self._ready[key] = (self._jobs[key].record.id, variant.version)
        return self._ready.get(key)

    def stop(self) -> None:
        """End the imports that still run."""
        for job in self._jobs.values():
            job.refresh()
            if not job.history.state.is_at_rest:
                self._queue.stop(job)

    def _is_imported(self, key: Key, variant: variants.DatasetVariant) -> bool:
        job = self._jobs.get(key)
        if job is None or not job.record.folder.exists():
            job = variants.find_variant(self._queue.workspace, variant)
            if job is None:
                job = variants.request_variant(self._queue, variant)
                self._requested.add(key)
            self._jobs[key] = job
        job.refresh()
        state = job.history.state
        if state == State.COMPLETED:
            variants.carry_edits(variant, job.record.folder)
            return True
        if not state.is_at_rest:
            self._at_work.add(key)
            if key in self._requested and job.history.result:
                # It is imported. To audit the same images again would only keep trials waiting.
                self._requested.discard(key)
                self._queue.stop(job)
            return False
        # What ended before our time gets another try, and so does one whose worker died.
        ended_now = key in self._at_work and state != State.LOST
        if ended_now or key in self._restarted:
            raise BadDataError(
                'Its dataset "{dataset}" is {state}: {reason}',
                job.history.hint,
                dataset=job.record.name,
                state=state.label,
                reason=as_message(job.history.reason),
            )
        self._restarted.add(key)
        self._queue.restart(job)
        return False


# States of finished trials in the study of a sweep.

_OUTCOMES: dict[State, Outcome] = {State.COMPLETED: "complete", State.PRUNED: "pruned"}
_STATES: dict[State, StudyState] = {
    State.RUNNING: "RUNNING",
    State.COMPLETED: "COMPLETE",
    State.PRUNED: "PRUNED",
}


def tell_study(study: SweepStudy, row: TrialChanged) -> None:
    """Report a finished trial to the study; repeated calls have no effect.

    Args:
        study: The study.
        row: The finished trial.
    """
    outcome = _OUTCOMES.get(row.state, "fail")
    if study.is_running(row.number):
        study.tell(row.number, outcome, row.measured if outcome == "complete" else ())
    elif row.reruns and outcome == "complete":
        study.add_rerun(row.number, row.values, row.measured)


def stored_trial(row: TrialChanged) -> StoredTrial:
    """Return the values that the study knows of a trial if nothing was lost."""
    state: StudyState = _STATES.get(row.state, "FAIL")
    if state == "COMPLETE" and not is_finite(row):
        state = "FAIL"
    return StoredTrial(row.number, row.values, state, row.measured)


MAX_LOSSES = 2
"""Automatic restarts of a run whose worker died; after more, the run counts as failed."""


@dataclass(slots=True)
class SweepState:
    """State that the trials of a sweep share; plan and study change when values are added."""

    context: SweepContext
    queue: JobQueue
    plan: SweepPlan
    study: SweepStudy
    datasets: TrialDatasets

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self.context.job.record.name


class Trial:
    """Follows one trial until it has ended.

    Args:
        sweep: The sweep.
        row: State of the trial in the journal.
        goes_on: True if another process started it: its run may exist already, and is resumed if
            it was interrupted before the sweep was last resumed.
    """

    def __init__(self, sweep: SweepState, row: TrialChanged, *, goes_on: bool = False) -> None:
        self.row = row
        self._sweep = sweep
        self._goes_on = goes_on
        self._job: RunJob | None = None
        self._losses = 0
        self._epoch = 0
        self._asked: set[tuple[str, int, Ending]] = set()

    @property
    def is_over(self) -> bool:
        """True if the row is final; its run may still be shutting down."""
        return self.row.state != State.RUNNING

    @property
    def is_at_rest(self) -> bool:
        """True if no process works for the trial."""
        return self._job is None or self._job.history.state.is_at_rest

    @property
    def is_paused(self) -> bool:
        """True if its run was paused, by anyone."""
        return self._job is not None and self._job.history.state == State.PAUSED

    @property
    def is_lost(self) -> bool:
        """True if its run is to be trained further, and its worker died."""
        return not self.is_over and self._job is not None and self._job.history.state == State.LOST

    @property
    def pid(self) -> int | None:
        """Process of its run; None while there is none."""
        if self._job is None or self._job.history.state not in (State.RUNNING, State.STOPPING):
            return None
        started = self._job.history.started
        return None if started is None else started.pid

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices of its run; empty if not decided yet."""
        return self._job.history.devices if self._job is not None else ()

    @property
    def has_grown(self) -> bool:
        """True if its run completed an epoch, so that its memory is at its peak."""
        return self._job is not None and bool(self._job.history.epochs)

    def forget_losses(self) -> None:
        """Count the losses of its run from zero: a cluster caused them, not the run."""
        self._losses = 0

    def refresh(self) -> None:
        """Read new events of its run."""
        if self._job is not None:
            self._job.refresh()

    def poll(self) -> None:
        """Go one step on, if there is one to go."""
        if self.is_over:
            self._see_off()
            return
        if self._job is None:
            self._job = self._find_or_request()
        job = self._job
        if job is None:
            return
        job.refresh()
        if not job.record.folder.exists():
            self._end(State.FAILED, "Its run was deleted.")
            return
        state = job.history.state
        if self._is_hopeless(job) and not state.is_at_rest:
            self._end(
                State.PRUNED, message("Others were better after epoch {epoch}.", epoch=self._epoch)
            )
            self.ask_to_end("stop")
        elif state == State.COMPLETED:
            self._take(job)
        elif state == State.FAILED:
            self._end(State.FAILED, job.history.reason)
        elif state.is_at_rest:
            self._interrupted(job)
        self._goes_on = self._goes_on and state.is_at_rest

    def take_if_completed(self) -> None:
        """Take what its run reached, where that came to its end."""
        job = self._job
        if not self.is_over and job is not None and job.history.state == State.COMPLETED:
            self._take(job)

    def ask_to_end(self, ending: Ending) -> None:
        """Have its run paused or stopped, once each; the trial is not over by that."""
        job = self._job
        if job is None or job.history.state.is_at_rest:
            return
        request = (job.record.id, job.history.attempt, ending)
        if request in self._asked:
            return
        self._asked.add(request)
        # It may end, or be busy starting, just now: then the next look asks again.
        try:
            if ending == "stop" or job.history.state == State.QUEUED:
                self._sweep.queue.stop(job)
            else:
                control.pause(job)
        except StudioError:
            self._asked.discard(request)

    def _see_off(self) -> None:
        """End the run of a trial that has ended."""
        if self._job is None and self.row.runs:
            workspace = self._sweep.context.workspace
            record = workspace.record(RecordKind.RUN, self.row.runs[-1].id)
            self._job = None if record is None else RunJob(record)
        self.refresh()
        self.ask_to_end("stop")

    def _find_or_request(self) -> RunJob | None:
        """Return the job of its last run; None where it could not be had yet, or not at all."""
        if not self.row.runs:
            self._name_next_run()
        run = self.row.runs[-1]
        workspace = self._sweep.context.workspace
        if run.id:
            record = workspace.record(RecordKind.RUN, run.id)
            if record is None:
                self._end(State.FAILED, "Its run was deleted.")
                return None
            return RunJob(record)
        try:
            record = self._request(run)
        except DiskFullError:
            raise
        except StudioError as error:
            if error.where == "name":  # taken meanwhile
                self._write(runs=self.row.runs[:-1])
                self._name_next_run()
            else:
                self._end(State.FAILED, str(error))
            return None
        if record is None:
            return None
        # Commas part words, and groups are words.
        group = self._sweep.name.replace(",", " ")[:LONGEST_WORD]
        workspace.annotate(record, group=group)
        self._change_run(id=record.id)
        return RunJob(record)

    def _request(self, run: TrialRun) -> Record | None:
        """Submit a run unless it exists already; None while its dataset is imported."""
        plan = trial_plan(self._sweep.plan, self.row.values, len(self.row.runs) - 1)
        weights = stored_weights(self._sweep.context.folder)
        if weights is not None and "weights" not in self.row.values:
            plan = plan.changed(weights=str(weights))
        changes = recipe_changes(self.row.values)
        if changes:
            dataset = self._sweep.datasets.ready(changes)
            if dataset is None:
                return None
            plan = plan.changed(dataset=dataset[0], dataset_version=dataset[1])
        plan = with_packages(plan)
        if self._goes_on:
            for record, info in self._sweep.context.workspace.infos(RecordKind.RUN):
                if info.name == run.name and read_plan(record) == plan:
                    return record
        return request_training(self._sweep.queue, plan, run.name).record

    def _name_next_run(self) -> None:
        preferred = f"{self._sweep.name}-{self.row.number}"
        if self.row.runs:
            preferred += f"-seed{len(self.row.runs)}"
        name = self._sweep.context.workspace.unused_name(RecordKind.RUN, preferred)
        self._write(runs=(*self.row.runs, TrialRun(name=name)))

    def _is_hopeless(self, job: RunJob) -> bool:
        """Report new epochs of the first run to the study; True if it should be pruned."""
        plan = self._sweep.plan
        if plan.pruner == NO_PRUNER or len(self.row.runs) > 1:
            return False
        ends = False
        for epoch, value in epoch_values(job.history, plan.objectives[0], self._epoch):
            ends = self._sweep.study.report(self.row.number, epoch, value)
            self._epoch = epoch
            if ends:
                break
        return ends

    def _interrupted(self, job: RunJob) -> None:
        state = job.history.state
        may_go_on = state == State.LOST and self._losses < MAX_LOSSES
        # Runs that were paused or stopped by the user since then stay so.
        asked_at = self._sweep.context.job.history.asked_at
        if may_go_on or (self._goes_on and (job.history.ended_at or 0.0) <= asked_at):
            with contextlib.suppress(StudioError):  # briefly busy: the next check retries
                control.resume(self._sweep.queue, job)
                self._losses += state == State.LOST
                job.refresh()
        elif state == State.LOST:
            self._end(State.FAILED, job.history.reason)
        elif state != State.PAUSED:
            self._end(State.STOPPED, job.history.reason)

    def _take(self, job: RunJob) -> None:
        """Take the values of a run that is completed; the next repeat, or the end."""
        plan = self._sweep.plan
        keep = str(self.row.values.get("keep", plan.base.keep))
        values = measured(job, plan.objectives, keep)
        missing = [
            name
            for name, value in zip(plan.objectives, values, strict=True)
            if not math.isfinite(value)
        ]
        if missing:
            self._end(
                State.FAILED,
                message("{objectives} was not measured.", objectives=", ".join(missing)),
            )
            return
        self._change_run(measured=values)
        if len(self.row.runs) < plan.seeds:
            self._job = None
            self._name_next_run()
            return
        means = tuple(
            statistics.fmean(each)
            for each in zip(*(r.measured for r in self.row.runs), strict=True)
        )
        self._end(State.COMPLETED, "", means)

    def _end(self, state: State, reason: str, values: tuple[float, ...] = ()) -> None:
        if not values and self._job is not None:
            values = measured(self._job, self._sweep.plan.objectives, "best")
        self._write(state=state, reason=reason, measured=values)
        tell_study(self._sweep.study, self.row)

    def _change_run(self, **changes: object) -> None:
        *others, run = self.row.runs
        self._write(runs=(*others, run.model_copy(update=changes)))

    def _write(self, **changes: object) -> None:
        data = {**self.row.__dict__, **changes}
        data.pop("t")
        self.row = TrialChanged(**data)
        self._sweep.context.emit(self.row, durable=True)
