"""Decisions of the training page, free of Qt: what to show, what can be done, and why not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.tasks.metric import MetricSpec
from studio.engine.training.comparison import primary_metric
from studio.engine.training.events import EpochDone
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan

NETWORK = "network:"
CLONE = "clone:"

OWN_CARDS = ("augmentation", "optimizer", "schedule", "weights", "freeze")
"""Fields of a training plan that a card of their own edits."""


def clone_wish(wish: str) -> tuple[str, int | None]:
    """The id of a run to clone, and how many epochs if others: `ID` or `ID?epochs=N`."""
    record_id, _, epochs = wish.partition("?epochs=")
    return record_id, int(epochs) if epochs else None


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


def best_metric(history: RunHistory) -> tuple[MetricSpec, float]:
    """Return the metric that a run is known by, and its value at the best epoch."""
    metric = primary_metric(history)
    best = history.best_epoch
    return metric, math.nan if best is None else best.value(metric.name)


def progress_curve(history: RunHistory) -> list[float]:
    """Return what a sparkline of the run shows: the metric that it is known by, by epoch."""
    name = primary_metric(history).name
    return [epoch.value(name) for epoch in history.epochs]


def epoch_row(epoch: EpochDone) -> tuple[float, ...]:
    """Return the figures of an epoch in the order of the table's columns."""
    names = ("loss", "accuracy", "val_loss", "val_accuracy")
    return (
        epoch.epoch,
        *(epoch.value(name) for name in names),
        epoch.learning_rate,
        epoch.images_per_second,
        epoch.seconds,
        epoch.value("top_5"),
        epoch.value("val_top_5"),
    )


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
