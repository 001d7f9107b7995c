"""The queue of a served workspace: jobs are submitted to the server, which starts them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from studio.engine.errors import StudioError
from studio.engine.jobs.commands import CommandName
from studio.engine.jobs.devices import Device
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue, QueueEntry
from studio.engine.jobs.types import type_of_plan
from studio.engine.plans import Plan
from studio.engine.served.follower import ServerFollower
from studio.engine.served.workspace import MirroredWorkspace, record_address
from studio.engine.workspace import Record

ARRIVAL_SECONDS: Final = 20.0
"""Longest time for which a new record is waited for; later it comes by itself."""
_POLL_SECONDS: Final = 0.05


class ServedQueue(JobQueue):
    """Submits and commands jobs of a workspace on a server; see `JobQueue`.

    Args:
        workspace: The workspace.
        follower: Brings its records.
    """

    def __init__(self, workspace: MirroredWorkspace, follower: ServerFollower) -> None:
        super().__init__(workspace, ())
        self._served = workspace
        self._follower = follower

    @property
    def is_paused(self) -> bool:
        """True if the queue of the server is paused."""
        return self._follower.status.is_queue_paused

    @is_paused.setter
    def is_paused(self, _paused: bool) -> None:
        """Ignore what the base class finds in the folder: the server says it."""

    @property
    def devices(self) -> Sequence[Device]:
        """Devices of the server."""
        return self._follower.status.facts.devices

    def submit(
        self,
        plan: Plan,
        name: str,
        *,
        or_similar: bool = False,
        fill: Callable[[Path], None] | None = None,
    ) -> Job:
        """Submit a job to the server, which checks its plan again; see `JobQueue`.

        Args:
            plan: The requested plan.
            name: Name of the record; kinds without a name of their own are named by the server.
            or_similar: Not used: the server knows for which kinds a taken name is numbered.
            fill: Not used: the server writes what belongs to the job.

        Raises:
            StudioError: The server refuses the plan or the token, or does not answer.
        """
        del or_similar, fill
        kind = type_of_plan(plan).record
        reason = self.workspace.refusal(kind)
        if reason:
            raise StudioError(reason)
        body = {"kind": kind.value, "name": name, "plan": plan.model_dump(mode="json")}
        made = self._served.server.json("POST", "/jobs", body)
        record = self.workspace.record_handle(kind, str(made.get("id", "")))
        if record is None:
            raise self._served.server.foreign()
        return self._arrived(record)

    def _arrived(self, record: Record) -> Job:
        """Wait until a new record is in the mirror, and return its job."""
        until = time.monotonic() + ARRIVAL_SECONDS
        while not record.folder.is_dir() and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        return Job.read(record)

    def restart(self, job: Job) -> None:
        """Put a job that ended back into the queue of the server."""
        self._command(job.record, "restart")

    def stop(self, job: Job) -> None:
        """Ask the server to stop a job."""
        self._command(job.record, "stop")

    def send(self, job: Job, command: CommandName, value: float | None = None) -> None:
        """Send a command to the worker of a job, through the server; see `JobQueue`.

        Args:
            job: The job.
            command: The command.
            value: Argument of commands with a number.

        Raises:
            StudioError: The server refuses it or does not answer.
        """
        self._command(job.record, command, None if value is None else {command: value})

    def ask_server(self, job: Job, request: str, value: float | None = None) -> bool:
        """Let the server do a request; see `JobQueue`.

        Args:
            job: The job.
            request: Last part of the path of the request.
            value: Its argument.

        Returns:
            True: the server did it.
        """
        self._command(job.record, request, None if value is None else {request: value})
        return True

    def trash(self, record: Record, prepare: Callable[[], None]) -> Record:
        """Move a record to the trash of the server, which checks it; see `JobQueue.trash`."""
        del prepare
        return self.workspace.trash(record)

    def set_paused(self, paused: bool) -> None:
        """Pause the whole queue of the server, or resume it."""
        self._served.require_role("admin")
        self._served.server.json("POST", f"/queue/{'pause' if paused else 'resume'}")

    def dispatch(self) -> None:
        """Start nothing: the server does."""

    def is_idle(self) -> bool:
        """Return True: nothing is to be started from here."""
        return True

    def entries(self) -> list[QueueEntry]:
        """Return nothing: the server checks which records are in use."""
        return []

    def locked(self) -> NoReturn:
        """Refuse what changes the order of the queue, or a journal.

        Raises:
            StudioError: Always.
        """
        raise StudioError(
            "This cannot be done in a workspace on a server: {workspace}.",
            "Do it on the server, in the workspace itself.",
            workspace=self.workspace.title,
        )

    def _command(self, record: Record, word: str, body: object = None) -> None:
        self._served.require_role("run")
        self._served.server.json("POST", f"{record_address(record)}/{word}", body)
