"""Records as real workers leave them behind, made in the test's own process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.baselines.report import (
    BaselinePlan,
    BaselineReport,
    FeatureSource,
    Growth,
    LearningCurvePoint,
)
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Artifact, Event, Result, Started, StateChanged
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext


def picture_folder(root: Path, counts: dict[str, int], side: int = 24) -> Path:
    """A folder of class folders; each class has a color of its own, each image its own noise."""
    random = np.random.default_rng(7)
    for name, number in counts.items():
        (root / name).mkdir(parents=True)
        color = random.integers(40, 216, 3)
        for index in range(number):
            noise = random.integers(-40, 40, (side, side * 4 // 3, 3))
            pixels = np.clip(color + noise, 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{index:03}.png")
    return root


def began(attempt: int = 1) -> list[Event]:
    """What every worker writes first."""
    return [
        StateChanged(state=State.STARTING, attempt=attempt),
        Started(studio="test", pid=1, host="here"),
        StateChanged(state=State.RUNNING, attempt=attempt),
    ]


def add_dataset(workspace: Workspace, name: str, source: Path, **values: object) -> Record:
    """A completed dataset, really imported."""
    recipe = DatasetRecipe.parse({"source": str(source), "width": 16, "height": 16, **values})
    record = workspace.create(RecordKind.DATASET, name, recipe.to_json())
    summary = import_dataset(recipe, record.folder, SilentProgress())
    result = Result(values={"count": summary.count, "skipped": len(summary.skipped)})
    append_events(record, [*began(), result, StateChanged(state=State.COMPLETED)])
    return record


def add_unfinished_dataset(
    workspace: Workspace, name: str, source: Path, events: Sequence[Event]
) -> Record:
    """A dataset whose journal goes only so far."""
    recipe = DatasetRecipe.parse({"source": str(source)})
    record = workspace.create(RecordKind.DATASET, name, recipe.to_json())
    append_events(record, [*began(), *events])
    return record


def add_run(
    workspace: Workspace,
    name: str,
    dataset: str,
    val_accuracies: Sequence[float],
    state: State = State.COMPLETED,
) -> Record:
    """A run with one epoch per validation accuracy; a state with a worker has none behind it."""
    plan = TrainingPlan(dataset=dataset, epochs=max(1, len(val_accuracies)))
    record = workspace.create(RecordKind.RUN, name, plan.to_json())
    frame = TrainingBegan(
        epochs=plan.epochs,
        steps_per_epoch=2,
        train_images=64,
        val_images=16,
        parameters=1000,
        trainable_parameters=1000,
        backend="tensorflow",
        device="cpu",
    )
    ending: list[Event] = [] if state == State.RUNNING else [StateChanged(state=state)]
    append_events(record, [*began(), frame, *epochs_done(val_accuracies), *ending])
    return record


def epochs_done(val_accuracies: Sequence[float]) -> list[EpochDone]:
    """Ends of epochs with these validation accuracies, after 2 steps each."""
    best = 0.0
    events = []
    for number, accuracy in enumerate(val_accuracies, 1):
        events.append(
            EpochDone(
                epoch=number,
                step=2 * number,
                metrics={
                    "loss": 1 / number,
                    "accuracy": accuracy,
                    "val_loss": 1 / number,
                    "val_accuracy": accuracy,
                },
                learning_rate=1e-3,
                seconds=1.0,
                images_per_second=64.0,
                is_best=accuracy > best,
            )
        )
        best = max(best, accuracy)
    return events


def add_model(workspace: Workspace, name: str, dataset: Record, accuracy: float = 0.9) -> Record:
    """A run whose journal says that there is a model."""
    run = add_run(workspace, name, dataset.id, [accuracy], State.RUNNING)
    append_events(run, [Artifact(name="model", path="model.keras")])
    return run


def start_jobs(qtbot: QtBot, context: AppContext) -> None:
    """Follow the workspace, and wait until everything in it is known."""
    if not any(context.workspace.records(kind) for kind in RecordKind):
        context.jobs.start()  # says nothing while there is nothing
        return
    with qtbot.waitSignal(context.jobs.loaded, timeout=10_000):
        context.jobs.start()


def add_baseline(workspace: Workspace, dataset: str, accuracy: float, state: State) -> Record:
    """A baseline on the features of SqueezeNet, whose worker ended in a state."""
    plan = BaselinePlan(dataset=dataset, dataset_version=0)
    name = workspace.unused_name(RecordKind.BASELINE, "shapes")
    record = workspace.create(RecordKind.BASELINE, name, plan.to_json())
    report = BaselineReport(
        dataset=dataset,
        dataset_version=0,
        classes=2,
        features=FeatureSource(
            kind="file",
            network="squeezenet",
            weights="f.h5",
            label="SqueezeNet",
            dimension=512,
            height=64,
            width=64,
        ),
        score=accuracy,
        low=accuracy - 0.05,
        high=accuracy + 0.05,
        chance=0.6,
        pixels_score=0.7,
        measured_on="val",
        measured_images=10,
        train_images=30,
        train_images_there=30,
        images=40,
        images_there=40,
        curve=tuple(
            LearningCurvePoint(images=images, score=share, spread=0.01, scores=(share,))
            for images, share in ((8, 0.6), (15, 0.7), (30, accuracy))
        ),
        growth=Growth(images=30, gain=0.03, low=0.01, high=0.05),
        seconds=3.0,
    )
    report.write(record.folder)
    append_events(record, [*began(), StateChanged(state=state, reason="The disk is full.")])
    return record
