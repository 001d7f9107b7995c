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


def _write_labelme(folder: Path, pictures: Sequence[DrawnPicture]) -> None:
    for each in pictures:
        if each.fault != "not annotated":
            text = _labelme(each)
            text = text[:-9] if each.fault == DAMAGED_FILE else text
            (folder / f"{Path(each.name).stem}.json").write_text(text)


Write = Callable[[Sequence[DrawnPicture]], str]
_FILES: dict[str, Write] = {
    "tasks.json": _label_studio,
    "annotations.xml": _cvat,
    "via.json": _via,
    "_annotations.createml.json": _create_ml,
}


@pytest.mark.parametrize("name", [*_FILES, "labelme"])
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_everything_is_read_or_reported(name: str, data: st.DataObject) -> None:
    faults = PICTURE_FAULTS | ({DAMAGED_FILE} if name == "labelme" else set())
    pictures = data.draw(
        drawn_pictures({"outside", "empty", "twice", "no number", "no box"}, faults)
    )
    if name in {"via.json", "_annotations.createml.json"}:  # they have no sizes
        pictures = [
            DrawnPicture(each.name, each.boxes, each.fault.replace("other size", ""))
            for each in pictures
        ]
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
        write_pictures(folder, pictures)
        if name == "labelme":
            _write_labelme(folder, pictures)
        else:
            (folder / name).write_text(_FILES[name](pictures))
        check_accounting(_recipe(folder), contents, Path(place) / "out")
