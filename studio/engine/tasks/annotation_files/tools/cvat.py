"""CVAT: XML "for images", a list of pictures with shapes, and "for video", tracks over frames."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Region,
    ellipse,
    numbers_of,
    polygon,
    rectangle,
    runs_in_window,
)
from studio.engine.tasks.annotation_files.values import name_in, number_in, size_in
from studio.engine.tasks.annotation_files.xml_files import Element, parsed_xml
from studio.engine.tasks.annotations import LeftOut
from studio.engine.tasks.split_words import split_of

_ROOT = re.compile(rb"<annotations[\s>]")
_CONTENT = re.compile(rb"<(image|track|meta|version)[\s>]")
_KINDS = ("box", "polygon", "mask", "ellipse", "polyline", "points", "cuboid", "skeleton")
_LONGEST_RLE = 2**24
_MOST_FRAMES = 10**6
_FRAME = "frame_{:06d}"
"""Name of the picture of a frame, as CVAT exports it."""


class Cvat(DrawingTool):
    """Shapes are painted in the order of `z_order`; points, lines and cuboids have no area.

    A picture without shapes has no objects. In files "for video", frames between two key frames of
    a track that have no shape are left out: CVAT interpolates them, the file does not have them.
    """

    name = "cvat"
    label = "CVAT XML"
    suffixes = (".xml",)
    shapes = re.compile(rb"<(box|polygon|mask|ellipse)\s")
    outlines = re.compile(rb"<(polygon|mask|ellipse)\s")
    labels = re.compile(rb"<tag\s")
    hint = (
        "Export the task from CVAT as “CVAT for images 1.1” with “Save images” on, and choose the "
        "folder or archive with the images as the source."
    )

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _ROOT.search(head) is not None and _CONTENT.search(head) is not None

    def parsed(
        self,
        data: bytes,
        path: str,  # noqa: ARG002 - of other tools
        names: PictureNames,
    ) -> ToolDocument:
        """Return the pictures or frames of a file; see `DrawingTool.parsed`."""
        document, tracks = ToolDocument(), list[Track]()
        receivers = {
            "image": lambda element: document.pictures.append(_picture(element)),
            "track": lambda element: tracks.append(_track(element)),
        }
        root = parsed_xml(data, receivers, kept=("track",))
        if root.name != "annotations":
            raise BadDataError('its outermost element is "{name}"', name=root.name[:40])
        if tracks:
            _add_frames(document, root, tracks, names)
        return document

    def find(self, names: PictureNames, picture: DrawnPicture, path: str) -> str | None:
        """Find a picture; frames have no suffix. See `DrawingTool.find`."""
        stem = PurePosixPath(picture.name).name
        return names.find(picture.name, path) or names.find_stem(stem)


def _picture(element: Element) -> DrawnPicture:
    values = element.attributes
    split = split_of(values.get("subset", ""))
    name = values.get("name", "")
    picture = DrawnPicture(name, size_in(values.get("width"), values.get("height")), split)
    for shape in sorted(_shapes(element), key=_z_order):
        _add(picture, shape, shape.attributes.get("label", ""))
    tags = [name_in(tag.attributes.get("label")) for tag in element.all("tag")]
    picture.labels = {"tag": list(dict.fromkeys(filter(None, tags)))}
    return picture


def _shapes(element: Element) -> list[Element]:
    return [child for child in element.children if child.name in _KINDS]


def _z_order(shape: Element) -> float:
    order = number_in(shape.attributes.get("z_order", "0"))
    return order if np.isfinite(order) else 0.0


def _add(picture: DrawnPicture, shape: Element, label: str) -> None:
    picture.add(name_in(label), shape.name, partial(_region, shape))


def _region(shape: Element) -> Region | None:
    """Return the area of a shape; None if it has none.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    values = shape.attributes
    turn = numbers_of([values["rotation"]])[0] if values.get("rotation") else 0.0
    if shape.name == "box":
        left, top, right, bottom = numbers_of(
            [values.get(s) for s in ("xtl", "ytl", "xbr", "ybr")]
        )
        return rectangle(left, top, right, bottom, turn)
    if shape.name == "ellipse":
        x, y, *radii = numbers_of([values.get(name) for name in ("cx", "cy", "rx", "ry")])
        return ellipse(x, y, (radii[0], radii[1]), turn)
    if shape.name == "polygon":
        pairs = [pair.split(",") for pair in values.get("points", "").split(";")]
        if any(len(pair) != 2 for pair in pairs):
            raise BadDataError("a polygon is not a list of numbers")
        return polygon(pairs)
    return _painted(values) if shape.name == "mask" else None


def _painted(values: dict[str, str]) -> Region | None:
    """Return the pixels of a mask: run lengths along the rows of a rectangle, first of others."""
    sides = numbers_of([values.get(name) for name in ("left", "top", "width", "height")])
    if not all(side.is_integer() for side in sides) or min(sides) < 0 or min(sides[2:]) < 1:
        raise BadDataError("its RLE has no size or no counts")
    left, top, width, height = map(int, sides)
    text = values.get("rle", "")
    try:
        runs = np.array([int(run) for run in text[:_LONGEST_RLE].split(",")], np.int64)
    except (ValueError, OverflowError) as error:
        raise BadDataError("its RLE is damaged") from error
    if len(text) > _LONGEST_RLE or (runs < 0).any() or sum(runs.tolist()) != width * height:
        raise BadDataError("its RLE is damaged")
    ends = np.cumsum(runs)
    return runs_in_window((left, top, width, height), ends[:-1:2], ends[1::2])


# Files "for video".


def _add_frames(
    document: ToolDocument, root: Element, tracks: Sequence[Track], names: PictureNames
) -> None:
    """Add the frames of tracks to a document.

    Args:
        document: Receives the frames.
        root: The outermost element.
        tracks: Its tracks.
        names: Finds the pictures of frames.
    """
    size = _frame_size(root)
    frames = _frames(root, tracks, names)
    uncertain = _uncertain(tracks, frames)
    pictures = {number: DrawnPicture(_FRAME.format(number), size) for number in frames}
    for label, shapes in tracks:
        for keyed in shapes:
            if keyed.is_visible and keyed.frame not in uncertain:
                picture = pictures.setdefault(
                    keyed.frame, DrawnPicture(_FRAME.format(keyed.frame), size)
                )
                _add(picture, keyed.shape, label)
    lost = Counter(keyed.frame for _, shapes in tracks for keyed in shapes if keyed.is_visible)
    for number in sorted(uncertain):
        pictures.pop(number)
        reason = message(
            "shapes of {count} tracks lie between two key frames and are not in the file",
            one="the shape of a track lies between two key frames and is not in the file",
            count=uncertain[number],
        )
        document.problems.append(LeftOut(_FRAME.format(number), reason, lost[number]))
    document.pictures += [pictures[number] for number in sorted(pictures)]


@dataclass(frozen=True, slots=True, order=True)
class _Keyed:
    """A shape of a track in a frame.

    Attributes:
        frame: Number of the frame.
        order: Place in painting; the last one is on top.
        shape: The shape.
        is_visible: False if the track ends here.
    """

    frame: int
    order: float
    shape: Element = field(compare=False)
    is_visible: bool = field(compare=False)

    @classmethod
    def of(cls, shape: Element) -> _Keyed:
        """Return a shape with the number of its frame.

        Raises:
            BadDataError: It has none; the message is a short reason.
        """
        number = number_in(shape.attributes.get("frame"))
        if not (number.is_integer() and 0 <= number <= _MOST_FRAMES):
            raise BadDataError("a shape of a track has no frame")
        is_visible = shape.attributes.get("outside") != "1"
        return cls(int(number), _z_order(shape), shape, is_visible)


Track = tuple[str, list[_Keyed]]


def _track(element: Element) -> Track:
    return element.attributes.get("label", ""), sorted(map(_Keyed.of, _shapes(element)))


def _frame_size(root: Element) -> tuple[int, int] | None:
    for meta in root.all("meta"):
        for task in meta.children:
            size = task.first("original_size")
            if size is not None:
                return size_in(size.text("width"), size.text("height"))
    return None


def _frames(root: Element, tracks: Sequence[Track], names: PictureNames) -> list[int]:
    """Return the numbers of the frames that have a picture, ascending."""
    last = max((keyed.frame for _, shapes in tracks for keyed in shapes), default=-1)
    sizes = [number_in(task.text("size")) for meta in root.all("meta") for task in meta.children]
    count = max((int(size) for size in sizes if 0 <= size <= _MOST_FRAMES), default=0)
    return [
        number
        for number in range(max(last + 1, count))
        if names.find_stem(_FRAME.format(number)) is not None
    ]


def _uncertain(tracks: Sequence[Track], frames: Sequence[int]) -> dict[int, int]:
    """Return the number of tracks that are visible before a frame and have no shape in it."""
    change = np.zeros(len(frames) + 1, np.int64)
    for _, shapes in tracks:
        for first, second in pairwise(shapes):
            if first.is_visible:
                start, end = bisect_right(frames, first.frame), bisect_left(frames, second.frame)
                change[start] += 1
                change[max(start, end)] -= 1
    counts = np.cumsum(change).tolist()
    return {number: count for number, count in zip(frames, counts, strict=False) if count}
