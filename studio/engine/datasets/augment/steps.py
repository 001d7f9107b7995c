"""What is to be done to one image: gathered first, then done in one pass."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from studio.engine.datasets.augment import affine, color
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.color import Matrix, Vector
from studio.engine.datasets.augment.plan import Fill
from studio.engine.datasets.augment.warp import (
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
    """

    __slots__ = ("_colors", "_filters", "_map", "_paints", "channels", "fill", "height", "width")

    def __init__(self, height: int, width: int, channels: int, fill: Fill) -> None:
        self.height = height
        self.width = width
        self.channels = channels
        self.fill: Fill = fill
        self._map = affine.IDENTITY
        self._colors: list[tuple[Matrix, Vector] | float] = []
        self._filters: list[Filter] = []
        self._paints: list[Paint] = []

    def warp(self, matrix: Affine) -> None:
        """Turn, move or stretch."""
        self._map = affine.chain(self._map, matrix)

    def recolor(self, matrix: Matrix, offset: Vector = _NONE) -> None:
        """Change colors linearly."""
        self._colors.append((matrix, offset))

    def contrast(self, factor: float) -> None:
        """Multiply the distance of every channel from its mean in this image."""
        self._colors.append(factor)

    def filter(self, function: Filter) -> None:
        """Change the picture in a way that is neither of these."""
        self._filters.append(function)

    def paint(self, function: Paint) -> None:
        """Change pixels last; the function gives uint8 of the same shape, new or the given."""
        self._paints.append(function)

    def render(self, image: Pixels) -> Pixels:
        """Do it.

        Args:
            image: uint8, shape (height, width, channels).

        Returns:
            A new array or a view of the image, of the same shape.
        """
        picture: Image.Image | None = None
        if is_exact(self._map):
            image = moved(image, self._map, self.fill)
        else:
            picture = warped(image, self._map, self.fill)
        if self._colors or self._filters:
            picture = picture or to_picture(image)
            if self._colors:
                picture = color.recolored(picture, *self._one_color(picture))
            for change in self._filters:
                picture = change(picture)
        pixels = image if picture is None else to_pixels(picture)
        for paint in self._paints:
            pixels = paint(pixels)
        return pixels

    def _one_color(self, picture: Image.Image) -> tuple[Matrix, Vector]:
        """All changes of color as one."""
        matrix, offset = color.UNCHANGED, _NONE
        mean: Vector | None = None
        for change in self._colors:
            if isinstance(change, tuple):
                step, shift = change
            else:
                mean = mean or color.mean_color(picture)
                step = color.scaling(change)
                now = color.plus(color.applied(matrix, mean), offset)
                shift = color.applied(color.scaling(1.0 - change), now)
            matrix = color.product(step, matrix)
            offset = color.plus(color.applied(step, offset), shift)
        return matrix, offset
