"""Predictions of anomalies: how unusual each pixel is, and the verdict on the image."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.messages import message
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.pixel_maps import (
    Plane,
    bands,
    value_of_band,
    values_of_tiles,
    values_of_whole,
)
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture

NAME: Final = str(message("anomaly"))
"""Name of the map, which the window translates."""
THRESHOLD: Final = 1.0
"""Score from which on an image has a defect, by the training."""
FALSE_ALARMS: Final = 0.01
"""Fraction of good images that may reach the threshold."""


def threshold_of(calibration: Calibration) -> float:
    """Return the score from which on an image has a defect."""
    return calibration.thresholds[-1] if calibration.thresholds else THRESHOLD


def threshold_for(scores: NDArray[np.floating], false_alarms: float = FALSE_ALARMS) -> float:
    """Return the score that only a fraction of good images reaches.

    The score lies above that of the image at the percentile, by half the step to the next one or,
    above the highest, by 1 %.

    Args:
        scores: Scores of good images that nothing was fitted on, shape (n,), n at least 1.
        false_alarms: Fraction of good images that may reach it.
    """
    ordered = np.sort(scores)
    above = int(np.floor(false_alarms * len(ordered)))
    last = ordered[len(ordered) - 1 - above]
    return float((last + ordered[len(ordered) - above]) / 2 if above else last * 1.01)


class PredictsAnomalies(Predictor):
    """Predicts a heat map; its highest value is the score of the image."""

    parts = (HeatMap,)
    joins_tiles = True
    calibrates = True
    in_scripts = True
    highest_threshold = math.inf

    def calibrated_by(
        self, decoded: NDArray[Any], truth: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return maps and masks of one pixel: the score, and the class of a defect.

        Args:
            decoded: Scores of the pixels, shape (n, H, W).
            truth: Masks, shape (n, H, W).
        """
        classes = np.where(truth == IGNORE, 0, truth)
        return decoded.max(axis=(1, 2), keepdims=True), classes.max(axis=(1, 2), keepdims=True)

    def of_whole_pictures(
        self,
        outputs: NDArray[Any],
        targets: NDArray[Any],
        pictures: NDArray[np.int64],
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the highest score of the tiles of each picture, and a class of its defects.

        Args:
            outputs: Scores, shape (n, 1, 1).
            targets: Classes, shape (n, 1, 1).
            pictures: Number of the picture of each row, shape (n,).
        """
        numbers, index = np.unique(pictures, return_inverse=True)
        joined = [np.zeros((len(numbers), 1, 1), each.dtype) for each in (outputs, targets)]
        for highest, each in zip(joined, (outputs, targets), strict=True):
            np.maximum.at(highest, index, each)
        return joined[0], joined[1]

    def calibrated(self, outputs: Outputs, targets: NDArray[Any], count: int) -> Calibration:
        """Take the threshold from good validation images; see `Predictor.calibrated`.

        Args:
            outputs: Scores of the pixels, shape (n, H, W).
            targets: Masks, shape (n, H, W).
            count: Number of classes, K.
        """
        good = ~((targets > 0) & (targets != IGNORE)).any(axis=(1, 2))
        scores = outputs.max(axis=(1, 2), initial=0)[good]
        if not len(scores):
            return Calibration()
        return Calibration(thresholds=(threshold_for(scores),) * count, images=len(scores))

    def predictions(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - of classes
    ) -> list[Prediction]:
        """Return maps of the size of the outputs; see `Predictor.predictions`.

        Args:
            outputs: Scores, shape (n, height, width, K).
            meaning: Meaning of the outputs.
            top: Not used by this task.
        """
        return [_prediction(each[..., -1], meaning) for each in outputs]

    def of_decoded(
        self,
        decoded: NDArray[Any],
        size: tuple[int, int],  # noqa: ARG002 - that of the map
        meaning: Meaning,
    ) -> Prediction:
        """Return the map of decoded outputs; see `Predictor.of_decoded`."""
        return _prediction(decoded, meaning)

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - of classes
        seen: Callable[[], SeenPicture],
    ) -> Prediction:
        """Return a map of the size of the picture; see `Predictor.of_picture`.

        The score is the highest value of the network's own map: resizing would change it.
        """
        picture = seen()
        values = values_of_whole(outputs[..., -1], picture.full, picture.framing)
        return _prediction(values, meaning, float(outputs[..., -1].max()))

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Prediction:
        """Blend the tiles of a picture; see `Predictor.of_tiles`.

        The score is the highest value of the tiles, as in evaluations: blending would lower it.
        """
        scores = _TileScores(picture)
        values = values_of_tiles(scores.picture, seen.full, -1)
        return _prediction(values, meaning, scores.highest)

    def of_large(
        self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning, maps: LargeMaps
    ) -> Steps:
        """Write the map row by row; its smaller copies keep maxima; see `Predictor.of_large`."""
        scores = _TileScores(picture)
        with maps.writer(np.dtype(np.float32), "max") as (writer, large):
            for top, band in bands(scores.picture, seen.full):
                writer.add(value_of_band(band, -1)[..., None])
                yield (top + len(band)) / seen.full[1]
        found = _prediction(writer.overview[..., 0], meaning, scores.highest).heat_map
        return Prediction(heat_map=found and found.model_copy(update={"large": large}))


class _TileScores:
    """The highest score of the tiles that were seen so far.

    Attributes:
        picture: The tiles; their scores are noted.
        highest: The highest score.
    """

    def __init__(self, picture: TiledPicture) -> None:
        self._score = picture.score
        self.picture = replace(picture, score=self._noted)
        self.highest = -math.inf

    def _noted(self, tiles: Pixels) -> NDArray[np.float32]:
        outputs = self._score(tiles)
        self.highest = max(self.highest, float(outputs[..., -1].max()))
        return outputs


def _prediction(values: Plane, meaning: Meaning, score: float | None = None) -> Prediction:
    threshold = threshold_of(meaning.calibration)
    # Colors end at twice the threshold, or at the highest value: the worst place is seen.
    highest = max(2 * threshold, float(np.nanmax(values, initial=0.0))) or 1.0
    found = HeatMap.of(values, NAME, threshold, (0.0, highest))
    changed: dict[str, object] = {"pixel_threshold": meaning.calibration.pixel_threshold}
    if score is not None:
        changed["score"] = score
    return Prediction(heat_map=found.model_copy(update=changed))


PREDICTOR = PredictsAnomalies()
