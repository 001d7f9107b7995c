"""`studio runs tag|untag|note|group|rename|delete|restore`: what a person says of runs."""

from __future__ import annotations

import argparse

from studio.cli.record_edit import add_records, edit_verbs, find_records
from studio.cli.trash import restore
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import find_trashed, request_trash
from studio.engine.workspace import RecordKind


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
    # All are looked for before any is moved.
    names = session.options.records
    found = [find_trashed(session.workspace, name, RecordKind.RUN) for name in names]
    document = []
    for restored in restore(session, list(dict.fromkeys(found))):
        job = Job(session.workspace.find(RecordKind.RUN, str(restored["id"])))
        job.refresh()
        document.append({"name": restored["name"], "state": job.history.state.value})
    return document


EDITS = (
    *edit_verbs(RecordKind.RUN),
    Verb("delete", "move runs to the trash", _configure, _delete),
    Verb("restore", "restore runs from the trash", _configure, _restore),
)
