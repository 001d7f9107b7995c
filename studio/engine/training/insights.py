"""Predictions of a network at a validation, its weight statistics, and the files of both.

Only predictions are stored: confusion matrix and mistakes are computed on demand.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows, ScoreRows
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.files import PARTIAL, open_arrays, remove, write_atomically

MISTAKES = 48
PICTURES = 24
"""Pictures whose predictions are kept every time."""
MASKS = 8
"""Pictures whose predicted masks or boxes are kept every time."""
TOP_CLASSES = 5

ClassNumbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ValidationPredictions:
    """Predicted classes of N validation images.

    Attributes:
        rows: Rows of the images in their dataset, int64, N.
        truth: Their classes, int32, N.
        predicted: Predicted class of each, int32, shape (N,).
        scores: Confidence of the network, 0 to 1, float32, shape (N,).
        of: Validation images that there are; more than N where only a sample was asked.
        groups: Group of each image by its origin, shape (N,); None if it is not known.
    """

    rows: Rows
    truth: ClassNumbers
    predicted: ClassNumbers
    scores: ScoreRows
    of: int
    groups: Rows | None = None

    def only(self, which: NDArray[np.bool_]) -> ValidationPredictions:
        """Return the predictions for some of the images; `which` has shape (N,)."""
        groups = None if self.groups is None else self.groups[which]
        rows, truth = self.rows[which], self.truth[which]
        predicted, scores = self.predicted[which], self.scores[which]
        return ValidationPredictions(rows, truth, predicted, scores, len(rows), groups)

    def confusion(self, classes: int) -> NDArray[np.int32]:
        """Return the confusion matrix (K, K): images by true class (row) and predicted class."""
        cells = self.truth.astype(np.int64) * classes + self.predicted
        counts = np.bincount(cells, minlength=classes * classes)
        return counts.astype(np.int32).reshape(classes, classes)

    def mistakes(self, most: int = MISTAKES) -> NDArray[np.int64]:
        """Return the indices of the wrong predictions, the most confident first."""
        return self._surest_first(self.truth != self.predicted)[:most]

    def cell(self, truth: int, predicted: int) -> NDArray[np.int64]:
        """Return the indices of a cell of the confusion matrix, highest score first.

        Args:
            truth: Index of the true class.
            predicted: Index of the predicted class.
        """
        return self._surest_first((self.truth == truth) & (self.predicted == predicted))

    def _surest_first(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        chosen = np.flatnonzero(which).astype(np.int64)
        order: NDArray[np.int64] = chosen[np.argsort(-self.scores[chosen], kind="stable")]
        return order


@dataclass(frozen=True, slots=True)
class PicturePredictions:
    """The most likely classes of the fixed pictures, P of them.

    Attributes:
        rows: Rows of the pictures in their dataset, int64, P.
        truth: Their classes, int32, P.
        classes: The most likely classes of each, by falling score, int32, P x K with K up to 5.
        scores: Their scores, 0 to 1, float32, P x K.
    """

    rows: Rows
    truth: ClassNumbers
    classes: NDArray[np.int32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TargetAnswers:
    """Outputs of the network for the same N validation images with targets every time.

    Attributes:
        rows: Rows of the images in their dataset, int64, N.
        truth: Their targets, float32, N x K.
        outputs: Outputs of the network, float32, shape (N, K); for masks and boxes what is needed
            to measure them, see `Reporter.evidence`: shape (N, K, 3), or N records.
        of: Validation images that there are.
    """

    rows: Rows
    truth: NDArray[np.float32]
    outputs: NDArray[Any]
    of: int


NO_TARGETS = TargetAnswers(
    np.zeros(0, np.int64), np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32), 0
)
"""Outputs of a validation without images, or of images that have a class."""


@dataclass(frozen=True, slots=True)
class PictureMasks:
    """The predicted masks of the fixed pictures, P of them.

    Attributes:
        rows: Rows of the pictures in their dataset, int64, P.
        labels: The predicted class of each pixel, uint8, P x height x width.
    """

    rows: Rows
    labels: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class FixedPictureBoxes:
    """The predicted boxes of the fixed pictures, P of them.

    Attributes:
        rows: Rows of the pictures in their dataset, int64, P.
        detections: Boxes with a score in place of the flags, empty places behind them, float32,
            P x M x 6; see `tasks.boxes`.
    """

    rows: Rows
    detections: NDArray[np.float32]


class PictureRegions(NamedTuple):
    """The predicted regions of the fixed pictures; None for those that the task has not."""

    masks: PictureMasks | None
    boxes: FixedPictureBoxes | None


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """Euclidean norms over all trainable weights of a layer; NaN if unknown.

    Attributes:
        name: The layer.
        weight: Norm of its weights.
        gradient: Norm of the gradient of the loss of a fixed batch of training images.
        update: Norm of the change of the weights since the previous insight (or the start),
            relative to their norm at that time.
    """

    name: str
    weight: float
    gradient: float
    update: float


@dataclass(frozen=True, slots=True)
class Insight:
    """Everything that was kept of one validation.

    Attributes:
        epoch: Epochs that were done, with the fraction.
        step: Steps that were done.
        classes: Number of classes, labels or quantities.
        answers: Predictions for validation images; empty without any.
        pictures: Predictions for the fixed pictures.
        norms: Norms of the trainable layers, in order.
        targets: Outputs for validation images with other targets than a class, in place of
            `answers`; empty without any.
        masks: Predicted masks of the fixed pictures.
        boxes: Predicted boxes of the fixed pictures.
    """

    epoch: float
    step: int
    classes: int
    answers: ValidationPredictions
    pictures: PicturePredictions
    norms: tuple[LayerNorm, ...]
    targets: TargetAnswers = NO_TARGETS
    masks: PictureMasks | None = None
    boxes: FixedPictureBoxes | None = None

    def confusion(self) -> NDArray[np.int32]:
        """Return the confusion matrix (K, K): images by true class (row) and predicted class."""
        return self.answers.confusion(self.classes)


class ValidationAnswers(NamedTuple):
    """The part of an insight that a task defines, see `Insight`."""

    answers: ValidationPredictions
    pictures: PicturePredictions
    targets: TargetAnswers = NO_TARGETS
    masks: PictureMasks | None = None
    boxes: FixedPictureBoxes | None = None


def no_answers() -> tuple[ValidationPredictions, PicturePredictions]:
    """Return empty arrays of classes for images that have none."""
    none = np.zeros(0, np.int32)
    scores, rows = np.zeros(0, np.float32), np.zeros(0, np.int64)
    predictions = PicturePredictions(rows, none, none.reshape(0, 1), scores.reshape(0, 1))
    return ValidationPredictions(rows, none, none, scores, 0), predictions


def fixed_indices(labels: ClassNumbers, seed: int, count: int = PICTURES) -> NDArray[np.int64]:
    """Return the indices of fixed images: random by a seed, from as many classes as possible.

    Args:
        labels: Classes of the images, shape N.
        seed: Other images for another seed.
        count: Maximum number.

    Returns:
        Places in `labels`, by class.
    """
    generator = np.random.Generator(np.random.PCG64((seed, len(labels))))
    drawn = generator.permutation(len(labels))
    by_class = drawn[np.argsort(labels[drawn], kind="stable")]
    _, first, sizes = np.unique(labels[by_class], return_index=True, return_counts=True)
    # The how-manieth of its class each image is: all firsts go before all seconds.
    rank = np.arange(len(labels)) - np.repeat(first, sizes)
    turn = generator.permutation(len(sizes))[np.repeat(np.arange(len(sizes)), sizes)]
    chosen = by_class[np.lexsort((turn, rank))[:count]]
    indices: NDArray[np.int64] = chosen[np.argsort(labels[chosen], kind="stable")]
    return indices.astype(np.int64)


FOLDER = "insights"
MAX_FILES = 200
"""Files of a run that are kept; see `superfluous`."""

_NAME = re.compile(r"step-(\d+)\.npz")
_VERSION = 1
_BOX_VALUES = 6


def insight_path(folder: Path, step: int) -> Path:
    """Return the path of a run's insights of one step.

    Args:
        folder: Folder of the run.
        step: Step of the validation.
    """
    return folder / FOLDER / f"step-{step:06}.npz"


def write_insight(folder: Path, insight: Insight) -> Path:
    """Write the insight of a validation; an older one of the same step is replaced.

    Args:
        folder: Folder of the run.
        insight: The insight.

    Raises:
        DiskFullError: No space was left.
    """
    answers, pictures = insight.answers, insight.pictures
    names = [norm.name for norm in insight.norms]
    norms = [(norm.weight, norm.gradient, norm.update) for norm in insight.norms]
    data, found = BytesIO(), insight.targets
    targets: dict[str, Any] = {}
    if found.of:
        targets = {
            "target_rows": np.append(np.diff(found.rows, prepend=0), found.of),
            "target_truth": found.truth,
            "target_outputs": found.outputs,
        }
    if insight.masks is not None:
        targets |= {"mask_rows": insight.masks.rows, "mask_labels": insight.masks.labels}
    if insight.boxes is not None:
        targets |= {"box_rows": insight.boxes.rows, "boxes": insight.boxes.detections}
    np.savez_compressed(
        data,
        **targets,
        head=np.array(
            [_VERSION, insight.epoch, insight.step, insight.classes, answers.of], np.float64
        ),
        rows=np.diff(answers.rows, prepend=0),
        truth=_small(answers.truth),
        predicted=_small(answers.predicted),
        scores=answers.scores,
        picture_rows=pictures.rows,
        picture_truth=pictures.truth,
        picture_classes=pictures.classes,
        picture_scores=pictures.scores,
        norm_names=np.array(names, np.str_),
        norms=np.array(norms, np.float64).reshape(-1, 3),
    )
    path = insight_path(folder, insight.step)
    write_atomically(path, data.getvalue())
    return path


def read_insight(path: Path) -> Insight:
    """Read what `write_insight` wrote.

    Raises:
        BadDataError: It is missing or damaged.
    """
    columns = _columns(path)
    try:
        insight = _insight(columns)
        _check(insight)
    except DAMAGED as error:
        raise _damaged(path) from error
    return insight


def read_norms(path: Path) -> tuple[LayerNorm, ...]:
    """Return the norms alone: a chart needs those of all insights of a run.

    Raises:
        BadDataError: The file is missing or damaged.
    """
    columns = _columns(path, ("norm_names", "norms"))
    try:
        return _norms(columns)
    except DAMAGED as error:
        raise _damaged(path) from error


def stored_steps(folder: Path) -> list[int]:
    """Return the steps of a run with stored insights, ascending."""
    try:
        names = [path.name for path in (folder / FOLDER).iterdir()]
    except OSError:
        return []
    return sorted(int(found[1]) for found in map(_NAME.fullmatch, names) if found)


def thin_out(folder: Path, now: int, best: int | None, most: int = MAX_FILES) -> None:
    """Remove insights that are too many, and those of steps that are still to be done again.

    Their events stay: readers skip files that no longer exist.

    Args:
        folder: The record of the run.
        now: The step of the insight that was just written.
        best: The step of the best validation so far; None before the first one.
        most: Number that may remain.
    """
    steps = stored_steps(folder)
    ahead = [step for step in steps if step > now]
    steps = steps[: len(steps) - len(ahead)]
    for step in (*ahead, *superfluous(steps, best, most)):
        # An open file cannot be removed on Windows; then it is next time.
        with contextlib.suppress(OSError):
            remove(insight_path(folder, step))


def superfluous(steps: Sequence[int], best: int | None, most: int = MAX_FILES) -> list[int]:
    """Return the steps to drop so that `most` remain: first, best, last, and others evenly spread.

    Repeatedly drops the step that leaves the smallest gap, the earliest of equals.

    Args:
        steps: Ascending.
        best: Kept, if it is among them.
        most: At least 3.
    """
    left, gone = list(steps), []
    while len(left) > most:
        gaps = [
            (left[at + 1] - left[at - 1], at) for at in range(1, len(left) - 1) if left[at] != best
        ]
        gone.append(left.pop(min(gaps)[1]))
    return gone


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed worker left of files that it was writing; only for who writes them."""
    for partial in (folder / FOLDER).glob(f".step-*{PARTIAL}.npz"):
        remove(partial)


def _small(labels: ClassNumbers) -> NDArray[Any]:
    fits = labels.max(initial=0) <= np.iinfo(np.uint16).max
    return labels.astype(np.uint16) if fits else labels


def _columns(path: Path, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    try:
        with open_arrays(path) as file:
            requested: Iterable[str] = file if names is None else names
            return {name: file[name] for name in requested}
    except DAMAGED as error:
        raise _damaged(path) from error


def _insight(columns: dict[str, NDArray[Any]]) -> Insight:
    version, epoch, step, classes, of = columns["head"].tolist()
    if version != _VERSION:
        raise ValueError(f"the file is of version {version:g}")
    answers = ValidationPredictions(
        np.cumsum(columns["rows"], dtype=np.int64),
        columns["truth"].astype(np.int32),
        columns["predicted"].astype(np.int32),
        columns["scores"].astype(np.float32),
        int(of),
    )
    pictures = PicturePredictions(
        columns["picture_rows"].astype(np.int64),
        columns["picture_truth"].astype(np.int32),
        columns["picture_classes"].astype(np.int32),
        columns["picture_scores"].astype(np.float32),
    )
    norms = _norms(columns)
    return Insight(
        epoch,
        int(step),
        int(classes),
        answers,
        pictures,
        norms,
        _targets(columns),
        _masks(columns),
        _boxes(columns),
    )


def _masks(columns: dict[str, NDArray[Any]]) -> PictureMasks | None:
    if "mask_rows" not in columns:
        return None
    labels = columns["mask_labels"].astype(np.uint8)
    return PictureMasks(columns["mask_rows"].astype(np.int64), labels)


def _boxes(columns: dict[str, NDArray[Any]]) -> FixedPictureBoxes | None:
    if "box_rows" not in columns:
        return None
    detections = columns["boxes"].astype(np.float32)
    return FixedPictureBoxes(columns["box_rows"].astype(np.int64), detections)


def _targets(columns: dict[str, NDArray[Any]]) -> TargetAnswers:
    if "target_rows" not in columns:
        return NO_TARGETS
    *steps, of = columns["target_rows"].tolist()
    outputs = columns["target_outputs"]
    return TargetAnswers(
        np.cumsum(steps, dtype=np.int64),
        columns["target_truth"].astype(np.float32),
        outputs if outputs.dtype.names else outputs.astype(np.float32),
        int(of),
    )


def _norms(columns: dict[str, NDArray[Any]]) -> tuple[LayerNorm, ...]:
    return tuple(
        LayerNorm(str(name), *values)
        for name, values in zip(columns["norm_names"], columns["norms"].tolist(), strict=True)
    )


def _check(insight: Insight) -> None:
    answers, pictures, targets = insight.answers, insight.pictures, insight.targets
    if targets.of:
        shape = (len(targets.rows), insight.classes)
        are_records = targets.outputs.dtype.names is not None
        needed = shape[:1] if are_records else shape
        if targets.truth.shape != shape or targets.outputs.shape[: len(needed)] != needed:
            raise ValueError("the targets do not fit the rows")
    masks = insight.masks
    if masks is not None and (masks.labels.ndim != 3 or len(masks.labels) != len(masks.rows)):
        raise ValueError("the masks do not fit the rows")
    boxes = insight.boxes
    if boxes is not None:
        sides = boxes.detections.shape
        if len(sides) != 3 or (sides[0], sides[2]) != (len(boxes.rows), _BOX_VALUES):
            raise ValueError("the boxes do not fit the rows")
    if (
        not len(answers.rows)
        == len(answers.truth)
        == len(answers.predicted)
        == len(answers.scores)
    ):
        raise ValueError("the columns do not have the same length")
    if pictures.classes.shape != pictures.scores.shape or not (
        len(pictures.rows) == len(pictures.truth) == len(pictures.classes)
    ):
        raise ValueError("the predictions do not fit the pictures")
    for labels in (answers.truth, answers.predicted, pictures.truth, pictures.classes):
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= max(insight.classes, 1):
            raise ValueError("a label has no class")


def _damaged(path: Path) -> BadDataError:
    return BadDataError(
        "The stored file {path} cannot be read.",
        "The other epochs are not affected.",
        str(path),
        path=path,
    )
