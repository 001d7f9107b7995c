"""The job of an embedding."""

from __future__ import annotations

from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

EMBEDDING = JobType(
    record=RecordKind.EMBEDDING,
    plan=EmbeddingPlan,
    handler="studio.engine.compute.embed:embed",
    verb="embedding",
    reference="dataset",
)

register(EMBEDDING)
