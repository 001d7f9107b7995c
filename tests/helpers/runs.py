"""Runs as workers leave them behind, written by the engine's own journal, without training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from studio.engine.jobs.events import Artifact, Event, Started, StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, JournalWriter
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace

STEPS_PER_EPOCH = 4


def fake_run(
    workspace: Workspace,
    name: str,
    val_accuracies: Sequence[float],
    state: State = State.COMPLETED,
    *,
    seconds: float = 2.0,
    **settings: Any,
) -> Record:
    """A run with an epoch per validation accuracy; of a state with a worker, none is behind it."""
    epochs = max(1, len(val_accuracies))
    requested = {"dataset": "digits", "epochs": epochs, **settings}
    plan = TrainingPlan.parse(requested)
    record = workspace.create(RecordKind.RUN, name, plan.to_json())
    began = record.info().created.timestamp()
    events = [*_began(plan.epochs, began), *_trained(val_accuracies, began, seconds)]
    end = began + seconds * len(val_accuracies)
    if val_accuracies:
        events.append(Artifact(name="model", path="model.keras", t=end))
    if state == State.QUEUED:
        events = []
    elif state != State.RUNNING:
        events.append(StateChanged(state=state, t=end))
    append_events(record, events)
    return record


def task_run(
    workspace: Workspace,
    name: str,
    task: Task,
    epochs: Sequence[Mapping[str, float]],
    state: State = State.COMPLETED,
    **settings: Any,
) -> Record:
    """A run of a task with the metrics of each epoch; those that are best so far are marked."""
    plan = TrainingPlan.parse({"dataset": "digits", "epochs": len(epochs), **settings})
    record = workspace.create(RecordKind.RUN, name, plan.to_json())
    events: list[Event] = _began(len(epochs), record.info().created.timestamp(), task.name)
    best = -math.inf
    for number, metrics in enumerate(epochs, 1):
        reached = task.primary.sign * metrics[task.primary.name]
        events += task_epoch(task, number, metrics, is_best=reached > best)
        best = max(best, reached)
    if state != State.RUNNING:
        events.append(Artifact(name="model", path="model.keras"))
        events.append(StateChanged(state=state))
    append_events(record, events)
    return record


def task_epoch(
    task: Task, number: int, metrics: Mapping[str, float], *, is_best: bool = True
) -> list[Event]:
    """The steps and the end of an epoch of a run of a task."""
    last = number * STEPS_PER_EPOCH
    measured = {each: metrics.get(each, math.nan) for each in task.step_metrics}
    return [
        StepsDone(
            first=last - STEPS_PER_EPOCH + 1,
            last=last,
            metrics={each: [value] * STEPS_PER_EPOCH for each, value in measured.items()},
            learning_rate=1e-3,
            images_per_second=64.0,
        ),
        EpochDone(
            epoch=number,
            step=last,
            metrics=dict(metrics),
            learning_rate=1e-3,
            seconds=1.0,
            images_per_second=64.0,
            is_best=is_best,
        ),
    ]


def append_events(record: Record, events: Sequence[Event]) -> None:
    """Continue a journal, as its worker would."""
    writer = JournalWriter(record.folder / JOURNAL_FILE)
    for event in events:
        writer.append(event)
    writer.close()


def _began(epochs: int, t: float, task: str = DEFAULT_TASK.name) -> list[Event]:
    return [
        StateChanged(state=State.STARTING, t=t),
        Started(studio="test", pid=1, host="here", t=t),
        StateChanged(state=State.RUNNING, t=t),
        TrainingBegan(
            t=t,
            task=task,
            epochs=epochs,
            steps_per_epoch=STEPS_PER_EPOCH,
            train_images=64,
            val_images=16,
            parameters=1000,
            trainable_parameters=1000,
            backend="tensorflow",
            device="cpu",
        ),
    ]


def _trained(val_accuracies: Sequence[float], t: float, seconds: float) -> list[Event]:
    events: list[Event] = []
    best = 0.0
    for number, accuracy in enumerate(val_accuracies, 1):
        last = number * STEPS_PER_EPOCH
        loss = 1.5 * math.exp(-0.3 * number) + (1 - accuracy) / 2
        t += seconds
        values = [loss * (1 + 0.1 * math.sin(step)) for step in range(STEPS_PER_EPOCH)]
        events.append(
            StepsDone(
                t=t,
                first=last - STEPS_PER_EPOCH + 1,
                last=last,
                metrics={"loss": values, "accuracy": [accuracy * 0.98] * STEPS_PER_EPOCH},
                learning_rate=1e-3,
                images_per_second=64.0,
            )
        )
        events.append(
            EpochDone(
                t=t,
                epoch=number,
                step=last,
                metrics={
                    "loss": loss,
                    "accuracy": accuracy * 0.99,
                    "val_loss": loss * 1.1,
                    "val_accuracy": accuracy,
                },
                learning_rate=1e-3,
                seconds=seconds,
                images_per_second=64.0,
                is_best=accuracy > best,
            )
        )
        best = max(best, accuracy)
    return events
