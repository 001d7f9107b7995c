"""Metrics of segmentation, from the confusion of the pixels of each image."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.metric import fraction_metric
from studio.engine.tasks.prediction import Figures, Outputs, Reporter
from studio.engine.tasks.segmentation.task import IGNORE, MEAN_DICE, MEAN_IOU, PIXEL_ACCURACY

Labels = NDArray[np.uint8]
"""Class of each pixel, or `IGNORE`."""
Counts = NDArray[np.int32]
"""Of images: pixels by true and by predicted class, then the pixels of boundaries; see `counted`,
shape (n, K, K + 4)."""

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
    summary="Fraction of the pixels predicted as the class that are of it.",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Fraction of the pixels of the class that are predicted as it.",
)
_BOUNDARY_F1 = fraction_metric(
    name="boundary_f1",
    label="Boundary F1",
    validation_label="Val boundary F1",
    summary="F1 of the boundary pixels that lie within 0.75 % of the diagonal of the other "
    "boundary, the mean over the images with the class.",
)


def confusion(truth: Labels, predicted: Labels, classes: int) -> NDArray[np.int32]:
    """Count the pixels of each image by their true and their predicted class.

    Args:
        truth: Shape (n, H, W); pixels of `IGNORE` do not count.
        predicted: Shape (n, H, W).
        classes: How many there are, K.

    Returns:
        Shape (n, K, K): rows are true classes, columns predicted ones.
    """
    counts = np.empty((len(truth), classes, classes), np.int32)
    square = classes * classes
    for at, (true, given) in enumerate(zip(truth, predicted, strict=True)):
        # Ignored pixels fall behind the last place, because they are of no class.
        places = true.astype(np.int32) * classes + given
        places[true == IGNORE] = square
        counts[at] = np.bincount(places.ravel(), minlength=square + 1)[:square].reshape(
            classes, classes
        )
    return counts


def boundaries(truth: Labels, predicted: Labels, classes: int) -> NDArray[np.int32]:
    """Count the boundary pixels of each class in each image, and those that agree.

    A pixel is on the boundary of its class if one of its eight neighbors is of another class.
    Ignored pixels are on no boundary, and make none.

    Args:
        truth: Shape (n, H, W), with pixels of `IGNORE`.
        predicted: Shape (n, H, W).
        classes: How many there are, K.

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


def _edges(labels: Labels) -> NDArray[np.bool_]:
    """Return the pixels with a neighbor of another class; ignored ones are none and make none."""
    kernel = np.ones((3, 3), np.uint8)
    ignored = labels == IGNORE
    highest = cv2.dilate(np.where(ignored, np.uint8(0), labels), kernel)
    lowest = cv2.erode(labels, kernel)  # ignored ones are the highest value, and do not lower it
    found: NDArray[np.bool_] = ~ignored & ((highest != labels) | (lowest != labels))
    return found


def _distance_to(edge: NDArray[np.bool_]) -> NDArray[np.float32]:
    if not edge.any():
        return np.full(edge.shape, np.inf, np.float32)
    found: NDArray[np.float32] = cv2.distanceTransform(
        (~edge).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE
    )
    return found


class ReportsMasks(Reporter):
    """Measures the pixels of all images together; means are over the classes that occur."""

    whole = (MEAN_IOU, MEAN_DICE, PIXEL_ACCURACY, MEAN_BOUNDARY_F1)
    outputs = (_IOU, _DICE, _PRECISION, _RECALL, _BOUNDARY_F1)
    same_answer = "Two answers are the same if at most one pixel in a hundred differs."

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
        calibration: Calibration,  # noqa: ARG002 - of other tasks
    ) -> Figures:
        """Compute all metrics.

        Classes that are neither in a mask nor predicted count in no mean.

        Args:
            outputs: Counts of the images, shape (n, K, K + 4).
            targets: Pixels of each class, shape (n, K).
            calibration: Of the network.
        """
        classes = outputs.shape[1]
        total = outputs.sum(axis=0, dtype=np.int64)[:, :classes]
        hits, true, given = np.diagonal(total), total.sum(axis=1), total.sum(axis=0)
        each = {
            _IOU.name: _share(hits, true + given - hits),
            _DICE.name: _share(2 * hits, true + given),
            _PRECISION.name: _share(hits, given),
            _RECALL.name: _share(hits, true),
            _BOUNDARY_F1.name: _boundary_f1(outputs[:, :, classes:]),
        }
        pixels = total.sum()
        return Figures(
            {
                MEAN_IOU.name: _mean(each[_IOU.name]),
                MEAN_DICE.name: _mean(each[_DICE.name]),
                PIXEL_ACCURACY.name: float(hits.sum() / pixels) if pixels else np.nan,
                MEAN_BOUNDARY_F1.name: _mean(each[_BOUNDARY_F1.name]),
            },
            each,
        )


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
    """Return shares; NaN of nothing."""
    found: NDArray[np.float64] = np.divide(
        part, whole, out=np.full(len(whole), np.nan), where=whole > 0
    )
    return found


def _mean(values: NDArray[np.float64]) -> float:
    known = np.isfinite(values)
    return float(values[known].mean()) if known.any() else np.nan


REPORTER = ReportsMasks()
