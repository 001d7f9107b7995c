"""Metrics of anomaly detection: of images, of pixels, and of each kind of defect.

The pixels of all images are counted in bins of their scores, so that each draw of the bootstrap
adds up counts instead of sorting millions of scores.
"""

from __future__ import annotations

import math
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import PixelClasses
from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.proportions import wilson
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.anomaly.prediction import FALSE_ALARMS as FALSE_ALARMS_ALLOWED
from studio.engine.tasks.anomaly.prediction import threshold_of
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.tasks.anomaly.task import AUROC
from studio.engine.tasks.anomaly.thresholds import by_costs, by_false_alarms, of_pixels
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.curves import PrecisionRecallCurve
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.prediction import UNCALIBRATED, Figures, Outputs, Proportion, Reporter
from studio.engine.tasks.threshold import ThresholdChoice, ThresholdRule

AP = fraction_metric(
    name="ap",
    label="Average precision",
    validation_label="Val average precision",
    summary="Mean of the precision over all recalls of images with a defect.",
)
F1 = fraction_metric(
    name="f1",
    label="F1",
    validation_label="Val F1",
    summary="Harmonic mean of precision and recall of images with a defect, at the threshold.",
)
FALSE_ALARMS = MetricSpec(
    name="false_alarms",
    label="False alarms",
    validation_label="Val false alarms",
    higher_is_better=False,
    unit="fraction",
    summary="Fraction of the good images that reach the threshold.",
)
PIXEL_AUROC = fraction_metric(
    name="pixel_auroc",
    label="Pixel AUROC",
    validation_label="Val pixel AUROC",
    summary="Probability that a pixel of a defect has a higher score than one of a good part.",
)
PRO = fraction_metric(
    name="pro",
    label="PRO",
    validation_label="Val PRO",
    summary="Mean overlap of predicted pixels with each region of a defect, over the thresholds "
    "with up to 30 % false pixels.",
    source="Bergmann et al., The MVTec Anomaly Detection Dataset, IJCV 2021",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Fraction of the images of the kind that reach the threshold.",
)

_BINS: Final = 128
_EDGES: Final = np.arange(_BINS) / (_BINS - np.arange(_BINS))
"""Lowest score of each bin."""
_MOST_FALSE: Final = 0.3
"""Up to which fraction of false pixels PRO is measured."""
_FIXED: Final = 2
"""Numbers in front of the counts of the bins: the score of the image, and its regions."""


class ReportsAnomalies(Reporter):
    """Measures scores of images and pixels."""

    stores_evidence = True
    chooses_thresholds = True
    outputs_key = "kinds"
    whole = (AUROC, AP, F1, FALSE_ALARMS, PIXEL_AUROC, PRO)
    outputs = (AUROC, _RECALL)
    measures_pictures = True
    # Counts are added up: 1,000 images of three classes take 3 ms.
    cost = 0.1
    same_prediction = (
        "Two predictions are considered equal if both reach the threshold, or neither does."
    )
    error_note = "Score and threshold."

    def decoded(
        self,
        outputs: Outputs,
        size: tuple[int, int],
        seen: tuple[int, int] | None = None,  # noqa: ARG002 - the outputs are as large
    ) -> NDArray[Any]:
        """Return the score of each pixel, shape (n, H, W).

        Args:
            outputs: Scores, shape (n, H, W, K).
            size: Height and width of the images; maps of another size become as large.
            seen: Not used by this task.
        """
        maps = outputs[..., -1]
        if maps.shape[1:] == size:
            return maps
        return np.stack([cv2.resize(each, size[::-1]) for each in maps])

    def evidence(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        count: int,
    ) -> NDArray[np.float32]:
        """Return scores and counts of the pixels of each class, shape (n, K, 2 + 2 * bins).

        Args:
            decoded: Scores of the pixels, shape (n, H, W).
            truth: Masks, shape (n, H, W).
            count: Number of classes, K.
        """
        return np.stack(
            [_counted(scores, mask, count) for scores, mask in zip(decoded, truth, strict=True)]
        )

    def errors(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        output: int | None,
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.float64]:
        """Return how far each image is on the wrong side of the threshold, best 0.

        Args:
            evidence: See `evidence`, n rows.
            targets: Pixels of each class, shape (n, K).
            output: The class; None for all. Negative in images of other classes.
            calibration: Has the threshold.
        """
        limit = threshold_of(calibration)
        good, relative = is_good(targets), evidence[:, 0, 0] / limit
        found = np.where(good, relative, 1 / np.maximum(relative, 1e-9)).astype(np.float64)
        if output is None:
            return found
        return np.where(good if output == 0 else targets[:, output] > 0, found, -1.0)

    def error_text(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - the score is shown
        output: int,  # noqa: ARG002 - of classes
        calibration: Calibration = UNCALIBRATED,
    ) -> str:
        """Return the score of an image and the threshold; see `Reporter.error_text`."""
        return message(
            "{score:.3g} / {threshold:.3g}",
            score=float(evidence[0, 0]),
            threshold=threshold_of(calibration),
        )

    def constant(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """Return the evidence of scores that are 0 everywhere; see `Reporter.constant`."""
        return np.zeros((*targets.shape, _FIXED + 2 * _BINS), np.float32)

    def disagree(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration,
        scales: NDArray[np.float64],  # noqa: ARG002 - of quantities
    ) -> NDArray[np.bool_]:
        """Return on which images the verdicts of two models differ; see `Reporter.disagree`."""
        limit = threshold_of(calibration)
        verdicts = [each.reshape(len(each), -1).max(axis=1) >= limit for each in (one, other)]
        found: NDArray[np.bool_] = verdicts[0] != verdicts[1]
        return found

    def agreement(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration = UNCALIBRATED,
    ) -> float:
        """Return the fraction of equal verdicts on pixels; see `Reporter.agreement`."""
        limit = threshold_of(calibration)
        return float(((one >= limit) == (other >= limit)).mean())

    def curves(self, evidence: NDArray[Any]) -> list[PrecisionRecallCurve]:  # noqa: ARG002
        """Return none: the truth is not in the evidence; see `Reporter.curves`."""
        return []

    def of_whole_pictures(
        self, evidence: NDArray[Any], targets: NDArray[Any], pictures: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Take the highest score of the tiles of a picture, and add up their pixels.

        Pixels in several tiles count in each; a region in several tiles counts as several.

        Args:
            evidence: See `evidence`, n rows.
            targets: Pixels of each class, shape (n, K).
            pictures: Number of the picture of each row, shape (n,).
        """
        numbers, index = np.unique(pictures, return_inverse=True)
        whole = np.zeros((len(numbers), *evidence.shape[1:]), np.float32)
        np.add.at(whole, index, evidence)
        whole[:, :, 0] = 0
        np.maximum.at(whole[:, :, 0], index, evidence[:, :, 0])
        pixels = np.zeros((len(numbers), targets.shape[1]), np.int64)
        np.add.at(pixels, index, targets)
        return whole, pixels

    def thresholds(
        self, evidence: NDArray[Any], targets: NDArray[Any], rule: ThresholdRule
    ) -> list[ThresholdChoice]:
        """Choose thresholds of images and, by false alarms, of pixels; see `Reporter.thresholds`.

        Raises:
            StudioError: No image is good, or costs are given without defects.
        """
        scores, good = evidence[:, 0, 0].astype(np.float64), is_good(targets)
        if not good.any():
            raise StudioError(
                "A threshold needs good images, but none were measured.",
                "Evaluate on images of which some are good.",
            )
        if rule.costs is not None:
            return [by_costs(scores[good], scores[~good], rule.costs)]
        allowed = FALSE_ALARMS_ALLOWED if rule.false_alarms is None else rule.false_alarms
        pixels = evidence[:, :, _FIXED : _FIXED + _BINS]
        found = [by_false_alarms(scores[good], scores[~good], allowed)]
        if pixels[:, 0].any():
            defects = pixels[:, 1:].sum(axis=1)
            found.append(of_pixels(pixels[:, 0], defects, _EDGES, allowed))
        return found

    def notes(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> tuple[Text, ...]:
        """Say what is unknown without defects; see `Reporter.notes`."""
        good = is_good(targets)
        if not good.all():
            return ()
        alarms = int((outputs[:, 0, 0] >= threshold_of(calibration)).sum())
        low, high = wilson(alarms, len(good))
        return (
            message(
                "False alarms: {alarms} of {count} good images; of many, {low:.1%} to "
                "{high:.1%} would be (95 % interval). No image has a defect, so it is unknown how "
                "many defects would be found.",
                alarms=alarms,
                count=len(good),
                low=low,
                high=high,
            ),
        )

    def proportions(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> list[Proportion]:
        """Return false alarms, and the recall of each kind; see `Reporter.proportions`."""
        raised = outputs[:, 0, 0] >= threshold_of(calibration)
        kinds = range(1, targets.shape[1])
        return [
            Proportion(FALSE_ALARMS.name, None, is_good(targets), raised),
            *(Proportion(_RECALL.name, kind, targets[:, kind] > 0, raised) for kind in kinds),
        ]

    def measure(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> Figures:
        """Compute all metrics; NaN without the images they need; see `Reporter.measure`."""
        scores, good = outputs[:, 0, 0].astype(np.float64), is_good(targets)
        raised = scores >= threshold_of(calibration)
        defects = scores[~good]
        found = int((raised & ~good).sum())
        wrong = int(raised.sum()) + len(defects)
        pixel_auroc, pro = _of_pixels(outputs)
        whole = {
            "auroc": auroc(scores[good], defects),
            "ap": _average_precision(scores[good], defects),
            "f1": 2 * found / wrong if len(defects) else math.nan,
            "false_alarms": float(raised[good].mean()) if good.any() else math.nan,
            "pixel_auroc": pixel_auroc,
            "pro": pro,
        }
        kinds = [targets[:, kind] > 0 for kind in range(1, targets.shape[1])]
        by_kind = {
            "auroc": [math.nan, *(auroc(scores[good], scores[each]) for each in kinds)],
            "recall": [
                math.nan,
                *(float(raised[each].mean()) if each.any() else math.nan for each in kinds),
            ],
        }
        return Figures(whole, {name: np.array(values) for name, values in by_kind.items()})


def auroc(good: NDArray[np.floating], defects: NDArray[np.floating]) -> float:
    """Return the probability that a defect has a higher score; NaN without images of a side.

    Args:
        good: Scores of good images, shape (n,).
        defects: Scores of images with defects, shape (m,).
    """
    if not len(good) or not len(defects):
        return math.nan
    ordered = np.sort(good)
    below = np.searchsorted(ordered, defects, "left") + np.searchsorted(ordered, defects, "right")
    return float(below.mean() / (2 * len(good)))


def _average_precision(good: NDArray[np.floating], defects: NDArray[np.floating]) -> float:
    """Return the mean precision at each defect, with ties counted as found together."""
    if not len(good) or not len(defects):
        return math.nan
    found = len(defects) - np.searchsorted(np.sort(defects), defects, "left")
    false = len(good) - np.searchsorted(np.sort(good), defects, "left")
    return float((found / (found + false)).mean())


def _counted(scores: NDArray[np.floating], mask: PixelClasses, count: int) -> NDArray[np.float32]:
    """Return the score of an image, and regions and pixels of each class by their scores.

    The second half of the bins of a defect has the fractions of its regions instead of pixels. A
    defect that covers the whole image has no mask: only its score counts.

    Args:
        scores: Shape (H, W).
        mask: Class of each pixel, or `IGNORE`, shape (H, W).
        count: Number of classes, K.

    Returns:
        Shape (K, 2 + 2 * bins).
    """
    rows = np.zeros((count, _FIXED + 2 * _BINS), np.float32)
    rows[:, 0] = scores.max()
    good = mask == 0
    if not good.any():
        return rows
    bins = np.minimum((scores / (1 + scores) * _BINS).astype(np.int64), _BINS - 1)
    pixels, overlaps = rows[:, _FIXED : _FIXED + _BINS], rows[:, _FIXED + _BINS :]
    pixels[0] = np.bincount(bins[good], minlength=_BINS)
    for kind in np.setdiff1d(mask, (0, IGNORE)).tolist():
        number, regions = cv2.connectedComponents((mask == kind).astype(np.uint8))
        rows[kind, 1] = number - 1
        for region in range(1, number):
            inside = np.bincount(bins[regions == region], minlength=_BINS)
            pixels[kind] += inside
            overlaps[kind] += inside / inside.sum()
    return rows


def _of_pixels(evidence: NDArray[Any]) -> tuple[float, float]:
    """Return AUROC of pixels and PRO; NaN without masks of defects."""
    sums = evidence[:, :, _FIXED:].sum(axis=0, dtype=np.float64)
    good, (defect, overlap) = sums[0, :_BINS], np.split(sums[1:].sum(axis=0), 2)
    if not good.sum() or not defect.sum():
        return math.nan, math.nan
    false = _from_above(good)
    return _area(false, _from_above(defect)), _partial_area(false, _from_above(overlap))


def _from_above(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fraction at or above each bin, from the highest bin down, from 0 to 1."""
    found = np.concatenate([np.zeros(1), np.cumsum(counts[::-1])])
    fractions: NDArray[np.float64] = found / found[-1]
    return fractions


def _area(across: NDArray[np.float64], up: NDArray[np.float64]) -> float:
    return float(np.trapezoid(up, across))


def _partial_area(false: NDArray[np.float64], overlap: NDArray[np.float64]) -> float:
    """Return the mean overlap up to `_MOST_FALSE` false pixels."""
    limit = np.interp(_MOST_FALSE, false, overlap)
    inside = false <= _MOST_FALSE
    across, up = np.append(false[inside], _MOST_FALSE), np.append(overlap[inside], limit)
    return _area(across, up) / _MOST_FALSE


REPORTER = ReportsAnomalies()
