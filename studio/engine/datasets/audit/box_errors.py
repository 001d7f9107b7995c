"""Findings about boxes that are probably wrong or missing, by the predictions of evaluated models.

What predictions contradict is decided by the task, see `Reporter.doubts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import DoubtedBox, Finding, Severity
from studio.engine.datasets.audit.label_errors import FEW
from studio.engine.datasets.store import Store
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import SCORE, corners_of

_STEP: Final = 64


@dataclass(frozen=True, slots=True)
class PredictedBoxes:
    """Boxes that a model predicted in images that it was not trained on.

    Attributes:
        rows: Rows of the images in the dataset, N.
        detections: See `tasks.decoding`, shape (N, 100, 6).
        calibration: Has the thresholds of the classes.
    """

    rows: NDArray[np.int64]
    detections: NDArray[np.float32]
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class BoxErrors:
    """Boxes that are probably wrong, by the row of their image.

    Attributes:
        images: Number of images with predictions.
        missing: Objects that are probably not labeled.
        wrong: Objects that are probably labeled with the wrong class.
        unseen: Labeled objects with no prediction near them.
    """

    images: int
    missing: dict[int, list[DoubtedBox]] = field(default_factory=dict)
    wrong: dict[int, list[DoubtedBox]] = field(default_factory=dict)
    unseen: dict[int, list[DoubtedBox]] = field(default_factory=dict)


def find_box_errors(
    store: Store, predictions: Sequence[PredictedBoxes], progress: Progress
) -> BoxErrors:
    """Compare boxes with predictions.

    Args:
        store: The dataset.
        predictions: Those of each model; no image twice.
        progress: Receives the progress and may cancel.

    Raises:
        BadDataError: The boxes cannot be read.
        Cancelled: The job was asked to end.
    """
    reporter, names = store.task.reporter, store.classes
    total = sum(len(each.rows) for each in predictions)
    found, done = BoxErrors(total), 0
    for part in predictions:
        progress.check()
        rows, count = part.rows.tolist(), len(names)
        truth = (store.required_regions[row] for row in rows)
        credible = reporter.credible(part.detections, truth, count, part.calibration)
        for row, detections in zip(rows, part.detections, strict=True):
            if done % _STEP == 0:
                progress.check()
                progress.advance(done, total, "Comparing boxes with predictions")
            done += 1
            boxes = store.required_regions[row]
            doubts = reporter.doubts(detections, boxes, credible, part.calibration)
            pairs = zip(doubts.wrong, doubts.likely, strict=True)
            for kind, listed in (
                (found.missing, [_predicted(each, each, names) for each in doubts.missing]),
                (found.wrong, [_predicted(box, each, names, box) for box, each in pairs]),
                (found.unseen, [_labeled(box, names) for box in doubts.unseen]),
            ):
                if listed:
                    kind[row] = listed
    return found


def _predicted(
    place: NDArray[Any],
    detection: NDArray[Any],
    names: Sequence[str],
    labeled: NDArray[Any] | None = None,
) -> DoubtedBox:
    """Return a box of a finding with what was predicted.

    Args:
        place: The box, shape (6,).
        detection: The prediction, shape (6,).
        names: Names of the classes.
        labeled: The object as it is labeled, shape (6,); None if it is not.
    """
    return DoubtedBox(
        box=_corners(place),
        label="" if labeled is None else names[int(labeled[CLASS])],
        predicted=names[int(detection[CLASS])],
        score=round(float(detection[SCORE]), 4),
    )


def _labeled(box: NDArray[Any], names: Sequence[str]) -> DoubtedBox:
    return DoubtedBox(box=_corners(box), label=names[int(box[CLASS])])


def _corners(box: NDArray[Any]) -> tuple[float, float, float, float]:
    left, top, right, bottom = np.round(corners_of(box).astype(np.float64), 2).tolist()
    return left, top, right, bottom


def missing_boxes(store: Store, errors: BoxErrors) -> Finding | None:
    """Return the finding for objects that are probably not labeled; None if there is none.

    Args:
        store: The dataset.
        errors: Results of the comparison.
    """
    rows, first = _most_certain(errors.missing)
    if first is None:
        return None
    return _finding(
        store,
        "missing_boxes",
        rows,
        errors.missing,
        _severity(len(rows), errors.images),
        message(
            "Objects that are probably not labeled: {boxes:,} in {count:,} images; the first is "
            'in {path}: "{class_name}", predicted with {score:.0%}.',
            one="Objects that are probably not labeled: {boxes:,}, in {path}; the first: "
            '"{class_name}", predicted with {score:.0%}.',
            boxes=_number(errors.missing),
            count=len(rows),
            path=store.paths[rows[0]],
            class_name=first.predicted,
            score=first.score,
        ),
        "Inspect them, the most certain first, and add the missing boxes. Each one is treated "
        "as background in training, and detecting it counts as an error.",
    )


def wrong_box_classes(store: Store, errors: BoxErrors) -> Finding | None:
    """Return the finding for objects whose class is probably wrong; None if there is none.

    Args:
        store: The dataset.
        errors: Results of the comparison.
    """
    rows, first = _most_certain(errors.wrong)
    if first is None:
        return None
    return _finding(
        store,
        "wrong_box_classes",
        rows,
        errors.wrong,
        _severity(len(rows), errors.images),
        message(
            "Boxes whose class is probably wrong: {boxes:,} in {count:,} images; the first is in "
            '{path}: "{class_name}", probably "{suggestion}".',
            one="Boxes whose class is probably wrong: {boxes:,}, in {path}; the first: "
            '"{class_name}", probably "{suggestion}".',
            boxes=_number(errors.wrong),
            count=len(rows),
            path=store.paths[rows[0]],
            class_name=first.label,
            suggestion=first.predicted,
        ),
        "Inspect them, the most certain first, and correct the wrong ones.",
    )


def unseen_boxes(store: Store, errors: BoxErrors) -> Finding | None:
    """Return the finding for objects with no prediction near them; None if there is none.

    Args:
        store: The dataset.
        errors: Results of the comparison.
    """
    rows = sorted(errors.unseen, key=lambda row: -len(errors.unseen[row]))
    if not rows:
        return None
    return _finding(
        store,
        "unseen_boxes",
        rows,
        errors.unseen,
        "info",
        message(
            "Boxes with no prediction near them: {boxes:,} in {count:,} images; most are in "
            "{path}.",
            one="Boxes with no prediction near them: {boxes:,}, in {path}.",
            boxes=_number(errors.unseen),
            count=len(rows),
            path=store.paths[rows[0]],
        ),
        "Check that each box contains an object. Objects that are hard to recognize can be "
        "marked as difficult.",
    )


def _most_certain(boxes: dict[int, list[DoubtedBox]]) -> tuple[list[int], DoubtedBox | None]:
    """Return the rows by their highest score, and the box with the highest score of all."""
    best = {row: max(found, key=attrgetter("score")) for row, found in boxes.items()}
    rows = sorted(best, key=lambda row: -best[row].score)
    return rows, best[rows[0]] if rows else None


def _number(boxes: dict[int, list[DoubtedBox]]) -> int:
    return sum(map(len, boxes.values()))


def _severity(found: int, images: int) -> Severity:
    return "info" if found < FEW * images else "warning"


def _finding(
    store: Store,
    kind: str,
    rows: list[int],
    boxes: dict[int, list[DoubtedBox]],
    severity: Severity,
    text: str,
    suggestion: str,
) -> Finding:
    return Finding(
        kind=kind,
        severity=severity,
        message=text,
        suggestion=suggestion,
        count=len(rows),
        rows=rows,
        paths=[store.paths[row] for row in rows],
        boxes=[boxes[row] for row in rows],
        actions=("exclude",),
    )
