"""Predictions of segmentation: a class for each pixel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.mask_images import palette_of
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.pixel_maps import bands, labels_of_tiles, labels_of_whole
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture


class PredictsMasks(Predictor):
    """Predicts a mask and the area of each class."""

    parts = (ClassMap,)
    joins_tiles = True

    def predictions(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all classes have an area
    ) -> list[Prediction]:
        """Return masks of the size of the outputs, and all areas, whatever `top` is.

        Args:
            outputs: Probabilities, shape (n, height, width, K).
            meaning: Meaning of the outputs.
            top: Not used by this task.
        """
        labels = outputs.argmax(axis=-1).astype(np.uint8)
        return [self.of_decoded(each, each.shape[::-1], meaning) for each in labels]

    def of_decoded(
        self,
        decoded: PixelClasses,
        size: tuple[int, int],  # noqa: ARG002 - that of the mask
        meaning: Meaning,
    ) -> Prediction:
        """Return a mask with the areas of all classes; see `Predictor.of_decoded`."""
        return Prediction(class_map=ClassMap.of(decoded, meaning.names, meaning.colors))

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all classes have an area
        seen: Callable[[], SeenPicture],
    ) -> Prediction:
        """Return a mask of the size of the picture; see `Predictor.of_picture`."""
        picture = seen()
        labels = labels_of_whole(outputs, picture.full, picture.framing)
        return self.of_decoded(labels, picture.full, meaning)

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Prediction:
        """Blend the tiles of a picture; see `Predictor.of_tiles`."""
        return self.of_decoded(labels_of_tiles(picture, seen.full), seen.full, meaning)

    def of_large(
        self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning, maps: LargeMaps
    ) -> Steps:
        """Write the mask row by row; see `Predictor.of_large`."""
        palette = palette_of(meaning.colors)
        pixels = np.zeros(len(meaning.names), np.int64)
        with maps.writer(np.dtype(np.uint8), "nearest", palette) as (writer, large):
            for top, band in bands(picture, seen.full):
                labels = band[..., :-1].argmax(axis=-1).astype(np.uint8)
                pixels += np.bincount(labels.ravel(), minlength=len(pixels))
                writer.add(labels[..., None])
                yield (top + len(band)) / seen.full[1]
        found = ClassMap.of(writer.overview[..., 0], meaning.names, meaning.colors)
        return Prediction(class_map=found.of_large(large, pixels.tolist()))


PREDICTOR = PredictsMasks()
