"""Objects, classes and images that are read or reported are those of files of boxes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

from hypothesis import given, settings

from helpers.accounting import (
    BOX_FAULTS,
    CLASSES,
    HEIGHT,
    UNLISTED_CLASS,
    WIDTH,
    Contents,
    DrawnPicture,
    check_accounting,
    drawn_pictures,
    write_pictures,
)
from studio.engine.datasets.recipe import DatasetRecipe

_EXAMPLES = settings(max_examples=15, deadline=None)


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
            annotations.append(entry)
    document = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": numbers[name], "name": name} for name in CLASSES],
    }
    (folder / "instances.json").write_text(json.dumps(document))
    return Contents.of_pictures(pictures)


@given(drawn_pictures())
@_EXAMPLES
def test_coco(pictures: list[DrawnPicture]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        contents = write_coco(folder / "in", pictures)
        check_accounting(recipe(folder / "in"), contents, folder / "out")


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
            corners = ET.SubElement(entry, "bndbox")
            for key, value in zip(("xmin", "ymin", "xmax", "ymax"), box.corners, strict=True):
                ET.SubElement(corners, key).text = str(float(value))
        path = folder / "Annotations" / f"{Path(each.name).stem}.xml"
        path.write_bytes(ET.tostring(root))
    return Contents.of_pictures(pictures)


@given(
    drawn_pictures(
        faults=BOX_FAULTS - {"unlisted class"},  # the files themselves name the classes
    )
)
@_EXAMPLES
def test_voc(pictures: list[DrawnPicture]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        contents = write_voc(folder / "in", pictures)
        check_accounting(recipe(folder / "in"), contents, folder / "out")
