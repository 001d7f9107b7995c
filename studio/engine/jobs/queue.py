"""The queue of a workspace: which jobs wait, which run, and who starts the next one.

There is no server. `dispatch` may be called by anybody at any time: the window does so a few times
a second, the command line while it waits, a worker when it ends. It works under one lock, so no
job is started twice, and whoever calls it notices workers that died.

`queue/` in the workspace holds one empty file per job that waits or runs, named by the time it was
asked for. It is an index, to spare looking at ten thousand finished journals, not a state: a
missing or superfluous file changes nothing about a job.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from pathlib import Path

from filelock import FileLock, Timeout

from studio.engine.jobs import commands
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.kinds import kind_of
from studio.engine.jobs.launch import LOG_FILE, launch_worker
from studio.engine.jobs.lock import JobBusy, holding, is_held
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.workspace import Record, RecordKind, Workspace

QUEUE_FOLDER = "queue"
# From "starting" to the worker's lock: importing Python on a slow, busy machine.
STARTING_SECONDS = 60.0
ANNOUNCED_SECONDS = 60.0


class JobQueue:
    """The jobs of one workspace that wait or run."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._folder = workspace.root / QUEUE_FOLDER
        self._folder.mkdir(exist_ok=True)
        self._lock = FileLock(workspace.root / ".queue.lock")
        self._jobs: dict[str, Job] = {}
        self._children: dict[Path, subprocess.Popen[bytes]] = {}

    def submit(self, plan: Plan, name: str) -> Job:
        """Make the record of a plan and put it at the end of the queue.

        Raises:
            StudioError: The name is not fit or already taken.
        """
        kind = kind_of(plan)
        record = self.workspace.create(kind.record, name, plan.to_json(), self._announce)
        return Job(record)

    def restart(self, job: Job) -> None:
        """Put a job that ended back at the end of the queue.

        Raises:
            JobBusy: A worker is still at it.
        """
        with holding(job.record.folder, seconds=5):
            job.refresh()
            if job.history.state.is_finished or job.history.state == State.PAUSED:
                self._announce(job.record)
                job.append(StateChanged(state=State.QUEUED, attempt=job.history.attempt))

    def stop(self, job: Job) -> None:
        """Ask a job to end: one that waits ends now, a worker stops at its next step."""
        job.refresh()
        if job.history.state == State.QUEUED:
            with self._lock.acquire(timeout=30), holding(job.record.folder, seconds=5):
                job.refresh()
                if job.history.state == State.QUEUED:
                    reason = "It was taken out of the queue before it started."
                    job.append(StateChanged(state=State.STOPPED, reason=reason))
                    return
        if job.history.state.has_worker:
            commands.send(job.record.folder, "stop", job.history.attempt)

    def dispatch(self) -> None:
        """Settle jobs whose worker died, and start as many waiting ones as there are slots."""
        try:
            with self._lock.acquire(timeout=0):
                self._dispatch()
        except Timeout:
            return  # somebody else is just doing it

    def is_idle(self) -> bool:
        """Whether nothing waits or runs, as far as the index knows."""
        return next(iter(self._folder.iterdir()), None) is None

    def _dispatch(self) -> None:
        busy: Counter[RecordKind] = Counter()
        waiting: list[Job] = []
        for entry in sorted(self._folder.iterdir()):
            job = self._job(entry)
            if job is None:
                continue
            job.refresh()
            if job.history.state.has_worker:
                self._settle(job)
            if job.history.state.has_worker:
                busy[job.record.kind] += 1
            elif job.history.state == State.QUEUED:
                waiting.append(job)
            else:
                self._forget(entry, job)
        for job in waiting:
            if busy[job.record.kind] < job.kind.slots:
                self._start(job)
                busy[job.record.kind] += 1

    def _announce(self, record: Record) -> None:
        (self._folder / f"{time.time_ns():020d}.{record.kind.value}.{record.id}").touch()

    def _job(self, entry: Path) -> Job | None:
        if entry.name in self._jobs and self._jobs[entry.name].record.folder.exists():
            return self._jobs[entry.name]
        _, _, rest = entry.name.partition(".")
        kind, _, record_id = rest.partition(".")
        record = (
            self.workspace.record(RecordKind(kind), record_id)
            if kind in RecordKind.__members__.values()
            else None
        )
        if record is None:
            if time.time() - entry.stat().st_mtime > ANNOUNCED_SECONDS:
                entry.unlink(missing_ok=True)
            return None
        return self._jobs.setdefault(entry.name, Job(record))

    def _forget(self, entry: Path, job: Job) -> None:
        entry.unlink(missing_ok=True)
        self._jobs.pop(entry.name, None)
        child = self._children.get(job.record.folder)
        if child is not None and child.poll() is not None:
            del self._children[job.record.folder]

    def _start(self, job: Job) -> None:
        folder = job.record.folder
        try:
            with holding(folder, seconds=1):
                job.refresh()
                if job.history.state != State.QUEUED:
                    return
                attempt = job.history.attempt + 1
                job.append(StateChanged(state=State.STARTING, attempt=attempt))
        except JobBusy:
            return  # its last worker is just going; the next dispatch takes it
        try:
            self._children[folder] = launch_worker(folder, attempt)
        except OSError as error:
            with holding(folder, seconds=5):
                job.append(
                    StateChanged(
                        state=State.FAILED,
                        attempt=attempt,
                        category="internal",
                        reason=f"The worker process could not be started: {error}.",
                    )
                )

    def _settle(self, job: Job) -> None:
        """Record a worker's death in its journal, if it is dead."""
        folder = job.record.folder
        child = self._children.get(folder)
        exit_code = child.poll() if child is not None else None
        if is_held(folder) or (exit_code is None and self._may_be_starting(job)):
            return
        try:
            with holding(folder, seconds=0.5):
                job.refresh()
                if not job.history.state.has_worker:
                    return
                job.append(
                    StateChanged(
                        state=State.LOST,
                        attempt=job.history.attempt,
                        reason=_why_lost(exit_code, job),
                        hint="What was saved until then is kept.",
                        detail=_tail(folder / LOG_FILE),
                    )
                )
        except JobBusy:
            return

    def _may_be_starting(self, job: Job) -> bool:
        if job.history.state != State.STARTING:
            return False
        since = job.history.updated_at or 0.0
        return time.time() - since < STARTING_SECONDS


def _why_lost(exit_code: int | None, job: Job) -> str:
    if exit_code is None:
        when = job.history.updated_at or 0.0
        last = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(when))
        return (
            "The worker process ended without a word: it was killed, it crashed, or the machine "
            f"went down. Its last sign of life was at {last}."
        )
    if exit_code == -9:
        return (
            "The worker process was killed (signal 9). If that was not you, the system "
            "probably ran out of memory."
        )
    if exit_code < 0:
        return f"The worker process was ended by signal {-exit_code}."
    return f"The worker process ended with exit code {exit_code} before its work was done."


def _tail(path: Path, size: int = 4000) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - size))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
