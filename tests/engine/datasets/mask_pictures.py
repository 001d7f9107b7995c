"""Folders of pictures with masks, made on the spot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress, SilentProgress

Pixels = NDArray[np.uint8]


def squares(
    seed: int, width: int = 16, height: int = 16, classes: int = 3
) -> tuple[Pixels, Pixels]:
    """A picture with a square of each class but the first, and its mask.

    Red says the class: 60 for each. Returns height x width x 3, and height x width.
    """
    random = np.random.default_rng(seed)
    mask = np.zeros((height, width), np.uint8)
    for label in range(1, classes):
        top, left = random.integers(0, height - 4), random.integers(0, width - 4)
        mask[top : top + 4, left : left + 4] = label
    picture = np.stack([60 * mask, random.integers(0, 256, mask.shape, np.uint8), mask], axis=2)
    return picture.astype(np.uint8), mask


def save(pixels: Pixels, path: Path, palette: list[int] | None = None) -> None:
    """Write a picture, with a palette if one is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(pixels)
    if palette is not None:
        image = image.convert("P")
        image.putdata(pixels.ravel().tolist())
        image.putpalette(palette)
    image.save(path)


def mask_folders(root: Path, count: int = 10, **sizes: int) -> Path:
    """Write `images/000.png` … and `masks/000.png` … with class indexes."""
    for index in range(count):
        picture, mask = squares(index, **sizes)
        save(picture, root / "images" / f"{index:03}.png")
        save(mask, root / "masks" / f"{index:03}.png")
    return root


def mask_recipe(source: Path, **values: object) -> DatasetRecipe:
    fields = {"source": str(source), "task": "segmentation", "width": 16, "height": 16}
    return DatasetRecipe.parse(fields | values)


def imported(recipe: DatasetRecipe, folder: Path, progress: Progress | None = None) -> Store:
    folder.mkdir(exist_ok=True)
    import_dataset(recipe, folder, progress or SilentProgress())
    return Store.open(folder)
