"""Decisions of the training page, without Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable

from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import trainer_of

OWN_CARDS = ("augmentation", "optimizer", "schedule", "weights", "freeze")
"""Fields of a training plan that have separate cards."""


def count_steps(plan: TrainingPlan, train_images: int) -> tuple[int, int]:
    """Return the steps of an epoch and of a plan; the last batch of an epoch may be smaller."""
    return math.ceil(train_images / plan.batch_size), trainer_of(plan).steps(plan, train_images)


def can_stop(state: State) -> bool:
    """Return True if a run in this state can be stopped."""
    return state in (State.QUEUED, State.STARTING, State.RUNNING)


def chart_metrics(tasks: Iterable[Task]) -> list[MetricSpec]:
    """Return the metrics of tasks that can be shown next to the loss."""
    found = {spec.name: spec for task in tasks for spec in task.all_metrics}
    return [spec for spec in found.values() if not spec.is_loss and not spec.beside]


def best_metric(history: RunHistory) -> tuple[MetricSpec, float]:
    """Return the main metric of a run and its value at the best epoch."""
    metric = primary_metric(history)
    best = history.best_epoch
    return metric, math.nan if best is None else best.value(metric.name)


def progress_curve(history: RunHistory) -> list[float]:
    """Return the main metric of each epoch, for a sparkline."""
    name = primary_metric(history).name
    return [epoch.value(name) for epoch in history.epochs]


def epoch_metrics(history: RunHistory, task: Task) -> tuple[list[MetricSpec], list[MetricSpec]]:
    """Return the metrics in the table of epochs, on training and on validation images.

    Args:
        history: History of the run.
        task: Its task; the history contains it only after the run has started.

    Returns:
        The loss and the main metric; the other metrics that were measured.
    """
    primary = task.metrics[0]
    main = [*(each for each in task.metrics if each.is_loss and each != primary), primary]
    measured = {name for epoch in history.epochs[-1:] for name in epoch.metrics}
    others = [
        spec
        for each in task.all_metrics
        if each not in main
        for spec in (each, each.on_validation)
        if spec.name in measured
    ]
    return [*main, *(each.on_validation for each in main)], others


def recipe_fields() -> list[str]:
    """Return the fields of a training plan that its form shows."""
    shown = [
        field
        for field in fields_of(TrainingPlan)
        if field.level != "hidden" and field.name not in OWN_CARDS
    ]
    # Fields without a heading come first.
    return [field.name for field in sorted(shown, key=lambda field: bool(field.group))]


def own_settings(plan: TrainingPlan) -> dict[str, object]:
    """Return the settings of a plan that differ from the defaults, without network and dataset."""
    default = TrainingPlan(dataset="").model_dump(mode="json")
    values = plan.model_dump(mode="json")
    names = (*recipe_fields(), "optimizer", "optimizer_options", "schedule", "schedule_options")
    return {name: values[name] for name in names if values[name] != default[name]}
