"""Datasets of boxes: squares and discs on noise, with exact boxes in text files of YOLO."""

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
from studio.engine.tasks.outputs import POSITIONS
from studio.engine.workspace import Workspace

NAMES = ("square", "disc")
SIDE = 64
Boxes = NDArray[np.float32]


def shapes(count: int, side: int = SIDE, seed: int = 0) -> tuple[NDArray[np.uint8], list[Boxes]]:
    """Return images, uint8, shape (count, side, side, 3), and the boxes of each.

    Boxes are class, left, top, right, bottom in pixels and 0; one in six images has none.

    Args:
        count: How many.
        side: Of the images, in pixels.
        seed: Of what is drawn.
    """
    random = np.random.default_rng(seed)
    images = random.integers(150, 220, (count, side, side, 3), np.uint8)
    rows, columns = np.mgrid[:side, :side]
    found = []
    for at, image in enumerate(images):
        boxes = []
        for _ in range(0 if at % 6 == 5 else int(random.integers(1, 4))):
            kind, half = int(random.integers(2)), int(random.integers(side // 12, side // 5))
            y, x = random.integers(half + 1, side - half - 1, 2).tolist()
            inside = (abs(rows - y) <= half) & (abs(columns - x) <= half)
            if kind == 1:
                inside = (rows - y) ** 2 + (columns - x) ** 2 <= half**2
            image[inside] = (200, 40, 40) if kind == 0 else (40, 60, 200)
            boxes.append([kind, x - half, y - half, x + half + 1, y + half + 1, 0])
        found.append(np.array(boxes, np.float32).reshape(-1, 6))
    return images, found


def write_boxes(folder: Path, images: NDArray[np.uint8], boxes: list[Boxes]) -> Path:
    """Write images and boxes as YOLO does: `images`, `labels` and `data.yaml`."""
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True)
    side = images.shape[1]
    for at, (pixels, rows) in enumerate(zip(images, boxes, strict=True)):
        Image.fromarray(pixels).save(folder / "images" / f"{at:04}.png")
        lines = [
            f"{int(label)} {(left + right) / 2 / side} {(top + bottom) / 2 / side} "
            f"{(right - left) / side} {(bottom - top) / side}\n"
            for label, left, top, right, bottom, _ in rows.tolist()
        ]
        (folder / "labels" / f"{at:04}.txt").write_text("".join(lines), "utf-8")
    names = ", ".join(NAMES)
    (folder / "data.yaml").write_text(f"train: images\nnc: 2\nnames: [{names}]\n", "utf-8")
    return folder


def box_recipe(folder: Path, side: int = SIDE, **values: object) -> DatasetRecipe:
    """Return a recipe for folders of `write_boxes`: half train, a quarter validates, one tests."""
    fields: dict[str, object] = {
        "task": first_task(POSITIONS).name,
        "source": str(folder),
        "width": side,
        "height": side,
        "val_percent": 25.0,
        "test_percent": 25.0,
    }
    return DatasetRecipe.parse(fields | values)


def import_shapes(workspace: Workspace, folder: Path, count: int, side: int = SIDE) -> Job:
    """Import squares and discs, see `shapes`, as the dataset `boxes`."""
    images, boxes = shapes(count, side)
    job = do_here(workspace, box_recipe(write_boxes(folder, images, boxes), side), "boxes")
    assert job.history.state == State.COMPLETED, job.history.detail
    return job
