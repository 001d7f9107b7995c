"""Boxes of images that are turned, moved, cropped or put together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats, Pixels
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.draws import Draws
from studio.engine.tasks import boxes as form

Boxes = NDArray[np.float32]

_LEAST_SIDE: Final = 1.0
"""Shorter boxes, in pixels, are dropped."""


def moved_boxes(boxes: Boxes, matrix: Affine, size: tuple[int, int], least_visible: float) -> None:
    """Move the boxes of an image as its pixels are, in place.

    The corners are moved; the box around them is clipped to the image.

    Args:
        boxes: Shape (M, 6).
        matrix: The map of the image, see `affine`.
        size: Width and height of the image in pixels.
        least_visible: Boxes are dropped of whose area less than that share is inside the image.
    """
    a, b, c, d, e, f = matrix
    center = np.array(size, np.float64) / 2
    back = np.linalg.inv([[a, b], [d, e]])
    left, top, right, bottom = (
        boxes[:, at].astype(np.float64) for at in range(form.LEFT, form.BOTTOM + 1)
    )
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], 1).reshape(-1, 4, 2)
    corners = (corners - center - (c, f)) @ back.T + center
    found = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    clip_boxes(boxes, found, (0, 0, *size), least_visible)


def clip_boxes(
    boxes: Boxes,
    sides: NDArray[np.float64],
    window: tuple[float, float, float, float],
    least_visible: float,
) -> None:
    """Set new sides of boxes, clipped to a window; those that are hardly visible are dropped.

    The boxes that are left come first, in their order.

    Args:
        boxes: Shape (M, 6); changed in place.
        sides: New left, top, right and bottom of each, shape (M, 4).
        window: Left, top, right and bottom of what is visible.
        least_visible: Least share of the area that must be visible.
    """
    left, top, right, bottom = window
    clipped = np.clip(sides, (left, top, left, top), (right, bottom, right, bottom))
    wide, high = clipped[:, 2] - clipped[:, 0], clipped[:, 3] - clipped[:, 1]
    is_visible = wide * high >= least_visible * form.areas(sides)
    is_large = (wide >= _LEAST_SIDE) & (high >= _LEAST_SIDE)
    stays = (boxes[:, form.CLASS] >= 0) & is_visible & is_large
    left_over = boxes[stays]
    left_over[:, form.LEFT : form.BOTTOM + 1] = clipped[stays]
    boxes[...] = form.padded(left_over, len(boxes))


_LEAST_CROP: Final = 0.4
"""Smallest crop around an object, as a share of each side of the image."""
_RATIO: Final = 1.4
"""Most that the fractions of both sides differ, so that objects are hardly distorted."""


def object_crop(boxes: Boxes, size: tuple[int, int], draws: Draws) -> Affine:
    """Draw a crop that contains a whole object, stretched to the size of the image.

    As in the random crops of W. Liu et al., "SSD: single shot multibox detector", ECCV 2016,
    section 2.2, but around an object that is drawn instead of by trial.

    Args:
        boxes: Boxes of the image, shape (M, 6); without any, the crop is anywhere.
        size: Width and height of the image in pixels.
        draws: Random numbers.

    Returns:
        The map of the image.
    """
    present = boxes[boxes[:, form.CLASS] >= 0]
    share = draws.between(_LEAST_CROP, 1.0)
    ratio = _RATIO ** draws.around(0.5)
    fractions = min(1.0, share * ratio), min(1.0, share / ratio)
    chosen = present[draws.below(len(present))] if len(present) else None
    scales, shifts = [], []
    for axis in range(2):
        side, length = size[axis], size[axis] * fractions[axis]
        low, high = 0.0, 0.0
        if chosen is not None:
            low, high = float(chosen[form.LEFT + axis]), float(chosen[form.RIGHT + axis])
            length = min(side, max(length, high - low))
            start = draws.between(max(0.0, high - length), min(low, side - length))
        else:
            start = draws.between(0.0, side - length)
        scales.append(length / side)
        shifts.append(start + length / 2 - side / 2)
    return (scales[0], 0.0, shifts[0], 0.0, scales[1], shifts[1])


Read = Callable[[NDArray[np.int64]], tuple[Pixels, Boxes]]
"""Returns copies of the images and boxes of rows."""
MOSAIC_PARTS: Final = 4
_FULL: Final = 95
"""Percentile of the boxes of an image for which mosaics have room."""
_MIDDLE: Final = (0.3, 0.7)
"""Range of the corner that the four images of a mosaic share, as a share of each side."""
_ENLARGED: Final = 1.5
"""Most that an image is larger than its part of a mosaic needs."""


def mosaic_places(counts: NDArray[np.int32]) -> int:
    """Return the maximum number of boxes of a mosaic: those of four images, except very full ones.

    Args:
        counts: Boxes of each class in each image, shape (n, K).
    """
    boxes = counts.sum(axis=1)
    if not len(boxes):
        return 1
    likely = MOSAIC_PARTS * math.ceil(float(np.percentile(boxes, _FULL)))
    return min(form.MAX_BOXES, max(1, int(boxes.max()), likely))


_OPENCV_CHANNELS: Final = 4
"""Channels that OpenCV resamples at once."""


def _shrunk(image: Pixels, matrix: Floats, size: tuple[int, int]) -> Pixels:
    """Resample an image by a map that counts from the middle of the first pixel.

    Args:
        image: Shape (height, width, channels).
        matrix: The map, shape (2, 3).
        size: Width and height of the result.
    """
    parts = [
        cv2.warpAffine(
            np.ascontiguousarray(image[..., start : start + _OPENCV_CHANNELS]),
            matrix,
            size,
            flags=cv2.INTER_AREA | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ).reshape(size[1], size[0], -1)
        for start in range(0, image.shape[2], _OPENCV_CHANNELS)
    ]
    return np.concatenate(parts, axis=2)


def mosaic(
    images: Pixels, boxes: Boxes, draws: Draws, places: int, least_visible: float
) -> tuple[Pixels, Boxes]:
    """Put four images together to one of the same size.

    After A. Bochkovskiy et al., "YOLOv4", arXiv:2004.10934, section 3.3: the images meet at a
    random point; each is shrunk to about its part, and cut at its border.

    Args:
        images: Shape (4, height, width, channels).
        boxes: Their boxes, shape (4, M, 6).
        draws: Random numbers.
        places: Boxes that are kept, the largest first.
        least_visible: Boxes are dropped of whose area less than that share is left.

    Returns:
        Shape (height, width, channels), and boxes, shape (places, 6).
    """
    height, width = images.shape[1:3]
    x, y = (round(side * draws.between(*_MIDDLE)) for side in (width, height))
    result = np.empty_like(images[0])
    found = []
    windows = ((0, 0, x, y), (x, 0, width, y), (0, y, x, height), (x, y, width, height))
    for image, own, (left, top, right, bottom) in zip(images, boxes, windows, strict=True):
        wide, high = right - left, bottom - top
        scale = max(wide / width, high / height) * draws.between(1.0, _ENLARGED)
        scale = min(scale, 1.0)
        # The part of the image that is shown, in its own pixels.
        across, down = (
            draws.unit() * (width - wide / scale),
            draws.unit() * (height - high / scale),
        )
        matrix = np.array([[1 / scale, 0, across], [0, 1 / scale, down]])
        # Places count from the middle of the first pixel.
        matrix[:, 2] += 0.5 / scale - 0.5
        shown = _shrunk(image, matrix, (wide, high))
        result[top:bottom, left:right] = shown
        sides = own[:, form.LEFT : form.BOTTOM + 1].astype(np.float64)
        sides = (sides - (across, down, across, down)) * scale + (left, top, left, top)
        clip_boxes(own, sides, (left, top, right, bottom), least_visible)
        found.append(own[own[:, form.CLASS] >= 0])
    together = np.concatenate(found)
    if len(together) > places:
        order = np.argsort(-form.areas(together[:, form.LEFT : form.BOTTOM + 1]), kind="stable")
        together = together[np.sort(order[:places])]
    return result, form.padded(together, places)
