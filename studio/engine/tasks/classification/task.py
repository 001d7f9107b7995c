"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.classification.metrics import ACCURACY, LOSS, TOP_5
from studio.engine.tasks.task import Task

CLASSIFICATION = Task(
    name="classification",
    label="Classification",
    metrics=(ACCURACY, LOSS, TOP_5),
    step_metrics=("loss", "accuracy"),
    fewest_outputs=2,
    linear_solver="logistic_regression",
    learning="studio.engine.compute.tasks.classification",
    score_metric=ACCURACY.name,
    prediction="studio.engine.tasks.classification.prediction",
    summary="one class per image",
    sample="digits",
    refused={"head_solver=ridge": "ridge regression learns numbers"},
)
