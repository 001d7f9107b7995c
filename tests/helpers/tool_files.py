"""Files of annotation tools, written after their documentation; independent of what reads them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from helpers.box_files import SIZE

WIDTH, HEIGHT = SIZE


@dataclass
class Drawn:
    """A shape: sides of a "box" or an "ellipse" (left, top, right, bottom), corners, or pixels."""

    label: str
    kind: str
    values: Any
    turn: float = 0


@dataclass
class Picture:
    """A picture with shapes."""

    name: str
    shapes: list[Drawn] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def rle_pack(values: NDArray[np.uint8], sizes: Sequence[int] = (3, 8, 10, 16)) -> list[int]:
    """Pack bytes as Label Studio packs brushes: runs, and single bytes one by one.

    Args:
        values: RGBA of all pixels, flat.
        sizes: Numbers of bits of the four kinds of lengths.
    """
    bits: list[str] = [f"{values.size:032b}", f"{8 - 1:05b}"]
    bits += [f"{size - 1:04b}" for size in sizes]
    ends = [*(np.flatnonzero(np.diff(values)) + 1).tolist(), values.size]
    start = 0
    single: list[int] = []

    def length(count: int) -> str:
        which = next(index for index, size in enumerate(sizes) if count - 1 < 2**size)
        return f"{which:02b}" + f"{count - 1:0{sizes[which]}b}"

    def flush() -> None:
        if single:
            bits.append("0" + length(len(single)) + "".join(f"{each:08b}" for each in single))
            single.clear()

    for end in ends:
        while start < end:
            count = min(end - start, 2 ** sizes[-1])
            if count == 1 and len(single) < 200:
                single.append(int(values[start]))
            else:
                flush()
                bits.append("1" + length(count) + f"{int(values[start]):08b}")
            start += count
    flush()
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return [int(text[at : at + 8], 2) for at in range(0, len(text), 8)]


def brush(mask: NDArray[np.bool_]) -> list[int]:
    """Return a mask as RGBA pixels of a brush, packed."""
    pixels = np.zeros((*mask.shape, 4), np.uint8)
    pixels[mask] = (255, 120, 0, 255)
    pixels[~mask, 0] = 7  # colors alone do not matter
    return rle_pack(pixels.ravel())


def _percent(x: float, y: float) -> list[float]:
    return [100 * x / WIDTH, 100 * y / HEIGHT]


def label_studio_result(shape: Drawn, number: int = 0) -> dict[str, Any]:
    """Return a shape as an entry of the result of an annotation."""
    sides: dict[str, Any]
    kind = {"box": "rectangle", "pixels": "brush"}.get(shape.kind, shape.kind)
    if shape.kind == "box":
        left, top, right, bottom = shape.values
        x, y = _percent(left, top)
        width, height = _percent(right - left, bottom - top)
        sides = {"x": x, "y": y, "width": width, "height": height, "rotation": shape.turn}
    elif shape.kind == "ellipse":
        left, top, right, bottom = shape.values
        x, y = _percent((left + right) / 2, (top + bottom) / 2)
        width, height = _percent((right - left) / 2, (bottom - top) / 2)
        sides = {"x": x, "y": y, "radiusX": width, "radiusY": height, "rotation": shape.turn}
    elif shape.kind == "polygon":
        sides = {"points": [_percent(*point) for point in shape.values], "closed": True}
    elif shape.kind == "pixels":
        sides = {"format": "rle", "rle": brush(shape.values)}
    else:
        kind = "keypoint"  # it has no lines
        x, y = _percent(*np.ravel(shape.values)[:2].tolist())
        sides = {"x": x, "y": y, "width": 0.5}
    return {
        "id": f"r{number}",
        "type": f"{kind}labels",
        "from_name": "label",
        "to_name": "image",
        "original_width": WIDTH,
        "original_height": HEIGHT,
        "image_rotation": 0,
        "value": {**sides, f"{kind}labels": [shape.label]},
    }


def label_studio_task(picture: Picture, number: int, image: str = "") -> dict[str, Any]:
    """Return a task with one annotation."""
    results = [label_studio_result(each, index) for index, each in enumerate(picture.shapes)]
    if picture.tags:
        results.append(
            {
                "id": "tags",
                "type": "choices",
                "from_name": "choice",
                "to_name": "image",
                "value": {"choices": picture.tags},
            }
        )
    return {
        "id": number,
        "annotations": [
            {
                "id": 10 * number,
                "completed_by": 1,
                "result": results,
                "was_cancelled": False,
                "ground_truth": False,
            }
        ],
        "file_upload": f"a1b2c3d4-{picture.name}",
        "data": {"image": image or f"/data/upload/1/a1b2c3d4-{picture.name}"},
        "predictions": [],
    }


def label_studio(pictures: Sequence[Picture]) -> str:
    """Return the complete JSON."""
    return json.dumps([label_studio_task(each, n) for n, each in enumerate(pictures, 1)])


def _min_entries(pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    entries = []
    for number, each in enumerate(pictures, 1):
        task = label_studio_task(each, number)
        results = task["annotations"][0]["result"]
        regions = [
            result["value"] | {key: result[key] for key in ("original_width", "original_height")}
            for result in results
            if result["type"] != "choices"
        ]
        entry: dict[str, Any] = {"image": task["data"]["image"], "id": number}
        if regions:
            entry["label"] = regions
        if each.tags:
            entry["choice"] = each.tags[0] if len(each.tags) == 1 else {"choices": each.tags}
        entries.append(entry | {"annotator": 1, "annotation_id": 10 * number, "lead_time": 1.5})
    return entries


def label_studio_min(pictures: Sequence[Picture]) -> str:
    """Return JSON-MIN."""
    return json.dumps(_min_entries(pictures))


def label_studio_csv(pictures: Sequence[Picture]) -> str:
    """Return the table."""
    names = ["annotation_id", "annotator", "choice", "id", "image", "label", "lead_time"]
    file = io.StringIO()
    table = csv.DictWriter(file, names)
    table.writeheader()
    for entry in _min_entries(pictures):
        table.writerow(
            {
                key: json.dumps(value) if isinstance(value, list | dict) else value
                for key, value in entry.items()
            }
        )
    return file.getvalue()


def cvat(pictures: Sequence[Picture]) -> str:
    """Return XML "for images"."""
    root = ET.Element("annotations")
    ET.SubElement(root, "version").text = "1.1"
    for number, picture in enumerate(pictures):
        facts = {"id": str(number), "name": picture.name}
        facts |= {"width": str(WIDTH), "height": str(HEIGHT)}
        image = ET.SubElement(root, "image", facts)
        for tag in picture.tags:
            ET.SubElement(image, "tag", {"label": tag, "source": "manual"})
        for order, shape in enumerate(picture.shapes):
            element = cvat_shape(image, shape)
            element.set("z_order", str(order))
        image[:] = [*image][::-1]
    return ET.tostring(root, encoding="unicode")


def cvat_shape(parent: ET.Element, shape: Drawn) -> ET.Element:
    """Add a shape to an image or a track."""
    values: dict[str, object]
    if shape.kind == "box":
        values = dict(zip(("xtl", "ytl", "xbr", "ybr"), shape.values, strict=True))
    elif shape.kind == "ellipse":
        left, top, right, bottom = shape.values
        values = {"cx": (left + right) / 2, "cy": (top + bottom) / 2}
        values |= {"rx": (right - left) / 2, "ry": (bottom - top) / 2}
    elif shape.kind == "pixels":
        rows, columns = np.nonzero(shape.values)
        left, top = int(columns.min()), int(rows.min())
        part = shape.values[top : rows.max() + 1, left : columns.max() + 1]
        runs, value, flat = [0], False, part.ravel().tolist()
        for each in flat:
            if each != value:
                runs.append(0)
                value = each
            runs[-1] += 1
        values = {"rle": ", ".join(map(str, runs)), "left": left, "top": top}
        values |= {"width": part.shape[1], "height": part.shape[0]}
    else:
        points = [shape.values] if shape.kind == "point" else shape.values
        values = {"points": ";".join(f"{x},{y}" for x, y in points)}
    if shape.turn:
        values["rotation"] = shape.turn
    name = {"pixels": "mask", "point": "points"}.get(shape.kind, shape.kind)
    texts = {key: str(value) for key, value in values.items()}
    return ET.SubElement(parent, name, {"label": shape.label, "occluded": "0"} | texts)


def _via_shape(shape: Drawn) -> dict[str, object]:
    if shape.kind == "box":
        left, top, right, bottom = shape.values
        return {"name": "rect", "x": left, "y": top, "width": right - left, "height": bottom - top}
    if shape.kind == "ellipse":
        left, top, right, bottom = shape.values
        center: dict[str, object] = {"cx": (left + right) / 2, "cy": (top + bottom) / 2}
        if right - left == bottom - top:
            return {"name": "circle", **center, "r": (right - left) / 2}
        radii = {"rx": (right - left) / 2, "ry": (bottom - top) / 2}
        return {"name": "ellipse", **center, **radii, "theta": math.radians(shape.turn)}
    if shape.kind == "point":
        return {"name": "point", "cx": shape.values[0], "cy": shape.values[1]}
    xs, ys = zip(*shape.values, strict=True)
    return {"name": shape.kind, "all_points_x": list(xs), "all_points_y": list(ys)}


def via(pictures: Sequence[Picture], *, is_project: bool = False, key: str = "class") -> str:
    """Return annotations or a project of version 2."""
    files = {
        f"{each.name}12345": {
            "filename": each.name,
            "size": 12345,
            "regions": [
                {"shape_attributes": _via_shape(shape), "region_attributes": {key: shape.label}}
                for shape in each.shapes
            ],
            "file_attributes": {},
        }
        for each in pictures
    }
    if not is_project:
        return json.dumps(files)
    head = {"_via_settings": {"project": {"name": "p"}}}
    attributes = {"_via_attributes": {"region": {key: {"type": "text"}}, "file": {}}}
    return json.dumps(head | {"_via_img_metadata": files} | attributes)


def via_3(pictures: Sequence[Picture]) -> str:
    """Return a project of version 3."""
    classes = sorted({shape.label for each in pictures for shape in each.shapes})
    metadata = {}
    for number, each in enumerate(pictures, 1):
        for index, shape in enumerate(each.shapes):
            values = list(_via_shape(shape).values())
            name = str(values.pop(0))
            code = {"point": 1, "rect": 2, "circle": 3, "ellipse": 4, "polyline": 6, "polygon": 7}
            if name in {"polygon", "polyline"}:
                values = [value for point in shape.values for value in point]
            if name == "ellipse":
                values = values[:4]
            av = {"1": str(classes.index(shape.label))}
            metadata[f"{number}_{index}"] = {
                "vid": str(number),
                "flg": 0,
                "z": [],
                "xy": [code[name], *values],
                "av": av,
            }
    numbered = list(enumerate(pictures, 1))
    return json.dumps(
        {
            "project": {"pid": "x", "vid_list": [str(number) for number, _ in numbered]},
            "attribute": {
                "1": {
                    "aname": "class",
                    "type": 4,
                    "options": {str(index): name for index, name in enumerate(classes)},
                }
            },
            "file": {str(n): {"fid": str(n), "fname": each.name} for n, each in numbered},
            "metadata": metadata,
            "view": {str(number): {"fid_list": [str(number)]} for number, _ in numbered},
        }
    )


def create_ml(pictures: Sequence[Picture]) -> str:
    """Return the list of Create ML."""
    entries = []
    for each in pictures:
        boxes = []
        for shape in each.shapes:
            left, top, right, bottom = shape.values
            sides = {"x": (left + right) / 2, "y": (top + bottom) / 2}
            sides |= {"width": right - left, "height": bottom - top}
            boxes.append({"label": shape.label, "coordinates": sides})
        entries.append({"image": each.name, "annotations": boxes})
    return json.dumps(entries)


def bdd100k(pictures: Sequence[Picture]) -> str:
    """Return the list of BDD100K."""
    entries = []
    for each in pictures:
        labels: list[dict[str, Any]] = []
        for number, shape in enumerate(each.shapes):
            label: dict[str, Any] = {"id": str(number), "category": shape.label}
            if shape.kind == "box":
                label["box2d"] = dict(zip(("x1", "y1", "x2", "y2"), shape.values, strict=True))
            else:
                points = _corners(shape)
                line = {"vertices": points, "types": "L" * len(points)}
                label["poly2d"] = [line | {"closed": len(points) > 2 and shape.kind != "polyline"}]
            labels.append(label)
        entries.append({"name": each.name, "attributes": {}, "labels": labels})
    return json.dumps(entries)


def _corners(shape: Drawn) -> list[list[float]]:
    """Return the corners of a shape that is no box."""
    if shape.kind == "point":
        return [[*shape.values]]
    if shape.kind != "ellipse":
        return [[*point] for point in shape.values]
    left, top, right, bottom = shape.values
    angles = np.linspace(0, 2 * np.pi, 128, endpoint=False)
    xs = (left + right) / 2 + (right - left) / 2 * np.cos(angles)
    ys = (top + bottom) / 2 + (bottom - top) / 2 * np.sin(angles)
    return np.stack([xs, ys], axis=1).tolist()  # type: ignore[no-any-return]


def supervisely(picture: Picture) -> str:
    """Return the file of a picture."""
    kinds = {"box": "rectangle", "ellipse": "polygon", "polyline": "line"}
    objects = []
    for shape in picture.shapes:
        points = [[*shape.values[:2]], [*shape.values[2:]]]
        outer = points if shape.kind == "box" else _corners(shape)
        facts = {"classTitle": shape.label, "geometryType": kinds.get(shape.kind, shape.kind)}
        objects.append(facts | {"tags": [], "points": {"exterior": outer, "interior": []}})
    size = {"height": HEIGHT, "width": WIDTH}
    return json.dumps({"description": "", "tags": [], "size": size, "objects": objects})


def labelme(picture: Picture) -> str:
    """Return the file of a picture."""
    shapes = []
    for shape in picture.shapes:
        kind, points = shape.kind, shape.values
        if shape.kind == "box":
            left, top, right, bottom = shape.values
            kind, points = "rectangle", [[left, top], [right, bottom]]
        elif shape.kind == "ellipse":
            left, top, right, bottom = shape.values
            center = [(left + right) / 2, (top + bottom) / 2]
            kind, points = "circle", [center, [right, center[1]]]
        elif shape.kind == "point":
            points = [shape.values]
        elif shape.kind == "polyline":
            kind = "linestrip"
        shapes.append({"label": shape.label, "points": points, "shape_type": kind})
    head = {"version": "5.5.0", "flags": {}, "shapes": shapes, "imagePath": picture.name}
    return json.dumps(head | {"imageData": None, "imageHeight": HEIGHT, "imageWidth": WIDTH})
