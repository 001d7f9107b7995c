"""Evaluations as the job leaves them behind, made of given answers, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.evaluation.evaluated_classes import (
    EvaluatedClasses,
    Predictions,
    write_predictions,
    writing_probabilities,
)
from studio.engine.evaluation.outcomes import outcomes_of
from studio.engine.evaluation.report import Certainty, EvaluatedModel, OutputFigures, Report
from studio.engine.evaluation.report_builder import Measured, report_on_classes
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Workspace

SUBJECT = EvaluatedModel(
    model="lenet", run="r", dataset="d", dataset_name="Digits", dataset_version=0, split="test"
)


def report_of(
    probabilities: NDArray[Any],
    labels: NDArray[np.integer],
    resamples: int = 0,
    *,
    classes: Sequence[str] = (),
    subject: EvaluatedModel = SUBJECT,
    **more: Any,
) -> Report:
    """The report of some answers; classes have numbers unless they are named."""
    size = probabilities.shape[1]
    measured = Measured(
        subject,
        classes or [str(label) for label in range(size)],
        outcomes_of(probabilities, labels, size),
        probabilities,
        **more,
    )
    return report_on_classes(measured, resamples, 0, SilentProgress())


def metric(figures: Report | OutputFigures, name: str) -> float:
    """A metric that was measured."""
    value = figures.metrics[name]
    assert value is not None
    return value


def certainty_of(report: Report) -> Certainty:
    """The confidence of the predicted classes."""
    assert report.certainty is not None
    return report.certainty


def learned(
    count: int, classes: int, seed: int, heat: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Answers that are exactly as sure as they are right, then heated, with the true classes."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (count, classes))
    fractions = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = np.array([random.choice(classes, p=share) for share in fractions])
    heated = np.exp(logits / heat)
    return heated / heated.sum(axis=1, keepdims=True), labels


def leave_evaluation(
    folder: Path,
    rows: NDArray[np.int64],
    probabilities: NDArray[Any],
    labels: NDArray[np.integer],
    **more: Any,
) -> EvaluatedClasses:
    """Write what an evaluation job writes into its folder; `more` is for `report_of`."""
    outcomes = outcomes_of(probabilities, labels, probabilities.shape[1])
    predictions = Predictions(rows, outcomes.predicted, outcomes.confidence.astype(np.float32))
    write_predictions(folder, predictions, outcomes.truth)
    with writing_probabilities(folder, *probabilities.shape) as file:
        file.add(probabilities)
    report_of(probabilities, labels, **more).write(folder)
    return EvaluatedClasses.open(Workspace(folder.parent), folder)
