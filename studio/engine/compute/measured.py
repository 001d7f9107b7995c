"""Gets the answers of a model for a split, and what else a report is made of."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from studio.engine.arrays import Pixels
from studio.engine.compute.evaluate import SEED, MeasuredModel
from studio.engine.compute.models import score
from studio.engine.compute.scoring import Subjects, subjects
from studio.engine.datasets.augment.affine import rotation
from studio.engine.datasets.augment.steps import blurred, to_picture, to_pixels, warped
from studio.engine.evaluation.evaluated_classes import (
    PREDICTIONS,
    PREDICTIONS_FILE,
    Predictions,
    open_probabilities,
    write_predictions,
    writing_probabilities,
)
from studio.engine.evaluation.measures import ImageGroups, proportion
from studio.engine.evaluation.outcomes import Outcomes, joined, outcomes_of
from studio.engine.evaluation.report import (
    Corruption,
    EvaluationPlan,
    Report,
    Robustness,
    RobustnessCurve,
    RobustnessPoint,
)
from studio.engine.evaluation.report_builder import FittingSet, Measured, report_on_classes
from studio.engine.jobs.job import JobContext
from studio.engine.pixel_format import PixelFormat
from studio.engine.progress import Progress

MOST = 500
"""Images that are spoiled; of more, the curves would look the same."""


def measure_robustness(
    subjects: Subjects, rows: NDArray[np.int64], resamples: int, progress: Progress
) -> Robustness:
    """Measure the accuracy on corrupted images, by kind and strength.

    Args:
        subjects: Model and dataset.
        rows: Rows to draw evenly from, shape (N,).
        resamples: Bootstrap resamples of the intervals.
        progress: Receives the progress and may cancel.

    Raises:
        BadDataError: An image is damaged.
        Cancelled: The job was asked to end.
    """
    if len(rows) > MOST:
        rows = rows[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]
    pixels, truth = subjects.pixels(rows), subjects.truth(rows)
    total = sum(len(kind.strengths) for kind in CORRUPTIONS) + 1
    done = 0

    groups = ImageGroups.of(subjects.store.origins.groups[rows])

    def is_right(kind: CorruptionKind, strength: float) -> NDArray[np.bool_]:
        nonlocal done
        # The same images are spoiled in the same way whatever else is measured.
        seeds = rows * len(CORRUPTIONS) + CORRUPTIONS.index(kind)
        right = np.zeros(len(rows), np.bool_)
        for start in range(0, len(rows), subjects.batch_size):
            progress.check()
            part = slice(start, start + subjects.batch_size)
            right[part] = _right(
                subjects,
                spoiled(pixels[part], kind, strength, seeds[part], subjects.store.pixel_format),
                truth[part],
            )
        done += 1
        progress.advance(done, total, "Measuring robustness")
        return right

    unspoiled = is_right(CORRUPTIONS[0], CORRUPTIONS[0].none)
    curves = []
    for kind in CORRUPTIONS:
        found = {kind.none: unspoiled}
        found |= {strength: is_right(kind, strength) for strength in kind.strengths}
        falls = kind.none > max(kind.strengths)
        points = tuple(
            RobustnessPoint(
                strength=strength,
                accuracy=float(found[strength].mean()),
                interval=proportion(found[strength], groups) if resamples else None,
            )
            for strength in sorted(found, reverse=falls)
        )
        curves.append(RobustnessCurve(corruption=kind.name, unit=kind.unit, points=points))
    return Robustness(images=len(rows), curves=tuple(curves))


def _right(subjects: Subjects, pixels: Pixels, truth: NDArray[np.int32]) -> NDArray[np.bool_]:
    right: NDArray[np.bool_] = score(subjects.model, pixels).argmax(axis=1) == truth
    return right


FITTED_ON = "val"
_FITTING_IMAGES = 5000
_FITTING_VALUES = 5_000_000
"""Images and probabilities that a temperature is fitted on, at most: it is one number."""


def measure_classes(context: JobContext, model: MeasuredModel) -> Report:
    """Measure a model by its probabilities of classes, which are written beside the report.

    Args:
        context: The running job.
        model: The model and its images.

    Raises:
        BadDataError: An image is damaged, or the model lacks a class.
        NotFiniteError: The model predicts values that are not finite.
        Cancelled: The job was asked to end.
    """
    plan = model.plan
    pair = subjects(model.warm, model.target.source, model.store, plan.split, plan.batch_size)
    rows = pair.store.rows(plan.split)
    outcomes = _answers(pair, rows, context)
    predictions = Predictions(rows, outcomes.predicted, outcomes.confidence.astype(np.float32))
    groups = pair.store.origins.groups[rows]
    write_predictions(context.folder, predictions, outcomes.truth, groups)
    fitting = _fitting_set(pair, plan, context)
    missing = "" if fitting is not None else _why_no_fit(plan)
    robustness = None
    if plan.robustness:
        robustness = measure_robustness(pair, rows, plan.resamples, context)
    measured = Measured(
        subject=model.subject,
        classes=pair.classes,
        outcomes=outcomes,
        probabilities=open_probabilities(context.folder),
        fitting=fitting,
        fitting_missing=missing,
        robustness=robustness,
        warnings=pair.warnings,
        notes=pair.notes,
        groups=ImageGroups.of(groups),
        is_known=model.is_known,
    )
    report = report_on_classes(measured, plan.resamples, SEED, context)
    context.artifact(PREDICTIONS, context.folder / PREDICTIONS_FILE)
    return report


def _answers(subjects: Subjects, rows: NDArray[np.int64], context: JobContext) -> Outcomes:
    classes, truth = len(subjects.classes), subjects.truth(rows)
    parts: list[Outcomes] = []
    done = 0
    with writing_probabilities(context.folder, len(rows), classes) as file:
        for scores in subjects.scores(rows, context, "Measuring"):
            parts.append(outcomes_of(scores, truth[done : done + len(scores)], classes))
            file.add(scores)
            done += len(scores)
    return joined(parts)


def _fitting_set(
    subjects: Subjects, plan: EvaluationPlan, context: JobContext
) -> FittingSet | None:
    """Answers for validation images, if they are not what is measured."""
    rows = subjects.store.rows(FITTED_ON)
    known = subjects.answers[subjects.store.labels[rows]] >= 0
    rows = rows[known]
    if plan.split == FITTED_ON or not len(rows):
        return None
    classes = len(subjects.classes)
    most = max(1, min(_FITTING_IMAGES, _FITTING_VALUES // classes))
    if len(rows) > most:
        rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
    scores = np.concatenate(list(subjects.scores(rows, context, "Fitting the temperature")))
    return FittingSet(FITTED_ON, scores, subjects.truth(rows))


def _why_no_fit(plan: EvaluationPlan) -> str:
    if plan.split == FITTED_ON:
        return "A temperature is fitted on validation images, which are the evaluated ones here."
    return "A temperature is fitted on validation images, and there are none."


Spoil = Callable[[Pixels, float, np.random.Generator], Pixels]
_GRAY = 128


@dataclass(frozen=True, slots=True)
class CorruptionKind:
    """One way.

    Attributes:
        name: Name in reports.
        unit: Unit of the strength, short.
        none: The strength that changes nothing.
        strengths: The others, from there.
        spoil: Gives a new image of the same shape and type, (height, width, channels), uint8, or
            float32 with values on the scale from 0 to 255.
    """

    name: Corruption
    unit: str
    none: float
    strengths: tuple[float, ...]
    spoil: Spoil


def _blur(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    radius = strength / 100 * min(image.shape[:2])
    if image.dtype == np.float32:
        return blurred(image, radius)
    return to_pixels(to_picture(image).filter(ImageFilter.GaussianBlur(radius)))


def _noise(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    return _levels(image + random.normal(0.0, strength, image.shape), image)


def _jpeg(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    if image.dtype == np.float32:  # channel by channel, in 8 bits
        planes = np.split(np.rint(np.clip(image, 0, 255)).astype(np.uint8), image.shape[2], axis=2)
        spoiled_planes = [_jpeg(plane, strength, _random) for plane in planes]
        return np.concatenate(spoiled_planes, axis=2).astype(np.float32)
    data = io.BytesIO()
    to_picture(image).save(data, "JPEG", quality=round(strength))
    with Image.open(data, formats=("JPEG",)) as picture:
        return to_pixels(picture)


def _brightness(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    return _levels(image * (1 + strength / 100), image)


def _rotation(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    side = 1 if random.integers(2) else -1
    return warped(image, rotation(side * strength), "reflect")


def _occlusion(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    height, width = image.shape[:2]
    share = (strength / 100) ** 0.5
    down, across = round(height * share), round(width * share)
    top, left = random.integers(height - down + 1), random.integers(width - across + 1)
    covered = image.copy()
    covered[top : top + down, left : left + across] = _GRAY
    return covered


CORRUPTIONS: tuple[CorruptionKind, ...] = (
    CorruptionKind("blur", "% of the side", 0, (1, 2, 4, 6, 8), _blur),
    CorruptionKind("noise", "levels", 0, (8, 16, 32, 48, 64), _noise),
    CorruptionKind("jpeg", "quality", 100, (80, 50, 30, 15, 5), _jpeg),
    CorruptionKind("brightness", "%", 0, (-75, -50, -25, 25, 50, 75), _brightness),
    CorruptionKind("rotation", "°", 0, (5, 10, 20, 30, 45), _rotation),
    CorruptionKind("occlusion", "% of the area", 0, (5, 10, 20, 30, 50), _occlusion),
)


def spoiled(
    images: Pixels,
    kind: CorruptionKind,
    strength: float,
    seeds: NDArray[np.int64],
    pixels: PixelFormat,
) -> Pixels:
    """Return a batch of spoiled images.

    Args:
        images: Shape (n, height, width, channels).
        kind: In which way.
        strength: Strength of the corruption.
        seeds: One of each image, so that chance is the same at every time, n.
        pixels: Number format of the images; others than 8 bit gray and color are spoiled on the
            scale from 0 to 255.
    """
    if strength == kind.none:
        return images
    levels = images if pixels.is_standard else pixels.levels(images)
    spoiled_levels = np.stack(
        [
            kind.spoil(image, strength, np.random.default_rng(seed))
            for image, seed in zip(levels, seeds.tolist(), strict=True)
        ]
    )
    if pixels.is_standard:
        return spoiled_levels
    return pixels.from_levels(spoiled_levels.astype(np.float32, copy=False))


def _levels(values: NDArray[np.floating], like: Pixels) -> Pixels:
    """Return levels of the type of an image, from 0 to 255."""
    levels = np.clip(values, 0, 255)
    rounded: Pixels = (levels if like.dtype == np.float32 else np.rint(levels)).astype(like.dtype)
    return rounded
