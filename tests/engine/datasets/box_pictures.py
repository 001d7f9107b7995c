"""Folders of pictures with boxes, made on the spot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from mask_pictures import save
from numpy.typing import NDArray

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress, SilentProgress

Boxes = NDArray[np.float32]
NAMES = ("cell", "dot", "Ünï code")


def blocks(
    seed: int, width: int = 32, height: int = 32, classes: int = 3, most: int = 4
) -> tuple[NDArray[np.uint8], Boxes]:
    """A picture with blocks that do not touch, and their boxes.

    Red says the class: 80 for the first, 160 for the second … Every fifth picture has none.
    """
    random = np.random.default_rng(seed)
    picture = random.integers(0, 40, (height, width, 3), np.uint8)
    picture[..., 0] = 0
    boxes: list[list[float]] = []
    for _ in range(0 if seed % 5 == 4 else most):
        wide, high = random.integers(3, 9, 2)
        left, top = random.integers(0, width - wide), random.integers(0, height - high)
        around = picture[max(0, top - 1) : top + high + 1, max(0, left - 1) : left + wide + 1, 0]
        if not around.any():
            label = int(random.integers(0, classes))
            picture[top : top + high, left : left + wide, 0] = 80 * (label + 1)
            boxes.append([label, left, top, left + wide, top + high, 0])
    return picture, np.array(boxes, np.float32).reshape(-1, 6)


def coco_document(
    boxes: Sequence[Boxes], names: Sequence[str] = NAMES, size: tuple[int, int] = (32, 32)
) -> dict[str, object]:
    """The boxes of `000.png` … in the form of COCO."""
    annotations = [
        {
            "id": 1000 * index + number,
            "image_id": index,
            "category_id": int(box[0]) + 1,
            "bbox": [box[1], box[2], box[3] - box[1], box[4] - box[2]],
            "iscrowd": int(box[5] == 2),
            "ignore": int(box[5] == 1),
        }
        for index, each in enumerate(boxes)
        for number, box in enumerate(each.tolist())
    ]
    return {
        "images": [
            {"id": index, "file_name": f"{index:03}.png", "width": size[0], "height": size[1]}
            for index in range(len(boxes))
        ],
        "annotations": annotations,
        "categories": [{"id": number, "name": name} for number, name in enumerate(names, 1)],
    }


def box_folder(
    root: Path,
    count: int = 10,
    *,
    width: int = 32,
    height: int = 32,
    names: Sequence[str] = NAMES,
    most: int = 4,
) -> Path:
    """Write `images/000.png` … and `annotations.json`."""
    found = [blocks(index, width, height, len(names), most) for index in range(count)]
    for index, (picture, _) in enumerate(found):
        save(picture, root / "images" / f"{index:03}.png")
    document = coco_document([boxes for _, boxes in found], names, (width, height))
    (root / "annotations.json").write_text(json.dumps(document), encoding="utf-8")
    return root


def box_recipe(source: Path, **values: object) -> DatasetRecipe:
    fields = {"source": str(source), "task": "detection", "width": 32, "height": 32}
    return DatasetRecipe.parse(fields | values)


def imported(recipe: DatasetRecipe, folder: Path, progress: Progress | None = None) -> Store:
    folder.mkdir(exist_ok=True)
    import_dataset(recipe, folder, progress or SilentProgress())
    return Store.open(folder)


def agrees(store: Store) -> bool:
    """True if in every row the boxes are around all blocks, of the class that their red tells."""
    return all(
        np.array_equal(
            _painted(store.required_regions[row], store.shape), store.images[row][..., 0]
        )
        for row in np.flatnonzero(store.split >= 0).tolist()
    )


def _painted(boxes: Boxes, shape: tuple[int, int, int]) -> NDArray[np.uint8]:
    red = np.zeros(shape[:2], np.uint8)
    for label, left, top, right, bottom in boxes[boxes[:, 0] >= 0, :5].astype(int).tolist():
        red[top:bottom, left:right] = 80 * (label + 1)
    return red
