"""Job types: what the kernel has to know of each kind of job.

A kind of job is defined completely in its own domain, as a `JobType` in a module that knows its
plan. The kernel finds it by the kind of the record, and imports that module when such a record is
met.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.engine.errors import StudioError
from studio.engine.files import read_failure
from studio.engine.jobs.devices import AUTO, CPU
from studio.engine.jobs.events import Event
from studio.engine.jobs.history import JobHistory
from studio.engine.plans import Plan
from studio.engine.workspace import Record, RecordKind, Workspace

_MODULES: dict[RecordKind, str] = {
    RecordKind.DATASET: "studio.engine.datasets.recipe",
    RecordKind.AUDIT: "studio.engine.datasets.audit.findings",
    RecordKind.BASELINE: "studio.engine.baselines.report",
    RecordKind.RUN: "studio.engine.training.job_types",
    RecordKind.PREFLIGHT: "studio.engine.training.job_types",
    RecordKind.SWEEP: "studio.engine.sweeps.history",
    RecordKind.EVALUATION: "studio.engine.evaluation.job_type",
    RecordKind.EXPORT: "studio.engine.exporting.plan",
    RecordKind.EMBEDDING: "studio.engine.embeddings.requests",
    RecordKind.BENCHMARK: "studio.engine.benchmarks.history",
    RecordKind.OPERATIONS: "studio.engine.benchmarks.history",
    RecordKind.PREDICTIONS: "studio.engine.benchmarks.history",
}
"""Module of each job type, by name: domains are imported only when needed."""

JOB_KINDS = tuple(_MODULES)
"""The kinds of record that are jobs, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements of a job before it can start.

    Attributes:
        place: Where the job runs, if not on this machine: `ray`, or a machine with a device, such
            as `gpu-box:gpu:0`.
        device: Device request such as `auto`, `gpu:1` or `gpus:2`. A job of a type with slots
            takes no CPU and waits for no job of its own workspace: it uses GPUs beside those.
        can_use_gpus: True if the job could compute on a GPU of this machine.
        share: Maximum number of jobs on each of its devices at the same time, including itself.
        after: Id of a record whose job must be over first, such as the import of a dataset; empty
            for none.
        process_key: Jobs with the same key and devices can use the same process one after the
            other; None for a job that needs a separate process.
    """

    device: str = CPU
    can_use_gpus: bool = False
    share: int = 1
    after: str = ""
    process_key: str | None = None
    place: str = ""


def uses_any_gpu(_plan: Plan, _changes: Mapping[str, Any]) -> Requirements:
    """Return the requirements of a job with a network, for `JobType.requirements`.

    Args:
        _plan: Its plan.
        _changes: Changes of the plan since.
    """
    return Requirements(AUTO, can_use_gpus=True)


def _nothing_required(_plan: Plan, _changes: Mapping[str, Any]) -> Requirements:
    return Requirements()


@dataclass(frozen=True, slots=True)
class JobType:
    """One kind of job, as its domain defines it.

    Attributes:
        record: The kind of record that the job fills; a job and its record are one folder.
        plan: The class of its plan.
        handler: `module:function` that does the work in the worker; it takes a `JobContext` and
            returns the `State` in which the job ended.
        verb: Name of the work for messages: "import", "training" …
        slots: Maximum number running at the same time on a machine; None if only devices limit it.
        events: The events of its journal besides those that every job has.
        history: Class of the history that its journal is replayed into.
        requirements: Returns the requirements of a job from its plan and later changes of the
            plan.
        reference: Field of the plan with the id of a record that the job needs; empty for none.
        inputs: Returns the records that a job reads besides its own, from its workspace and plan;
            they go with it to another machine. None if such jobs run only on this one.
        before_deletion: Called before a record of any kind is deleted, so that records of this
            kind can store what they need of it.
        is_coordinator: True if the job starts other jobs and computes nothing itself. It takes no
            device, restarts by itself when its process dies, and obeys commands that were sent to
            an earlier attempt.
        can_pause: True if the job can be paused, by people and by a full disk, and resumed later.
        hint_if_completed: What to do instead of resuming a completed job.
    """

    record: RecordKind
    plan: type[Plan]
    handler: str
    verb: str
    slots: int | None = 1
    events: tuple[type[Event], ...] = ()
    history: type[JobHistory] = JobHistory
    requirements: Callable[[Any, Mapping[str, Any]], Requirements] = _nothing_required
    reference: str = ""
    inputs: Callable[[Workspace, Any], list[Record]] | None = None
    before_deletion: Callable[[Workspace, Record], None] | None = None
    is_coordinator: bool = False
    can_pause: bool = False
    hint_if_completed: str = ""


_TYPES: dict[RecordKind, JobType] = {}


def register(*types: JobType) -> None:
    """Make job types known; the modules of the table above do so when they are imported."""
    for each in types:
        _TYPES[each.record] = each


def job_type(kind: RecordKind) -> JobType:
    """Return the type of the jobs that fill records of a kind."""
    if kind not in _TYPES:
        importlib.import_module(_MODULES[kind])
    return _TYPES[kind]


def type_of_plan(plan: Plan) -> JobType:
    """Return the type of the job that a plan asks for."""
    return next(each for each in map(job_type, JOB_KINDS) if type(plan) is each.plan)


def read_plan(record: Record) -> Plan:
    """Return the plan of a record.

    Raises:
        StudioError: The file is gone, damaged, or of a newer Studio.
    """
    try:
        data = json.loads(record.plan_file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StudioError(
            "The plan {file} cannot be read: {reason}.",
            "Restore the file from a backup.",
            str(record.plan_file),
            file=record.plan_file,
            reason=read_failure(error),
        ) from error
    return job_type(record.kind).plan.parse(data)
