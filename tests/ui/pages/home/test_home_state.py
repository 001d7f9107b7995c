"""Decisions of the home page."""

from __future__ import annotations

import math

from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.training.history import EpochDone, RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.ui.pages.home import latest_runs


def history(accuracies: list[float], val_accuracies: list[float]) -> RunHistory:
    made = RunHistory()
    for number, (accuracy, val) in enumerate(zip(accuracies, val_accuracies, strict=True), 1):
        made.epochs.append(
            EpochDone(
                epoch=number,
                step=number,
                metrics={"loss": 1.0, "accuracy": accuracy, "val_accuracy": val},
                learning_rate=0.1,
                seconds=1.0,
                images_per_second=1.0,
            )
        )
    return made


def test_a_run_is_summarized_by_its_best_validation_accuracy() -> None:
    facts = latest_runs.run_facts(TrainingPlan(dataset="d"), history([0.9, 0.99], [0.7, 0.6]))
    assert facts.network == "LeNet-5"
    assert facts.best == 0.7
    assert facts.metric == DEFAULT_TASK.primary
    assert facts.curve == [0.7, 0.6]


def test_without_validation_images_the_training_accuracy_is_shown_and_named() -> None:
    facts = latest_runs.run_facts(TrainingPlan(dataset="d"), history([0.5, 0.8], [math.nan] * 2))
    assert facts.best == 0.8
    assert facts.metric == DEFAULT_TASK.metrics[0]
    assert facts.curve == [0.5, 0.8]


def test_the_best_follows_the_direction_of_the_metric() -> None:
    made = history([0.5, 0.5], [0.5, 0.5])
    made.task = TASKS["regression"]
    made.epochs = [
        epoch.model_copy(update={"metrics": {"val_mae": error}})
        for epoch, error in zip(made.epochs, (3.0, 4.0), strict=True)
    ]
    facts = latest_runs.run_facts(TrainingPlan(dataset="d"), made)
    assert facts.best == 3.0
    assert facts.metric == TASKS["regression"].primary


def test_a_run_without_an_epoch_has_no_figure() -> None:
    facts = latest_runs.run_facts(TrainingPlan(dataset="d", network="mine"), RunHistory())
    assert facts.best is None
    assert facts.curve == []
    assert facts.network == "mine"
