"""`studio trash list|put|restore|delete|empty`: records of every kind, deleted or to delete."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

from studio.cli.record_edit import find_any, kind_option, named_kind
from studio.cli.verb import BarProgress, Session, Verb, argument, counted
from studio.engine.errors import StudioError
from studio.engine.jobs import trash
from studio.engine.jobs.references import users_of

_MEGABYTE = 1e6


_yes_option = argument("--yes", action="store_true", help="do not ask for confirmation")


def _list(session: Session) -> object:
    entries = trash.trash_entries(session.workspace, named_kind(session))
    document = [_document(entry) for entry in entries]
    if not entries:
        session.output.say("The trash is empty.")
        return document
    session.output.table(
        ["kind", "name", "id", "deleted", "MB"],
        [
            [
                str(row["kind"]),
                str(row["name"]),
                str(row["id"]),
                entry.deleted.astimezone().strftime("%Y-%m-%d %H:%M"),
                f"{trash.size_of(entry.record) / _MEGABYTE:,.1f}",
            ]
            for entry, row in zip(entries, document, strict=True)
        ],
    )
    return document


def _document(entry: trash.TrashEntry) -> dict[str, object]:
    return {
        "kind": entry.record.kind.value,
        "name": entry.info.name,
        "id": entry.record.id,
        "deleted": entry.deleted.isoformat(timespec="seconds"),
        "size_bytes": trash.size_of(entry.record),
    }


_names_options = (
    argument("names", metavar="NAME", nargs="+", help="names or ids of records"),
    kind_option,
)


def _named(session: Session, names: list[str]) -> list[trash.TrashEntry]:
    """Return the named entries, each once; nothing is done to any if one does not exist."""
    found = [trash.find_trashed(session.workspace, name, named_kind(session)) for name in names]
    return list({entry.record.id: entry for entry in found}.values())


def _put(session: Session) -> object:
    session.queue.dispatch()
    # All are looked for before any is moved.
    found = [find_any(session, name) for name in session.options.names]
    document: list[dict[str, object]] = []
    for record in {each.folder: each for each in found}.values():
        name = record.name
        users = [(user.kind, user.name) for user in users_of(session.workspace, record)]
        trash.request_trash(session.queue, record)
        session.output.say(f"{name} is in the trash of {session.workspace.root}.")
        if users:
            named = ", ".join(f"{kind.label} {other}" for kind, other in users)
            session.output.say(f"Still needed by: {named}.")
        document.append(
            {
                "kind": record.kind.value,
                "name": name,
                "id": record.id,
                "needed_by": [{"kind": kind.value, "name": other} for kind, other in users],
            }
        )
    return document


def _restore(session: Session) -> object:
    return restore(session, _named(session, session.options.names))


def restore(session: Session, entries: list[trash.TrashEntry]) -> list[dict[str, object]]:
    """Restore records from the trash and print their names.

    Args:
        session: The command in progress.
        entries: The records.

    Returns:
        The records as JSON data.
    """
    document: list[dict[str, object]] = []
    for entry in entries:
        record = session.workspace.restore(entry.record)
        renamed = f" as {record.name}" if record.name != entry.info.name else ""
        session.output.say(f"{entry.info.name} was restored{renamed}.")
        document.append({"kind": record.kind.value, "name": record.name, "id": record.id})
    return document


_delete_options = (_names_options, _yes_option)


def _delete(session: Session) -> object:
    return _delete_forever(session, _named(session, session.options.names))


_empty_options = (
    kind_option,
    argument(
        "--older-than",
        type=float,
        default=0.0,
        metavar="DAYS",
        help="only records deleted at least this many days ago",
    ),
    _yes_option,
)


def _empty(session: Session) -> object:
    days = session.options.older_than
    if not 0 <= days < 1e6:
        raise StudioError(f"--older-than must be at least 0; received {days:g}.")
    limit = datetime.now(UTC) - timedelta(days=days)
    entries = [
        e
        for e in trash.trash_entries(session.workspace, named_kind(session))
        if e.deleted <= limit
    ]
    return _delete_forever(session, entries)


def _delete_forever(session: Session, entries: list[trash.TrashEntry]) -> object:
    size = sum(trash.size_of(entry.record) for entry in entries)
    what = f"{counted(len(entries), 'record')}, {size / _MEGABYTE:,.1f} MB"
    if entries and not session.options.yes:
        _confirm(session, what)
    with session.output.bar("Deleting") as bar:
        trash.delete_forever(session.workspace, entries, BarProgress(session.output, bar))
    session.output.say(f"Deleted forever: {what}.")
    return {"deleted": [entry.record.id for entry in entries], "size_bytes": size}


def _confirm(session: Session, what: str) -> None:
    """Ask before something is lost.

    Raises:
        StudioError: The user did not confirm, or there is no terminal.
    """
    if session.output.as_json or not sys.stdin.isatty():
        raise StudioError(f"This deletes {what} and cannot be undone.", "Add --yes to confirm.")
    session.output.note(f"This deletes {what} and cannot be undone. Type yes to confirm:")
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise StudioError("Nothing was deleted.")


VERBS = (
    Verb("list", "list the deleted records", kind_option, _list),
    Verb("put", "move records of any kind to the trash", _names_options, _put),
    Verb("restore", "restore records from the trash", _names_options, _restore),
    Verb("delete", "delete records in the trash forever", _delete_options, _delete),
    Verb("empty", "delete everything in the trash forever", _empty_options, _empty),
)
