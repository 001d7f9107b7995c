"""Datasets of masks: squares and discs on noise, with the exact class of each pixel."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import do_here
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME
from studio.engine.datasets.store import MASKS_NAME, Store
from studio.engine.datasets.summary import SUMMARY_NAME
from studio.engine.datasets.writer import TARGETS_NAME
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import first_task
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


def import_masks(
    workspace: Workspace,
    folder: Path,
    images: NDArray[np.uint8],
    masks: NDArray[np.uint8],
    name: str = "masks",
    names: tuple[str, ...] = NAMES,
) -> Job:
    """Make a dataset of masks: half of the images train, a quarter validates, a quarter tests."""
    (folder / "pictures").mkdir(parents=True)
    counts = np.stack([(masks == at).sum(axis=(1, 2)) for at in range(len(names))], axis=1)
    with (folder / "counts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["image", *names])
        for at, image in enumerate(images):
            Image.fromarray(image).save(folder / "pictures" / f"{at:04}.png")
            writer.writerow([f"{at:04}.png", *counts[at]])
    height, width = masks.shape[1:]
    recipe = DatasetRecipe.parse(
        {
            "task": "regression",
            "source": str(folder / "counts.csv"),
            "path_prefix": str(folder / "pictures"),
            "width": width,
            "height": height,
            "val_percent": 25.0,
            "test_percent": 25.0,
        }
    )
    job = do_here(workspace, recipe, name)
    assert job.history.state == State.COMPLETED, job.history.detail
    record = job.record.folder
    order = [int(Path(path).stem) for path in Store.open(record).paths]
    np.save(record / MASKS_NAME, masks[order])
    np.save(record / TARGETS_NAME, counts[order].astype(np.int32))
    task = first_task(has_masks=True).name
    for path in (record / SUMMARY_NAME, record / "plan.json"):
        data = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(data | {"task": task}), "utf-8")
    with h5py.File(record / FILE_NAME, "r+") as file:
        data = json.loads(file.attrs["recipe"])
        file.attrs["recipe"] = json.dumps(data | {"task": task})
    return job
