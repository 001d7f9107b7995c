"""`studio runs …`: list, show, follow, stop, delete."""

from __future__ import annotations

import argparse
import math

from studio.cli.following import elapsed, wait_for
from studio.cli.output import percent
from studio.cli.train import print_epochs
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.requests import request_trash
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

EPOCH_KEYS = (
    "epoch",
    "loss",
    "accuracy",
    "val_loss",
    "val_accuracy",
    "learning_rate",
    "seconds",
    "images_per_second",
)


def _find(session: Session) -> Job:
    """The named run, with workers that died noticed and its journal read."""
    job = Job(session.workspace.find(RecordKind.RUN, session.options.name))
    session.queue.dispatch()
    job.refresh()
    return job


def _show(session: Session) -> object:
    job = _find(session)
    history, plan, name = job.history, job.plan(TrainingPlan), job.record.name
    dataset = session.workspace.record(RecordKind.DATASET, plan.dataset)
    dataset_name = dataset.name if dataset else plan.dataset
    output = session.output
    output.say(
        f"{name}: {history.state.value}, {plan.network} on {dataset_name}, {elapsed(history)}"
    )
    if history.reason:
        output.say(f"{history.reason} {history.hint}".strip())
    print_epochs(output, history)
    if job.damaged_lines:
        output.note(f"{job.damaged_lines} lines of its journal are damaged and were left out.")
    return {
        "name": name,
        "id": job.record.id,
        "state": history.state.value,
        "reason": history.reason,
        "hint": history.hint,
        "attempt": history.attempt,
        "dataset": dataset_name,
        "plan": plan.model_dump(mode="json"),
        "steps": len(history.step_loss),
        "epochs": [epoch.model_dump(include=set(EPOCH_KEYS)) for epoch in history.epochs],
        "best_epoch": history.best_epoch.epoch if history.best_epoch else None,
    }


def _list(session: Session) -> object:
    session.queue.dispatch()
    rows, document = [], []
    for record, info in session.workspace.infos(RecordKind.RUN):
        job = Job(record)
        job.refresh()
        try:
            plan = job.plan(TrainingPlan)
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        best = _best_accuracy(job.history)
        document.append(
            {
                "name": info.name,
                "id": record.id,
                "state": job.history.state.value,
                "network": plan.network,
                "epochs": len(job.history.epochs),
                "val_accuracy": best,
            }
        )
        rows.append(
            [
                info.name,
                job.history.state.value,
                plan.network,
                f"{len(job.history.epochs)}/{plan.epochs}",
                percent(best),
                elapsed(job.history),
            ]
        )
    if rows:
        headers = ["name", "state", "network", "epochs", "best val accuracy", "time"]
        session.output.table(headers, rows)
    else:
        session.output.say("No runs yet. Try: studio train --dataset NAME --network lenet")
    return document


def _best_accuracy(history: JobHistory) -> float:
    return history.best_epoch.val_accuracy if history.best_epoch else math.nan


def _follow(session: Session) -> object:
    job = _find(session)
    history = wait_for(session.queue, job, session.output, f"Training {job.record.name}")
    print_epochs(session.output, history)
    return {"name": job.record.name, "state": history.state.value}


def _stop(session: Session) -> object:
    job = _find(session)
    name, state = job.record.name, job.history.state
    if state.is_finished:
        raise StudioError(f'The run "{name}" is already {state.value}.')
    session.queue.stop(job)
    history = wait_for(session.queue, job, session.output, f"Stopping {name}")
    session.output.say(f"{name} is {history.state.value}.")
    return {"name": name, "state": history.state.value}


def _delete(session: Session) -> object:
    job = _find(session)
    name = job.record.name
    if job.history.state == State.QUEUED:
        session.queue.stop(job)
    request_trash(session.queue, job.record)
    session.output.say(f"{name} is in the trash of {session.workspace.root}.")
    return {"name": name, "state": "deleted"}


def _configure_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="R", help="name of the run")


RUNS = Verb(
    "runs",
    "look at training runs, and stop them",
    verbs=(
        Verb("list", "list the runs", run=_list),
        Verb("show", "show one run, epoch by epoch", _configure_name, _show),
        Verb("follow", "wait for a run, showing how far it is", _configure_name, _follow),
        Verb("stop", "end a run and keep what it has learned", _configure_name, _stop),
        Verb("delete", "move a run to the trash", _configure_name, _delete),
    ),
)
