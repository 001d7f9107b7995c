"""The jobs of datasets: imports and audits."""

from __future__ import annotations

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

IMPORT = JobType(
    record=RecordKind.DATASET,
    plan=DatasetRecipe,
    handler="studio.engine.datasets.handlers:import_dataset",
    verb="import",
)


AUDIT = JobType(
    record=RecordKind.AUDIT,
    plan=AuditPlan,
    handler="studio.engine.datasets.handlers:audit",
    verb="audit",
    reference="dataset",
)

register(IMPORT, AUDIT)
