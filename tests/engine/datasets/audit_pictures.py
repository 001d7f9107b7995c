"""Pictures that look like something, and copies of them of which a test knows."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Pixels = NDArray[np.uint8]


def scene(seed: int, size: int = 48) -> Pixels:
    """Colored shapes on a shaded ground, with a little noise; every seed another."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size] / size
    slope = random.normal(0, 60, (2, 3))
    image = random.uniform(60, 190, 3) + x[..., None] * slope[0] + y[..., None] * slope[1]
    for _ in range(9):
        across, down = random.uniform(0, 1, 2)
        wide, high = random.uniform(0.06, 0.3, 2)
        turn = random.uniform(0, np.pi)
        u = (x - across) * np.cos(turn) + (y - down) * np.sin(turn)
        v = (y - down) * np.cos(turn) - (x - across) * np.sin(turn)
        inside = (u / wide) ** 2 + (v / high) ** 2 < 1
        image[inside] = random.uniform(10, 245, 3) + random.normal(0, 4)
    image += random.normal(0, 3, image.shape)
    pixels: Pixels = np.clip(image, 0, 255).astype(np.uint8)
    return pixels


def compressed(pixels: Pixels, quality: int = 60) -> Pixels:
    data = BytesIO()
    Image.fromarray(pixels).save(data, "JPEG", quality=quality)
    return np.asarray(Image.open(data))


def cropped(pixels: Pixels, share: float = 0.03) -> Pixels:
    """Without a margin of that share on two sides, at the old size."""
    height, width = pixels.shape[:2]
    box = (width * share, height * share, width, height)
    image = Image.fromarray(pixels)
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR, box=box))


def brighter(pixels: Pixels, factor: float = 1.15, shift: float = 12.0) -> Pixels:
    result: Pixels = np.clip(pixels * factor + shift, 0, 255).astype(np.uint8)
    return result


def blurred(pixels: Pixels, radius: float = 5.0) -> Pixels:
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(radius)))


def darker(pixels: Pixels) -> Pixels:
    return (pixels // 8).astype(np.uint8)


def paler(pixels: Pixels) -> Pixels:
    return (255 - pixels // 8).astype(np.uint8)
