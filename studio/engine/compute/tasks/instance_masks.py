"""Instance segmentation with Keras by masks of detected objects: the loss, approximate metrics.

What is learned is computed of label images in the threads that read images, see `mask_targets`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks import mask_decoding
from studio.engine.compute.tasks.box_geometry import areas_of, overlaps_of
from studio.engine.compute.tasks.detection import (
    BOX_WEIGHT,
    Assigner,
    Assignment,
    ComparedDetections,
    CountedPrecision,
    PrecisionAt50,
    assigned_losses,
    decoded_of,
    truth_of,
)
from studio.engine.compute.tasks.learning import LearnsObjects
from studio.engine.compute.tasks.loss_parts import LossOfParts, PartOfLoss
from studio.engine.compute.tasks.mask_decoding import MaskParts
from studio.engine.datasets.store import Store
from studio.engine.tasks import boxes as form
from studio.engine.tasks import masks
from studio.engine.tasks.decoding import MOST, SCORE
from studio.engine.tasks.detection.task import BOX_LOSS
from studio.engine.tasks.instances import mask_targets as learned
from studio.engine.tasks.instances.report import REPORTER
from studio.engine.tasks.instances.task import MASK_AP, MASK_AP50, MASK_LOSS, SCORE_LOSS
from studio.engine.tasks.outputs import COEFFICIENTS
from studio.engine.training.insights import FixedPictureBoxes, PictureRegions
from studio.engine.training.plan import TrainingPlan

MASK_WEIGHT: Final = 2.0
"""Weight of the loss of the masks."""
_LEARNED: Final = 32
"""Objects of an image whose masks are learned in a step: reading the maps takes memory."""
_POSITIONS: Final = 4
"""Positions of an object whose coefficients are learned in a step: those with the best boxes."""
_TINY: Final = 1e-6
_LEAST: Final = 1e-7
_SMALLEST: Final = 1e-30


@dataclass(frozen=True, slots=True)
class MaskLosses:
    """Loss of the images of a batch.

    Attributes:
        scores: Cross-entropy of the scores, shape (n,).
        boxes: Generalized IoU loss of the boxes, shape (n,), without its weight.
        masks: Loss of the masks, and of the classes by place, shape (n,), without its weight.
    """

    scores: Any
    boxes: Any
    masks: Any


class MaskLoss(LossOfParts[MaskLosses]):
    """Loss of detected objects and of their masks.

    loss = detection + 2 * sum_m w_m (BCE_m + Dice_m) / sum_m w_m + 2 * BCE of the classes by place

    `detection` is `detection.BoxLoss`. The masks of an object are those of its four positions with
    the best boxes, computed in its true box and a tenth beyond: the mean over 28 x 28 cells weighs
    large and small objects alike. The classes by place are learned at the positions of the maps,
    as in YOLACT: they are no output that is decoded, and help the maps to form.

    Args:
        size: Height and width of the images in pixels.
        classes: Number of classes, K.
        gamma: Focusing parameter of the scores: the higher, the less easy positions count.
        weights: Weight of each class, shape (K,); None for 1.
    """

    def __init__(
        self,
        size: tuple[int, int],
        classes: int,
        gamma: float = 0.0,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__("mask_loss")
        self._size = size
        self._classes = classes
        self._gamma = gamma
        self._weights = weights

    def total(self, parts: MaskLosses) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the weighted sum of the parts, shape (n,)."""
        return parts.scores + BOX_WEIGHT * parts.boxes + MASK_WEIGHT * parts.masks

    def measured(self, y_true: Any, y_pred: Any) -> MaskLosses:  # noqa: ANN401
        """Return the parts of the loss.

        Args:
            y_true: See `mask_targets`, shape (n, M + R, 790).
            y_pred: Outputs, shape (n, P, K + 32).
        """
        ops = keras.ops
        y_true, parts = ops.cast(y_true, "float32"), MaskParts(y_pred, self._size)
        objects, place = split_targets(y_true, self._size, parts)
        scores = parts.boxes[..., : -form.SIDES]
        corners = parts.grid.corners(parts.boxes)
        found = Assigner(parts.grid, self._classes)(objects[..., : form.VALUES], scores, corners)
        count = parts.levels.count
        hidden = ops.cast(place[:, count:] < 0.0, "float32")
        positive = ops.cast(ops.sum(found.labels, axis=-1) > 0.0, "float32")
        found = Assignment(
            found.labels, found.boxes, ops.maximum(positive, 1.0 - hidden), found.owners
        )
        losses = assigned_losses(found, scores, corners, self._gamma, self._weights)
        return MaskLosses(
            scores=losses.classes,
            boxes=losses.boxes,
            masks=self._of_masks(objects, found, parts) + self._of_places(place[:, :count], parts),
        )

    def _of_masks(self, objects: Any, found: Assignment, parts: MaskParts) -> Any:  # noqa: ANN401
        """Return the mean loss of the masks of the objects of each image, shape (n,)."""
        ops = keras.ops
        objects = objects[:, :_LEARNED]
        count = objects.shape[1]
        label = ops.stop_gradient(ops.sum(found.labels, axis=-1))
        numbers = ops.arange(count, dtype="int32")
        owned = ops.cast(found.owners[:, None] == numbers[:, None], "float32") * label[:, None]
        weights, index = ops.top_k(owned, min(_POSITIONS, owned.shape[-1]), sorted=False)
        # Not gathered: the gradient would be added up in any order.
        picked = ops.one_hot(index, owned.shape[-1], dtype="float32")
        chosen = ops.matmul(picked, parts.coefficients[:, None])
        prototypes, common = _read(parts, objects)
        logits = ops.matmul(chosen, ops.transpose(prototypes, (0, 1, 3, 2))) + common[:, :, None]
        truth = objects[:, :, None, masks.MASK :]
        lost = _mask_losses(logits, truth)
        total = ops.maximum(ops.sum(weights, axis=(1, 2)), _TINY)
        return ops.sum(lost * weights, axis=(1, 2)) / total

    def _of_places(self, place: Any, parts: MaskParts) -> Any:  # noqa: ANN401
        """Return the cross-entropy of the classes at the positions of the maps, shape (n,)."""
        ops = keras.ops
        scores = ops.reshape(parts.scores, (-1, parts.levels.count, self._classes))
        known = ops.cast(ops.maximum(place, 0.0), "int32")
        hot = ops.one_hot(known, self._classes + 1, dtype="float32")[..., 1:]
        sure = ops.clip(scores, _SMALLEST, 1 - _LEAST)
        entropy = -(hot * ops.log(sure) + (1 - hot) * ops.log(1 - sure))
        valid = ops.cast(place >= 0.0, "float32")
        total = ops.maximum(ops.sum(valid, axis=1), 1.0)
        return ops.sum(ops.sum(entropy, axis=-1) * valid, axis=1) / total


def split_targets(y_true: Any, size: tuple[int, int], parts: MaskParts) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the objects, and the class at each position of the outputs.

    Args:
        y_true: See `mask_targets`, shape (n, M + R, 790).
        size: Height and width of the images in pixels.
        parts: Outputs of the network.

    Returns:
        Shapes (n, M, 790) and (n, P); see `mask_targets.CLASS_STRIDE`.
    """
    ops = keras.ops
    count = y_true.shape[1] - learned.class_rows(size)
    rows, columns = learned.class_map_size(size)
    places = (parts.levels.places[:, :2] / learned.CLASS_STRIDE).astype(np.int64)
    x, y = np.minimum(places[:, 0], columns - 1), np.minimum(places[:, 1], rows - 1)
    flat = ops.reshape(y_true[:, count:], (-1, (y_true.shape[1] - count) * masks.VALUES))
    index = ops.convert_to_tensor((y * columns + x).astype(np.int32))
    return y_true[:, :count], ops.take(flat, index, axis=1)


def _read(parts: MaskParts, objects: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Read the maps in the grown boxes of objects.

    Args:
        parts: Outputs of the network.
        objects: Objects, shape (n, M, 790).

    Returns:
        Prototypes by cell, shape (n, M, 784, 28), and what all objects have in common,
        (n, M, 784).
    """
    ops = keras.ops
    levels = parts.levels
    left, top, right, bottom = grown_sides(objects)
    down = mask_decoding.readers(top, bottom, levels.stride, levels.rows)
    across = mask_decoding.readers(left, right, levels.stride, levels.columns)
    count, channels = objects.shape[1], masks.NUMBERS
    maps = ops.reshape(parts.maps, (-1, levels.rows, levels.columns * channels))
    seen = ops.matmul(ops.reshape(down, (-1, count * masks.CELLS, levels.rows)), maps)
    shape = -1, count, masks.CELLS, levels.columns, channels
    seen = ops.reshape(seen, shape)  # (n, M, 28, columns, 32)
    seen = ops.matmul(across[:, :, None], seen)  # (n, M, 28, 28, 32)
    seen = ops.reshape(seen, (-1, count, masks.CELLS**2, channels))
    factors = np.ones((masks.CELLS, masks.CELLS, form.SIDES), np.float32)
    factors[..., :-1] = masks.places_in_box() * (learned.GROWN, learned.GROWN, learned.GROWN**2)
    flat = ops.convert_to_tensor(factors.reshape(-1, form.SIDES))
    common = ops.sum(seen[..., COEFFICIENTS:] * flat, axis=-1)
    return seen[..., :COEFFICIENTS], common


def grown_sides(objects: Any) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401
    """Return the sides of the areas that are learned of masks, in pixels, shape (n, M) each."""
    left, top = objects[..., form.LEFT], objects[..., form.TOP]
    right, bottom = objects[..., form.RIGHT], objects[..., form.BOTTOM]
    across, down = (
        (high - low) * ((learned.GROWN - 1) / 2) for low, high in ((left, right), (top, bottom))
    )
    return left - across, top - down, right + across, bottom + down


def _mask_losses(logits: Any, truth: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return the mean cross-entropy and the Dice loss of masks, shape (n, M, positions).

    Args:
        logits: Logits of the cells, shape (n, M, positions, 784).
        truth: 1 inside, 0 outside, -1 for ignored cells, shape (n, M, 1, 784).
    """
    ops = keras.ops
    valid, inside = ops.cast(truth >= 0.0, "float32"), ops.maximum(truth, 0.0)
    entropy = ops.maximum(logits, 0.0) - logits * inside + ops.log1p(ops.exp(-ops.abs(logits)))
    total = ops.maximum(ops.sum(valid, axis=-1), 1.0)
    likely = ops.sigmoid(logits) * valid
    both = ops.sum(likely * inside, axis=-1)
    sizes = ops.sum(ops.square(likely), axis=-1) + ops.sum(inside, axis=-1)
    dice = 1.0 - (2.0 * both + 1.0) / (sizes + 1.0)
    return ops.sum(entropy * valid, axis=-1) / total + dice


class MeanFoundMaskPrecision(CountedPrecision):
    """Mask AP of found objects that are counted by class, overlap and score.

    Approximate: each is compared with the object of its class whose box it overlaps most, in the
    cells of its own box, and of overlapping ones the first 100 are kept as in `decoded_of`.

    Args:
        size: Height and width of the images in pixels.
        classes: Number of classes, K.
    """

    def __init__(self, size: tuple[int, int], classes: int) -> None:
        super().__init__(classes, MASK_AP.name)
        self._size = size

    def compared(self, y_true: Any, y_pred: Any) -> ComparedDetections:  # noqa: ANN401
        """Compare the found objects of a batch with its objects.

        Args:
            y_true: See `mask_targets`, shape (n, M + R, 790).
            y_pred: Outputs, shape (n, P, K + 32).
        """
        ops = keras.ops
        y_true, parts = ops.cast(y_true, "float32"), MaskParts(y_pred, self._size)
        truth, _ = split_targets(y_true, self._size, parts)
        found = decoded_of(parts.boxes, parts.grid, parts.coefficients)
        found = mask_decoding.with_masks(parts, found)
        boxes, hot, is_object, _ = truth_of(truth[..., : form.VALUES], self._classes)
        label = found[..., form.CLASS]
        is_there = ops.cast(label >= 0.0, "float32")
        corners = found[..., form.LEFT : form.BOTTOM + 1]
        same = ops.cast(label[..., None] == truth[:, None, :, form.CLASS], "float32")
        near = overlaps_of(corners, boxes) * same * is_object[:, None]
        own = ops.argmax(near, axis=-1)
        mine = ops.take_along_axis(truth, own[..., None], axis=1)
        overlap = _mask_overlaps(found, mine) * ops.cast(ops.max(near, axis=-1) > 0.0, "float32")
        least = ops.convert_to_tensor(np.array(form.OVERLAPS, np.float32))
        enough = ops.cast(overlap[..., None] >= least, "float32") * is_there[..., None]
        count = found.shape[1]
        earlier = ops.convert_to_tensor(np.tril(np.ones((count, count), np.float32), -1))
        rivals = ops.cast(own[:, :, None] == own[:, None, :], "float32") * earlier
        right = enough * ops.cast(ops.matmul(rivals, enough) == 0.0, "float32")
        wrong = is_there[..., None] * (1.0 - right)
        objects = ops.sum(hot * is_object[..., None], axis=(0, 1))
        return ComparedDetections(label, found[..., SCORE], right, wrong, objects)


def _mask_overlaps(found: Any, truth: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return the overlap (IoU) of each mask with that of its object, shape (n, D).

    Args:
        found: Found objects, shape (n, D, 790).
        truth: The object of each, shape (n, D, 790).
    """
    ops = keras.ops
    left, top, right, bottom = grown_sides(truth)
    sides = (
        masks.CELLS / ops.maximum(right - left, _TINY),
        masks.CELLS / ops.maximum(bottom - top, _TINY),
    )
    middles = ops.convert_to_tensor((np.arange(masks.CELLS, dtype=np.float32) + 0.5) / masks.CELLS)
    numbers = ops.convert_to_tensor(np.arange(masks.CELLS, dtype=np.float32))
    readers = []
    for low, high, start, scale in (
        (form.TOP, form.BOTTOM, top, sides[1]),
        (form.LEFT, form.RIGHT, left, sides[0]),
    ):
        first, last = found[..., low], found[..., high]
        middle = first[..., None] + middles * (last - first)[..., None]
        place = (middle - start[..., None]) * scale[..., None] - 0.5
        readers.append(ops.maximum(0.0, 1.0 - ops.abs(place[..., None] - numbers)))
    shape = -1, found.shape[1], masks.CELLS, masks.CELLS
    whole = ops.maximum(ops.reshape(truth[..., masks.MASK :], shape), 0.0)
    here = ops.matmul(ops.matmul(readers[0], whole), ops.transpose(readers[1], (0, 1, 3, 2)))
    here = ops.cast(here >= masks.INSIDE, "float32")
    inside = ops.cast(ops.reshape(found[..., masks.MASK :], shape) >= masks.INSIDE, "float32")
    own = areas_of(found[..., form.LEFT : form.BOTTOM + 1])
    true = areas_of(truth[..., form.LEFT : form.BOTTOM + 1]) * learned.GROWN**2
    both = ops.mean(inside * here, axis=(2, 3)) * own
    sizes = ops.mean(inside, axis=(2, 3)) * own + ops.mean(whole, axis=(2, 3)) * true
    return both / ops.maximum(sizes - both, _TINY)


_LEVELS: Final = 255.0
_PACKED: Final = 3
_PACKED_WIDTH: Final = masks.MASK + -(-(masks.CELLS**2) // _PACKED)


class LearnsObjectMasks(LearnsObjects):
    """Learns the boxes and the masks of the objects of each image.

    Args:
        store: The dataset.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._size = store.shape[:2]
        self._places = max(1, int(store.targets.sum(axis=1).max(initial=0)))
        self._loss = MaskLoss(self._size, len(store.classes))

    def prepared(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """Return boxes, masks and classes by place of label images, shape (n, M + R, 790)."""
        return np.stack([learned.mask_targets(each, self._places) for each in targets])

    def pictures(
        self, rows: NDArray[np.int64], scores: Callable[[], NDArray[np.float32]]
    ) -> PictureRegions:
        """Return the boxes around the masks; see `Learning.pictures`."""
        decoded = REPORTER.decoded(scores(), self._size)
        return PictureRegions(None, FixedPictureBoxes(rows, decoded[..., : form.VALUES].copy()))

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The shape of the packed objects of an image."""
        return MOST, _PACKED_WIDTH

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors of any backend
        """Return the objects of each image, three cells in one number, shape (n, 26800).

        Args:
            y_true: Not used by this task.
            y_pred: Outputs, shape (n, P, K + 32).
        """
        ops = keras.ops
        found = mask_decoding.objects_of(y_pred, self._size)
        missing = (_PACKED_WIDTH - masks.MASK) * _PACKED - masks.CELLS**2
        cells = ops.round(found[..., masks.MASK :] * _LEVELS)
        cells = ops.pad(cells, ((0, 0), (0, 0), (0, missing)))
        cells = ops.reshape(cells, (-1, MOST, _PACKED_WIDTH - masks.MASK, _PACKED))
        factors = ops.convert_to_tensor((256.0 ** np.arange(_PACKED)).astype(np.float32))
        packed = ops.sum(cells * factors, axis=-1)
        whole = ops.concatenate([found[..., : masks.MASK], packed], axis=-1)
        return ops.reshape(whole, (-1, MOST * _PACKED_WIDTH))

    def evidence(self, answers: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the matches of the objects of images, see `Reporter.evidence`; shape (n,).

        Args:
            answers: Packed objects, shape (n, 26800).
            rows: Rows of the images in the dataset, n.
        """
        found = unpacked(answers.reshape(len(answers), *self.answer_shape))
        return REPORTER.evidence(found, self.targets[rows], len(self._store.classes))

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return the loss of boxes and masks; see `Learning.loss`."""
        classes = len(self._store.classes)
        self._loss = MaskLoss(self._size, classes, plan.focal_gamma, self.weights(plan))
        return self._loss

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:
        """Return the loss of boxes and masks; see `Learning.plain_loss`."""
        return MaskLoss((height, width), classes)

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return mask AP, mask AP50, and the parts of the loss."""
        counted = MeanFoundMaskPrecision(self._size, len(self._store.classes))
        return [
            counted,
            PrecisionAt50(counted, MASK_AP50.name),
            PartOfLoss(self._loss, SCORE_LOSS.name, "scores"),
            PartOfLoss(self._loss, BOX_LOSS.name, "boxes"),
            PartOfLoss(self._loss, MASK_LOSS.name, "masks", is_last=True),
        ]


def unpacked(answers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the objects of which three cells each are in one number, shape (n, 100, 790).

    Args:
        answers: Shape (n, 100, 268).
    """
    whole = answers[..., masks.MASK :].astype(np.int64)
    parts = [(whole >> 8 * at) & 255 for at in range(_PACKED)]
    cells = np.stack(parts, axis=-1).reshape(*answers.shape[:2], -1)[..., : masks.CELLS**2]
    found = np.concatenate([answers[..., : masks.MASK], cells / _LEVELS], axis=-1)
    return found.astype(np.float32)


LEARNING = LearnsObjectMasks
