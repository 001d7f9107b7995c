"""Metrics of segmentation, from the confusion of the pixels of each image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import PixelClasses
from studio.engine.messages import message
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.metric import fraction_metric
from studio.engine.tasks.prediction import (
    FALSE,
    IGNORED,
    MISSED,
    RIGHT,
    UNCALIBRATED,
    Figures,
    Outputs,
    Reporter,
)
from studio.engine.tasks.segmentation.task import MEAN_DICE, MEAN_IOU, PIXEL_ACCURACY

Counts = NDArray[np.int32]
"""Pixels of each class in each image that are right, true, and predicted; where boundaries are
compared, followed by what `boundaries` counts. Shape (n, K, 3), or (n, K, 7)."""

_OTHER_SHARE: Final = 0.01
"""Fraction of pixels of another class from which on a prediction is another one."""
_TOLERANCE: Final = 0.0075
"""Distance, as a share of the diagonal, within which boundaries agree; as in Csurka 2013."""

MEAN_BOUNDARY_F1 = fraction_metric(
    name="mean_boundary_f1",
    label="Mean boundary F1",
    validation_label="Val mean boundary F1",
    summary="Mean of boundary F1 over the classes.",
    source="Csurka et al., What is a good evaluation measure for semantic segmentation, BMVC 2013",
)
_IOU = fraction_metric(
    name="iou",
    label="IoU",
    validation_label="Val IoU",
    summary="Intersection of predicted and true pixels divided by their union.",
)
_DICE = fraction_metric(
    name="dice",
    label="Dice",
    validation_label="Val Dice",
    summary="Twice the intersection of predicted and true pixels divided by the sum of both "
    "areas: F1 of the pixels.",
)
_PRECISION = fraction_metric(
    name="precision",
    label="Precision",
    validation_label="Val precision",
    summary="Fraction of the pixels predicted as the class that belong to it.",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Fraction of the pixels of the class that are predicted correctly.",
)
_BOUNDARY_F1 = fraction_metric(
    name="boundary_f1",
    label="Boundary F1",
    validation_label="Val boundary F1",
    summary="F1 of the boundary pixels that lie within 0.75 % of the diagonal of the other "
    "boundary, the mean over the images with the class.",
)


def confusion(truth: PixelClasses, predicted: PixelClasses, classes: int) -> NDArray[np.int64]:
    """Count the pixels of all images by their true and their predicted class.

    Args:
        truth: Pixels of `IGNORE` do not count; any shape.
        predicted: Of the same shape.
        classes: Number of classes, K.

    Returns:
        Shape (K, K): rows are true classes, columns predicted ones.
    """
    counted = truth != IGNORE
    cells = truth[counted].astype(np.int32) * classes + predicted[counted]
    counts: NDArray[np.int64] = np.bincount(cells, minlength=classes * classes)
    return counts.reshape(classes, classes)


def pixel_counts(truth: PixelClasses, predicted: PixelClasses, classes: int) -> Counts:
    """Count the pixels of each class in each image that are right, true, and predicted.

    Args:
        truth: Shape (n, H, W); pixels of `IGNORE` do not count.
        predicted: Shape (n, H, W).
        classes: Number of classes, K.

    Returns:
        Shape (n, K, 3).
    """
    counts = np.empty((len(truth), classes, 3), np.int32)
    for at, (true, given) in enumerate(zip(truth, predicted, strict=True)):
        matrix = confusion(true, given, classes)
        counts[at] = np.stack([np.diagonal(matrix), matrix.sum(axis=1), matrix.sum(axis=0)], 1)
    return counts


def boundaries(truth: PixelClasses, predicted: PixelClasses, classes: int) -> NDArray[np.int32]:
    """Count the boundary pixels of each class in each image, and those that agree.

    A pixel is on the boundary of its class if one of its eight neighbors is of another class.
    Ignored pixels are on no boundary, and make none.

    Args:
        truth: Shape (n, H, W), with pixels of `IGNORE`.
        predicted: Shape (n, H, W).
        classes: Number of classes, K.

    Returns:
        Shape (n, K, 4): predicted boundary pixels near the true boundary, all of them, true ones
        near the predicted boundary, all of them.
    """
    tolerance = max(1.0, _TOLERANCE * float(np.hypot(*truth.shape[1:])))
    counts = np.zeros((len(truth), classes, 4), np.int32)
    for at, (true, given) in enumerate(zip(truth, predicted, strict=True)):
        ignored = true == IGNORE
        edges = [_edges(np.where(ignored, np.uint8(IGNORE), each)) for each in (given, true)]
        for label in np.union1d(true[~ignored], given[~ignored]).tolist():
            own = [edge & (each == label) for edge, each in zip(edges, (given, true), strict=True)]
            for side, (here, there) in enumerate(((own[0], own[1]), (own[1], own[0]))):
                near = here & (_distance_to(there) <= tolerance)
                counts[at, label, 2 * side : 2 * side + 2] = near.sum(), here.sum()
    return counts


def _edges(labels: PixelClasses) -> NDArray[np.bool_]:
    """Return the pixels with a neighbor of another class; ignored pixels have no edges."""
    kernel = np.ones((3, 3), np.uint8)
    ignored = labels == IGNORE
    highest = cv2.dilate(np.where(ignored, np.uint8(0), labels), kernel)
    lowest = cv2.erode(labels, kernel)  # ignored ones are the highest value, and do not lower it
    found: NDArray[np.bool_] = ~ignored & ((highest != labels) | (lowest != labels))
    return found


def _distance_to(edge: NDArray[np.bool_]) -> NDArray[Any]:
    if not edge.any():
        return np.full(edge.shape, np.inf, np.float32)
    return cv2.distanceTransform((~edge).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)


class ReportsMasks(Reporter):
    """Measures the pixels of all images together; means are over the classes that occur."""

    stores_evidence = True
    outputs_key = "classes"
    whole = (MEAN_IOU, MEAN_DICE, PIXEL_ACCURACY, MEAN_BOUNDARY_F1)
    outputs = (_IOU, _DICE, _PRECISION, _RECALL, _BOUNDARY_F1)
    same_prediction = "Two predictions are considered equal if at most 1 % of the pixels differ."
    confusion_title = "Pixels by true and predicted class"
    error_note = "IoU in the image. Orange: missed, blue: false."

    def decoded(
        self,
        outputs: Outputs,
        size: tuple[int, int],
        seen: tuple[int, int] | None = None,  # noqa: ARG002 - the outputs are as large
    ) -> PixelClasses:
        """Return the most probable class of each pixel, shape (n, H, W).

        Args:
            outputs: Probabilities, shape (n, H, W, K).
            size: Height and width of the images; maps of another size become as large.
            seen: Not used by this task.
        """
        labels: PixelClasses = np.argmax(outputs, axis=-1).astype(np.uint8)
        if labels.shape[1:] == size:
            return labels
        return np.stack(
            [
                cv2.resize(each, size[::-1], interpolation=cv2.INTER_NEAREST_EXACT)
                for each in labels
            ]
        )

    def evidence(self, decoded: NDArray[Any], truth: NDArray[Any], count: int) -> Counts:
        """Return the counts of pixels and of boundaries, shape (n, K, 7).

        Args:
            decoded: Predicted class of each pixel, shape (n, H, W).
            truth: Masks, shape (n, H, W).
            count: Number of classes, K.
        """
        return np.concatenate(
            [pixel_counts(truth, decoded, count), boundaries(truth, decoded, count)], axis=2
        )

    def confusion_names(self, names: Sequence[str]) -> list[str]:
        """Return the classes: each pixel has one, or counts nowhere."""
        return list(names)

    def confusion(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        count: int,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.int64]:
        """Count the pixels by true and predicted class; see `Reporter.confusion`."""
        return confusion(truth, decoded, count)

    def in_cell(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        cell: tuple[int, int],
        count: int,  # noqa: ARG002 - of boxes
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> int:
        """Count the pixels of a class that are predicted as another; see `Reporter.in_cell`."""
        return int(np.count_nonzero((truth == cell[0]) & (decoded == cell[1])))

    def errors(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - counted in the evidence
        output: int | None,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.float64]:
        """Return 1 - IoU of a class in each image, or 1 - mean IoU of the classes in it.

        Args:
            evidence: Counts of the images, shape (n, K, 3) or more.
            targets: Pixels of each class, shape (n, K).
            output: The class; None for all. Negative in images without it.
            calibration: Not used by this task.
        """
        right, true, predicted = np.moveaxis(evidence[:, :, :3], 2, 0)
        union = true + predicted - right
        iou = np.divide(right, union, out=np.zeros(union.shape), where=union > 0)
        if output is not None:
            return np.where(union[:, output] > 0, 1 - iou[:, output], -1.0)
        occurring = (union > 0).sum(axis=1)
        mean: NDArray[np.float64] = iou.sum(axis=1) / np.maximum(occurring, 1)
        return np.where(occurring > 0, 1 - mean, -1.0)

    def error_text(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        output: int,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> str:
        """Return the IoU of a class in an image; see `Reporter.error_text`."""
        error = self.errors(evidence[None], targets[None], output)[0]
        return message("IoU {share:.0%}", share=1 - error)

    def error_map(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        output: int | None,
        size: tuple[int, int] = (0, 0),  # noqa: ARG002 - masks are as large as their images
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.uint8]:
        """Return the missed and false pixels; see `Reporter.error_map`."""
        if output is None:
            found = np.where(decoded != truth, MISSED, RIGHT)
        else:
            is_true, is_given = truth == output, decoded == output
            found = np.where(is_true & ~is_given, MISSED, RIGHT)
            found[is_given & ~is_true] = FALSE
        found[truth == IGNORE] = IGNORED
        return found.astype(np.uint8)

    def constant(self, targets: NDArray[Any]) -> Counts:
        """Return the counts of masks that are the most frequent class everywhere."""
        counts = np.zeros((*targets.shape, 3), np.int32)
        counts[:, :, 1] = targets
        most = int(targets.sum(axis=0).argmax())
        counts[:, most, 0] = targets[:, most]
        counts[:, most, 2] = targets.sum(axis=1)
        return counts

    def recognized(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the images with each class, and those of them with a correct pixel of it.

        Args:
            outputs: Evidence, n rows.
            targets: Not used by this task.
        """
        right, true = outputs[:, :, 0] > 0, outputs[:, :, 1] > 0
        return true.sum(axis=0), right.sum(axis=0)

    def predicted(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return the share of the pixels that are predicted as each class."""
        pixels = outputs[:, :, 2].sum(axis=0, dtype=np.float64)
        fractions: NDArray[np.float64] = pixels / max(pixels.sum(), 1)
        return fractions

    def disagree(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002 - of other tasks
        scales: NDArray[np.float64],  # noqa: ARG002 - probabilities have none
    ) -> NDArray[np.bool_]:
        """Return True for images in which over one percent of the pixels get another class.

        Args:
            one: Predicted classes of a model, shape (n, H, W).
            other: Predicted classes of another model for the same images.
            calibration: Not used by this task.
            scales: Not used by this task.
        """
        found: NDArray[np.bool_] = (one != other).mean(axis=(1, 2)) > _OTHER_SHARE
        return found

    def agreement(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> float:
        """Return the share of the pixels with the same class; see `Reporter.agreement`."""
        return float((one == other).mean())

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
        calibration: Calibration,  # noqa: ARG002 - of other tasks
    ) -> Figures:
        """Compute all metrics.

        Classes that are neither in a mask nor predicted count in no mean.

        Args:
            outputs: Counts of the images, shape (n, K, 3) or (n, K, 7).
            targets: Pixels of each class, shape (n, K).
            calibration: Calibration of the network.
        """
        right, true, predicted = outputs[:, :, :3].sum(axis=0, dtype=np.int64).T
        each = {
            _IOU.name: _share(right, true + predicted - right),
            _DICE.name: _share(2 * right, true + predicted),
            _PRECISION.name: _share(right, predicted),
            _RECALL.name: _share(right, true),
        }
        pixels = true.sum()
        whole = {
            MEAN_IOU.name: _mean(each[_IOU.name]),
            MEAN_DICE.name: _mean(each[_DICE.name]),
            PIXEL_ACCURACY.name: float(right.sum() / pixels) if pixels else np.nan,
        }
        if outputs.shape[2] > 3:
            each[_BOUNDARY_F1.name] = _boundary_f1(outputs[:, :, 3:])
            whole[MEAN_BOUNDARY_F1.name] = _mean(each[_BOUNDARY_F1.name])
        return Figures(whole, each)


def _boundary_f1(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean F1 of boundaries over the images with the class, K.

    Args:
        counts: Shape (n, K, 4), see `boundaries`.
    """
    near_given, given, near_true, true = np.moveaxis(counts, 2, 0)
    precision, recall = (
        np.divide(near, of, out=np.zeros(of.shape), where=of > 0)
        for near, of in ((near_given, given), (near_true, true))
    )
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(both.shape), where=both > 0)
    occurs = (given > 0) | (true > 0)
    return _share(np.where(occurs, f1, 0).sum(axis=0), occurs.sum(axis=0))


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return fractions; NaN of nothing."""
    found: NDArray[np.float64] = np.divide(
        part, whole, out=np.full(len(whole), np.nan), where=whole > 0
    )
    return found


def _mean(values: NDArray[np.float64]) -> float:
    known = np.isfinite(values)
    return float(values[known].mean()) if known.any() else np.nan


REPORTER = ReportsMasks()
