"""The folder `queue/`: which jobs wait or run, to spare looking at ten thousand finished journals.

One file per job, named by the time it was asked for. It is an index, not a state: a missing or
superfluous file changes nothing about a job. A file holds a code by which this user recognizes the
own jobs; those of others wait for confirmation.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

from studio.engine.errors import StudioError
from studio.engine.files import remove
from studio.engine.jobs.job import Job
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.identity import code_for, is_code_for

QUEUE_FOLDER = "queue"
ANNOUNCED_SECONDS = 60.0


def asked_content(plan: bytes, changes: Mapping[str, object]) -> bytes:
    """Return what a job was asked to do, as bytes that its entry in the queue vouches for.

    Args:
        plan: Its plan file.
        changes: Fields of the plan that were changed since, by dotted name.
    """
    return plan + b"\n" + json.dumps(changes, sort_keys=True).encode()


def _signed(record: Record, content: bytes) -> bytes:
    return f"{record.kind.value} {record.id}\n".encode() + content


class QueueIndex:
    """The entries of a workspace; but for `announce` and `is_empty` under the queue's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.root / QUEUE_FOLDER
        if not workspace.read_only:
            self._folder.mkdir(exist_ok=True)
        self._jobs: dict[str, Job] = {}
        self._asked: dict[str, float] = {}
        self._ours: dict[str, bool] = {}

    def announce(self, record: Record, content: bytes) -> None:
        """Add a job, as asked for now by this user on this computer.

        Args:
            record: Its record, which may appear a moment later.
            content: What is asked for, see `asked_content`.
        """
        entry = self._folder / f"{time.time_ns():020d}.{record.kind.value}.{record.id}"
        entry.write_text(code_for(_signed(record, content)), encoding="ascii")

    def is_ours(self, name: str, job: Job) -> bool:
        """Return True if this user announced the job on this computer, and asked for just that."""
        if name not in self._ours:
            try:
                code = (self._folder / name).read_text(encoding="ascii", errors="replace")
                content = asked_content(job.record.plan_file.read_bytes(), job.history.changes)
            except OSError:
                return False
            self._ours[name] = is_code_for(code, _signed(job.record, content))
        return self._ours[name]

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return not self._names()

    def jobs(self) -> list[tuple[str, Job]]:
        """The entries by their age, with their jobs, whose journals are not read anew.

        A job that was started again may have two entries until somebody tidies up.
        """
        names = self._names()
        # Other processes tidy up, too.
        for name in self._jobs.keys() - set(names):
            self._drop(name)
        return [(name, job) for name in names if (job := self._job(name)) is not None]

    def asked_at(self, name: str, job: Job) -> float:
        """When a job was asked for, in seconds since 1970: when its record was made.

        Not the time in the entry's name, which comes milliseconds later: the window has only the
        record, and both must see the same order.
        """
        if name not in self._asked:
            try:
                self._asked[name] = job.record.info().created.timestamp()
            except StudioError:
                moment = name.partition(".")[0]
                self._asked[name] = int(moment) / 1e9 if moment.isdecimal() else 0.0
        return self._asked[name]

    def forget(self, name: str) -> None:
        """Remove the entry of a job that is over."""
        remove(self._folder / name)
        self._drop(name)

    def _names(self) -> list[str]:
        """Return the names of the entries, the oldest first."""
        if self._workspace.read_only and not self._folder.is_dir():
            return []
        return sorted(os.listdir(self._folder))  # noqa: PTH208 - twice as fast; called often

    def _drop(self, name: str) -> None:
        self._jobs.pop(name, None)
        self._asked.pop(name, None)
        self._ours.pop(name, None)

    def _job(self, name: str) -> Job | None:
        if name in self._jobs and self._jobs[name].record.folder.exists():
            return self._jobs[name]
        _, _, rest = name.partition(".")
        kind, _, record_id = rest.partition(".")
        record = (
            self._workspace.record(RecordKind(kind), record_id)
            if kind in RecordKind.__members__.values()
            else None
        )
        if record is None:
            entry = self._folder / name
            if abs(time.time() - entry.stat().st_mtime) > ANNOUNCED_SECONDS:
                remove(entry)
            return None
        return self._jobs.setdefault(name, Job(record))
