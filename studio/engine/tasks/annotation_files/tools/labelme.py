"""LabelMe JSON: a file for each picture, with polygons and other shapes."""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.picture_files import opened_picture
from studio.engine.tables.pictures import spellings
from studio.engine.tasks.annotation_files.json_files import objects, parsed
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.polygons import Points, checked
from studio.engine.tasks.annotation_files.reports import shown
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    ellipse,
    polygon,
    rectangle,
    runs_of_mask,
)
from studio.engine.tasks.annotation_files.values import name_in, size_in

_KEY = re.compile(rb'"shapes"\s*:\s*\[')
_TYPE = re.compile(rb'"shape_type"')
_NO_AREA = frozenset({"point", "points", "line", "linestrip"})


class LabelMeFiles(DrawingTool):
    """Shapes are painted in their order. Points and lines have no area and are left out.

    Flags of the whole image that are set are its labels.
    """

    name = "labelme"
    label = "LabelMe JSON files"
    suffixes = (".json",)
    is_for_one_picture = True
    shapes = re.compile(rb'"points"')
    outlines = re.compile(rb'"shape_type"\s*:\s*"(polygon|circle|mask|rotation)"')
    labels = re.compile(rb'"flags"\s*:\s*\{\s*"')
    hint = "Each file names its image as imagePath, relative to itself."

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _KEY.search(head) is not None

    def has_outline(self, data: bytes) -> bool:
        """Return True for an outline; old files have polygons without a type."""
        if super().has_outline(data):
            return True
        return b'"points"' in data and _TYPE.search(data) is None

    def has_label(self, data: bytes) -> bool:
        """Return True for a flag of the whole image; those of a shape are no labels."""
        if not super().has_label(data):
            return False
        try:
            return bool(_flags(parsed(data)))
        except BadDataError:  # the beginning of a file
            return False

    def parsed(
        self,
        data: bytes,
        path: str,
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the picture of a file; see `DrawingTool.parsed`."""
        document = parsed(data)
        named = document.get("imagePath")
        name = named if isinstance(named, str) else ""
        size = size_in(document.get("imageWidth"), document.get("imageHeight"))
        picture = DrawnPicture(name or PurePosixPath(path).stem, size)
        picture.labels = {"flags": _flags(document)}
        for entry in objects(document.get("shapes")):
            label = entry.get("label")
            kind = str(entry.get("shape_type") or "polygon")[:40]
            text = str(label).strip() if type(label) in {str, int} else ""
            picture.add(text, kind, partial(_region, entry, kind), _group(entry))
        return ToolDocument([picture])

    def find(self, names: PictureNames, picture: DrawnPicture, path: str) -> str | None:
        """Find the picture of the file's name, or of a name; see `DrawingTool.find`.

        Files that were renamed together with their pictures still contain the old names, which may
        be those of other pictures by now.
        """
        own = names.beside(path)
        place = PurePosixPath(path)
        named = [PurePosixPath(each) for each in spellings(picture.name)]
        beside = (
            place.parent / path for each in named for path in (each, PurePosixPath(each.name))
        )
        plain = map(posixpath.normpath, (*beside, *named))
        found = next((candidate for candidate in plain if candidate in names.pictures), None)
        if own is None:
            return found or names.find(picture.name, path)
        if (found or names.find_exact(picture.name, path)) not in {None, own}:
            names.of_others.add(path)
        return own


def _flags(document: dict[str, Any]) -> list[str]:
    """Return the names of the flags of a picture that are set."""
    flags = document.get("flags")
    named = flags.items() if isinstance(flags, dict) else ()
    return list(dict.fromkeys(name_in(name) for name, is_set in named if is_set is True and name))


def _group(entry: dict[str, Any]) -> str:
    """Return the group of a shape: those of a group and a class are parts of one object."""
    group = entry.get("group_id")
    return shown(group) if type(group) in {int, str} else ""


def _region(entry: dict[str, Any], kind: str) -> Region | None:
    """Return the region of a shape; None if it has no area.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    if kind in _NO_AREA:
        return None
    points = entry.get("points")
    if kind in {"polygon", "rotation"}:
        return polygon(points)
    ends = _ends(points)
    if kind == "rectangle":
        (left, top), (right, bottom) = ends.min(axis=0), ends.max(axis=0)
        return rectangle(left, top, right, bottom)
    if kind == "circle":
        (x, y), radius = ends[0], float(np.hypot(*(ends[1] - ends[0])))
        return ellipse(x, y, (radius, radius))
    if kind == "mask":
        return _pasted(entry.get("mask"), ends)
    raise BadDataError('it has a shape of an unknown type, "{kind}"', kind=kind)


def _ends(points: object) -> Points:
    """Return the corners of a rectangle, or the center of a circle and a point on it."""
    try:
        ends = np.array(points, np.float64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadDataError("the points of a shape are not numbers") from error
    if len(ends) < 2:
        raise BadDataError("a shape has fewer than two points")
    return checked(ends)


def _pasted(encoded: object, ends: Points) -> Region | None:
    """Return the region of a small picture whose upper left corner is known.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    try:
        data = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
    except binascii.Error as error:
        raise BadDataError("a mask in it is damaged") from error
    left, top = (int(each) for each in np.rint(ends.min(axis=0)))
    with opened_picture(BytesIO(data)) as image:
        return runs_of_mask(left, top, np.asarray(image.convert("L")))
