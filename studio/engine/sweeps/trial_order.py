"""In which order the trials of a sweep begin that have not begun, and how people change it.

A move is an event in the journal of the sweep, so that it survives a restart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.sweeps.history import SweepHistory, SweepJob, TrialMoved
from studio.engine.sweeps.plan import GRID, SweepPlan, Value
from studio.engine.sweeps.requests import send_request
from studio.engine.sweeps.space import Move, in_order, key_of


@dataclass(frozen=True, slots=True)
class WaitingTrial:
    """A trial that has not started: its future number, and its varied values by dotted name."""

    number: int
    values: Mapping[str, Value]


def waiting_trials(plan: SweepPlan, history: SweepHistory) -> Iterator[WaitingTrial]:
    """Return the trials that have not begun, in the order in which they will.

    Only a grid knows them: other samplers choose the values of a trial when it begins.

    Args:
        plan: The sweep with what became of it, `Job.current_plan`.
        history: History of the sweep.
    """
    if plan.sampler != GRID:
        return
    rows = history.trials
    begun = {key_of(row.values) for row in rows.values()}
    points = (each for each in in_order(plan, moves_of(history)) if key_of(each) not in begun)
    left = None if plan.trials is None else max(0, plan.trials - len(rows))
    for number, values in enumerate(islice(points, left), max(rows, default=-1) + 1):
        yield WaitingTrial(number, values)


def moves_of(history: SweepHistory) -> list[Move]:
    """Return the moves of the trials of a sweep, the first move first."""
    return [(move.values, move.before) for move in history.moves]


def move_trial(queue: JobQueue, job: SweepJob, number: int, before: int | None = None) -> None:
    """Move a waiting trial before another one, or to the end.

    Args:
        queue: The queue.
        job: The sweep.
        number: Number of the trial, as `waiting_trials` gives it.
        before: Number of the other trial; None for the end.

    Raises:
        StudioError: One of them is not waiting, or the sweep does not know its next trials.
    """
    job.refresh()
    plan = job.current_plan(SweepPlan)
    if plan.sampler != GRID:
        raise StudioError(
            'The sweep "{sweep}" chooses the values of a trial when it starts, so no trial '
            "is waiting.",
            "Only the trials of a grid have an order.",
            sweep=job.record.name,
        )
    waiting = {each.number: each.values for each in waiting_trials(plan, job.history)}
    for each in (number, *(() if before is None else (before,))):
        if each not in waiting:
            raise _not_waiting(job, each)
    if number == before:
        raise StudioError("Trial {number} cannot be moved before itself.", number=number)
    other = None if before is None else dict(waiting[before])
    move = TrialMoved(values=dict(waiting[number]), before=other)
    if send_request(job, "move", changes={"values": move.values, "before": move.before}):
        return
    with queue.changing(job):
        job.append(move)


def _not_waiting(job: SweepJob, number: int) -> StudioError:
    row = job.history.trials.get(number)
    if row is not None:
        return StudioError(
            "Trial {number} is {state}.",
            "Only waiting trials have an order.",
            number=number,
            state=row.state.label,
        )
    return StudioError(
        'Trial {number} of the sweep "{sweep}" is not waiting.',
        number=number,
        sweep=job.record.name,
    )
