"""`studio sweeps …`: look at sweeps, steer them, add to them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from studio.cli.following import elapsed, find_job, pause_job, stop_job
from studio.cli.sweep import add_vary_option, follow, print_sweep, row_document, sweep_document
from studio.cli.verb import Session, Verb, figure
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.states import State
from studio.engine.sweeps import requests as sweeping
from studio.engine.sweeps import trial_order as sweep_order
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepHistory, SweepJob
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.rows import best_of_sweep, rows_of
from studio.engine.training.run_settings import setting_text
from studio.engine.workspace import RecordKind


def _find(session: Session) -> SweepJob:
    return find_job(session, RecordKind.SWEEP).with_history(SweepHistory)


def _list(session: Session) -> object:
    session.queue.dispatch()
    found = []
    for record, info in session.workspace.infos(RecordKind.SWEEP):
        job = SweepJob.read(record)
        try:
            best = best_of_sweep(job)
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        rows = job.history.trials
        found.append(
            {
                "name": info.name,
                "id": info.id,
                "state": job.history.state.value,
                "trials": len(rows),
                "completed": sum(row.state == State.COMPLETED for row in rows.values()),
                "failed": sum(row.state == State.FAILED for row in rows.values()),
                "best": list(rows[best[0]].measured) if best else None,
                "created": info.created.isoformat(),
            }
        )
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
    return sweep_document(session, job)


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
        "best": row_document(rows[best[0]]),
        "front": [row_document(rows[number]) for number in best],
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


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="S", help="name of the sweep")


def _goes_on(
    add: Callable[[argparse.ArgumentParser], None] | None = None,
) -> Callable[[argparse.ArgumentParser], None]:
    def configure(parser: argparse.ArgumentParser) -> None:
        _name(parser)
        if add is not None:
            add(parser)
        parser.add_argument("--detach", action="store_true", help="return at once")

    return configure


def _trial_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trial", type=int, metavar="N", help="number of the trial, from 0")


def _reorder(session: Session) -> object:
    options, job = session.options, _find(session)
    sweep_order.move_trial(session.queue, job, options.trial, options.before)
    where = "last" if options.before is None else f"before trial {options.before}"
    session.output.say(f"Trial {options.trial} comes {where}.")
    return {"name": job.record.name, "trial": options.trial, "before": options.before}


def _place(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("trial", type=int, metavar="N", help="number of a trial that waits")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--before", type=int, metavar="N", help="another trial that waits")
    place.add_argument("--last", action="store_true", help="behind all others")


def _more(parser: argparse.ArgumentParser) -> None:
    add_vary_option(parser)
    parser.add_argument("--trials", type=int, metavar="N", help="how many at most, all in all")
    parser.add_argument("--hours", type=float, metavar="H", help="for how long, all in all")


SWEEPS = Verb(
    "sweeps",
    "look at sweeps, steer them, add to them",
    verbs=(
        Verb("list", "list the sweeps", run=_list),
        Verb("show", "show one sweep, trial by trial", _name, _show),
        Verb("best", "show its best trial, or those that no other beats", _name, _show_best),
        Verb("pause", "pause all its runs, to go on exactly there", _name, _pause),
        Verb("resume", "go on with a sweep that was interrupted", _goes_on(), _resume),
        Verb("stop", "end it and its runs", _name, _stop),
        Verb("rerun", "do a trial that failed again", _goes_on(_trial_argument), _rerun),
        Verb("reorder", "put a trial that waits before another", _place, _reorder),
        Verb(
            "extend", "add values, trials or hours, also while it goes", _goes_on(_more), _extend
        ),
    ),
)
