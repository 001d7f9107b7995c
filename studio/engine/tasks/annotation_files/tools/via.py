"""VGG Image Annotator: projects and annotations of versions 1 and 2, projects of version 3."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import joined, message
from studio.engine.tasks.annotation_files.json_files import objects, parsed
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    ellipse,
    numbers_of,
    polygon,
    rectangle,
)
from studio.engine.tasks.annotation_files.values import name_in

_KEY = re.compile(rb'"(_via_img_metadata|file_attributes|shape_attributes|vid_list)"\s*:')
_METADATA = "_via_img_metadata"
_CLASS_NAMES = frozenset(
    {
        *("class", "classname", "label", "labels", "category", "name", "type", "object"),
        *("objectname", "objectclass", "classe", "categoria", "rotulo"),
    }
)
"""Names of the attribute with the class, in lower case without signs."""
_ONLY_CLASS = "object"
"""Class of all regions of files without attributes."""
_SHAPES = {
    1: "point",
    2: "rect",
    3: "circle",
    4: "ellipse",
    5: "line",
    6: "polyline",
    7: "polygon",
}
"""Shapes of version 3 by their number."""
_SIDES = {
    "rect": ("x", "y", "width", "height"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
}


@dataclass(slots=True)
class _Drawn:
    """A region of a picture.

    Attributes:
        kind: Its type.
        values: Its numbers: sides, radii, or all x and all y.
        turn: Radians clockwise.
        attributes: Values of its attributes.
    """

    kind: str
    values: Sequence[object]
    turn: object = 0
    attributes: Mapping[str, object] = field(default_factory=dict)


class Via(DrawingTool):
    """The class of a region is in one of its attributes; points and lines have no area."""

    name = "via"
    label = "VGG Image Annotator (VIA) JSON"
    suffixes = (".json",)
    shapes = re.compile(
        rb'"name"\s*:\s*"(rect|circle|ellipse|polygon)"|"xy"\s*:\s*\[\s*[2347]\s*,'
    )
    outlines = re.compile(rb'"name"\s*:\s*"(circle|ellipse|polygon)"|"xy"\s*:\s*\[\s*[347]\s*,')
    labels = re.compile(rb'"file_attributes"\s*:\s*\{\s*"[^"]+"\s*:\s*("[^"]|\{[^{}]*:\s*true\b)')
    hint = "Export the annotations from VIA as JSON, or save the project."

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _KEY.search(head) is not None

    def has_label(self, data: bytes) -> bool:
        """Return True for attributes of images in a file without regions."""
        return super().has_label(data) and not self.has_shape(data)

    def parsed(
        self,
        data: bytes,
        path: str,
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the pictures of a file; see `DrawingTool.parsed`."""
        document = parsed(data)
        entries = list(
            _regions_3(document)
            if "vid_list" in _dict(document.get("project"))
            else _regions_2(document)
        )
        result = ToolDocument()
        attribute = _class_attribute([region for _, each in entries for region in each], path)
        if attribute is None and any(regions for _, regions in entries):
            result.warnings.append(
                message(
                    'The regions in {file} have no attributes; all are of the class "{name}".',
                    file=path,
                    name=_ONLY_CLASS,
                )
            )
        labels = {} if any(regions for _, regions in entries) else _labels_2(document)
        for name, regions in entries:
            picture = DrawnPicture(name)
            picture.labels = labels.get(name, {})
            for region in regions:
                label = (
                    _ONLY_CLASS if attribute is None else _label(region.attributes.get(attribute))
                )
                picture.add(label, region.kind, partial(_region, region))
            result.pictures.append(picture)
        return result


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, or of a mapping as version 1 has it."""
    return list(objects(list(value.values()) if isinstance(value, dict) else value))


def _regions_2(document: dict[str, Any]) -> Iterator[tuple[str, list[_Drawn]]]:
    """Yield name and regions of each picture of versions 1 and 2."""
    for entry in _listed(document.get(_METADATA, document)):
        name = entry.get("filename")
        if isinstance(name, str):
            yield name, [_drawn(each) for each in _listed(entry.get("regions"))]


def _labels_2(document: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Return the attributes of each picture of versions 1 and 2: values, or boxes checked."""
    found: dict[str, dict[str, list[str]]] = {}
    for entry in _listed(document.get(_METADATA, document)):
        answers: dict[str, list[str]] = {}
        for key, value in _dict(entry.get("file_attributes")).items():
            checked = [name for name, is_on in _dict(value).items() if is_on is True]
            answers[key] = [name for name in map(name_in, checked or [value]) if name]
        found[str(entry.get("filename"))] = answers
    return found


def _drawn(region: dict[str, Any]) -> _Drawn:
    shape = _dict(region.get("shape_attributes"))
    kind = shape.get("name")
    kind = kind if isinstance(kind, str) else ""
    values = [shape.get(side) for side in _SIDES.get(kind, ("all_points_x", "all_points_y"))]
    return _Drawn(kind, values, shape.get("theta", 0), _dict(region.get("region_attributes")))


def _regions_3(document: dict[str, Any]) -> Iterator[tuple[str, list[_Drawn]]]:
    """Yield name and regions of each picture of version 3."""
    attributes = {key: _dict(value) for key, value in _dict(document.get("attribute")).items()}
    files = {key: _dict(value) for key, value in _dict(document.get("file")).items()}
    found: dict[str, list[_Drawn]] = {}
    for entry in _dict(document.get("metadata")).values():
        values = _dict(entry).get("xy")
        if isinstance(values, list) and values and isinstance(entry.get("vid"), str):
            region = _drawn_3(values, _dict(entry.get("av")), attributes)
            found.setdefault(entry["vid"], []).append(region)
    for view, content in _dict(document.get("view")).items():
        numbers = _dict(content).get("fid_list")
        number = numbers[0] if isinstance(numbers, list) and len(numbers) == 1 else ""
        name = files.get(str(number), {}).get("fname")
        yield name if isinstance(name, str) else f"view {view[:20]}", found.get(view, [])


def _drawn_3(
    values: list[object], chosen: dict[str, Any], attributes: Mapping[str, dict[str, Any]]
) -> _Drawn:
    kind = _SHAPES.get(values[0], "") if isinstance(values[0], int) else ""
    named = {}
    for key, value in chosen.items():
        attribute = attributes.get(key, {})
        option = _dict(attribute.get("options")).get(value) if isinstance(value, str) else None
        named[str(attribute.get("aname", key))] = value if option is None else option
    points = [values[1::2], values[2::2]]
    return _Drawn(kind, values[1:] if kind in _SIDES else points, 0, named)


def _class_attribute(regions: Sequence[_Drawn], path: str) -> str | None:
    """Return the attribute that has the classes; None if no region has attributes.

    Raises:
        StudioError: It is unknown which one has them.
    """
    used: Counter[str] = Counter(
        name for region in regions for name, value in region.attributes.items() if _label(value)
    )
    usual = [name for name in used if re.sub(r"[\W_]+", "", name.casefold()) in _CLASS_NAMES]
    if len(used) <= 1 or len(usual) == 1:
        return next(iter(usual or used), None)
    raise StudioError(
        "The regions in {file} have {count} attributes ({names}); it is unknown which one is "
        "the class.",
        'Rename the attribute with the class to "class" in VIA, and export again.',
        "source",
        file=path,
        count=len(used),
        names=joined(sorted(map(name_in, used))[:12], ", "),
    )


def _label(value: object) -> str:
    """Return the class that an attribute has: a text, or the only box that is checked."""
    if isinstance(value, dict):
        checked = [name for name, is_on in value.items() if is_on is True]
        value = checked[0] if len(checked) == 1 else ""
    return name_in(value)


def _region(region: _Drawn) -> Region | None:
    """Return the area of a region; None if it has none.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    if region.kind in _SIDES:
        values = numbers_of(region.values)
        if len(values) != len(_SIDES[region.kind]):
            raise BadDataError("a shape has too few or too many numbers")
        turn = math.degrees(numbers_of([region.turn])[0])
        return _from_sides(region.kind, values, turn)
    if region.kind == "polygon":
        xs, ys = region.values
        if not isinstance(xs, list) or not isinstance(ys, list) or len(xs) != len(ys):
            raise BadDataError("a polygon is not a list of numbers")
        return polygon(list(zip(xs, ys, strict=True)))
    if region.kind in {"point", "line", "polyline"}:
        return None
    raise BadDataError('it has a shape of an unknown type, "{kind}"', kind=region.kind[:40])


def _from_sides(kind: str, values: list[float], turn: float) -> Region:
    first, second, *rest = values
    if kind == "rect":
        return rectangle(first, second, first + rest[0], second + rest[1])
    return ellipse(first, second, (rest[0], rest[-1]), turn)
