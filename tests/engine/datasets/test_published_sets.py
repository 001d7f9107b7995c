"""Published datasets with rules of their own, read as they are published."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import IGNORE

WIDTH, HEIGHT = 12, 8
SILENT = SilentProgress()


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def photo(path: Path) -> None:
    seed = np.random.default_rng(len(str(path)))
    save(path, seed.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8))


def recipe(source: Path, task: str = "", **fields: object) -> DatasetRecipe:
    evident = evident_task(source)
    task = task or (evident.name if evident else "classification")
    plan = {"source": str(source), "task": task, "width": WIDTH, "height": HEIGHT}
    return DatasetRecipe.parse(plan | {"val_percent": 0, "test_percent": 0} | fields)


def preview(source: Path, task: str = "", **fields: object) -> ImportReport:
    return preview_import(recipe(source, task, **fields), SILENT)


def imported(source: Path, out: Path, task: str = "", **fields: object) -> Store:
    import_dataset(recipe(source, task, **fields), out, SILENT)
    return Store.open(out)


def class_by_picture(store: Store) -> dict[str, str]:
    names = (path.rpartition("/")[2] for path in store.paths)
    return {name: store.classes[label] for name, label in zip(names, store.labels, strict=True)}


def has(report: ImportReport, part: str) -> bool:
    return any(part in text for text in report.warnings)


# Masks.


def bands(colors: Sequence[tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Return a picture with a band of two rows of each color."""
    rows = np.repeat(np.array(colors, np.uint8), HEIGHT // len(colors), axis=0)
    return np.repeat(rows[:, None], WIDTH, axis=1)


CAMVID = {"Animal": (64, 128, 64), "Archway": (192, 0, 128), "Void": (0, 0, 0)}


@pytest.mark.parametrize("folder", ["LabeledApproved_full", "701_StillsRaw_full"])
def test_masks_of_camvid(tmp_path: Path, folder: str) -> None:
    for number in range(3):
        photo(tmp_path / "701_StillsRaw_full" / f"0001TP_{number:06}.png")
        mask = bands([*CAMVID.values(), CAMVID["Void"]])
        save(tmp_path / folder / f"0001TP_{number:06}_L.png", mask)
    lines = [f"{r} {g} {b}\t\t{name}\n" for name, (r, g, b) in CAMVID.items()]
    (tmp_path / "label_colors.txt").write_text("".join(lines))
    report = preview(tmp_path)
    assert (report.task, report.count) == ("segmentation", 3)
    pixels = dict(zip(report.classes, report.class_regions, strict=True))
    band = 3 * 2 * WIDTH
    assert pixels == {"Animal": band, "Archway": band, "Void": 2 * band}


def ade20k(root: Path, *, with_names: bool = True) -> None:
    for split, number in (("training", 0), ("training", 1), ("validation", 0)):
        folder = root / "images" / "ADE" / split / "urban" / "street"
        stem = f"ADE_{'val' if split == 'validation' else 'train'}_{number:08}"
        photo(folder / f"{stem}.jpg")
        # Classes 0, 401 = 1 * 256 + 145 and 2978 = 11 * 256 + 162; blue numbers the objects.
        colors = [(0, 0, 0), (10, 145, 3 + number), (110, 162, 9), (10, 145, 200)]
        save(folder / f"{stem}_seg.png", bands(colors))
        save(folder / f"{stem}_parts_1.png", bands(colors))
        save(folder / stem / "instance_000.png", bands(colors)[..., 0])
        entries = [{"name": "car", "name_ndx": 401}, {"name": "", "name_ndx": "9"}, 7]
        if with_names:
            document = {"annotation": {"filename": f"{stem}.jpg", "object": entries}}
            (folder / f"{stem}.json").write_text(json.dumps(document))


def test_masks_of_ade20k(tmp_path: Path) -> None:
    ade20k(tmp_path / "in")
    report = preview(tmp_path / "in")
    assert (report.task, report.count) == ("segmentation", 3)
    assert report.counts == {"train": 2, "val": 1, "test": 0}
    pixels = dict(zip(report.classes, report.class_regions, strict=True))
    band = 3 * 2 * WIDTH
    assert pixels == {"car": 2 * band, "2978": band}
    assert has(report, f"{band} pixels (25.0%) with class 0 of ADE20K count as no class")
    assert has(report, "6 masks of parts and of single objects are not read")
    store = imported(tmp_path / "in", tmp_path / "out")
    rows = store.required_regions[0][:: HEIGHT // 4, 0].tolist()
    assert rows == [IGNORE, 0, 1, 0]


def test_ade20k_without_names_and_with_too_many_classes(tmp_path: Path) -> None:
    ade20k(tmp_path, with_names=False)
    assert preview(tmp_path).classes == ["401", "2978"]
    every = np.zeros((20, 20, 3), np.uint8)
    every[..., 0] = np.arange(20)[:, None] * 10
    every[..., 1] = np.arange(20) * 12
    path = next(tmp_path.rglob("*_seg.png"))
    save(path, every)
    with pytest.raises(StudioError, match=r"of ADE20K .* have 401 classes") as caught:
        preview(tmp_path)
    assert "ADEChallengeData2016" in caught.value.hint


# Classes of images.


PETS = {"Abyssinian_1": 1, "Abyssinian_2": 1, "beagle_1": 5, "beagle_20": 5, "great_pug_1": 7}


def pets(root: Path, *, with_masks: bool = False) -> None:
    for name in (*PETS, "unlisted_9"):
        photo(root / "images" / f"{name}.jpg")
        if with_masks:
            save(root / "annotations" / "trimaps" / f"{name}.png", bands([(1, 1, 1)] * 4)[..., 0])
    entries = {**PETS, "gone_1": 9}
    lines = [f"{name} {number} {1 + (number > 1)} 1\n" for name, number in entries.items()]
    (root / "annotations").mkdir(exist_ok=True)
    head = "#Image CLASS-ID SPECIES BREED ID\n#SPECIES: 1:Cat 2:Dog\n"
    (root / "annotations" / "list.txt").write_text(head + "".join(lines))
    (root / "annotations" / "trainval.txt").write_text("".join(lines[::2]))
    (root / "annotations" / "test.txt").write_text("".join(lines[1::2]))


@pytest.mark.parametrize("with_masks", [False, True])
def test_lists_of_oxford_pets(tmp_path: Path, with_masks: bool) -> None:
    pets(tmp_path / "in", with_masks=with_masks)
    report = preview(tmp_path / "in", "classification")
    assert report.classes == ["Abyssinian", "beagle", "great_pug"]
    assert report.counts == {"train": 3, "val": 0, "test": 2}
    assert {each.path: each.reason for each in report.skipped} == {
        "gone_1": "it is in a list, but the image does not exist",
        "images/unlisted_9.jpg": "no list of the Oxford-IIIT Pet dataset names it",
    }
    assert has(report, "6 images in folders called trimaps are masks") is with_masks
    store = imported(tmp_path / "in", tmp_path / "out", "classification")
    assert class_by_picture(store) == {f"{name}.jpg": name.rpartition("_")[0] for name in PETS}
    # A list alone says what to choose instead.
    with pytest.raises(StudioError, match="name none of the images") as caught:
        preview(tmp_path / "in" / "annotations" / "list.txt", "classification")
    assert "images and annotations" in caught.value.hint
    lists = str(tmp_path / "in" / "annotations" / "list.txt")
    assert preview(tmp_path / "in" / "images", "classification", annotations=lists).count == 5


def labelme(folder: Path, flags: Mapping[str, Mapping[str, bool]]) -> None:
    for name, mine in flags.items():
        photo(folder / f"{name}.png")
        shape = {"label": "car", "points": [[1, 1], [5, 1], [5, 5]], "flags": {"occluded": True}}
        document = {"flags": dict(mine), "shapes": [shape], "imagePath": f"{name}.png"}
        (folder / f"{name}.json").write_text(json.dumps(document))


def test_flags_of_labelme(tmp_path: Path) -> None:
    flags = {"a": {"day": True, "wet": False}, "b": {"day": False, "wet": True}, "c": {}}
    labelme(tmp_path / "in", flags)
    store = imported(tmp_path / "in", tmp_path / "out", "classification")
    assert class_by_picture(store) == {"a.png": "day", "b.png": "wet"}
    skipped = preview(tmp_path / "in", "classification").skipped
    assert any(each.path == "c.png" and "no label" in each.reason for each in skipped)
    report = preview(tmp_path / "in", "multi_label")
    assert (report.count, report.classes) == (3, ["day", "wet"])
    # Flags of shapes are no labels of the image.
    labelme(tmp_path / "shapes", {"a": {}, "b": {"day": False}})
    with pytest.raises(StudioError, match="read as boxes or masks"):
        preview(tmp_path / "shapes", "classification")


OPEN_IMAGES = [
    ("a", "/m/01", "1"),
    ("a", "/m/02", "0"),
    ("b", "/m/01", "0"),
    ("b", "/m/02", "1"),
    ("c", "/m/01", "0.0"),
    ("d", "/m/01", "0.7"),
    ("d", "/m/02", "1"),
]


def test_absent_labels_of_open_images(tmp_path: Path) -> None:
    for name in "abcd":
        photo(tmp_path / f"{name}.jpg")
    table = tmp_path / "train-annotations-human-imagelabels.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ImageID", "Source", "LabelName", "Confidence"])
        writer.writerows([name, "verification", *rest] for name, *rest in OPEN_IMAGES)
    (tmp_path / "class-descriptions.csv").write_text('/m/01,Cat\n/m/02,"Dog, big"\n')
    report = preview(table, "multi_label")
    assert (report.count, report.classes) == (4, ["Cat", "Dog, big"])
    assert report.class_images == [2, 2]
    assert has(report, "3 rows have the confidence 0")
    report = preview(table, "classification")
    assert (report.count, report.class_images) == (2, [1, 1])
    reasons = {each.path: each.reason for each in report.skipped}
    assert "no label" in reasons["c"]
    assert "2 labels" in reasons["d"]


def test_several_products_for_anomaly_detection(tmp_path: Path) -> None:
    for product, kind in (("bottle", "crack"), ("cable", "cut")):
        for folder in ("train/good", "test/good", f"test/{kind}"):
            photo(tmp_path / product / folder / "000.png")
        save(
            tmp_path / product / "ground_truth" / kind / "000_mask.png", bands([(1,) * 3])[..., 0]
        )
    for task in ("classification", "segmentation"):
        with pytest.raises(StudioError, match=r"bottle looks like data for anomaly detection"):
            preview(tmp_path, task)


# Names of files.


def coco(folder: Path, names: Sequence[str]) -> None:
    images = [{"id": n, "file_name": name} for n, name in enumerate(names)]
    boxes = [
        {"id": n, "image_id": n, "category_id": 1, "bbox": [1, 1, 4, 4]} for n in range(len(names))
    ]
    document = {
        "images": images,
        "annotations": boxes,
        "categories": [{"id": 1, "name": "a"}],
    }
    (folder / "instances.json").write_text(json.dumps(document))


def test_capital_letters_of_names_in_coco(tmp_path: Path) -> None:
    for name in ("IMG_1.JPG", "img_2.jpg", "b.PNG", "B.png"):
        photo(tmp_path / name)
    coco(tmp_path, ["img_1.jpg", "img_2.jpg", "b.png"])
    report = preview(tmp_path)
    assert report.count == 2
    assert has(report, "differs from its file in capital letters: img_1.jpg is IMG_1.JPG")
    reasons = {each.path: str(each.reason) for each in report.skipped}
    assert "may mean 2 images: B.png, b.PNG" in reasons["b.png"]


def voc(folder: Path, stems: Mapping[str, str]) -> None:
    """Write an XML file of each name; the values are the names of the pictures in them."""
    folder.mkdir(parents=True)
    for stem, named in stems.items():
        box = "<bndbox><xmin>2</xmin><ymin>2</ymin><xmax>5</xmax><ymax>5</ymax></bndbox>"
        body = f"<filename>{named}</filename>" if named else ""
        text = f"<annotation>{body}<object><name>a</name>{box}</object></annotation>"
        (folder / f"{stem}.xml").write_text(text)


def test_capital_letters_of_names_in_voc(tmp_path: Path) -> None:
    for name in ("IMG_1.JPG", "IMG_2.JPG", "img_3.jpg"):
        photo(tmp_path / "JPEGImages" / name)
    voc(tmp_path / "Annotations", {"img_1": "img_1.jpg", "img_2": "", "img_3": "img_3.jpg"})
    lists = tmp_path / "ImageSets" / "Main"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("img_1\nimg_3\n")
    (lists / "test.txt").write_text("img_2\n")
    report = preview(tmp_path)
    assert report.counts == {"train": 2, "val": 0, "test": 1}
    assert not report.skipped
    assert has(report, "2 names of images differ from their files in capital letters")


def test_blanks_in_lists_of_voc_take_no_time(tmp_path: Path) -> None:
    for name in "ab":
        photo(tmp_path / "JPEGImages" / f"{name}.jpg")
    voc(tmp_path / "Annotations", {"a": "", "b": ""})
    lists = tmp_path / "ImageSets" / "Main"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text(f"a  1\nc{' ' * 200_000}d\n")
    (lists / "val.txt").write_text("b -1\n")
    assert preview(tmp_path).counts == {"train": 1, "val": 1, "test": 0}


def test_capital_letters_of_masks_in_voc(tmp_path: Path) -> None:
    for number in range(2):
        photo(tmp_path / "JPEGImages" / f"IMG_{number}.JPG")
        save(
            tmp_path / "SegmentationClass" / f"img_{number}.png",
            bands([(0,) * 3, (1,) * 3])[..., 0],
        )
    lists = tmp_path / "ImageSets" / "Segmentation"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("img_0\n")
    (lists / "val.txt").write_text("IMG_1\n")
    report = preview(tmp_path)
    assert report.counts == {"train": 1, "val": 1, "test": 0}
    assert not report.skipped
    assert has(report, "2 names of images differ from their files in capital letters")


def test_absolute_paths_of_lists(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in" / "sub", tmp_path / "out"
    for number in range(4):
        photo(inside / f"{number}.png")
        photo(outside / f"{number + 4}.png")
    table = tmp_path / "in" / "list.txt"

    def listed(start: str, numbers: Sequence[int]) -> None:
        table.write_text("".join(f"{start}{number}.png {number % 2}\n" for number in numbers))

    listed(f"{inside}/", range(4))
    report = preview(table)
    assert report.count == 4
    assert has(report, "4 paths of the list are absolute. They are inside the folder")
    for start in ("/home/maria/sub/", "C:\\Users\\maria\\sub\\"):
        listed(start, range(4))
        report = preview(table)
        assert report.count == 4
        assert has(report, "4 paths of the list are absolute and lead out of its folder")
    for start in (f"{outside}/", f"{inside}/../../out/", "../out/"):
        listed(start, range(4, 8))
        report = preview(table)
        assert report.count == 4
        assert has(report, "4 paths of the list lead out of its folder")
    listed(f"{outside}/", range(4, 8))
    assert preview(table, path_prefix=str(tmp_path)).count == 4
