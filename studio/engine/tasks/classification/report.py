"""Measures classes: the fraction of images with the right one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.classification.task import ACCURACY, LOSS, TOP_5
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.prediction import UNCALIBRATED, Figures, Outputs, Proportion, Reporter


def _reported(name: str, label: str) -> MetricSpec:
    """Declare a metric that only reports have."""
    return replace(ACCURACY, name=name, label=label, validation_label=label, summary="")


_TOP_5 = replace(TOP_5, label="Top-5 accuracy")
_BALANCED = _reported("balanced_accuracy", "Balanced accuracy")
_MACRO_F1 = _reported("macro_f1", "F1, macro")
_CALIBRATION = replace(_reported("calibration_error", "Calibration error"), higher_is_better=False)


class MeasuresClasses(Reporter):
    """Measures classes. Evidence is the predicted class, as targets are the true one, (n, 1)."""

    whole = (ACCURACY,)
    outputs = ()
    same_prediction = ""
    evaluation = "studio.engine.evaluation.evaluated_classes:EvaluatedClasses"
    outputs_key = "per_class"
    report_metrics = (
        ACCURACY,
        _TOP_5,
        LOSS,
        _BALANCED,
        _reported("macro_precision", "Precision, macro"),
        _reported("macro_recall", "Recall, macro"),
        _MACRO_F1,
        _reported("weighted_precision", "Precision, weighted"),
        _reported("weighted_recall", "Recall, weighted"),
        _reported("weighted_f1", "F1, weighted"),
        _reported("macro_roc_auc", "ROC area, macro"),
        _reported("macro_average_precision", "Average precision, macro"),
        _CALIBRATION,
    )
    main_metrics = (ACCURACY, _TOP_5, _MACRO_F1, _BALANCED, LOSS, _CALIBRATION)
    report_columns = (
        _reported("precision", "Precision"),
        _reported("recall", "Recall"),
        _reported("f1", "F1"),
        _reported("roc_auc", "ROC area"),
        _reported("average_precision", "Average precision"),
    )

    def evidence(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],  # noqa: ARG002 - of masks
        count: int,  # noqa: ARG002 - of masks
    ) -> NDArray[np.int64]:
        """Return the most probable class of each image; see `Reporter.evidence`."""
        found: NDArray[np.int64] = decoded.argmax(axis=1)[:, None]
        return found

    def outputs_in(self, evidence: NDArray[Any]) -> int:  # noqa: ARG002
        """Return 0: a class does not say of how many; see `Reporter.outputs_in`."""
        return 0

    def errors(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        output: int | None,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.float64]:
        """Return 1 for wrong predictions, negative for other classes; see `Reporter.errors`."""
        wrong = (evidence != targets)[:, 0].astype(np.float64)
        return wrong if output is None else np.where(targets[:, 0] == output, wrong, -1.0)

    def constant(self, targets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the most frequent class for all images; see `Reporter.constant`."""
        return np.full((len(targets), 1), np.bincount(targets[:, 0]).argmax())

    def disagree(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002 - of other tasks
        scales: NDArray[np.float64],  # noqa: ARG002 - of numbers
    ) -> NDArray[np.bool_]:
        """Return where the most probable classes differ; see `Reporter.disagree`."""
        found: NDArray[np.bool_] = one.argmax(axis=1) != other.argmax(axis=1)
        return found

    def certified(
        self,
        metrics: Mapping[str, float],
        model_metrics: Mapping[str, float],
        intervals: Mapping[str, tuple[float, float]],
    ) -> dict[str, Any]:
        """Return the accuracy, its interval and its change; see `Reporter.certified`."""
        accuracy = metrics[ACCURACY.name]
        return {
            "accuracy": accuracy,
            "accuracy_interval": intervals.get(ACCURACY.name),
            "accuracy_change": accuracy - model_metrics[ACCURACY.name],
        }

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002 - of other tasks
    ) -> Figures:
        """Return the accuracy; see `Reporter.measure`."""
        return Figures({ACCURACY.name: float((outputs == targets).mean())})

    def proportions(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002 - of other tasks
    ) -> list[Proportion]:
        """Return the accuracy; see `Reporter.proportions`."""
        right = (outputs == targets)[:, 0]
        return [Proportion(ACCURACY.name, None, np.ones_like(right), right)]


REPORTER = MeasuresClasses()
