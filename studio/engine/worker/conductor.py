"""The worker of a sweep: asks for trials, follows their runs, tells what became of them.

It computes nothing and never imports Keras. Whatever it knows is in the journal of the sweep, in
the study's file and in the journals of the runs, so that another goes on where it was killed.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.context import Ending, JobContext
from studio.engine.jobs.events import Amended, AnyEvent, StateChanged, TrialChanged
from studio.engine.jobs.journal import JOURNAL_FILE, JournalReader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.sweep_rows import best_of_sweep
from studio.engine.jobs.sweeping import AGAIN, again
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.space import space_problems, trial_count
from studio.engine.sweeps.study import Asked, SweepStudy
from studio.engine.worker.trial import Score, Trial, tell

LOOK_SECONDS = 0.1
HOPELESS = 10
"""A sweep without a number of trials gives up when so many of them, and nothing else, failed."""


def conduct(context: JobContext) -> State:
    """Do a sweep, or go on with it."""
    plan = context.job.current_plan(SweepPlan)
    if plan.base.ray:  # said once, and not by every trial
        from studio.engine.worker.cluster.connection import reach  # noqa: PLC0415 - an extra

        reach(plan.base.ray)
    study = SweepStudy(plan, context.folder)
    conductor = Conductor(Score(context, JobQueue(context.workspace), plan, study))
    state = conductor.work()
    conductor.tell_results()
    return state


class Conductor:
    """Leads the trials of one sweep.

    Args:
        score: The sweep.
    """

    def __init__(self, score: Score) -> None:
        self._score = score
        self._rows = dict(score.context.job.history.trials)
        self._trials: dict[int, Trial] = {}
        self._is_exhausted = False
        self._told: tuple[int, int] | None = None
        self._began = time.monotonic()
        self._before = worked_seconds(score.context.folder)
        self._pause = threading.Event()

    def work(self) -> State:
        """Go on until everything is done, or somebody wants an end."""
        self._pick_up()
        while True:
            ending = self._score.context.ending()
            if ending is not None:
                return self._end(ending)
            self._listen()
            self._look()
            self._fill()
            if not self._trials:
                return State.COMPLETED
            if all(trial.is_paused for trial in self._trials.values()):
                return State.PAUSED
            self._score.queue.dispatch()
            self._pause.wait(LOOK_SECONDS)

    def tell_results(self) -> None:
        """Say what came out so far."""
        job = self._score.context.job
        job.refresh()
        states = [row.state for row in job.history.trials.values()]
        counts = {state.value: states.count(state) for state in State if state in states}
        best = best_of_sweep(job)
        self._score.context.result(
            {
                "trials": len(states),
                "states": counts,
                "best": best,
                "measured": [list(job.history.trials[number].measured) for number in best],
            }
        )

    def _pick_up(self) -> None:
        """Bring journal, study and runs together, whatever the last conductor was killed in."""
        study = self._score.study
        for asked in study.running():
            if asked.number not in self._rows:
                self._note(asked)
        at_work = {place.job.record.id for place in self._score.queue.places()}
        for number, row in sorted(self._rows.items()):
            has_run = bool(row.runs) and row.runs[-1].id in at_work
            if row.state == State.RUNNING:
                self._trials[number] = Trial(self._score, row, goes_on=True)
                continue
            tell(study, row)
            if has_run:  # it was to be stopped
                self._trials[number] = Trial(self._score, row)

    def _note(self, asked: Asked) -> TrialChanged:
        row = TrialChanged(number=asked.number, values=asked.values, state=State.RUNNING)
        self._score.context.emit(row, durable=True)
        self._rows[asked.number] = row
        return row

    def _look(self) -> None:
        for number, trial in list(self._trials.items()):
            trial.look()
            self._rows[number] = trial.row
            if trial.is_over and trial.is_at_rest:
                del self._trials[number]
        over = sum(row.state != State.RUNNING for row in self._rows.values())
        total = trial_count(self._score.plan)
        told = (over, len(self._rows) if total is None else max(total, len(self._rows)))
        if told != self._told:
            self._told = told
            self._score.context.advance(*told, "Trials")

    def _fill(self) -> None:
        self._raise_if_hopeless()
        while len(self._trials) < self._score.plan.workers and not self._is_spent():
            asked = self._score.study.ask()
            if asked is None:
                self._is_exhausted = True
                return
            self._trials[asked.number] = trial = Trial(self._score, self._note(asked))
            trial.look()
            self._rows[asked.number] = trial.row

    def _is_spent(self) -> bool:
        plan = self._score.plan
        if self._is_exhausted or (plan.trials is not None and len(self._rows) >= plan.trials):
            return True
        worked = self._before + time.monotonic() - self._began
        return plan.hours is not None and worked >= plan.hours * 3600

    def _raise_if_hopeless(self) -> None:
        if trial_count(self._score.plan) is not None or len(self._rows) < HOPELESS:
            return
        if all(row.state == State.FAILED for row in self._rows.values()):
            last = self._rows[max(self._rows)]
            raise StudioError(f"All of {len(self._rows)} trials failed. The last: {last.reason}")

    def _listen(self) -> None:
        for wish in self._score.context.wishes():
            if wish.command == "rerun" and wish.value is not None:
                self._rerun(int(wish.value))
            elif wish.command == "amend":
                self._amend(wish.changes)

    def _rerun(self, number: int) -> None:
        row = self._rows.get(number)
        if row is None or row.state not in AGAIN or number in self._trials:
            self._score.context.warn(f"Trial {number} cannot be done again now.")
            return
        row = again(row)
        self._score.context.emit(row, durable=True)
        self._rows[number] = row
        self._trials[number] = Trial(self._score, row)

    def _amend(self, changes: dict[str, object]) -> None:
        score = self._score
        plan, problems = SweepPlan.check(score.plan.model_dump() | changes)
        problems += [] if plan is None else space_problems(plan)
        if plan is None or any(problem.serious for problem in problems):
            score.context.warn(f"Nothing was added: {_texts(problems)}")
            return
        score.context.emit(Amended(changes=changes), durable=True)
        score.plan, score.study = plan, SweepStudy(plan, score.context.folder)
        self._is_exhausted = False

    def _end(self, ending: Ending) -> State:
        """Have all runs end, and wait for it; trials that are not over go on another time."""
        context = self._score.context
        while True:
            ending = context.ending() or ending  # somebody may want a stop after all
            for trial in self._trials.values():
                trial.refresh()
                trial.ask_to_end(ending)
            if all(trial.is_at_rest for trial in self._trials.values()):
                break
            self._score.queue.dispatch()  # notices workers that die meanwhile
            self._pause.wait(LOOK_SECONDS)
        for trial in self._trials.values():
            trial.take_if_completed()
        return State.STOPPED if ending == "stop" else State.PAUSED


def worked_seconds(folder: Path) -> float:
    """How long conductors have been at work on a sweep before this one.

    Of one that was killed the time until its last word counts.
    """
    events = JournalReader(folder / JOURNAL_FILE).read()
    total, began, before = 0.0, None, None
    for event in events:
        if isinstance(event, StateChanged) and event.state == State.RUNNING:
            began = event.t
        elif began is not None and _is_end(event):
            lost = isinstance(event, StateChanged) and event.state == State.LOST
            total += (before.t if lost and before is not None else event.t) - began
            began = None
        before = event
    return total


def _is_end(event: AnyEvent) -> bool:
    return isinstance(event, StateChanged) and event.state.is_at_rest


def _texts(problems: list[Problem]) -> str:
    return " ".join(f"{problem.where}: {problem.message}" for problem in problems)
