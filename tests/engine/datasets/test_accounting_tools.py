"""Shapes, classes and images that are read or reported are those of files of annotation tools."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.accounting import (
    DAMAGED_FILE,
    HEIGHT,
    PICTURE_FAULTS,
    WIDTH,
    Contents,
    DrawnBox,
    DrawnPicture,
    check_accounting,
    drawn_pictures,
    write_pictures,
)
from studio.engine.datasets.recipe import DatasetRecipe

_NAMES = {"": "rectangle", "no box": "keypoint"}
"""What is drawn for an object, by its fault: a point has no box."""


def _recipe(folder: Path) -> DatasetRecipe:
    fields = {"task": "detection", "source": str(folder), "val_percent": 0, "test_percent": 0}
    return DatasetRecipe.parse(fields | {"width": WIDTH, "height": HEIGHT})


def _sides(box: DrawnBox) -> tuple[Any, Any, Any, Any]:
    left, top, right, bottom = box.corners
    if math.isnan(left):
        return (None,) * 4
    return left, top, right - left, bottom - top


def _label_studio(pictures: Sequence[DrawnPicture]) -> str:
    tasks = []
    for number, picture in enumerate(pictures):
        if picture.fault == "not annotated":
            tasks.append({"id": number, "data": {"image": picture.name}, "annotations": []})
            continue
        width, height = picture.stated_size
        results: list[dict[str, Any]] = []
        for index, box in enumerate(picture.boxes):
            values = {
                name: None if side is None else 100 * side / full
                for name, side, full in zip(
                    ("x", "y", "width", "height"), _sides(box), (width, height) * 2, strict=True
                )
            }
            kind = _NAMES.get(box.fault, "rectangle")
            results.append(
                {
                    "id": f"{number}-{index}",
                    "type": f"{kind}labels",
                    "original_width": width,
                    "original_height": height,
                    "value": values | {f"{kind}labels": [box.label]},
                }
            )
        data = {"image": f"/data/upload/3/0123abcd-{picture.name}"}
        # A skipped annotation and one of another person, with copies of the same objects.
        several = [{"result": results, "was_cancelled": True}, {"result": results}]
        several = several[: 2 * (number % 2)]
        tasks.append({"id": number, "data": data, "annotations": [*several, {"result": results}]})
    return json.dumps(tasks)


def _cvat(pictures: Sequence[DrawnPicture]) -> str:
    root = ET.Element("annotations")
    ET.SubElement(root, "version").text = "1.1"
    for picture in pictures:
        if picture.fault == "not annotated":
            continue
        width, height = map(str, picture.stated_size)
        facts = {"name": picture.name, "width": width, "height": height}
        image = ET.SubElement(root, "image", facts)
        for box in picture.boxes:
            if box.fault == "no box":
                ET.SubElement(image, "points", {"label": box.label, "points": "1,1"})
                continue
            corners = map(str, box.corners)
            sides = dict(zip(("xtl", "ytl", "xbr", "ybr"), corners, strict=True))
            ET.SubElement(image, "box", {"label": box.label} | sides)
    return ET.tostring(root, encoding="unicode")


def _via(pictures: Sequence[DrawnPicture]) -> str:
    files = {}
    for picture in pictures:
        regions: list[dict[str, Any]] = []
        for box in picture.boxes:
            shape = dict(zip(("x", "y", "width", "height"), _sides(box), strict=True))
            shape["name"] = "point" if box.fault == "no box" else "rect"
            regions.append({"shape_attributes": shape, "region_attributes": {"kind": box.label}})
        if picture.fault != "not annotated":
            files[f"{picture.name}7"] = {"filename": picture.name, "regions": regions}
    return json.dumps({"_via_img_metadata": files})


def _create_ml(pictures: Sequence[DrawnPicture]) -> str:
    entries = []
    for picture in pictures:
        boxes: list[dict[str, Any]] = []
        for box in picture.boxes:
            left, top, width, height = _sides(box)
            center = {} if left is None else {"x": left + width / 2, "y": top + height / 2}
            entry: dict[str, Any] = {"label": box.label}
            if box.fault != "no box":
                entry["coordinates"] = {"width": width, "height": height} | center
            boxes.append(entry)
        if picture.fault != "not annotated":
            entries.append({"image": picture.name, "annotations": boxes})
    return json.dumps(entries)


def _labelme(picture: DrawnPicture) -> str:
    shapes: list[dict[str, Any]] = []
    for box in picture.boxes:
        left, top, right, bottom = (None if math.isnan(side) else side for side in box.corners)
        points = [[left, top], [right, bottom]]
        kind = "point" if box.fault == "no box" else "rectangle"
        points = points[:1] if kind == "point" else points
        shapes.append({"label": box.label, "shape_type": kind, "points": points})
    width, height = picture.stated_size
    facts = {"imagePath": picture.name, "imageWidth": width, "imageHeight": height}
    return json.dumps({"version": "5", "shapes": shapes, "imageData": None} | facts)


def _bdd100k(pictures: Sequence[DrawnPicture]) -> str:
    entries = []
    for picture in pictures:
        labels: list[dict[str, Any]] = []
        for number, box in enumerate(picture.boxes):
            sides = [None if math.isnan(side) else side for side in box.corners]
            shape: dict[str, Any] = {
                "box2d": dict(zip(("x1", "y1", "x2", "y2"), sides, strict=True))
            }
            if box.fault == "no box":  # a lane is an open line
                shape = {"poly2d": [{"vertices": [[1, 1], [5, 5]], "closed": False}]}
            labels.append({"id": str(number), "category": box.label} | shape)
        if picture.fault != "not annotated":
            entries.append({"name": picture.name, "labels": labels})
    return json.dumps(entries)


def _supervisely(picture: DrawnPicture) -> str:
    entries: list[dict[str, Any]] = []
    for box in picture.boxes:
        left, top, right, bottom = (None if math.isnan(side) else side for side in box.corners)
        corners = [[left, top], [right, bottom]]
        kind = "point" if box.fault == "no box" else "rectangle"
        points = {"exterior": corners[:1] if kind == "point" else corners, "interior": []}
        entries.append({"classTitle": box.label, "geometryType": kind, "points": points})
    width, height = picture.stated_size
    size = {"width": width, "height": height}
    return json.dumps({"description": "", "tags": [], "size": size, "objects": entries})


def _write_supervisely(folder: Path, pictures: Sequence[DrawnPicture]) -> None:
    (folder / "ann").mkdir()
    for each in pictures:
        if each.fault != "not annotated":
            text = _supervisely(each)
            text = text[:-9] if each.fault == DAMAGED_FILE else text
            (folder / "ann" / f"{each.name}.json").write_text(text)


def _wider_face(pictures: Sequence[DrawnPicture]) -> str:
    lines: list[str] = []
    for picture in pictures:
        if picture.fault == "not annotated":
            continue
        lines += [picture.name, str(len(picture.boxes))]
        for box in picture.boxes:
            left, top, width, height = _sides(box)
            sides = ["?" if left is None else str(side) for side in (left, top, width, height)]
            is_invalid = int(box.fault == "no box")
            lines.append(" ".join([*sides, "0", "0", "0", str(is_invalid), "0", "0"]))
        if not picture.boxes:
            lines.append("0 0 0 0 0 0 0 0 0 0")
    return "\n".join(lines) + "\n"


def _write_labelme(folder: Path, pictures: Sequence[DrawnPicture]) -> None:
    for each in pictures:
        if each.fault != "not annotated":
            text = _labelme(each)
            text = text[:-9] if each.fault == DAMAGED_FILE else text
            (folder / f"{Path(each.name).stem}.json").write_text(text)


def _with_class(picture: DrawnPicture, label: str) -> DrawnPicture:
    # Those without a fault come first: the file is recognized by its first numbers.
    boxes = tuple(
        DrawnBox(label, box.corners, box.fault)
        for box in sorted(picture.boxes, key=lambda box: bool(box.fault))
    )
    return DrawnPicture(picture.name, boxes, picture.fault)


Write = Callable[[Sequence[DrawnPicture]], str]
_FILES: dict[str, Write] = {
    "tasks.json": _label_studio,
    "annotations.xml": _cvat,
    "via.json": _via,
    "_annotations.createml.json": _create_ml,
    "bdd100k.json": _bdd100k,
    "wider_face_train_bbx_gt.txt": _wider_face,
}
_WITHOUT_SIZES = {
    "via.json",
    "_annotations.createml.json",
    "bdd100k.json",
    "wider_face_train_bbx_gt.txt",
}
_OF_ONE_PICTURE = {"labelme": _write_labelme, "supervisely": _write_supervisely}


@pytest.mark.parametrize("name", [*_FILES, *_OF_ONE_PICTURE])
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_everything_is_read_or_reported(name: str, data: st.DataObject) -> None:
    faults = PICTURE_FAULTS | ({DAMAGED_FILE} if name in _OF_ONE_PICTURE else set())
    pictures = data.draw(
        drawn_pictures({"outside", "empty", "twice", "no number", "no box"}, faults)
    )
    if name in _WITHOUT_SIZES:
        pictures = [
            DrawnPicture(each.name, each.boxes, each.fault.replace("other size", ""))
            for each in pictures
        ]
    if name.startswith("wider_face"):  # all faces are of one class
        pictures = [_with_class(each, "face") for each in pictures]
    contents = Contents.of_pictures(pictures)
    if name == "tasks.json":
        copies = Counter(
            box.label
            for each in pictures[1::2]
            for box in each.boxes
            if each.fault != "not annotated"
        )
        contents.objects += copies + copies
        contents.images = {
            f"0123abcd-{each.name}" if each.fault == "missing" else each.name for each in pictures
        }
    with TemporaryDirectory() as place:
        folder = Path(place) / "in"
        write_pictures(folder / "img" if name == "supervisely" else folder, pictures)
        if name in _OF_ONE_PICTURE:
            _OF_ONE_PICTURE[name](folder, pictures)
        else:
            (folder / name).write_text(_FILES[name](pictures))
        check_accounting(_recipe(folder), contents, Path(place) / "out")
