"""Results of annotations of Label Studio: regions, and choices for the whole picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.polygons import points_of
from studio.engine.tasks.annotation_files.reports import shown
from studio.engine.tasks.annotation_files.tools.brush import brushed
from studio.engine.tasks.annotation_files.tools.shapes import (
    DrawnPicture,
    Polygon,
    Region,
    ellipse,
    numbers_of,
    rectangle,
    turned,
)
from studio.engine.tasks.annotation_files.values import name_in, size_in

_KINDS = {
    "rectangle": ("x", "y", "width", "height"),
    "ellipse": ("x", "y", "radiusX", "radiusY"),
    "keypoint": ("x", "y", "width"),
    "polygon": ("points",),
    "brush": ("format", "rle"),
    "video": ("sequence",),
    "vector": ("vertices",),
}
"""Values of each kind of region, by which it is known."""
_WITHOUT_AREA = frozenset({"keypoint", "vector"})
_WHOLE = 100.0
"""Percent of a side."""
_Results = Sequence[dict[str, Any]]


def regions_in(results: _Results) -> list[list[dict[str, Any]]]:
    """Return the entries of each region: those with the same id, of which one has its area."""
    found: dict[object, list[dict[str, Any]]] = {}
    for number, entry in enumerate(results):
        key = entry.get("id")
        found.setdefault(key if isinstance(key, str) else number, []).append(entry)
    return [entries for entries in found.values() if any(map(_kind, entries))]


def count_of(results: _Results) -> int:
    """Return the number of regions of an annotation."""
    return len(regions_in(results))


def labels_in(results: _Results) -> dict[str, list[str]]:
    """Return the choices for the whole picture by the name of the question."""
    ids = {id(entry) for entries in regions_in(results) for entry in entries}
    found: dict[str, list[str]] = {}
    for entry in results:
        choices = _value(entry).get("choices")
        if id(entry) in ids or choices is None:
            continue
        chosen = found.setdefault(shown(entry.get("from_name") or "choice"), [])
        names = (name_in(choice) for choice in _texts(choices))
        chosen += [name for name in names if name and name not in chosen]
    return found


def add_results(picture: DrawnPicture, results: _Results) -> None:
    """Add the regions of an annotation to a picture.

    Args:
        picture: Receives the regions, and the size that they are for.
        results: Entries of the annotation.
    """
    sizes = (size_in(each.get("original_width"), each.get("original_height")) for each in results)
    picture.size = next((size for size in sizes if size), None)
    for entries in regions_in(results):
        entry = max(entries, key=lambda each: (_kind(each) in _KINDS, bool(_kind(each))))
        size = size_in(entry.get("original_width"), entry.get("original_height")) or picture.size
        labels = list(dict.fromkeys(label for each in entries for label in _labels(each)))
        kind = _kind(entry)
        is_clear = len(labels) < 2
        make = (
            partial(_region, kind, _value(entry), size) if is_clear else partial(_refuse, labels)
        )
        picture.add(labels[0] if labels else "", kind, make)


def _refuse(labels: Sequence[str]) -> Region:
    raise BadDataError("it has several labels ({names})", names=", ".join(labels[:5]))


def _value(entry: dict[str, Any]) -> dict[str, Any]:
    value = entry.get("value")
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _kind(entry: dict[str, Any]) -> str:
    """Return the kind of the region of an entry; empty if it has none."""
    value, stated = _value(entry), str(entry.get("type", "")).removesuffix("labels")
    keys = [key for key in value if key.endswith("labels")]
    named = [stated, *(key.removesuffix("labels") for key in keys)]
    known = next((kind for kind in named if kind in _KINDS), "")
    if known:
        return known
    shaped = (kind for kind, names in _KINDS.items() if all(name in value for name in names))
    return next(shaped, stated[:40] if keys else "")


def _labels(entry: dict[str, Any]) -> list[str]:
    """Return the classes of a region: `rectanglelabels` and the like, or `labels`."""
    value = _value(entry)
    texts = [text for key in value if key.endswith("labels") for text in _texts(value[key])]
    return [name for text in texts if (name := name_in(text))]


def _region(kind: str, value: dict[str, Any], size: tuple[int, int] | None) -> Region | None:
    """Return the area of a region; None if it has none.

    Args:
        kind: Its kind.
        value: Its values.
        size: Width and height of the picture; None if unknown.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    if kind == "brush":
        if size is None:
            raise BadDataError("its RLE has no size or no counts")
        return brushed(value.get("rle"), size)
    if kind == "polygon":
        return _scaled(Polygon(points_of(value.get("points"))), size)
    if kind in _WITHOUT_AREA:
        return None
    if kind not in {"rectangle", "ellipse"}:
        raise BadDataError('it has a shape of an unknown type, "{kind}"', kind=kind)
    x, y, *sides = numbers_of([value.get(name) for name in _KINDS[kind]])
    turn = numbers_of([value.get("rotation") or 0])[0]
    if turn % 360 and size is None:
        raise BadDataError("it is rotated, and the size of its image is not in the file")
    if kind == "rectangle":
        whole = _scaled(rectangle(x, y, x + sides[0], y + sides[1]), size)
        return turned(whole, whole.points[0], turn)
    center = _scaled(Polygon(np.array([[x, y]])), size).points[0]
    return turned(_scaled(ellipse(x, y, (sides[0], sides[1])), size), center, turn)


def _scaled(outline: Polygon, size: tuple[int, int] | None) -> Polygon:
    """Return an outline in percent as one in pixels, or as fractions where the size is unknown."""
    if size is None:
        return Polygon(outline.points / _WHOLE, is_relative=True, is_box=outline.is_box)
    return Polygon(outline.points * size / _WHOLE, is_box=outline.is_box)
