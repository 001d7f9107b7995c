"""Ways to spoil images, each by a strength, as cameras, networks and people do it.

Close to Hendrycks and Dietterich, "Benchmarking neural network robustness to common corruptions",
ICLR 2019, arXiv:1903.12261, with strengths that do not depend on the size of the images.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from studio.engine.datasets.augment.affine import rotation
from studio.engine.datasets.augment.steps import to_picture, to_pixels, warped
from studio.engine.evaluation.report import Corruption

Pixels = NDArray[np.uint8]
Spoil = Callable[[Pixels, float, np.random.Generator], Pixels]
_GRAY = 128


@dataclass(frozen=True, slots=True)
class CorruptionKind:
    """One way.

    Attributes:
        name: As in reports.
        unit: Of the strength, short.
        none: The strength that changes nothing.
        strengths: The others, from there.
        spoil: Gives a new image of the same shape, uint8, (height, width, channels).
    """

    name: Corruption
    unit: str
    none: float
    strengths: tuple[float, ...]
    spoil: Spoil


def _blur(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    radius = strength / 100 * min(image.shape[:2])
    return to_pixels(to_picture(image).filter(ImageFilter.GaussianBlur(radius)))


def _noise(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    return _levels(image + random.normal(0.0, strength, image.shape))


def _jpeg(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    data = io.BytesIO()
    to_picture(image).save(data, "JPEG", quality=round(strength))
    with Image.open(data) as picture:
        return to_pixels(picture)


def _brightness(image: Pixels, strength: float, _random: np.random.Generator) -> Pixels:
    return _levels(image * (1 + strength / 100))


def _rotation(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    side = 1 if random.integers(2) else -1
    return warped(image, rotation(side * strength), "reflect")


def _occlusion(image: Pixels, strength: float, random: np.random.Generator) -> Pixels:
    height, width = image.shape[:2]
    share = (strength / 100) ** 0.5
    down, across = round(height * share), round(width * share)
    top, left = random.integers(height - down + 1), random.integers(width - across + 1)
    covered = image.copy()
    covered[top : top + down, left : left + across] = _GRAY
    return covered


CORRUPTIONS: tuple[CorruptionKind, ...] = (
    CorruptionKind("blur", "% of the side", 0, (1, 2, 4, 6, 8), _blur),
    CorruptionKind("noise", "levels", 0, (8, 16, 32, 48, 64), _noise),
    CorruptionKind("jpeg", "quality", 100, (80, 50, 30, 15, 5), _jpeg),
    CorruptionKind("brightness", "%", 0, (-75, -50, -25, 25, 50, 75), _brightness),
    CorruptionKind("rotation", "°", 0, (5, 10, 20, 30, 45), _rotation),
    CorruptionKind("occlusion", "% of the area", 0, (5, 10, 20, 30, 50), _occlusion),
)


def spoiled(
    images: Pixels, kind: CorruptionKind, strength: float, seeds: NDArray[np.int64]
) -> Pixels:
    """A batch of spoiled images.

    Args:
        images: uint8, shape (n, height, width, channels).
        kind: In which way.
        strength: How much.
        seeds: One of each image, so that chance is the same at every time, n.
    """
    if strength == kind.none:
        return images
    return np.stack(
        [
            kind.spoil(image, strength, np.random.default_rng(seed))
            for image, seed in zip(images, seeds.tolist(), strict=True)
        ]
    )


def _levels(values: NDArray[np.floating]) -> Pixels:
    levels: Pixels = np.rint(np.clip(values, 0, 255)).astype(np.uint8)
    return levels
