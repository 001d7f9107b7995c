"""Objects read and objects reported are together those of the files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from dataset_pictures import class_folders, recipe
from PIL import Image

from helpers.box_datasets import box_recipe
from studio.engine.datasets.gather import parts_of, scan_parts
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.progress import SilentProgress

SILENT = SilentProgress()


def coco(folder: Path, boxes: dict[str, list[list[float]]], stated: dict[str, int]) -> Path:
    """Write pictures of 64 x 32 pixels and a COCO file; `stated` has other widths."""
    folder.mkdir()
    images: list[dict[str, object]] = []
    annotations: list[dict[str, object]] = []
    for number, (name, rows) in enumerate(boxes.items()):
        Image.new("RGB", (64, 32), (number, 9, 9)).save(folder / name)
        width = stated.get(name, 64)
        images.append({"id": number, "file_name": name, "width": width, "height": 32})
        annotations += [
            {"id": len(annotations) + at, "image_id": number, "category_id": 1, "bbox": row}
            for at, row in enumerate(rows)
        ]
    document = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": "nut"}],
    }
    (folder / "boxes.json").write_text(json.dumps(document))
    return folder


def test_objects_that_are_lost_with_their_image_are_counted(tmp_path: Path) -> None:
    rows: list[list[float]] = [[2.0, 2, 5, 5], [9, 9, 5, 5], [90, 2, 5, 5]]
    names = ["fine.png", "broken.png", "other.png", "cut.png"]
    boxes: dict[str, list[list[float]]] = {name: [*rows] for name in names}
    boxes["cut.png"] = [[0.0, 2, 9, 9], [20, 2, 20, 20]]
    folder = coco(tmp_path / "in", boxes, {"other.png": 65})
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    asked = box_recipe(folder, side=32, resize="crop", val_percent=0, test_percent=0)

    import_dataset(asked, tmp_path / "out", SILENT)

    store = Store.open(tmp_path / "out")
    read = int((store.required_regions[np.flatnonzero(store.split >= 0)][..., 0] >= 0).sum())
    left_out = {(each.path, each.objects) for each in read_skipped(tmp_path / "out")}
    assert left_out == {
        ("broken.png", 3),
        ("other.png", 3),
        ("fine.png", 1),
        ("fine.png", 2),
        ("cut.png", 1),
    }
    assert read + sum(count for _, count in left_out) == sum(map(len, boxes.values()))


def test_objects_that_no_tile_shows_are_reported_once(tmp_path: Path) -> None:
    at_the_edge = [24.0, 2, 16, 8]  # half of it is in each of two tiles
    inside = [4.0, 4, 9, 9]
    in_both = [20.0, 15, 16, 9]  # three quarters are in one tile
    folder = coco(
        tmp_path / "in", {"a.png": [at_the_edge, inside, in_both], "b.png": [at_the_edge]}, {}
    )
    fields = {"tile_size": 32, "tile_overlap": 0, "least_visible": 0.7, "keep_empty": False}
    asked = box_recipe(folder, side=32, val_percent=0, test_percent=0, **fields)

    import_dataset(asked, tmp_path / "out", SILENT)

    left_out = [each for each in read_skipped(tmp_path / "out") if each.objects]
    assert [(each.path, each.objects) for each in left_out] == [("a.png", 1), ("b.png", 1)]
    assert left_out[0].reason == "left out an object that no tile shows enough of"


def test_warnings_of_several_sources_name_their_source(tmp_path: Path) -> None:
    one = class_folders(tmp_path / "one", {"a": 2, "b": 2, "empty": 0})
    two = class_folders(tmp_path / "two", {"a": 2, "b": 2, "void": 0})
    sentence = "Folders without images: 1 ({}). They are no classes."

    alone = recipe(one)
    assert scan_parts(parts_of(alone), alone, SILENT).warnings == [sentence.format("empty")]
    both = recipe(one, more_sources=[str(two)])
    assert scan_parts(parts_of(both), both, SILENT).warnings == [
        f"{one.as_posix()}: {sentence.format('empty')}",
        f"{two.as_posix()}: {sentence.format('void')}",
    ]
