"""Changes of images: gathered first, then done to the whole batch in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from studio.engine.datasets.augment import affine
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.color import ColorMap, Matrix, Vector, recolored
from studio.engine.datasets.augment.plan import Fill
from studio.engine.datasets.augment.warp import (
    PIXELS_AT_ONCE,
    Pixels,
    is_exact,
    moved,
    to_picture,
    to_pixels,
    warped,
)

Filter = Callable[[Image.Image], Image.Image]
Paint = Callable[[Pixels], Pixels]

_NONE: Vector = (0.0, 0.0, 0.0)


class Steps:
    """The changes of one image.

    Whatever the number of operations: one resampling, one pass over the colors, then filters,
    then what paints pixels; inside each of these, in the order in which they were added.

    Args:
        height: Of the image.
        width: Of the image.
        channels: 1 or 3.
        fill: What stands where a turned or moved image leaves the frame empty.

    Attributes:
        matrix: All turns and moves as one, see `affine`.
        color: All changes of color as one; None where there are none.
    """

    __slots__ = (
        "_filters",
        "_paints",
        "channels",
        "color",
        "fill",
        "height",
        "matrix",
        "width",
    )

    def __init__(self, height: int, width: int, channels: int, fill: Fill) -> None:
        self.height = height
        self.width = width
        self.channels = channels
        self.fill: Fill = fill
        self.matrix = affine.IDENTITY
        self.color: ColorMap | None = None
        self._filters: list[Filter] = []
        self._paints: list[Paint] = []

    @property
    def is_affine(self) -> bool:
        """True if the map and the change of color are all there is."""
        return not self._filters and not self._paints

    def warp(self, matrix: Affine) -> None:
        """Turn, move or stretch."""
        self.matrix = affine.chain(self.matrix, matrix)

    def recolor(self, matrix: Matrix, offset: Vector = _NONE) -> None:
        """Change colors linearly."""
        self.color = (self.color or ColorMap()).then(matrix, offset)

    def contrast(self, factor: float) -> None:
        """Multiply the distance of every channel from its mean in this image."""
        self.color = (self.color or ColorMap()).then_contrast(factor)

    def filter(self, function: Filter) -> None:
        """Change the picture in a way that is neither of these."""
        self._filters.append(function)

    def finish(self, image: Pixels) -> None:
        """Do what acts on one image by itself: filters, then what paints.

        Args:
            image: uint8, shape (height, width, channels), turned and recolored; changed in place.
        """
        if self._filters:
            picture = to_picture(image)
            for change in self._filters:
                picture = change(picture)
            image[...] = to_pixels(picture)
        for paint in self._paints:
            image[...] = paint(image)

    def paint(self, function: Paint) -> None:
        """Change pixels last; the function gives uint8 of the same shape, a new array."""
        self._paints.append(function)


def render(images: Pixels, steps: Sequence[Steps]) -> Pixels:
    """Do what was gathered for the images of a batch.

    Args:
        images: uint8, shape (n, height, width, 1 or 3); changed in place.
        steps: What is done to each.

    Returns:
        The images.
    """
    count, height, width, channels = images.shape
    for image, step in zip(images, steps, strict=True):
        if step.matrix != affine.IDENTITY and is_exact(step.matrix):
            image[...] = moved(image, step.matrix, step.fill)
    warps = [not is_exact(step.matrix) for step in steps]
    busy = [at for at in range(count) if warps[at] or steps[at].color]
    several = max(1, PIXELS_AT_ONCE // (height * width))
    for start in range(0, len(busy), several):
        part = busy[start : start + several]
        planes = np.empty((channels, len(part), height, width), np.uint8)
        for at, channel in np.ndindex(len(part), channels):
            planes[channel, at] = images[part[at], :, :, channel]
        chosen = _all_or([warps[index] for index in part])
        if maps := [steps[index].matrix for index in part if warps[index]]:
            planes[:, chosen] = warped(planes[:, chosen], np.array(maps), steps[0].fill)
        chosen = _all_or([steps[index].color is not None for index in part])
        if colors := [change for index in part if (change := steps[index].color)]:
            planes[:, chosen] = recolored(planes[:, chosen], colors)
        for at, channel in np.ndindex(len(part), channels):
            images[part[at], :, :, channel] = planes[channel, at]
    for image, step in zip(images, steps, strict=True):
        step.finish(image)
    return images


def _all_or(chosen: list[bool]) -> slice | list[bool]:
    """An index of those chosen; of all of them one that copies nothing."""
    return slice(None) if all(chosen) else chosen
