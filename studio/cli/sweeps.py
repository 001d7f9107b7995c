"""`studio sweeps …`: list, control and extend sweeps."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import islice

from studio.cli.following import (
    elapsed,
    ended,
    find_job,
    leave,
    pause_job,
    stop_job,
    wait_for,
)
from studio.cli.options import DETACH, given_options, plan_options
from studio.cli.train_plan import plan_file_options, plan_of_options
from studio.cli.verb import Session, Verb, argument, figure
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.listing import sweep_document, sweep_row, trial_document
from studio.engine.messages import in_sentence
from studio.engine.sweeps import requests as sweeping
from studio.engine.sweeps import trial_order as sweep_order
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepHistory, SweepJob
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.requests import request_sweep, sweep_problems, usual_objectives
from studio.engine.sweeps.rows import best_of_sweep, rows_of
from studio.engine.sweeps.space import trial_count
from studio.engine.sweeps.trial_order import waiting_trials
from studio.engine.training.run_settings import setting_text
from studio.engine.workspace import RecordKind

# Output of sweeps on the command line: a table, and a JSON document.

MAX_WAITING = 20
"""Number of waiting trials that are printed at most; `--json` has all."""


def print_sweep(session: Session, job: SweepJob) -> None:
    """Print a row per trial, with the best marked, and the reasons for failures.

    Args:
        session: The command in progress.
        job: The sweep; its journal was read.
    """
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
    waiting = list(islice(waiting_trials(plan, job.history), MAX_WAITING + 1))
    for each in waiting[:MAX_WAITING]:
        values = [setting_text(name, each.values.get(name)) for name in fields]
        table.append([str(each.number), *values, "waits", *["–"] * len(labels), "–", ""])
    session.output.table(["trial", *fields, "state", *labels, "run", ""], table)
    if len(waiting) > MAX_WAITING:
        session.output.say("More trials wait; --json has all of them.")
    for row in rows:
        if row.reason:
            session.output.say(f"Trial {row.number}: {row.reason}")


_PREFIX = "sweep_"


vary_option = argument(
    "--vary",
    action="append",
    default=[],
    metavar="FIELD=VALUES",
    help="field and values: batch_size=16,32 or learning_rate=1e-4..1e-1:log:count=4; also "
    "dataset.width=32,64",
)
"""Add `--vary FIELD=VALUES`, which may be repeated."""


def _objective_option(parser: argparse.ArgumentParser) -> None:
    """Add `--objective`: metrics of other packages are known when the option is added."""
    parser.add_argument(
        "--objective",
        action="append",
        metavar="{" + ",".join(OBJECTIVES) + "}",
        help="metric to optimize; repeated for a Pareto front [the task's main metric]",
    )


run_options = (
    argument("--name", metavar="S", help="name of the sweep [sweep]"),
    vary_option,
    _objective_option,
    plan_options(SweepPlan, prefix=_PREFIX),
    DETACH,
    plan_file_options("base training plan as JSON"),
)


def run(session: Session) -> object:
    """Start a sweep as the options say, and wait for it."""
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
    """Wait for a sweep, unless detached, and print its trials.

    Args:
        session: The command in progress.
        job: The sweep.
    """
    name = job.record.name
    if session.options.detach:
        return leave(session, job, name, f"studio sweeps show {name}")
    history = wait_for(session, job, f"Sweep {name}")
    print_sweep(session, job)
    session.output.say(ended(name, history))
    return sweep_document(session.workspace, job)


def _find(session: Session) -> SweepJob:
    return find_job(session, RecordKind.SWEEP).with_history(SweepHistory)


def _list(session: Session) -> object:
    session.queue.dispatch()
    found = []
    for record, info in session.workspace.infos(RecordKind.SWEEP):
        job = SweepJob.read(record)
        try:
            found.append(sweep_row(job, info))
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
    if not found:
        session.output.say(
            "No sweeps yet. Try: studio sweep --dataset NAME --vary learning_rate=0.1,0.01"
        )
    else:
        keys = ["name", "state", "trials", "completed", "failed"]
        session.output.table(
            [*keys, "best"], [[str(each[key]) for key in keys] + [_best(each)] for each in found]
        )
    return found


def _best(entry: Mapping[str, object]) -> str:
    best = entry["best"]
    return figure(best[0]) if isinstance(best, list) else "–"


def _show(session: Session) -> object:
    job = _find(session)
    history = job.history
    session.output.say(f"{job.record.name}: {history.state.value}, {elapsed(history)}")
    if history.reason:
        session.output.say(f"{history.reason} {history.hint}".strip())
    print_sweep(session, job)
    return sweep_document(session.workspace, job)


def _show_best(session: Session) -> object:
    job = _find(session)
    best = best_of_sweep(job)
    rows = {row.number: row for row in rows_of(session.workspace, job)}
    if not best:
        raise StudioError(
            f'No trial of the sweep "{job.record.name}" is completed yet.',
            f"See: studio sweeps show {job.record.name}",
        )
    for number in best:
        row = rows[number]
        values = ", ".join(f"{name}={setting_text(name, row.values[name])}" for name in row.values)
        reached = ", ".join(map(figure, row.measured))
        session.output.say(f"Trial {number}, {row.runs[0]}: {reached} with {values}")
    return {
        "name": job.record.name,
        "best": trial_document(rows[best[0]]),
        "front": [trial_document(rows[number]) for number in best],
    }


def _pause(session: Session) -> object:
    return pause_job(session, _find(session))


def _stop(session: Session) -> object:
    return stop_job(session, _find(session))


def _resume(session: Session) -> object:
    job = _find(session)
    control.resume(session.queue, job)
    return follow(session, job)


def _rerun(session: Session) -> object:
    job = _find(session)
    sweeping.rerun(session.queue, job, session.options.trial)
    return follow(session, job)


def _extend(session: Session) -> object:
    options, job = session.options, _find(session)
    design = job.current_plan(SweepPlan).base.design
    dimensions = parse_dimensions(options.vary, design)
    sweeping.extend(session.queue, job, dimensions, options.trials, options.hours)
    return follow(session, job)


_name = argument("name", metavar="S", help="name of the sweep")


_trial_argument = argument("trial", type=int, metavar="N", help="number of the trial, from 0")


def _reorder(session: Session) -> object:
    options, job = session.options, _find(session)
    sweep_order.move_trial(session.queue, job, options.trial, options.before)
    where = "last" if options.before is None else f"before trial {options.before}"
    session.output.say(f"Trial {options.trial} comes {where}.")
    return {"name": job.record.name, "trial": options.trial, "before": options.before}


def _add_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trial", type=int, metavar="N", help="number of a waiting trial")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--before", type=int, metavar="N", help="number of the waiting trial to move it before"
    )
    group.add_argument("--last", action="store_true", help="move it to the end")


_more = (
    vary_option,
    argument("--trials", type=int, metavar="N", help="maximum number of trials in total"),
    argument("--hours", type=float, metavar="H", help="maximum number of hours in total"),
)


VERBS = (
    Verb("list", "list the sweeps", run=_list),
    Verb("show", "show the trials of a sweep", _name, _show),
    Verb("best", "show the best trial, or the Pareto front", _name, _show_best),
    Verb("pause", "pause a sweep and its runs", _name, _pause),
    Verb("resume", "resume an interrupted sweep", (_name, DETACH), _resume),
    Verb("stop", "stop a sweep and its runs", _name, _stop),
    Verb("rerun", "rerun a failed trial", (_name, _trial_argument, DETACH), _rerun),
    Verb("reorder", "move a waiting trial before another", (_name, _add_position), _reorder),
    Verb(
        "extend",
        "add values, trials or hours, also to a running sweep",
        (_name, *_more, DETACH),
        _extend,
    ),
)
