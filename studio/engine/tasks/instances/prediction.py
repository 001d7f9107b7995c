"""Predictions of instance segmentation: objects with their outlines."""

from __future__ import annotations

from collections.abc import Generator
from itertools import chain
from typing import Any

from numpy.typing import NDArray

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import without_places
from studio.engine.tasks.detection.prediction import PredictsBoxes
from studio.engine.tasks.detection.report import tuned_thresholds
from studio.engine.tasks.instances.families import (
    STAR_FAMILY,
    family_of_output,
    family_of_outputs,
    family_of_rows,
)
from studio.engine.tasks.instances.mask_pictures import PlacedObjects
from studio.engine.tasks.instances.matching import instance_evidence
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.parts.objects import OUTLINE_KINDS, Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.placement import Framing
from studio.engine.tasks.prediction import Decoding, Meaning, Outputs
from studio.engine.tasks.tiling import TiledPicture


class PredictsInstances(PredictsBoxes):
    """Predicts objects, each with a class, a score and an outline."""

    columns = ("objects",)
    has_outlines = True
    usual_files = 2
    decoding = STAR_FAMILY.decoding

    def decoding_of(self, output: Output) -> Decoding:
        """Return the decoding of the family of networks; see `Predictor.decoding_of`."""
        return family_of_output(output).decoding

    @property
    def file_kinds(self) -> dict[type[PredictionPart], tuple[str, ...]]:
        """Kinds of files of objects with outlines; see `Predictor.file_kinds`."""
        return {Objects: OUTLINE_KINDS}

    def calibrated(self, outputs: Outputs, targets: NDArray[Any], count: int) -> Calibration:
        """Tune the threshold of each class: the score with the highest F1.

        Args:
            outputs: Objects of the validation images, shape (n, 1000, 40) or (n, 100, 790).
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
        return self.of_placed(family_of_rows(rows).placed(rows), size, meaning)

    def placed(
        self, outputs: Outputs, full: tuple[int, int], framing: Framing, *, are_decoded: bool
    ) -> PlacedObjects:
        """Return the objects of a picture as a whole; see `PredictsBoxes.placed`."""
        family = family_of_outputs(outputs, are_decoded=are_decoded)
        return family.of_whole(outputs, full, framing, are_decoded=are_decoded)

    def placed_tiles(
        self, picture: TiledPicture, full: tuple[int, int], *, are_decoded: bool
    ) -> Generator[float, None, PlacedObjects]:
        """Return the objects of tiles, joined; see `PredictsBoxes.placed_tiles`."""
        scored = picture.scored()
        first = next(scored)
        family = family_of_outputs(first[-1], are_decoded=are_decoded)
        return (
            yield from family.step_through_tiles(
                chain([first], scored), picture.tiles, full, are_decoded=are_decoded
            )
        )

    def of_placed(
        self, placed: PlacedObjects, size: tuple[int, int], meaning: Meaning
    ) -> Prediction:
        """Return objects with their outlines; see `PredictsBoxes.of_placed`."""
        return self.of_rows(placed.rows, placed.outlines, size, meaning)


PREDICTOR = PredictsInstances()
