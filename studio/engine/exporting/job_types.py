"""The job of an export."""

from __future__ import annotations

from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

EXPORT = JobType(
    record=RecordKind.EXPORT,
    plan=ExportPlan,
    handler="studio.engine.compute.export:export",
    verb="export",
)

register(EXPORT)
