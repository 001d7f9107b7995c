"""Predictions of instance segmentation: objects with their outlines."""

from __future__ import annotations

from collections.abc import Generator
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
    stars_of_whole,
    step_through_tiles,
)
from studio.engine.tasks.outputs import RAYS
from studio.engine.tasks.parts.objects import OUTLINE_KINDS, Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.placement import Framing
from studio.engine.tasks.prediction import Decoding, Meaning, Outputs
from studio.engine.tasks.stars import corners_of
from studio.engine.tasks.tiling import TiledPicture


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
        return self.of_placed(PlacedStars(rows, corners_of(rows)), size, meaning)

    def placed(
        self, outputs: Outputs, full: tuple[int, int], framing: Framing, *, are_decoded: bool
    ) -> PlacedStars:
        """Return the stars of a picture as a whole; see `PredictsBoxes.placed`."""
        return stars_of_whole(outputs, full, framing, are_decoded=are_decoded)

    def placed_tiles(
        self, picture: TiledPicture, full: tuple[int, int], *, are_decoded: bool
    ) -> Generator[float, None, PlacedStars]:
        """Return the stars of tiles, joined; see `PredictsBoxes.placed_tiles`."""
        return step_through_tiles(picture, full, are_decoded=are_decoded)

    def of_placed(
        self, placed: PlacedStars, size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        """Return objects with their outlines; see `PredictsBoxes.of_placed`."""
        outlines: list[Outline] = [
            (tuple((x, y) for x, y in corners),) for corners in placed.corners.tolist()
        ]
        return self.of_rows(placed.rows, outlines, size, meaning)


PREDICTOR = PredictsInstances()
