"""`studio runs tag|untag|note|group|rename|delete|restore`: what a person says of runs."""

from __future__ import annotations

import argparse

from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.requests import request_trash
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind
from studio.engine.workspace.records import checked_tags, checked_word
from studio.engine.workspace.trash import find_trashed


def configure_runs(parser: argparse.ArgumentParser) -> None:
    """Add the names of one or more runs."""
    parser.add_argument("runs", metavar="R", nargs="+", help="names of runs")


def find_runs(session: Session) -> list[Record]:
    """The named runs, each once; nothing is done to any where one is not there."""
    found = [session.workspace.find(RecordKind.RUN, name) for name in session.options.runs]
    return list(dict.fromkeys(found))


def _configure_tags(parser: argparse.ArgumentParser) -> None:
    configure_runs(parser)
    parser.add_argument(
        "--tag", metavar="T", action="append", required=True, help="a tag; may be repeated"
    )


def _tag(session: Session) -> object:
    tags = checked_tags(session.options.tag)
    for record in find_runs(session):
        session.workspace.retag(record, add=tags)
    return _told(session)


def _untag(session: Session) -> object:
    tags = checked_tags(session.options.tag)
    for record in find_runs(session):
        session.workspace.retag(record, remove=tags)
    return _told(session)


def _configure_group(parser: argparse.ArgumentParser) -> None:
    configure_runs(parser)
    parser.add_argument("--to", metavar="G", required=True, help="the group; '' for none")


def _group(session: Session) -> object:
    group = checked_word(session.options.to)
    for record in find_runs(session):
        session.workspace.annotate(record, group=group)
    return _told(session)


def _configure_note(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="R", nargs=1, help="name of the run")
    parser.add_argument("text", metavar="TEXT", help="the notes; '' for none")


def _note(session: Session) -> object:
    session.workspace.annotate(find_runs(session)[0], session.options.text)
    return _told(session)[0]


def _configure_rename(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="R", nargs=1, help="name of the run")
    parser.add_argument("to", metavar="NAME", help="its new name")


def _rename(session: Session) -> object:
    record = find_runs(session)[0]
    session.workspace.rename(record, session.options.to)
    session.options.runs = [record.id]
    return _told(session)[0]


def _told(session: Session) -> list[dict[str, object]]:
    """Say, and return, what is written about the named runs now."""
    document: list[dict[str, object]] = []
    for record in find_runs(session):
        info = record.info()
        words = [f"group {info.group}"] if info.group else []
        words += [f"tags {', '.join(info.tags)}"] if info.tags else []
        session.output.say(f"{info.name}: {'; '.join(words) or 'no group, no tags'}")
        if info.notes:
            session.output.say(f"  {info.notes}")
        document.append(
            {
                "name": info.name,
                "group": info.group,
                "tags": list(info.tags),
                "notes": info.notes,
            }
        )
    return document


def _delete(session: Session) -> object:
    session.queue.dispatch()
    jobs = [Job(record) for record in find_runs(session)]
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
    found = [find_trashed(workspace, RecordKind.RUN, name) for name in session.options.runs]
    for trashed in dict.fromkeys(found):
        job = Job(workspace.restore(trashed))
        job.refresh()
        name = job.record.name
        session.output.say(f"{name} is back, {job.history.state.value}.")
        document.append({"name": name, "state": job.history.state.value})
    return document


EDITS = (
    Verb("rename", "give a run another name", _configure_rename, _rename),
    Verb("note", "write something about a run", _configure_note, _note),
    Verb("tag", "give runs tags", _configure_tags, _tag),
    Verb("untag", "take tags from runs", _configure_tags, _untag),
    Verb("group", "put runs into a group, or into none", _configure_group, _group),
    Verb("delete", "move runs to the trash", configure_runs, _delete),
    Verb("restore", "bring runs back from the trash", configure_runs, _restore),
)
