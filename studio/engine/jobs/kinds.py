"""The kinds of job: which plan makes which record, and how many run at the same time."""

from __future__ import annotations

import json
from dataclasses import dataclass

from studio.engine.baselines.plan import BaselinePlan
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.errors import StudioError
from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.files import read_failure
from studio.engine.plans import Plan
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.workspace import Record, RecordKind


@dataclass(frozen=True, slots=True)
class JobKind:
    """One kind of job.

    Attributes:
        record: The kind of record it fills; a job and its record are one folder.
        plan: The class of its plan.
        slots: How many of them one machine works on at the same time; None for as many as have
            the devices that they need.
        verb: What it does, for messages: "import", "training" …
    """

    record: RecordKind
    plan: type[Plan]
    slots: int | None
    verb: str


# Training takes a device for itself, see `arranging`; the others are short.
KINDS: dict[RecordKind, JobKind] = {
    kind.record: kind
    for kind in (
        JobKind(RecordKind.DATASET, DatasetRecipe, 1, "import"),
        JobKind(RecordKind.RUN, TrainingPlan, None, "training"),
        JobKind(RecordKind.EVALUATION, EvaluationPlan, 1, "evaluation"),
        JobKind(RecordKind.EXPORT, ExportPlan, 1, "export"),
        JobKind(RecordKind.AUDIT, AuditPlan, 1, "audit"),
        JobKind(RecordKind.BASELINE, BaselinePlan, 1, "baseline"),
        JobKind(RecordKind.EMBEDDING, EmbeddingPlan, 1, "embedding"),
        JobKind(RecordKind.PREFLIGHT, PreflightPlan, 1, "preflight"),
        # It computes nothing itself: its runs wait for their devices like all others.
        JobKind(RecordKind.SWEEP, SweepPlan, 8, "sweep"),
        # One at a time: two would measure each other.
        JobKind(RecordKind.BENCHMARK, StudyPlan, 1, "benchmark"),
        JobKind(RecordKind.OPERATIONS, OperationsPlan, 1, "benchmark of operations"),
        JobKind(RecordKind.PREDICTIONS, PredictPlan, 1, "benchmark of predictions"),
    )
}


def kind_of(plan: Plan) -> JobKind:
    """The kind of job that a plan asks for."""
    return next(kind for kind in KINDS.values() if isinstance(plan, kind.plan))


def read_plan(record: Record) -> Plan:
    """The plan of a record.

    Raises:
        StudioError: The file is gone, damaged, or of a newer Studio.
    """
    try:
        data = json.loads(record.plan_file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StudioError(
            f"The plan {record.plan_file} cannot be read: {read_failure(error)}.",
            "Restore the file from a backup.",
            str(record.plan_file),
        ) from error
    return KINDS[record.kind].plan.parse(data)
