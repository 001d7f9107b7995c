"""WIDER FACE: a text with a path, a number of faces, and a line for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    numbers_of,
    rectangle,
)

_START = re.compile(
    rb"\A(?:\xef\xbb\xbf)?[^\r\n]{1,300}\.(?:jpe?g|png)[ \t]*\r?\n[ \t]*\d{1,6}[ \t]*\r?\n"
    rb"[ \t]*(?:\d+[ \t]+){3}\d",
    re.IGNORECASE,
)
_CLASS: Final = "face"
_INVALID: Final = 7
"""Column of the flag of faces that are not to be used."""


class WiderFace(DrawingTool):
    """A line has left, top, width and height in pixels, and flags. All faces are of one class.

    Faces with the flag "invalid" are left out, and reported.
    """

    name = "wider_face"
    label = "WIDER FACE text"
    suffixes = (".txt",)
    hint = "A path, the number of faces, and a line with left, top, width and height for each."
    shapes = _START

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _START.match(head) is not None

    def parsed(
        self,
        data: bytes,
        path: str,  # noqa: ARG002 - of other tools
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the pictures of a file; see `DrawingTool.parsed`."""
        lines = enumerate(filter(None, map(str.strip, decoded(data).splitlines())), 1)
        return ToolDocument(list(_pictures(lines)))


def _pictures(lines: Iterator[tuple[int, str]]) -> Iterator[DrawnPicture]:
    """Yield the pictures with their faces.

    Raises:
        BadDataError: The numbers of lines do not fit; the message is a short reason.
    """
    for number, name in lines:
        _, count = next(lines, (0, ""))
        if not count.isdecimal() or len(count) > 6:
            raise BadDataError(
                message("the number of objects is missing after line {line}", line=number)
            )
        picture = DrawnPicture(name)
        for _ in range(int(count)):
            words = next(lines, (0, ""))[1].split()
            if len(words) > _INVALID and words[_INVALID] == "1":
                picture.damaged["it is marked as invalid"] += 1
            else:
                picture.add(_CLASS, "box", partial(_box, words))
        if count == "0":
            next(lines, None)  # a line of zeros
        yield picture


def _box(words: list[str]) -> Region:
    left, top, width, height = numbers_of((words + [""] * 4)[:4])
    return rectangle(left, top, left + width, top + height)
