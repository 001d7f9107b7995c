"""Metrics of detection: COCO's average precision and recall, and the outcome of each box."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.messages import message
from studio.engine.tasks.boxes import CLASS, LEFT, NO_BOX, OVERLAPS, overlaps
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.curves import PrecisionRecallCurve
from studio.engine.tasks.decoding import (
    MIN_SCORE,
    MOST,
    SCORE,
    Detections,
    corners_of,
    decoded,
    without_places,
)
from studio.engine.tasks.detection.doubts import credible_scores, doubts_of
from studio.engine.tasks.detection.matching import (
    ALL,
    LARGE,
    MEDIUM,
    SMALL,
    Outcome,
    confusion,
    given,
    outcome,
)
from studio.engine.tasks.detection.precision import (
    AT_50,
    LIMITS,
    Evidence,
    Precision,
    Ranking,
    evidence_of,
    evidence_type,
)
from studio.engine.tasks.detection.task import AP50, MAP
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.prediction import (
    FALSE,
    MISSED,
    RIGHT,
    UNCALIBRATED,
    Doubts,
    Figures,
    Outputs,
    Reporter,
)

THRESHOLD: Final = 0.3
"""Default score threshold of detections, if validation images do not give a better one."""
SAME_OVERLAP: Final = 0.9
SAME_SCORE: Final = 0.05
"""Least overlap and largest difference of the scores of equal detections of two models."""
_AT_75: Final = OVERLAPS.index(0.75)
_RIGHT_AT_50: Final = np.uint64(1) << np.uint64(AT_50)
_LINE: Final = 1 / 200
"""Width of outlines, as a share of the longer side of the image."""

AP75 = fraction_metric(
    name="ap75",
    label="AP75",
    validation_label="Val AP75",
    summary="Mean over the classes of the average precision of boxes that overlap their object by "
    "at least 75 %.",
)
AR100 = fraction_metric(
    name="ar100",
    label="AR100",
    validation_label="Val AR100",
    summary="Mean over the classes and over ten overlaps from 50 to 95 % of the share of objects "
    "that are found, with at most 100 boxes per image.",
)
_AR10 = fraction_metric(
    name="ar10",
    label="AR10",
    validation_label="Val AR10",
    summary="The same with at most 10 boxes of each class per image.",
)
_AR1 = fraction_metric(
    name="ar1",
    label="AR1",
    validation_label="Val AR1",
    summary="The same with at most one box of each class per image.",
)
_MAP_SMALL = fraction_metric(
    name="map_small",
    label="mAP, small",
    validation_label="Val mAP, small",
    summary="mAP of objects below 32² pixels of the dataset's images.",
)
_MAP_MEDIUM = fraction_metric(
    name="map_medium",
    label="mAP, medium",
    validation_label="Val mAP, medium",
    summary="mAP of objects from 32² to 96² pixels of the dataset's images.",
)
_MAP_LARGE = fraction_metric(
    name="map_large",
    label="mAP, large",
    validation_label="Val mAP, large",
    summary="mAP of objects above 96² pixels of the dataset's images.",
)
_AP = fraction_metric(
    name="ap",
    label="AP",
    validation_label="Val AP",
    summary="Mean over ten overlaps from 50 to 95 % of the average precision of the boxes of the "
    "class.",
)
_CLASS_AP50 = fraction_metric(
    name=AP50.name,
    label="AP50",
    validation_label="Val AP50",
    summary="Average precision of boxes of the class that overlap their object by at least 50 %.",
)
_AR = fraction_metric(
    name="ar",
    label="AR",
    validation_label="Val AR",
    summary="Mean over ten overlaps of the share of objects of the class that are found.",
)
_PRECISION = fraction_metric(
    name="precision",
    label="Precision",
    validation_label="Val precision",
    summary="Share of the boxes above the threshold of the class that overlap their object by at "
    "least 50 %.",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Share of the objects of the class that have a box above its threshold.",
)
_F1 = fraction_metric(
    name="f1",
    label="F1",
    validation_label="Val F1",
    summary="Harmonic mean of precision and recall.",
)


def thresholds_of(calibration: Calibration, count: int) -> NDArray[np.float64]:
    """Return the threshold of each class, shape (K,).

    Args:
        calibration: Calibration of the network.
        count: Number of classes, K.
    """
    return np.array(calibration.thresholds or (THRESHOLD,) * count)


class ReportsBoxes(Reporter):
    """Measures detections by COCO's rules; means are over the classes that have objects."""

    stores_evidence = True
    outputs_key = "classes"
    finds_doubts = True
    counts_objects = True
    whole: tuple[MetricSpec, ...] = (
        MAP,
        AP50,
        AP75,
        AR100,
        _AR10,
        _AR1,
        _MAP_SMALL,
        _MAP_MEDIUM,
        _MAP_LARGE,
    )
    outputs: tuple[MetricSpec, ...] = (_AP, _CLASS_AP50, _AR, _PRECISION, _RECALL, _F1)
    agreement_name = "box_agreement"
    confusion_title = "Objects by true and predicted class"
    confusion_note = (
        "Row “background”: boxes where nothing is. Column “background”: objects without a box."
    )
    error_note = "Orange: missed objects, blue: false boxes."
    same_prediction = (
        "Two predictions agree if each box above its threshold overlaps one of the other "
        "prediction by at least 90 %, of the same class and with a score that differs by at "
        "most 0.05."
    )
    # A measurement of 1,000 images takes 30 ms.
    cost = 1000

    def decoded(
        self,
        outputs: Outputs,
        size: tuple[int, int],
        seen: tuple[int, int] | None = None,
    ) -> NDArray[np.float32]:
        """Return the detections of images, shape (n, 100, 6).

        Args:
            outputs: Outputs of the network, shape (n, P, K + 4).
            size: Height and width of the images.
            seen: Height and width of what the network saw; None for those of the images.
        """
        found = decoded(outputs, seen or size)
        if seen is None or seen == size:
            return found
        height, width = size[0] / seen[0], size[1] / seen[1]
        found[..., LEFT:SCORE] *= np.array([width, height, width, height], np.float32)
        return found

    def evidence(self, decoded: NDArray[Any], truth: NDArray[Any], count: int) -> Evidence:
        """Return the correct detections and the numbers of objects, shape (n,).

        Args:
            decoded: Detections, shape (n, 100, 6).
            truth: Boxes of the images, shape (n, M, 6).
            count: Number of classes, K.
        """
        return evidence_of(decoded, truth, count)

    def outcome(
        self, decoded: NDArray[Any], truth: NDArray[Any], count: int, calibration: Calibration
    ) -> Outcome:
        """Return the matching of the detections and objects of an image.

        Args:
            decoded: Detections of the image, shape (100, 6).
            truth: Boxes of the image, shape (M, 6).
            count: Number of classes, K.
            calibration: Calibration of the network.
        """
        return outcome(decoded, truth, thresholds_of(calibration, count))

    def credible(
        self,
        decoded: Iterable[NDArray[Any]],
        truth: Iterable[NDArray[Any]],
        count: int,
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.float64]:
        """Return the mean scores of right predictions; see `doubts.credible_scores`."""
        return credible_scores(decoded, truth, thresholds_of(calibration, count))

    def doubts(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        credible: NDArray[np.float64],
        calibration: Calibration = UNCALIBRATED,
    ) -> Doubts:
        """Return the objects that predictions contradict; see `doubts.doubts_of`."""
        thresholds = thresholds_of(calibration, len(credible))
        return doubts_of(decoded, truth, thresholds, credible)

    def object_counts(
        self, decoded: NDArray[Any], count: int, calibration: Calibration
    ) -> NDArray[np.int64]:
        """Count the detections above their thresholds; see `Reporter.object_counts`."""
        labels = decoded[..., CLASS].astype(np.int64)
        is_given = labels != NO_BOX
        is_given &= decoded[..., SCORE] >= thresholds_of(calibration, count)[labels * is_given]
        images = np.nonzero(is_given)[0]
        cells = np.bincount(images * count + labels[is_given], minlength=len(decoded) * count)
        return cells.reshape(len(decoded), count).astype(np.int64)

    def confusion(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        count: int,
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.int64]:
        """Count the objects by true and predicted class; see `matching.confusion`."""
        found = np.zeros((count + 1, count + 1), np.int64)
        for rows, boxes in zip(decoded, truth, strict=True):
            found += confusion(self.outcome(rows, boxes, count, calibration), count)
        return found

    def errors(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - counted in the evidence
        output: int | None,
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.float64]:
        """Return 1 - F1 of the boxes of each image, of a class or of all.

        Args:
            evidence: Evidence of the images, shape (n,).
            targets: Not used by this task.
            output: The class; None for all. Negative in images without it.
            calibration: Threshold of each class.
        """
        right, false, missed = self._counts(evidence, output, calibration)
        wrong, total = false + missed, 2 * right + false + missed
        return np.where(total > 0, wrong / np.maximum(total, 1), -1.0)

    def error_text(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - counted in the evidence
        output: int,
        calibration: Calibration = UNCALIBRATED,
    ) -> str:
        """Return a text about missed objects and false boxes; see `Reporter.error_text`."""
        _, false, missed = (
            int(each[0]) for each in self._counts(evidence[None], output, calibration)
        )
        return message("{missed} missed, {false} false", missed=missed, false=false)

    def _counts(
        self, evidence: Evidence, output: int | None, calibration: Calibration
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of correct and false boxes and missed objects per image; n each."""
        label, counts = evidence["label"], evidence["objects"][:, ALL]
        thresholds = thresholds_of(calibration, counts.shape[1])
        is_given = (label != NO_BOX) & (evidence["score"] >= thresholds[label])
        if output is not None:
            is_given &= label == output
            counts = counts[:, output : output + 1]
        is_right = is_given & (evidence["right"] & _RIGHT_AT_50 > 0)
        is_false = is_given & ~is_right & (evidence["ignored"] & _RIGHT_AT_50 == 0)
        right: NDArray[np.int64] = is_right.sum(axis=1)
        return right, is_false.sum(axis=1), counts.sum(axis=1, dtype=np.int64) - right

    def error_map(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        output: int | None,
        size: tuple[int, int] = (0, 0),
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.uint8]:
        """Return the outlines of missed objects and of false detections, shape (H, W).

        Args:
            decoded: Detections of the image, shape (100, 6).
            truth: Boxes of the image, shape (M, 6).
            output: The class; None for all.
            size: Height and width of the image.
            calibration: Threshold of each class.
        """
        labels = np.concatenate([decoded[:, CLASS], truth[:, CLASS]])
        found = self.outcome(decoded, truth, max(int(labels.max()) + 1, 1), calibration)
        image = np.full(size, RIGHT, np.uint8)
        for rows, states, wrong in (
            (found.boxes, found.object_states, MISSED),
            (found.detections, found.states, FALSE),
        ):
            chosen = states == wrong
            if output is not None:
                chosen &= rows[:, CLASS] == output
            for corners in corners_of(rows[chosen]):
                _outline(image, corners, wrong)
        return image

    def outputs_in(self, evidence: NDArray[Any]) -> int:
        """Return the number of classes; see `Reporter.outputs_in`."""
        return evidence["objects"].shape[2] if evidence.dtype.names else 0

    def curves(self, evidence: NDArray[Any]) -> list[PrecisionRecallCurve]:
        """Return precision and recall of each class by its threshold; see `Reporter.curves`."""
        return list(Ranking(evidence).curves())

    def constant(self, targets: NDArray[Any]) -> Evidence:
        """Return the evidence of no detections."""
        found = np.zeros(len(targets), evidence_type(targets.shape[1]))
        found["label"] = int(NO_BOX)
        found["objects"] = targets[:, None]
        return found

    def recognized(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the images with each class, and those of them with a right box of it, K each.

        Args:
            outputs: Evidence, n rows.
            targets: Not used by this task.
        """
        counts = outputs["objects"][:, ALL]
        is_right = outputs["right"] & _RIGHT_AT_50 > 0
        found = [
            np.count_nonzero((is_right & (outputs["label"] == label)).any(axis=1))
            for label in range(counts.shape[1])
        ]
        return (counts > 0).sum(axis=0), np.array(found, np.int64)

    def predicted(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return the share of the boxes above the threshold that are each class."""
        is_given = (outputs["label"] != NO_BOX) & (outputs["score"] >= THRESHOLD)
        counts = np.bincount(outputs["label"][is_given], minlength=outputs["objects"].shape[2])
        found: NDArray[np.float64] = counts / max(counts.sum(), 1)
        return found

    def disagree(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration,
        scales: NDArray[np.float64],  # noqa: ARG002 - scores have none
    ) -> NDArray[np.bool_]:
        """Return True for images with a box that only one of two models gives, shape (n,).

        Args:
            one: Detections of a model, shape (n, 100, 6).
            other: Detections of another model for the same images.
            calibration: Threshold of each class.
            scales: Not used by this task.
        """
        return np.array(
            [
                same < total
                for same, total in (
                    self.same(*pair, calibration) for pair in zip(one, other, strict=True)
                )
            ],
            np.bool_,
        )

    def same(
        self, one: NDArray[np.float32], other: NDArray[np.float32], calibration: Calibration
    ) -> tuple[int, int]:
        """Return the number of boxes in two predictions for an image that agree, and of all.

        Args:
            one: Detections of a model, shape (100, 6).
            other: Detections of another model.
            calibration: Threshold of each class.
        """
        return same_objects(one, other, calibration, _is_near)

    def agreement(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration = UNCALIBRATED,
    ) -> float:
        """Return the share of the boxes that both models give; see `Reporter.agreement`."""
        counts = [self.same(*pair, calibration) for pair in zip(one, other, strict=True)]
        total = sum(each[1] for each in counts)
        return sum(each[0] for each in counts) / total if total else 1.0

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
        calibration: Calibration,
    ) -> Figures:
        """Compute all metrics.

        Args:
            outputs: Evidence of the images, shape (n,).
            targets: Not used by this task.
            calibration: Threshold of each class.
        """
        count = outputs["objects"].shape[2]
        return _figures(Ranking(outputs).measure(thresholds_of(calibration, count)))

    def resampled(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
        calibration: Calibration,
        draws: Iterable[NDArray[np.int64]],
    ) -> Iterator[Figures]:
        """Yield the metrics of each resample; the detections are sorted once.

        Args:
            outputs: Evidence of the images, shape (n,).
            targets: Not used by this task.
            calibration: Threshold of each class.
            draws: Indices of the images of each resample, shape (n,) each.
        """
        ranking = Ranking(outputs)
        thresholds = thresholds_of(calibration, outputs["objects"].shape[2])
        for indices in draws:
            weights = np.bincount(indices, minlength=len(outputs))
            yield _figures(ranking.measure(thresholds, weights))


def _figures(found: Precision) -> Figures:
    average, recall = found.average, found.recall
    whole = {
        MAP.name: mean_of_known(average[ALL]),
        AP50.name: mean_of_known(average[ALL, 0]),
        AP75.name: mean_of_known(average[ALL, _AT_75]),
    }
    for spec, at in ((AR100, MOST), (_AR10, 10), (_AR1, 1)):
        whole[spec.name] = mean_of_known(recall[LIMITS.index(at), ALL])
    for spec, size in ((_MAP_SMALL, SMALL), (_MAP_MEDIUM, MEDIUM), (_MAP_LARGE, LARGE)):
        whole[spec.name] = mean_of_known(average[size])
    right, total = found.right, found.given + found.objects
    return Figures(
        whole,
        {
            _AP.name: average[ALL].mean(axis=0),
            _CLASS_AP50.name: average[ALL, 0],
            _AR.name: recall[LIMITS.index(MOST), ALL].mean(axis=0),
            _PRECISION.name: fractions(right, found.given),
            _RECALL.name: fractions(right, found.objects),
            _F1.name: fractions(2 * right, total),
        },
    )


def mean_of_known(values: NDArray[np.float64]) -> float:
    """Return the mean of the values that are numbers; NaN if no value is a number."""
    known = np.isfinite(values)
    return float(values[known].mean()) if known.any() else np.nan


def fractions(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return parts divided by their wholes; NaN where a whole is 0.

    Args:
        part: Any shape.
        whole: A shape that fits.
    """
    found: NDArray[np.float64] = np.divide(
        part, whole, out=np.full(part.shape, np.nan), where=whole > 0
    )
    return found


def same_objects(
    one: NDArray[np.float32],
    other: NDArray[np.float32],
    calibration: Calibration,
    is_near: Callable[[Detections, Detections], NDArray[np.bool_]],
) -> tuple[int, int]:
    """Return the number of objects in two predictions for an image that agree.

    Args:
        one: Detections of a model, shape (m, 6) or more columns.
        other: Detections of another model.
        calibration: Threshold of each class.
        is_near: Returns True for each pair of detections at the same place, shape (a, b).

    Returns:
        Objects that have one of the same class and score, and all above their thresholds.
    """
    rows = [without_places(each) for each in (one, other)]
    labels = max((int(each[:, CLASS].max(initial=0)) for each in rows), default=0)
    thresholds = thresholds_of(calibration, labels + 1)
    found = total = 0
    for mine, all_others in (rows, rows[::-1]):
        shown = given(mine, thresholds)
        near = is_near(shown, all_others)
        near &= shown[:, CLASS, None] == all_others[None, :, CLASS]
        near &= np.abs(shown[:, SCORE, None] - all_others[None, :, SCORE]) <= SAME_SCORE
        found += int(near.any(axis=1).sum())
        total += len(shown)
    return found, total


def _is_near(one: Detections, other: Detections) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = overlaps(corners_of(one), corners_of(other)) >= SAME_OVERLAP
    return found


def _outline(image: NDArray[np.uint8], corners: NDArray[np.float32], value: int) -> None:
    """Draw the outline of a box.

    Args:
        image: Changed; shape (H, W).
        corners: Left, top, right and bottom in pixels, shape (4,).
        value: Value of its pixels.
    """
    width = max(1, round(_LINE * max(image.shape)))
    left, top, right, bottom = np.round(corners).astype(int).tolist()
    inside = image[max(top, 0) : bottom, max(left, 0) : right]
    for edge in (inside[:width], inside[-width:], inside[:, :width], inside[:, -width:]):
        edge[:] = value


_FEWEST = 5
"""Objects of a class that its threshold is tuned on."""


def tuned_thresholds(evidence: Evidence) -> tuple[float, ...]:
    """Return the threshold of each class with the highest F1; `THRESHOLD` where few objects are.

    Args:
        evidence: Evidence of validation images, shape (n,).
    """
    found = []
    for curve in Ranking(evidence).curves():
        best = curve.best_threshold() if curve.objects >= _FEWEST else None
        found.append(THRESHOLD if best is None else max(best, MIN_SCORE))
    return tuple(found)


REPORTER = ReportsBoxes()
