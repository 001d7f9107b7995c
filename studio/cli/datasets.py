"""`studio datasets …`: import, list, show, delete; the other verbs are in files of their own."""

from __future__ import annotations

import argparse

from studio.cli.dataset_import import (
    configure_clone,
    configure_import,
    imported,
    run_clone,
    run_import,
)
from studio.cli.dataset_view import describe
from studio.cli.datasets_audit import AUDIT
from studio.cli.datasets_browse import BROWSE, EXPORT_DATASET, VERSIONS
from studio.cli.datasets_edit import EDIT
from studio.cli.following import find_job, wait_for
from studio.cli.record_edit import details, edit_verbs
from studio.cli.verb import Session, Verb, counted
from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.training.trained_models import runs_trained_on
from studio.engine.workspace import RecordKind

SHOWN_RUNS = 10


def _show(session: Session) -> object:
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    job = Job(record)
    job.require_completed("showing it")
    return describe(session, record.name, job)


def _configure_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--group", metavar="G", help="only datasets of this group; '' for those of none"
    )


def _list(session: Session) -> object:
    session.queue.dispatch()
    rows, document = [], []
    group = session.options.group
    for record, info in session.workspace.infos(RecordKind.DATASET):
        if group is not None and info.group.casefold() != group.casefold():
            continue
        job = Job.read(record)
        state = job.history.state
        entry: dict[str, object] = {"name": info.name, "id": record.id, "state": state.value}
        entry |= details(info)
        if state == State.COMPLETED:
            try:
                summary = dataset_summary(record.folder)
            except StudioError as error:
                session.output.note(f"{info.name} is left out: {error}")
                continue
            entry |= {
                "task": summary.task,
                "count": summary.total,
                "classes": len(summary.classes),
                "outputs": summary.classes,
                "units": summary.units,
            }
        counts = [str(entry.get(key, "–")) for key in ("task", "count", "classes")]
        rows.append([info.name, state.value, *counts, info.group, ", ".join(info.tags)])
        document.append(entry)
    if rows:
        headers = ["name", "state", "task", "images", "outputs", "group", "tags"]
        session.output.table(headers, rows)
    elif session.options.group is not None:
        session.output.say(f'No dataset is in the group "{session.options.group}".')
    else:
        session.output.say("No datasets yet. Try: studio datasets import digits")
    return document


def _resume(session: Session) -> object:
    """Continue an import that was stopped, failed or lost its process."""
    job = find_job(session, RecordKind.DATASET)
    control.resume(session.queue, job)
    wait_for(session, job, f"Importing {job.record.name}")
    return imported(session, job)


def _delete(session: Session) -> object:
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    name = record.name
    runs = [run.name for run in runs_trained_on(session.workspace, record)]
    request_trash(session.queue, record)
    session.output.say(
        f"{name} was moved to the trash. Restore it with: studio trash restore {name}"
    )
    if runs:
        shown = ", ".join(runs[:SHOWN_RUNS]) + (", …" if len(runs) > SHOWN_RUNS else "")
        session.output.say(
            f"{counted(len(runs), 'run')} trained on it can still predict and export: {shown}"
        )
    return {"name": name, "state": "deleted", "runs": runs}


def _configure_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="name of the dataset")


DATASETS = Verb(
    "datasets",
    "import images and look at what was imported",
    verbs=(
        Verb(
            "import",
            "make a dataset from folders, archives, lists or arrays",
            configure_import,
            run_import,
        ),
        Verb("list", "list the datasets", _configure_list, _list),
        Verb("show", "show one dataset", _configure_name, _show),
        AUDIT,
        BROWSE,
        EDIT,
        VERSIONS,
        EXPORT_DATASET,
        Verb("clone", "import again with the settings of a dataset", configure_clone, run_clone),
        *edit_verbs(RecordKind.DATASET),
        Verb("resume", "continue a stopped or failed import", _configure_name, _resume),
        Verb("delete", "move a dataset to the trash", _configure_name, _delete),
    ),
)
