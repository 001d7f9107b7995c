"""Maps of images: their plan and requests."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import completed_dataset
from studio.engine.inference.model_plan import ModelFilePlan
from studio.engine.inference.models import model_of_run, named_model
from studio.engine.inference.requests import NeighborsRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.types import JobType, register, uses_any_gpu
from studio.engine.plans import Condition, expert_field, plan_field
from studio.engine.training.trained_models import dataset_of, trained_version
from studio.engine.workspace import Record, RecordKind, Workspace

MapMethod = Literal["pca", "tsne"]
MAP_METHODS: Final[dict[str, str]] = {"pca": "PCA", "tsne": "t-SNE"}
"""Names of the methods, the same in every language."""
MapSplit = Literal["all", "train", "val", "test"]


class EmbeddingPlan(ModelFilePlan):
    """Compute features of images at a layer, and draw a map with similar images close together.

    `model` is `run:ID`, `run:ID@EPOCH` or the absolute path of a model file; `dataset` is the id
    of a dataset record, `dataset_version` one of its versions; None is the newest at the time of
    the request.
    """

    version: Literal[1] = 1
    model: str = plan_field(
        label="Model", help="Network whose features are mapped.", level="hidden"
    )
    dataset: str = plan_field(
        label="Dataset", help="Dataset whose images are mapped.", level="hidden"
    )
    dataset_version: int | None = plan_field(
        None,
        label="Version",
        help="Version of the dataset, as the number of its edits.",
        level="hidden",
        ge=0,
    )
    layer: str = plan_field(
        "",
        label="Layer",
        help="Layer whose output is used as features; empty for the input of the head.",
        why="The last layers respond to classes, the first ones to colors and edges.",
    )
    split: MapSplit = plan_field(
        "all",
        label="Images",
        help="Split whose images are shown.",
        why="All shows the most points. Test shows only images that the network has never seen.",
        labels={"all": "All", "train": "Training", "val": "Validation", "test": "Test"},
    )
    method: MapMethod = plan_field(
        "pca",
        label="Method",
        help="Method of dimensionality reduction.",
        why=(
            "PCA is quick, and distances across the map mean something. t-SNE shows groups better "
            "and takes much longer; distances between its groups mean little."
        ),
        labels=MAP_METHODS,
    )
    images: int = plan_field(
        5000,
        label="Maximum images",
        help="Maximum number of images; larger datasets are sampled, stratified by class.",
        why="The time of t-SNE grows a little faster than the number of images.",
        unit="images",
        within=(3, 50_000),
        scale="log",
    )
    perplexity: float = expert_field(
        30.0,
        label="Perplexity",
        help="Perplexity of t-SNE: effective number of neighbors.",
        why="Small values show small groups, large ones the overall structure.",
        within=(2, 500),
        scale="log",
        applicable_when=Condition(("method",), "Only t-SNE has a perplexity", ("tsne",)),
    )
    seed: int = expert_field(
        0,
        label="Seed",
        help="The same seed draws the same map.",
        why="Groups that appear with two seeds are real.",
        within=(0, 2**32 - 1),
    )


def request_embedding(queue: JobQueue, plan: EmbeddingPlan) -> Job:
    """Submit a map; without a version in the plan, of the newest version of the dataset.

    Args:
        queue: Queue of the workspace.
        plan: Dataset, model and projection.

    Raises:
        StudioError: There is no such dataset or model, or the import is not completed.
    """
    record = completed_dataset(queue.workspace, plan.dataset, "drawing a map")
    model = named_model(queue.workspace, plan.model, options=plan.model_options)
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    return queue.submit(plan, f"{record.name} by {model.name}", or_similar=True)


def neighbors_request(
    workspace: Workspace, run: Record, image: Path, count: int = 8, checkpoint: str = ""
) -> NeighborsRequest:
    """Return a request for the training images of a run that are most similar to a picture.

    Args:
        workspace: Holds the run and its dataset.
        run: Record of the run.
        image: File of the picture.
        count: Number of neighbors.
        checkpoint: Checkpoint of the run; empty for the stored model.

    Raises:
        StudioError: The run has no model, or its dataset was deleted.
    """
    return NeighborsRequest(
        model=model_of_run(workspace, run, checkpoint),
        dataset=str(dataset_of(workspace, run).folder),
        version=trained_version(run),
        cache=str(feature_cache(workspace)),
        image=str(image),
        count=count,
    )


def feature_cache(workspace: Workspace) -> Path:
    """Folder of the cached features of images, see `FeatureCache.of`."""
    return workspace.root / "cache" / "features"


register(
    JobType(
        record=RecordKind.EMBEDDING,
        plan=EmbeddingPlan,
        handler="studio.engine.compute.embed:embed",
        verb="embedding",
        requirements=uses_any_gpu,
        reference="dataset",
    )
)
