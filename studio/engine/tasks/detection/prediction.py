"""Predictions of detection: objects with their boxes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS, LEFT
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import (
    COLUMNS,
    MAX_OVERLAP,
    MIN_SCORE,
    MOST,
    SCORE,
    without_places,
)
from studio.engine.tasks.detection.pictures import (
    boxes_of_whole,
    step_through_tiles,
)
from studio.engine.tasks.detection.precision import evidence_of
from studio.engine.tasks.detection.report import thresholds_of, tuned_thresholds
from studio.engine.tasks.parts.objects import DetectedObject, Objects, Ring
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.scores import ClassScore
from studio.engine.tasks.placement import Framing
from studio.engine.tasks.prediction import Decoding, Meaning, Outputs, Predictor
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture, result_of

Outline = tuple[Ring, ...]
MIN_SHOWN: Final = 0.1
"""Score of candidates that a prediction holds, besides the objects: the window can show them."""


class PredictsBoxes(Predictor):
    """Predicts objects, each with a class, a score and a box."""

    parts = (Objects,)
    calibrates = True
    columns = ("boxes",)
    joins_tiles = True
    has_outlines = False
    decoding = Decoding(
        "studio.engine.compute.tasks.box_decoding",
        MOST,
        COLUMNS,
        "The boxes in the image, the highest score first. Each is a row of six numbers: class, "
        "left, top, right and bottom in pixels of the input, and score; unused rows have the "
        f"class -1. Scores are at least {MIN_SCORE:g}; of boxes of a class that overlap by more "
        f"than {MAX_OVERLAP:.0%} the best one is kept. Compare a score with the threshold of its "
        "class.",
    )

    def calibrated(self, outputs: Outputs, targets: NDArray[Any], count: int) -> Calibration:
        """Tune the threshold of each class: the score with the highest F1.

        Args:
            outputs: Detections of the validation images, shape (n, 100, 6).
            targets: Their boxes, shape (n, M, 6).
            count: Number of classes, K.
        """
        thresholds = tuned_thresholds(evidence_of(outputs, targets, count))
        return Calibration(thresholds=thresholds, images=len(outputs))

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:
        """Return the calibration with a threshold for every class.

        Args:
            calibration: May lack thresholds.
            outputs: Number of classes.
        """
        thresholds = tuple(thresholds_of(calibration, outputs).tolist())
        return calibration.model_copy(update={"thresholds": thresholds})

    def predictions(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all objects are returned
    ) -> list[Prediction]:
        """Return the objects of images in pixels of what the network saw, whatever `top` is.

        Args:
            outputs: Detections, shape (n, 100, 6).
            meaning: Meaning of the outputs.
            top: Not used by this task.
        """
        return [self.of_decoded(each, (0, 0), meaning) for each in outputs]

    def of_decoded(
        self, decoded: NDArray[Any], size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        """Return the objects of a picture, and the candidates; see `Predictor.of_decoded`."""
        return self.of_rows(without_places(decoded), (), size, meaning)

    def of_rows(
        self,
        rows: NDArray[np.float32],
        outlines: Sequence[Outline],
        size: tuple[int, int],
        meaning: Meaning,
    ) -> Prediction:
        """Return the objects of a picture, and the candidates.

        Args:
            rows: Detections in pixels of the picture, the highest score first, shape (m, 6) or
                more columns.
            outlines: Outline of each, m; none for boxes.
            size: Width and height of the picture.
            meaning: Meaning of the outputs.
        """
        thresholds = thresholds_of(meaning.calibration, len(meaning.names))
        labels = rows[:, CLASS].astype(np.int64)
        shown = rows[:, SCORE] >= np.minimum(thresholds[labels], MIN_SHOWN)
        highest = np.zeros(len(meaning.names))
        np.maximum.at(highest, labels, rows[:, SCORE].astype(np.float64))
        objects = Objects(
            candidates=tuple(
                _object(
                    rows[at],
                    meaning.names[labels[at]],
                    float(thresholds[labels[at]]),
                    outlines[at] if outlines else (),
                )
                for at in np.flatnonzero(shown).tolist()
            ),
            highest=tuple(
                ClassScore(
                    label=meaning.names[label],
                    score=float(highest[label]),
                    threshold=float(thresholds[label]),
                )
                for label in np.argsort(-highest, kind="stable").tolist()
            ),
            size=size,
            has_outlines=self.has_outlines,
        )
        return Prediction(objects=objects)

    def placed(
        self, outputs: Outputs, full: tuple[int, int], framing: Framing, *, are_decoded: bool
    ) -> Any:  # noqa: ANN401 - what `of_placed` takes
        """Return the objects of a picture as a whole, in pixels of the picture.

        Args:
            outputs: Outputs of the network for the picture.
            full: Width and height of the picture.
            framing: Conversion of the picture.
            are_decoded: True if the outputs are objects already.
        """
        return boxes_of_whole(outputs, full, framing, are_decoded=are_decoded)

    def placed_tiles(
        self, picture: TiledPicture, full: tuple[int, int], *, are_decoded: bool
    ) -> Generator[float, None, Any]:
        """Return the objects of tiles, joined; yield the finished fraction before each tile.

        Args:
            picture: The tiles.
            full: See `placed`.
            are_decoded: See `placed`.
        """
        return step_through_tiles(picture, full, are_decoded=are_decoded)

    def of_placed(
        self,
        placed: Any,  # noqa: ANN401 - see `placed`
        size: tuple[int, int],
        meaning: Meaning,
    ) -> Prediction:
        """Return the prediction of objects in pixels of a picture.

        Args:
            placed: The objects, see `placed`.
            size: Width and height of the picture.
            meaning: Meaning of the outputs.
        """
        return self.of_decoded(placed, size, meaning)

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all objects are returned
        seen: Callable[[], SeenPicture],
    ) -> Prediction:
        """Return the objects in pixels of the picture; see `Predictor.of_picture`."""
        picture = seen()
        placed = self.placed(
            outputs, picture.full, picture.framing, are_decoded=picture.is_decoded
        )
        return self.of_placed(placed, picture.full, meaning)

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Prediction:
        """Join the objects of the tiles of a picture; see `Predictor.of_tiles`."""
        steps = self.placed_tiles(picture, seen.full, are_decoded=seen.is_decoded)
        return self.of_placed(result_of(steps), seen.full, meaning)

    def of_large(
        self,
        picture: TiledPicture,
        seen: SeenPicture,
        meaning: Meaning,
        maps: LargeMaps,  # noqa: ARG002 - objects need none
    ) -> Steps:
        """Join the objects of the tiles in steps; see `Predictor.of_large`."""
        placed = yield from self.placed_tiles(picture, seen.full, are_decoded=seen.is_decoded)
        return self.of_placed(placed, seen.full, meaning)


def _object(
    row: NDArray[np.float32], label: str, threshold: float, outline: Outline
) -> DetectedObject:
    left, top, right, bottom = row[LEFT:SCORE].tolist()
    return DetectedObject(
        label=label,
        score=float(row[SCORE]),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        threshold=threshold,
        outline=outline,
    )


PREDICTOR = PredictsBoxes()
