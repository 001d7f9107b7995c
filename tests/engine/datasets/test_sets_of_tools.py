"""Sets as tools and published datasets have them, each with its right values or a refusal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.boxes import BOTTOM, CLASS, LEFT

WIDTH, HEIGHT = 40, 30
NAMES = [f"a{number}.jpg" for number in range(6)]
LABELS = ["cat", "dog"] * 3
SILENT = SilentProgress()


def recipe(source: Path, task: str = "", **fields: object) -> DatasetRecipe:
    evident = evident_task(source)
    task = task or (evident.name if evident else "classification")
    plan = {"source": str(source), "task": task, "width": WIDTH, "height": HEIGHT}
    return DatasetRecipe.parse(plan | {"val_percent": 0, "test_percent": 0} | fields)


def preview(source: Path, task: str = "", **fields: object) -> ImportReport:
    return preview_import(recipe(source, task, **fields), SILENT)


def refusal(source: Path, task: str = "") -> str:
    with pytest.raises(StudioError) as caught:
        preview(source, task)
    return f"{caught.value.message} {caught.value.hint}"


def pictures(folder: Path, names: Iterable[str] = NAMES) -> None:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(number).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
        Image.fromarray(pixels).save(path)


def write(path: Path, content: object) -> Path:
    """Write a text, or anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def rows(*cells: Sequence[object] | float, mark: str = ",") -> str:
    """Return lines of a table whose columns are given; single values are repeated."""
    columns = [
        [each] * len(NAMES) if isinstance(each, str | int | float) else each for each in cells
    ]
    return "".join(mark.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def boxes_of(source: Path, out: Path) -> dict[str, list[tuple[str, list[float]]]]:
    """Import boxes, and return those of each picture with their classes."""
    import_dataset(recipe(source, "detection"), out, SILENT)
    store = Store.open(out)
    found = {}
    for row, path in enumerate(store.paths):
        listed = store.required_regions[row].reshape(-1, 6).tolist()
        boxes = [each for each in listed if each[CLASS] >= 0]
        found[path.rpartition("/")[2]] = [
            (store.classes[int(each[CLASS])], each[LEFT : BOTTOM + 1]) for each in boxes
        ]
    return found


# Tables of boxes.

BOX = [2, 3, 12, 14]
BOX_TABLES = {
    "portuguese": "arquivo;rótulo;esquerda;topo;direita;base\n" + rows(NAMES, "a", *BOX, mark=";"),
    "spanish": "archivo;clase;izquierda;arriba;derecha;abajo\n"
    + rows(NAMES, "a", *BOX, mark=";"),
    "german": "Datei;Klasse;links;oben;rechts;unten\n" + rows(NAMES, "a", *BOX, mark=";"),
    "german sides": "Bild;Klasse;links;oben;Breite;Höhe\n"
    + rows(NAMES, "a", 2, 3, 10, 11, mark=";"),
    "spanish sides": "imagen;clase;izquierda;arriba;ancho;alto\n"
    + rows(NAMES, "a", 2, 3, 10, 11, mark=";"),
    "top left": "img,lbl,topleft_x,topleft_y,bottomright_x,bottomright_y\n"
    + rows(NAMES, "a", *BOX),
    "french": "fichier;catégorie;gauche;haut;droite;bas\n" + rows(NAMES, "a", *BOX, mark=";"),
    "GTSRB": "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\n"
    + rows(NAMES, WIDTH, HEIGHT, *BOX, "a", mark=";"),
    "Make Sense": rows("a", 2, 3, 10, 11, NAMES, WIDTH, HEIGHT),
    "SKU-110K": rows(NAMES, *BOX, "a", WIDTH, HEIGHT),
    "pixels": "file,class,xmin,ymin,xmax,ymax\n" + rows(NAMES, "a", "2px", "3px", "12px", "14px"),
    "boxes in a cell": "image;xyxy;labels\n" + rows(NAMES, str([BOX]), "['a']", mark=";"),
    "objects in a cell": "image;annotations\n"
    + rows(NAMES, "[{'x': 2, 'y': 3, 'width': 10, 'height': 11, 'label': 'a'}]", mark=";"),
    "an object in a cell": "image;label;bbox\n"
    + rows(NAMES, "a", '"{""x"": 2, ""y"": 3, ""width"": 10, ""height"": 11}"', mark=";"),
    "minus signs": f"file,class,xmin,ymin,xmax,ymax\n{rows(NAMES, 'a', *BOX)}a0.jpg,a,−3,0,5,5\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", BOX_TABLES)
def test_tables_of_boxes(tmp_path: Path, kind: str) -> None:
    pictures(tmp_path / "in")
    write(tmp_path / "in" / "labels.csv", BOX_TABLES[kind])
    found = boxes_of(tmp_path / "in", tmp_path / "out")
    more = [("a", [0, 0, 5, 5])] if kind == "minus signs" else []
    expected = {name: [("a", list(map(float, BOX)))] for name in NAMES}
    assert found == expected | {"a0.jpg": expected["a0.jpg"] + more}


SIDES_OF_BOX = {"xmin": 2, "ymin": 3, "xmax": 12, "ymax": 14}
BOX_RECORDS: dict[str, object] = {
    "lines": "".join(
        json.dumps({"file_name": name, "objects": {"bbox": [[2, 3, 10, 11]], "category": ["a"]}})
        + "\n"
        for name in NAMES
    ),
    "objects": [{"image": name, "boxes": [{"class": "a", **SIDES_OF_BOX}]} for name in NAMES],
    "inner": [
        {"file": name, "label": "a", "bbox": {"x": 2, "y": 3, "width": 10, "height": 11}}
        for name in NAMES
    ],
    "by name": {name: [{"label": "a", "bbox_xyxy": BOX}] for name in NAMES},
    "lists by name": {name: {"xyxy": [BOX], "labels": ["a"]} for name in NAMES},
    "in a member": {"version": 1, "data": [{"f": n, "class": "a"} | SIDES_OF_BOX for n in NAMES]},
}


@pytest.mark.parametrize("kind", BOX_RECORDS)
def test_records_of_boxes(tmp_path: Path, kind: str) -> None:
    pictures(tmp_path / "in")
    file = "metadata.jsonl" if kind == "lines" else "labels.json"
    path = write(tmp_path / "in" / file, BOX_RECORDS[kind])
    expected = {name: [("a", list(map(float, BOX)))] for name in NAMES}
    assert boxes_of(tmp_path / "in", tmp_path / "out") == expected
    if kind not in ("inner", "in a member"):
        assert "has objects with boxes, not classes" in refusal(path, "classification")


def test_signs_of_percent(tmp_path: Path) -> None:
    pictures(tmp_path / "in")
    cells = rows(NAMES, "a", "5%", "10 %", "30.0%", "50%")
    write(tmp_path / "in" / "labels.csv", "file,class,xmin,ymin,xmax,ymax\n" + cells)
    found = boxes_of(tmp_path / "in", tmp_path / "out")
    assert found == {name: [("a", [2, 3, 12, 15])] for name in NAMES}


def test_the_size_of_the_images_in_a_table_without_header_is_checked(tmp_path: Path) -> None:
    pictures(tmp_path)
    write(tmp_path / "boxes.csv", rows(NAMES, *BOX, "a", [WIDTH] * 5 + [99], HEIGHT))
    report = preview(tmp_path, "detection")
    assert (report.count, [each.path for each in report.skipped]) == (5, ["a5.jpg"])
    assert report.skipped[0].objects == 1


@pytest.mark.parametrize(
    "table",
    [
        "file,class,xmin,ymin,xmax,ymax\n" + rows(NAMES, "a", "10 mm", "20 mm", "60 mm", "80 mm"),
        "file,class,xmin,ymin,xmax,ymax\n" + rows(NAMES, "a", '"[2, 9]"', 1, 9, 9),
    ],
)
def test_boxes_of_which_none_can_be_used_are_refused(tmp_path: Path, table: str) -> None:
    pictures(tmp_path)
    write(tmp_path / "boxes.csv", table)
    said = refusal(tmp_path, "detection")
    assert "None of the 6 objects can be used; the first reason: a0.jpg: left out a box" in said


def test_images_without_objects_are_no_lost_objects(tmp_path: Path) -> None:
    pictures(tmp_path)
    write(tmp_path / "boxes.csv", "file,class,xmin,ymin,xmax,ymax\n" + rows(NAMES, *[""] * 5))
    write(tmp_path / "classes.txt", "a\n")
    with pytest.raises(StudioError) as caught:
        preview(tmp_path, "detection")
    assert "None of the 6 objects" not in caught.value.message


def test_thousandths_are_refused(tmp_path: Path) -> None:
    pictures(tmp_path)
    sides = [[100 * n, 500] for n in range(6)]
    cells = rows(NAMES, "a", *zip(*sides, strict=True), [100 * n + 400 for n in range(6)], 900)
    write(tmp_path / "boxes.csv", "file,class,xmin,ymin,xmax,ymax\n" + cells)
    assert "they appear to be thousandths of width and height" in refusal(tmp_path, "detection")


def test_a_table_of_label_studio_without_columns_of_the_program(tmp_path: Path) -> None:
    pictures(tmp_path / "in")
    shape = {"x": 5, "y": 10, "width": 25, "height": 50, "rotation": 0, "rectanglelabels": ["a"]}
    size = {"original_width": WIDTH, "original_height": HEIGHT}
    cell = json.dumps([shape | size]).replace('"', '""')
    uploads = [f"/data/upload/1/0a1b2c3d-{name}" for name in NAMES]
    write(tmp_path / "in" / "export.csv", "image,label\n" + rows(uploads, f'"{cell}"'))
    found = boxes_of(tmp_path / "in", tmp_path / "out")
    assert found == {name: [("a", [2, 3, 12, 18])] for name in NAMES}


# Tables of classes and labels.

TABLES = {
    "portuguese": ("arquivo;classe;peso (g);conjunto\n", ";"),
    "spanish": ("imagen;etiqueta;peso;división\n", ";"),
    "german": ("Dateiname;Klasse;Länge in mm;Datensatz\n", ";"),
    "accents": ("file,Rótulo,weight,split\n", ","),
    "tabs": ("file\tlabel\tweight\tsplit\n", "\t"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_headings_of_classes(tmp_path: Path, kind: str) -> None:
    pictures(tmp_path)
    heading, mark = TABLES[kind]
    cells = NAMES, LABELS, [f"{number}.5" for number in range(6)], ["train"] * 4 + ["test"] * 2
    name = "t.tab" if kind == "tabs" else "t.csv"
    table = write(tmp_path / name, heading + rows(*cells, mark=mark))
    report = preview(table)
    assert report.class_numbers == {"cat": 3, "dog": 3}
    assert report.counts == {"train": 4, "val": 0, "test": 2}


@pytest.mark.parametrize(("yes", "no"), [("✓", "✗"), ("+", "-"), ("☑", "☐"), ("✔", "")])
def test_marks_of_labels(tmp_path: Path, yes: str, no: str) -> None:
    pictures(tmp_path)
    marks = [yes, no] * 3, [no] * 4 + [yes] * 2
    table = write(tmp_path / "t.csv", "image,scratch,dent\n" + rows(NAMES, *marks))
    report = preview(table, "multi_label")
    assert (report.count, report.class_numbers) == (6, {"scratch": 3, "dent": 2})


def test_minus_signs_of_typography(tmp_path: Path) -> None:
    pictures(tmp_path / "in")
    cells = ["−1.5", "2.5", "−3", "0", "1,250.5", "−1,250.5"]
    table = write(tmp_path / "in" / "t.csv", "image\ttemp\n" + rows(NAMES, cells, mark="\t"))
    import_dataset(recipe(table, "regression"), tmp_path / "out", SILENT)
    store = Store.open(tmp_path / "out")
    by_name = dict(zip(store.paths, store.targets[:, 0].tolist(), strict=True))
    assert [by_name[name] for name in NAMES] == [-1.5, 2.5, -3, 0, 1250.5, -1250.5]


# COCO.


def coco(names: Sequence[str], *, areas: Mapping[str, object], key: str = "file_name") -> object:
    return {
        "images": [{"id": f"u{n}", key: name} for n, name in enumerate(names)],
        "annotations": [
            {"id": n, "image_id": f"u{n}", "category_id": n % 2, **areas}
            for n in range(len(names))
        ],
        "categories": [{"id": n, "name": name} for n, name in enumerate(LABELS[:2])],
    }


@pytest.mark.parametrize("areas", [{}, {"bbox": [], "segmentation": []}, {"bbox": None}])
def test_coco_with_classes_of_images(tmp_path: Path, areas: Mapping[str, object]) -> None:
    pictures(tmp_path / "in")
    document = coco([*NAMES, "gone.jpg"], areas=areas)
    assert isinstance(document, dict)
    document["annotations"] += [
        {"id": 90, "image_id": "u1", "category_id": 0},
        {"id": 91, "image_id": "u2", "category_id": 0},
        {"id": 92, "image_id": "u3", "category_id": 7},
        {"id": 93, "image_id": "u9", "category_id": 1},
    ]
    write(tmp_path / "in" / "camera_traps.json", document)
    report = preview(tmp_path / "in")
    assert (report.task, report.format) == ("classification", "drawn_labels")
    assert report.class_numbers == {"cat": 3, "dog": 2}
    reasons = {(each.path, each.objects): str(each.reason) for each in report.skipped}
    assert reasons["a1.jpg", 0] == "it has 2 labels: dog, cat"
    assert "does not exist" in reasons["gone.jpg", 1]
    texts = [each.reason for each in report.skipped if each.path == "camera_traps.json"]
    assert sorted(str(text).partition(": ")[0] for text in texts) == [
        "left out an annotation of a category that it does not list",
        "left out an annotation of an image that it does not list",
    ]
    labels = preview(tmp_path / "in", "multi_label")
    assert (labels.count, labels.class_numbers) == (6, {"cat": 4, "dog": 3})


def test_coco_with_boxes_is_no_list_of_classes(tmp_path: Path) -> None:
    pictures(tmp_path, [f"{label}/{name}" for label in LABELS[:2] for name in NAMES])
    document = coco(NAMES, areas={})
    assert isinstance(document, dict)
    document["annotations"][-1]["bbox"] = [1, 1, 5, 5]
    write(tmp_path / "instances.json", document)
    assert preview(tmp_path, "classification").format == "folder"


def test_coco_with_addresses_alone(tmp_path: Path) -> None:
    pictures(tmp_path / "train2017")
    addresses = [f"http://images.cocodataset.org/train2017/{name}" for name in NAMES]
    areas = {"bbox": [2, 3, 10, 11], "segmentation": [[2, 3, 12, 3, 12, 14, 2, 14]]}
    write(tmp_path / "lvis_v1_train.json", coco(addresses, areas=areas, key="coco_url"))
    for task in ("detection", "instances"):
        assert preview(tmp_path, task).class_numbers == {"cat": 3, "dog": 3}


@pytest.mark.parametrize("box", ["[2, 3, 10, 11]", "(2,3,10,11)", "[2.0 3.0 10.0 11.0]"])
def test_boxes_of_coco_that_are_texts(tmp_path: Path, box: str) -> None:
    pictures(tmp_path / "in")
    write(tmp_path / "in" / "a.json", coco(NAMES, areas={"bbox": box}))
    found = boxes_of(tmp_path / "in", tmp_path / "out")
    corners = list(map(float, BOX))
    assert found == {n: [(label, corners)] for n, label in zip(NAMES, LABELS, strict=True)}


# Masks.


@pytest.mark.parametrize(
    ("images", "masks", "split"),
    [
        ("X", "Y", ""),
        ("X_train", "y_train", "train"),
        ("train/x", "train/y", "train"),
        ("photos", "lbl", ""),
        ("JPEGImages", "SegmentationClassPNG", ""),
    ],
)
def test_folders_of_images_and_masks(tmp_path: Path, images: str, masks: str, split: str) -> None:
    folder = tmp_path / "in"
    pictures(folder / images, [f"{n}.png" for n in "abc"])
    (folder / masks).mkdir()
    for row, name in enumerate("abc", 1):
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        mask[:row] = 255
        Image.fromarray(mask).save(folder / masks / f"{name}.png")
    import_dataset(recipe(folder, "segmentation"), tmp_path / "out", SILENT)
    store = Store.open(tmp_path / "out")
    found = {path: store.required_regions[at].sum() for at, path in enumerate(store.paths)}
    assert found == {f"{images}/{name}.png": row * WIDTH for row, name in enumerate("abc", 1)}


@pytest.mark.parametrize("places", ["X_{}", "{}/x", "x/{}"])
def test_splits_around_images_and_masks_that_are_called_x_and_y(
    tmp_path: Path, places: str
) -> None:
    for folder, count in (("train", 4), ("test", 2)):
        place = places.format(folder)
        masks = place.replace("x", "y").replace("X", "y")
        pictures(tmp_path / place, [f"{folder}{n}.png" for n in range(count)])
        (tmp_path / masks).mkdir(parents=True)
        for number in range(count):
            mask = np.zeros((HEIGHT, WIDTH), np.uint8)
            mask[:9] = 1
            Image.fromarray(mask).save(tmp_path / masks / f"{folder}{number}.png")
    assert preview(tmp_path, "segmentation").counts == {"train": 4, "val": 0, "test": 2}


@pytest.mark.parametrize("place", ["", "out/"])
def test_flows_and_outlines_of_cellpose_are_named(tmp_path: Path, place: str) -> None:
    pictures(tmp_path, [f"{n}.png" for n in "abc"])
    pictures(tmp_path, [f"{place}{n}{end}.png" for n in "abc" for end in ("_flows", "_outlines")])
    for name in "abc":
        mask = np.zeros((HEIGHT, WIDTH), np.uint16)
        mask[:3], mask[5:9] = 1, 2
        Image.fromarray(mask).save(tmp_path / f"{place}{name}_cp_masks.png")
    if place:
        (tmp_path / "img").mkdir()
        for name in "abc":
            (tmp_path / f"{name}.png").rename(tmp_path / "img" / f"{name}.png")
    report = preview(tmp_path, "instances")
    assert (report.count, sum(report.class_regions)) == (3, 6)
    assert len(report.skipped) == 6
    assert {str(each.reason) for each in report.skipped} == {
        "it is a file that Cellpose writes beside the masks"
    }


@pytest.mark.parametrize(("start", "count"), [("m", 1), ("mask_", 0), ("", 0)])
def test_letters_before_the_numbers_of_masks_are_pointed_out(
    tmp_path: Path, start: str, count: int
) -> None:
    for name in ("id0", "id1"):
        pictures(tmp_path / name / "images", [f"{name}.png"])
        (tmp_path / name / "masks").mkdir()
        for number in range(1, 4):
            mask = np.zeros((HEIGHT, WIDTH), np.uint8)
            mask[5 * number : 5 * number + 4] = 255
            Image.fromarray(mask).save(tmp_path / name / "masks" / f"{start}{number}.png")
    report = preview(tmp_path, "instances")
    assert sum(report.class_regions) == 6
    assert sum("m1, m2, m3, which were read as" in str(each) for each in report.warnings) == count


# What is not read is named.


def test_lists_of_images_are_pointed_out(tmp_path: Path) -> None:
    """As of Food-101 and CUB-200."""
    names = [f"{label}/{name}" for label in LABELS[:2] for name in NAMES]
    pictures(tmp_path / "images", names)
    write(tmp_path / "meta" / "train.txt", "".join(f"{name[:-4]}\n" for name in names[:5]))
    write(tmp_path / "images.txt", "".join(f"{n} {name}\n" for n, name in enumerate(names, 1)))
    write(tmp_path / "classes.txt", "1 cat\n2 dog\n")
    report = preview(tmp_path, "classification")
    found = [text for text in report.warnings if "list images of this folder" in text]
    assert len(found) == 1
    assert found[0].startswith("2 text files list images of this folder")


@pytest.mark.parametrize(("start", "word"), [("cat.", "cat"), ("fire_ant_", "fire_ant")])
def test_names_that_begin_with_classes_are_pointed_out(
    tmp_path: Path, start: str, word: str
) -> None:
    pictures(tmp_path, [f"{begin}{n}.jpg" for begin in (start, "pug_") for n in range(4)])
    assert f"{start}0.jpg with “{word}”" in refusal(tmp_path)
    for path in tmp_path.iterdir():
        path.rename(path.with_stem(path.stem.replace("pug_", start + "9")))
    assert "begin with the classes" not in refusal(tmp_path)


def test_archives_inside_are_named(tmp_path: Path) -> None:
    pictures(tmp_path, [f"{label}/{name}" for label in LABELS[:2] for name in NAMES])
    (tmp_path / "bird.zip").write_bytes(b"PK")
    (entry,) = preview(tmp_path).skipped
    assert (entry.path, "unpack it" in entry.reason) == ("bird.zip", True)


@pytest.mark.parametrize("place", ["folder", "archive"])
def test_files_beside_images_without_class_folders_are_named(tmp_path: Path, place: str) -> None:
    """As of WebDataset, and of tools with a file for each image."""
    pictures(tmp_path / "in")
    for name in NAMES:
        write(tmp_path / "in" / f"{name[:-4]}.cls", "1")
    source = tmp_path / "in"
    if place == "archive":
        source = Path(shutil.make_archive(str(tmp_path / "shard"), "tar", source))
    assert "Files there that are not read: a0.cls, a1.cls." in refusal(source, "classification")


def test_other_files_are_named_where_annotations_are_missing(tmp_path: Path) -> None:
    pictures(tmp_path)
    for name in ("README.txt", "notes.md", "data/labels.h5", "sub/sub/more.json"):
        write(tmp_path / name, "{}")
    write(tmp_path / "t.csv", "Datei,Wert\nx,1\n")
    said = refusal(tmp_path, "detection")
    assert "Files there that are not read: t.csv, data/labels.h5, sub/sub/more.json." in said
    assert "The first line of t.csv is “Datei,Wert”; a table with annotations has the" in said
    assert "t.csv" in refusal(tmp_path, "segmentation")
    for path in tmp_path.rglob("*.*"):
        if path.suffix not in (".jpg", ".md"):
            path.unlink()
    assert "Files there" not in refusal(tmp_path, "detection")


# Numbers that mean something else than they say.

CENTERS: dict[str, tuple[list[float], list[float], float]] = {
    "fractions": ([0.2, 0.85, 0.9, 0.8, 0.5, 0.85], [0.2, 0.8, 0.9, 0.8, 0.5, 0.85], 0.2),
    "pixels": ([5, 35, 35, 36, 20, 34], [5, 25, 25, 25, 15, 24], 8),
}


@pytest.mark.parametrize("kind", CENTERS)
def test_centers_that_are_called_left_and_top_are_refused(tmp_path: Path, kind: str) -> None:
    pictures(tmp_path)
    xs, ys, side = CENTERS[kind]
    cells = rows(NAMES, "a", xs, ys, side, side)
    table = write(tmp_path / "boxes.csv", f"image,class,x,y,w,h\n{cells}")
    said = refusal(tmp_path, "detection")
    assert "of 6 boxes leave their images if “x” and “y” are the left and upper side" in said
    write(table, f"image,class,x_center,y_center,w,h\n{cells}")
    assert preview(tmp_path, "detection").class_numbers == {"a": 6}


STARTS, SIDES = [5.5, 7, 12.5, 4, 15.5, 16], [5, 4, 7, 6, 9, 8]


def test_centers_that_leave_no_image_are_refused(tmp_path: Path) -> None:
    pictures(tmp_path)
    cells = rows(NAMES, "a", STARTS, STARTS, SIDES, SIDES)
    table = write(tmp_path / "boxes.csv", f"image,class,x,y,w,h\n{cells}")
    assert "“x” and “y” of 6 boxes are whole pixels where" in refusal(tmp_path, "detection")
    write(table, f"image,class,x_center,y_center,w,h\n{cells}")
    assert preview(tmp_path, "detection").class_numbers == {"a": 6}


def _coco_of(
    boxes: Sequence[Sequence[float]], size: tuple[int, int] = (WIDTH, HEIGHT), area: float = 0
) -> object:
    return {
        "images": [
            {"id": n, "file_name": name, "width": size[0], "height": size[1]}
            for n, name in enumerate(NAMES)
        ],
        "annotations": [
            {"id": n, "image_id": n, "category_id": 1, "bbox": box, "area": area}
            for n, box in enumerate(boxes)
        ],
        "categories": [{"id": 1, "name": "a"}],
    }


def test_centers_in_coco_that_leave_no_image_are_pointed_out(tmp_path: Path) -> None:
    pictures(tmp_path)
    boxes = [[start, start, side, side] for start, side in zip(STARTS, SIDES, strict=True)]
    write(tmp_path / "a.json", _coco_of(boxes))
    (said,) = preview(tmp_path, "detection").warnings
    assert "appear to be the center of a box: they are half pixels" in str(said)


@pytest.mark.parametrize("has_area", [True, False])
def test_percent_in_images_of_about_100_pixels_is_pointed_out(
    tmp_path: Path, has_area: bool
) -> None:
    size, area = (110, 95), 21 * 15 if has_area else 0
    pictures(tmp_path)
    for name in NAMES:
        with Image.open(tmp_path / name) as image:
            image.resize(size).save(tmp_path / name)
    pixels = [[13 * n + 1, 14 * n + 1, 21, 15] for n in range(len(NAMES))]
    percent = [
        [100 * side / sides for side, sides in zip(box, size * 2, strict=True)] for box in pixels
    ]
    write(tmp_path / "a.json", _coco_of(percent, size, area))
    said = " ".join(map(str, preview(tmp_path, "detection").warnings))
    assert "appear to be percent of width and height" in said
    assert ("areas of 6 boxes are those of boxes whose numbers are" in said) == has_area
    write(tmp_path / "a.json", _coco_of(pixels, size, area))
    assert not preview(tmp_path, "detection").warnings


@pytest.mark.parametrize(("factor", "names"), [(1, "x,y,w,h"), (0.03, "left,top,width,height")])
def test_corners_that_are_called_width_and_height_are_refused(
    tmp_path: Path, factor: float, names: str
) -> None:
    pictures(tmp_path)
    starts, ends = [2, 20, 15, 22, 25, 12], [12, 28, 29, 30, 29, 20]
    cells = rows(
        NAMES, "a", *([side * factor for side in each] for each in (starts, starts, ends, ends))
    )
    table = write(tmp_path / "boxes.csv", f"image,class,{names}\n{cells}")
    last = names.split(",")[2:]
    assert f"if “{last[0]}” and “{last[1]}” are the width and" in refusal(tmp_path, "detection")
    write(table, f"image,class,xmin,ymin,xmax,ymax\n{cells}")
    assert preview(tmp_path, "detection").class_numbers == {"a": 6}


@pytest.mark.parametrize("is_in_order", [True, False])
def test_boxes_of_which_many_have_exchanged_sides_are_pointed_out(
    tmp_path: Path, is_in_order: bool
) -> None:
    pictures(tmp_path)
    sides = [2, 3, 12, 14] if is_in_order else [12, 14, 2, 3]
    write(tmp_path / "boxes.csv", rows(NAMES, *sides, "a"))
    said = " ".join(map(str, preview(tmp_path, "detection").warnings))
    assert ("The right side of 6 of 6 boxes is left of" in said) != is_in_order


def test_fractions_with_boxes_that_leave_their_images_are_no_pixels(tmp_path: Path) -> None:
    pictures(tmp_path / "in")
    xs = [0.0, 0.1, 0.2, 0.0, 0.9, 0.8]
    table = "image,class,x,y,w,h\n" + rows(NAMES, "a", xs, 0, [0.5] * 4 + [0.25, 0.4], 0.5)
    write(tmp_path / "in" / "boxes.csv", table)
    found = boxes_of(tmp_path / "in", tmp_path / "out")
    ((_, corners),) = found["a4.jpg"]
    assert corners == pytest.approx([36, 0, 40, 15])


@pytest.mark.parametrize("are_corners", [True, False])
def test_areas_of_coco_tell_corners(tmp_path: Path, are_corners: bool) -> None:
    pictures(tmp_path)
    area = (24 - 10) * (22 - 8) if are_corners else 24 * 22
    write(tmp_path / "a.json", coco(NAMES, areas={"bbox": [10, 8, 24, 22], "area": area}))
    found = [text for text in preview(tmp_path, "detection").warnings if "left, top" in text]
    assert len(found) == are_corners
    assert all(text.startswith("The areas of 6 boxes are those of boxes with") for text in found)


def test_classes_that_share_their_words_with_splits_are_pointed_out(tmp_path: Path) -> None:
    """As of Market-1501."""
    folders = ("bounding_box_train", "bounding_box_test", "query")
    pictures(tmp_path, [f"{folder}/{name}" for folder in folders for name in NAMES])
    (found,) = [text for text in preview(tmp_path).warnings if "called like splits" in text]
    assert "bounding_box_test, bounding_box_train" in found


@pytest.mark.parametrize("heading", ["cat,dog", "left,right"])
def test_names_of_images_are_no_classes(tmp_path: Path, heading: str) -> None:
    pictures(tmp_path)
    table = write(tmp_path / "t.csv", f"{heading}\n" + "a0.jpg,a1.jpg\na2.jpg,a3.jpg\n")
    assert "does not say which column has the classes" in refusal(table)


def test_dates_are_no_quantities(tmp_path: Path) -> None:
    pictures(tmp_path)
    dates = [20250115, 20241231, 20250601, 20250115, 20230301, 20250702]
    cells = [1.5, 2.5, 7, 8, 2, 1]
    table = write(tmp_path / "t.csv", "file,visit,weight\n" + rows(NAMES, dates, cells))
    report = preview(table, "regression")
    assert report.classes == ["weight"]
    assert any('"visit" has dates' in text for text in report.warnings)
    assert preview(table, "regression", target_columns=["visit"]).classes == ["visit"]


def test_folders_without_name_are_not_listed_as_kinds_of_defects(tmp_path: Path) -> None:
    pictures(tmp_path, [f"{split}/{n}.png" for split in ("train", "test") for n in "ab"])
    pictures(tmp_path, [f"test/scratch/{n}.png" for n in "ab"])
    assert "there are , " not in refusal(tmp_path, "anomaly")


def test_near_duplicates_in_given_splits_are_pointed_out(tmp_path: Path) -> None:
    pictures(tmp_path / "train", [f"{label}/{name}" for label in LABELS[:2] for name in NAMES])
    pictures(tmp_path / "test", [f"{label}/b{name}" for label in LABELS[:2] for name in NAMES[:1]])
    for folder in ("train/cat", "test/cat"):
        for path in (tmp_path / folder).iterdir():
            path.unlink()
    rng = np.random.default_rng(99)
    for number in range(4):
        photo = Image.fromarray(rng.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8))
        photo.save(tmp_path / "train" / "cat" / f"{number}.png")
        if number < 2:
            photo.save(tmp_path / "test" / "cat" / f"copy {number}.png")
    report = preview(tmp_path)
    (found,) = [text for text in report.warnings if "near-duplicates among" in text]
    assert "among the training images: 0 for validation, 2 for the test." in found
    assert "kept together" not in str(report.splits.text)


# Objects beside others.


def test_parts_of_objects_in_voc_are_reported(tmp_path: Path) -> None:
    pictures(tmp_path)
    box = "<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>30</xmax><ymax>20</ymax></bndbox>"
    part = f"<part><name>head</name>{box}</part>"
    for name in NAMES:
        entry = f"<object><name>person</name>{box}{part * 2}</object>"
        write(tmp_path / f"{name[:-4]}.xml", f"<annotation>{entry}</annotation>")
    report = preview(tmp_path, "detection")
    assert report.class_numbers == {"person": 6}
    assert [each.objects for each in report.skipped] == [2] * 6
    assert report.skipped[0].reason == "left out 2 boxes of parts of objects, such as heads"
