"""COCO JSON: boxes of objects, in a file for all pictures or for each split."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.coco import (
    CocoFormat,
    CocoReading,
    CocoWriter,
    has_outlines,
    polygons_in,
    runs_in,
)
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Regions,
    is_background,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, DIFFICULT, FLAGS, LEFT
from studio.engine.tasks.detection.found_boxes import BoxList, FoundBoxes, found_boxes

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
Corners = tuple[float, float, float, float]


class _Writer(CocoWriter):
    """Writes a file for each split; difficult objects have `"ignore": 1`."""

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Remember the boxes of a picture."""
        document = self.document(picture, split, size)
        for box in regions[regions[:, CLASS] >= 0].tolist():
            left, top, right, bottom = box[LEFT : BOTTOM + 1]
            flags = int(box[FLAGS])
            values: dict[str, object] = {
                "bbox": [left, top, right - left, bottom - top],
                "area": (right - left) * (bottom - top),
                "segmentation": [],
                "iscrowd": int(flags & CROWD > 0),
            }
            ignored = {"ignore": 1} if flags & DIFFICULT else {}
            document.add_annotation(int(box[CLASS]), values | ignored)


class _Reading(CocoReading):
    """Collects boxes; the class of a box is that of its category until all files are read."""

    def __init__(self, files: AnnotatedFiles) -> None:
        super().__init__(files)
        self._classes: dict[str, int] = {}
        self._colors: dict[str, str] = {}
        self._groups: set[str] = set()
        self._found: dict[str, BoxList] = defaultdict(BoxList)

    def label_of(self, name: str, category: dict[str, Any]) -> int:
        """Return the class of a category, and remember its color and its group."""
        self._groups.add(name_in(category.get("supercategory")))
        color = category.get("color")
        if isinstance(color, str) and _COLOR.fullmatch(color):
            self._colors.setdefault(name, color.lower())
        return self._classes.setdefault(name, len(self._classes))

    def add_object(self, picture: str, label: int | None, entry: dict[str, Any]) -> None:
        """Remember the box of an object, or why it is left out."""
        boxes = self._found[picture]
        if label is None:
            boxes.unknown[name_in(str(entry.get("category_id"))[:40])] += 1
            return
        corners = _corners(entry)
        if corners is None:
            boxes.without_box += 1
            return
        flags = DIFFICULT if entry.get("ignore") == 1 else 0
        boxes.add(label, corners, CROWD if entry.get("iscrowd") == 1 else flags)

    def finished(self, options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read; see `CocoReading.finished`."""
        used = {label for boxes in self._found.values() for label in boxes.labels}
        if not used:
            raise StudioError(
                message(
                    "The COCO files in {labels} contain no boxes.",
                    labels=self.files.labels.location,
                ),
                "Annotations need a bbox with left, top, width and height.",
                "source",
            )
        # Tools list groups of classes, and the background, as categories without objects.
        names = [
            name
            for name, label in self._classes.items()
            if label in used or not (is_background(name) or name in self._groups)
        ]
        numbers = np.full(len(self._classes), -1)
        numbers[[self._classes[name] for name in names]] = np.arange(len(names))
        colors = [self._colors.get(name, "") for name in names]
        found = {}
        for picture, size in self.sizes.items():
            boxes = self._found[picture]
            boxes.size = size
            found[picture] = boxes.result(rows=boxes.numbered(numbers))
        classes = renamed(names, colors if all(colors) else (), options)
        return found_boxes(self.files, classes, options, found, self.problems, self.splits.get)


class CocoBoxes(CocoFormat):
    """Objects without `bbox` get the box around their polygons or RLE.

    `iscrowd` is a crowd, and `ignore` a difficult object. Classes are in the order of the ids of
    their categories.
    """

    name = "coco_boxes"
    label = "COCO JSON with boxes"
    writer = _Writer
    reading = _Reading

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are boxes, and no outlines that could be learned as well."""
        return self.accepts(files) and not has_outlines(files.labels)


def _corners(entry: dict[str, Any]) -> Corners | None:
    """Return the corners of an object; None if it has neither a box nor an outline."""
    box = entry.get("bbox")
    if isinstance(box, list) and len(box) == 4:
        left, top, width, height = map(number_in, box)
        return left, top, left + width, top + height
    outline = entry.get("segmentation")
    try:
        if isinstance(outline, dict):
            return _around_runs(outline)
        if isinstance(outline, list) and outline:
            points = np.concatenate(polygons_in(outline))
            return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())
    except BadDataError:
        return None
    return None


def _around_runs(outline: dict[str, Any]) -> Corners | None:
    """Return the corners of the box around a region as run lengths; None for an empty one.

    Raises:
        BadDataError: They are damaged.
    """
    (_, rows), runs = runs_in(outline)
    ends = np.cumsum(runs)
    starts, ends = (ends - runs)[1::2], ends[1::2]
    starts, ends = starts[ends > starts], ends[ends > starts]
    if not len(starts):
        return None
    first, last = starts // rows, (ends - 1) // rows
    # A run that continues in the next column touches the bottom and the top.
    goes_on = bool((first < last).any())
    top = 0 if goes_on else int((starts % rows).min())
    bottom = rows if goes_on else int(((ends - 1) % rows).max()) + 1
    return float(first.min()), float(top), float(last.max()) + 1.0, float(bottom)
