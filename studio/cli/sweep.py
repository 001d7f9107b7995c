"""`studio sweep`: train many runs of one plan, each with other values of some of its fields."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice

from studio.cli.following import elapsed, leave, wait_for
from studio.cli.plan_options import add_plan_options, given_options
from studio.cli.train_plan import add_plan_file, plan_of_options
from studio.cli.verb import Session, Verb, figure
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.requests import request_sweep, sweep_problems, usual_objectives
from studio.engine.sweeps.rows import SweepRow, best_of_sweep, rows_of
from studio.engine.sweeps.space import trial_count
from studio.engine.sweeps.trial_order import waiting_trials
from studio.engine.tasks.metric import in_sentence
from studio.engine.training.run_settings import setting_text
from studio.engine.workspace import RecordKind

# A sweep as the command line shows it: a table for people, a document for programs.

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


_PREFIX = "sweep_"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", metavar="S", help="what the sweep is called [sweep]")
    add_vary_option(parser)
    parser.add_argument(
        "--objective",
        action="append",
        metavar="{" + ",".join(OBJECTIVES) + "}",
        help="what is to be as good as possible; repeated, the best of all are a Pareto front "
        "[the main metric of the task]",
    )
    add_plan_options(parser, SweepPlan, prefix=_PREFIX)
    parser.add_argument("--detach", action="store_true", help="return at once; the sweep goes on")
    add_plan_file(parser, "a training plan as JSON that is the base")


def add_vary_option(parser: argparse.ArgumentParser) -> None:
    """Add `--vary FIELD=VALUES`, which may be repeated."""
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="FIELD=VALUES",
        help="any field of a training plan and its values: learning_rate=0.1,0.01 or a range: "
        "learning_rate=1e-4..1e-1, label_smoothing=0..0.4:step=0.1, batch_size=8..64:log:count=4; "
        "of the dataset's recipe: dataset.width=32,64; of a drawn network: "
        "network.conv1.filters=16,32; may be repeated",
    )


def _sweep(session: Session) -> object:
    options = session.options
    base = plan_of_options(session)
    dimensions = parse_dimensions(options.vary, base.design)
    given = given_options(options, _PREFIX)
    given["objectives"] = options.objective or usual_objectives(session.workspace, base)
    plan = SweepPlan.parse({"base": base, "dimensions": dimensions, **given})
    session.output.advise(sweep_problems(session.workspace, plan))
    name = options.name or session.workspace.unused_name(RecordKind.SWEEP, "sweep")
    job = request_sweep(session.queue, plan, name)
    count = trial_count(plan)
    budget = f"{count:,} trials" if count is not None else f"trials for {plan.hours:g} hours"
    repeats = f", {plan.seeds} runs each" if plan.seeds > 1 else ""
    session.output.note(f"{name}: {budget}{repeats}, {plan.workers} at once.")
    return follow(session, job)


def follow(session: Session, job: SweepJob) -> object:
    """Wait for a sweep unless told otherwise, and tell what came out."""
    name = job.record.name
    if session.options.detach:
        return leave(session, job, name, f"studio sweeps show {name}")
    history = wait_for(session, job, f"Sweep {name}")
    print_sweep(session, job)
    session.output.say(f"{name} is {history.state.value} after {elapsed(history)}.")
    return sweep_document(session, job)


SWEEP = Verb(
    "sweep", "train with many values of some fields, and find the best", _configure, _sweep
)
