"""Predictions of instance segmentation: objects with their outlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import COLUMNS, without_places
from studio.engine.tasks.detection.prediction import Outline, PredictsBoxes
from studio.engine.tasks.detection.report import tuned_thresholds
from studio.engine.tasks.instances.decoding import MAX_OVERLAP, MIN_SCORE, MOST
from studio.engine.tasks.instances.matching import instance_evidence
from studio.engine.tasks.instances.pictures import (
    PlacedStars,
    stars_of_tiles,
    stars_of_whole,
    step_through_tiles,
)
from studio.engine.tasks.outputs import RAYS
from studio.engine.tasks.parts.objects import OUTLINE_KINDS, Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.prediction import Decoding, Meaning, Outputs
from studio.engine.tasks.stars import corners_of
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture


class PredictsInstances(PredictsBoxes):
    """Predicts objects, each with a class, a score and an outline."""

    columns = ("objects",)
    has_outlines = True
    usual_files = 2
    decoding = Decoding(
        "studio.engine.compute.tasks.star_decoding",
        MOST,
        (*COLUMNS, "x", "y", *(f"distance_{ray}" for ray in range(RAYS))),
        "The objects in the image, the highest score first. Each is a row of 40 numbers: "
        "class; left, top, right and bottom of the box around the outline; score; x and y of a "
        "position inside; and the distances from there to the outline in 32 directions, all in "
        "pixels of the input. Corner k of the outline is (x + distance[k] * cos(2 * pi * k / 32), "
        "y + distance[k] * sin(2 * pi * k / 32)), with y downward; an outline may reach beyond "
        "the image. Unused rows have the class -1. "
        f"Scores are at least {MIN_SCORE:g}; of objects of which one shares more than "
        f"{MAX_OVERLAP:.0%} of its area with the other, the best one is kept. Compare a score "
        "with the threshold of its class.",
    )

    @property
    def file_kinds(self) -> dict[type[PredictionPart], tuple[str, ...]]:
        """Kinds of files of objects with outlines; see `Predictor.file_kinds`."""
        return {Objects: OUTLINE_KINDS}

    def calibrated(self, outputs: Outputs, targets: NDArray[Any], count: int) -> Calibration:
        """Tune the threshold of each class: the score with the highest F1.

        Args:
            outputs: Stars of the validation images, shape (n, 1000, 40).
            targets: Their label images, shape (n, height, width).
            count: Number of classes, K.
        """
        thresholds = tuned_thresholds(instance_evidence(outputs, targets, count))
        return Calibration(thresholds=thresholds, images=len(outputs))

    def of_decoded(
        self, decoded: NDArray[Any], size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        """Return the objects of a picture, and the candidates; see `Predictor.of_decoded`."""
        rows = without_places(decoded)
        return self._of_placed(PlacedStars(rows, corners_of(rows)), size, meaning)

    def of_large(
        self,
        picture: TiledPicture,
        seen: SeenPicture,
        meaning: Meaning,
        maps: LargeMaps,  # noqa: ARG002 - objects need none
    ) -> Steps:
        """Join the objects of the tiles in steps; see `Predictor.of_large`."""
        placed = yield from step_through_tiles(picture, seen.full, are_decoded=seen.is_decoded)
        return self._of_placed(placed, seen.full, meaning)

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all objects are returned
        seen: Callable[[], SeenPicture],
    ) -> Prediction:
        """Return the objects in pixels of the picture; see `Predictor.of_picture`."""
        picture = seen()
        placed = stars_of_whole(
            outputs, picture.full, picture.framing, are_decoded=picture.is_decoded
        )
        return self._of_placed(placed, picture.full, meaning)

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Prediction:
        """Join the objects of the tiles of a picture; see `Predictor.of_tiles`."""
        placed = stars_of_tiles(picture, seen.full, are_decoded=seen.is_decoded)
        return self._of_placed(placed, seen.full, meaning)

    def _of_placed(
        self, placed: PlacedStars, size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        outlines: list[Outline] = [
            (tuple((x, y) for x, y in corners),) for corners in placed.corners.tolist()
        ]
        return self.of_rows(placed.rows, outlines, size, meaning)


PREDICTOR = PredictsInstances()
