"""Position of a picture of one shape in an image of another: the four ways of resizing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from PIL import Image

ResizeMode = Literal["squash", "crop", "fill", "half_crop"]
Tile = tuple[int, int, int, int]
"""Left, top, width and height of a part of a picture, in its pixels."""


MIN_OVERLAP: Final = 4
"""Tiles overlap by at least such a part of their side, so that their borders never decide."""


class Framing(Protocol):
    """Conversion of pictures to images of one size, as the recipe of a dataset defines it."""

    @property
    def width(self) -> int:
        """Width of the images in pixels."""

    @property
    def height(self) -> int:
        """Height of the images in pixels."""

    @property
    def resize(self) -> ResizeMode:
        """Way of resizing."""

    @property
    def border(self) -> str:
        """Content of the borders that resizing adds: `background` or `reflect`."""

    @property
    def least_visible(self) -> float:
        """Fraction of an object that has to be inside the image, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Part of a picture that is cut out, and its position in the result.

    Attributes:
        box: Left, top, right and bottom of the part that is kept, in pixels of the original.
        content: Width and height of that part after resizing, in pixels of the result.
        corner: Left and top of that part in the result; the rest is background.
    """

    box: tuple[float, float, float, float]
    content: tuple[int, int]
    corner: tuple[int, int]

    @property
    def scale(self) -> tuple[float, float]:
        """Pixels of the result for a pixel of the original, horizontally and vertically."""
        left, top, right, bottom = self.box
        return self.content[0] / (right - left), self.content[1] / (bottom - top)


def placement(original: tuple[int, int], target: tuple[int, int], mode: ResizeMode) -> Placement:
    """Compute how an image is fitted into a size.

    `squash` stretches each side independently. The others keep the aspect ratio and differ in the
    scale: `crop` uses the larger of the two ratios and cuts off the borders, `fill` the smaller
    one and adds borders, `half_crop` their mean: it cuts half and adds half. All are centered.

    Args:
        original: Width and height of the image, in pixels.
        target: Width and height to fit into, in pixels.
        mode: The method.
    """
    if mode == "squash":
        return Placement((0.0, 0.0, float(original[0]), float(original[1])), target, (0, 0))
    ratios = target[0] / original[0], target[1] / original[1]
    scale = {"crop": max(ratios), "fill": min(ratios), "half_crop": sum(ratios) / 2}[mode]
    left, right, width, x = _axis(original[0], target[0], scale)
    top, bottom, height, y = _axis(original[1], target[1], scale)
    return Placement((left, top, right, bottom), (width, height), (x, y))


def _axis(original: int, target: int, scale: float) -> tuple[float, float, int, int]:
    """Start and end of the kept part, its length after resizing, and where it is put."""
    content = min(target, max(1, round(original * scale)))
    visible = min(float(original), target / scale)
    start = (original - visible) / 2
    return start, start + visible, content, (target - content) // 2


def reflected(content: Image.Image, place: Placement, size: tuple[int, int]) -> Image.Image:
    """Put content in its place, and its mirror images around it, as often as it takes.

    Args:
        content: The resized part of a picture.
        place: Its placement.
        size: Width and height of the result.
    """
    # Recipes import this module, and the window starts with them.
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    left, top = place.corner
    right, bottom = size[0] - left - content.width, size[1] - top - content.height
    around = [(top, bottom), (left, right), (0, 0)]
    pixels = np.asarray(content)
    return Image.fromarray(np.pad(pixels, around[: pixels.ndim], mode="symmetric"))
