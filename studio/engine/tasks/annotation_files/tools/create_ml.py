"""Create ML of Apple: a JSON list of pictures with boxes, as Roboflow exports it, too."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.json_files import objects, value_of
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.base import (
    DrawingTool,
    ToolDocument,
    matches_all,
)
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    numbers_of,
    rectangle,
)
from studio.engine.tasks.annotation_files.values import name_in

_IMAGES = ("image", "imagefilename", "filename")
_LISTS = ("annotations", "annotation")
_SIDES = ("x", "y", "width", "height")
_PATTERNS = (
    re.compile(rb"\A(?:\xef\xbb\xbf)?\s*\["),
    re.compile(rb'"(image|imagefilename|filename)"\s*:\s*"'),
    re.compile(rb'"coordinates"\s*:\s*\{\s*"'),
)


class CreateMl(DrawingTool):
    """`coordinates` has the center, width and height of a box in pixels."""

    name = "create_ml"
    label = "Create ML JSON"
    suffixes = (".json",)
    hint = "Each entry names its image, and its annotations have a label and coordinates."
    shapes = _PATTERNS[-1]

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
        entries = value_of(data)
        if not isinstance(entries, list):
            raise BadDataError("its JSON is not a list")
        return ToolDocument([_picture(entry) for entry in objects(entries)])


def _picture(entry: dict[str, Any]) -> DrawnPicture:
    name = next((entry[key] for key in _IMAGES if isinstance(entry.get(key), str)), "")
    picture = DrawnPicture(name)
    for key in _LISTS:
        for each in objects(entry.get(key)):
            picture.add(name_in(each.get("label")), "box", partial(_box, each))
    return picture


def _box(entry: dict[str, Any]) -> Region:
    """Return the box of an object.

    Raises:
        BadDataError: It has none; the message is a short reason.
    """
    sides = entry.get("coordinates")
    if not isinstance(sides, dict):
        raise BadDataError("a box has no coordinates")
    x, y, width, height = numbers_of([sides.get(name) for name in _SIDES])
    return rectangle(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
