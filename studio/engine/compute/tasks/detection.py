"""Detection with Keras: assignment of positions to objects, the loss, and approximate metrics.

Everything is computed on the backend, for all positions, objects and images of a batch at once,
with static shapes and without scattered additions, so that it compiles and repeats bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.box_decoding import detections_of
from studio.engine.compute.tasks.box_geometry import (
    Grid,
    areas_of,
    intersections,
    overlaps_of,
    sides_of,
)
from studio.engine.compute.tasks.learning import TRAINING_STEPS, LearnsObjects
from studio.engine.compute.tasks.loss_parts import LossOfParts, PartOfLoss
from studio.engine.datasets.store import Store
from studio.engine.tasks import boxes as form
from studio.engine.tasks.decoding import MAX_OVERLAP, MIN_SCORE, MOST
from studio.engine.tasks.detection.report import REPORTER
from studio.engine.tasks.detection.task import AP50, BOX_LOSS, CLASS_LOSS, MAP
from studio.engine.training.insights import FixedPictureBoxes, PictureRegions
from studio.engine.training.plan import TrainingPlan

_RADIUS: Final = 1.5
"""Distance from the center of an object, in strides, up to which positions learn it."""
_LEVEL: Final = 4.0, 8.0
"""Distance of the farthest side of the objects of a level, in strides."""
_GROWN: Final = 1.01
"""Objects are at least that long, in finest strides, so that a position is inside in any case."""
_LEAST_LABEL: Final = 0.1
"""Minimum label: objects contribute to the loss even while no box overlaps them."""
BLOCK: Final = 64
"""Objects of each image that are compared with all positions at once: for 2,000 objects, a batch
would otherwise need gigabytes."""
BOX_WEIGHT: Final = 2.0
"""Weight of the box loss, as in the paper."""
_TINY: Final = 1e-9
_LEAST: Final = 1e-7
_SMALLEST: Final = 1e-30
"""Scores are cut off there and at 1 - 1e-7, so that logarithms are finite."""

CANDIDATES: Final = 300
"""Boxes of an image with the highest scores, of which overlapping ones are then left out."""
_ROUNDS: Final = 4
_BINS: Final = 100
_STEPS: Final = (1, 2, 4, 8, 16, 32, 64)
_MEASURED: Final = 2
"""Images of a training batch that mAP and AP50 are measured on: in all images they cost about a
tenth of the step of a small network. Validations measure all images."""


@dataclass(frozen=True, slots=True)
class BatchLosses:
    """Loss of the images of a batch.

    Attributes:
        classes: Cross-entropy of the scores, shape (n,).
        boxes: Generalized IoU loss, shape (n,), without its weight.
    """

    classes: Any
    boxes: Any


@dataclass(frozen=True, slots=True)
class Assignment:
    """Labels of the positions of a batch.

    Attributes:
        labels: Label of each class, 0 to 1, shape (n, P, K).
        boxes: The box to learn, in pixels, shape (n, P, 4); zeros if there is none.
        valid: 0 for positions that are neither positive nor negative, shape (n, P).
        owners: Index of the object that each learns, int32; 0 where there is none, shape (n, P).
    """

    labels: Any
    boxes: Any
    valid: Any
    owners: Any


def generalized_overlaps(one: Any, other: Any) -> Any:  # noqa: ANN401
    """Return the generalized IoU of boxes, from -1 to 1.

    Source: H. Rezatofighi et al., "Generalized intersection over union", CVPR 2019, algorithm 1.

    Args:
        one: Boxes, shape (…, 4).
        other: Boxes of the same shape.
    """
    ops = keras.ops
    both = intersections(one, other)
    union = areas_of(one) + areas_of(other) - both
    left, top, right, bottom = sides_of(one)
    left2, top2, right2, bottom2 = sides_of(other)
    hull = (ops.maximum(right, right2) - ops.minimum(left, left2)) * (
        ops.maximum(bottom, bottom2) - ops.minimum(top, top2)
    )
    return both / ops.maximum(union, _TINY) - (hull - union) / ops.maximum(hull, _TINY)


def contains(boxes: Any, places: NDArray[np.float32]) -> Any:  # noqa: ANN401
    """Return a mask of the positions whose center is inside each box.

    Args:
        boxes: Boxes, shape (n, M, 4).
        places: x, y and stride of each position, shape (P, 3).

    Returns:
        Booleans, shape (n, M, P).
    """
    ops = keras.ops
    left, top, right, bottom = (each[..., None] for each in sides_of(boxes))
    x, y = ops.convert_to_tensor(places[:, 0]), ops.convert_to_tensor(places[:, 1])
    across = ops.logical_and(x > left, x < right)
    return ops.logical_and(across, ops.logical_and(y > top, y < bottom))


def grown(boxes: Any, side: float) -> Any:  # noqa: ANN401
    """Enlarge boxes to a minimum side length around the same centers, shape (…, 4).

    Args:
        boxes: Boxes, shape (…, 4).
        side: In pixels.
    """
    ops = keras.ops
    left, top, right, bottom = sides_of(boxes)
    across = ops.maximum(side - (right - left), 0.0) / 2
    down = ops.maximum(side - (bottom - top), 0.0) / 2
    return ops.stack([left - across, top - down, right + across, bottom + down], axis=-1)


class Assigner:
    """Decides which positions learn which object: those near its center, on the level of its size.

    A position learns an object if it is inside, at most 1.5 strides from its center along both
    axes, and if the farthest side of the object is more than four and at most eight strides
    away; the finest level also learns smaller objects, the coarsest larger ones. Where several
    objects claim a position, the smallest gets it. The label of a position is the IoU of its box
    with the object, so that the scores rank boxes by how well they fit.

    Source: Z. Tian et al., "FCOS: fully convolutional one-stage object detection", ICCV 2019, with
    the center sampling of its later version, and labels as in H. Zhang et al., "VarifocalNet",
    CVPR 2021. Objects smaller than the finest stride are grown to it, so that there is a position
    inside. Task-aligned assignment (C. Feng et al., "TOOD", ICCV 2021) needs more epochs than
    small datasets are trained for; `tests/benchmarks/box_assignment.py` compares them.

    Args:
        grid: Positions of the outputs.
        classes: Number of classes, K.
    """

    def __init__(self, grid: Grid, classes: int) -> None:
        self.grid = grid
        self.classes = classes

    def __call__(self, y_true: Any, scores: Any, corners: Any) -> Assignment:  # noqa: ANN401
        """Assign the positions of a batch; no gradient passes.

        Args:
            y_true: Boxes, shape (n, M, 6).
            scores: Scores of the classes, shape (n, P, K).
            corners: Predicted boxes in pixels, shape (n, P, 4).
        """
        ops = keras.ops
        scores, corners = ops.stop_gradient(scores), ops.stop_gradient(corners)
        objects, classes, learned, ignored = truth_of(y_true, self.classes)
        owners, positive, hidden = self.owners(objects, classes, learned, ignored, scores, corners)
        index = owners[..., None]
        boxes = ops.take_along_axis(objects, index, axis=1) * positive[..., None]
        labels = self.labels(positive, corners, boxes)
        return Assignment(
            labels=ops.take_along_axis(classes, index, axis=1) * labels[..., None],
            boxes=boxes,
            valid=ops.maximum(positive, 1.0 - hidden),
            owners=owners,
        )

    def owners(
        self,
        objects: Any,  # noqa: ANN401
        classes: Any,  # noqa: ANN401, ARG002
        learned: Any,  # noqa: ANN401
        ignored: Any,  # noqa: ANN401
        scores: Any,  # noqa: ANN401, ARG002
        corners: Any,  # noqa: ANN401
    ) -> tuple[Any, Any, Any]:
        """Find the object of each position, block by block of the objects.

        Args:
            objects: Sides of the objects in pixels, shape (n, M, 4).
            classes: Their classes as 0 and 1, shape (n, M, K).
            learned: 1 for objects that count in the loss, shape (n, M).
            ignored: 1 for those that do not, shape (n, M).
            scores: Scores of the classes, shape (n, P, K).
            corners: Predicted boxes in pixels, shape (n, P, 4).

        Returns:
            Index of the object that each position learns, int32; 1 where there is one and 0
            elsewhere; 1 inside of an object that does not count. Shape (n, P) each.
        """
        ops = keras.ops
        places = self.grid.places(corners.shape[1])
        count = objects.shape[1]
        blocks = 1 if count is None else -(-count // BLOCK)
        if blocks == 1:
            best, owners, hidden = self._claims(objects, learned, ignored, places)
            return owners, ops.cast(best > 0.0, "float32"), hidden
        size = -(-count // blocks)
        missing = blocks * size - count

        def parted(values: Any) -> Any:  # noqa: ANN401 - a tensor of any backend
            rest = values.shape[2:]
            padded = ops.pad(values, [(0, 0), (0, missing), *[(0, 0)] * len(rest)])
            return ops.reshape(padded, (-1, blocks, size, *rest))

        parts = parted(objects), parted(learned), parted(ignored)

        def one_more(index: Any, known: Any) -> Any:  # noqa: ANN401 - tensors of any backend
            best, owners, hidden = known
            boxes, use, skip = (each[:, index] for each in parts)
            more, own, inside = self._claims(boxes, use, skip, places)
            # Of equal objects the first one, as without blocks.
            owners = ops.where(more > best, own + index * size, owners)
            return ops.maximum(best, more), owners, ops.maximum(hidden, inside)

        none = ops.zeros_like(corners[..., 0])
        start = none, ops.cast(none, "int32"), none
        best, owners, hidden = ops.fori_loop(0, blocks, one_more, start)
        return owners, ops.cast(best > 0.0, "float32"), hidden

    @staticmethod
    def _claims(
        objects: Any,  # noqa: ANN401
        learned: Any,  # noqa: ANN401
        ignored: Any,  # noqa: ANN401
        places: NDArray[np.float32],
    ) -> tuple[Any, Any, Any]:
        """Find the object of each position among some objects.

        Args:
            objects: Sides of the objects in pixels, shape (n, M, 4).
            learned: 1 for objects that count in the loss, shape (n, M).
            ignored: 1 for those that do not, shape (n, M).
            places: x, y and stride of each position, shape (P, 3).

        Returns:
            1 / (area + 1) of the smallest object that claims each position, or 0; its index,
            int32; 1 inside of an object that does not count. Shape (n, P) each.
        """
        ops = keras.ops
        left, top, right, bottom = (each[..., None] for each in sides_of(objects))
        strides = places[:, 2]
        least = np.where(strides == strides.min(), 0.0, _LEVEL[0] * strides).astype(np.float32)
        most = np.where(strides == strides.max(), np.inf, _LEVEL[1] * strides).astype(np.float32)
        # Tensors of PyTorch cannot be subtracted from arrays.
        x, y, radius, least, most = map(
            ops.convert_to_tensor, (places[:, 0], places[:, 1], _RADIUS * strides, least, most)
        )
        across, down = ops.abs(x - (left + right) / 2), ops.abs(y - (top + bottom) / 2)
        near = ops.maximum(across, down) < radius
        far = ops.maximum(across + (right - left) / 2, down + (bottom - top) / 2)
        fits = ops.logical_and(far > least, far <= most)
        inside = contains(grown(objects, _GROWN * float(strides[0])), places)
        claims = ops.logical_and(ops.logical_and(near, fits), inside)
        claimed = ops.cast(claims, "float32") * learned[..., None]
        claimed = claimed / (areas_of(objects)[..., None] + 1.0)
        hidden = ops.cast(contains(objects, places), "float32") * ignored[..., None]
        return (
            ops.max(claimed, axis=1),
            ops.cast(ops.argmax(claimed, axis=1), "int32"),
            ops.max(hidden, axis=1),
        )

    def labels(self, positive: Any, corners: Any, boxes: Any) -> Any:  # noqa: ANN401
        """Return the label of each position, 0 to 1, shape (n, P).

        Args:
            positive: 1 where a position learns an object, shape (n, P).
            corners: Predicted boxes in pixels, shape (n, P, 4).
            boxes: The box that each position learns, shape (n, P, 4).
        """
        ops = keras.ops
        both = intersections(corners, boxes)
        overlaps = both / ops.maximum(areas_of(corners) + areas_of(boxes) - both, _TINY)
        return positive * ops.maximum(overlaps, _LEAST_LABEL)


def hot_of(index: Any, like: Any) -> Any:  # noqa: ANN401
    """Return 1 at an index along the last axis and 0 elsewhere, in the shape of a tensor.

    The length of the axis need not be known while the step is traced.

    Args:
        index: Index of each element, without the axis.
        like: A tensor of the wanted shape.
    """
    ops = keras.ops
    numbers = ops.arange(ops.shape(like)[-1], dtype="int32")
    return ops.cast(ops.cast(index, "int32")[..., None] == numbers, "float32")


def truth_of(y_true: Any, classes: int) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401
    """Return the parts of the boxes of a batch as float32.

    Args:
        y_true: Boxes, shape (n, M, 6).
        classes: Number of classes, K.

    Returns:
        Sides in pixels, shape (n, M, 4); classes as 0 and 1, shape (n, M, K); 1 for objects that
        are learned, and 1 for those that are not, shape (n, M). Empty rows have neither.
    """
    ops = keras.ops
    y_true = ops.cast(y_true, "float32")
    labels, flags = y_true[..., form.CLASS], y_true[..., form.FLAGS]
    is_there = labels >= 0.0
    learned = ops.cast(ops.logical_and(is_there, flags == 0.0), "float32")
    ignored = ops.cast(is_there, "float32") - learned
    # Not every backend accepts a class that does not exist.
    known = ops.cast(ops.maximum(labels, 0.0), "int32")
    hot = ops.one_hot(known, classes, dtype="float32") * ops.cast(is_there, "float32")[..., None]
    return y_true[..., form.LEFT : form.BOTTOM + 1], hot, learned, ignored


class BoxLoss(LossOfParts[BatchLosses]):
    """Cross-entropy of the scores and generalized IoU loss of the boxes of each image.

    loss = (sum_pk w_k |t - s|^gamma BCE(s, t) + 2 * sum_p t_p (1 - GIoU_p)) / max(sum_p t_p, 1)

    with the label t of a position from an `Assigner`. Positions inside of objects that are
    difficult, or crowds, are left out unless they learn another object. With gamma above 0 the
    first part is the quality focal loss of X. Li et al., "Generalized focal loss", NeurIPS 2020.

    Args:
        assigner: Assigns positions to objects.
        gamma: Focusing parameter: the higher, the less easy positions count.
        weights: Weight of each class, shape (K,); None for 1.
    """

    def __init__(
        self,
        assigner: Assigner,
        gamma: float = 0.0,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__("box_loss")
        self._assigner = assigner
        self._gamma = gamma
        self._weights = weights

    def total(self, parts: BatchLosses) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the weighted sum of both parts, shape (n,)."""
        return parts.classes + BOX_WEIGHT * parts.boxes

    def measured(self, y_true: Any, y_pred: Any) -> BatchLosses:  # noqa: ANN401
        """Return both parts of the loss.

        Args:
            y_true: Boxes, shape (n, M, 6).
            y_pred: Outputs, shape (n, P, K + 4).
        """
        scores = keras.ops.cast(y_pred[..., : -form.SIDES], "float32")
        corners = self._assigner.grid.corners(y_pred)
        found = self._assigner(y_true, scores, corners)
        return assigned_losses(found, scores, corners, self._gamma, self._weights)


def assigned_losses(
    found: Assignment,
    scores: Any,  # noqa: ANN401 - tensors of any backend
    corners: Any,  # noqa: ANN401
    gamma: float,
    weights: NDArray[np.float64] | None,
) -> BatchLosses:
    """Return the losses of assigned positions, see `BoxLoss`.

    Args:
        found: What the positions learn.
        scores: Scores of the classes, float32, shape (n, P, K).
        corners: Predicted boxes in pixels, shape (n, P, 4).
        gamma: Focusing parameter.
        weights: Weight of each class, shape (K,); None for 1.
    """
    ops = keras.ops
    labels = ops.stop_gradient(found.labels)
    sure = ops.clip(scores, _SMALLEST, 1 - _LEAST)
    entropy = -(labels * ops.log(sure) + (1 - labels) * ops.log(1 - sure))
    if gamma:
        entropy = entropy * ops.power(ops.abs(labels - scores), gamma)
    if weights is not None:
        entropy = entropy * ops.cast(weights, "float32")
    label = ops.sum(labels, axis=-1)
    total = ops.maximum(ops.sum(label, axis=-1), 1.0)
    lost = label * (1 - generalized_overlaps(corners, ops.stop_gradient(found.boxes)))
    return BatchLosses(
        classes=ops.sum(ops.sum(entropy, axis=-1) * found.valid, axis=-1) / total,
        boxes=ops.sum(lost, axis=-1) / total,
    )


def decoded_of(y_pred: Any, grid: Grid, carried: Any = None) -> Any:  # noqa: ANN401
    """Return the detections of each image, the highest score first, shape (n, 100, 6).

    As `decoding.decoded` gives them, except that only the 300 highest scores of an image are
    candidates, and that chains of more than four overlapping boxes may keep one box less. Source:
    Z. Zheng et al., "Enhancing geometric factors in model learning and inference for object
    detection", IEEE Transactions on Cybernetics 2021, section IV (Cluster-NMS).

    Args:
        y_pred: Outputs, shape (n, P, K + 4).
        grid: Positions of the outputs.
        carried: Further numbers of each position, shape (n, P, c), which follow in the rows.

    Returns:
        float32: class (-1 for none), left, top, right, bottom in pixels, score.
    """
    ops = keras.ops
    positions, classes = y_pred.shape[1], y_pred.shape[2] - form.SIDES
    scores = ops.cast(y_pred[..., :classes], "float32")
    count = min(CANDIDATES, positions * classes)
    score, index = ops.top_k(ops.reshape(scores, (-1, positions * classes)), count, sorted=True)
    label = ops.cast(index % classes, "float32")
    place = (index // classes)[..., None]
    corners = ops.take_along_axis(grid.corners(y_pred), place, axis=1)
    limits = np.array([grid.width, grid.height] * 2, np.float32)
    corners = ops.minimum(ops.maximum(corners, 0.0), limits)
    # Boxes of other classes are moved away from each other.
    apart = corners + (label * float(grid.width + grid.height))[..., None]
    higher = ops.convert_to_tensor(np.tril(np.ones((count, count), np.float32), -1))
    clash = ops.cast(overlaps_of(apart, apart) > MAX_OVERLAP, "float32") * higher
    has_area = areas_of(corners) > 0.0
    kept = ops.cast(ops.logical_and(score >= MIN_SCORE, has_area), "float32")
    start = kept
    for _ in range(_ROUNDS):
        # A box that is itself left out does not leave out others.
        kept = start * (1.0 - ops.max(clash * kept[:, None], axis=-1))
    keep = min(MOST, count)
    final, order = ops.top_k(score * kept, keep, sorted=True)
    rows = ops.concatenate([label[..., None], corners], axis=-1)
    rows = ops.take_along_axis(rows, order[..., None], axis=1)
    is_there = final >= MIN_SCORE
    empty = np.array([form.NO_BOX, 0, 0, 0, 0], np.float32)
    rows = ops.where(is_there[..., None], rows, empty)
    final = ops.where(is_there, final, 0.0)[..., None]
    parts = [rows, final]
    if carried is not None:
        place = ops.take_along_axis(place, order[..., None], axis=1)
        parts.append(ops.take_along_axis(ops.cast(carried, "float32"), place, axis=1))
    found = ops.concatenate(parts, axis=-1)
    missing = np.zeros((MOST - keep, found.shape[-1]), np.float32)
    missing[:, form.CLASS] = form.NO_BOX
    if len(missing):
        like = ops.zeros_like(found[:, :1, :1])
        found = ops.concatenate([found, like + ops.convert_to_tensor(missing[None])], axis=1)
    return found


@dataclass(frozen=True, slots=True)
class ComparedDetections:
    """Detections of a batch that were compared with its objects.

    Attributes:
        labels: Class of each, -1 for none; shape (n, D).
        scores: Score of each, shape (n, D).
        right: 1 for right ones at each overlap, shape (n, D, 10).
        wrong: 1 for wrong ones at each overlap, shape (n, D, 10).
        objects: Objects of each class, shape (K,).
    """

    labels: Any
    scores: Any
    right: Any
    wrong: Any
    objects: Any


class CountedPrecision(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """mAP from detections that are counted by class, overlap and score.

    Approximate: scores are rounded to one of 100 bins, and precision is integrated over recall. In
    training steps, the first two images of each batch are a sample.

    Args:
        classes: Number of classes, K.
        name: Name of the metric.

    Attributes:
        counts: Right and wrong detections by overlap, class and score, shape (2, 10, K, 100).
        objects: Objects of each class, shape (K,).
    """

    def __init__(self, classes: int, name: str) -> None:
        super().__init__(name=name)
        self._classes = classes
        shape = 2, len(form.OVERLAPS), classes, _BINS
        self.counts = self.add_variable(shape, "zeros", name="detections")
        self.objects = self.add_variable((classes,), "zeros", name="objects")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401, ARG002
        """Count the detections of a batch, or of its first images.

        Args:
            y_true: Targets of the images, n rows.
            y_pred: Outputs, n rows.
            sample_weight: Sample weight of other metrics.
        """
        ops = keras.ops
        if TRAINING_STEPS.are_running:
            y_true, y_pred = y_true[:_MEASURED], y_pred[:_MEASURED]
        found = self.compared(y_true, y_pred)
        score, right, wrong = found.scores, found.right, found.wrong
        label = ops.cast(ops.maximum(found.labels, 0.0), "int32")
        by_class = ops.reshape(
            ops.one_hot(label, self._classes, dtype="float32"), (-1, self._classes)
        )
        level = ops.cast(ops.minimum(ops.sqrt(score) * _BINS, _BINS - 1.0), "int32")
        by_score = ops.reshape(ops.one_hot(level, _BINS, dtype="float32"), (-1, _BINS))
        counted = ops.reshape(
            ops.moveaxis(ops.stack([right, wrong]), -1, 1), (2, len(form.OVERLAPS), 1, -1)
        )
        self.counts.assign_add(ops.matmul(counted * ops.transpose(by_class), by_score))
        self.objects.assign_add(found.objects)

    def compared(self, y_true: Any, y_pred: Any) -> ComparedDetections:  # noqa: ANN401
        """Compare the detections of a batch with its objects; a subclass implements it.

        Args:
            y_true: Targets of the images, n rows.
            y_pred: Outputs, n rows.
        """
        raise NotImplementedError

    def precisions(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the mean average precision over the classes at each overlap, shape (10,)."""
        ops = keras.ops
        right, wrong = (ops.cumsum(ops.flip(self.counts[at], -1), axis=-1) for at in range(2))
        recall = right / ops.maximum(self.objects[:, None], 1.0)
        precision = right / ops.maximum(right + wrong, 1.0)
        best = precision
        for step in _STEPS:  # the highest precision at this recall or above
            later = ops.pad(best[..., step:], ((0, 0), (0, 0), (0, step)))
            best = ops.maximum(best, later)
        gained = recall - ops.pad(recall, ((0, 0), (0, 0), (1, 0)))[..., :-1]
        occurs = ops.cast(self.objects > 0, "float32")
        area = ops.sum(gained * best, axis=-1) * occurs
        return ops.sum(area, axis=-1) / ops.maximum(ops.sum(occurs), 1.0)

    def result(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the mean over the overlaps."""
        return keras.ops.mean(self.precisions())


class MeanPrecision(CountedPrecision):
    """mAP of boxes: each detection is compared with the object that it overlaps most.

    Args:
        grid: Positions of the outputs.
        classes: Number of classes, K.
    """

    def __init__(self, grid: Grid, classes: int) -> None:
        super().__init__(classes, MAP.name)
        self._grid = grid

    def compared(self, y_true: Any, y_pred: Any) -> ComparedDetections:  # noqa: ANN401
        """Compare the detections of a batch with its objects.

        Args:
            y_true: Boxes, shape (n, M, 6).
            y_pred: Outputs, shape (n, P, K + 4).
        """
        found = decoded_of(y_pred, self._grid)
        _, hot, learned, _ = truth_of(y_true, self._classes)
        objects = keras.ops.sum(hot * learned[..., None], axis=(0, 1))
        return ComparedDetections(
            found[..., form.CLASS], found[..., -1], *matched(y_true, found, self._classes), objects
        )


class PrecisionAt50(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """AP50 of the detections that another metric counts.

    Args:
        counted: Counts the detections.
        name: Name of the metric.
    """

    def __init__(self, counted: CountedPrecision, name: str = AP50.name) -> None:
        super().__init__(name=name)
        # In a tuple, or Keras would list its variables as some of this metric, too.
        self._counted = (counted,)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401
        """Do nothing: the other metric counts.

        Args:
            y_true: Boxes, shape (n, M, 6).
            y_pred: Outputs, shape (n, P, K + 4).
            sample_weight: Sample weight of other metrics.
        """

    def reset_state(self) -> None:
        """Leave the counts to the other metric."""

    def result(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the mean average precision at an overlap of 50 %."""
        return self._counted[0].precisions()[0]


def matched(y_true: Any, found: Any, classes: int) -> tuple[Any, Any]:  # noqa: ANN401
    """Match detections with objects at each overlap: correct and wrong ones.

    A detection is right if its box overlaps an object of its class enough, and no detection with
    a higher score has that object as its best one. One that is inside an object that is not
    learned is neither.

    Args:
        y_true: Boxes, shape (n, M, 6).
        found: Detections, the highest score first, shape (n, D, 6).
        classes: Number of classes, K.

    Returns:
        0 and 1 as float32, shape (n, D, 10) each.
    """
    ops = keras.ops
    objects, hot, learned, ignored = truth_of(y_true, classes)
    labels = found[..., form.CLASS]
    corners = found[..., form.LEFT : form.BOTTOM + 1]
    is_there = ops.cast(labels >= 0.0, "float32")
    detected = ops.one_hot(ops.cast(ops.maximum(labels, 0.0), "int32"), classes, dtype="float32")
    same = ops.matmul(detected, ops.transpose(hot, (0, 2, 1))) * is_there[..., None]
    overlaps = overlaps_of(corners, objects) * same
    own = overlaps * learned[:, None]
    best = ops.max(own, axis=-1)
    target = hot_of(ops.argmax(own, axis=-1), own)
    least = ops.convert_to_tensor(np.array(form.OVERLAPS, np.float32))
    enough = ops.cast(best[..., None] >= least, "float32")
    # Detections before each one that would have taken the same object.
    count = found.shape[1]
    earlier = ops.convert_to_tensor(np.tril(np.ones((count, count), np.float32), -1))
    rivals = ops.matmul(target, ops.transpose(target, (0, 2, 1))) * earlier
    first = ops.cast(ops.matmul(rivals, enough) == 0.0, "float32")
    right = enough * first
    covered = intersections(corners[:, :, None], objects[:, None]) / ops.maximum(
        areas_of(corners)[..., None], _TINY
    )
    crowd = ops.cast(ops.cast(y_true, "float32")[..., form.FLAGS] >= form.CROWD, "float32")
    near = ops.maximum(overlaps, covered * same * crowd[:, None]) * ignored[:, None]
    hidden = ops.cast(ops.max(near, axis=-1)[..., None] >= least, "float32")
    wrong = is_there[..., None] * (1.0 - right) * (1.0 - hidden * (1.0 - enough))
    return right, wrong


class LearnsBoxes(LearnsObjects):
    """Learns the boxes of the objects of each image.

    Args:
        store: The dataset.

    Attributes:
        assigner: Assigns positions to objects.
    """

    assigner: type[Assigner] = Assigner

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._grid = Grid(store.shape[0], store.shape[1])
        self._assigner = self.assigner(self._grid, len(store.classes))
        self._loss = BoxLoss(self._assigner)

    def pictures(
        self, rows: NDArray[np.int64], scores: Callable[[], NDArray[np.float32]]
    ) -> PictureRegions:
        """Return the detections; see `Learning.pictures`."""
        detections = REPORTER.decoded(scores(), self._store.shape[:2])
        return PictureRegions(None, FixedPictureBoxes(rows, detections))

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The shape of the detections of an image."""
        return MOST, form.VALUES

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors of any backend
        """Return the detections of each image: the same boxes as `decoding.decoded`.

        Exact, unlike those of the metrics: what is stored of a validation must measure what an
        evaluation measures. Its 100 rounds run only while outputs are collected.

        Args:
            y_true: Boxes, shape (n, M, 6).
            y_pred: Outputs, shape (n, P, K + 4).

        Returns:
            Shape (n, 600).
        """
        found = detections_of(y_pred, self._grid)
        return keras.ops.reshape(found, (-1, MOST * form.VALUES))

    def evidence(self, answers: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return a mask of the correct detections, see `Reporter.evidence`; shape (n,).

        Args:
            answers: Detections, shape (n, 600).
            rows: Rows of the images in the dataset, n.
        """
        decoded = answers.reshape(len(answers), *self.answer_shape)
        return REPORTER.evidence(decoded, self.targets[rows], len(self._store.classes))

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return the loss of classes and boxes; see `Learning.loss`."""
        self._loss = BoxLoss(self._assigner, plan.focal_gamma, self.weights(plan))
        return self._loss

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:
        """Return the loss of classes and boxes; see `Learning.plain_loss`."""
        return BoxLoss(Assigner(Grid(height, width), classes))

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return mAP, AP50, and the parts of the loss."""
        counted = MeanPrecision(self._grid, len(self._store.classes))
        return [
            counted,
            PrecisionAt50(counted),
            PartOfLoss(self._loss, CLASS_LOSS.name, "classes"),
            PartOfLoss(self._loss, BOX_LOSS.name, "boxes", is_last=True),
        ]


LEARNING = LearnsBoxes
