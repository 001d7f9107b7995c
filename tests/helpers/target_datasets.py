"""Small picture folders for every task: colored squares; which, how much, and whether red."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.tasks import TASKS

COLORS = ("red", "green", "blue")
SIDE = 24
BOX_SIDE = 32
"""Of the images of a dataset of boxes: the smallest that a network takes."""


def squares(folder: Path, count: int, seed: int = 0) -> dict[str, Path]:
    """Write pictures, and a table for each task beside them, or a folder of masks.

    Args:
        folder: Made here.
        count: Number of pictures.
        seed: Of what is drawn.

    Returns:
        The tables by the names of their tasks; the masks as that of segmentation, good
        pictures beside red ones as that of anomaly detection, and label images as that of
        instance segmentation.
    """
    random = np.random.default_rng(seed)
    for kind in ("pictures", "masks"):
        (folder / kind).mkdir(parents=True)
    labels: list[tuple[str, ...]] = []
    numbers: list[tuple[str, ...]] = []
    angles: list[tuple[str, ...]] = []
    classes: list[tuple[str, ...]] = []
    boxes: list[tuple[str, ...]] = []
    objects: list[tuple[str, ...]] = [("labels", "number", "class")]
    for index in range(count):
        pixels = np.full((SIDE, SIDE, 3), 255, np.uint8)
        mask, numbers_in = np.zeros((SIDE, SIDE), np.uint8), np.zeros((SIDE, SIDE), np.uint8)
        name = f"{index:04}.png"
        shown = random.random(3) < (0.6, 0.5, 0.3)
        for channel in np.flatnonzero(shown):
            for _ in range(int(random.integers(1, 3))):
                size = int(random.integers(4, 9))
                top, left = random.integers(0, SIDE - size, 2)
                pixels[top : top + size, left : left + size] = 0
                pixels[top : top + size, left : left + size, channel] = 230
                mask[top : top + size, left : left + size] = channel + 1
                numbers_in[top : top + size, left : left + size] = numbers_in.max() + 1
                objects.append((f"labels/{name}", str(numbers_in.max()), COLORS[channel]))
                sides = left, top, left + size, top + size
                boxes.append((name, COLORS[channel], *map(str, sides)))
        if not shown.any():
            boxes.append((name, "", "", "", "", ""))
        Image.fromarray(pixels).save(folder / "pictures" / name)
        Image.fromarray(mask).save(folder / "masks" / name)
        _save_as_defect(folder / "anomaly", name, pixels, mask == 1)
        _save_as_objects(folder / "instances", name, pixels, numbers_in)
        given = [color for color, there in zip(COLORS, shown, strict=True) if there]
        ink = float((pixels.min(axis=2) < 128).mean())
        labels.append((name, ";".join(given)))
        classes.append((name, "red" if shown[0] else "no red"))
        angles.append((name, str(90 * int(shown[0]) + 45 * int(shown[1]))))
        numbers.append((name, f"{100 * ink:.3f}", str(int(shown.sum())), "a remark"))
    tables: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]] = {
        "classification": (("image", "class"), classes),
        "multi_label": (("image", "labels"), labels),
        "detection": (("path", "class", "left", "top", "right", "bottom"), boxes),
        "angle": (("image", "angle"), angles),
        "regression": (("image", "ink [%]", "colors", "remark"), numbers),
    }
    paths = {"segmentation": folder / "masks", "areas": folder / "masks"}
    paths |= {task: folder / task for task in ("anomaly", "instances")}
    _write_table(paths["instances"] / "objects.csv", objects)
    for task, (header, rows) in tables.items():
        paths[task] = folder / f"{task}.csv"
        _write_table(paths[task], [header, *rows])
    return paths


def _write_table(path: Path, rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _save_as_defect(
    folder: Path, name: str, pixels: NDArray[np.uint8], defect: NDArray[np.bool_]
) -> None:
    """Write a picture to the folder of its kind, and a mask of what is red."""
    kind = "red" if defect.any() else "good"
    places = {kind: pixels, f"masks/{kind}": np.uint8(255) * defect}
    for place, picture in places.items():
        if place != "masks/good":
            (folder / place).mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture).save(folder / place / name)


def _save_as_objects(
    folder: Path, name: str, pixels: NDArray[np.uint8], numbers: NDArray[np.uint8]
) -> None:
    """Write a picture and its label image."""
    for kind, picture in (("images", pixels), ("labels", numbers)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(folder / kind / name)


def target_recipe(tables: dict[str, Path], task: str, **values: object) -> DatasetRecipe:
    """Return the recipe of a dataset for a task."""
    pictures = str(tables[task].parent / "pictures")
    source: dict[str, object] = {"source": str(tables[task]), "path_prefix": pictures}
    if tables[task].name == task:
        source = {"source": str(tables[task])}
    elif tables[task].is_dir():
        names = ["background", *COLORS]
        source = {"source": pictures, "annotations": str(tables[task]), "class_names": names}
    elif TASKS[task].geometry.unit == "objects":
        source = {"source": pictures, "annotations": str(tables[task])}
    side = BOX_SIDE if TASKS[task].geometry.unit == "objects" else SIDE
    fields: dict[str, object] = source | {
        "task": task,
        "width": side,
        "height": side,
        "val_percent": 25.0,
        "test_percent": 25.0,
    }
    return DatasetRecipe.parse(fields | values)
