"""COCO JSON: boxes of objects, in a file for all pictures or for each split."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.coco import (
    CocoFormat,
    CocoReading,
    CocoWriter,
    has_outlines,
)
from studio.engine.tasks.annotation_files.coco_places import corners_of, values_of_box
from studio.engine.tasks.annotation_files.reports import Losses, Tally, nothing_usable, shown
from studio.engine.tasks.annotation_files.tools import COCO_LABELS
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Regions,
    is_background,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, DIFFICULT, FLAGS, LEFT, RIGHT
from studio.engine.tasks.detection.box_evidence import are_halves, are_pushed, sized
from studio.engine.tasks.detection.found_boxes import (
    BoxCollector,
    BoxRows,
    FoundBoxes,
    found_boxes,
    lost_objects,
)

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_ROUNDING = 1.0
"""Pixels by which boxes may leave an image."""
_CONSPICUOUS = 0.2
"""Fraction of boxes that leave their images from which on they may be something else."""
_SAME_AREA = 0.01
_PERCENT = 100


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


def _without_category(lost: Tally) -> Text:
    return message(
        "left out {count} annotations without category_id, such as captions; the first is {first}",
        one="left out an annotation without category_id, such as a caption: {first}",
        count=lost.count,
        first=lost.first,
    )


def _without_box(lost: Tally) -> Text:
    return message(
        "left out {count} objects without a box; the first is {first}",
        one="left out an object without a box: {first}",
        count=lost.count,
        first=lost.first,
    )


def _not_four(lost: Tally) -> Text:
    return message(
        "left out {count} objects whose bbox does not have four values; the first is {first}",
        one="left out an object whose bbox does not have four values: {first}",
        count=lost.count,
        first=lost.first,
    )


def _not_numbers(lost: Tally) -> Text:
    return message(
        "left out {count} boxes whose coordinates are not numbers; the first is {first}",
        one="left out a box whose coordinates are not numbers: {first}",
        count=lost.count,
        first=lost.first,
    )


class _Reading(CocoReading):
    """Collects boxes; the class of a box is that of its category until all files are read."""

    def __init__(self, files: AnnotatedFiles) -> None:
        super().__init__(files)
        self._classes: dict[str, int] = {}
        self._colors: dict[str, str] = {}
        self._groups: set[str] = set()
        self._found: dict[str, BoxCollector] = defaultdict(BoxCollector)
        self._lost: dict[str, Losses] = defaultdict(Losses)
        self._areas = Counter[str]()

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
        if label is None and entry.get("category_id") is None:
            self._lost[picture].add(_without_category, self.position)
            return
        if label is None:
            boxes.unknown[shown(entry.get("category_id"))] += 1
            return
        corners = corners_of(entry)
        if corners is None:
            reason = _not_four if values_of_box(entry) else _without_box
            self._lost[picture].add(reason, self.position)
        elif not all(map(math.isfinite, corners)):
            self._lost[picture].add(_not_numbers, self.position)
        else:
            flags = DIFFICULT if _is_set(entry.get("ignore")) else 0
            boxes.add(label, corners, CROWD if _is_set(entry.get("iscrowd")) else flags)
            self._compare_area(entry, self.image_size)

    def _compare_area(self, entry: dict[str, Any], size: tuple[int, int] | None) -> None:
        """Compare the area of a box with those that its numbers may mean.

        Args:
            entry: The whole annotation.
            size: Width and height of its picture; None if unknown.
        """
        box, area = values_of_box(entry), number_in(entry.get("area"))
        if len(box) != 4 or not area > 0:
            return
        first, second, third, fourth = map(number_in, box)
        of_corners = (third - first) * (fourth - second)
        if math.isclose(area, third * fourth, rel_tol=_SAME_AREA):
            self._areas["size"] += 1
        elif size is not None and math.isclose(
            area, third * fourth * size[0] * size[1] / _PERCENT**2, rel_tol=_SAME_AREA
        ):
            self._areas["percent"] += 1
        elif min(third - first, fourth - second) > 0:
            self._areas["corners"] += math.isclose(area, of_corners, rel_tol=_SAME_AREA)

    def finished(self, options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read; see `CocoReading.finished`."""
        for picture, lost in self._lost.items():
            self._found[picture].problems += lost.remarks()
        used = {label for boxes in self._found.values() for label in boxes.labels}
        if not used:
            raise nothing_usable(
                message(
                    "The COCO files in {labels} contain no boxes.",
                    labels=self.files.labels.location,
                ),
                [*self.problems, *lost_objects(self._found)],
                "Annotations need a bbox with left, top, width and height.",
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
        has_corners = self._warn_of_corners()
        if not has_corners:
            self._warn_of_centers()
        found = {}
        for picture, size in self.sizes.items():
            boxes = self._found[picture]
            boxes.size = size
            found[picture] = boxes.result(rows=boxes.numbered(numbers))
        classes = renamed(names, colors if all(colors) else (), options)
        return found_boxes(
            self.files,
            classes,
            options,
            found,
            self.problems,
            self.splits.get,
            is_explained=has_corners,
        )

    def _warn_of_corners(self) -> bool:
        """Warn if boxes appear to be left, top, right and bottom; return True if they do."""
        if self._areas["percent"] > self._areas["size"]:
            warning = message(
                "The areas of {count} boxes are those of boxes whose numbers are percent of width "
                "and height. COCO has pixels; check the file.",
                one="The area of a box is that of one whose numbers are percent of width and "
                "height. COCO has pixels; check the file.",
                count=self._areas["percent"],
            )
            self.warnings.append(warning)
            return True
        if self._areas["corners"] > self._areas["size"]:
            warning = message(
                "The areas of {count} boxes are those of boxes with left, top, right and bottom. "
                "COCO has left, top, width and height; check the file.",
                one="The area of a box is that of one with left, top, right and bottom. COCO has "
                "left, top, width and height; check the file.",
                count=self._areas["corners"],
            )
            self.warnings.append(warning)
            return True
        total = beyond = 0
        for picture, size in self.sizes.items():
            rows = self._found[picture].rows
            if size is None or not len(rows):
                continue
            first, last = rows[:, LEFT:RIGHT], rows[:, RIGHT : BOTTOM + 1]
            written = last - first
            if not ((first < written) & (written <= np.add(size, _ROUNDING))).all():
                return False
            total += len(rows)
            beyond += int((last > np.add(size, _ROUNDING)).any(axis=1).sum())
        if beyond > total * _CONSPICUOUS:
            warning = message(
                "{count} of {total} boxes leave their images, and none would if the four numbers "
                "of bbox were left, top, right and bottom. COCO has left, top, width and height; "
                "check the file.",
                count=beyond,
                total=total,
            )
            self.warnings.append(warning)
            return True
        return False

    def _warn_of_centers(self) -> None:
        """Warn if boxes appear to be center, width and height."""
        entries = (
            (picture, _with_sides(self._found[picture].rows), size)
            for picture, size in self.sizes.items()
        )
        found = sized(entries, lambda _: None)
        if found and are_halves(np.concatenate([boxes for boxes, _ in found])):
            reason = message("they are half pixels exactly where width or height is odd")
        elif are_pushed(found):
            reason = message(
                "no box is near the left or the upper border of its image, and many are near the "
                "right one"
            )
        else:
            return
        warning = message(
            "The first two numbers of bbox appear to be the center of a box: {reason}. COCO has "
            "left, top, width and height; check the file.",
            reason=reason,
        )
        self.warnings.append(warning)


def _with_sides(rows: BoxRows) -> BoxRows:
    """Return left, top, width and height of boxes, shape (n, 4)."""
    first = rows[:, LEFT:RIGHT]
    return np.column_stack([first, rows[:, RIGHT : BOTTOM + 1] - first])


def _is_set(value: object) -> bool:
    """Return True for a flag as 1, true or "1"."""
    return value is True or number_in(value) == 1


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
        if not self.accepts(files) or has_outlines(files.labels):
            return False
        return not COCO_LABELS.has_labels(files.labels)
