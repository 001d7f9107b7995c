"""Recommends network, weights and recipe for a dataset: the one place that decides this.

The form of a new run, the command line and the instant baseline show what is decided here.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from studio.engine.baselines.report import BaselinePlan, BaselineReport
from studio.engine.baselines.requests import newest_baseline
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.types import read_plan
from studio.engine.messages import as_message, joined, message
from studio.engine.networks.backbones import BACKBONES, IMAGENET, Backbone, WeightCache
from studio.engine.networks.catalog import layer_tables, network_with_output
from studio.engine.networks.heads import output_of
from studio.engine.networks.library import read_export
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.pretrained.licenses import LICENSES, Use
from studio.engine.pretrained.store import PretrainedStore, backbones_here
from studio.engine.tasks import TASKS
from studio.engine.training.advice import advice_of
from studio.engine.training.advice.task_advice import takes
from studio.engine.training.advisor import TrainingAdvice, advise, counted_images
from studio.engine.training.history import RunJob
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recipes import (
    FROM_SCRATCH,
    LINEAR_HEAD,
    PRESETS,
    RECIPES,
)
from studio.engine.training.requests import request_training
from studio.engine.training.settings_checks import accepted
from studio.engine.training.weight_matching import network_of_weights
from studio.engine.web.route import has_route
from studio.engine.workspace import Record, RecordKind, Workspace

HEAVIEST = 30_000_000
"""Weights of a network that is recommended at most: larger ones take too long on a CPU."""

OFFERED = "mobilenet_v2"
"""The backbone whose download is offered."""

MOST = 3
_PRESET = "balanced"
_NEUTRAL = {
    "freeze": "none",
    "backbone_rate": 1.0,
    "head_rate": 1.0,
    "head_solver": "gradient",
    "offline_fallback": False,
}

Kind = Literal["pretrained", "download", "scratch"]


@dataclass(frozen=True, slots=True)
class AvailableWeights:
    """Weights on this machine that a network can start from.

    Attributes:
        network: Name of the network.
        source: As in a plan: `imagenet`, or the path of a file.
        design: The network if it is not in the zoo: that of a detector pretrained on COCO.
    """

    network: str
    source: str
    design: NetworkSpec | None = None

    @property
    def label(self) -> str:
        """Shown name of the network."""
        return ZOO[self.network].label if self.design is None else self.design.name


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to train.

    Attributes:
        kind: Source of the weights.
        network: Name of a network of the zoo.
        weights: As in a plan; empty for random ones.
        recipe: Name of the recipe.
        preset: Name of the training preset; empty for the usual values.
        title: Description in a few words.
        reason: Why, in sentences.
        score: Score of the instant baseline with these weights; None if it used others.
        download_bytes: Size of a download that is needed; 0 for none.
        values: Further fields of a plan, set with the preset; they override the recipe.
        design: The network if it is not in the zoo.
    """

    kind: Kind
    network: str
    weights: str
    recipe: str
    preset: str
    title: str
    reason: str
    score: float | None = None
    download_bytes: int = 0
    values: tuple[tuple[str, object], ...] = ()
    design: NetworkSpec | None = None

    def apply(
        self, plan: TrainingPlan, dataset: DatasetSummary, *, preset: bool = True
    ) -> TrainingPlan:
        """Return the plan done this way; dataset, seed and device stay.

        Args:
            plan: The plan.
            dataset: Summary of the dataset.
            preset: Also set the fields of the training preset.

        Raises:
            StudioError: The network does not take the images.
        """
        if preset and self.preset:
            plan = PRESETS[self.preset].apply(plan)
        start = {"network": self.network, "weights": self.weights, "design": self.design}
        plan = plan.model_copy(update={**_NEUTRAL, **start})
        task = TASKS[dataset.task]
        network = network_for(plan, dataset.shape, len(dataset.classes), task=task)
        plan = RECIPES[self.recipe].apply(plan, network)
        if self.kind == "download":
            plan = plan.changed(offline_fallback=True)
        if preset and self.preset:
            values = dict(self.values)
            if plan.backend != "tensorflow":  # it alone is faster in 16 bits on a processor
                values.pop("precision", None)
            plan = plan.changed(**values)
        return accepted(plan, task)


def recommend(
    dataset: DatasetSummary,
    weights: Sequence[AvailableWeights],
    baseline: BaselineReport | None = None,
    *,
    is_photo: bool,
    is_online: bool = True,
) -> tuple[Suggestion, ...]:
    """Recommend how to train, the best way first, with up to two alternatives.

    Args:
        dataset: Summary of the dataset.
        weights: Weights on this machine, the best first.
        baseline: The instant baseline of the dataset, if there is one.
        is_photo: True if the images look like photographs.
        is_online: False if weights certainly cannot be downloaded now.
    """
    usable = [
        each for each in _for_task(weights, dataset) if takes(each.network, dataset, each.design)
    ]
    advice = advise(dataset, baseline, has_weights=bool(usable))
    scratch = [
        _from_scratch(name, dataset, is_photo=is_photo, missing=_missing(usable, is_online))
        for name in advice_of(TASKS[dataset.task]).networks(dataset, is_photo=is_photo)
    ]
    pretrained = [_pretrained(each, advice, dataset, baseline) for each in usable]
    offered = []
    (offer,) = _for_task([AvailableWeights(OFFERED, IMAGENET)], dataset)
    if not any(each.source == IMAGENET for each in usable) and takes(offer.network, dataset):
        offered.append(_download(offer.network, dataset, advise(dataset, baseline)))
    prefers_weights = is_photo and advise(dataset, baseline).recipe.is_pretrained
    if pretrained and prefers_weights:
        found = [*pretrained[:2], *scratch[:1], *pretrained[2:], *scratch[1:]]
    elif prefers_weights and is_online:
        found = [*offered, *scratch]
    else:
        found = [*scratch[:1], *pretrained[:1], *(offered if is_photo else ()), *scratch[1:]]
    return tuple(found[:MOST])


def advice_for(
    dataset: DatasetSummary, baseline: BaselineReport | None, *, has_weights: bool
) -> TrainingAdvice:
    """Return the recipe for a dataset: that of its task, wherever weights are used.

    Args:
        dataset: Summary of the dataset.
        baseline: The instant baseline of the dataset, if there is one.
        has_weights: True if there are pretrained weights, or a network to download them.
    """
    advice = advise(dataset, baseline, has_weights=has_weights)
    task_advice = advice_of(TASKS[dataset.task])
    recipe = task_advice.recipe(advice)
    if recipe is advice.recipe or not advice.recipe.is_pretrained:
        return advice
    return replace(advice, recipe=recipe, reasons=tuple(task_advice.reasons(advice)))


def _missing(usable: Sequence[AvailableWeights], is_online: bool) -> str:
    """Return why photos are not trained from pretrained weights; empty if there are some."""
    if usable:
        return ""
    if not is_online:
        return message(
            "A pretrained network would need far fewer images, but this computer has no "
            "connection to download the weights. Choose a weights file under “More”, or connect "
            "first."
        )
    return message(
        "No pretrained weights were found on this machine; with them, photos need far fewer "
        "images."
    )


def _for_task(
    weights: Sequence[AvailableWeights], dataset: DatasetSummary
) -> list[AvailableWeights]:
    """Return weights with the networks that use them for the task of a dataset."""
    found, task = [], TASKS[dataset.task]
    for each in weights:
        if each.design is not None:
            if output_of(each.design) in task.outputs:
                found.append(each)
            continue
        with contextlib.suppress(StudioError):  # of a network without published backbone
            output = advice_of(task).output(task, dataset)
            network = network_with_output(each.network, task, output)
            found.append(AvailableWeights(network, each.source))
    return found


def light_networks_in_cache() -> list[str]:
    """Networks whose published weights are on this machine, the most accurate first.

    Weights with terms of their own, as those of DINOv3, are never suggested: people choose them.
    """
    free = [name for name in backbones_here() if _is_free(BACKBONES[name])]
    light = [name for name in free if BACKBONES[name].parameters <= HEAVIEST]
    light.sort(key=lambda name: -(BACKBONES[name].accuracy or 0))
    return [zoo_name_of(name) for name in light]


def _is_free(backbone: Backbone) -> bool:
    return LICENSES[backbone.license].use == Use.COMMERCIAL


def _pretrained(
    weights: AvailableWeights,
    advice: TrainingAdvice,
    dataset: DatasetSummary,
    baseline: BaselineReport | None,
) -> Suggestion:
    task_advice = advice_of(TASKS[dataset.task])
    recipe = task_advice.recipe(advice)
    score = measured_with(baseline, weights.network, weights.source)
    reasons = [task_advice.summary(recipe, weights.label, dataset)]
    if weights.design is not None:
        reasons.append(message("Its features were trained to detect things in COCO."))
    if baseline is not None and score is not None:
        measured = baseline.text(score)
        reasons.append(
            message("The baseline reached {accuracy} with these weights.", accuracy=measured)
        )
    reasons += [*task_advice.reasons(advice), task_advice.reason(dataset)]
    return Suggestion(
        kind="pretrained",
        network=weights.network,
        weights=weights.source,
        recipe=recipe.name,
        preset="" if recipe is LINEAR_HEAD else _PRESET,
        values=task_advice.values(dataset, is_pretrained=True),
        title=_title(recipe.name, weights.label),
        reason=joined(reasons),
        score=score,
        design=weights.design,
    )


def measured_with(baseline: BaselineReport | None, network: str, source: str) -> float | None:
    """Return the score of a baseline if it used a network with certain weights, else None.

    Args:
        baseline: The baseline; None if there is none.
        network: Name of the network.
        source: Name of its weights.
    """
    if baseline is None:
        return None
    features = baseline.features
    is_same = (features.network, features.weights) == (network, source)
    return baseline.score if is_same else None


def _download(network: str, dataset: DatasetSummary, advice: TrainingAdvice) -> Suggestion:
    task_advice = advice_of(TASKS[dataset.task])
    recipe = task_advice.recipe(advice)
    size = layer_tables()[OFFERED].download_bytes
    label = ZOO[network].label
    needs = message(
        "The run first downloads the ImageNet weights ({size:.0f} MB). Without a connection, it "
        "trains a smaller network from scratch.",
        size=size / 1e6,
    )
    return Suggestion(
        kind="download",
        network=network,
        weights=IMAGENET,
        recipe=recipe.name,
        preset="" if recipe is LINEAR_HEAD else _PRESET,
        values=task_advice.values(dataset, is_pretrained=True),
        title=_title(recipe.name, label),
        reason=joined(
            (task_advice.summary(recipe, label, dataset), task_advice.reason(dataset), needs)
        ),
        download_bytes=size,
    )


def _from_scratch(
    network: str, dataset: DatasetSummary, *, is_photo: bool, missing: str
) -> Suggestion:
    label, advice = ZOO[network].label, advice_of(TASKS[dataset.task])
    each, size = counted_images(dataset), f"{dataset.width}x{dataset.height}"
    suits = as_message(label)
    if is_photo:
        reason = message(
            "Photos of {size} pixels, {images}: {network} suits them.",
            size=size,
            images=each,
            network=suits,
        )
    else:  # drawings, scans, micrographs: the pixels do not tell which
        reason = message(
            "Images of {size} pixels, {images}: {network} suits them.",
            size=size,
            images=each,
            network=suits,
        )
    reason = joined((reason, advice.reason(dataset), missing if is_photo else ""))
    return Suggestion(
        kind="scratch",
        network=network,
        weights="",
        recipe=FROM_SCRATCH.name,
        preset=_PRESET if advice.takes_preset(is_photo=is_photo) else "",
        title=_title(FROM_SCRATCH.name, label),
        reason=reason,
        values=advice.values(dataset, is_pretrained=False),
    )


def _title(recipe: str, label: str) -> str:
    if recipe == "linear_head":
        return message("Pretrained {network}, frozen", network=as_message(label))
    if recipe == "fine_tune_top":
        return message("Pretrained {network}, partly frozen", network=as_message(label))
    if recipe == "fine_tune_all":
        return message("Pretrained {network}, fine-tuned", network=as_message(label))
    return message("{network} from scratch", network=as_message(label))


# Collects what a recommendation needs from a workspace; see `training.recommendation`.

_MOST_FILES = 2


def recommendation(
    workspace: Workspace, dataset: Record, weights: str = ""
) -> tuple[Suggestion, ...]:
    """Recommend how to train on a dataset, the best way first.

    Args:
        workspace: Workspace of earlier baselines and runs.
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
    photo = is_photo(dataset.folder, summary)
    return recommend(summary, there, baseline, is_photo=photo, is_online=has_route())


def available_weights(
    workspace: Workspace, dataset: str, chosen: str = ""
) -> list[AvailableWeights]:
    """Return the weights on this machine for networks of the zoo, best first, without duplicates.

    A chosen file comes first, then the weights of the dataset's own baseline, downloaded weights,
    files in the folder of weights, and files that earlier baselines and runs started from.

    Args:
        workspace: Holds baselines and runs.
        dataset: Id of the dataset.
        chosen: A weights file that the user chose; empty for none.
    """
    found: dict[tuple[str, str], None] = {}
    if chosen and (network := _network_of(chosen)):
        found[network, chosen] = None
    baseline = newest_baseline(workspace, dataset)
    if baseline is not None and baseline.features.kind in ("imagenet", "file"):
        features = baseline.features
        if features.kind == "imagenet" or _network_of(features.weights) == features.network:
            found[features.network, features.weights] = None
    light, heavy = _detectors_here()
    found |= {(name, IMAGENET): None for name in light_networks_in_cache()}
    own = map(str, WeightCache().own_files())
    for path in dict.fromkeys([*own, *_files_used(workspace)]):
        network = _network_of(path)
        if network:
            found[network, path] = None
    rest = [AvailableWeights(network, source) for network, source in found]
    first = rest[:1] if chosen and rest and rest[0].source == chosen else []
    return [*first, *light, *rest[len(first) :], *heavy]


def _detectors_here() -> tuple[list[AvailableWeights], list[AvailableWeights]]:
    """Return the networks of COCO detectors: those that are light, and the others."""
    light: list[AvailableWeights] = []
    heavy: list[AvailableWeights] = []
    for source, path in PretrainedStore().detector_networks():
        with contextlib.suppress(StudioError):  # damaged: the library makes it again
            spec = read_export(path).spec
            found = AvailableWeights(spec.name, str(path), spec)
            (light if source.parameters <= HEAVIEST else heavy).append(found)
    return light, heavy


def is_photo(folder: Path, summary: DatasetSummary) -> bool:
    """Return True if the images of a dataset look like photographs.

    Args:
        folder: Folder of the dataset.
        summary: Summary of the dataset.
    """
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
    from studio.engine.datasets.store import Store  # noqa: PLC0415
    from studio.engine.training.dataset_statistics import photo_statistics  # noqa: PLC0415

    found = photo_statistics(Store.open(folder, 0))
    return found is not None and found.is_photo


def plan_of_baseline(report: BaselineReport, dataset: DatasetSummary) -> TrainingPlan | None:
    """Return the run that trains the classifier of a baseline; None if nothing was pretrained.

    Args:
        report: Report of the baseline.
        dataset: Summary of the dataset.

    Raises:
        StudioError: The network does not support the images.
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
        score=report.score,
    )
    return way.apply(plan, dataset).changed(head_strength=report.strength or 0.0)


def is_usable(report: BaselineReport) -> bool:
    """Return True if a run can train the classifier of a baseline."""
    features = report.features
    is_there = features.kind == "imagenet" or Path(features.weights).is_file()
    return features.kind in ("imagenet", "file") and features.network in ZOO and is_there


def request_run_of_baseline(queue: JobQueue, report: BaselineReport, dataset: Record) -> RunJob:
    """Ask for the run that trains the classifier of a baseline.

    Args:
        queue: Queue of the workspace.
        report: Report of the baseline.
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
    """Return weights files of earlier baselines and runs that still exist, the newest first."""
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
