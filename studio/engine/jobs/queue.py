"""The queue of a workspace: which jobs wait, which run, and who starts the next one.

There is no server. `dispatch` may be called by any process at any time: the window does so a few
times a second, the command line while it waits, a worker when it ends. It works under one lock, so
no job is started twice, and each call notices workers that died. What starts on which device is
decided in `scheduling`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import json
import os
import secrets
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import platformdirs
from filelock import FileLock, Timeout

from studio.engine.errors import StudioError
from studio.engine.files import locked, move, remove
from studio.engine.jobs import launch
from studio.engine.jobs.commands import CommandName
from studio.engine.jobs.device_claims import all_claims, taken_elsewhere
from studio.engine.jobs.devices import Device, machine_devices, visible_devices
from studio.engine.jobs.events import QueueChanged, StateChanged
from studio.engine.jobs.executors.handed_over import HANDED_OVER, is_handed_over
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, send_command
from studio.engine.jobs.launch import launch_worker
from studio.engine.jobs.liveness import JobBusy, holding, is_held, settle
from studio.engine.jobs.machine_folder import user_name
from studio.engine.jobs.references import reference_of
from studio.engine.jobs.scheduling import (
    SchedulingDecision,
    Wait,
    running_job,
    schedule,
    waiting_job,
)
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan, type_of_plan
from studio.engine.messages import message
from studio.engine.plans import Plan
from studio.engine.workspace import (
    InTrashError,
    Limits,
    Record,
    RecordKind,
    Workspace,
    read_limits,
)

# Who asked for a job: work that was queued on another computer is not started unasked.
#
# A workspace is a folder that people send each other. Its queue could make the person who opens it
# download, train elsewhere or write files, so each entry of the queue carries a code that only
# this user on this computer can make.

KEY_FILE = "machine.key"
_KEY_BYTES = 32


def code_for(content: bytes) -> str:
    """Return a code for some content that another user or computer cannot make.

    Args:
        content: Everything that the code vouches for.
    """
    return hmac.new(machine_key(), content, hashlib.sha256).hexdigest()


def is_code_for(code: str, content: bytes) -> bool:
    """Return True if this user created a code on this computer for the same content.

    Args:
        code: The code.
        content: Content that it was created for.
    """
    return hmac.compare_digest(code.encode(), code_for(content).encode())


@functools.cache
def machine_key() -> bytes:
    """Return the secret of this user on this computer; made when it is first needed.

    Where no settings can be written it is derived from the computer and the user: then it protects
    from mistakes, not from an attacker who knows both.
    """
    path = platformdirs.user_config_path("Studio") / KEY_FILE
    try:
        return _stored_key(path)
    except OSError:
        return hashlib.sha256(f"{uuid.getnode()} {user_name()}".encode()).digest()


def _stored_key(path: Path) -> bytes:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and linked: of two processes that start at once, one key stays.
        draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, secrets.token_bytes(_KEY_BYTES))
        finally:
            os.close(handle)
        try:
            os.link(draft, path)  # fails where another process was faster
        except FileExistsError:
            pass
        except OSError:  # a disk without hard links
            move(draft, path)
        finally:
            remove(draft)
    return path.read_bytes()


# The folder `queue/`: which jobs wait or run, so that finished journals are not read.
#
# One file per job, named by the time it was requested. It is an index, not a state: a missing or
# superfluous file changes nothing about a job. A file holds a code by which this user recognizes
# the own jobs; those of others wait for confirmation.

QUEUE_FOLDER = "queue"
ANNOUNCED_SECONDS = 60.0


def asked_content(plan: bytes, changes: Mapping[str, object]) -> bytes:
    """Return the content of a job's request, as bytes that its entry in the queue confirms.

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
        """Add a job that this user requests now on this computer.

        Args:
            record: Its record, which may appear slightly later.
            content: Content of the request, see `asked_content`.
        """
        entry = self._folder / f"{time.time_ns():020d}.{record.kind.value}.{record.id}"
        entry.write_text(code_for(_signed(record, content)), encoding="ascii")

    def is_ours(self, name: str, job: Job) -> bool:
        """Return True if this user queued exactly this job on this computer.

        Args:
            name: Name of the entry.
            job: Its job.
        """
        if name not in self._ours:
            try:
                code = (self._folder / name).read_text(encoding="ascii", errors="replace")
                content = asked_content(job.record.plan_file.read_bytes(), job.history.changes)
            except OSError:
                return False
            self._ours[name] = is_code_for(code, _signed(job.record, content))
        return self._ours[name]

    def is_empty(self) -> bool:
        """Return True if there is no entry."""
        return not self._names()

    def jobs(self) -> list[tuple[str, Job]]:
        """Return the entries by age, with their jobs; journals are not read again.

        A restarted job may have two entries until the next cleanup.
        """
        names = self._names()
        # Other processes tidy up, too.
        for name in self._jobs.keys() - set(names):
            self._drop(name)
        return [(name, job) for name in names if (job := self._job(name)) is not None]

    def asked_at(self, name: str, job: Job) -> float:
        """Return when a job was queued, in seconds since 1970: the time of its record.

        The time in the entry's name comes milliseconds later. The window knows only the record,
        and both must sort alike.

        Args:
            name: Name of the entry.
            job: Its job.
        """
        if name not in self._asked:
            try:
                self._asked[name] = job.record.info().created.timestamp()
            except StudioError:
                nanoseconds = name.partition(".")[0]
                self._asked[name] = int(nanoseconds) / 1e9 if nanoseconds.isdecimal() else 0.0
        return self._asked[name]

    def forget(self, name: str) -> None:
        """Remove the entry of a job that has ended."""
        if not self._workspace.read_only:
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
            is_old = abs(time.time() - entry.stat().st_mtime) > ANNOUNCED_SECONDS
            if is_old and not self._workspace.read_only:
                remove(entry)
            return None
        return self._jobs.setdefault(name, Job(record))


FOLLOW_AGAIN_SECONDS = 5.0
"""Time between two attempts to follow a job on another machine."""
PAUSED_FILE = ".queue.paused"
"""In the workspace as long as its queue is paused, so that this survives a restart."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that waits, and what sorts it: its place, then the name of its entry."""

    position: float
    entry: str
    job: Job


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A job in the queue.

    Attributes:
        job: The job, its journal read.
        devices: Devices it uses, or will use after the next dispatch.
        wait: Why it waits; None for a running job and for one that is about to start.
    """

    job: Job
    devices: tuple[str, ...] = ()
    wait: Wait | None = None


@dataclass(frozen=True, slots=True)
class _Child:
    """A worker that we started, and for which attempt: another may have started the next."""

    attempt: int
    process: subprocess.Popen[bytes]


class JobQueue:
    """The jobs of one workspace that wait or run.

    Args:
        workspace: Workspace of the jobs.
        devices: Available devices; by default those of this machine.

    Attributes:
        limits: Limits of the workspace, as of the last pass over the queue.
        is_paused: True if the whole queue was paused at that time: nothing starts until it is
            resumed.
    """

    def __init__(self, workspace: Workspace, devices: Sequence[Device] | None = None) -> None:
        self.workspace = workspace
        self._devices = devices
        self.limits = Limits()
        self.is_paused = (workspace.root / PAUSED_FILE).exists()
        self._index = QueueIndex(workspace)
        self._lock = FileLock(workspace.root / ".queue.lock", timeout=30)
        self._plans: dict[Path, Plan | None] = {}
        self._children: dict[Path, _Child] = {}
        self._next_follower: dict[Path, float] = {}

    def submit(
        self,
        plan: Plan,
        name: str,
        *,
        or_similar: bool = False,
        fill: Callable[[Path], None] | None = None,
    ) -> Job:
        """Make the record of a plan and put it at the end of the queue.

        Args:
            plan: The requested plan.
            name: The record's name.
            or_similar: Number the name when it is taken, instead of refusing it.
            fill: Writes files of the job into its folder before it becomes visible.

        Raises:
            StudioError: The name is not fit or already taken.
        """
        type_ = type_of_plan(plan)
        record = self.workspace.create(
            type_.record,
            name,
            plan.to_json(),
            self._announce_new,
            or_similar=or_similar,
            fill=fill,
        )
        return Job(record)

    def _announce_new(self, record: Record, plan: bytes) -> None:
        self._index.announce(record, asked_content(plan, {}))

    def confirm(self, job: Job) -> None:
        """Let a job start here that was queued on another computer; its journal is read.

        The caller is `changing` the job.
        """
        content = asked_content(job.record.plan_file.read_bytes(), job.history.changes)
        self._index.announce(job.record, content)

    def restart(self, job: Job) -> None:
        """Put a job that ended back at the end of the queue.

        Raises:
            InTrashError: A record that it needs is in the trash.
            StudioError: A worker is still at it.
        """
        self._require_needed(job)
        with self.changing(job):
            if job.history.state.is_at_rest:
                last = max((each.position for each in self.waiting()), default=0.0)
                self.confirm(job)
                # Where it once was put, or held, counts no more. The clock may have been put back.
                job.append(
                    QueueChanged(position=max(time.time(), last + 1e-3), held=False, foreign=False)
                )
                job.append(StateChanged(state=State.QUEUED, attempt=job.history.attempt))

    def _require_needed(self, job: Job) -> None:
        try:
            needed = reference_of(job)
            if needed:
                self.workspace.require(RecordKind.DATASET, needed)
        except InTrashError:
            raise
        except StudioError:
            return  # its worker says what is wrong

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
                            reason="It was removed from the queue before it started.",
                        )
                    )
                    return
        if job.history.state.has_worker:
            self.send(job, "stop")

    def send(self, job: Job, command: CommandName, value: float | None = None) -> None:
        """Send a command to the worker of a job.

        Args:
            job: The job; its journal was read.
            command: The command.
            value: Argument of commands with a number.

        Raises:
            StudioError: The job was deleted.
            DiskFullError: No space was left for a command other than stop and pause.
        """
        send_command(job, command, value)

    def ask_server(self, _job: Job, _request: str, _value: float | None = None) -> bool:
        """Let the server of a served workspace do a request; see `studio.engine.served`.

        Returns:
            False: this workspace has no server.
        """
        return False

    def trash(self, record: Record, prepare: Callable[[], None]) -> Record:
        """Move a record to the trash, and return the record there.

        Args:
            record: The record.
            prepare: Checks that it can be deleted, and stores what other records need of it.

        Raises:
            StudioError: It cannot be deleted.
        """
        prepare()
        return self.workspace.trash(record)

    def set_paused(self, paused: bool) -> None:
        """Pause the whole queue or resume it; running jobs continue.

        Raises:
            StudioError: The queue is busy, or the workspace is read-only.
        """
        file = self.workspace.root / PAUSED_FILE
        with self.locked():
            if paused:
                file.touch()
            else:
                remove(file)
            self.is_paused = paused

    def dispatch(self) -> None:
        """Settle jobs whose worker died, and start as many waiting ones as there are slots.

        Raises:
            StudioError: The workspace is gone.
        """
        self.workspace.require_there()
        if self.workspace.read_only:
            return  # nothing can be started there
        try:
            with self._lock.acquire(timeout=0):
                self._dispatch()
        except Timeout:
            return  # another process is dispatching

    @property
    def devices(self) -> Sequence[Device]:
        """Devices of this machine; the first access queries the driver."""
        if self._devices is None:
            self._devices = machine_devices()
        return self._devices

    def entries(self) -> list[QueueEntry]:
        """Return running jobs with their devices, and waiting jobs with reasons, in queue order.

        Raises:
            StudioError: The queue is busy.
        """
        with self._looking():
            at_work, waiting = self._sort_out()
            verdicts = self._arrange(waiting, at_work)
        return [QueueEntry(job, job.history.devices) for job in at_work] + [
            QueueEntry(each.job, verdict.devices, verdict.wait)
            for each, verdict in zip(waiting, verdicts, strict=True)
        ]

    def waiting(self) -> list[Waiting]:
        """Return the waiting jobs in the order of the queue, which must be `locked`."""
        return self._sort_out()[1]

    def is_idle(self) -> bool:
        """Return True if no job of the index waits or runs and no child process is left."""
        return not self._children and self._index.is_empty()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the queue against other dispatchers.

        Raises:
            StudioError: Another process keeps the queue locked, or the workspace no longer exists.
        """
        self.workspace.require_there()
        self.workspace.require_writable()
        with locked(self._lock, "The queue is busy."):
            yield

    def _looking(self) -> contextlib.AbstractContextManager[None]:
        """Lock the queue, except in a read-only workspace, where nothing is changed."""
        if self.workspace.read_only:
            self.workspace.require_there()
            return contextlib.nullcontext()
        return self.locked()

    @contextlib.contextmanager
    def changing(self, job: Job) -> Iterator[None]:
        """Keep dispatchers and workers away from a job whose journal was read just now.

        Raises:
            StudioError: A worker runs it, or another process keeps the queue locked.
        """
        with self.locked(), self._having(job):
            yield

    @contextlib.contextmanager
    def _having(self, job: Job) -> Iterator[None]:
        try:
            with holding(job.record.folder, seconds=5):
                job.refresh()
                yield
        except JobBusy as error:
            raise StudioError(
                'The {kind} "{name}" is in use.',
                "Wait until it ends, or stop it first.",
                kind=job.record.kind.label,
                name=job.record.name,
            ) from error

    def _dispatch(self) -> None:
        at_work, waiting = self._sort_out()
        self._collect_children({job.record.folder for job in at_work})
        for each, verdict in zip(waiting, self._arrange(waiting, at_work), strict=True):
            if verdict.wait is None:
                self._start(each.job, verdict.devices)

    def _arrange(self, waiting: list[Waiting], at_work: list[Job]) -> list[SchedulingDecision]:
        jobs = [(each.job.job_type, waiting_job(*self._known(each.job))) for each in waiting]
        # The driver is asked for GPUs only when a job waits that may use them.
        needs = any(type_.slots is None or job.requirements.can_use_gpus for type_, job in jobs)
        self.is_paused = (self.workspace.root / PAUSED_FILE).exists()
        if waiting:
            self.limits = read_limits(self.workspace.root)
        return schedule(
            [job for _, job in jobs],
            [running_job(*self._known(job)) for job in at_work],
            self.devices if needs else (),
            self.limits.jobs_at_once,
            paused=self.is_paused,
            elsewhere=taken_elsewhere(self.workspace.root, all_claims()) if needs else (),
        )

    def _known(self, job: Job) -> tuple[RecordKind, str, Plan | None, JobHistory]:
        return job.record.kind, job.record.id, self._plan(job), job.history

    def _plan(self, job: Job) -> Plan | None:
        folder = job.record.folder
        if folder not in self._plans:
            self._plans[folder] = None
            with contextlib.suppress(StudioError):  # its worker will say what is wrong with it
                self._plans[folder] = read_plan(job.record)
        return self._plans[folder]

    def _sort_out(self) -> tuple[list[Job], list[Waiting]]:
        """Return the running jobs, and the waiting ones in the order of the queue."""
        at_work: dict[Path, Job] = {}
        waiting: dict[Path, Waiting] = {}
        ours: set[Path] = set()
        for entry, job in self._index.jobs():
            folder = job.record.folder
            job.refresh()
            if job.history.state.has_worker and not self.workspace.read_only:
                settle(job, self._exit_code(job))
                self._follow_again(job)
            if job.history.state.has_worker:
                at_work[folder] = job
            elif job.history.state == State.QUEUED:
                position = job.history.position
                position = self._index.asked_at(entry, job) if position is None else position
                waiting[folder] = Waiting(position, entry, job)
                if self._index.is_ours(entry, job):
                    ours.add(folder)
            else:
                self._index.forget(entry)
        for folder in waiting.keys() - ours:
            self._hold_foreign(waiting[folder].job)
        there = at_work.keys() | waiting.keys()
        self._plans = {folder: plan for folder, plan in self._plans.items() if folder in there}
        order = sorted(waiting.values(), key=lambda each: (each.position, each.entry))
        return list(at_work.values()), order

    def _follow_again(self, job: Job) -> None:
        """Start a worker that follows a job on another machine, if it is gone."""
        folder = job.record.folder
        is_left = job.history.state.has_worker and is_handed_over(folder) and not is_held(folder)
        if not is_left or time.monotonic() < self._next_follower.get(folder, 0.0):
            return
        self._next_follower[folder] = time.monotonic() + FOLLOW_AGAIN_SECONDS
        with contextlib.suppress(OSError):  # tried again
            self._children[folder] = _Child(
                job.history.attempt, launch_worker(folder, job.history.attempt, ())
            )

    def _hold_foreign(self, job: Job) -> None:
        """Hold a job for confirmation if it was not queued by this user on this computer."""
        if job.history.foreign and job.history.held:
            return
        if self.workspace.read_only:
            job.history.foreign = job.history.held = True
            return
        try:
            with holding(job.record.folder, seconds=1):
                job.append(QueueChanged(held=True, foreign=True))
        except JobBusy:
            job.history.held = True  # it is being changed; the next dispatch sees it

    def _collect_children(self, at_work: set[Path]) -> None:
        """Reap workers that ended; the state of a running job is settled first."""
        ended = [
            folder for folder, child in self._children.items() if child.process.poll() is not None
        ]
        for folder in ended:
            if folder not in at_work:
                del self._children[folder]

    def _exit_code(self, job: Job) -> int | None:
        """Return the exit code of a job's worker; None if it runs, or was not our child."""
        child = self._children.get(job.record.folder)
        ours = child is not None and child.attempt == job.history.attempt
        return child.process.poll() if child is not None and ours else None

    def _start(self, job: Job, devices: tuple[str, ...]) -> None:
        # Interrupted in between, the job would seem to start for a minute.
        with _uninterrupted():
            self._launch(job, devices)

    def _launch(self, job: Job, devices: tuple[str, ...]) -> None:
        folder = job.record.folder
        try:
            with holding(folder, seconds=1):
                job.refresh()
                if job.history.state != State.QUEUED:
                    return
                attempt = job.history.attempt + 1
                remove(folder / HANDED_OVER)  # of an attempt before
                job.append(StateChanged(state=State.STARTING, attempt=attempt, devices=devices))
        except JobBusy:
            return  # its last worker is just going; the next dispatch takes it
        required = waiting_job(*self._known(job)).requirements
        key = launch.process_key(required, devices)
        if launch.hand_over(self.workspace.root, key, folder, attempt):
            return
        devices = tuple(visible_devices(required.device, devices))
        try:
            process = launch_worker(folder, attempt, devices)
            self._children[folder] = _Child(attempt, process)
        except OSError as error:
            with holding(folder, seconds=5):
                job.append(
                    StateChanged(
                        state=State.FAILED,
                        attempt=attempt,
                        category="internal",
                        reason=message(
                            "The worker process could not be started: {reason}.", reason=error
                        ),
                    )
                )


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl+C until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals arrive in the main thread only
        return
    interrupts: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        interrupts.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if interrupts:
            signal.raise_signal(signal.SIGINT)
