"""Metrics of masks: average precision, panoptic quality, and kinds of errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS, NO_BOX, OVERLAPS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.detection.matching import (
    ALL,
    LARGE,
    MEDIUM,
    SMALL,
    Outcome,
    given,
    outcome_of,
)
from studio.engine.tasks.detection.precision import Ranking
from studio.engine.tasks.detection.report import (
    SAME_OVERLAP,
    ReportsBoxes,
    fractions,
    mean_of_known,
    same_objects,
    thresholds_of,
)
from studio.engine.tasks.instances.families import (
    Found,
    family_of_outputs,
    family_of_rows,
)
from studio.engine.tasks.instances.matching import (
    compared,
    instance_evidence,
    instance_evidence_type,
)
from studio.engine.tasks.instances.task import MASK_AP, MASK_AP50
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.prediction import (
    FALSE,
    MISSED,
    RIGHT,
    UNCALIBRATED,
    Figures,
    Outputs,
)

_AT_75: Final = OVERLAPS.index(0.75)
_KIRILLOV: Final = "Kirillov et al., Panoptic segmentation, CVPR 2019"
_STARDIST: Final = "Schmidt et al., Cell detection with star-convex polygons, MICCAI 2018"

_AP75 = fraction_metric(
    name="mask_ap75",
    label="Mask AP75",
    validation_label="Val mask AP75",
    summary="Mean over the classes of the average precision of masks that overlap their object by "
    "at least 75 %.",
)
MATCHED = fraction_metric(
    name="matched_50",
    label="Matched",
    validation_label="Val matched",
    summary="Matched objects divided by matched, missed and false ones together: TP / (TP + FP + "
    "FN) at an overlap of at least 50 %, which StarDist reports as AP.",
    source=_STARDIST,
)
_MATCHED_MEAN = fraction_metric(
    name="matched_mean",
    label="Matched, mean",
    validation_label="Val matched, mean",
    summary="The same, as a mean over ten overlaps from 50 to 95 %.",
    source=_STARDIST,
)
_F1_MASKS = fraction_metric(
    name="mask_f1",
    label="F1",
    validation_label="Val F1",
    summary="Harmonic mean of precision and recall at an overlap of at least 50 %.",
)
_F1_MEAN = fraction_metric(
    name="mask_f1_mean",
    label="F1, mean",
    validation_label="Val F1, mean",
    summary="F1 as a mean over ten overlaps from 50 to 95 %.",
)
PANOPTIC = fraction_metric(
    name="panoptic_quality",
    label="Panoptic quality",
    validation_label="Val panoptic quality",
    summary="Sum of the overlaps of matched objects, divided by their number and half of the "
    "number of missed and false ones.",
    source=_KIRILLOV,
)
_MATCHED_IOU = fraction_metric(
    name="matched_iou",
    label="Mean matched IoU",
    validation_label="Val mean matched IoU",
    summary="Mean overlap of the masks that are matched with an object.",
    source=_KIRILLOV,
)
_SMALL = fraction_metric(
    name="mask_ap_small",
    label="Mask AP, small",
    validation_label="Val mask AP, small",
    summary="Mask AP of objects below 32² pixels of the dataset's images.",
)
_MEDIUM = fraction_metric(
    name="mask_ap_medium",
    label="Mask AP, medium",
    validation_label="Val mask AP, medium",
    summary="Mask AP of objects from 32² to 96² pixels of the dataset's images.",
)
_LARGE = fraction_metric(
    name="mask_ap_large",
    label="Mask AP, large",
    validation_label="Val mask AP, large",
    summary="Mask AP of objects above 96² pixels of the dataset's images.",
)
MERGED = MetricSpec(
    name="merged_objects",
    label="Merged",
    validation_label="Val merged",
    higher_is_better=False,
    unit="fraction",
    summary="Share of the objects that are in one outline together with another object, each by "
    "at least half.",
)
SPLIT = MetricSpec(
    name="split_objects",
    label="Split",
    validation_label="Val split",
    higher_is_better=False,
    unit="fraction",
    summary="Share of the objects that have several outlines inside, each by at least half.",
)
_AP = fraction_metric(
    name="mask_ap",
    label="AP",
    validation_label="Val AP",
    summary="Mean over ten overlaps from 50 to 95 % of the average precision of the masks of the "
    "class.",
)
_AP50 = fraction_metric(
    name="mask_ap50",
    label="AP50",
    validation_label="Val AP50",
    summary="Average precision of masks of the class that overlap their object by at least 50 %.",
)
_PRECISION = fraction_metric(
    name="precision",
    label="Precision",
    validation_label="Val precision",
    summary="Share of the objects predicted above the threshold of the class whose mask overlaps "
    "theirs by at least 50 %.",
)
_RECALL = fraction_metric(
    name="recall",
    label="Recall",
    validation_label="Val recall",
    summary="Share of the objects of the class that are predicted above its threshold.",
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of images, with thresholds applied; n images, K classes, ten overlaps.

    Attributes:
        right: Right stars, shape (n, K, 10).
        given: Stars that count, shape (n, K, 10).
        objects: Objects, shape (n, K).
        ious: Sum of the overlaps of right stars at the lowest overlap, shape (n, K).
        merged: Objects that share a star with others, shape (n,).
        split: Objects with several stars, shape (n,).
    """

    right: NDArray[np.float64]
    given: NDArray[np.float64]
    objects: NDArray[np.float64]
    ious: NDArray[np.float64]
    merged: NDArray[np.float64]
    split: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: NDArray[Any], thresholds: NDArray[np.float64]) -> Counts:
        """Count the stars above the thresholds of their classes.

        Args:
            evidence: Evidence of the images, shape (n,).
            thresholds: Shape (K,).
        """
        label, count = evidence["label"], len(thresholds)
        is_given = (label != int(NO_BOX)) & (evidence["score"] >= thresholds[label])
        right = np.zeros((len(evidence), count, len(OVERLAPS)))
        ignored, ious = np.zeros_like(right), np.zeros((len(evidence), count))
        for at in range(count):
            chosen = is_given & (label == at)
            ious[:, at] = (evidence["iou"] * chosen).sum(axis=1)
            for level in range(len(OVERLAPS)):
                bit = np.uint64(1) << np.uint64(level)
                right[:, at, level] = (chosen & (evidence["right"] & bit > 0)).sum(axis=1)
                ignored[:, at, level] = (chosen & (evidence["ignored"] & bit > 0)).sum(axis=1)
        total = np.stack([(is_given & (label == at)).sum(axis=1) for at in range(count)], axis=1)
        covered = np.where(is_given & (evidence["covered"] > 1), evidence["covered"], 0)
        return cls(
            right,
            total[..., None] - ignored,
            evidence["objects"][:, ALL].astype(np.float64),
            ious,
            covered.sum(axis=1).astype(np.float64),
            _split(np.where(is_given, evidence["piece"], -1)),
        )

    def figures(self, weights: NDArray[np.float64]) -> tuple[dict[str, float], Figures]:
        """Return the figures of all classes together, and those of each class.

        Args:
            weights: How often each image counts, shape (n,).
        """
        right, given_stars = (
            np.tensordot(weights, each, axes=1) for each in (self.right, self.given)
        )
        objects, ious = weights @ self.objects, weights @ self.ious
        f1 = fractions(2 * right, given_stars + objects[:, None])
        matched = fractions(right.sum(0), (given_stars - right).sum(0) + objects.sum())
        f1_all = fractions(2 * right.sum(0), given_stars.sum(0) + objects.sum())
        half = (given_stars[:, 0] + objects) / 2
        total = float(objects.sum())
        whole = {
            MATCHED.name: float(matched[0]),
            _MATCHED_MEAN.name: float(matched.mean()),
            _F1_MASKS.name: float(f1_all[0]),
            _F1_MEAN.name: float(f1_all.mean()),
            PANOPTIC.name: mean_of_known(fractions(ious, half)),
            _MATCHED_IOU.name: float(fractions(ious.sum()[None], right[:, 0].sum()[None])[0]),
            MERGED.name: float(weights @ self.merged) / total if total else np.nan,
            SPLIT.name: float(weights @ self.split) / total if total else np.nan,
        }
        outputs = {
            _PRECISION.name: fractions(right[:, 0], given_stars[:, 0]),
            _RECALL.name: fractions(right[:, 0], objects),
            _F1_MASKS.name: f1[:, 0],
            PANOPTIC.name: fractions(ious, half),
        }
        return whole, Figures({}, outputs)


def _split(pieces: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return the number of objects with several stars in each image, shape (n,).

    Args:
        pieces: Object that each star lies in, or -1, shape (n, m).
    """
    found = np.zeros(len(pieces))
    images, columns = np.nonzero(pieces >= 0)
    keys = images * (int(pieces.max(initial=0)) + 1) + pieces[images, columns]
    values, counts = np.unique(keys, return_counts=True)
    several = values[counts > 1] // (int(pieces.max(initial=0)) + 1)
    np.add.at(found, several, 1)
    return found


class ReportsInstances(ReportsBoxes):
    """Measures masks by COCO's rules, and by those of StarDist and of panoptic segmentation."""

    whole = (
        MASK_AP,
        MASK_AP50,
        _AP75,
        MATCHED,
        _MATCHED_MEAN,
        _F1_MASKS,
        _F1_MEAN,
        PANOPTIC,
        _MATCHED_IOU,
        MERGED,
        SPLIT,
        _SMALL,
        _MEDIUM,
        _LARGE,
    )
    outputs = (_AP, _AP50, _PRECISION, _RECALL, _F1_MASKS, PANOPTIC)
    finds_doubts = False
    agreement_name = "object_agreement"
    confusion_note = (
        "Row “background”: outlines where nothing is. Column “background”: objects without one."
    )
    error_note = "Orange: missed objects, blue: false outlines."
    same_prediction = (
        "Two predictions agree if each outline above its threshold is at the same place as one of "
        "the other prediction, overlaps it by at least 90 %, is of the same class and has a score "
        "that differs by at most 0.05."
    )

    def decoded(
        self,
        outputs: Outputs,
        size: tuple[int, int],
        seen: tuple[int, int] | None = None,
    ) -> NDArray[np.float32]:
        """Return the objects of images, shape (n, 1000, 40) of stars or (n, 100, 790) of masks.

        Args:
            outputs: Outputs of the network, shape (n, rows, columns, K + 32) of stars or
                (n, P, K + 32) of masks.
            size: Height and width of the images.
            seen: Height and width of what the network saw; None for those of the images.
        """
        family = family_of_outputs(outputs[0] if len(outputs) else outputs)
        found = family.decoded(outputs, seen or size)
        if seen is not None and seen != size:
            # Networks see images of one shape; stars have one scale.
            family.scale(found, size[0] / seen[0])
        return found

    def evidence(self, decoded: NDArray[Any], truth: NDArray[Any], count: int) -> NDArray[Any]:
        """Return the matches of found objects and the numbers of objects, shape (n,).

        Args:
            decoded: Found objects, shape (n, 1000, 40) or (n, 100, 790).
            truth: Label images, shape (n, H, W).
            count: Number of classes, K.
        """
        return instance_evidence(decoded, truth, count)

    def outcome(
        self, decoded: NDArray[Any], truth: NDArray[Any], count: int, calibration: Calibration
    ) -> Outcome:
        """Return the matching of found objects and objects of an image.

        Args:
            decoded: Found objects of the image, shape (1000, 40) or (100, 790).
            truth: Label image.
            count: Number of classes, K.
            calibration: Calibration of the network.
        """
        image = compared(given(decoded, thresholds_of(calibration, count)), truth)
        return outcome_of(image.rows, image.objects, image.pairs)

    def error_map(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        output: int | None,
        size: tuple[int, int] = (0, 0),  # noqa: ARG002 - that of the label image
        calibration: Calibration = UNCALIBRATED,
    ) -> NDArray[np.uint8]:
        """Return the pixels of missed objects and of false ones, shape (H, W).

        Args:
            decoded: Found objects of the image, shape (1000, 40) or (100, 790).
            truth: Label image.
            output: The class; None for all.
            size: Not used by this task.
            calibration: Threshold of each class.
        """
        labels = max(int(decoded[:, CLASS].max(initial=0)), int((truth & 255).max(initial=0)))
        image = compared(given(decoded, thresholds_of(calibration, labels + 1)), truth)
        found = outcome_of(image.rows, image.objects, image.pairs)
        pixels = np.full(truth.shape, RIGHT, np.uint8)
        values = np.unique(truth[truth > 0])
        missed, false = found.object_states[: len(values)] == MISSED, found.states == FALSE
        if output is not None:
            missed &= (values & 255) == output
            false &= found.detections[:, CLASS] == output
        pixels[np.isin(truth, values[missed])] = MISSED
        pixels[np.isin(image.shown, np.flatnonzero(false) + 1)] = FALSE
        return pixels

    def constant(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return the evidence of no found objects."""
        found = np.zeros(len(targets), instance_evidence_type(targets.shape[1]))
        found["label"] = int(NO_BOX)
        found["piece"] = -1
        found["objects"] = targets[:, None]
        return found

    def same(
        self, one: NDArray[np.float32], other: NDArray[np.float32], calibration: Calibration
    ) -> tuple[int, int]:
        """Return the number of objects in two predictions for an image that agree, and of all.

        Args:
            one: Found objects of a model, shape (1000, 40) or (100, 790).
            other: Those of another model of the same family.
            calibration: Threshold of each class.
        """
        return same_objects(one, other, calibration, _are_near)

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
        thresholds = thresholds_of(calibration, outputs["objects"].shape[2])
        return _figures(
            Ranking(outputs), Counts.of(outputs, thresholds), thresholds, np.ones(len(outputs))
        )

    def resampled(
        self,
        outputs: Outputs,
        targets: NDArray[Any],  # noqa: ARG002 - counted in the outputs
        calibration: Calibration,
        draws: Iterable[NDArray[np.int64]],
    ) -> Iterator[Figures]:
        """Yield the metrics of each resample; the stars are sorted once.

        Args:
            outputs: Evidence of the images, shape (n,).
            targets: Not used by this task.
            calibration: Threshold of each class.
            draws: Indices of the images of each resample, shape (n,) each.
        """
        thresholds = thresholds_of(calibration, outputs["objects"].shape[2])
        ranking, counts = Ranking(outputs), Counts.of(outputs, thresholds)
        for indices in draws:
            weights = np.bincount(indices, minlength=len(outputs))
            yield _figures(ranking, counts, thresholds, weights)


def _figures(
    ranking: Ranking,
    counts: Counts,
    thresholds: NDArray[np.float64],
    weights: NDArray[Any],
) -> Figures:
    average = ranking.measure(thresholds, weights.astype(np.int64)).average
    whole, by_class = counts.figures(weights.astype(np.float64))
    found = {
        MASK_AP.name: mean_of_known(average[ALL]),
        MASK_AP50.name: mean_of_known(average[ALL, 0]),
        _AP75.name: mean_of_known(average[ALL, _AT_75]),
        **whole,
    }
    for spec, size in ((_SMALL, SMALL), (_MEDIUM, MEDIUM), (_LARGE, LARGE)):
        found[spec.name] = mean_of_known(average[size])
    outputs = {_AP.name: average[ALL].mean(axis=0), _AP50.name: average[ALL, 0]}
    return Figures(found, outputs | by_class.outputs)


def _are_near(one: Found, other: Found) -> NDArray[np.bool_]:
    return family_of_rows(one).are_near(one, other, SAME_OVERLAP)


REPORTER = ReportsInstances()
