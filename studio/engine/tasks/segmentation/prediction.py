"""Predictions of segmentation: a mask, the area of each class, and the files of both."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.answer import Answer, ClassArea
from studio.engine.tasks.prediction import AnswerWriter, Meaning, Outputs, Predictor
from studio.engine.tasks.segmentation.mask_files import MaskWriter, as_png, labels_in, regions_of
from studio.engine.tasks.segmentation.pictures import labels_of_tiles, labels_of_whole
from studio.engine.tasks.tiling import SeenPicture, TiledPicture


class PredictsMasks(Predictor):
    """Answers with a mask and the area of each class."""

    joins_tiles = True

    def writer(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> AnswerWriter:
        """Return a writer of masks; see `Predictor.writer`."""
        return MaskWriter(folder, kinds, names, colors)

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:  # noqa: ARG002
        """Return masks of the size of the outputs, and all areas, whatever `top` is.

        Args:
            outputs: Probabilities, shape (n, H, W, K).
            meaning: Meaning of the outputs.
            top: Not used: for other tasks.
        """
        labels = outputs.argmax(axis=-1).astype(np.uint8)
        return [self.of_decoded(each, each.shape[::-1], meaning) for each in labels]

    def of_decoded(
        self,
        decoded: PixelClasses,
        size: tuple[int, int],  # noqa: ARG002 - that of the mask
        meaning: Meaning,
    ) -> Answer:
        """Return a mask with the areas of all classes; see `Predictor.of_decoded`."""
        pixels = np.bincount(decoded.ravel(), minlength=IGNORE + 1)[: len(meaning.names)]
        total = int(pixels.sum()) or 1
        areas = tuple(
            ClassArea(label=name, pixels=count, share=count / total)
            for name, count in zip(meaning.names, pixels.tolist(), strict=True)
        )
        return Answer(areas=areas, mask=as_png(decoded, meaning.colors))

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - all classes have an area
        seen: Callable[[], SeenPicture],
    ) -> Answer:
        """Return a mask of the size of the picture; see `Predictor.of_picture`."""
        picture = seen()
        labels = labels_of_whole(outputs, picture.full, picture.framing)
        return self.of_decoded(labels, picture.full, meaning)

    def of_tiles(self, picture: TiledPicture, seen: SeenPicture, meaning: Meaning) -> Answer:
        """Blend the tiles of a picture; see `Predictor.of_tiles`."""
        return self.of_decoded(labels_of_tiles(picture, seen.full), seen.full, meaning)

    def script_values(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return the fraction of each class of a mask; see `Predictor.script_values`."""
        labels = outputs.argmax(axis=-1)
        counts = np.bincount(labels.ravel(), minlength=outputs.shape[-1])
        fractions: NDArray[np.float64] = counts / labels.size
        return fractions

    def without_files(self, answer: Answer) -> Answer:
        """Return an answer without its mask."""
        return answer.model_copy(update={"mask": ""})

    def regions(self, answer: Answer) -> list[dict[str, object]]:
        """Return the pixels of each class with their run lengths, as in COCO."""
        return [
            {"class": answer.areas[label].label} | region
            for label, region in regions_of(labels_in(answer.mask))
            if label != IGNORE
        ]

    def picture(self, answer: Answer) -> bytes:
        """Return the mask as an indexed PNG file."""
        return base64.b64decode(answer.mask)

    def brief(self, answer: Answer) -> str:
        """Return the classes that occur with their fractions, the largest first."""
        there = sorted((each for each in answer.areas if each.pixels), key=lambda a: -a.pixels)
        return ", ".join(f"{each.label} {each.share:.0%}" for each in there)

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the area of each class in pixels, and its share."""
        return {
            "classes": [
                {"class": each.label, "pixels": each.pixels, "share": each.share}
                for each in answer.areas
            ]
        }

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each class that occurs."""
        return [
            f"{each.share:8.1%}  {each.label}  ({each.pixels:,} px)"
            for each in answer.areas
            if each.pixels
        ]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return the area of each class in pixels, and its share."""
        cells: dict[str, object] = {f"pixels {each.label}": each.pixels for each in answer.areas}
        return cells | {f"share {each.label}": each.share for each in answer.areas}


PREDICTOR = PredictsMasks()
