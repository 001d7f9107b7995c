"""Layouts of known datasets: the right files are the masks, and their values the right classes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

WIDTH, HEIGHT = 12, 8


def values(*rows: int) -> NDArray[np.uint8]:
    """Return a mask whose rows have these values; the others have the last."""
    mask = np.full((HEIGHT, WIDTH), rows[-1], np.uint8)
    for row, value in enumerate(rows):
        mask[row] = value
    return mask


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def photo(path: Path) -> None:
    seed = np.random.default_rng(len(str(path)))
    save(path, seed.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8))


def previewed(folder: Path, **fields: object) -> ImportReport:
    task = evident_task(folder)
    assert task is not None, "the task is evident"
    assert task.name == "segmentation"
    plan = {"source": str(folder), "task": task.name, "width": WIDTH, "height": HEIGHT}
    return preview_import(DatasetRecipe.parse(plan | fields), SilentProgress())


def pixels_of(report: ImportReport) -> Mapping[str, int]:
    pairs = zip(report.classes, report.class_regions, strict=True)
    return {name: count for name, count in pairs if count}


def cityscapes(root: Path, *, with_train_ids: bool) -> None:
    for split, count in (("train", 2), ("val", 1)):
        for number in range(count):
            name = f"{split}/aachen/aachen_{number:06}_000019"
            photo(root / "leftImg8bit" / f"{name}_leftImg8bit.png")
            mask = root / "gtFine" / f"{name}_gtFine"
            save(Path(f"{mask}_labelIds.png"), values(3, 7, 26, 0))
            save(Path(f"{mask}_instanceIds.png"), values(3, 7, 90, 91))
            save(Path(f"{mask}_color.png"), np.dstack([values(9, 8, 7)] * 3))
            Path(f"{mask}_polygons.json").write_text(
                '{"imgHeight": 8, "imgWidth": 12, "objects": []}'
            )
            if with_train_ids:
                save(Path(f"{mask}_labelTrainIds.png"), values(255, 0, 13, 255))


def test_cityscapes_labels(tmp_path: Path) -> None:
    cityscapes(tmp_path, with_train_ids=False)
    report = previewed(tmp_path)
    assert (report.count, report.counts["val"]) == (3, 1)
    assert pixels_of(report) == {
        "unlabeled": 3 * 5 * WIDTH,
        "out of roi": 3 * WIDTH,
        "road": 3 * WIDTH,
        "car": 3 * WIDTH,
    }
    assert "“labelIds” were read" in report.warnings[0]
    assert "instanceIds (3)" in report.warnings[0]
    assert "color (3)" in report.warnings[0]


def test_cityscapes_training_indexes_are_preferred(tmp_path: Path) -> None:
    cityscapes(tmp_path, with_train_ids=True)
    report = previewed(tmp_path)
    assert pixels_of(report) == {"road": 3 * WIDTH, "car": 3 * WIDTH}
    assert (len(report.classes), report.classes[-1]) == (19, "bicycle")
    assert "“labelTrainIds” were read" in report.warnings[0]
    assert any("with the value 255 count as no class" in text for text in report.warnings)
    # What a person chooses wins.
    chosen = previewed(tmp_path, ignore_value="none")
    assert pixels_of(chosen)["255"] == 3 * 6 * WIDTH


def test_masks_of_segnet(tmp_path: Path) -> None:
    for split in ("train", "val", "test"):
        photo(tmp_path / split / "a.png")
        save(tmp_path / f"{split}annot" / "a.png", values(0, 3, 3, 0))
    report = previewed(tmp_path)
    assert report.counts == {"train": 1, "val": 1, "test": 1}
    assert pixels_of(report) == {"0": 3 * 6 * WIDTH, "3": 3 * 2 * WIDTH}


def test_trimaps_and_lists_of_splits(tmp_path: Path) -> None:
    names = ["Abyssinian_1", "beagle_1", "beagle_2"]
    for name in names:
        photo(tmp_path / "images" / f"{name}.jpg")
        save(tmp_path / "annotations" / "trimaps" / f"{name}.png", values(3, 1, 2))
    lists = {"trainval": names[:2], "test": names[2:]}
    for name, mine in lists.items():
        text = "#Image CLASS-ID SPECIES\n" + "".join(f"{each} 1 1 1\n" for each in mine)
        (tmp_path / "annotations" / f"{name}.txt").write_text(text)
    report = previewed(tmp_path, val_percent=0.0)
    assert pixels_of(report) == {"background": 3 * 6 * WIDTH, "foreground": 3 * WIDTH}
    assert report.counts == {"train": 2, "val": 0, "test": 1}
    assert report.splits.named_by == ("lists",)
    assert any("36 pixels (12.5%) of the border, 3, count as no class" in text
               for text in report.warnings)  # fmt: skip
    assert any("annotations/trainval.txt, which name 3 of 3" in text for text in report.warnings)


@pytest.mark.parametrize(
    ("table", "text", "classes"),
    [
        ("train/_classes.csv", "Pixel Value, Class\n0, background\n1, car\n", "background car"),
        ("classes.csv", '"value";"name"\r\n0;ground\r\n1;roof\r\n', "ground roof"),
        (
            "objectInfo150.txt",
            "Idx\tRatio\tTrain\tVal\tStuff\tName\n1\t0.1576\t11\t1\t1\twall, brick\n",
            "unlabeled wall",
        ),
    ],
)
def test_tables_name_the_classes_of_values(
    tmp_path: Path, table: str, text: str, classes: str
) -> None:
    for split in ("train", "valid"):
        photo(tmp_path / split / "a_jpg.rf.0c1.jpg")
        save(tmp_path / split / "a_jpg.rf.0c1_mask.png", values(0, 1, 0))
    (tmp_path / table).write_text(text)
    plan = {"source": str(tmp_path), "task": "segmentation", "width": WIDTH, "height": HEIGHT}
    report = preview_import(DatasetRecipe.parse(plan), SilentProgress())
    assert report.classes == classes.split()
    assert report.counts == {"train": 1, "val": 1, "test": 0}


@pytest.mark.parametrize(
    ("picture", "mask"),
    [
        ("train/0cde_01.jpg", "train_masks/0cde_01_mask.gif"),  # Carvana
        ("images/training/ADE_1.jpg", "annotations/training/ADE_1.png"),
        ("images/a.jpg", "annotations/trimaps/a.png"),
        ("image/a.jpg", "manual1/a.tif"),  # HRF
    ],
)
def test_masks_are_found_in_usual_places(tmp_path: Path, picture: str, mask: str) -> None:
    for name in (picture, picture.replace("1.", "2.").replace("a.", "b.")):
        photo(tmp_path / name)
    for name in (mask, mask.replace("1.", "2.").replace("1_", "2_").replace("a.", "b.")):
        save(tmp_path / name, values(0, 1, 0))
    report = previewed(tmp_path)
    assert report.count == 2
    assert list(pixels_of(report).values()) == [2 * 7 * WIDTH, 2 * WIDTH]


@pytest.mark.parametrize("shift", [1, -2])
@pytest.mark.parametrize(
    ("picture", "mask"),
    [("images/img_{:03}.png", "masks/mask_{:03}.png"), ("images/{}.png", "masks/{}.png")],
)
def test_masks_whose_numbers_are_shifted_are_not_paired_with_other_images(
    tmp_path: Path, picture: str, mask: str, shift: int
) -> None:
    pictures, masks = {*range(10, 15)}, {*range(10 + shift, 15 + shift)}
    for number in pictures:
        photo(tmp_path / picture.format(number))
    for number in masks:
        save(tmp_path / mask.format(number), values(0, 1))
    with pytest.raises(StudioError, match="5 images and their annotations are numbered diff"):
        previewed(tmp_path)
    # Without the files that have no partner, equal numbers belong together.
    for number in pictures - masks:
        (tmp_path / picture.format(number)).unlink()
    for number in masks - pictures:
        (tmp_path / mask.format(number)).unlink()
    report = previewed(tmp_path)
    assert (report.count, report.skipped) == (5 - abs(shift), [])
