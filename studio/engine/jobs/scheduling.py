"""Scheduling: the devices on which waiting jobs start, and why the others wait; without a disk.

The queue starts what this says, and the command line and the window show it.

A training run starts when all devices that it needs are free; one device does one run at a time,
unless all runs on it say that they share it (the trials of a sweep do).
A run that waits keeps what it needs and is free already for itself, so that smaller runs behind it
cannot go past it for ever; what it has no use for, they may take. Other kinds of job have slots;
those that compute with a network use GPUs beside the runs of the same workspace.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from studio.engine.jobs.devices import (
    AUTO,
    CPU,
    Device,
    DeviceRequest,
    gpu_name,
    parse_device_request,
)
from studio.engine.jobs.executors.handed_over import place_of
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.types import Requirements, job_type
from studio.engine.plans import Plan
from studio.engine.workspace import RecordKind


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job that waits, as far as its start depends on it; `id` is that of its record."""

    kind: RecordKind
    id: str
    requirements: Requirements
    held: bool = False
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class RunningJob:
    """A job with a worker, its devices, and how many runs may be on each of them."""

    kind: RecordKind
    id: str
    devices: tuple[str, ...] = ()
    share: int = 1


class Why(enum.StrEnum):
    """Reason why a job waits."""

    HELD = "held"
    """It is held by the user."""
    PAUSED = "paused"
    """The whole queue is paused."""
    UNCONFIRMED = "unconfirmed"
    """It was queued on another computer and is not confirmed here."""
    DEPENDENCY = "dependency"
    """A job whose result it needs is not over."""
    TURN = "turn"
    """The maximum number of jobs of its kind is running."""
    BUSY = "busy"
    """Running jobs use the devices that it needs."""
    RESERVED = "kept"
    """The devices that it needs are reserved for an earlier job, which needs more."""
    MISSING = "missing"
    """This machine lacks a device that it needs."""
    UNKNOWN = "unknown"
    """Its plan cannot be read."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The reason why a job waits: devices, and the jobs that use them.

    Attributes:
        devices: Names, or `gpu` and `gpus:2` for any.
        jobs: The ids of their records.
    """

    why: Why
    devices: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()

    def text(self, name_of: Callable[[str], str]) -> str:
        """Return the reason as a line of English.

        Args:
            name_of: Gives the name of a record by its id.
        """
        devices = " and ".join(map(_words, self.devices))
        jobs = " and ".join(f'"{name_of(each)}"' for each in self.jobs)
        return {
            Why.HELD: "on hold until it is released",
            Why.PAUSED: "waits because the queue is paused",
            Why.UNCONFIRMED: "was queued on another computer and waits until it is released",
            Why.DEPENDENCY: f"waits until {jobs} is completed",
            Why.TURN: f"waits for its turn after {jobs}",
            Why.BUSY: f"waits for {devices}, in use by {jobs}",
            Why.RESERVED: f"waits for {devices}, kept for {jobs}",
            Why.MISSING: f"waits for {devices}, which this machine does not have",
            Why.UNKNOWN: f'waits: its device "{devices}" is not known',
        }[self.why]


def _words(device: str) -> str:
    if device == "gpu":
        return "a GPU"
    return f"{device.removeprefix('gpus:')} GPUs" if device.startswith("gpus:") else device


@dataclass(frozen=True, slots=True)
class SchedulingDecision:
    """Decision about a waiting job: it starts with these devices, or waits."""

    devices: tuple[str, ...] = ()
    wait: Wait | None = None


def waiting_job(kind: RecordKind, id_: str, plan: Plan | None, history: JobHistory) -> WaitingJob:
    """Return the facts on which the start of a waiting job depends.

    Args:
        kind: Kind of the record.
        id_: Id of the record.
        plan: Its plan; None if it cannot be read.
        history: Its history.
    """
    required = _requirements(kind, plan, history)
    return WaitingJob(kind, id_, required, held=history.held, foreign=history.foreign)


def running_job(kind: RecordKind, id_: str, plan: Plan | None, history: JobHistory) -> RunningJob:
    """Return the resources that a job with a worker uses.

    Args:
        kind: Kind of the record.
        id_: Id of the record.
        plan: Its plan; None if it cannot be read.
        history: Its history.
    """
    return RunningJob(kind, id_, history.devices, _requirements(kind, plan, history).share)


def _requirements(kind: RecordKind, plan: Plan | None, history: JobHistory) -> Requirements:
    """Return the devices that a job needs; the CPU if its plan is unreadable."""
    return Requirements() if plan is None else job_type(kind).requirements(plan, history.changes)


def schedule(
    waiting: Sequence[WaitingJob],
    at_work: Iterable[RunningJob],
    machine: Sequence[Device],
    most: int = 0,
    *,
    paused: bool = False,
    elsewhere: Collection[str] = (),
) -> list[SchedulingDecision]:
    """Decide about jobs that wait.

    Args:
        waiting: In the order of the queue.
        at_work: The jobs with a worker.
        machine: Available devices.
        most: Maximum number of jobs of all kinds that run here at the same time; 0 for no limit.
        paused: True if the whole queue is paused, so that nothing starts.
        elsewhere: Devices in use by other workspaces of this machine; jobs that take any GPU take
            others while there are any.

    Returns:
        A verdict for each waiting job.
    """
    board = _Board([device.name for device in machine], most, paused, elsewhere=elsewhere)
    board.unfinished = {job.id for job in waiting}
    for job in at_work:
        board.put(job)
        board.unfinished.add(job.id)
    able = [
        job for job in waiting if not job.held and job.requirements.after not in board.unfinished
    ]
    named = [_request(job, board.gpus) for job in able]
    board.requested = {
        gpu_name(index) for request in named if request for index in request.indices
    }
    return [board.decide(job) for job in waiting]


def _computes_nothing(kind: RecordKind, devices: tuple[str, ...]) -> bool:
    """Return True if a job only starts others: holding a turn, it would block its own runs."""
    return job_type(kind).is_coordinator or bool(place_of(devices))


def _request(job: WaitingJob, gpus: list[str]) -> DeviceRequest | None:
    """Parse the device request of a job; None if its text is invalid."""
    try:
        request = parse_device_request(job.requirements.device)
    except ValueError:
        return None
    if job.requirements.place:
        return None  # none of this machine
    if request.kind == "auto":
        return DeviceRequest("gpu" if gpus and job.requirements.can_use_gpus else "cpu")
    return request


@dataclass(slots=True)
class _Board:
    """Allocation of devices while decisions are made one after the other."""

    names: list[str]
    most: int = 0
    paused: bool = False
    workers: list[str] = field(default_factory=list)
    """Jobs that compute on this machine."""
    requested: set[str] = field(default_factory=set)
    """GPUs that jobs name: those that take any leave them alone while there are others."""
    unfinished: set[str] = field(default_factory=set)
    """Jobs that wait or run."""
    users: dict[RecordKind, list[str]] = field(default_factory=lambda: defaultdict(list))
    holders: dict[str, list[str]] = field(default_factory=dict)
    room: dict[str, int] = field(default_factory=dict)
    """Largest number of runs on a device: the smallest limit of those on it."""
    reserved_by: dict[str, str] = field(default_factory=dict)
    elsewhere: Collection[str] = ()
    """Devices that other workspaces have."""

    @property
    def gpus(self) -> list[str]:
        return [name for name in self.names if name != CPU]

    def put(self, job: RunningJob) -> None:
        """Note that a job is running."""
        if not place_of(job.devices):
            self.users[job.kind].append(job.id)
        if not _computes_nothing(job.kind, job.devices):
            self.workers.append(job.id)
        if job_type(job.kind).slots is None and not place_of(job.devices):
            # A worker of an older Studio does not say what it has: it may be anything.
            for device in job.devices or self.names:
                self.holders.setdefault(device, []).append(job.id)
                self.room[device] = min(job.share, self.room.get(device, job.share))

    def decide(self, job: WaitingJob) -> SchedulingDecision:
        """Decide about the next job in the queue."""
        if job.held:
            return SchedulingDecision(wait=Wait(Why.UNCONFIRMED if job.foreign else Why.HELD))
        if self.paused:
            return SchedulingDecision(wait=Wait(Why.PAUSED))
        if job.requirements.after in self.unfinished:
            return SchedulingDecision(wait=Wait(Why.DEPENDENCY, jobs=(job.requirements.after,)))
        slots = job_type(job.kind).slots
        if self._is_full(job):
            return SchedulingDecision(wait=Wait(Why.TURN, jobs=tuple(self.workers)))
        if job.requirements.place:
            verdict = SchedulingDecision((job.requirements.place,))
        elif slots is None:
            verdict = self._give(job)
        elif len(self.users[job.kind]) < slots:
            verdict = SchedulingDecision(self._devices_beside(job))
        else:
            verdict = SchedulingDecision(wait=Wait(Why.TURN, jobs=tuple(self.users[job.kind])))
        if verdict.wait is None:
            self.put(RunningJob(job.kind, job.id, verdict.devices, job.requirements.share))
        return verdict

    def _is_full(self, job: WaitingJob) -> bool:
        """Return True if the limit of running jobs is reached and applies to the job."""
        devices = (job.requirements.place,) if job.requirements.place else ()
        return 0 < self.most <= len(self.workers) and not _computes_nothing(job.kind, devices)

    def _give(self, job: WaitingJob) -> SchedulingDecision:
        request = _request(job, self.gpus)
        if request is None:
            return SchedulingDecision(wait=Wait(Why.UNKNOWN, (job.requirements.device,)))
        if request.kind == "gpu" and not request.indices:
            return self._give_any(job, request.count)
        needed = tuple(map(gpu_name, request.indices)) or (CPU,)
        missing = tuple(name for name in needed if name not in self.names)
        if missing:
            return SchedulingDecision(wait=Wait(Why.MISSING, missing))
        free = self._free(needed, job.requirements.share)
        if len(free) == len(needed):
            return SchedulingDecision(needed)
        return self._defer(job, free, tuple(name for name in needed if name not in free))

    def _devices_beside(self, job: WaitingJob) -> tuple[str, ...]:
        """Return the GPUs of a job that uses them beside runs of this workspace, or a named CPU.

        Its worker claims them among all workspaces, and uses no others. A machine without the GPUs
        that the job names is reported by the job itself.
        """
        request = _request(job, self.gpus)
        if request is None or not job.requirements.can_use_gpus:
            return ()
        if request.kind == "cpu":
            # Nothing is asked for on a machine without GPUs: only where a plan names the CPU.
            return () if job.requirements.device == AUTO else (CPU,)
        if request.indices:
            return tuple(name for name in map(gpu_name, request.indices) if name in self.gpus)
        return self._least_used(self.gpus)[: request.count]

    def _give_any(self, job: WaitingJob, count: int) -> SchedulingDecision:
        if len(self.gpus) < count:
            return SchedulingDecision(wait=Wait(Why.MISSING, (job.requirements.device,)))
        free = self._least_used(self._free(self.gpus, job.requirements.share))
        if len(free) >= count:
            return SchedulingDecision(tuple(sorted(free[:count], key=self.names.index)))
        taken = [name for name in self.gpus if name not in free]
        return self._defer(job, free, taken, ("gpu" if count == 1 else f"gpus:{count}",))

    def _least_used(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return GPUs in the order in which jobs for any should take them.

        Free ones come first, then shared ones, then those that other jobs name, then those that
        other workspaces use.
        """

        def burden(name: str) -> tuple[bool, bool, int]:
            return (
                name in self.elsewhere,
                name in self.requested,
                len(self.holders.get(name, ())),
            )

        return tuple(sorted(names, key=burden))

    def _free(self, names: Iterable[str], share: int) -> list[str]:
        return [
            name
            for name in names
            if name not in self.reserved_by
            and len(self.holders.get(name, ())) < min(share, self.room.get(name, share))
        ]

    def _defer(
        self,
        job: WaitingJob,
        free: Sequence[str],
        taken: Sequence[str],
        said: tuple[str, ...] = (),
    ) -> SchedulingDecision:
        """Let a job wait for devices that others have, and keep for it those that are free."""
        self.reserved_by.update(dict.fromkeys(free, job.id))
        held = [name for name in taken if name in self.holders]
        for name in held:
            # Otherwise those who share a device could follow each other there for ever.
            self.reserved_by.setdefault(name, job.id)
        if held:
            owners = [job_id for name in held for job_id in self.holders[name]]
        else:
            owners = [self.reserved_by[name] for name in taken]
        jobs = tuple(dict.fromkeys(owners))
        why = Why.BUSY if held else Why.RESERVED
        return SchedulingDecision(wait=Wait(why, said or tuple(held or taken), jobs))
