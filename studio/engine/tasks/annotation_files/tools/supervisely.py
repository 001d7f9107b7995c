"""Supervisely: a JSON file for each picture, in `ann` beside `img`."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Final

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.picture_files import opened_picture
from studio.engine.tasks.annotation_files.json_files import objects, parsed
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument, matches_all
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    numbers_of,
    polygon,
    rectangle,
    runs_of_mask,
)
from studio.engine.tasks.annotation_files.values import name_in, size_in

_PATTERNS = (
    re.compile(rb'"objects"\s*:\s*\['),
    re.compile(rb'"size"\s*:\s*\{'),
    re.compile(rb'"tags"\s*:\s*\['),
)
_NO_AREA = frozenset({"point", "line", "graph"})
_LARGEST_BITMAP: Final = 64 * 2**20


class Supervisely(DrawingTool):
    """The file of `img/a.jpg` is `ann/a.jpg.json`. Holes of polygons stay holes."""

    name = "supervisely"
    label = "Supervisely JSON files"
    suffixes = (".json",)
    is_for_one_picture = True
    shapes = re.compile(rb'"geometryType"\s*:\s*"(rectangle|polygon|bitmap)"')
    outlines = re.compile(rb'"geometryType"\s*:\s*"(polygon|bitmap)"')
    hint = "Choose the project folder, which has img and ann folders in each dataset."

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return matches_all(head, _PATTERNS)

    def parsed(
        self,
        data: bytes,
        path: str,
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the picture of a file; see `DrawingTool.parsed`."""
        document = parsed(data)
        size = document.get("size")
        stated = size_in(size.get("width"), size.get("height")) if isinstance(size, dict) else None
        picture = DrawnPicture(PurePosixPath(path).stem, stated)
        for entry in objects(document.get("objects")):
            kind = str(entry.get("geometryType", ""))[:40]
            picture.add(name_in(entry.get("classTitle")), kind, partial(_region, entry, kind))
        return ToolDocument([picture])

    def find(self, names: PictureNames, picture: DrawnPicture, path: str) -> str | None:
        """Find the picture in the folder `img` beside `ann`; see `DrawingTool.find`."""
        folder = PurePosixPath(path).parent.parent
        beside = str(folder / "img" / picture.name)
        return beside if beside in names.pictures else names.find(picture.name, path)


def _region(entry: dict[str, Any], kind: str) -> Region | None:
    """Return the area of an object; None if it has none.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    if kind in _NO_AREA:
        return None
    if kind == "bitmap":
        return _bitmap(entry.get("bitmap"))
    points = entry.get("points")
    points = points if isinstance(points, dict) else {}
    outer = points.get("exterior")
    if not isinstance(outer, list) or len(outer) < 2:
        raise BadDataError("a shape has fewer than two points")
    if kind == "rectangle":
        ends = np.array([numbers_of(_pair(point)) for point in outer[:2]])
        (left, top), (right, bottom) = ends.min(axis=0), ends.max(axis=0)
        return rectangle(left, top, right, bottom)
    if kind == "polygon":
        return polygon(_with_holes(outer, points.get("interior")))
    raise BadDataError(message('it has a shape of an unknown type, "{kind}"', kind=kind))


def _pair(point: object) -> list[object]:
    if not isinstance(point, list) or len(point) != 2:
        raise BadDataError("the points of a shape are not numbers")
    return point


def _with_holes(outer: list[object], holes: object) -> list[object]:
    """Return one outline that goes around the holes, too: its ways there and back cancel out."""
    found = [*outer, outer[0]]
    for hole in holes if isinstance(holes, list) else []:
        if isinstance(hole, list) and hole:
            found += [*hole, hole[0], outer[0]]
    return found


def _bitmap(value: object) -> Region | None:
    """Return the pixels of a small picture, packed, whose upper left corner is known.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    facts = value if isinstance(value, dict) else {}
    left, top = (round(number) for number in numbers_of(_pair(facts.get("origin"))))
    try:
        packed = base64.b64decode(str(facts.get("data", "")), validate=True)
        data = zlib.decompressobj().decompress(packed, _LARGEST_BITMAP)
    except (binascii.Error, zlib.error) as error:
        raise BadDataError("a mask in it is damaged") from error
    with opened_picture(BytesIO(data)) as image:
        bands = np.asarray(image if image.mode in {"1", "L"} else image.convert("RGBA"))
    return runs_of_mask(left, top, bands[..., -1] > 0 if bands.ndim == 3 else bands > 0)
