"""Defects that are drawn on good images, to choose a method without real ones.

As in C.-L. Li, K. Sohn, J. Yoon, T. Pfister, "CutPaste: self-supervised learning for anomaly
detection and localization", CVPR 2021: a part moved elsewhere, a scar; and a patch of noise.
"""

from __future__ import annotations

import math
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

_AREA: Final = (0.005, 0.05)
"""Smallest and largest fraction of the image that a moved part covers."""
_ASPECT: Final = 3.3
_CONTRAST: Final = (0.1, 0.28)
"""Differences of scars from their image, in parts of the range of values."""

Image = NDArray[Any]
"""Shape (height, width, channels)."""


def with_defects(
    image: Image, random: np.random.Generator, limits: tuple[float, float]
) -> list[Image]:
    """Return three copies of an image: with a moved part, a scar, and a patch of noise.

    Args:
        image: A good image.
        random: Draws places, sizes and contrasts.
        limits: Lowest and highest value of a pixel.
    """
    low, high = limits[0], limits[1] - limits[0]
    exact = image.astype(np.float32) - np.float32(low)
    drawn = (_moved(exact, random, high), _scar(exact, random, high), _noise(exact, random, high))
    inside = (np.clip(each, 0, high) + low for each in drawn)
    return [
        (each if image.dtype.kind == "f" else np.rint(each)).astype(image.dtype) for each in inside
    ]


def _moved(image: Image, random: np.random.Generator, high: float) -> Image:
    """Copy a rectangle to another place, with another brightness."""
    height, width = image.shape[:2]
    area = random.uniform(*_AREA) * height * width
    ratio = math.exp(random.uniform(-math.log(_ASPECT), math.log(_ASPECT)))
    tall = int(np.clip(math.sqrt(area * ratio), 2, height - 1))
    wide = int(np.clip(math.sqrt(area / ratio), 2, width - 1))
    (top, to_top), (left, to_left) = (
        random.integers(0, side, 2) for side in (height - tall + 1, width - wide + 1)
    )
    part = image[top : top + tall, left : left + wide]
    part = part * random.uniform(0.7, 1.3) + random.uniform(-0.08, 0.08) * high
    changed = image.copy()
    changed[to_top : to_top + tall, to_left : to_left + wide] = part[::-1]
    return changed


def _scar(image: Image, random: np.random.Generator, high: float) -> Image:
    """Draw a bent line that is brighter or darker."""
    height, width = image.shape[:2]
    side = min(height, width)
    at, turn = random.uniform(0.1, 0.9, 2) * (width, height), random.uniform(0, 2 * math.pi)
    points = [at]
    for _ in range(int(random.integers(3, 7))):
        turn += random.normal(0, 0.5)
        length = random.uniform(0.03, 0.08) * side
        at = at + length * np.array([math.cos(turn), math.sin(turn)])
        points.append(at)
    cover: Image = np.zeros((height, width), np.float32)
    thickness = max(1, round(random.uniform(0.005, 0.025) * side))
    cv2.polylines(cover, [np.rint(points).astype(np.int32)], False, 1.0, thickness)
    cover = cv2.GaussianBlur(cover, (0, 0), 0.8)
    color = image.mean() + random.choice([-1, 1]) * random.uniform(*_CONTRAST) * high
    return _blended(image, np.full_like(image, color), cover)


def _noise(image: Image, random: np.random.Generator, high: float) -> Image:
    """Change the brightness of an ellipse, perhaps with noise."""
    height, width = image.shape[:2]
    radii = np.maximum(random.uniform(0.04, 0.11, 2) * (height, width), 1.0)
    center = random.uniform(0.15, 0.85, 2) * (height, width)
    rows, columns = np.ogrid[:height, :width]
    inside = ((rows - center[0]) / radii[0]) ** 2 + ((columns - center[1]) / radii[1]) ** 2 < 1
    cover = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 1.0)
    grain = random.normal(0, 0.1 * high, (height, width, 1)) if random.random() < 0.5 else 0.0
    shift = random.choice([-1, 1]) * random.uniform(0.06, 0.24) * high
    return _blended(image, image + (grain + shift), cover)


def _blended(image: Image, other: Image, cover: Image) -> Image:
    alpha = cover[..., None]
    blended: Image = image * (1 - alpha) + other * alpha
    return blended
