"""The queue of a workspace: which jobs wait, which run, and who starts the next one.

There is no server. `dispatch` may be called by anybody at any time: the window does so a few times
a second, the command line while it waits, a worker when it ends. It works under one lock, so no
job is started twice, and whoever calls it notices workers that died.

`queue/` in the workspace holds one empty file per job that waits or runs, named by the time it was
asked for. It is an index, to spare looking at ten thousand finished journals, not a state: a
missing or superfluous file changes nothing about a job.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from studio.engine.errors import StudioError
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

    def submit(self, plan: Plan, name: str, *, or_similar: bool = False) -> Job:
        """Make the record of a plan and put it at the end of the queue.

        Args:
            plan: What is asked for.
            name: The record's name.
            or_similar: Number the name when it is taken, instead of refusing it.

        Raises:
            StudioError: The name is not fit or already taken.
        """
        kind = kind_of(plan)
        record = self.workspace.create(
            kind.record, name, plan.to_json(), self._announce, or_similar=or_similar
        )
        return Job(record)

    def restart(self, job: Job) -> None:
        """Put a job that ended back at the end of the queue.

        Raises:
            StudioError: A worker is still at it.
        """
        with self.changing(job):
            if job.history.state.is_at_rest:
                self._announce(job.record)
                job.append(StateChanged(state=State.QUEUED, attempt=job.history.attempt))

    def stop(self, job: Job) -> None:
        """Ask a job to end: one that waits ends now, a worker stops at its next step.

        Raises:
            StudioError: The queue is busy.
        """
        job.refresh()
        if job.history.state == State.QUEUED:
            with self.changing(job):
                if job.history.state == State.QUEUED:
                    job.append(
                        StateChanged(
                            state=State.STOPPED,
                            attempt=job.history.attempt,
                            reason="It was taken out of the queue before it started.",
                        )
                    )
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
        """Whether nothing waits or runs, as far as the index knows, and no child is left."""
        return not self._children and next(iter(self._folder.iterdir()), None) is None

    @contextlib.contextmanager
    def changing(self, job: Job) -> Iterator[None]:
        """Keep dispatchers and workers away from a job whose journal was read just now.

        Raises:
            StudioError: A worker is at it, or somebody has kept the queue locked.
        """
        try:
            with self._lock.acquire(timeout=30), holding(job.record.folder, seconds=5):
                job.refresh()
                yield
        except (JobBusy, Timeout) as error:
            raise StudioError(
                f'The {job.record.kind.value} "{job.record.name}" is being worked on.',
                "Wait a moment, or stop it first.",
            ) from error

    def _dispatch(self) -> None:
        at_work: list[Job] = []
        waiting: list[Job] = []
        entries = sorted(self._folder.iterdir())
        # Other processes tidy up, too.
        for name in self._jobs.keys() - {entry.name for entry in entries}:
            del self._jobs[name]
        for entry in entries:
            job = self._job(entry)
            if job is None:
                continue
            job.refresh()
            if job.history.state.has_worker:
                self._settle(job)
            if job.history.state.has_worker:
                at_work.append(job)
            elif job.history.state == State.QUEUED:
                waiting.append(job)
            else:
                self._forget(entry)
        self._collect_children({job.record.folder for job in at_work})
        busy = Counter(job.record.kind for job in at_work)
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

    def _forget(self, entry: Path) -> None:
        entry.unlink(missing_ok=True)
        self._jobs.pop(entry.name, None)

    def _collect_children(self, at_work: set[Path]) -> None:
        """Let the system forget workers that ended; of a job at work it is settled first."""
        ended = [folder for folder, child in self._children.items() if child.poll() is not None]
        for folder in ended:
            if folder not in at_work:
                del self._children[folder]

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
