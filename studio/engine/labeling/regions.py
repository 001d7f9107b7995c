"""Tools that select pixels and fit boxes: magic wand, polygons, GrabCut and edges.

Pure functions on pixels; positions and sizes are in pixels of the picture. OpenCV is imported when
a tool is used for the first time, which takes 60 ms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from studio.engine.errors import StudioError
from studio.engine.messages import message

Pixels = NDArray[np.uint8]
Selection = NDArray[np.bool_]
"""Selected pixels, shape (height, width)."""

_GRAB_SIDE: Final = 640
"""GrabCut works on a copy of at most this side: on 12 million pixels it would take a minute."""
_GRAB_ROUNDS: Final = 4
_LEAST_EDGE: Final = 4.0
"""Mean step of brightness along a side, of 255, below which there is no edge to snap to."""


def magic_wand(pixels: Pixels, x: int, y: int, tolerance: int = 24) -> Selection:
    """Select the connected pixels whose colors are like that of one pixel.

    Args:
        pixels: Shape (height, width, 3).
        x: Column of the pixel.
        y: Row of the pixel.
        tolerance: Largest difference of each color, 0 to 255.

    Raises:
        StudioError: The pixel is not in the picture.
    """
    import cv2  # noqa: PLC0415

    height, width = pixels.shape[:2]
    _require_inside(x, y, width, height)
    frame: Pixels = np.zeros((height + 2, width + 2), np.uint8)
    flags = 4 | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY | (1 << 8)
    limit = (tolerance,) * 3
    cv2.floodFill(np.ascontiguousarray(pixels), frame, (x, y), (0, 0, 0), limit, limit, flags)
    found: Selection = frame[1:-1, 1:-1] > 0
    return found


def filled(mask: NDArray[np.uint8], x: int, y: int) -> Selection:
    """Select the connected pixels of a mask with the value of one pixel.

    Args:
        mask: Class of each pixel, shape (height, width).
        x: Column of the pixel.
        y: Row of the pixel.

    Raises:
        StudioError: The pixel is not in the mask.
    """
    return magic_wand(np.repeat(mask[..., None], 3, axis=2), x, y, 0)


def polygon(points: Sequence[tuple[float, float]], size: tuple[int, int]) -> Selection:
    """Select the pixels whose centers are inside a polygon, or on its border.

    Args:
        points: Corners as x and y, at least 3.
        size: Width and height of the picture.
    """
    image = Image.new("1", size)
    if len(points) >= 3:
        # Pillow takes the centers of pixels for whole numbers.
        ImageDraw.Draw(image).polygon([(x - 0.5, y - 0.5) for x, y in points], fill=1)
    found: Selection = np.asarray(image, np.bool_)
    return found


def grab_cut(
    pixels: Pixels,
    box: tuple[float, float, float, float],
    inside: Selection | None = None,
    outside: Selection | None = None,
) -> Selection:
    """Separate the object in a box from its background.

    C. Rother et al., "GrabCut: interactive foreground extraction using iterated graph cuts",
    SIGGRAPH 2004. Large pictures are reduced first; the border is then exact to a few pixels.

    Args:
        pixels: Shape (height, width, 3).
        box: Left, top, right and bottom; nothing outside is selected.
        inside: Pixels that belong to the object.
        outside: Pixels that do not.

    Raises:
        StudioError: The box has no area inside the picture, or covers the whole picture.
    """
    import cv2  # noqa: PLC0415

    height, width = pixels.shape[:2]
    left, top = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    right, bottom = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    if right - left < 2 or bottom - top < 2:
        raise StudioError("The box has no area inside the picture.", "Draw a larger one.")
    if (right - left, bottom - top) == (width, height):
        raise StudioError(
            "The box covers the whole picture, so nothing in it is known to be background.",
            "Draw a box that leaves a border around the object.",
        )
    # Beside the box, as much background as the box is large says enough.
    margin_x, margin_y = right - left, bottom - top
    x0, y0 = max(0, left - margin_x), max(0, top - margin_y)
    x1, y1 = min(width, right + margin_x), min(height, bottom + margin_y)
    scale = min(1.0, _GRAB_SIDE / max(x1 - x0, y1 - y0))
    size = max(2, round((x1 - x0) * scale)), max(2, round((y1 - y0) * scale))
    part = cv2.resize(pixels[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA)

    def reduced(selection: Selection) -> Selection:
        small = cv2.resize(
            selection[y0:y1, x0:x1].astype(np.uint8), size, interpolation=cv2.INTER_NEAREST
        )
        return np.asarray(small > 0)

    known: Pixels = np.full(size[::-1], cv2.GC_BGD, np.uint8)
    bounds = [
        round((value - start) * scale)
        for value, start in ((left, x0), (right, x0), (top, y0), (bottom, y0))
    ]
    known[bounds[2] : bounds[3], bounds[0] : bounds[1]] = cv2.GC_PR_FGD
    if inside is not None:
        known[reduced(inside)] = cv2.GC_FGD
    if outside is not None:
        known[reduced(outside)] = cv2.GC_BGD
    models: list[NDArray[np.float64]] = [np.zeros((1, 65)), np.zeros((1, 65))]
    cv2.setRNGSeed(0)
    cv2.grabCut(
        np.ascontiguousarray(part),
        known,
        (0, 0, 0, 0),  # not read in this mode
        models[0],
        models[1],
        _GRAB_ROUNDS,
        cv2.GC_INIT_WITH_MASK,
    )
    object_ = ((known == cv2.GC_FGD) | (known == cv2.GC_PR_FGD)).astype(np.uint8)
    whole = cv2.resize(object_, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR_EXACT)
    found: Selection = np.zeros((height, width), np.bool_)
    found[y0:y1, x0:x1] = whole > 0
    found[:top] = found[bottom:] = False
    found[:, :left] = found[:, right:] = False
    return found


def snapped_box(
    pixels: Pixels, box: tuple[float, float, float, float], reach: int = 8
) -> tuple[float, float, float, float]:
    """Move each side of a box to the strongest edge nearby; a side without one stays.

    Args:
        pixels: Shape (height, width, 3).
        box: Left, top, right and bottom.
        reach: Largest distance of an edge from its side, in pixels.

    Returns:
        Left, top, right and bottom.
    """
    height, width = pixels.shape[:2]
    left, right = sorted((box[0], box[2]))
    top, bottom = sorted((box[1], box[3]))
    rows = slice(max(0, math.floor(top)), min(height, math.ceil(bottom)))
    columns = slice(max(0, math.floor(left)), min(width, math.ceil(right)))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return box
    own = reach if right - left > 2 * reach else max(1, int((right - left) / 3))
    found_left = _edge(pixels[rows].astype(np.float32), left, own)
    found_right = _edge(pixels[rows].astype(np.float32), right, own)
    turned = pixels[:, columns].transpose(1, 0, 2).astype(np.float32)
    own = reach if bottom - top > 2 * reach else max(1, int((bottom - top) / 3))
    return found_left, _edge(turned, top, own), found_right, _edge(turned, bottom, own)


def _edge(stripe: NDArray[np.float32], side: float, reach: int) -> float:
    """Return the column border with the largest step within reach of a side.

    Args:
        stripe: Rows between the other two sides, shape (rows, width, 3).
        side: Position of the side.
        reach: Largest distance.
    """
    width = stripe.shape[1]
    first = max(1, math.ceil(side) - reach)
    last = min(width - 1, math.floor(side) + reach)
    if first > last:
        return side
    part = stripe[:, first - 1 : last + 1].mean(axis=2)
    steps: NDArray[Any] = np.abs(np.diff(part, axis=1)).mean(axis=0)
    # Of equal edges the nearest.
    borders = np.arange(first, last + 1)
    strength = steps - 1e-3 * np.abs(borders - side)
    best = int(np.argmax(strength))
    return float(borders[best]) if steps[best] >= _LEAST_EDGE else side


def _require_inside(x: int, y: int, width: int, height: int) -> None:
    if not (0 <= x < width and 0 <= y < height):
        raise StudioError(
            message(
                "The pixel {x}, {y} is outside of the picture of {width}x{height} pixels.",
                x=x,
                y=y,
                width=width,
                height=height,
            )
        )
