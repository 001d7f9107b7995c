"""BDD100K, as Scalabel writes it: a JSON list of pictures with labels."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.json_files import objects, value_of
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument, matches_all
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    numbers_of,
    polygon,
    rectangle,
)
from studio.engine.tasks.annotation_files.values import name_in

_PATTERNS = (
    re.compile(rb"\A(?:\xef\xbb\xbf)?\s*[\[{]"),
    re.compile(rb'"name"\s*:\s*"'),
    re.compile(rb'"(box2d|poly2d)"\s*:\s*[\[{]'),
)
_SIDES = ("x1", "y1", "x2", "y2")


class Bdd100k(DrawingTool):
    """`box2d` has two corners in pixels; open lines of `poly2d`, such as lanes, have no area."""

    name = "bdd100k"
    label = "BDD100K JSON"
    suffixes = (".json",)
    hint = "Each entry has the name of its image, and labels with category and box2d."
    shapes = _PATTERNS[-1]
    outlines = re.compile(rb'"closed"\s*:\s*true')

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return matches_all(head, _PATTERNS)

    def parsed(
        self,
        data: bytes,
        path: str,  # noqa: ARG002 - of other tools
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the pictures of a file; see `DrawingTool.parsed`."""
        content = value_of(data)
        if isinstance(content, dict):
            content = content.get("frames", [content])
        if not isinstance(content, list):
            raise BadDataError("its JSON is not a list")
        return ToolDocument([_picture(entry) for entry in objects(content)])


def _picture(entry: dict[str, Any]) -> DrawnPicture:
    name = entry.get("name")
    picture = DrawnPicture(name if isinstance(name, str) else "")
    for each in objects(entry.get("labels")):
        kind = "box2d" if each.get("box2d") else "poly2d"
        picture.add(name_in(each.get("category")), kind, partial(_region, each))
    return picture


def _region(entry: dict[str, Any]) -> Region | None:
    """Return the area of a label; None if it has none.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    box = entry.get("box2d")
    if isinstance(box, dict):
        left, top, right, bottom = numbers_of([box.get(side) for side in _SIDES])
        return rectangle(left, top, right, bottom)
    closed = [each for each in objects(entry.get("poly2d")) if each.get("closed") is True]
    if len(closed) > 1:
        raise BadDataError("an object has several outlines")
    return polygon(closed[0].get("vertices")) if closed else None
