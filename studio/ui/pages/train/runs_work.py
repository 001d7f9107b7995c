"""What is done to several runs at once; it touches the disk, so not in the window's thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import differing, settings_of
from studio.engine.workspace import Record, Workspace

Asked = tuple[TrainingPlan, Mapping[str, object]]
"""A plan, and what became of it later."""


def throw_all(queue: JobQueue, records: Sequence[Record]) -> list[Record]:
    """Move runs to the trash; those that wait are taken out of the queue first.

    Returns:
        Them in the trash, for `restore_all`. One that has just begun to train stays.

    Raises:
        StudioError: None could be moved; it says why the first could not.
    """
    trashed, failures = [], []
    for record in records:
        job = Job(record)
        job.refresh()
        try:
            if job.history.state == State.QUEUED:
                queue.stop(job)
            trashed.append(request_trash(queue, record))
        except StudioError as error:
            failures.append(error)
    if failures and not trashed:
        raise failures[0]
    return trashed


def retag_all(workspace: Workspace, records: Sequence[Record], tag: str, *, on: bool) -> None:
    """Give a tag to runs, or take it from them.

    Raises:
        StudioError: The tag is not fit, or a run is gone.
    """
    for record in records:
        workspace.retag(record, add=[tag] if on else [], remove=[] if on else [tag])


def keep_text(workspace: Workspace, record: Record, key: str, text: str) -> None:
    """Keep what was typed as a run's name, group, tags or notes.

    Raises:
        StudioError: It is not fit, or the name is taken.
    """
    if key == "name":
        workspace.rename(record, text)
    elif key == "group":
        workspace.annotate(record, group=text)
    elif key == "tags":
        workspace.annotate(record, tags=tuple(text.split(",")))
    else:
        workspace.annotate(record, notes=text)


def differing_settings(asked: Sequence[Asked]) -> list[str]:
    """Names of the settings that are not the same in all these runs."""
    return differing([settings_of(plan, changes) for plan, changes in asked])
