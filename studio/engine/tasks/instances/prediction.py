"""Predictions of instance segmentation: objects with their outlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import without_places
from studio.engine.tasks.detection.prediction import Outline, PredictsBoxes
from studio.engine.tasks.instances.pictures import (
    PlacedStars,
    stars_of_tiles,
    stars_of_whole,
)
from studio.engine.tasks.instances.report import tuned_thresholds
from studio.engine.tasks.parts.objects import OUTLINE_KINDS, Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor
from studio.engine.tasks.stars import corners_of
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture


class PredictsInstances(PredictsBoxes):
    """Predicts objects, each with a class, a score and an outline."""

    columns = ("objects",)
    has_outlines = True
    usual_files = 2

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
        thresholds = tuned_thresholds(outputs, targets, count)
        return Calibration(thresholds=thresholds, images=len(outputs))

    def of_decoded(
        self, decoded: NDArray[Any], size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        """Return the objects of a picture, and the candidates; see `Predictor.of_decoded`."""
        rows = without_places(decoded)
        return self._of_placed(PlacedStars(rows, corners_of(rows)), size, meaning)

    def of_large(
        self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning, maps: LargeMaps
    ) -> Steps:
        """Join the objects of all tiles in one step; see `Predictor.of_large`."""
        return Predictor.of_large(self, picture, seen, meaning, maps)

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
