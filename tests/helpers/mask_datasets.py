"""Datasets of masks: squares and discs on noise, with the exact class of each pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import do_here
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import first_task
from studio.engine.tasks.outputs import PIXELS
from studio.engine.workspace import Workspace

NAMES = ("background", "square", "disc")
SIDE = 32
IGNORED = 255


def shapes(
    count: int, side: int = SIDE, seed: int = 0, ignored: float = 0.0
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return images, uint8, shape (count, side, side, 3), and masks, shape (count, side, side).

    Args:
        count: How many.
        side: Of the images, in pixels.
        seed: Of what is drawn.
        ignored: Share of the pixels that belong to no class.
    """
    random = np.random.default_rng(seed)
    images = random.integers(150, 220, (count, side, side, 3), np.uint8)
    masks = np.zeros((count, side, side), np.uint8)
    rows, columns = np.mgrid[:side, :side]
    for image, mask in zip(images, masks, strict=True):
        for kind, color in ((1, (200, 40, 40)), (2, (40, 60, 200))):
            if random.random() < 0.8:
                size = int(random.integers(side // 6, side // 3))
                y, x = random.integers(size, side - size, 2)
                inside = (abs(rows - y) <= size) & (abs(columns - x) <= size)
                if kind == 2:
                    inside = (rows - y) ** 2 + (columns - x) ** 2 <= size**2
                image[inside] = color
                mask[inside] = kind
    masks[random.random(masks.shape) < ignored] = IGNORED
    return images, masks


def write_masks(folder: Path, images: NDArray[np.uint8], masks: NDArray[np.uint8]) -> Path:
    """Write images and masks of class indexes into folders beside each other."""
    for name, pictures in (("images", images), ("masks", masks)):
        (folder / name).mkdir(parents=True)
        for at, pixels in enumerate(pictures):
            Image.fromarray(pixels).save(folder / name / f"{at:04}.png")
    return folder


def mask_recipe(
    folder: Path, width: int = SIDE, height: int = SIDE, **values: object
) -> DatasetRecipe:
    """Return a recipe for folders of `write_masks`: half train, a quarter validates, one tests."""
    fields: dict[str, object] = {
        "task": first_task(PIXELS).name,
        "source": str(folder),
        "width": width,
        "height": height,
        "class_names": list(NAMES),
        "val_percent": 25.0,
        "test_percent": 25.0,
    }
    return DatasetRecipe.parse(fields | values)


def import_shapes(workspace: Workspace, folder: Path, count: int, **values: float) -> Job:
    """Import squares and discs, see `shapes`, as the dataset `masks`."""
    images, masks = shapes(count, **values)  # type: ignore[arg-type]  # sizes and fractions
    side = images.shape[1]
    job = do_here(workspace, mask_recipe(write_masks(folder, images, masks), side, side), "masks")
    assert job.history.state == State.COMPLETED, job.history.detail
    return job
