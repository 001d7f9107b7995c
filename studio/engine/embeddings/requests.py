"""Maps of images: asked for, and found again among the records of a workspace."""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import completed_dataset
from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.inference.models import model_of_run, named_model
from studio.engine.inference.questions import NeighborsRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.training.trained_models import dataset_of, trained_version
from studio.engine.workspace import Record, Workspace


def request_embedding(queue: JobQueue, plan: EmbeddingPlan) -> Job:
    """Ask for a map, of the newest version of the dataset unless the plan names one.

    Raises:
        StudioError: There is no such dataset or model, or the import is not completed.
    """
    record = completed_dataset(queue.workspace, plan.dataset, "drawing a map")
    model = named_model(queue.workspace, plan.model)
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    return queue.submit(plan, f"{record.name} by {model.name}", or_similar=True)


def neighbors_request(
    workspace: Workspace, run: Record, image: Path, count: int = 8, moment: str = ""
) -> NeighborsRequest:
    """The question for the images that a run learned from and that are most like a picture.

    Raises:
        StudioError: The run has no model, or its dataset was deleted.
    """
    return NeighborsRequest(
        model=model_of_run(workspace, run, moment),
        dataset=str(dataset_of(workspace, run).folder),
        version=trained_version(run),
        cache=str(feature_cache(workspace)),
        image=str(image),
        count=count,
    )


def feature_cache(workspace: Workspace) -> Path:
    """Folder in which features of images are kept, see `FeatureCache.of`."""
    return workspace.root / "cache" / "features"
