"""Estimates how long a training will take on this machine, before it starts.

The best source counts: a preflight check of this very plan, then earlier runs of the same network,
then earlier runs of any network, then the speed at which this machine multiplies matrices.
"""

from __future__ import annotations

import functools
import math
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from studio.engine.baselines.report import BaselineReport
from studio.engine.baselines.requests import newest_baseline
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.jobs.devices import CPU, machine_devices, multiplies_bfloat16
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.jobs.states import State
from studio.engine.networks.catalog import backbone_of, layer_tables
from studio.engine.networks.parts import ALL, NONE
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.tasks import TASKS
from studio.engine.training.history import VALIDATION_COST, RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import BFLOAT16
from studio.engine.training.preflight import PreflightPlan, PreflightReport, still_holds
from studio.engine.training.preprocessing import enlarged_to
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import Record, RecordKind, Workspace

STARTUP_SECONDS = 5.0
"""From the start of a worker to its first step, where nothing was measured."""

LATEST = 20
"""Earlier runs that are read at most."""

_FORWARD, _BACKWARD = 1.0, 2.0
"""Cost of both directions in multiply-adds of the network."""

_STEP_SECONDS = 2e-3
_EFFICIENCY = 0.4
"""Fraction of the speed of one large matrix product that training reaches."""

_BFLOAT16_SPEED = 1.6
"""Speed of convolutions in bfloat16, on processors with instructions for it."""

_TIMED_SECONDS = 0.5
"""Seconds of computed features from which a baseline predicts the speed."""

_LARGE = 5e7
"""Multiply-adds per image from which a run shows the speed of the machine; below, reading images
and calling Keras take most of the time."""

_SIDE, _TRIES = 512, 20

Source = Literal["preflight", "run", "machine", "benchmark"]
_UNCERTAINTY: Final[dict[Source, float]] = {
    "preflight": 1.0,
    "run": 1.0,
    "machine": 1.5,
    "benchmark": 2.0,
}


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """Estimated duration of a training.

    Attributes:
        seconds: From the start of its worker to its end.
        source: From what it was estimated: the preflight check of the plan, earlier runs of the
            same network, other runs on this machine, or a short benchmark.
    """

    seconds: float
    source: Source

    @property
    def uncertainty(self) -> float:
        """Factor by which the time may be shorter or longer."""
        return _UNCERTAINTY[self.source]

    @property
    def range(self) -> tuple[float, float]:
        """Shortest and longest expected time in seconds."""
        return self.seconds / self.uncertainty, self.seconds * self.uncertainty


@dataclass(frozen=True, slots=True)
class _Done:
    """Speed of this machine in a completed run.

    Attributes:
        plan: The training plan.
        work: Multiply-adds of all of it; 0 if unknown.
        image_seconds: Per training image and epoch, validation included.
        pixels: Pixels of an image.
        seconds: From the start of its worker to its end.
        startup: The part of these before the first step.
        images: Training images, counted in every epoch.
    """

    plan: TrainingPlan
    work: float
    image_seconds: float
    pixels: int
    seconds: float
    startup: float
    images: int


def expected_time(
    workspace: Workspace, plan: TrainingPlan, dataset: DatasetSummary
) -> ExpectedTime | None:
    """Estimate how long a training will take; None if nothing is known of the network.

    Args:
        workspace: Workspace of preflight checks and earlier runs.
        plan: The training.
        dataset: Summary of its dataset.
    """
    measured = _by_preflight(workspace, plan)
    if measured is not None:
        return ExpectedTime(measured, "preflight")
    runs = [each for each in _done_runs(workspace) if each.plan.backend == plan.backend]
    same = next((each for each in runs if _is_alike(each.plan, plan)), None)
    pixels = dataset.height * dataset.width
    images = dataset.count["train"]
    if same is not None:
        each = same.image_seconds * pixels / same.pixels
        passes = trainer_of(plan).passes(plan)
        return ExpectedTime(same.startup + passes * images * each, "run")
    return _by_cost(workspace, plan, dataset, runs)


def _by_cost(
    workspace: Workspace, plan: TrainingPlan, dataset: DatasetSummary, runs: list[_Done]
) -> ExpectedTime | None:
    """Return the time by the cost of the network and the measured speed of this machine."""
    work, images = _work_of(plan, dataset), dataset.count["train"]
    if not work:
        return None
    baseline = newest_baseline(workspace, plan.dataset)
    if baseline is not None and baseline.features.seconds > _TIMED_SECONDS:
        return ExpectedTime(_by_baseline(baseline, plan, dataset, work), "machine")
    large = [each for each in runs if each.work / each.images >= _LARGE]
    speeds = sorted(each.work / (each.seconds - each.startup) for each in large)
    if speeds:
        startup = sorted(each.startup for each in runs)[len(runs) // 2]
        seconds = _seconds(work, speeds[len(speeds) // 2], plan, images)
        return ExpectedTime(startup + seconds, "machine")
    if any(device.name != CPU for device in machine_devices()) and plan.device != CPU:
        return None  # the speed of the processor does not predict that of a GPU
    seconds = _seconds(work, _matrix_speed(), plan, images)
    return ExpectedTime(STARTUP_SECONDS + seconds, "benchmark")


def _seconds(work: float, speed: float, plan: TrainingPlan, images: int) -> float:
    if plan.precision == BFLOAT16 and multiplies_bfloat16():
        speed *= _BFLOAT16_SPEED
    return work / speed + _STEP_SECONDS * trainer_of(plan).steps(plan, images)


def _by_baseline(
    baseline: BaselineReport, plan: TrainingPlan, dataset: DatasetSummary, work: float
) -> float:
    """Estimate the time of a plan from the speed at which a baseline computed features."""
    features = baseline.features
    table = layer_tables().get(features.network)
    if table is None:
        return STARTUP_SECONDS + _seconds(work, _matrix_speed(), plan, dataset.count["train"])
    done = baseline.images * table.cost_at(features.height, features.width)
    same = (plan.network, plan.weights) == (features.network, features.weights)
    if same and trainer_of(plan).stores_features:
        work = max(0.0, work - done)  # these features are kept
    return STARTUP_SECONDS + _seconds(work, done / features.seconds, plan, dataset.count["train"])


def _is_alike(one: TrainingPlan, other: TrainingPlan) -> bool:
    """Return True if an image of both plans costs the same, but for its size."""
    names = ("network", "design", "freeze", "head_solver", "device", "precision", "batch_size")
    is_alike = all(getattr(one, name) == getattr(other, name) for name in names)
    return is_alike and one.augmentation.crop == other.augmentation.crop


def _by_preflight(workspace: Workspace, plan: TrainingPlan) -> float | None:
    """Return the time that a preflight check of this very plan found."""
    for record, _ in reversed(workspace.infos(RecordKind.PREFLIGHT)):
        try:
            asked = RunJob(record).plan(PreflightPlan)
            if asked.dataset != plan.dataset or not still_holds(asked.training, plan):
                continue
            report = PreflightReport.read(record.folder)
        except StudioError:
            continue
        seconds = None if report is None else report.run_seconds(plan.epochs)
        if seconds is not None:
            return seconds
    return None


def _done_runs(workspace: Workspace) -> Iterator[_Done]:
    """Yield the speed of completed runs, the latest first."""
    for record, _ in workspace.infos(RecordKind.RUN)[: -LATEST - 1 : -1]:
        try:
            modified = (record.folder / JOURNAL_FILE).stat().st_mtime_ns
            done = _done(workspace.root, record, modified)
        except (OSError, StudioError):
            continue
        if done is not None:
            yield done


@functools.lru_cache(maxsize=4 * LATEST)
def _done(root: Path, record: Record, modified: int) -> _Done | None:
    """Read a run, cached; `modified` is part of the cache key."""
    del modified
    job = RunJob.read(record)
    history = job.history
    began, ended = history.started_at, history.ended_at
    is_usable = history.state == State.COMPLETED and history.epochs and began and ended
    if not is_usable or began is None or ended is None or history.training is None:
        return None
    plan = job.current_plan(TrainingPlan)
    dataset = Workspace.open(root).record(RecordKind.DATASET, plan.dataset)
    if dataset is None or plan.ray or plan.machine:
        return None
    summary = dataset_summary(dataset.folder, plan.dataset_version)
    training = _epoch_seconds(history) * len(history.epochs)
    whole = ended - began
    if trainer_of(plan).stores_features:
        # Its features count, too, unless an earlier run had computed them.
        startup, work, training = min(STARTUP_SECONDS, whole / 2), 0.0, whole
        training -= startup
    else:
        startup, work = max(0.0, whole - training), _work_of(plan, summary)
    images = max(1, history.training.train_images)
    return _Done(
        plan=plan,
        work=work * len(history.epochs) / trainer_of(plan).passes(plan),
        image_seconds=training / len(history.epochs) / images,
        pixels=summary.height * summary.width,
        seconds=max(whole, startup + 1e-3),
        startup=startup,
        images=images * len(history.epochs),
    )


def _epoch_seconds(history: RunHistory) -> float:
    """Return the usual seconds of an epoch, without what the first one takes to compile."""
    first, *later = history.epochs
    if later:
        return statistics.median(epoch.seconds for epoch in history.epochs[len(later) == 1 :])
    frame = history.training
    if frame is None or not first.images_per_second > 0:
        return first.seconds
    images = frame.train_images + VALIDATION_COST * frame.val_images
    return min(first.seconds, images / first.images_per_second)


def _work_of(plan: TrainingPlan, dataset: DatasetSummary) -> float:
    """Multiply-adds of a whole training; 0 if the cost of the network is unknown."""
    name, seen = plan.network, enlarged_to(plan, dataset.shape[:2])
    if plan.design is not None and seen is None:
        backbone = backbone_of(plan.design)
        if not backbone:
            return 0.0
        name = zoo_name_of(backbone)
    table = layer_tables().get(name)
    if table is None:
        return 0.0
    whole = image = table.cost_at(*(seen or dataset.shape[:2]))
    crop = plan.augmentation.crop
    if crop:
        image = table.cost_at(*(enlarged_to(plan, (crop, crop)) or (crop, crop)))
    validated = whole if TASKS[dataset.task].output.any_size else image
    train, val = dataset.count["train"], dataset.count["val"]
    is_plain = plan.augmentation == type(plan.augmentation)()
    stores_features = TASKS[dataset.task].capabilities.stored_features
    if plan.freeze == ALL and is_plain and stores_features:
        return image * _FORWARD * (train + val)  # features, once
    trainer = trainer_of(plan)
    if not trainer.steps(plan, train):
        pixels = dataset.height * dataset.width
        return trainer.image_work(plan, image * _FORWARD, pixels) * (train + val)
    share = 1.0 if plan.freeze == NONE else 0.0 if plan.freeze == ALL else 0.5
    trained = plan.epochs * image * train * (_FORWARD + _BACKWARD * share)
    validations = plan.epochs / plan.validation_interval_epochs
    return trained + validations * validated * val * _FORWARD


@functools.cache
def _matrix_speed() -> float:
    """Multiply-adds per second that training reaches here, measured once in about 0.1 s."""
    import numpy as np  # noqa: PLC0415 - the window does without it until here

    # It comes with scikit-learn.
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    matrix = np.full((_SIDE, _SIDE), 0.5, np.float32)
    best = math.inf
    # On a busy machine several threads wait for each other longer than they compute.
    with threadpool_limits(1):
        for _ in range(_TRIES):
            began = time.perf_counter()
            matrix @ matrix
            best = min(best, time.perf_counter() - began)
    cores = os.cpu_count() or 1
    return float(_EFFICIENCY * cores * _SIDE**3 / max(best, 1e-6))
