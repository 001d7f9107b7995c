"""A preview says what the import of every layout then does, and writes nothing."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from box_pictures import NAMES, blocks
from dataset_pictures import class_folders, recipe
from mask_pictures import mask_folders, mask_recipe, save
from PIL import Image
from source_cases import CASES, Case, pictures

from helpers.box_datasets import box_recipe
from studio.engine.datasets.import_report import (
    ImportReport,
    left_out_groups,
    read_import,
    sample_rows,
)
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Skipped
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import default_colors
from studio.engine.tasks.detection.formats import WRITABLE as BOX_FORMATS
from studio.engine.tasks.segmentation.formats import WRITABLE as MASK_FORMATS

SILENT = SilentProgress()


def agreed(asked: DatasetRecipe, out: Path) -> ImportReport:
    """Return the preview of a recipe, which its import must equal."""
    preview = preview_import(asked, SILENT)
    assert not out.exists()
    assert import_dataset(asked, out, SILENT) == preview
    assert read_import(out) == preview
    return preview


@pytest.mark.parametrize("case", CASES, ids=str)
def test_classes(tmp_path: Path, case: Case) -> None:
    if case.source == "parquet":
        pytest.importorskip("pyarrow")
    path = case.make(tmp_path, pictures(["a", "b"], 5))
    found = agreed(recipe(path, width=32, height=32, seed=3), tmp_path / "out")
    assert found.format == case.source
    assert found.class_numbers == {"a": 5 * case.copies, "b": 5 * case.copies}
    assert found.file_pixels["dtype"] == "uint8"


def written_boxes(form: str, root: Path) -> Path:
    writer = BOX_FORMATS[form].writer(root, NAMES, default_colors(NAMES))
    for index in range(6):
        picture, boxes = blocks(index)
        split = "train" if index < 4 else "val"
        path = root / f"{writer.picture_path(f'{index:03}', split)}.png"
        save(picture, path)
        outside = np.array([[0, 100, 100, 110, 110, 0]], np.float32)
        boxes = np.concatenate([boxes, outside])
        writer.add(path.relative_to(root).as_posix(), split, boxes, (32, 32))
    writer.finish()
    return root


@pytest.mark.parametrize("form", BOX_FORMATS.names())
def test_boxes(tmp_path: Path, form: str) -> None:
    (tmp_path / "in").mkdir()
    folder = written_boxes(form, tmp_path / "in")
    found = agreed(box_recipe(folder, side=32, test_percent=0), tmp_path / "out")
    written = [blocks(index)[1] for index in range(6)]
    assert found.unit == "objects"
    assert sum(found.class_numbers.values()) == sum(map(len, written))
    (group,) = left_out_groups(found.skipped)
    assert (group.count, group.objects) == (6, 6)
    assert found.counts["val"] == 2
    assert str(found.splits.text) == ("lists" if form == "voc_boxes" else "folders")


@pytest.mark.parametrize("form", MASK_FORMATS.names())
def test_masks(tmp_path: Path, form: str) -> None:
    raw = import_dataset(mask_recipe(mask_folders(tmp_path / "raw")), tmp_path / "d", SILENT)
    names = raw.classes
    (tmp_path / "in").mkdir()
    writer = MASK_FORMATS[form].writer(tmp_path / "in", names, default_colors(names))
    total = np.zeros(len(names), int)
    for index in range(4):
        mask = np.zeros((16, 16), np.uint8)
        mask[: index + 1] = index % len(names)
        path = tmp_path / "in" / f"{writer.picture_path(f'{index:03}', 'train')}.png"
        save(np.full((16, 16, 3), index, np.uint8), path)
        writer.add(path.relative_to(tmp_path / "in").as_posix(), "train", mask, (16, 16))
        total += np.bincount(mask.ravel(), minlength=len(names))
    writer.finish()
    asked = mask_recipe(tmp_path / "in", val_percent=0, test_percent=0)
    found = agreed(asked, tmp_path / "out")
    assert found.unit == "pixels"
    numbers = [number for number in found.class_numbers.values() if number]
    assert sorted(numbers) == sorted(total.tolist())


@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_tables(tmp_path: Path, task: str) -> None:
    folder = class_folders(tmp_path / "in", {"a": 4, "b": 4})
    with (folder / "table.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["path", "split", "red" if task == "multi_label" else "mass", "blue"])
        for number, path in enumerate(sorted(folder.rglob("*.png"))):
            split = "test" if number == 7 else "train"
            value = number % 2 if task == "multi_label" else number / 3
            table.writerow([path.relative_to(folder).as_posix(), split, value, number // 4])
        table.writerow(["gone.png", "train", 1, 1])
    asked = DatasetRecipe.parse({"source": str(folder / "table.csv"), "task": task, "width": 8})
    found = agreed(asked, tmp_path / "out")
    assert found.counts["test"] == 1
    assert str(found.splits.text) == "table column; val random 20% (seed 0)"
    assert [entry.path for entry in found.skipped] == ["gone.png"]


def test_the_origin_of_random_splits(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 10, "b": 10})
    asked = recipe(folder, val_percent=20, test_percent=10, seed=7)
    found = preview_import(asked, SILENT)
    assert str(found.splits.text) == "random 70/20/10 (seed 7)"
    assert found.counts == {"train": 14, "val": 4, "test": 2}


def test_damaged_images_and_mixed_pixels_are_reported(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 4, "b": 4})
    (folder / "a" / "broken.png").write_bytes((folder / "a" / "image 0.png").read_bytes()[:60])
    deep = np.full((8, 8), 4000, np.uint16)
    deep[0, 0] = 300
    Image.fromarray(deep).save(folder / "b" / "deep.png")
    found = agreed(recipe(folder), tmp_path / "out")
    assert [entry.path for entry in found.skipped] == ["a/broken.png"]
    deepest = next(each for each in found.pixels if each.dtype == "uint16")
    assert (deepest.low, deepest.high, deepest.count) == (300, 4000, 1)
    assert ["uint16 pixels" in warning for warning in found.warnings] == [True, True]
    assert "from 300 to 4000" in found.warnings[0]
    assert "at most 16 gray levels remain" in found.warnings[0]


def test_unused_frames_and_ranges_that_are_stretched_are_reported(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 4, "b": 4})
    frames = [Image.new("L", (8, 8), 40 * number) for number in range(5)]
    for name in ("stack.tif", "film.gif", "film.webp", "film.png"):
        frames[0].save(folder / "a" / name, save_all=True, append_images=frames[1:])
    Image.fromarray(np.linspace(-2, 900, 64, dtype=np.float32).reshape(8, 8)).save(
        folder / "b" / "float.tif"
    )
    found = agreed(recipe(folder), tmp_path / "out")
    assert "4 files have several planes, pages or frames" in found.warnings[0]
    assert "float32 pixels from -2 to 900. Its range is stretched" in found.warnings[1]


def test_a_part_of_many_images_is_examined_and_said(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 6, "b": 6})
    found = preview_import(recipe(folder), SILENT, max_examined=5)
    assert (found.examined, found.total, found.count) == (5, 12, 12)
    assert not found.is_complete


def test_reasons_are_grouped_with_the_most_frequent_first() -> None:
    entries = [Skipped(f"{number}.png", ("rare", "often")[number > 0]) for number in range(4)]
    entries.append(Skipped("part.png", "often", is_partial=True, objects=3))

    groups = left_out_groups(entries)

    assert [(each.first.path, each.count, each.objects) for each in groups] == [
        ("1.png", 3, 0),
        ("0.png", 1, 0),
        ("part.png", 1, 3),
    ]


def test_nine_images_are_chosen_at_random() -> None:
    rows = list(range(0, 1000, 10))
    chosen = sample_rows(rows, 1)

    assert len({*chosen}) == 9
    assert chosen == sorted({*chosen} & {*rows})
    assert chosen == sample_rows(rows, 1)
    assert chosen != sample_rows(rows, 2)
    assert max(chosen) > rows[9]
    assert sample_rows(rows[:4], 1) == rows[:4]
