"""`studio runs pause|resume|extend|save|rate`: steer a run, while it trains and afterwards."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from studio.cli.following import wait_for
from studio.cli.steering import find_job, pause_job, tell_state
from studio.cli.verb import Session, Verb
from studio.engine.jobs.job import Job
from studio.engine.training import control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.workspace import RecordKind


def find_run(session: Session) -> RunJob:
    """The named run, with workers that died noticed and its journal read."""
    return find_job(session, RecordKind.RUN).with_history(RunHistory)


def _pause(session: Session) -> object:
    return pause_job(session, find_run(session))


def _resume(session: Session) -> object:
    job = find_run(session)
    control.resume(session.queue, job, session.options.learning_rate)
    return _go_on(session, job)


def _extend(session: Session) -> object:
    job = find_run(session)
    control.extend(session.queue, job, session.options.epochs)
    return _go_on(session, job)


def _go_on(session: Session, job: Job) -> object:
    if session.options.detach:
        session.queue.dispatch()
        job.refresh()
    else:
        wait_for(session.queue, job, session.output, f"Training {job.record.name}")
    return tell_state(session, job)


def _save(session: Session) -> object:
    job = find_run(session)
    control.save_now(job)
    session.output.say(f"{job.record.name} saves everything at its next step.")
    return {"name": job.record.name, "state": job.history.state.value}


def _rate(session: Session) -> object:
    job = find_run(session)
    rate = session.options.rate
    control.change_rate(job, rate)
    session.output.say(f"{job.record.name} takes {rate:g} at its next step.")
    return {"name": job.record.name, "state": job.history.state.value, "learning_rate": rate}


def name_of_run(parser: argparse.ArgumentParser) -> None:
    """Take the name of a run, for `find_run`."""
    parser.add_argument("name", metavar="R", help="name of the run")


def _goes_on(add: Callable[[argparse.ArgumentParser], None]) -> Callable[..., None]:
    def configure(parser: argparse.ArgumentParser) -> None:
        name_of_run(parser)
        add(parser)
        parser.add_argument("--detach", action="store_true", help="return at once")

    return configure


def _rate_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--learning-rate", type=float, help="another base learning rate for what is left"
    )


def _epochs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--epochs", type=int, required=True, metavar="E", help="how many more")


def _rate_argument(parser: argparse.ArgumentParser) -> None:
    name_of_run(parser)
    parser.add_argument("rate", type=float, metavar="RATE", help="the learning rate")


CONTROL = (
    Verb("pause", "save everything, end the process, free its device", name_of_run, _pause),
    Verb("resume", "go on exactly where a run was", _goes_on(_rate_option), _resume),
    Verb("extend", "give a run more epochs", _goes_on(_epochs_option), _extend),
    Verb("save", "save everything that a run needs to go on from here", name_of_run, _save),
    Verb("rate", "change the learning rate of a run while it trains", _rate_argument, _rate),
)
