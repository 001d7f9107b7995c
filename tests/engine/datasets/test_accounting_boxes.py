"""Objects, classes and images that are read or reported are those of files of boxes."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.accounting import (
    BOX_FAULTS,
    CLASSES,
    DAMAGED_FILE,
    HEIGHT,
    PICTURE_FAULTS,
    UNLISTED_CLASS,
    WIDTH,
    Contents,
    DrawnBox,
    DrawnPicture,
    check_accounting,
    drawn_pictures,
    write_pictures,
)
from studio.engine.datasets.recipe import DatasetRecipe

_EXAMPLES = settings(max_examples=10, deadline=None)


def recipe(folder: Path) -> DatasetRecipe:
    fields = {"task": "detection", "source": str(folder), "val_percent": 0, "test_percent": 0}
    return DatasetRecipe.parse(fields | {"width": WIDTH, "height": HEIGHT})


def write_coco(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a COCO file beside the pictures."""
    write_pictures(folder, pictures)
    numbers = {name: number for number, name in enumerate([*CLASSES, UNLISTED_CLASS], start=1)}
    images: list[dict[str, object]] = []
    annotations: list[dict[str, object]] = []
    for number, each in enumerate(pictures):
        if each.fault == "not annotated":
            continue
        width, height = each.stated_size
        facts = {"id": number, "file_name": each.name, "width": width, "height": height}
        images.append(facts)
        for box in each.boxes:
            left, top, right, bottom = box.corners
            corners = [left, top, right - left, bottom - top]
            entry = {
                "id": len(annotations),
                "image_id": number,
                "category_id": numbers[box.label],
                "bbox": [None if math.isnan(side) else side for side in corners],
            }
            if box.fault == "no box":
                del entry["bbox"]
            if box.fault == "crowd":
                entry["iscrowd"] = 1
            annotations.append(entry)
    document = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": numbers[name], "name": name} for name in CLASSES],
    }
    (folder / "instances.json").write_text(json.dumps(document))
    return Contents.of_pictures(pictures)


def write_voc(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write an XML file for each picture; sides have decimals, so that they are edges."""
    write_pictures(folder / "JPEGImages", pictures)
    (folder / "Annotations").mkdir()
    for each in pictures:
        if each.fault == "not annotated":
            continue
        root = ET.Element("annotation")
        ET.SubElement(root, "filename").text = each.name
        size = ET.SubElement(root, "size")
        for key, side in zip(("width", "height"), each.stated_size, strict=True):
            ET.SubElement(size, key).text = str(side)
        for box in each.boxes:
            entry = ET.SubElement(root, "object")
            ET.SubElement(entry, "name").text = box.label
            if box.fault == "no box":
                continue
            if box.fault == "crowd":
                ET.SubElement(entry, "crowd").text = "1"
            corners = ET.SubElement(entry, "bndbox")
            for key, value in zip(("xmin", "ymin", "xmax", "ymax"), box.corners, strict=True):
                ET.SubElement(corners, key).text = str(float(value))
        path = folder / "Annotations" / f"{Path(each.name).stem}.xml"
        text = ET.tostring(root)
        path.write_bytes(text[:-9] if each.fault == DAMAGED_FILE else text)
    return Contents.of_pictures(pictures)


def write_yolo(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a text file of YOLO for each picture, and the names of the classes."""
    write_pictures(folder / "images", pictures)
    (folder / "labels").mkdir()
    (folder / "data.yaml").write_text(f"names: [{', '.join(CLASSES)}]\n")
    numbers = {name: number for number, name in enumerate([*CLASSES, UNLISTED_CLASS])}
    for each in pictures:
        lines = []
        for box in each.boxes:
            left, top, right, bottom = box.corners
            center = (left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT
            sides = (right - left) / WIDTH, (bottom - top) / HEIGHT
            values = (*center, *sides)[: 2 if box.fault == "no box" else 4]
            lines.append(f"{numbers[box.label]} {' '.join(map(str, values))}\n")
        if each.fault != "not annotated":
            (folder / "labels" / f"{Path(each.name).stem}.txt").write_text("".join(lines))
    return _of_texts(pictures)


def _of_texts(pictures: Sequence[DrawnPicture]) -> Contents:
    """Count pictures; of one that does not exist, only the text file can be reported."""
    contents = Contents.of_pictures(pictures)
    contents.images = {
        f"{Path(each.name).stem}.txt" if each.fault == "missing" else each.name
        for each in pictures
    }
    return contents


def write_kitti(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a text file of KITTI for each picture."""
    write_pictures(folder / "image_2", pictures)
    (folder / "label_2").mkdir()
    for each in pictures:
        lines = []
        for box in each.boxes:
            name = "DontCare" if box.fault == "crowd" else box.label
            corners = box.corners[: 2 if box.fault == "no box" else 4]
            lines.append(f"{name} 0.0 0 -10 {' '.join(map(str, corners))}\n")
        if each.fault != "not annotated":
            (folder / "label_2" / f"{Path(each.name).stem}.txt").write_text("".join(lines))
    return _of_texts(pictures)


def write_csv(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a table with a row for each box; pictures without objects have a row, too."""
    write_pictures(folder, pictures)
    header = ["filename", "image_width", "image_height", "class"]
    rows = [[*header, "xmin", "ymin", "xmax", "ymax", "iscrowd"]]
    for each in pictures:
        if each.fault == "not annotated":
            continue
        head = [each.name, *map(str, each.stated_size)]
        for box in each.boxes:
            sides = ["?" if math.isnan(side) else str(side) for side in box.corners]
            sides = [""] * 4 if box.fault == "no box" else sides
            rows.append([*head, box.label, *sides, str(int(box.fault == "crowd"))])
        if not each.boxes:
            rows.append([*head, *[""] * 6])
    with (folder / "boxes.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return Contents.of_pictures(pictures)


def write_json_lines(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a line for each picture with lists of boxes and classes, as Hugging Face has them."""
    write_pictures(folder, pictures)
    lines = []
    for each in pictures:
        boxes = []
        for box in each.boxes:
            left, top, right, bottom = box.corners
            sides = [left, top, right - left, bottom - top]
            written = [None if math.isnan(side) else side for side in sides]
            boxes.append([] if box.fault == "no box" else written)
        objects = {"bbox": boxes, "category": [box.label for box in each.boxes]}
        if each.fault != "not annotated":
            lines.append(json.dumps({"file_name": each.name, "objects": objects}) + "\n")
    (folder / "metadata.jsonl").write_text("".join(lines))
    return Contents.of_pictures(pictures)


def write_json_objects(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write the objects of each picture below its name, with a member for each side."""
    write_pictures(folder, pictures)
    names = ("left", "top", "right", "bottom")
    document = {}
    for each in pictures:
        objects = []
        for box in each.boxes:
            sides = [None if math.isnan(side) else side for side in box.corners]
            entry: dict[str, object] = {"label": box.label, "iscrowd": box.fault == "crowd"}
            if box.fault != "no box":
                entry |= dict(zip(names, sides, strict=True))
            objects.append(entry)
        if each.fault != "not annotated":
            document[each.name] = {"objects": objects}
    (folder / "boxes.json").write_text(json.dumps(document, indent=1))
    return Contents.of_pictures(pictures)


def write_open_images(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a table of fractions with codes of classes, and a table with their names."""
    write_pictures(folder / "images", pictures)
    codes = {name: f"/m/0{number}" for number, name in enumerate(CLASSES)}
    names = "".join(f"{code},{name}\n" for name, code in codes.items())
    (folder / "class-descriptions-boxable.csv").write_text(names)
    rows = [["ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax", "IsGroupOf"]]
    for each in pictures:
        for box in each.boxes:
            left, top, right, bottom = box.corners
            sides = left / WIDTH, right / WIDTH, top / HEIGHT, bottom / HEIGHT
            cells = ["?" if math.isnan(side) else str(side) for side in sides]
            cells = [""] * 4 if box.fault == "no box" else cells
            crowd = str(int(box.fault == "crowd"))
            rows.append([Path(each.name).stem, codes[box.label], *cells, crowd])
    with (folder / "train-annotations-bbox.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    contents = Contents.of_pictures(pictures)
    contents.images = {
        Path(each.name).stem if each.fault == "missing" else each.name
        for each in pictures
        if each.fault != "missing" or each.boxes
    }
    return contents


def write_visdrone(folder: Path, pictures: Sequence[DrawnPicture]) -> Contents:
    """Write a text file of VisDrone for each picture: a bolt is a car, and a nut a van."""
    write_pictures(folder / "images", pictures)
    (folder / "annotations").mkdir()
    numbers = {"bolt": 4, "nut": 5, UNLISTED_CLASS: 77}
    for each in pictures:
        lines = []
        for box in each.boxes:
            left, top, right, bottom = box.corners
            values = [left, top, right - left, bottom - top, 1]
            values += [0 if box.fault == "crowd" else numbers[box.label], 0, 0]
            lines.append(",".join(map(str, values[: 3 if box.fault == "no box" else 8])) + "\n")
        if each.fault != "not annotated":
            (folder / "annotations" / f"{Path(each.name).stem}.txt").write_text("".join(lines))
    contents = _of_texts(pictures)
    names = {"bolt": "car", "nut": "van"}
    counts = contents.objects.items()
    contents.objects = Counter({names.get(name, name): count for name, count in counts})
    contents.readable_classes = {names[name] for name in contents.readable_classes}
    return contents


Write = Callable[[Path, Sequence[DrawnPicture]], Contents]
_ANY_CLASS = BOX_FAULTS - {"unlisted class"}
"""Faults of objects in files that name the class of each one."""
_WITHOUT_SIZE = PICTURE_FAULTS - {"other size"}
_FORMATS: dict[str, tuple[Write, Collection[str], Collection[str]]] = {
    "coco": (write_coco, BOX_FAULTS, PICTURE_FAULTS),
    "voc": (write_voc, _ANY_CLASS, PICTURE_FAULTS | {DAMAGED_FILE}),
    "yolo": (write_yolo, BOX_FAULTS - {"crowd"}, _WITHOUT_SIZE),
    "kitti": (write_kitti, _ANY_CLASS, _WITHOUT_SIZE),
    "csv": (write_csv, _ANY_CLASS, PICTURE_FAULTS),
    "json lines": (write_json_lines, _ANY_CLASS - {"crowd"}, _WITHOUT_SIZE),
    "json objects": (write_json_objects, _ANY_CLASS, _WITHOUT_SIZE),
    # Fractions are known by nearly all sides being below 1: few may be outside.
    "open images": (
        write_open_images,
        _ANY_CLASS - {"outside"},
        _WITHOUT_SIZE - {"not annotated"},
    ),
    "visdrone": (write_visdrone, BOX_FAULTS, _WITHOUT_SIZE),
}
"""Writer of each format, and the faults of objects and pictures that it can express."""


@pytest.mark.parametrize("name", _FORMATS)
@given(data=st.data())
@_EXAMPLES
def test_everything_is_read_or_reported(name: str, data: st.DataObject) -> None:
    write, faults, picture_faults = _FORMATS[name]
    fine = DrawnPicture("fine.png", (DrawnBox(CLASSES[0], (1, 1, 9, 9)),))
    pictures = [fine, *data.draw(drawn_pictures(faults, picture_faults))]
    with TemporaryDirectory() as place:
        folder = Path(place)
        contents = write(folder / "in", pictures)
        check_accounting(recipe(folder / "in"), contents, folder / "out")
