"""`studio runs tag|untag|note|group|rename|delete|restore`: what a person says of runs."""

from __future__ import annotations

import argparse

from studio.cli.record_edit import add_records, edit_verbs, find_records
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.requests import request_trash
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.engine.workspace.trash import find_trashed


def _configure(parser: argparse.ArgumentParser) -> None:
    add_records(parser, "run")


def _delete(session: Session) -> object:
    session.queue.dispatch()
    jobs = [Job(record) for record in find_records(session, RecordKind.RUN)]
    for job in jobs:
        job.refresh()
    names = [job.record.name for job in jobs]
    busy = [n for n, job in zip(names, jobs, strict=True) if job.history.state.has_worker]
    if busy:
        raise StudioError(
            f"Still at work: {', '.join(busy)}.", "Stop them first: studio runs stop"
        )
    for name, job in zip(names, jobs, strict=True):
        if job.history.state == State.QUEUED:
            session.queue.stop(job)
        request_trash(session.queue, job.record)
        session.output.say(f"{name} is in the trash of {session.workspace.root}.")
    document = [{"name": name, "state": "deleted"} for name in names]
    return document[0] if len(document) == 1 else document


def _restore(session: Session) -> object:
    workspace, document = session.workspace, []
    # All are looked for before any is moved.
    found = [find_trashed(workspace, RecordKind.RUN, name) for name in session.options.records]
    for trashed in dict.fromkeys(found):
        job = Job(workspace.restore(trashed))
        job.refresh()
        name = job.record.name
        session.output.say(f"{name} is back, {job.history.state.value}.")
        document.append({"name": name, "state": job.history.state.value})
    return document


EDITS = (
    *edit_verbs(RecordKind.RUN),
    Verb("delete", "move runs to the trash", _configure, _delete),
    Verb("restore", "restore runs from the trash", _configure, _restore),
)
