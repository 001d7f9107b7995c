"""Runs a model over images of a dataset that it may never have seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels, ScoreRows
from studio.engine.compute.models import keep_freed_memory, score
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.warm_models import WarmModel
from studio.engine.datasets import picture_values
from studio.engine.datasets.augment.steps import to_picture, to_pixels
from studio.engine.datasets.decode import resized
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.evaluation.requests import (
    missing_classes,
    refuse_missing,
)
from studio.engine.inference.foreign_models import DATASET_NAMES, UNNAMED
from studio.engine.inference.models import ModelSource
from studio.engine.messages import Text, message
from studio.engine.pixel_format import PixelFormat
from studio.engine.progress import Progress
from studio.engine.tasks.calibration import Calibration
from studio.engine.timing import BUSY, ProcessorLoad, least_disturbed_ms, timed_block


@dataclass(frozen=True, slots=True)
class Subjects:
    """A model and the dataset that it is measured on.

    Attributes:
        model: Takes pixels of the dataset and answers with one score per class.
        classes: Names of the answers.
        store: The dataset.
        answers: For each class of the dataset its place among the answers, -1 for none.
        batch_size: Images per step.
        notes: Remarks for the reader of the figures.
        warnings: Assumptions about a model of another program.
    """

    model: keras.Model
    classes: Sequence[str]
    store: Store
    answers: NDArray[np.int32]
    batch_size: int
    notes: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()

    @property
    def size(self) -> tuple[int, int, int]:
        """Height, width and channels of what the model takes."""
        height, width, channels = self.model.input_shape[1:]
        return height, width, channels

    def truth(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return True classes of rows, as places among the answers, N."""
        truth: NDArray[np.int32] = self.answers[self.store.labels[rows]]
        return truth

    def pixels(self, rows: NDArray[np.int64]) -> Pixels:
        """Return rows of the dataset as the model takes them, N x height x width x channels."""
        return fitted(self.store.images[rows], self.size, self.store.pixel_format)

    def scores(
        self, rows: NDArray[np.int64], progress: Progress, what: str
    ) -> Iterator[ScoreRows]:
        """Yield the model's outputs in batches, in the order of the rows.

        Args:
            rows: Rows of the dataset, shape (N,).
            progress: Receives the progress and may cancel.
            what: Name of the progress step.

        Raises:
            BadDataError: An image is damaged.
            Cancelled: The job was asked to end.
        """
        return scores_of(self.model, self.store, rows, self.batch_size, progress, what)


def subjects(
    warm: WarmModel, source: ModelSource, store: Store, split: str, batch_size: int
) -> Subjects:
    """Match a model and a dataset.

    Args:
        warm: The loaded model.
        source: Its description.
        store: The dataset.
        split: Split to evaluate on.
        batch_size: Images per batch.

    Raises:
        BadDataError: The model does not know the classes of the dataset's images.
    """
    names: Sequence[str] = source.classes
    warnings = warm.warnings
    if not names:
        names = store.classes
        warnings = (*(each for each in warnings if each != UNNAMED), DATASET_NAMES)
        if len(names) != len(warm.classes):
            raise BadDataError(
                "The model {model} predicts {count} unnamed classes; the dataset has {classes}.",
                "Choose the dataset that it was trained on, or a file with the class names.",
                "dataset",
                model=source.name,
                count=len(warm.classes),
                classes=len(names),
            )
    require_same_pixels(warm, source, store)
    counts = store.class_counts()[split]
    refuse_missing(missing_classes(names, store.classes, counts), source.name)
    made = Subjects(
        warm.model,
        names,
        store,
        answer_of_class(names, store.classes),
        batch_size,
        warnings=warnings,
    )
    if made.size == store.shape:
        return made
    sizes = ["x".join(map(str, each)) for each in (store.shape, made.size)]
    fit = message(
        "The images of {size} were resized to the {expected} that the model expects.",
        size=sizes[0],
        expected=sizes[1],
    )
    return replace(made, notes=(fit,))


def scores_of(
    model: keras.Model,
    store: Store,
    rows: NDArray[np.int64],
    batch_size: int,
    progress: Progress,
    what: str,
) -> Iterator[ScoreRows]:
    """Yield the outputs of a model in batches, in the order of the rows.

    Args:
        model: The network.
        store: The dataset.
        rows: Rows of the dataset, shape (N,).
        batch_size: Images per batch.
        progress: Receives the progress and may cancel.
        what: Name of the progress step.

    Raises:
        BadDataError: An image is damaged.
        Cancelled: The job was asked to end.
    """
    height, width, channels = model.input_shape[1:]
    for start in range(0, len(rows), batch_size):
        progress.check()
        keep_freed_memory()
        part = rows[start : start + batch_size]
        size = height, width, channels
        yield score(model, fitted(store.images[part], size, store.pixel_format))
        progress.advance(start + len(part), len(rows), what)


def require_same_pixels(warm: WarmModel, source: ModelSource, store: Store) -> None:
    """Check that a model was trained on images of the number format of a dataset.

    8 bit gray and color are converted to each other.

    Args:
        warm: The loaded model.
        source: Its description.
        store: The dataset.

    Raises:
        BadDataError: It was trained on images of another format.
    """
    expected, pixels = warm.recipe.pixel_format, store.pixel_format
    if expected.is_compatible(pixels):
        return
    raise BadDataError(
        "The model {model} was trained on images of another format: {expected}; the dataset has "
        "{received}.",
        "Choose a dataset with images of the same type, channels and value range.",
        "dataset",
        model=source.name,
        expected=expected.text,
        received=pixels.text,
    )


def fitted(images: Pixels, size: tuple[int, int, int], pixels: PixelFormat) -> Pixels:
    """Return the images at another size, squashed; 8 bits in gray or color as is wanted.

    Args:
        images: Shape (n, height, width, channels).
        size: Height, width and channels of the result.
        pixels: Number format of the images.
    """
    if images.shape[1:] == size:
        return images
    height, width, channels = size
    if not pixels.is_standard:
        recipe = DatasetRecipe(source="", width=width, height=height, color="all", pixels=pixels)
        return np.stack([picture_values.fitted(image, recipe) for image in images])
    mode = "L" if channels == 1 else "RGB"
    pictures = (to_picture(image).convert(mode) for image in images)
    return np.stack(
        [
            to_pixels(resized(picture, (width, height), (0, 0, *picture.size)))
            for picture in pictures
        ]
    )


def answer_of_class(model: Sequence[str], dataset: Sequence[str]) -> NDArray[np.int32]:
    """Return the index of each class of a dataset among a model's outputs; -1 if it has none.

    Args:
        model: Names of the model's outputs.
        dataset: Names of the dataset's classes.
    """
    indices = {name: index for index, name in enumerate(model)}
    return np.array([indices.get(name, -1) for name in dataset], np.int32)


_AT_ONCE = 64
_MOST = 10_000
"""Validation images that thresholds and intervals are taken from; more change little."""


def calibrate(model: keras.Model, store: Store, progress: Progress) -> Calibration:
    """Predict the validation images to calibrate the outputs of a task.

    Args:
        model: The network.
        store: The dataset.
        progress: Receives the progress and may cancel.

    Raises:
        BadDataError: An image is damaged.
        Cancelled: The job was asked to end.
    """
    rows, reporter = store.rows("val"), store.task.reporter
    if not store.task.predictor.calibrates or not len(rows):
        return Calibration()
    if len(rows) > _MOST:
        rows = rows[np.linspace(0, len(rows) - 1, _MOST).astype(np.int64)]
    what = "Measuring the outputs on validation images"
    predictor, targets = store.task.predictor, learning_of(store).targets
    outputs: list[NDArray[Any]] = []
    truth: list[NDArray[Any]] = []
    done = 0
    for each in scores_of(model, store, rows, _AT_ONCE, progress, what):
        decoded = reporter.decoded(each, store.shape[:2], model.input_shape[1:3])
        part = targets[rows[done : done + len(each)]]
        done += len(each)
        for kept, found in zip(
            (outputs, truth), predictor.calibrated_by(decoded, part), strict=True
        ):
            kept.append(found)
    measured = np.concatenate(outputs), np.concatenate(truth)
    if store.recipe.tile_size:
        measured = predictor.of_whole_pictures(*measured, store.pictures[rows])
    return predictor.calibrated(*measured, len(store.classes))


BLOCKS = 10


def latency_ms(model: keras.Model, pixels: Pixels, progress: Progress) -> float:
    """Return the latency of one image in milliseconds: that of the least disturbed block of calls.

    Trials of a sweep are compared by it that were measured at different times, beside each other
    or beside other programs.

    Args:
        model: Takes the pixels as they are.
        pixels: The image, shape (1, height, width, channels).
        progress: Warned where other programs need the processors.
    """
    score(model, pixels)  # the first call compiles
    load = ProcessorLoad()
    blocks = [timed_block(lambda: score(model, pixels)) for _ in range(BLOCKS)]
    share = load.of_others()
    if share > BUSY:
        progress.warn(
            message(
                "Other programs used {share:.0%} of the processors while the latency "
                "was measured. It may look worse than it is.",
                share=share,
            )
        )
    return least_disturbed_ms(blocks)
