"""Predictions of detection: objects with their boxes, and the files of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.csv_cells import table_text
from studio.engine.tasks.annotation_files.coco import CocoDocument
from studio.engine.tasks.answer import Answer, Calibration, ClassScore, FoundBox
from studio.engine.tasks.boxes import CLASS, LEFT
from studio.engine.tasks.decoding import SCORE, without_places
from studio.engine.tasks.detection.pictures import boxes_of_tiles, boxes_of_whole
from studio.engine.tasks.detection.report import thresholds_of, tuned_thresholds
from studio.engine.tasks.detection.task import COCO, CSV, YOLO
from studio.engine.tasks.prediction import AnswerWriter, Meaning, Outputs, Predictor
from studio.engine.tasks.tiling import SeenPicture, TiledPicture

LEAST_SHOWN: Final = 0.1
"""Score of candidates that an answer holds, besides the objects: a window can show them."""
_SAME_SIDES: Final = 0.05
"""Largest difference of the sides of one box, in pixels."""


class PredictsBoxes(Predictor):
    """Answers with objects, each with a class, a score and a box."""

    calibrates = True
    columns = ("boxes",)
    joins_tiles = True

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
        return [self.of_decoded(each, (0, 0), meaning) for each in outputs]

    def of_decoded(self, decoded: NDArray[Any], size: tuple[int, int], meaning: Meaning) -> Answer:
        """Return the objects of a picture, and the candidates; see `Predictor.of_decoded`."""
        thresholds = thresholds_of(meaning.calibration, len(meaning.names))
        rows = without_places(decoded)
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

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all objects are returned
        seen: Callable[[], SeenPicture],
    ) -> Answer:
        """Return the objects in pixels of the picture; see `Predictor.of_picture`."""
        picture = seen()
        rows = boxes_of_whole(
            outputs, picture.full, picture.framing, are_decoded=picture.is_decoded
        )
        return self.of_decoded(rows, picture.full, meaning)

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Answer:
        """Join the objects of the tiles of a picture; see `Predictor.of_tiles`."""
        rows = boxes_of_tiles(picture, seen.full, are_decoded=seen.is_decoded)
        return self.of_decoded(rows, seen.full, meaning)

    def is_as_script(
        self,
        script: list[dict[str, Any]],
        outputs: Outputs,  # noqa: ARG002 - decoded in the answer
        answer: Answer,
        names: Sequence[str],  # noqa: ARG002
        tolerances: NDArray[np.float64],
    ) -> bool:
        """Return True if each box of the one is a box of the other, but for rounding.

        Boxes whose score is so near to their threshold that rounding decides may be missing.
        See `Predictor.is_as_script`.
        """
        ours: Any = self.document(answer)["boxes"]
        if abs(len(ours) - len(script)) > 1:
            return False
        few, many = sorted((ours, script), key=len)
        allowed = float(tolerances.max())
        return all(any(_are_same(one, other, allowed) for other in many) for one in few)

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


def _are_same(one: dict[str, Any], other: dict[str, Any], tolerance: float) -> bool:
    """Return True if two boxes of documents are the same, but for rounding."""
    return (
        one["class"] == other["class"]
        and abs(one["score"] - other["score"]) <= tolerance
        and np.allclose(one["box"], other["box"], rtol=0, atol=_SAME_SIDES)
    )


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


# Files.

COCO_NAME: Final = "boxes.json"
CSV_NAME: Final = "boxes.csv"
CLASSES_NAME: Final = "classes.txt"
"""Names of the classes of the YOLO files, a line for each."""
COLUMNS: Final = ("image", "class", "score", "left", "top", "right", "bottom")


class BoxWriter(AnswerWriter):
    """Writes the objects of pictures into a folder.

    `csv` is one file with a line for each object; `coco` is one file with the objects as
    annotations that have a score; `yolo` is a text file for each picture: class, center, width
    and height as fractions of the picture, and score.

    Args:
        folder: Destination, created if missing.
        kinds: Kinds from `FILE_KINDS`.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """

    def __init__(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> None:
        super().__init__(folder, kinds, names, colors)
        self._document = CocoDocument()
        self._rows: list[tuple[object, ...]] = [COLUMNS]

    def add(self, image: str, answer: Answer) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            answer: Answer with its objects.

        Returns:
            Their paths: `labels` the text file of YOLO.

        Raises:
            DiskFullError: No space was left.
        """
        objects = answer.objects
        self._document.add_image(image, answer.size)
        for each in objects:
            corners = corners_of(each)
            self._rows.append((image, each.label, each.score, *corners))
            width, height = _sides(corners)
            self._document.add_annotation(
                self._names.index(each.label),
                {
                    "bbox": [*corners[:2], width, height],
                    "area": width * height,
                    "iscrowd": 0,
                    "score": each.score,
                },
            )
        if YOLO not in self._kinds:
            return {}
        lines = (self._yolo_line(each, answer.size) for each in objects)
        name = f"{self._free_stem(image, (PurePath(CLASSES_NAME).stem,))}.txt"
        return {"labels": str(self._text(name, "".join(lines)))}

    def finish(self) -> list[Path]:
        """Write the files for all pictures, and return their paths.

        Raises:
            DiskFullError: No space was left.
        """
        paths = []
        if CSV in self._kinds:
            paths.append(self._text(CSV_NAME, table_text(self._rows)))
        if COCO in self._kinds:
            data = self._document.data(self._names, self._colors)
            paths.append(self._written(COCO_NAME, data))
        if YOLO in self._kinds:
            text = "".join(f"{name}\n" for name in self._names)
            paths.append(self._text(CLASSES_NAME, text))
        return paths

    def _text(self, name: str, text: str) -> Path:
        return self._written(name, text.encode("utf-8", "backslashreplace"))

    def _yolo_line(self, box: FoundBox, size: tuple[int, int]) -> str:
        width, height = size
        numbers = (
            (box.left + box.right) / 2 / width,
            (box.top + box.bottom) / 2 / height,
            (box.right - box.left) / width,
            (box.bottom - box.top) / height,
            box.score,
        )
        return f"{self._names.index(box.label)} {' '.join(f'{each:.6f}' for each in numbers)}\n"


def corners_of(box: FoundBox) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom, to a hundredth of a pixel."""
    return round(box.left, 2), round(box.top, 2), round(box.right, 2), round(box.bottom, 2)


def _sides(corners: tuple[float, float, float, float]) -> tuple[float, float]:
    left, top, right, bottom = corners
    return round(right - left, 2), round(bottom - top, 2)
