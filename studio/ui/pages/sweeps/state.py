"""Decisions of the page of sweeps, free of Qt: how far a sweep is, what can be done, how long."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.plans import FieldKind, fields_of
from studio.engine.sweeps.fields import NETWORK
from studio.engine.sweeps.history import SweepHistory, TrialChanged, TrialMoved
from studio.engine.sweeps.plan import SweepPlan, Value
from studio.engine.sweeps.requests import AGAIN
from studio.engine.sweeps.rows import best_of_trials
from studio.engine.sweeps.space import points_of, trial_count
from studio.engine.sweeps.trial_order import WaitingTrial, waiting_trials
from studio.engine.training.comparison import seconds_of
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs


def trained_on(jobs: Jobs, dataset: str) -> list[Trained]:
    """Completed runs on a dataset, newest first."""
    return [
        Trained(entry.plan, entry.history)
        for entry in jobs.entries(RecordKind.RUN)
        if isinstance(entry.plan, TrainingPlan)
        and entry.plan.dataset == dataset
        and entry.state == State.COMPLETED
    ]


MOST_WAITING = 500
"""So many of the trials that wait are listed."""

Asked = tuple[
    str, SweepPlan, Mapping[str, object], Mapping[int, TrialChanged], Sequence[TrialMoved]
]
"""Of a sweep: its id, its plan, what became of that, its trials and how they were moved."""


@dataclass(frozen=True, slots=True)
class SweepFacts:
    """A sweep in one line.

    Attributes:
        plan: What it does now, with all that was added.
        done: How many trials are over, whatever came out.
        total: How many there will be at most; None where only the hours say.
        failed: How many of them failed.
        best: Numbers of the best: one, or the front of several objectives.
        best_values: What the first of these reached; empty where none is completed.
        waiting: The first of the trials that have not begun, in the order in which they will.
    """

    plan: SweepPlan
    done: int
    total: int | None
    failed: int
    best: tuple[int, ...]
    best_values: tuple[float, ...]
    waiting: tuple[WaitingTrial, ...] = ()


def facts_of(
    plan: SweepPlan,
    changes: Mapping[str, object],
    trials: Mapping[int, TrialChanged],
    moves: Sequence[TrialMoved] = (),
) -> SweepFacts:
    """What a line says of a sweep; of ten thousand trials it takes tens of milliseconds.

    Raises:
        StudioError: What was added does not fit the plan.
    """
    now = plan.changed(**changes) if changes else plan
    best = tuple(best_of_trials(now, trials))
    total = trial_count(now)
    waiting: Iterable[WaitingTrial] = ()
    if total is None or len(trials) < total:
        history = SweepHistory(trials=dict(trials), moves=list(moves))
        waiting = islice(waiting_trials(now, history), MOST_WAITING)
    return SweepFacts(
        now,
        sum(row.state != State.RUNNING for row in trials.values()),
        total,
        sum(row.state == State.FAILED for row in trials.values()),
        best,
        trials[best[0]].measured if best else (),
        tuple(waiting),
    )


def facts_of_all(asked: Sequence[Asked]) -> dict[str, SweepFacts | StudioError]:
    """The facts of several sweeps by id, or why they cannot be told."""
    found: dict[str, SweepFacts | StudioError] = {}
    for record_id, plan, changes, trials, moves in asked:
        try:
            found[record_id] = facts_of(plan, changes, trials, moves)
        except StudioError as error:
            found[record_id] = error
    return found


def moved_before(waiting: Sequence[int], number: int, step: int) -> tuple[bool, int | None]:
    """Where a trial that waits goes when it is moved by a place.

    Args:
        waiting: Numbers of the trials that wait, in their order.
        number: Of the trial.
        step: -1 for up, 1 for down.

    Returns:
        Whether it can be moved, and the trial that it comes before; None for the end.
    """
    if number not in waiting:
        return False, None
    place = list(waiting).index(number)
    if not 0 <= place + step < len(waiting):
        return False, None
    after = place + step + (1 if step > 0 else 0)
    return True, waiting[after] if after < len(waiting) else None


def can_rerun(sweep: State, trial: TrialChanged | None) -> bool:
    """Whether a trial can be done again: its sweep has a worker, or is at rest."""
    settled = sweep in (State.STARTING, State.RUNNING) or sweep.is_at_rest
    return settled and trial is not None and trial.state in AGAIN


@dataclass(frozen=True, slots=True)
class Trained:
    """A run that is over, for what it says of the time of others."""

    plan: TrainingPlan
    history: RunHistory


def seconds_per_run(plan: SweepPlan, runs: Sequence[Trained]) -> float | None:
    """What a run of a sweep will take: as an earlier one, but for the number of its epochs.

    Args:
        plan: The sweep. Where networks or epochs vary, it is the mean over their values.
        runs: Earlier runs, newest first; only those of the same network and dataset count.

    Returns:
        Seconds, or None where a network was never trained on that dataset.
    """
    base = plan.base
    epochs = statistics.fmean(float(each) for each in _values(plan, "epochs", base.epochs))
    networks = _values(plan, NETWORK, base.network)
    known = [_seconds_like(base, str(network), epochs, runs) for network in networks]
    found = [each for each in known if each is not None]
    return statistics.fmean(found) if len(found) == len(known) else None


def estimated_seconds(plan: SweepPlan, per_run: float | None) -> float | None:
    """What a sweep will take all in all, before it begins; None while that is not known.

    Args:
        plan: The sweep.
        per_run: Seconds of one run (`seconds_per_run`).
    """
    trials = trial_count(plan)
    limit = None if plan.hours is None else plan.hours * 3600
    if trials is None:
        return limit  # it goes on until then, however long a trial takes
    if per_run is None:
        return None
    workers = max(1, min(plan.workers, trials * plan.seeds))
    total = math.ceil(trials * plan.seeds / workers) * per_run
    return total if limit is None else min(total, limit)


def _values(plan: SweepPlan, field: str, otherwise: Value) -> Sequence[Value]:
    """The values that a field takes in a sweep; of an endless range, both its ends."""
    for dimension in plan.dimensions:
        if dimension.field == field:
            points = points_of(dimension)
            ends = [end for end in (dimension.low, dimension.high) if end is not None]
            return points or ends or (otherwise,)
    return (otherwise,)


def _seconds_like(
    base: TrainingPlan, network: str, epochs: float, runs: Sequence[Trained]
) -> float | None:
    """Seconds of so many epochs by the newest run of that network and dataset."""
    for run in runs:
        same = run.plan.dataset == base.dataset and run.plan.network == network
        done = run.history.epochs
        if same and run.plan.design == base.design and done:
            pace = statistics.median(epoch.seconds for epoch in done)
            whole = seconds_of(run.history)
            # Loading, compiling and saving take as long, however many epochs there are.
            rest = max(0.0, whole - pace * len(done)) if math.isfinite(whole) else 0.0
            return rest + pace * epochs
    return None


def base_fields() -> list[str]:
    """The fields of a training plan that the form of a sweep shows, those of no group first."""
    shown = [
        field
        for field in fields_of(TrainingPlan)
        if field.level != "hidden" and field.kind != FieldKind.GROUP
    ]
    return [field.name for field in sorted(shown, key=lambda field: bool(field.group))]
