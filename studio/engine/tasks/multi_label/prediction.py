"""Predictions of multi-label classification, with a threshold per label, and their metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.metric import fraction_metric
from studio.engine.tasks.multi_label.task import F1_MACRO, F1_MICRO, LABEL_ACCURACY, MAP
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.scores import Scores, top_scores
from studio.engine.tasks.prediction import Figures, Meaning, Outputs, Predictor, Reporter

SUBSET_ACCURACY = fraction_metric(
    name="subset_accuracy",
    label="Subset accuracy",
    validation_label="Val subset accuracy",
    summary="Fraction of images whose labels are all right.",
)
_AVERAGE_PRECISION = fraction_metric(
    name="average_precision",
    label="Average precision",
    validation_label="Val average precision",
    summary="Area under the precision-recall curve of the label.",
)
_PRECISION = fraction_metric(
    name="precision",
    label="Precision",
    validation_label="Val precision",
    summary="Fraction of the images with the predicted label that have it.",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Fraction of the images that have the label for which it is predicted.",
)
_F1 = fraction_metric(
    name="f1",
    label="F1",
    validation_label="Val F1",
    summary="Harmonic mean of precision and recall.",
)


class ReportsLabels(Reporter):
    """Measures labels at their tuned thresholds, and mAP at all of them."""

    whole = (MAP, F1_MICRO, F1_MACRO, SUBSET_ACCURACY, LABEL_ACCURACY)
    outputs = (_AVERAGE_PRECISION, _F1, _PRECISION, _RECALL)
    same_prediction = "Two predictions agree if they have the same labels."
    cost = 2

    def disagree(
        self,
        one: Outputs,
        other: Outputs,
        calibration: Calibration,
        scales: NDArray[np.float64],  # noqa: ARG002 - probabilities have none
    ) -> NDArray[np.bool_]:
        """Return True for images that get different labels, shape (N,).

        Args:
            one: Probabilities of a model, shape (N, labels).
            other: Probabilities of another model for the same images.
            calibration: Threshold of each label.
            scales: Not used by this task.
        """
        thresholds = np.array(calibration.thresholds or (HALF,) * one.shape[1])
        found: NDArray[np.bool_] = ((one >= thresholds) != (other >= thresholds)).any(axis=1)
        return found

    def recognized(
        self, outputs: Outputs, targets: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the images with each label, and those of them scored at least one half.

        Args:
            outputs: Probabilities, shape (N, labels).
            targets: 0 or 1, shape (N, labels).
        """
        truth = targets > 0
        return truth.sum(axis=0), (truth & (outputs >= HALF)).sum(axis=0)

    def measure(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> Figures:
        """Compute all metrics; labels without images are left out of means.

        Args:
            outputs: Probabilities, shape (N, labels).
            targets: 0 or 1, shape (N, labels).
            calibration: Threshold of each label.
        """
        truth = targets.astype(np.bool_)
        given = outputs >= np.array(calibration.thresholds or (HALF,) * outputs.shape[1])
        hits = (truth & given).sum(axis=0)
        called, there = given.sum(axis=0), truth.sum(axis=0)
        precision = np.divide(hits, called, out=np.zeros(len(hits)), where=called > 0)
        recall = np.divide(hits, there, out=np.full(len(hits), np.nan), where=there > 0)
        f1 = np.divide(2 * hits, called + there, out=np.zeros(len(hits)), where=called + there > 0)
        precisions = average_precisions(truth, outputs)
        occurs = there > 0
        total = called.sum() + there.sum()
        return Figures(
            {
                MAP.name: float(precisions[occurs].mean()) if occurs.any() else np.nan,
                F1_MICRO.name: float(2 * hits.sum() / total) if total else np.nan,
                F1_MACRO.name: float(f1[occurs].mean()) if occurs.any() else np.nan,
                SUBSET_ACCURACY.name: float((truth == given).all(axis=1).mean()),
                LABEL_ACCURACY.name: float((truth == given).mean()),
            },
            {
                _AVERAGE_PRECISION.name: precisions,
                _F1.name: np.where(occurs, f1, np.nan),
                _PRECISION.name: precision,
                _RECALL.name: recall,
            },
        )


def average_precisions(truth: NDArray[np.bool_], scores: Outputs) -> NDArray[np.float64]:
    """Return the average precision of each label, K; NaN for labels that no image has.

    As `sklearn.metrics.average_precision_score`, which checks its arguments for a millisecond per
    label: with the thousands of resamples of an interval, that took half a minute.

    Args:
        truth: True where an image has a label, shape (n, K).
        scores: Shape (n, K).
    """
    count = len(truth)
    order = np.argsort(-scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    there = np.take_along_axis(truth, order, axis=0)
    # Images of one score are given the label together: each has the precision of the last one.
    is_last = np.ones(there.shape, np.bool_)
    is_last[:-1] = ranked[1:] != ranked[:-1]
    indices = np.where(is_last, np.arange(count)[:, None], count)
    last = np.minimum.accumulate(indices[::-1], axis=0)[::-1]
    precision = np.take_along_axis(there.cumsum(axis=0), last, axis=0) / (last + 1)
    total = there.sum(axis=0)
    sums = (precision * there).sum(axis=0)
    found: NDArray[np.float64] = np.divide(
        sums, total, out=np.full(len(total), np.nan), where=total > 0
    )
    return found


REPORTER = ReportsLabels()


HALF = 0.5
_FEWEST = 5
"""Validation images with a label, and without it, that its threshold is tuned on."""


def tuned_thresholds(outputs: Outputs, targets: NDArray[Any]) -> tuple[float, ...]:
    """Return the threshold of each label with the highest F1; one half where that is not known.

    Args:
        outputs: Probabilities, shape (n, K).
        targets: 0 or 1, shape (n, K).
    """
    found = []
    for scores, truth in zip(outputs.T, targets.T, strict=True):
        positives = int(truth.sum())
        if min(positives, len(truth) - positives) < _FEWEST:
            found.append(HALF)
            continue
        order = np.argsort(-scores, kind="stable")
        hits = np.cumsum(truth[order])
        f1 = 2 * hits / (np.arange(1, len(order) + 1) + positives)
        # Images of one score get the label together.
        ends = np.append(scores[order][1:] < scores[order][:-1], True)
        best = int(np.argmax(np.where(ends, f1, -1)))
        below = scores[order][best + 1] if best + 1 < len(order) else 0.0
        found.append(float((scores[order][best] + below) / 2))
    return tuple(found)


class PredictsLabels(Predictor):
    """Predicts the labels whose probability reaches their threshold."""

    parts = (Scores,)
    calibrates = True
    columns = ("labels",)

    def calibrated(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        count: int,  # noqa: ARG002 - of boxes
    ) -> Calibration:
        """Tune the threshold of each label.

        Args:
            outputs: Probabilities of the validation images, shape (N, labels).
            targets: 0 or 1, shape (N, labels).
            count: Not used by this task.
        """
        return Calibration(thresholds=tuned_thresholds(outputs, targets), images=len(outputs))

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:
        """Return the calibration with a threshold for every label.

        Args:
            calibration: May lack thresholds.
            outputs: Number of labels.
        """
        thresholds = calibration.thresholds or (HALF,) * outputs
        return calibration.model_copy(update={"thresholds": thresholds})

    def predictions(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Prediction]:
        """Return the predicted labels of each image and its highest scores.

        Args:
            outputs: Probabilities, shape (n, K).
            meaning: Names and thresholds of the labels.
            top: Number of scores per image.
        """
        thresholds = np.array(meaning.calibration.thresholds or (HALF,) * len(meaning.names))
        by_name = dict(zip(meaning.names, thresholds.tolist(), strict=True))
        return [
            Prediction(
                scores=Scores(
                    classes=tuple(
                        each.model_copy(update={"threshold": by_name[each.label]})
                        for each in top_scores(row, meaning.names, top)
                    ),
                    labels=tuple(
                        meaning.names[at] for at in np.flatnonzero(row >= thresholds).tolist()
                    ),
                )
            )
            for row in outputs
        ]


PREDICTOR = PredictsLabels()
