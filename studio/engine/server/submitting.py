"""Jobs that a client has planned completely, as the window does: plans are checked and queued."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from studio.engine.baselines.requests import request_baseline
from studio.engine.datasets.requests import request_audit
from studio.engine.embeddings.requests import request_embedding
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.exporting.requests import request_export
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.types import job_type
from studio.engine.plans import Plan
from studio.engine.server.routes import RefusedError
from studio.engine.sweeps.requests import request_sweep
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.requests import request_preflight, request_training
from studio.engine.training.starting_weights import is_weights_file
from studio.engine.workspace import RecordKind

PLACES: Final = ("ray", "mlflow", "to", "model_file")
"""Fields of plans that name files, or other machines, of the server."""
_NAMED: Final[Mapping[RecordKind, Callable[[JobQueue, Any, str], Job]]] = {
    RecordKind.RUN: request_training,
    RecordKind.SWEEP: request_sweep,
}
_UNNAMED: Final[Mapping[RecordKind, Callable[[JobQueue, Any], Job]]] = {
    RecordKind.AUDIT: request_audit,
    RecordKind.BASELINE: request_baseline,
    RecordKind.PREFLIGHT: request_preflight,
    RecordKind.EVALUATION: request_evaluation,
    # Others may still download the files of earlier exports.
    RecordKind.EXPORT: partial(request_export, keep_measured=True),
    RecordKind.EMBEDDING: request_embedding,
}
SUBMITTED: Final = (*_NAMED, *_UNNAMED)
"""Kinds of jobs that can be requested over HTTP."""


class JobBody(BaseModel):
    """A job with its complete plan.

    Attributes:
        kind: Kind of the record, such as "run".
        plan: The plan.
        name: Name of a run or sweep; that of other kinds is the server's choice.
    """

    model_config = ConfigDict(extra="forbid")

    kind: str
    plan: dict[str, Any]
    name: str = ""


def submit(queue: JobQueue, body: JobBody) -> Job:
    """Check a plan and submit its job.

    Args:
        queue: Queue of the workspace.
        body: The job.

    Raises:
        RefusedError: Jobs of this kind cannot be requested, or the plan names a file or another
            machine of the server.
        StudioError: The plan has problems.
    """
    kind = next((each for each in SUBMITTED if each.value == body.kind), None)
    if kind is None:
        allowed = ", ".join(each.value for each in SUBMITTED)
        raise RefusedError(400, f"kind must be one of {allowed}; received {body.kind[:80]!r}.")
    _refuse_files(body.plan)
    plan: Plan = job_type(kind).plan.parse(body.plan)
    if kind in _NAMED:
        return _NAMED[kind](queue, plan, body.name)
    return _UNNAMED[kind](queue, plan)


def _refuse_files(plan: Mapping[str, Any]) -> None:
    """Refuse a plan that names files or other machines of the server.

    Raises:
        RefusedError: It does.
    """
    for name, value in _texts(plan):
        if name in PLACES:
            raise RefusedError(400, f"{name} cannot be set over HTTP.")
        if name == "weights" and is_weights_file(value):
            raise RefusedError(400, "weights must be imagenet or run:NAME; files are not read.")
        if name == "model" and not value.startswith(RUN_PREFIX):
            raise RefusedError(400, "model must be run:ID; files are not read.")


def _texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a plan that are not empty, with the names of their fields."""
    if isinstance(value, str) and value:
        yield name, value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _texts(inside, str(key))
    elif isinstance(value, list):
        for inside in value:
            yield from _texts(inside, name)
