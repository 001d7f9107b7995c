"""A sweep as a table: one row per trial, and which of them are the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.jobs.states import State
from studio.engine.sweeps.events import TrialChanged
from studio.engine.sweeps.fields import recipe_changes
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import is_finite
from studio.engine.sweeps.results import best_trials, interval
from studio.engine.sweeps.trial_values import measured
from studio.engine.training.history import RunJob
from studio.engine.workspace import RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One trial of a sweep.

    Attributes:
        number: From 0.
        values: What varies, by dotted name.
        state: That of its run as long as the trial is not over.
        measured: Values of the objectives; of a trial that is not over, what it reached so far.
        interval: 95 % interval of the first of them, where the trial was repeated.
        runs: Names of its runs, the first first.
        reason: Why it failed or ended early.
    """

    number: int
    values: Mapping[str, object]
    state: State
    measured: tuple[float, ...]
    interval: tuple[float, float] | None
    runs: tuple[str, ...]
    reason: str


def rows_of(workspace: Workspace, job: SweepJob) -> list[SweepRow]:
    """The trials of a sweep whose journal was read, in their order.

    Only runs of trials that are not over have their journals read.

    Raises:
        StudioError: The plan of the sweep is damaged.
    """
    plan = job.current_plan(SweepPlan)
    return [_row(workspace, plan, row) for _, row in sorted(job.history.trials.items())]


def best_of_sweep(job: SweepJob) -> list[int]:
    """Numbers of the best trials: one, or the Pareto front of several objectives.

    Raises:
        StudioError: The plan of the sweep is damaged.
    """
    return best_of_trials(job.current_plan(SweepPlan), job.history.trials)


def best_of_trials(plan: SweepPlan, trials: Mapping[int, TrialChanged]) -> list[int]:
    """Numbers of the best of these trials: one, or the Pareto front of several objectives."""
    directions = [OBJECTIVES[name].direction for name in plan.objectives]
    done = {number: row.measured for number, row in trials.items() if is_finite(row)}
    return best_trials(done, directions)


def _row(workspace: Workspace, plan: SweepPlan, row: TrialChanged) -> SweepRow:
    state, values, reason = row.state, row.measured, row.reason
    if state == State.RUNNING:
        state, values, reason = _live(workspace, plan, row)
    repeats = [run.measured[0] for run in row.runs if run.measured]
    return SweepRow(
        row.number,
        row.values,
        state,
        values,
        interval(repeats),
        tuple(run.name for run in row.runs),
        reason,
    )


def _live(
    workspace: Workspace, plan: SweepPlan, row: TrialChanged
) -> tuple[State, tuple[float, ...], str]:
    record = workspace.record(RecordKind.RUN, row.runs[-1].id) if row.runs else None
    if record is None:
        is_imported = bool(recipe_changes(row.values))
        return State.QUEUED, (), "Its dataset is imported first." if is_imported else ""
    job = RunJob(record)
    job.refresh()
    reached = measured(job, plan.objectives, "best")
    return job.history.state, reached, job.history.reason
