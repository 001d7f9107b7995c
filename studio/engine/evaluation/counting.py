"""Counts of objects, corrected by what a model misses and invents, with intervals.

The correction is the ratio estimator of survey sampling: W. G. Cochran, "Sampling Techniques",
1977, chapter 6. True divided by predicted objects on the images of an evaluation, which is
precision divided by recall, multiplies the predicted count of other images. The interval adds two
errors: of the ratio, which was measured on some origins only, and of the counted images, which
differ from it as much as those of the evaluation do. Few errors are counted as whole objects.
"""

from __future__ import annotations

import filecmp
import functools
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from studio.engine.arrays import Integers, Rows
from studio.engine.csv_cells import table_text
from studio.engine.datasets.origins.evidence import ImagesFound, recognize_origins
from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.measures import ImageGroups
from studio.engine.evaluation.report import EvaluationPlan, Interval
from studio.engine.evaluation.requests import find_evaluation
from studio.engine.proportions import error_of_counts, t_quantile
from studio.engine.tasks.calibration import Calibration
from studio.engine.workspace import Workspace

_MANY_ERRORS: Final = 100.0
"""Variance from which on the normal distribution holds."""
_HALF_AN_ERROR: Final = 0.5
"""Added to the errors, as H. Jeffreys' prior of a Poisson rate is: a network that made no error on
the images of an evaluation will make some on others."""
_MISSING: Final = -1
"""Size of a file that cannot be read."""
CountLevel = Literal["image", "second", "folder", "origin", "all"]
COUNT_COLUMNS: Final = (
    "level",
    "name",
    "class",
    "images",
    "predicted",
    "estimate",
    "low",
    "high",
)


class CountAgreement(BaseModel, frozen=True):
    """Agreement of predicted and true counts per image.

    J. M. Bland and D. G. Altman, "Statistical methods for assessing agreement between two methods
    of clinical measurement", The Lancet 327, 1986.

    Attributes:
        bias: Mean of predicted minus true counts.
        low: Lower limit of agreement: 95 % of the images are above it.
        high: Upper limit of agreement.
        images: Number of images.
    """

    bias: float
    low: float
    high: float
    images: int


class CountCorrection(BaseModel, frozen=True):
    """Correction of the counts of a class, measured on the images of an evaluation.

    Attributes:
        name: Name of the class.
        ratio: True divided by predicted objects: precision divided by recall of the counts.
        ratio_variance: Variance of the ratio.
        image_variance: Variance of the count of an image around the ratio.
        origin_variance: The part of it that the images of an origin have in common.
        mean_predicted: Predicted objects per image.
        observations: Number of origins, or of images without origins.
        agreement: Agreement of the counts before the correction.
    """

    name: str
    ratio: float
    ratio_variance: float
    image_variance: float
    origin_variance: float
    mean_predicted: float
    observations: int
    agreement: CountAgreement

    def estimate(self, predicted: int, images: Sequence[int]) -> tuple[float, Interval]:
        """Return the corrected number of objects and its 95 % interval.

        Args:
            predicted: Number of predicted objects.
            images: Number of images of each origin that was counted.
        """
        value = self.ratio * predicted
        total = sum(images)
        # Images with more objects than those of the evaluation also vary more.
        density = predicted / (total * self.mean_predicted) if total else 0.0
        pairs = sum(each * (each - 1) for each in images)
        residual = max(1.0, density) * (total * self.image_variance + pairs * self.origin_variance)
        variance = predicted**2 * self.ratio_variance + residual
        half = t_quantile(self.observations) * math.sqrt(variance)
        low, high = value - half, value + half
        if variance < _MANY_ERRORS:
            error = error_of_counts(variance)
            low, high = min(low, round(value) - error), max(high, round(value) + error)
        return value, (max(0.0, low), high)


@dataclass(frozen=True, slots=True)
class CountedImages:
    """Counts on the images of an evaluation.

    Attributes:
        names: Names of the classes, K.
        predicted: Predicted objects, shape (n, K).
        objects: True objects, shape (n, K).
        groups: Origins of the images; None if all differ.
    """

    names: Sequence[str]
    predicted: Integers
    objects: Integers
    groups: ImageGroups | None


def corrections(counted: CountedImages) -> dict[str, CountCorrection]:
    """Return the correction of each class that was predicted and that two origins have.

    Args:
        counted: Counts on the images of an evaluation.
    """
    found = {}
    for index, name in enumerate(counted.names):
        columns = counted.predicted[:, index], counted.objects[:, index]
        correction = _correction(name, *columns, counted.groups)
        if correction is not None:
            found[name] = correction
    return found


def _correction(
    name: str,
    predicted: NDArray[np.int64],
    objects: NDArray[np.int64],
    groups: ImageGroups | None,
) -> CountCorrection | None:
    count, total = len(predicted), int(predicted.sum())
    of_image = np.arange(count) if groups is None else groups.of_image
    sizes = np.bincount(of_image)
    if len(sizes) < 2 or not total:
        return None
    ratio = float(objects.sum()) / total
    residuals = objects - ratio * predicted
    sums = np.bincount(of_image, weights=residuals)
    scale = len(sizes) / (len(sizes) - 1)
    squares = np.bincount(of_image, weights=residuals**2)
    pairs = float((sizes * (sizes - 1)).sum())
    common = max(0.0, float((sums**2 - squares).sum()) / pairs) if pairs else 0.0
    differences = predicted - objects
    bias, deviation = float(differences.mean()), float(differences.std(ddof=1))
    return CountCorrection(
        name=name,
        ratio=ratio,
        ratio_variance=scale * float((sums**2).sum()) / total**2,
        image_variance=(float(squares.sum()) + _HALF_AN_ERROR) / (count - 1),
        origin_variance=common,
        mean_predicted=total / count,
        observations=len(sizes),
        agreement=CountAgreement(
            bias=bias, low=bias - 1.96 * deviation, high=bias + 1.96 * deviation, images=count
        ),
    )


def counted_evaluation(
    evaluation: EvaluatedOutputs, threshold: float | None = None
) -> CountedImages | None:
    """Return the counts on the images of an evaluation; None if its task has no objects.

    Args:
        evaluation: The evaluation.
        threshold: Minimum score of objects; None for the threshold of each class.
    """
    store, names = evaluation.store, [each.name for each in evaluation.report.outputs]
    calibration = evaluation.calibration
    if threshold is not None:
        calibration = Calibration(thresholds=(threshold,) * len(names))
    predicted = evaluation.reporter.object_counts(evaluation.outputs, len(names), calibration)
    if store is None or predicted is None:
        return None
    groups = ImageGroups.of(store.origins.groups[evaluation.rows])
    return CountedImages(names, predicted, evaluation.targets.astype(np.int64), groups)


class CountRow(BaseModel, frozen=True):
    """Number of objects of a class in some images.

    Attributes:
        level: `"image"`, `"second"` of a video, `"folder"`, `"origin"` (such as a film) or
            `"all"`.
        name: Name of the image, second, folder or origin; empty for all.
        label: Name of the class.
        images: Number of images.
        predicted: Number of predicted objects.
        estimate: Corrected number; None without a correction of the class.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    level: CountLevel
    name: str
    label: str
    images: int
    predicted: int
    estimate: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CountedImage:
    """Predicted objects of an image.

    Attributes:
        name: Path of the image.
        labels: Class of each object.
        seconds: Time of a frame in its video; None for other images.
    """

    name: str
    labels: Sequence[str]
    seconds: float | None = None

    @property
    def folder(self) -> str:
        """Path of its folder, or of its video."""
        return self.name.replace("\\", "/").rpartition("/")[0]

    @property
    def second(self) -> str:
        """Its video, and the second that it is of; empty for other images."""
        if self.seconds is None:
            return ""
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{self.folder} {minutes}:{seconds:02d}".strip()


def count_rows(
    images: Sequence[CountedImage], classes: Sequence[str], known: Mapping[str, CountCorrection]
) -> list[CountRow]:
    """Count the objects of each class by image, second, folder and origin, and in all images.

    Args:
        images: The images.
        classes: Names of the classes.
        known: Corrections of classes.
    """
    names = [each.name for each in images]
    nothing = [""] * len(names)
    origins = recognize_origins(ImagesFound(names, nothing, nothing, "none"), "auto").names
    # Images of a folder may be of one origin: it counts as such unless others are recognized.
    units = [origin or each.folder for origin, each in zip(origins, images, strict=True)]
    levels: dict[CountLevel, Sequence[str]] = {
        "image": names,
        "second": [each.second for each in images],
        "folder": [each.folder for each in images],
        "origin": origins,
        "all": nothing,
    }
    counts = [Counter(each.labels) for each in images]
    found = []
    for level, keys in levels.items():
        for key, mine in _members(level, keys).items():
            sizes = [*Counter(units[index] for index in mine).values()]
            for label in classes:
                predicted = sum(counts[index][label] for index in mine)
                row = CountRow(
                    level=level, name=key, label=label, images=len(mine), predicted=predicted
                )
                found.append(_estimated(row, known.get(label), sizes))
    return found


def _members(level: CountLevel, keys: Sequence[str]) -> dict[str, list[int]]:
    """Return the positions of the images of each name; without one only where it is no gap."""
    members: dict[str, list[int]] = {}
    for index, key in enumerate(keys):
        if key or level not in ("second", "origin"):
            members.setdefault(key, []).append(index)
    return members


def counts_table(rows: Sequence[CountRow]) -> str:
    """Return counts as CSV.

    Args:
        rows: The counts.
    """
    table: list[Sequence[object]] = [COUNT_COLUMNS]
    for each in rows:
        ends = [
            "" if value is None else f"{value:.2f}"
            for value in (each.estimate, each.low, each.high)
        ]
        table.append([each.level, each.name, each.label, each.images, each.predicted, *ends])
    return table_text(table)


@dataclass(frozen=True, slots=True)
class MeasuredCorrections:
    """Corrections by an evaluation of a run, measured on other images than those counted.

    Attributes:
        by_class: The correction of each class; empty if too few images were left.
        split: Split that was evaluated, `"test"` or `"val"`.
        images: Number of images of it that the corrections are measured on.
        left_out: Number of evaluated images that are among the counted ones.
    """

    by_class: dict[str, CountCorrection]
    split: str
    images: int
    left_out: int = 0

    def document(self) -> dict[str, object]:
        """Return what was measured on, as JSON data."""
        return {"split": self.split, "images": self.images, "left_out": self.left_out}


def corrections_of_run(
    workspace: Workspace,
    run: str,
    counted: Sequence[Path],
    checkpoint: str = "",
    threshold: float | None = None,
) -> MeasuredCorrections | None:
    """Return the corrections that evaluations of a run measure; None without one.

    Training images do not count: a network finds more objects in them than in others. Evaluated
    images that are also counted, or copies of such, are left out. Test images are preferred;
    validation images serve where no test image is left.

    Args:
        workspace: Holds the run.
        run: Id of the run.
        counted: Paths of the images whose objects are counted.
        checkpoint: Name of its checkpoint; empty for the usual one.
        threshold: Minimum score of objects; None for the threshold of each class.

    Raises:
        StudioError: The run or its dataset was deleted.
    """
    first: MeasuredCorrections | None = None
    for split in ("test", "val"):
        plan = EvaluationPlan.parse({"run": run, "checkpoint": checkpoint, "split": split})
        record = find_evaluation(workspace, plan)
        if record is None:
            continue
        evaluation = EvaluatedOutputs.open(workspace, record.folder)
        found = _measured(evaluation, split, counted, threshold)
        if found.images:
            return found
        first = first or found
    return first


def _measured(
    evaluation: EvaluatedOutputs, split: str, counted: Sequence[Path], threshold: float | None
) -> MeasuredCorrections:
    if evaluation.store is None:
        return MeasuredCorrections({}, split, 0)
    is_other = ~_are_among(evaluation.store, evaluation.rows, counted)
    found = counted_evaluation(evaluation.only(is_other), threshold)
    by_class = {} if found is None else corrections(found)
    images = int(is_other.sum())
    return MeasuredCorrections(by_class, split, images, len(is_other) - images)


def _are_among(store: Store, rows: Rows, counted: Sequence[Path]) -> NDArray[np.bool_]:
    """Return which rows of a dataset were read from files that are counted, or from equal ones.

    Args:
        store: The dataset.
        rows: Some of its rows.
        counted: Paths of the counted images.
    """
    paths = {os.path.realpath(each) for each in counted}
    by_size: dict[int, list[str]] = {}
    for path in paths:
        by_size.setdefault(_size(path), []).append(path)
    by_size.pop(_MISSING, None)

    @functools.cache
    def is_counted(origin: str) -> bool:
        if origin in paths:
            return True
        return any(_are_equal(origin, each) for each in by_size.get(_size(origin), ()))

    origins = [store.local_origin(int(row)) for row in rows]
    return np.array(
        [each is not None and is_counted(os.path.realpath(each)) for each in origins], np.bool_
    )


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return _MISSING  # within an archive, or moved


def _are_equal(one: str, other: str) -> bool:
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False


def _estimated(
    row: CountRow, correction: CountCorrection | None, sizes: Sequence[int]
) -> CountRow:
    if correction is None:
        return row
    value, (low, high) = correction.estimate(row.predicted, sizes)
    return row.model_copy(update={"estimate": value, "low": low, "high": high})
