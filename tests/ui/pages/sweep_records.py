"""Sweeps as their sweep runners leave them behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from page_records import began

from helpers.runs import append_events, fake_run
from studio.engine.jobs.events import Event, StateChanged
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged, TrialRun
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.workspace import Record, RecordKind, Workspace

RATES = (0.1, 0.01, 0.001)
REACHED = ((0.5, 0.7), (0.6, 0.9), ())
"""Validation accuracy by epoch of the three trials of `add_sweep`; the last one failed."""


def sweep_plan(*vary: str, dataset: str = "digits", **fields: Any) -> SweepPlan:
    """A sweep over what is written."""
    dimensions = [each.model_dump() for each in parse_dimensions(vary)]
    base = {"dataset": dataset, "epochs": 2, **fields.pop("base", {})}
    return SweepPlan.parse({"base": base, "dimensions": dimensions, **fields})


def trial(
    number: int,
    values: Mapping[str, object],
    reached: Sequence[float],
    run: Record | None = None,
    state: State = State.COMPLETED,
    reason: str = "",
) -> TrialChanged:
    """A row of one run."""
    runs: tuple[TrialRun, ...] = ()
    if run is not None:
        runs = (TrialRun(name=run.name, id=run.id, measured=tuple(reached)),)
    return TrialChanged(
        number=number,
        values=dict(values),
        state=state,
        measured=tuple(reached),
        runs=runs,
        reason=reason,
    )


def add_sweep(
    workspace: Workspace,
    name: str = "rates",
    state: State = State.COMPLETED,
    *,
    dataset: str = "digits",
    **fields: Any,
) -> Record:
    """A sweep of three learning rates with the runs of its trials; the last of them failed."""
    text = "learning_rate=" + ",".join(map(str, RATES))
    plan = sweep_plan(text, dataset=dataset, **fields)
    record = workspace.create(RecordKind.SWEEP, name, plan.to_json())
    events: list[Event] = [*began()]
    for number, (rate, curve) in enumerate(zip(RATES, REACHED, strict=True)):
        over = State.COMPLETED if curve else State.FAILED
        run = fake_run(
            workspace,
            f"{name}-{number}",
            curve,
            over,
            dataset=dataset,
            learning_rate=rate,
            seconds=3.0 * (number + 1),
        )
        reason = "" if curve else "The loss is not a number."
        values = {"learning_rate": rate}
        events.append(trial(number, values, curve[-1:], run, over, reason))
    if state != State.RUNNING:
        events.append(StateChanged(state=state))
    append_events(record, events)
    return record
