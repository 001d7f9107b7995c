"""Decisions of the training page, free of Qt: what to show, what can be done, and why not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan

OWN_CARDS = ("augmentation", "optimizer", "schedule", "weights", "freeze")
"""Fields of a training plan that a card of their own edits."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What training will take, counted before it starts."""

    per_epoch: int
    total: int


def count_steps(plan: TrainingPlan, train_images: int) -> Steps:
    """Steps of an epoch and of the whole run; the last batch of an epoch may be smaller."""
    per_epoch = math.ceil(train_images / plan.batch_size)
    return Steps(per_epoch, per_epoch * plan.epochs)


def can_stop(state: State) -> bool:
    """Whether a stop would do something."""
    return state in (State.QUEUED, State.STARTING, State.RUNNING)


def has_model(history: RunHistory) -> bool:
    """Whether there is a model to predict with and to export."""
    return "model" in history.artifacts


def chart_metrics(tasks: Iterable[Task]) -> list[MetricSpec]:
    """Return the metrics of tasks that have a chart of their own beside that of the loss."""
    found = {spec.name: spec for task in tasks for spec in task.metrics}
    return [spec for spec in found.values() if not spec.is_loss and not spec.beside]


def best_metric(history: RunHistory) -> tuple[MetricSpec, float]:
    """Return the metric that a run is known by, and its value at the best epoch."""
    metric = primary_metric(history)
    best = history.best_epoch
    return metric, math.nan if best is None else best.value(metric.name)


def progress_curve(history: RunHistory) -> list[float]:
    """Return what a sparkline of the run shows: the metric that it is known by, by epoch."""
    name = primary_metric(history).name
    return [epoch.value(name) for epoch in history.epochs]


def epoch_metrics(history: RunHistory, task: Task) -> tuple[list[MetricSpec], list[MetricSpec]]:
    """Return the metrics in the table of epochs, on training and on validation images.

    Args:
        history: Of the run.
        task: Of the run; until it has begun its history does not know it.

    Returns:
        The loss and the metric that the run is known by; and the others that it measured.
    """
    primary = task.metrics[0]
    main = [*(each for each in task.metrics if each.is_loss and each != primary), primary]
    measured = {name for epoch in history.epochs[-1:] for name in epoch.metrics}
    others = [
        spec
        for each in task.metrics
        if each not in main
        for spec in (each, each.on_validation)
        if spec.name in measured
    ]
    return [*main, *(each.on_validation for each in main)], others


def recipe_fields() -> list[str]:
    """The fields of a training plan that its form shows; some have a card of their own."""
    shown = [
        field
        for field in fields_of(TrainingPlan)
        if field.level != "hidden" and field.name not in OWN_CARDS
    ]
    # Those under no heading must not stand below one.
    return [field.name for field in sorted(shown, key=lambda field: bool(field.group))]


def kept_as_defaults(plan: TrainingPlan) -> dict[str, object]:
    """What of a plan is worth keeping for other runs, where it is not as usual, as plain data."""
    usual = TrainingPlan(dataset="").model_dump(mode="json")
    values = plan.model_dump(mode="json")
    names = (*recipe_fields(), "optimizer", "optimizer_options", "schedule", "schedule_options")
    return {name: values[name] for name in names if values[name] != usual[name]}
