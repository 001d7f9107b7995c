"""Collects what a recommendation needs from a workspace; see `training.recommendation`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

from studio.engine.baselines.plan import BaselinePlan
from studio.engine.baselines.report import BaselineReport
from studio.engine.baselines.requests import newest_baseline
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.types import read_plan
from studio.engine.networks.pretrained import IMAGENET
from studio.engine.networks.zoo import ZOO
from studio.engine.training.history import RunJob
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.recipes import LINEAR_HEAD
from studio.engine.training.recommendation import (
    AvailableWeights,
    Suggestion,
    light_networks_in_cache,
    recommend,
)
from studio.engine.training.requests import request_training
from studio.engine.training.weight_matching import network_of_weights
from studio.engine.workspace import Record, RecordKind, Workspace

_MOST_FILES = 2


def recommendation(
    workspace: Workspace, dataset: Record, weights: str = ""
) -> tuple[Suggestion, ...]:
    """Recommend how to train on a dataset, the best way first.

    Args:
        workspace: Where earlier baselines and runs are.
        dataset: The dataset.
        weights: A file of weights that the user has chosen; empty for none.

    Raises:
        StudioError: Its import is not completed.
        BadDataError: The dataset cannot be read.
    """
    Job(dataset).require_completed("a recommendation")
    summary = dataset_summary(dataset.folder, current_version(dataset.folder))
    baseline = newest_baseline(workspace, dataset.id)
    there = available_weights(workspace, dataset.id, weights)
    return recommend(summary, there, baseline, is_photo=is_photo(dataset.folder, summary))


def available_weights(
    workspace: Workspace, dataset: str, chosen: str = ""
) -> list[AvailableWeights]:
    """Weights on this machine for networks of the zoo, the best first, each once.

    A chosen file comes first, then those of the dataset's own baseline, then the downloaded ones,
    then files that earlier baselines and runs of the workspace started from.
    """
    found: dict[tuple[str, str], None] = {}
    if chosen and (network := _network_of(chosen)):
        found[network, chosen] = None
    baseline = newest_baseline(workspace, dataset)
    if baseline is not None and baseline.features.kind in ("imagenet", "file"):
        features = baseline.features
        if features.kind == "imagenet" or _network_of(features.weights) == features.network:
            found[features.network, features.weights] = None
    found |= {(name, IMAGENET): None for name in light_networks_in_cache()}
    for path in _files_used(workspace):
        network = _network_of(path)
        if network:
            found[network, path] = None
    return [AvailableWeights(network, source) for network, source in found]


def is_photo(folder: Path, summary: DatasetSummary) -> bool:
    """True if the images of a dataset look like photographs."""
    from studio.engine.datasets.schema import FILE_NAME  # noqa: PLC0415 - it needs NumPy

    try:
        modified = (folder / FILE_NAME).stat().st_mtime_ns
    except OSError:
        return summary.channels == 3
    return _is_photo(folder, modified)


@functools.lru_cache(maxsize=64)
def _is_photo(folder: Path, modified: int) -> bool:
    """Read the images once as long as they stay the same; `modified` is part of the key."""
    del modified
    # Both need NumPy, which lists and headers do without.
    from studio.engine.datasets.photo_statistics import photo_statistics  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    found = photo_statistics(Store.open(folder, 0))
    return found is not None and found.is_photo


def plan_of_baseline(report: BaselineReport, dataset: DatasetSummary) -> TrainingPlan | None:
    """The run that trains the classifier of a baseline; None if nothing was pretrained.

    Args:
        report: What the baseline measured.
        dataset: What the dataset holds.

    Raises:
        StudioError: The network does not take the images (any more).
    """
    features = report.features
    if not is_usable(report):
        return None
    plan = TrainingPlan(dataset=report.dataset, dataset_version=report.dataset_version)
    way = Suggestion(
        kind="pretrained",
        network=features.network,
        weights=features.weights,
        recipe=LINEAR_HEAD.name,
        preset="",
        title="",
        reason="",
        accuracy=report.accuracy,
    )
    return way.apply(plan, dataset).changed(head_strength=report.strength or 0.0)


def is_usable(report: BaselineReport) -> bool:
    """True if a run can train the classifier of a baseline."""
    features = report.features
    is_there = features.kind == "imagenet" or Path(features.weights).is_file()
    return features.kind in ("imagenet", "file") and features.network in ZOO and is_there


def request_run_of_baseline(queue: JobQueue, report: BaselineReport, dataset: Record) -> RunJob:
    """Ask for the run that trains the classifier of a baseline.

    Args:
        queue: Where it waits.
        report: What the baseline measured.
        dataset: Its dataset.

    Raises:
        StudioError: Nothing was pretrained, or the plan has problems.
    """
    plan = plan_of_baseline(report, dataset_summary(dataset.folder, report.dataset_version))
    if plan is None:
        raise StudioError(
            "This baseline used features that no network computes, so no run can repeat it.",
            "Measure it with pretrained weights first.",
        )
    name = queue.workspace.unused_name(
        RecordKind.RUN, f"{plan.network}-{dataset.name}".replace("_", "-")
    )
    return request_training(queue, plan, name)


def _files_used(workspace: Workspace) -> Iterator[str]:
    """Weights files of earlier baselines and runs that still exist, the newest first."""
    sources: dict[str, float] = {}
    for kind in (RecordKind.BASELINE, RecordKind.RUN):
        for record, info in workspace.infos(kind):
            try:
                plan = read_plan(record)
            except StudioError:
                continue
            source = plan.weights if isinstance(plan, BaselinePlan | TrainingPlan) else ""
            if source and source != IMAGENET and not source.startswith(RUN_PREFIX):
                sources[source] = max(sources.get(source, 0.0), info.created.timestamp())
    ordered = sorted(sources, key=lambda source: -sources[source])
    yield from [source for source in ordered if Path(source).is_file()][:_MOST_FILES]


def _network_of(path: str) -> str:
    try:
        return network_of_weights(Path(path))
    except StudioError:
        return ""
