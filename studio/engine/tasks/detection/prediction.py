"""Predictions of detection: objects with their boxes, and the files of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Answer, Calibration, ClassScore, FoundBox
from studio.engine.tasks.boxes import CLASS, LEFT
from studio.engine.tasks.decoding import SCORE, without_places
from studio.engine.tasks.detection.box_files import BoxWriter, corners_of
from studio.engine.tasks.detection.report import thresholds_of, tuned_thresholds
from studio.engine.tasks.prediction import AnswerWriter, Meaning, Outputs, Predictor

LEAST_SHOWN: Final = 0.1
"""Score of candidates that an answer holds, besides the objects: a window can show them."""


class PredictsBoxes(Predictor):
    """Answers with objects, each with a class, a score and a box."""

    columns = ("boxes",)

    def writer(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> AnswerWriter:
        """Return a writer of boxes; see `Predictor.writer`."""
        return BoxWriter(folder, kinds, names, colors)

    def calibrated(self, outputs: Outputs, targets: NDArray[Any], count: int) -> Calibration:
        """Tune the threshold of each class: the score with the highest F1.

        Args:
            outputs: Detections of the validation images, shape (n, 100, 6).
            targets: Their boxes, shape (n, M, 6).
            count: Number of classes, K.
        """
        thresholds = tuned_thresholds(outputs, targets, count)
        return Calibration(thresholds=thresholds, images=len(outputs))

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:
        """Return the calibration with a threshold for every class.

        Args:
            calibration: May lack thresholds.
            outputs: Number of classes.
        """
        thresholds = tuple(thresholds_of(calibration, outputs).tolist())
        return calibration.model_copy(update={"thresholds": thresholds})

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:  # noqa: ARG002
        """Return the objects of images in pixels of what the network saw, whatever `top` is.

        Args:
            outputs: Detections, shape (n, 100, 6).
            meaning: Meaning of the outputs.
            top: Not used: for other tasks.
        """
        return [self.of_regions(each, (0, 0), meaning) for each in outputs]

    def of_regions(self, regions: NDArray[Any], size: tuple[int, int], meaning: Meaning) -> Answer:
        """Return the objects of a picture, and the candidates; see `Predictor.of_regions`."""
        thresholds = thresholds_of(meaning.calibration, len(meaning.names))
        rows = without_places(regions)
        labels = rows[:, CLASS].astype(np.int64)
        shown = rows[:, SCORE] >= np.minimum(thresholds[labels], LEAST_SHOWN)
        highest = np.zeros(len(meaning.names))
        np.maximum.at(highest, labels, rows[:, SCORE].astype(np.float64))
        return Answer(
            scores=tuple(
                ClassScore(
                    label=meaning.names[label],
                    score=float(highest[label]),
                    threshold=float(thresholds[label]),
                )
                for label in np.argsort(-highest, kind="stable").tolist()
            ),
            boxes=tuple(
                _found(row, meaning.names[label], float(thresholds[label]))
                for row, label in zip(rows[shown], labels[shown].tolist(), strict=True)
            ),
            size=size,
        )

    def without_files(self, answer: Answer) -> Answer:
        """Return an answer without its candidates."""
        return answer.model_copy(update={"boxes": answer.objects})

    def brief(self, answer: Answer) -> str:
        """Return the number of objects of each class, the most first."""
        counts = Counter(each.label for each in answer.objects).most_common()
        return ", ".join(f"{count} × {label}" for label, count in counts) or "no object"

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the objects: class, score and box in pixels of the picture."""
        return {
            "boxes": [
                {"class": each.label, "score": each.score, "box": list(corners_of(each))}
                for each in answer.objects
            ]
        }

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each object: score, class, left, top, right and bottom."""
        return [
            f"{each.score:8.1%}  {each.label}  "
            f"({each.left:.0f}, {each.top:.0f}, {each.right:.0f}, {each.bottom:.0f})"
            for each in answer.objects
        ] or ["no object"]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return the number of objects, and of those of each class."""
        counts = Counter(each.label for each in answer.objects)
        labels = sorted(each.label for each in answer.scores)
        cells: dict[str, object] = {"boxes": len(answer.objects)}
        return cells | {f"count {label}": counts[label] for label in labels}


def _found(row: NDArray[np.float32], label: str, threshold: float) -> FoundBox:
    left, top, right, bottom = row[LEFT:SCORE].tolist()
    return FoundBox(
        label=label,
        score=float(row[SCORE]),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        threshold=threshold,
    )


PREDICTOR = PredictsBoxes()
