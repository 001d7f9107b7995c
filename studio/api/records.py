"""Records and their jobs: what datasets, runs, sweeps and evaluations have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from rich.progress import Progress

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.jobs import control
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.workspace import Record, RecordKind
from studio.engine.workspace.records import checked_tags

RecordT = TypeVar("RecordT", bound="RecordView")
ReportT = TypeVar("ReportT")

if TYPE_CHECKING:
    from studio.api.workspace import Workspace


class Collection(Mapping[str, RecordT]):
    """The records of one kind, by their names.

    Args:
        workspace: The workspace.
        kind: Their kind.
        view: The class that shows one.
    """

    def __init__(self, workspace: Workspace, kind: RecordKind, view: type[RecordT]) -> None:
        self._workspace = workspace
        self._kind = kind
        self._view = view

    def __getitem__(self, name: str) -> RecordT:
        record = self._workspace.records.named(self._kind, name)
        if record is None:
            raise KeyError(
                f'There is no {self._kind.value} "{name}". {did_you_mean(name, list(self))}'
            )
        return self._view(self._workspace, record)

    def __iter__(self) -> Iterator[str]:
        return iter([info.name for _, info in self._workspace.records.infos(self._kind)])

    def __len__(self) -> int:
        return len(self._workspace.records.infos(self._kind))

    def __repr__(self) -> str:
        return f"<{self._kind.value}s: {', '.join(self) or 'none'}>"


class RecordView:
    """A record and its job.

    Args:
        workspace: The workspace.
        record: The record.
    """

    workspace: Workspace

    def __init__(self, workspace: Workspace, record: Record) -> None:
        self.workspace = workspace
        self.record = record
        self.job = Job(record)

    def __repr__(self) -> str:
        return f"<{self.record.kind.value} {self.name}: {self.state}>"

    @property
    def name(self) -> str:
        """Its name."""
        return self.record.name

    @property
    def state(self) -> str:
        """State of the job, such as "queued", "running", "paused" or "completed"."""
        self.job.refresh()
        return self.job.history.state.value

    def begin(self) -> Self:
        """Let the job begin if its turn has come; return at once."""
        self.workspace.queue.dispatch()
        return self

    def wait(self) -> Self:
        """Wait until the job has ended, with a progress bar.

        Raises:
            KeyboardInterrupt: Ctrl+C was pressed: the job has stopped, and what it has so far is
                kept. Pressed twice, it continues in the background.
            StudioError: It was stopped, or failed because of something that its user can change.
            JobFailedError: It failed by a bug, or its process was lost.
        """
        wait_for(self.workspace, self.job)
        return self

    def stop(self) -> Self:
        """Stop the job and wait until it has stopped; its results so far are kept."""
        self.workspace.queue.stop(self.job)
        follow(self.workspace, self.job)
        return self

    @property
    def tags(self) -> list[str]:
        """Its tags; assign a list to change them."""
        return list(self.record.info().tags)

    @tags.setter
    def tags(self, tags: Sequence[str]) -> None:
        self.workspace.records.annotate(self.record, tags=checked_tags(tags))

    @property
    def notes(self) -> str:
        """Its notes; assign a text to change them."""
        return self.record.info().notes

    @notes.setter
    def notes(self, text: str) -> None:
        self.workspace.records.annotate(self.record, notes=text)

    def rename(self, name: str) -> Self:
        """Give it another name.

        Raises:
            StudioError: The name is not fit or already taken.
        """
        self.workspace.records.rename(self.record, name)
        return self

    def delete(self) -> None:
        """Move the record to the trash of the workspace; its name is free at once.

        `studio trash` and the window list, restore and remove what is in the trash. Runs of a
        deleted dataset first store its class names, its preprocessing and a few images: they
        still predict and can be exported, but not resumed or evaluated. This object is of no use
        afterwards.

        Raises:
            StudioError: It is running, or another record needs it.
        """
        request_trash(self.workspace.queue, self.record)


def required_report(report: ReportT | None, job: Job) -> ReportT:
    """Return the report of a completed job.

    Args:
        report: What was read.
        job: The job.

    Raises:
        RuntimeError: There is none.
    """
    if report is None:
        raise RuntimeError(f"{job.record.id} is completed and has no report")
    return report


def wait_for(workspace: Workspace, job: Job) -> JobHistory:
    """Wait until a job is completed.

    Args:
        workspace: The workspace.
        job: The job.

    Raises:
        StudioError: It was stopped, or failed because of something that its user can change.
        JobFailedError: It failed by a bug, or its process was lost.
    """
    history = follow(workspace, job)
    job.raise_if_failed()
    if history.state != State.COMPLETED:
        raise StudioError(f"The {job.job_type.verb} was {history.state.value}.")
    return history


def follow(workspace: Workspace, job: Job) -> JobHistory:
    """Wait until a job has ended, with a progress bar; Ctrl+C as in `studio train`.

    Args:
        workspace: The workspace; it says whether the bar is shown.
        job: The job.

    Raises:
        KeyboardInterrupt: Ctrl+C was pressed. Once, the job has stopped and what it has so far is
            kept; twice, it continues in the background.
    """
    is_interrupted = False
    while True:
        try:
            with Progress(disable=not workspace.progress, transient=True) as bar:
                task = bar.add_task(job.record.name, total=1.0)
                for _ in control.follow(workspace.queue, job):
                    bar.update(task, completed=job.history.fraction or 0.0)
            break
        except KeyboardInterrupt:
            if is_interrupted:
                raise
            is_interrupted = True
            workspace.queue.stop(job)
    if is_interrupted and job.history.state != State.COMPLETED:
        raise KeyboardInterrupt
    return job.history
