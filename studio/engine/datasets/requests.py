"""Imports and audits of datasets, checked against what is there and turned into jobs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.origins.kinds import ORIGINS_NAME
from studio.engine.datasets.plane_choices import FIRST
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary, read_summary
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import default_colors
from studio.engine.web.address import address_of, written
from studio.engine.workspace import Record, RecordKind, Workspace

# What makes an image of the old dataset look the same in the new one.
FIXED = ("width", "height", "color", "encoding", "jpeg_quality")
# Settings inherited from the dataset unless changed.
_INHERITED = (
    *(*FIXED, "task", "resize", "border", "background", "seed"),
    *("bit_depth", "value_range"),
    *("mask_mode", "ignore_value", "tile_size", "tile_overlap", "keep_empty", "least_visible"),
)


def recipe_to_add(
    folder: Path, old: DatasetRecipe, counts: Mapping[str, int], locations: Sequence[Path | str]
) -> DatasetRecipe:
    """Return the recipe of a new version of a dataset with more images.

    The images of the old one come in their current state: relabeled and moved ones as edited,
    without those that were taken out, each in its split. The percentages deal the new images; one
    of a split that the old dataset has no image in is 0, or it would deal the old images, too.
    Limits, lists and places of the old recipe are not asked for again: their outcome is in its
    images.

    Args:
        folder: Folder of the dataset; its import must be completed.
        old: Its recipe.
        counts: Its current number of `"val"` and `"test"` images.
        locations: Paths or addresses of the new images.

    Raises:
        StudioError: The dataset is to be added to itself.
    """
    more = [written(index) for index in locations]
    if written(folder) in more:
        raise StudioError(
            "The dataset would be added to itself, which would duplicate every image.",
            "Add the images of another place.",
            "source",
        )
    percentages = {
        f"{split}_percent": getattr(old, f"{split}_percent") if counts.get(split) else 0.0
        for split in ("val", "test")
    }
    classes: dict[str, object] = {}
    # Classes with names are merged by name; new images may lack some of them.
    if not TASKS[old.task].geometry.names_classes:
        summary = dataset_summary(folder)
        colors = default_colors(summary.classes, summary.colors)
        classes = {"class_names": summary.classes, "class_colors": list(colors)}
    # A stored image is one plane: a chosen one is gone from it.
    planes = FIRST if old.planes.isdecimal() else old.planes
    return DatasetRecipe.parse(
        {"source": written(folder), "more_sources": more, "planes": planes}
        | {name: getattr(old, name) for name in _INHERITED}
        | {"pixels": _resolved_pixels(folder)}
        | percentages
        | classes
    )


def _resolved_pixels(folder: Path) -> PixelFormat | None:
    """Return the number format that the import of a dataset found in its files."""
    # It takes h5py, and this module is imported when the window starts.
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    return Store.open(folder, 0).recipe.pixels


def request_import(queue: JobQueue, recipe: DatasetRecipe, name: str) -> Job:
    """Submit an import.

    Args:
        queue: Queue of the workspace.
        recipe: Sources and settings.
        name: Name of the dataset.

    Raises:
        StudioError: A source does not exist or is named twice, or the name is taken.
    """
    source = Path(recipe.source)
    if not address_of(source) and not source.exists():
        raise StudioError(
            "There is no file or folder {source}.", "Check the path.", "source", source=source
        )
    _refuse_repeated_sources(recipe)
    return queue.submit(recipe, name)


def _refuse_repeated_sources(recipe: DatasetRecipe) -> None:
    """Refuse a source that would give each of its images twice."""
    seen: set[str] = set()
    for text in (recipe.source, *recipe.more_sources, recipe.val_source, recipe.test_source):
        location = text and (address_of(text) or os.path.realpath(text))
        if location in seen:
            raise StudioError(
                "{source} is given twice, so each of its images would be imported twice.",
                "Name each folder or file once.",
                "source",
                source=text,
            )
        seen |= {location} - {""}


def is_importing(dataset: Record) -> bool:
    """Return True if the import of a dataset waits or runs."""
    job = Job.read(dataset)
    return job.history.state == State.QUEUED or job.history.state.has_worker


def request_audit(queue: JobQueue, plan: AuditPlan) -> Job:
    """Submit an audit of a dataset, of its newest version unless the plan names one.

    Args:
        queue: Queue of the workspace.
        plan: Dataset and checks.

    Raises:
        StudioError: There is no such dataset, or its import is not completed.
    """
    record = completed_dataset(queue.workspace, plan.dataset, "an audit")
    newest = current_version(record.folder)
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=newest)
    return queue.submit(plan, queue.workspace.unused_name(RecordKind.AUDIT, record.name))


def completed_dataset(workspace: Workspace, dataset: str, what_for: str) -> Record:
    """Return a dataset whose import is completed.

    Args:
        workspace: Workspace of the dataset.
        dataset: Its id.
        what_for: Purpose, for the message: "an audit", "a baseline".

    Raises:
        StudioError: There is no such dataset, or its import is not completed.
    """
    record = workspace.require(RecordKind.DATASET, dataset)
    Job(record).require_completed(what_for)
    return record


def leakage_problems(dataset: Path, version: int | None) -> list[Problem]:
    """Return problems for splits that share images, according to the last audit.

    Args:
        dataset: Folder of the dataset.
        version: Its version; None for the newest.
    """
    try:
        report = AuditReport.read(dataset)
    except StudioError as error:
        return [Problem("dataset", error.message, error.hint, serious=False)]
    if report is None or not any(finding.pairs for finding in report.findings):
        return []
    # Only where the audit found images twice: it takes h5py, as in `dataset_summary`.
    from studio.engine.datasets.audit.fixes import leaking_rows  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    count = len(leaking_rows(report, Store.open(dataset, version)))
    if not count:
        return []
    return [
        Problem(
            "dataset",
            message(
                "leakage: of the validation and test images, {count:,} are the same or "
                "nearly the same as images of another split, so accuracy measured on "
                "them is too good.",
                one="leakage: one of the validation and test images is the same or nearly "
                "the same as an image of another split, so accuracy measured on it is too "
                "good.",
                count=count,
            ),
            "The audit of the dataset offers a fix that moves such images to training.",
            serious=False,
        )
    ]


def origin_problems(dataset: Path, version: int | None) -> list[Problem]:
    """Return a problem if validation or test images have origins of training images.

    Args:
        dataset: Folder of the dataset.
        version: Its version; None for the newest.
    """
    if not (dataset / ORIGINS_NAME).exists():
        return []
    # Only where the import recognized origins: it takes h5py, as in `dataset_summary`.
    from studio.engine.datasets.origins.counts import origin_facts  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    try:
        store = Store.open(dataset, version)
        facts = origin_facts(store.origins, store.split)
    except StudioError as error:
        return [Problem("dataset", error.message, error.hint, serious=False)]
    if facts.kind == "near_duplicates" or not facts.has_common:
        return []
    return [
        Problem(
            "dataset",
            message(
                "{common:,} validation and test images have an origin that training images have, "
                "too ({origins}). Metrics are too high for images of new origins.",
                common=sum(facts.common.values()),
                origins=facts.text,
            ),
            "Split the dataset again and keep origins together.",
            serious=False,
        )
    ]


def dataset_summary(folder: Path, version: int | None = None) -> DatasetSummary:
    """Summarize a version of a dataset; opens HDF5 only if it was edited.

    Args:
        folder: Folder of the dataset.
        version: The version; None for the newest.

    Raises:
        BadDataError: The summary or the edits cannot be read.
        StudioError: There is no such version.
    """
    if current_version(folder) == 0 and not version:
        return read_summary(folder)
    # Only for edited datasets: it takes h5py, and this module is imported when the window starts.
    from studio.engine.datasets.versions import version_summary  # noqa: PLC0415

    return version_summary(folder, version)
