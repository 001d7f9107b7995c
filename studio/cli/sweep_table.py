"""A sweep as the command line shows it: a table for people, a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from studio.cli.output import figure
from studio.cli.verb import Session
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.rows import SweepRow, best_of_sweep, rows_of
from studio.engine.sweeps.trial_order import waiting_trials
from studio.engine.tasks.metric import in_sentence
from studio.engine.training.run_settings import setting_text

MOST_WAITING = 20
"""So many trials that wait are printed; `--json` has all."""


def print_sweep(session: Session, job: SweepJob) -> None:
    """Print a row per trial, the best marked, and why some came to no end."""
    plan = job.current_plan(SweepPlan)
    rows, best = rows_of(session.workspace, job), set(best_of_sweep(job))
    fields = [dimension.field for dimension in plan.dimensions]
    labels = [in_sentence(OBJECTIVES[name].label) for name in plan.objectives]
    table = []
    for row in rows:
        values = [setting_text(name, row.values.get(name)) for name in fields]
        reached = [figure(value) for value in row.measured] or ["–"] * len(labels)
        run = row.runs[0] if row.runs else "–"
        mark = "best" if row.number in best else ""
        table.append([str(row.number), *values, row.state.value, *reached, run, mark])
    waiting = list(islice(waiting_trials(plan, job.history), MOST_WAITING + 1))
    for each in waiting[:MOST_WAITING]:
        values = [setting_text(name, each.values.get(name)) for name in fields]
        table.append([str(each.number), *values, "waits", *["–"] * len(labels), "–", ""])
    session.output.table(["trial", *fields, "state", *labels, "run", ""], table)
    if len(waiting) > MOST_WAITING:
        session.output.say("More trials wait; --json has all of them.")
    for row in rows:
        if row.reason:
            session.output.say(f"Trial {row.number}: {row.reason}")


def sweep_document(session: Session, job: SweepJob) -> dict[str, object]:
    """Everything about a sweep whose journal was read."""
    plan, history = job.current_plan(SweepPlan), job.history
    rows, best = rows_of(session.workspace, job), best_of_sweep(job)
    by_number = {row.number: row for row in rows}
    return {
        "name": job.record.name,
        "id": job.record.id,
        "state": history.state.value,
        "reason": history.reason,
        "objectives": list(plan.objectives),
        "plan": plan.model_dump(mode="json"),
        "trials": [row_document(row) for row in rows],
        "waiting": [
            {"number": each.number, "values": dict(each.values)}
            for each in waiting_trials(plan, history)
        ],
        "best": row_document(by_number[best[0]]) if best else None,
        "front": best,
    }


def row_document(row: SweepRow) -> dict[str, object]:
    """One trial; its value is a number for one objective, a list for several."""
    return {
        "number": row.number,
        "values": dict(row.values),
        "state": row.state.value,
        "value": _value(row.measured),
        "interval": None if row.interval is None else list(row.interval),
        "run": row.runs[0] if row.runs else None,
        "runs": list(row.runs),
        "reason": row.reason,
    }


def _value(measured: Sequence[float]) -> object:
    if not measured:
        return None
    return measured[0] if len(measured) == 1 else list(measured)
