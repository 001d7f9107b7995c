"""Deleting records: to the trash, back from it, and forever."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import one_form
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.references import reference_of
from studio.engine.jobs.states import State
from studio.engine.jobs.types import JOB_KINDS, job_type
from studio.engine.messages import joined, message
from studio.engine.progress import Progress
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """A record in the trash.

    Attributes:
        record: The record there.
        info: Its name, notes and tags.
        deleted: Time of deletion, in UTC.
    """

    record: Record
    info: RecordInfo
    deleted: datetime


def request_trash(queue: JobQueue, record: Record) -> Record:
    """Move a record to the trash, unless another job needs it.

    Other records first store what they need from it.

    Args:
        queue: Queue of the workspace.
        record: The record.

    Returns:
        The record in the trash, for `Workspace.restore`.

    Raises:
        StudioError: A worker runs it, or an unfinished job needs it.
        DiskFullError: No space was left for what other records store; nothing was deleted.
    """
    try:
        return _moved_to_trash(queue, record)
    except (StudioError, OSError) as error:
        if record.folder.exists():
            raise
        raise StudioError(
            'The {kind} "{record}" was already deleted.',
            "It may still be in the trash.",
            kind=record.kind.label,
            record=record.id,
        ) from error


def _moved_to_trash(queue: JobQueue, record: Record) -> Record:
    return queue.trash(record, partial(_prepare_deletion, queue, record))


def _prepare_deletion(queue: JobQueue, record: Record) -> None:
    if record.kind in JOB_KINDS:
        require_idle(Job(record))
    _require_unused(queue, record)
    for each in map(job_type, JOB_KINDS):
        if each.before_deletion is not None:
            each.before_deletion(queue.workspace, record)


def failed_jobs(workspace: Workspace, kind: RecordKind | None = None) -> list[Record]:
    """Return the records whose job failed; runs of a sweep that is not over are left out.

    Args:
        workspace: Workspace of the records.
        kind: Only records of this kind; None for all.
    """
    in_use: set[str] = set()
    for each in JOB_KINDS:
        if not job_type(each).is_coordinator:
            continue
        for record in workspace.records(each):
            coordinator = Job.read(record)
            if not coordinator.history.state.is_finished:
                in_use |= coordinator.history.children
    found = []
    for each in JOB_KINDS if kind is None else (kind,):
        for record in workspace.records(each):
            job = Job.read(record)
            if job.history.state == State.FAILED and record.id not in in_use:
                found.append(record)
    return found


def trash_failed(queue: JobQueue, kind: RecordKind | None = None) -> list[Record]:
    """Move the records of all failed jobs to the trash; those that are still needed stay.

    Args:
        queue: The queue of the workspace.
        kind: Only records of this kind; None for all.

    Returns:
        The records in the trash, for `restore_all`.

    Raises:
        StudioError: There are no failed jobs, or none could be moved.
    """
    records = failed_jobs(queue.workspace, kind)
    if not records:
        raise StudioError("There are no failed jobs.")
    return trash_all(queue, records)


def trash_all(queue: JobQueue, records: Sequence[Record]) -> list[Record]:
    """Move records to the trash; jobs that waited wait again when they are restored.

    Args:
        queue: The queue of the workspace.
        records: The records; those that cannot be moved stay.

    Returns:
        The records in the trash, for `restore_all`.

    Raises:
        StudioError: None could be moved; the reason is that of the first one.
    """
    trashed: list[Record] = []
    failures: list[StudioError] = []
    for record in records:
        try:
            trashed.append(request_trash(queue, record))
        except StudioError as error:
            failures.append(error)
    if failures and not trashed:
        raise failures[0]
    return trashed


def restore_all(workspace: Workspace, trashed: Sequence[Record]) -> None:
    """Restore several records from the trash.

    Args:
        workspace: The workspace.
        trashed: Records in the trash.

    Raises:
        StudioError: One no longer exists.
    """
    for record in trashed:
        workspace.restore(record)


def _require_unused(queue: JobQueue, record: Record) -> None:
    """Refuse to delete a record that a waiting or running job needs."""
    for user in (entry.job for entry in queue.entries()):
        try:
            needed = reference_of(user)
        except StudioError:
            continue  # its plan cannot be read, so it will not run
        if needed == record.id:
            raise StudioError(
                'The {kind} "{name}" is {state} and needs the {other_kind} "{other}".',
                message('Stop "{name}" first, or wait until it ends.', name=user.record.name),
                kind=user.record.kind.label,
                name=user.record.name,
                state=user.history.state.label,
                other_kind=record.kind.label,
                other=record.name,
            )


def trash_entries(workspace: Workspace, kind: RecordKind | None = None) -> list[TrashEntry]:
    """Return the records in the trash, most recently deleted first; damaged ones are skipped.

    Args:
        workspace: Workspace of the trash.
        kind: Only records of this kind; None for all.
    """
    found = []
    for each in RecordKind if kind is None else (kind,):
        for record in workspace.trashed(each):
            try:
                info = record.info()
                deleted = datetime.fromtimestamp(record.folder.stat().st_mtime, UTC)
            except (StudioError, FileNotFoundError):
                continue  # as in `Workspace.infos`; or the trash was just emptied
            found.append(TrashEntry(record, info, deleted))
    return sorted(found, key=lambda entry: (entry.deleted, entry.info.id), reverse=True)


def find_trashed(workspace: Workspace, name: str, kind: RecordKind | None = None) -> TrashEntry:
    """Return the record in the trash with a name, ignoring case, or an id.

    Among several records of that name, the one deleted last is returned.

    Args:
        workspace: The workspace.
        name: Name or id of the record.
        kind: Kind to search; None for all.

    Raises:
        StudioError: It does not exist, or records of different kinds have that name.
    """
    entries = trash_entries(workspace, kind)
    requested = one_form(name).casefold()
    found = [entry for entry in entries if entry.record.id == name]
    found = found or [entry for entry in entries if entry.info.name.casefold() == requested]
    if not found:
        what = message("record") if kind is None else kind.label
        hint = did_you_mean(name, [entry.info.name for entry in entries]) or "The trash is empty."
        raise StudioError(
            'There is no {kind} called "{name}" in the trash.', hint, kind=what, name=name
        )
    kinds = sorted({entry.record.kind for entry in found})
    if len(kinds) > 1:
        raise StudioError(
            'The trash contains records of several kinds called "{name}": {kinds}.',
            "Choose the kind, for example --kind run.",
            "kind",
            name=name,
            kinds=joined([kind.label for kind in kinds], ", "),
        )
    return found[0]


def size_of(record: Record) -> int:
    """Return the bytes of all files of a record; files that vanish meanwhile count 0."""
    total = 0
    for folder, _, names in os.walk(record.folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - fast
            except FileNotFoundError:
                continue
    return total


def delete_forever(
    workspace: Workspace,
    entries: Sequence[TrashEntry],
    progress: Progress,
    done: Callable[[TrashEntry], None] | None = None,
) -> None:
    """Delete records of the trash; this cannot be undone.

    Args:
        workspace: Workspace of the trash.
        entries: The records to delete.
        progress: Receives the count, and may cancel between two records.
        done: Called with each record that is gone.

    Raises:
        StudioError: A record is not in the trash, or its files cannot be removed.
        Cancelled: Through `progress`; what was deleted before is gone.
    """
    for number, entry in enumerate(entries):
        progress.check()
        progress.advance(number, len(entries), "Deleting")
        workspace.delete_forever(entry.record)
        if done is not None:
            done(entry)
    progress.advance(len(entries), len(entries), "Deleting")


def require_idle(job: Job) -> None:
    """Refuse to delete a record while a worker is at it.

    Raises:
        StudioError: A worker is at it.
    """
    job.refresh()
    if job.history.state.has_worker:
        raise StudioError(
            'The {kind} "{name}" is {state}.',
            "Stop it first.",
            kind=job.record.kind.label,
            name=job.record.name,
            state=job.history.state.label,
        )
