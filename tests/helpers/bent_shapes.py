"""Generated images of bent objects, which no star-convex outline covers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import values_of


def crescent(random: np.random.Generator, side: int) -> NDArray[np.bool_]:
    """Return a disc without another one that covers most of it."""
    y, x = np.mgrid[:side, :side] + 0.5
    radius = random.uniform(9, 13)
    at, angle = random.uniform(radius, side - radius, 2), random.uniform(0, 2 * np.pi)
    other = at + radius * 0.6 * np.array([np.cos(angle), np.sin(angle)])
    whole = (x - at[0]) ** 2 + (y - at[1]) ** 2 <= radius**2
    found: NDArray[np.bool_] = whole & (
        (x - other[0]) ** 2 + (y - other[1]) ** 2 > (0.8 * radius) ** 2
    )
    return found


def ring(random: np.random.Generator, side: int) -> NDArray[np.bool_]:
    """Return a disc with a round hole."""
    y, x = np.mgrid[:side, :side] + 0.5
    radius = random.uniform(8, 13)
    at = random.uniform(radius, side - radius, 2)
    away = np.hypot(x - at[0], y - at[1])
    found: NDArray[np.bool_] = (away <= radius) & (away > 0.62 * radius)
    return found


def worm(random: np.random.Generator, side: int) -> NDArray[np.bool_]:
    """Return a thick line that turns by half a circle."""
    y, x = np.mgrid[:side, :side] + 0.5
    found = np.zeros((side, side), np.bool_)
    at, heading = random.uniform(14, side - 14, 2), random.uniform(0, 2 * np.pi)
    turn = random.choice((-1, 1)) * random.uniform(0.12, 0.2)
    for _ in range(22):
        found |= (x - at[0]) ** 2 + (y - at[1]) ** 2 <= 2.6**2
        at = at + 1.6 * np.array([np.cos(heading), np.sin(heading)])
        heading += turn
    return found


SHAPES = (crescent, ring, worm)


def bent_image(
    random: np.random.Generator, side: int, count: int = 4
) -> tuple[NDArray[np.uint8], Instances]:
    """Draw an image of objects that may touch or be partly hidden.

    Args:
        random: Draws them.
        side: Side of the image.
        count: Objects that are drawn.

    Returns:
        Gray values, shape (side, side, 1), and the label image; of one class.
    """
    numbers = np.zeros((side, side), np.int32)
    gray = np.full((side, side), 40.0)
    for number in range(1, count + 1):
        mask = SHAPES[random.integers(len(SHAPES))](random, side)
        if (numbers[mask] > 0).mean() > 0.1:
            continue
        numbers[mask] = number
        gray[mask] = random.uniform(110, 200)
    gray += random.normal(0, 8, gray.shape)
    return np.clip(gray, 0, 255).astype(np.uint8)[..., None], values_of(numbers, 0)


def bent_images(
    seed: int, images: int, side: int = 64
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return images of bent objects and their label images.

    Args:
        seed: Draws them.
        images: Number of images.
        side: Side of each.
    """
    random = np.random.default_rng(seed)
    drawn = [bent_image(random, side) for _ in range(images)]
    return np.stack([each[0] for each in drawn]), np.stack([each[1] for each in drawn])


def write_bent_images(folder: Path, seed: int, images: int, side: int = 64) -> Path:
    """Write images beside label images of 16 bits, and return the folder.

    Args:
        folder: Gets the folders `images` and `labels`.
        seed: Draws them.
        images: Number of images.
        side: Side of each.
    """
    pixels, labels = bent_images(seed, images, side)
    for at, (image, label) in enumerate(zip(pixels, labels, strict=True)):
        for name, values in (("images", image[..., 0]), ("labels", label // 256)):
            (folder / name).mkdir(parents=True, exist_ok=True)
            kind = np.uint8 if name == "images" else np.uint16
            Image.fromarray(values.astype(kind)).save(folder / name / f"{at:03}.png")
    return folder
