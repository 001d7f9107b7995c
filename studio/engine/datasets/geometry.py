"""Where a picture of one shape goes in a picture of another: the four ways of resizing."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.datasets.recipe import ResizeMode


@dataclass(frozen=True, slots=True)
class Placement:
    """What is cut out of a picture, and where it is put.

    Attributes:
        box: Left, top, right and bottom of the part that is kept, in pixels of the original.
        content: Width and height of that part after resizing, in pixels of the result.
        corner: Left and top of that part in the result; the rest is background.
    """

    box: tuple[float, float, float, float]
    content: tuple[int, int]
    corner: tuple[int, int]


def placement(original: tuple[int, int], target: tuple[int, int], mode: ResizeMode) -> Placement:
    """Fit a picture of width and height `original` into `target`.

    `squash` stretches each side by itself. The others keep the shape and differ in the scale:
    `crop` takes the larger of the two ratios and loses the borders, `fill` the smaller and adds a
    border, `half_crop` their mean: it loses half and adds half. All are centered.
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
    kept = min(float(original), target / scale)
    start = (original - kept) / 2
    return start, start + kept, content, (target - content) // 2
