"""The worker of a sweep: requests trials, follows their runs and reports the results.

It computes nothing and never imports Keras. Its state is in the journal of the sweep, in the
study's file and in the journals of the runs, so that another continues where it was killed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.devices import gpu_name, parse_device_request
from studio.engine.jobs.events import Amended
from studio.engine.jobs.job import Ending
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, joined, message
from studio.engine.sweeps.history import SweepContext, TrialChanged, TrialMoved
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import CAN_RERUN, rerun_row, space_problems
from studio.engine.sweeps.rows import best_of_sweep
from studio.engine.sweeps.space import key_of, trial_count
from studio.engine.sweeps.study import Asked, SweepStudy
from studio.engine.sweeps.trial_order import moves_of
from studio.engine.worker.cluster.connection import ClusterWatch, reach, tidy_nodes
from studio.engine.worker.room import ReadMemory, Room
from studio.engine.worker.trial import SweepState, Trial, TrialDatasets, stored_trial, tell_study
from studio.engine.workspace import RecordKind

POLL_SECONDS = 0.1
GLANCE_SECONDS = 0.01
"""Seconds between two reads of the journals of running trials."""
PROBE_SECONDS = 1.0
"""Seconds between two attempts to reach a cluster that does not answer."""
HOPELESS = 10
"""A sweep without a number of trials gives up when this many of them, and nothing else, failed."""


def run_sweep(context: SweepContext, read: ReadMemory | None = None) -> State:
    """Run a sweep, or continue it.

    Args:
        context: Context of the sweep.
        read: Reads the memory of the machine; the default queries the system.
    """
    context.job.refresh()  # what we wrote ourselves, when more was requested at the end
    plan = context.job.current_plan(SweepPlan)
    if plan.base.ray:  # said once, and not by every trial
        reach(plan.base.ray)
    queue = JobQueue(context.workspace)
    study = SweepStudy(plan, context.folder, moves_of(context.job.history))
    if study.damaged is not None:
        context.warn(
            message(
                "The study of the sweep was damaged and has been rebuilt from the journal. The "
                "damaged file is kept as {file}.",
                file=study.damaged.name,
            )
        )
    datasets = TrialDatasets(queue, plan.base)
    runner = SweepRunner(SweepState(context, queue, plan, study, datasets), read)
    state = runner.work()
    runner.report_results()
    if plan.base.ray:
        _tidy_nodes(context, plan.base.ray)
    return state


def _tidy_nodes(context: SweepContext, address: str) -> None:
    """Remove the copied files of a sweep's runs from the nodes of a cluster."""
    rows = context.job.history.trials.values()
    folder = context.workspace.root / RecordKind.RUN.folder
    try:
        tidy_nodes(address, [folder / run.id for row in rows for run in row.runs if run.id])
    except StudioError as error:
        context.warn(
            message(
                "The files copied to the nodes of the cluster could not be removed: {reason}",
                reason=error.message,
            )
        )


class SweepRunner:
    """Runs the trials of one sweep.

    Args:
        sweep: The sweep.
        read: Reads the memory of the machine; the default queries the system.
    """

    def __init__(self, sweep: SweepState, read: ReadMemory | None = None) -> None:
        self._sweep = sweep
        self._rows = dict(sweep.context.job.history.trials)
        self._trials: dict[int, Trial] = {}
        # Started by another process, or to be repeated: these precede new ones.
        self._waiting: list[Trial] = []
        self._room = Room(_gpus(sweep), read)
        self._shortage_reported = False
        self._is_exhausted = False
        self._reported: tuple[int, int] | None = None
        self._began = time.monotonic()
        self._before = sweep.context.job.history.spent
        self._pause = threading.Event()
        address = sweep.plan.base.ray
        self._cluster = ClusterWatch(address, sweep.context.warn) if address else None

    def work(self) -> State:
        """Run trials until all are done or an end is requested."""
        self._pick_up()
        while True:
            self._handle_requests()
            ending = self._sweep.context.ending()
            if ending is not None:
                return self._end(ending)
            if self._is_cluster_lost():
                self._pause.wait(PROBE_SECONDS)
                continue
            self._update_trials()
            self._fill()
            if not self._trials:
                return State.COMPLETED
            if all(trial.is_paused for trial in self._trials.values()):
                return State.PAUSED
            self._sweep.queue.dispatch()
            self._rest()

    def _rest(self) -> None:
        """Wait until the next update, or until a run ends and frees its place."""
        at_work = [trial for trial in self._trials.values() if not trial.is_at_rest]
        until = time.monotonic() + POLL_SECONDS
        while time.monotonic() < until:
            self._pause.wait(GLANCE_SECONDS)
            for trial in at_work:
                trial.refresh()
                if trial.is_at_rest:
                    return

    def _is_cluster_lost(self) -> bool:
        """Return True while a run was lost and its cluster does not answer."""
        if self._cluster is None:
            return False
        for trial in self._trials.values():
            trial.refresh()
        lost = [trial for trial in self._trials.values() if trial.is_lost]
        was_away = self._cluster.is_away
        if lost and not self._cluster.answers():
            return True
        if was_away:
            for trial in lost:
                trial.forget_losses()
        return False

    def report_results(self) -> None:
        """Report the results so far."""
        job = self._sweep.context.job
        job.refresh()
        states = [row.state for row in job.history.trials.values()]
        counts = {state.value: states.count(state) for state in State if state in states}
        best = best_of_sweep(job)
        self._sweep.context.result(
            {
                "trials": len(states),
                "states": counts,
                "best": best,
                "measured": [list(job.history.trials[number].measured) for number in best],
            }
        )

    def _pick_up(self) -> None:
        """Reconcile journal, study and runs after a kill at any point."""
        study = self._sweep.study
        study.restore(stored_trial(row) for _, row in sorted(self._rows.items()))
        for asked in study.running():
            if asked.number not in self._rows:
                self._note(asked)
        at_work = {entry.job.record.id for entry in self._sweep.queue.entries()}
        for number, row in sorted(self._rows.items()):
            has_run = bool(row.runs) and row.runs[-1].id in at_work
            if row.state == State.RUNNING:
                trial = Trial(self._sweep, row, goes_on=True)
                if has_run:
                    self._trials[number] = trial
                else:
                    self._waiting.append(trial)
                continue
            tell_study(study, row)
            if has_run:  # it was to be stopped
                self._trials[number] = Trial(self._sweep, row)

    def _note(self, asked: Asked) -> TrialChanged:
        row = TrialChanged(number=asked.number, values=asked.values, state=State.RUNNING)
        self._sweep.context.emit(row, durable=True)
        self._rows[asked.number] = row
        return row

    def _update_trials(self) -> None:
        for number, trial in list(self._trials.items()):
            trial.poll()
            self._rows[number] = trial.row
            if trial.is_over and trial.is_at_rest:
                del self._trials[number]
        over = sum(row.state != State.RUNNING for row in self._rows.values())
        total = trial_count(self._sweep.plan)
        progress = (over, len(self._rows) if total is None else max(total, len(self._rows)))
        if progress != self._reported:
            self._reported = progress
            self._sweep.context.advance(*progress, "Trials")

    def _fill(self) -> None:
        self._raise_if_hopeless()
        while len(self._trials) < self._sweep.plan.workers and self._has_room():
            trial = self._next()
            if trial is None:
                return
            self._shortage_reported = self._shortage_reported and not self._trials
            self._trials[trial.row.number] = trial
            self._room.began()
            trial.poll()
            self._rows[trial.row.number] = trial.row

    def _has_room(self) -> bool:
        """Return True if memory allows another trial now; logs the reason once if not."""
        if self._sweep.plan.base.ray:
            return True  # its nodes are other machines
        shortage = self._room.shortage([t for t in self._trials.values() if not t.is_paused])
        if shortage and not self._shortage_reported and not self._is_last():
            self._shortage_reported = True
            self._sweep.context.warn(shortage)
        return not shortage

    def _is_last(self) -> bool:
        """Return True if no other trial is known to start."""
        total = trial_count(self._sweep.plan)
        done = self._is_spent() or (total is not None and len(self._rows) >= total)
        return done and not self._waiting

    def _next(self) -> Trial | None:
        """Return the next trial to run; None if there is none."""
        if self._waiting:
            return self._waiting.pop(0)
        asked = None if self._is_spent() else self._sweep.study.ask()
        self._is_exhausted = self._is_exhausted or asked is None
        return None if asked is None else Trial(self._sweep, self._note(asked))

    def _is_spent(self) -> bool:
        plan = self._sweep.plan
        if self._is_exhausted or (plan.trials is not None and len(self._rows) >= plan.trials):
            return True
        run_duration = self._before + time.monotonic() - self._began
        return plan.hours is not None and run_duration >= plan.hours * 3600

    def _raise_if_hopeless(self) -> None:
        if trial_count(self._sweep.plan) is not None or len(self._rows) < HOPELESS:
            return
        if all(row.state == State.FAILED for row in self._rows.values()):
            last = self._rows[max(self._rows)]
            raise StudioError(
                "All trials failed ({count}). The last: {reason}",
                count=len(self._rows),
                reason=as_message(last.reason),
            )

    def _handle_requests(self) -> None:
        requests = self._sweep.context.requests()
        for request in requests:
            if request.command == "rerun" and request.value is not None:
                self._rerun(int(request.value))
            elif request.command == "amend":
                self._amend(request.changes)
            elif request.command == "move":
                self._move(request.changes)
        if requests:
            self._sweep.context.mark_requests_handled()

    def _rerun(self, number: int) -> None:
        row = self._rows.get(number)
        if row is None or row.state not in CAN_RERUN or number in self._trials:
            self._sweep.context.warn(message("Trial {number} cannot be rerun now.", number=number))
            return
        row = rerun_row(row)
        self._sweep.context.emit(row, durable=True)
        self._rows[number] = row
        self._waiting.append(Trial(self._sweep, row))

    def _amend(self, changes: dict[str, object]) -> None:
        sweep = self._sweep
        plan, problems = SweepPlan.check(sweep.plan.model_dump() | changes)
        problems += [] if plan is None else space_problems(plan)
        if plan is None or any(problem.serious for problem in problems):
            sweep.context.warn(message("Nothing was added: {problems}", problems=_texts(problems)))
            return
        sweep.context.emit(Amended(changes=changes), durable=True)
        sweep.context.job.refresh()
        moves = moves_of(sweep.context.job.history)
        sweep.plan, sweep.study = plan, SweepStudy(plan, sweep.context.folder, moves)
        self._is_exhausted = False

    def _move(self, changes: Mapping[str, object]) -> None:
        sweep = self._sweep
        move = TrialMoved.model_validate(changes)
        begun = {key_of(row.values) for row in self._rows.values()}
        if key_of(move.values) in begun:
            sweep.context.warn("The trial was not moved because it has already started.")
            return
        sweep.context.emit(move, durable=True)
        sweep.context.job.refresh()
        sweep.study.reorder(moves_of(sweep.context.job.history))

    def _end(self, ending: Ending) -> State:
        """End all runs and wait for them; unfinished trials continue when the sweep resumes."""
        context = self._sweep.context
        while True:
            ending = context.ending() or ending  # a stop may still be requested
            for trial in self._trials.values():
                trial.refresh()
                trial.ask_to_end(ending)
            if all(trial.is_at_rest for trial in self._trials.values()):
                break
            self._sweep.queue.dispatch()  # notices workers that die meanwhile
            self._pause.wait(POLL_SECONDS)
        for trial in self._trials.values():
            trial.take_if_completed()
        if ending == "stop":
            self._sweep.datasets.stop()
        return State.STOPPED if ending == "stop" else State.PAUSED


def _gpus(sweep: SweepState) -> list[str]:
    """Return the names of the GPUs on which trials may be side by side."""
    plan = sweep.plan
    if plan.workers == 1 or plan.base.ray:
        return []
    named = parse_device_request(plan.base.device).indices
    if named:
        return [gpu_name(index) for index in named]
    return [device.name for device in sweep.queue.devices if device.is_gpu]


def _texts(problems: list[Problem]) -> str:
    return joined(
        [
            message("{field}: {problem}", field=problem.where, problem=as_message(problem.message))
            for problem in problems
        ]
    )
