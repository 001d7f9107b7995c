"""Small folders of real picture files, quickly made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from studio.engine.datasets.recipe import DatasetRecipe


def picture_folder(root: Path, per_class: int = 6, classes: tuple[str, ...] = ("a", "b")) -> Path:
    """Gray noise, 8x8; the classes differ in brightness, so that they can be learned."""
    random = np.random.default_rng(0)
    for index, name in enumerate(classes):
        (root / name).mkdir(parents=True)
        for number in range(per_class):
            low = 200 * index // max(1, len(classes) - 1)
            pixels = random.integers(low, low + 55, (8, 8), np.uint8)
            Image.fromarray(pixels).save(root / name / f"{number:03}.png")
    return root


def small_recipe(source: Path, **values: object) -> DatasetRecipe:
    """A recipe for `picture_folder`."""
    fixed = {"source": str(source), "width": 8, "height": 8, "color": "gray"}
    return DatasetRecipe.parse({**fixed, "val_percent": 20, "test_percent": 0, **values})
