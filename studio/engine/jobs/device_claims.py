"""Claims on the devices of this machine: one job per device for all users, in a fair order.

The queue of a workspace decides which of its jobs is next. Its worker then claims the devices of
the job among all workspaces and users of the machine, and waits while another has them. A claim
is a file in `machine_folder`, which counts as long as its process lives: a crashed worker frees
its devices at once.

**Order.** Of those who wait for the same device, the user who got a device least recently is
first, and of several jobs of a user the one that waits longest. A job that waits for two GPUs
keeps later ones from both.

**Sharing.** Jobs of the same workspace may share a device; the queue of the workspace decides that
(trials of a sweep). The CPU takes jobs of several workspaces, one for each four cores.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from studio.engine.errors import StudioError
from studio.engine.jobs.devices import CPU, FreeGpuMemory, gpu_memory
from studio.engine.jobs.job import Job
from studio.engine.jobs.machine_folder import (
    LiveFile,
    OwnFile,
    deciding,
    live_files,
    machine_folder,
    user_name,
)
from studio.engine.messages import as_message, message
from studio.engine.workspace import Workspace

CORES_PER_JOB: Final = 4
MIN_FREE_BYTES: Final = 2**30
"""Free memory that a GPU must have before a job starts on it, or a quarter of a small one."""
BUSY: Final = message("other jobs are starting")
"""Reason to wait that says nothing of the devices: it was not this process's turn to look."""
_MAX_LENGTH: Final = 200
_Short = Annotated[str, StringConstraints(max_length=_MAX_LENGTH)]


class Claim(BaseModel, frozen=True):
    """Content of the file of a job that has or waits for devices.

    Attributes:
        user: Name of the user; only for display.
        workspace: Key of the workspace, see `workspace_key`.
        kind: Kind of the record.
        job: Name of the record.
        devices: Names of the devices.
        since: Time at which it began to wait or, if it has them, got the devices.
        has: True if the job has the devices; False if it waits for them.
    """

    user: _Short
    workspace: _Short
    kind: _Short
    job: _Short
    devices: Annotated[tuple[_Short, ...], Field(max_length=64)]
    since: float
    has: bool = False


@dataclass(frozen=True, slots=True)
class LiveClaim:
    """A claim of a living process, with its owner by the system and the name of its file."""

    claim: Claim
    owner: str
    name: str

    @property
    def text(self) -> str:
        """User and job, in words."""
        return message("{user} ({job})", user=self.claim.user, job=self.claim.job)


def workspace_key(root: Path) -> str:
    """Return a text that is equal for all paths of a workspace on this machine."""
    facts = root.stat()
    return f"{facts.st_dev}:{facts.st_ino}" if facts.st_ino else str(root)[-_MAX_LENGTH:]


def cpu_capacity() -> int:
    """Return the number of workspaces that may train on the CPU of this machine at once."""
    return max(1, (os.cpu_count() or 1) // CORES_PER_JOB)


def all_claims() -> list[LiveClaim]:
    """Return the claims of all users; none if the folder of the machine cannot be used."""
    with contextlib.suppress(StudioError, OSError):
        return _claims(machine_folder())
    return []


def taken_elsewhere(root: Path, claims: Iterable[LiveClaim]) -> frozenset[str]:
    """Return the devices that jobs of other workspaces have.

    Args:
        root: Folder of the own workspace.
        claims: All claims.
    """
    own = workspace_key(root)
    others = [each.claim for each in claims if each.claim.has and each.claim.workspace != own]
    taken = {device for claim in others for device in claim.devices}
    full = len({claim.workspace for claim in others if CPU in claim.devices}) >= cpu_capacity()
    return frozenset(taken if full else taken - {CPU})


def others_wait(root: Path, devices: Iterable[str]) -> bool:
    """Return True if a job of another workspace waits for one of some devices.

    Args:
        root: Folder of the own workspace.
        devices: Names of the devices.
    """
    own, wanted = workspace_key(root), set(devices)
    claims = [each.claim for each in all_claims() if not each.claim.has]
    return any(each.workspace != own and not wanted.isdisjoint(each.devices) for each in claims)


class DeviceClaim:
    """The claim of one job. Use it in `with`; `attempt` it until it returns nothing.

    Args:
        workspace: Workspace of the job.
        job: The job, its journal read.
        is_reused: True if this process had the same devices for a job before: it may still have
            their memory, which is not waited for.
    """

    def __init__(self, workspace: Workspace, job: Job, *, is_reused: bool = False) -> None:
        self._is_reused = is_reused
        self._claim = Claim(
            user=user_name()[:_MAX_LENGTH],
            workspace=workspace_key(workspace.root),
            kind=job.record.kind.value,
            job=job.record.name[:_MAX_LENGTH],
            devices=job.history.devices,
            since=time.time(),
        )
        self._folder = machine_folder()
        self._file: OwnFile | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def attempt(self) -> str:
        """Take the devices if it is the turn of this job.

        Returns:
            An empty text if the job has them now; otherwise why it waits.

        Raises:
            OSError: The folder of the machine cannot be used.
        """
        # Before the lock that others wait for: a driver may take its time to answer.
        memory = {} if self._is_reused else {d: gpu_memory(d) for d in self._claim.devices}
        with deciding(self._folder) as is_alone:
            if not is_alone:
                return BUSY
            if self._file is None:
                try:
                    self._file = OwnFile(self._folder, self._claim.model_dump_json().encode())
                except BlockingIOError:  # another process reads it just now
                    return BUSY
            reason = self._obstacle(_claims(self._folder, tidy=True), memory)
            if not reason:
                got = self._claim.model_copy(update={"has": True, "since": time.time()})
                self._file.write(got.model_dump_json().encode())
                _note_served(self._folder, _own_id(self._claim))
            return reason

    def _obstacle(
        self, claims: Sequence[LiveClaim], memory: Mapping[str, FreeGpuMemory | None]
    ) -> str:
        own_name = "" if self._file is None else self._file.path.name
        holders = [each for each in claims if each.claim.has]
        for device in self._claim.devices:
            if reason := self._in_use(device, holders, memory.get(device)):
                return reason
        waiting = [
            each
            for each in claims
            if not each.claim.has and not set(self._claim.devices).isdisjoint(each.claim.devices)
        ]
        served = {each.owner: _served(self._folder, each.owner) for each in waiting}
        waiting.sort(key=lambda each: (served[each.owner], each.claim.since, each.name))
        if waiting and waiting[0].name != own_name:
            return message("it is the turn of {who}", who=as_message(waiting[0].text))
        return ""

    def _in_use(
        self, device: str, holders: Sequence[LiveClaim], memory: FreeGpuMemory | None
    ) -> str:
        here = [each for each in holders if device in each.claim.devices]
        own = self._claim.workspace
        others = [each for each in here if each.claim.workspace != own]
        limit = cpu_capacity() if device == CPU else 1
        if len({each.claim.workspace for each in others}) >= limit:
            return message(
                "{device} is in use by {who}", device=device, who=as_message(others[0].text)
            )
        is_full = memory is not None and memory.free < min(MIN_FREE_BYTES, memory.total / 4)
        return _too_full(device, memory) if memory is not None and is_full and not here else ""


def _too_full(device: str, memory: FreeGpuMemory) -> str:
    return message(
        "{device} has only {free:.1f} of {total:.1f} GB free: other programs use it",
        device=device,
        free=memory.free / 2**30,
        total=memory.total / 2**30,
    )


def _claims(folder: Path, *, tidy: bool = False) -> list[LiveClaim]:
    found = []
    for file in live_files(folder, tidy=tidy):
        with contextlib.suppress(ValidationError):  # half written, or not ours
            claim = Claim.model_validate_json(file.content)
            found.append(LiveClaim(claim, _owner(file, claim), file.name))
    return found


def _owner(file: LiveFile, claim: Claim) -> str:
    """Return the id of the user of a claim: the system's, which the user cannot choose."""
    return file.owner or claim.user


def _own_id(claim: Claim) -> str:
    return claim.user if sys.platform == "win32" else str(os.geteuid())


def _served_file(folder: Path, user: str) -> Path:
    return folder / f"{re.sub(r'[^A-Za-z0-9._-]', '_', user)}.served"


def _served(folder: Path, user: str) -> float:
    """Return when a user last got a device; 0 for never. Only the user's own file counts."""
    with contextlib.suppress(OSError):
        facts = _served_file(folder, user).lstat()
        if _is_file_of(facts, user):
            return facts.st_mtime
    return 0.0


def _is_file_of(facts: os.stat_result, user: str) -> bool:
    return sys.platform == "win32" or str(facts.st_uid) == user


def _note_served(folder: Path, user: str) -> None:
    path = _served_file(folder, user)
    with contextlib.suppress(OSError):  # another user has put something there
        flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        try:
            handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
        try:
            now = time.time_ns()  # the system's own time for files has steps of milliseconds
            os.utime(handle if os.utime in os.supports_fd else path, ns=(now, now))
        finally:
            os.close(handle)
