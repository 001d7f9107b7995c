"""Where in a picture a class is seen, by covering one part after another; needs no gradient.

After Zeiler and Fergus, "Visualizing and Understanding Convolutional Networks" (2014).
"""

from __future__ import annotations

import math
import time

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.models import score

PARTS = 7
"""Parts along the longer side; they overlap by half."""
BATCH = 16


class Occlusion:
    """The occlusion of one picture, done bit by bit.

    A gray square goes over the picture. Where it covers what the answer depends on, the score
    falls. It has the mean color of the picture, so that it is no edge of its own where there is
    nothing.

    Args:
        model: A classifier.
        pixels: The picture, shape (height, width, channels).
        class_index: The class whose score is looked at.
    """

    def __init__(self, model: keras.Model, pixels: NDArray[np.uint8], class_index: int) -> None:
        self._model = model
        self._pixels = pixels
        self._class = class_index
        height, width, _ = pixels.shape
        self._side = max(2, math.ceil(max(height, width) / PARTS))
        step = max(1, self._side // 2)
        self._rows, self._columns = math.ceil(height / step), math.ceil(width / step)
        self._fill = np.rint(pixels.mean(axis=(0, 1))).astype(np.uint8)
        self._scores = np.full(self._rows * self._columns, np.nan, np.float32)
        self._whole = float(self._scored([pixels])[0])
        self.done = 0
        self.seconds = 0.0

    @property
    def total(self) -> int:
        """How many places the square takes."""
        return len(self._scores)

    def go_on(self, seconds: float) -> None:
        """Do some more, for about so long; nothing when all is done."""
        began = time.perf_counter()
        while self.done < self.total:
            places = range(self.done, min(self.done + BATCH, self.total))
            self._scores[places.start : places.stop] = self._scored(
                [self._covered(place) for place in places]
            )
            self.done = places.stop
            if time.perf_counter() - began > seconds:
                break
        self.seconds += time.perf_counter() - began

    def falls(self) -> NDArray[np.float32]:
        """By how much the score falls, shape (rows, columns); 0 where it was not tried yet."""
        falls = np.nan_to_num(self._whole - self._scores)
        return falls.reshape(self._rows, self._columns).astype(np.float32)

    def _covered(self, place: int) -> NDArray[np.uint8]:
        height, width, _ = self._pixels.shape
        row, column = divmod(place, self._columns)
        # Around the middle of the cell of the map that it is for.
        top = round((row + 0.5) * height / self._rows - self._side / 2)
        left = round((column + 0.5) * width / self._columns - self._side / 2)
        covered = self._pixels.copy()
        down, across = slice(max(0, top), top + self._side), slice(max(0, left), left + self._side)
        covered[down, across] = self._fill
        return covered

    def _scored(self, pictures: list[NDArray[np.uint8]]) -> NDArray[np.float32]:
        # Always as many: a batch of another size would be compiled anew.
        padded = pictures + [self._pixels] * (BATCH - len(pictures))
        return score(self._model, np.stack(padded))[: len(pictures), self._class]
