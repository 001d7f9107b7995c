"""Formats of masks: read from files of others, and written so that they are read again."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mask_pictures import imported, mask_folders, mask_recipe, save, squares
from PIL import Image

from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.export import all_splits, export_dataset, forms_of
from studio.engine.datasets.importer import read_skipped
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotation_files.rle import encode
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.formats.voc import VOC_NAMES, voc_color

SILENT = SilentProgress()
FORMS = [form.export for form in TASKS["segmentation"].source.export_formats]


def skipped(folder: Path) -> dict[str, str]:
    return {entry.path: entry.reason for entry in read_skipped(folder)}


def content(store: Store, classes: list[str]) -> dict[bytes, tuple[str, bytes]]:
    """Splits and masks by their images, with the classes in the given order."""
    order = np.full(256, IGNORE, np.uint8)
    order[: len(store.classes)] = [classes.index(name) for name in store.classes]
    return {
        store.images[row].tobytes(): (split, order[store.required_regions[row]].tobytes())
        for split in ("train", "val", "test")
        for row in store.rows(split).tolist()
    }


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("masks")
    root = mask_folders(folder / "in", 12, width=32, height=32, classes=4)
    for index in (2, 5):
        mask = squares(index, 32, 32, 4)[1]
        mask[:, :3] = IGNORE
        save(mask, root / "masks" / f"{index:03}.png")
    names = ["background", "leaf", "Ünï code", "stem"]
    recipe = mask_recipe(
        root, class_names=names, tile_size=16, val_percent=25, test_percent=25,
        class_colors=["#000000", "#00ff00", "#abcdef", "#010203"],
    )  # fmt: skip
    imported(recipe, folder / "out")
    edit_dataset(folder / "out", [Exclude(rows="7-9")])
    return Store.open(folder / "out")


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_imported_as_it_was(dataset: Store, tmp_path: Path, form: str) -> None:
    path = export_dataset(dataset, form, all_splits(dataset), tmp_path / "to", "d", SILENT)
    recipe = mask_recipe(path, val_percent=0, test_percent=0)
    again = imported(recipe, tmp_path / "again")

    assert not skipped(tmp_path / "again")
    assert again.counts() == dataset.counts()
    assert content(again, dataset.classes) == content(dataset, dataset.classes)
    if form != "labelme":  # which knows the classes that occur alone, and no order
        assert again.classes == dataset.classes
    if form in {"masks", "voc"}:
        assert again.colors == dataset.colors


def test_there_are_formats_for_masks_only_where_there_are_masks() -> None:
    for task in TASKS.values():
        reads_masks = "mask_mode" in task.import_fields
        assert set(FORMS).issubset(forms_of(task)) == reads_masks
    assert {"masks", "coco"} <= set(FORMS)


# Pascal VOC


def voc(root: Path, count: int = 6) -> Path:
    palette = [part for number in range(256) for part in bytes.fromhex(voc_color(number)[1:])]
    for index in range(count):
        picture, mask = squares(index, classes=3)
        mask = np.array([0, 7, 15], np.uint8)[mask]  # car, person
        mask[0, :] = IGNORE
        save(picture, root / "JPEGImages" / f"2007_{index:03}.png")
        save(mask, root / "SegmentationClass" / f"2007_{index:03}.png", palette)
        save(mask, root / "SegmentationObject" / f"2007_{index:03}.png", palette)
    save(squares(99)[0], root / "JPEGImages" / "boxes_only.png")
    lists = root / "ImageSets" / "Segmentation"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("2007_000\n2007_001\n2007_002\n")
    (lists / "val.txt").write_text("2007_003\n2007_004\n2007_gone\n\n")
    (lists / "trainval.txt").write_text("2007_000\n2007_003\n")
    return root


def test_voc_has_its_names_colors_and_lists(tmp_path: Path) -> None:
    voc(tmp_path / "VOCdevkit" / "VOC2007")
    recipe = mask_recipe(tmp_path / "VOCdevkit", test_percent=0)
    store = imported(recipe, tmp_path / "out")

    assert store.classes == list(VOC_NAMES)
    assert store.colors[15] == "#c08080"
    assert {store.paths[row][-7:-4] for row in store.rows("val").tolist()} == {"003", "004"}
    red = store.images[:][..., 0] // 60
    wanted = np.array([0, 7, 15])[red]
    wanted[:, 0] = IGNORE
    assert np.array_equal(store.required_regions[:], wanted)
    (reason,) = skipped(tmp_path / "out").items()
    assert reason == (
        "VOCdevkit/VOC2007/2007_gone".removeprefix("VOCdevkit/"),
        "it is in a list, but the image does not exist",
    )


def test_voc_in_colors_with_the_table_of_cvat(tmp_path: Path) -> None:
    root = tmp_path / "in"
    colors = np.array([[0, 0, 0], [10, 20, 30], [200, 0, 9], [224, 224, 192]], np.uint8)
    for index in range(4):
        picture, mask = squares(index)
        mask[0, :] = 3
        save(picture, root / "JPEGImages" / f"{index}.png")
        save(colors[mask], root / "SegmentationClass" / f"{index}.png")
    (root / "labelmap.txt").write_text(
        "# label:color_rgb:parts:actions\nbackground:0,0,0::\nroof:10,20,30::\nwall:200,0,9::\n"
    )
    store = imported(mask_recipe(root), tmp_path / "out")
    assert store.classes == ["background", "roof", "wall"]
    assert (store.required_regions[:][:, 0] == IGNORE).all()
    assert np.array_equal(store.required_regions[:][:, 1:], store.images[:][:, 1:, :, 0] // 60)


# COCO


def coco(root: Path, count: int = 4, **changes: Any) -> Path:
    """Pictures of 16 x 16 with a square as a polygon and a smaller one as RLE on it."""
    images, annotations = [], []
    for index in range(count):
        red = np.zeros((16, 16, 3), np.uint8)
        red[2:12, 3:14, 0] = 60
        red[5:8, 6:9, 0] = 120
        red[..., 1] = index
        save(red, root / "images" / f"{index:03}.png")
        images.append(
            {"id": 10 + index, "file_name": f"{index:03}.png", "width": 16, "height": 16}
        )
        small = np.zeros((16, 16), np.bool_)
        small[5:8, 6:9] = True
        square = [3, 2, 14, 2, 14, 12, 3, 12]
        # The small one comes first, and is painted last.
        segmentation = encode(small) if index % 2 else runs(small)
        annotations += [
            {"image_id": 10 + index, "category_id": 5, "segmentation": segmentation, "iscrowd": 1},
            {"image_id": 10 + index, "category_id": 2, "segmentation": [square]},
        ]
    document = {
        "info": {"year": 2026},
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 5, "name": "dog"}, {"id": 2, "name": "cat"}],
    }
    path = root / "annotations" / "instances_default.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document | changes))
    return root


def runs(mask: np.ndarray) -> dict[str, object]:
    flat = mask.ravel(order="F")
    edges = np.flatnonzero(np.diff(flat)) + 1
    counts = np.diff([0, *edges, flat.size]).tolist()
    return {"size": list(mask.shape), "counts": counts}


def document_of(root: Path) -> dict[str, Any]:
    text = (root / "annotations" / "instances_default.json").read_text()
    document: dict[str, Any] = json.loads(text)
    return document


def test_coco_polygons_and_run_lengths(tmp_path: Path) -> None:
    store = imported(mask_recipe(coco(tmp_path / "in")), tmp_path / "out")
    assert store.classes == ["background", "cat", "dog"]
    assert np.array_equal(store.required_regions[:], store.images[:][..., 0] // 60)
    assert not skipped(tmp_path / "out")


def test_coco_with_pictures_elsewhere_and_other_names(tmp_path: Path) -> None:
    root = coco(tmp_path / "in")
    recipe = mask_recipe(
        root / "images",
        annotations=str(root / "annotations" / "instances_default.json"),
        class_names=["nothing", "Katze", "Hund"],
    )
    store = imported(recipe, tmp_path / "out")
    assert store.classes == ["nothing", "Katze", "Hund"]
    assert np.array_equal(store.required_regions[:], store.images[:][..., 0] // 60)
    with pytest.raises(StudioError, match=r"Classes of the annotations: 3 .*values received: 2"):
        imported(recipe.changed(class_names=["a", "b"]), tmp_path / "other")


def test_coco_files_of_splits(tmp_path: Path) -> None:
    for split, count in (("train", 4), ("val", 2)):
        root = coco(tmp_path / split, count)
        (root / "images").rename(tmp_path / f"images_{split}")
        path = root / "annotations" / "instances_default.json"
        target = tmp_path / "in" / "annotations" / f"instances_{split}2017.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        (tmp_path / f"images_{split}").rename(tmp_path / "in" / f"{split}2017")
    store = imported(mask_recipe(tmp_path / "in", test_percent=0), tmp_path / "out")
    assert store.counts() == {"train": 4, "val": 2, "test": 0}
    assert not skipped(tmp_path / "out")


@pytest.mark.parametrize(
    ("segmentation", "reason"),
    [
        ([[1, 2, 3]], "fewer than three corners|not a list of numbers"),
        ([["a"] * 6], "not a list of numbers"),
        ([[1, 2, 3, 4, 5, 1e30]], "far outside the image"),
        ("text", "neither a polygon nor RLE"),
        ({"size": [16, 16], "counts": [1, 2]}, "RLE is damaged"),
        ({"size": [16, 16], "counts": "~~~"}, "RLE is damaged"),
        ({"size": [16, 16], "counts": [1.5]}, "no size or no counts"),
        ({"size": [16], "counts": [256]}, "no size or no counts"),
        ({"counts": [256]}, "no size or no counts"),
        ({"size": [8, 8], "counts": [64]}, "8x8 pixels, but its image has 16x16"),
    ],
)
def test_a_damaged_coco_annotation_costs_its_picture(
    tmp_path: Path, segmentation: object, reason: str
) -> None:
    root = coco(tmp_path / "in")
    document = document_of(root)
    document["annotations"][0]["segmentation"] = segmentation
    coco(root, **document)
    store = imported(mask_recipe(root), tmp_path / "out")
    assert len(store.rows("train")) + len(store.rows("val")) + len(store.rows("test")) == 3
    (found,) = skipped(tmp_path / "out").items()
    assert found[0] == "images/000.png"
    assert np.any([part in found[1] for part in reason.split("|")]), found[1]


@pytest.mark.parametrize(
    "changes",
    [
        {"images": None},
        {"images": [1, "x", {"id": [], "file_name": 3}]},
        {"annotations": [{"image_id": {}, "category_id": []}, 7]},
        {"categories": {}},
        {"annotations": []},
    ],
    ids=str,
)
def test_coco_of_wrong_types_is_refused_in_words(tmp_path: Path, changes: dict[str, Any]) -> None:
    root = coco(tmp_path / "in", **changes)
    with pytest.raises(StudioError):
        imported(mask_recipe(root), tmp_path / "out")


def test_objects_without_outline_are_reported_and_their_boxes_are_of_no_class(
    tmp_path: Path,
) -> None:
    root = coco(tmp_path / "in")
    document = document_of(root)
    box = {"image_id": 10, "category_id": 5, "bbox": [12, 10, 4, 4], "segmentation": []}
    alone = {"image_id": 11, "category_id": 5, "bbox": [0, 0, 2, 2]}
    kept = [each for each in document["annotations"] if each["image_id"] != 11]
    coco(root, annotations=[*kept, box, alone])
    store = imported(mask_recipe(root), tmp_path / "out")
    reason = "left out an object without an outline; the pixels of its box count as no class"
    assert skipped(tmp_path / "out") == {"images/000.png": reason, "images/001.png": reason}
    assert [each.objects for each in read_skipped(tmp_path / "out")] == [1, 1]
    wanted = store.images[:][..., 0] // 60
    wanted[0, 10:14, 12:16] = IGNORE
    wanted[0, 2:12, 3:14] = store.images[0][2:12, 3:14, 0] // 60
    wanted[1] = 0
    wanted[1, :2, :2] = IGNORE
    assert np.array_equal(store.required_regions[:], wanted)


@pytest.mark.parametrize("values", [[0, 1], [0, 1, 2, IGNORE], [0, 3, 15]], ids=str)
def test_the_palette_of_voc_alone_gives_no_names(tmp_path: Path, values: list[int]) -> None:
    root = voc(tmp_path / "in", 4)
    palette = [part for number in range(256) for part in bytes.fromhex(voc_color(number)[1:])]
    for index in range(4):
        mask = np.array(values, np.uint8)[squares(index, classes=len(values))[1]]
        save(mask, root / "SegmentationClass" / f"2007_{index:03}.png", palette)
    store = imported(mask_recipe(root), tmp_path / "out")
    assert store.classes == [str(value) for value in values if value != IGNORE]


def test_a_coco_file_that_is_no_json_is_reported(tmp_path: Path) -> None:
    root = coco(tmp_path / "in")
    (root / "annotations" / "instances_more.json").write_text('{"images": [' + "[" * 100_000)
    (root / "annotations" / "other.json").write_text('{"something": 1}')
    store = imported(mask_recipe(root), tmp_path / "out")
    assert len(store.paths) == 4
    assert skipped(tmp_path / "out") == {
        "annotations/instances_more.json": "its JSON is damaged at line 1, column 212"
    }


def test_coco_pictures_that_are_missing_or_of_another_size_are_reported(tmp_path: Path) -> None:
    root = coco(tmp_path / "in")
    (root / "images" / "001.png").unlink()
    save(squares(0, 20, 16)[0], root / "images" / "002.png")
    imported(mask_recipe(root), tmp_path / "out")
    found = skipped(tmp_path / "out")
    assert "does not exist" in found["001.png"]
    assert "16x16 pixels, but its image has 20x16" in found["images/002.png"]


# LabelMe


def labelme(root: Path, index: int, shapes: list[dict[str, Any]], **changes: Any) -> None:
    picture = np.full((16, 16, 3), index, np.uint8)
    save(picture, root / "pictures" / f"{index}.png")
    document = {
        "version": "5.4.1",
        "flags": {},
        "shapes": shapes,
        "imagePath": f"../pictures/{index}.png",
        "imageData": "AAAA",
        "imageHeight": 16,
        "imageWidth": 16,
    }
    path = root / "labels" / f"{index}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document | changes))


def shape(kind: str, label: str, *points: tuple[float, float], **more: object) -> dict[str, Any]:
    return {"label": label, "points": points, "shape_type": kind, **more}


def png(region: np.ndarray) -> str:
    buffer = BytesIO()
    Image.fromarray(region).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


SQUARE = shape("polygon", "b", (2, 2), (10, 2), (10, 10), (2, 10))


def test_labelme_shapes(tmp_path: Path) -> None:
    root = tmp_path / "in"
    labelme(
        root,
        0,
        [
            SQUARE,
            shape("rectangle", "a", (6, 4), (4, 6)),
            shape("rectangle", "__ignore__", (0, 0), (16, 1)),
            shape("point", "a", (1, 1)),
            shape("linestrip", "a", (1, 1), (5, 5)),
        ],
    )
    labelme(root, 1, [shape("circle", "a", (8, 8), (8, 12))])
    patch = np.array([[1, 0], [1, 1]], np.bool_)
    labelme(root, 2, [SQUARE, shape("mask", "_background_", (3, 4), (4, 5), mask=png(patch))])
    store = imported(mask_recipe(root), tmp_path / "out")

    assert store.classes == ["background", "a", "b"]
    masks = {int(store.images[row].max()): store.required_regions[row] for row in range(3)}
    wanted = np.zeros((16, 16), np.uint8)
    wanted[2:10, 2:10] = 2
    third = wanted.copy()
    third[4, 3] = third[5, 3] = third[5, 4] = 0
    wanted[4:6, 4:6] = 1
    wanted[0] = IGNORE
    assert np.array_equal(masks[0], wanted)
    assert masks[1].sum() == pytest.approx(np.pi * 16, abs=2)
    assert np.array_equal(masks[2], third)
    assert read_skipped(tmp_path / "out") == [
        Skipped(
            "pictures/0.png",
            f'left out a shape of the type "{kind}", which has no area',
            is_annotation=True,
            is_partial=True,
            objects=1,
        )
        for kind in ("point", "linestrip")
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"shapes": [shape("polygon", "a", (1, 1))]}, "fewer than three"),
        ({"shapes": [shape("polygon", "", (1, 1), (2, 2), (3, 1))]}, "no label"),
        ({"shapes": [shape("star", "a", (1, 1), (2, 2))]}, "unknown type"),
        ({"shapes": [shape("mask", "a", (1, 1), (2, 2), mask="!")]}, "damaged"),
        ({"shapes": [shape("mask", "a", (14, 1), (20, 2), mask=png(np.ones((2, 5), bool)))]},
         "beyond the image"),
        ({"shapes": [shape("circle", "a", (1, 1), (float("inf"), 2))]}, "is not a number"),
        ({"imageWidth": 17}, "17x16 pixels, but its image has 16x16"),
    ],
)  # fmt: skip
def test_a_damaged_labelme_file_costs_its_picture(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    root = tmp_path / "in"
    for index in range(3):
        labelme(root, index, [SQUARE])
    labelme(root, 3, **({"shapes": [SQUARE]} | change))
    # The folder and the name of the file tell its picture, whatever it says itself.
    labelme(root, 2, [SQUARE], imagePath="../../../etc/passwd")
    store = imported(mask_recipe(root), tmp_path / "out")
    assert len(np.flatnonzero(store.split >= 0)) == 3
    assert any(reason in reported for reported in skipped(tmp_path / "out").values())


def test_arrays_hold_the_masks_of_each_split(dataset: Store, tmp_path: Path) -> None:
    path = export_dataset(dataset, "npz", all_splits(dataset), tmp_path, "arrays", SILENT)
    with np.load(path) as arrays:
        for split in all_splits(dataset):
            rows = dataset.rows(split)
            assert np.array_equal(arrays[f"{split}_images"], dataset.images[rows])
            masks = arrays[f"{split}_masks"]
            assert masks.dtype == np.uint8
            assert np.array_equal(masks, dataset.required_regions[rows])
            assert np.array_equal(arrays[f"{split}_targets"], dataset.targets[rows])
        assert arrays["target_names"].tolist() == dataset.classes
