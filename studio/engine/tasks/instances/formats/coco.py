"""COCO JSON: an object for each annotation, with polygons or run lengths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, as_message, message
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.coco import (
    CocoDocument,
    CocoFormat,
    CocoReading,
    CocoWriter,
    has_outlines,
)
from studio.engine.tasks.annotation_files.coco_outlines import outlined_region, region_of_box
from studio.engine.tasks.annotation_files.listed import listed
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME, Region
from studio.engine.tasks.annotation_files.reports import (
    nothing_usable,
    shown,
    without_outline,
)
from studio.engine.tasks.annotation_files.rle import encode
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    Instances,
    LeftOut,
    Regions,
    Remark,
    is_background,
)
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.found_objects import (
    ObjectPicture,
    ObjectShape,
    PaintedObjects,
    crowds_kept,
)
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.parts.outlines import polygons_of, traced

_COLOR_DIGITS: Final = 7
_GRAY: Final = "#808080"


class _Writer(CocoWriter):
    """Writes a file for each split: polygons, or run lengths of objects with holes.

    Pixels that count nowhere are a crowd of the category "__ignore__".
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._with_ignored: set[int] = set()

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Remember the objects of a picture."""
        document = self.document(picture, split, size)
        table, outlines = instance_table(regions), traced(regions)
        for index, (value, label) in enumerate(
            zip(table.values.tolist(), table.classes.tolist(), strict=True)
        ):
            facts = _facts(table.areas[index], table.boxes[index].tolist())
            facts["segmentation"] = _outline(regions, value, outlines[value])
            document.add_annotation(label, facts | {"iscrowd": 0})
        if (ignored := regions == IGNORED).any():
            rows, columns = (np.flatnonzero(ignored.any(axis=axis)) for axis in (1, 0))
            box = [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
            facts = _facts(ignored.sum(), [int(side) for side in box])
            facts["segmentation"] = encode(ignored)
            document.add_annotation(len(self.names), facts | {"iscrowd": 1})
            self._with_ignored.add(id(document))

    def data(self, document: CocoDocument) -> bytes:
        """Return the content of a file; it lists the category of ignored pixels if it has any."""
        if id(document) not in self._with_ignored:
            return super().data(document)
        return document.data((*self.names, IGNORED_NAME), (*self.colors, _GRAY))


def _facts(area: int, box: Sequence[int]) -> dict[str, object]:
    left, top, right, bottom = box
    return {"area": int(area), "bbox": [left, top, right - left, bottom - top]}


def _outline(labels: Instances, value: int, rings: Sequence[Ring]) -> object:
    """Return polygons of an object, or the run lengths of one with holes.

    Args:
        labels: The label image.
        value: Value of the pixels of the object.
        rings: Its outline.
    """
    polygons = polygons_of(rings)
    if any(len(polygon) > 1 for polygon in polygons):
        return encode(labels == value)
    return [[side for point in polygon[0] for side in point] for polygon in polygons]


@dataclass(slots=True)
class _Found:
    """Content of the files about a picture.

    Attributes:
        shapes: Area and shape of each object.
        unclear: Regions that count nowhere.
        crowds: Number of crowds among them.
        boxes: Number of objects without an outline.
        unknown: Number of objects of each unknown category.
        damaged: Number of damaged objects by the reason.
    """

    shapes: list[tuple[float, ObjectShape]] = field(default_factory=list)
    unclear: list[Region] = field(default_factory=list)
    crowds: int = 0
    boxes: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    damaged: Counter[Text] = field(default_factory=Counter)

    def remarks(self) -> list[Remark]:
        """Return the reports."""
        found = [crowds_kept(self.crowds)] if self.crowds else []
        found += [without_outline(self.boxes)] if self.boxes else []
        found += [_unknown(name, count) for name, count in self.unknown.items()]
        return found + [_damaged(reason, count) for reason, count in self.damaged.items()]

    def picture(self, size: tuple[int, int] | None, numbers: NDArray[np.int64]) -> ObjectPicture:
        """Return the objects, smaller ones in front.

        Args:
            size: Width and height that the picture must have; None if unknown.
            numbers: Class of each category.
        """
        order = sorted(self.shapes, key=lambda pair: -pair[0])
        shapes = [ObjectShape(int(numbers[each.label]), each.region) for _, each in order]
        return ObjectPicture(shapes, size, tuple(self.remarks()), self.unclear)


class _Reading(CocoReading):
    """Collects objects; the class of one is that of its category until all files are read."""

    def __init__(self, files: AnnotatedFiles) -> None:
        super().__init__(files)
        self._classes: dict[str, int] = {}
        self._colors: dict[str, str] = {}
        self._groups: set[str] = set()
        self._found: defaultdict[str, _Found] = defaultdict(_Found)

    def label_of(self, name: str, category: dict[str, Any]) -> int:
        """Return the class of a category, and remember its color and its group."""
        if name == IGNORED_NAME:
            return IGNORED
        self._groups.add(name_in(category.get("supercategory")))
        color = category.get("color")
        if isinstance(color, str) and len(color) == _COLOR_DIGITS and color.startswith("#"):
            self._colors.setdefault(name, color.lower())
        return self._classes.setdefault(name, len(self._classes))

    def add_object(self, picture: str, label: int | None, entry: dict[str, Any]) -> None:
        """Remember the outline of an object, or why it is left out."""
        found = self._found[picture]
        if label is None:
            found.unknown[shown(entry.get("category_id"))] += 1
            found.unclear.append(region_of_box(entry))
            return
        try:
            outlined = outlined_region(entry, self.run_order, self.position)
        except BadDataError as error:
            found.damaged[error.message] += 1
            found.unclear.append(region_of_box(entry))
            return
        if (
            label == IGNORED
            or number_in(entry.get("iscrowd")) == 1
            or entry.get("iscrowd") is True
        ):
            found.crowds += 1
            found.unclear.append(region_of_box(entry) if outlined is None else outlined.region)
        elif outlined is None:
            found.boxes += 1
            found.unclear.append(region_of_box(entry))
        else:
            found.shapes.append((outlined.area, ObjectShape(label, outlined.region)))

    def finished(self, options: AnnotationOptions) -> Annotations:
        """Return everything that was read; see `CocoReading.finished`."""
        used = {each.label for found in self._found.values() for _, each in found.shapes}
        if not used:
            raise nothing_usable(
                message(
                    "The COCO files in {labels} contain no polygons or RLE.",
                    labels=self.files.labels.location,
                ),
                [*self.problems, *self._lost()],
                "Instances need polygons or RLE in “segmentation”; boxes have no outline. Boxes "
                "can be learned with the task detection.",
            )
        # Tools list groups of classes, and the background, as categories without objects.
        names = [
            name
            for name, label in self._classes.items()
            if label in used or not (is_background(name) or name in self._groups)
        ]
        numbers = np.full(len(self._classes), IGNORED)
        numbers[[self._classes[name] for name in names]] = np.arange(len(names))
        colors = [self._colors.get(name, "") for name in names]
        classes = renamed(names, colors if all(colors) else (), options)
        return PaintedObjects(
            **listed(self.files, self.splits, classes, self.problems),
            found={
                picture: self._found[picture].picture(size, numbers)
                for picture, size in self.sizes.items()
            },
        )

    def _lost(self) -> list[LeftOut]:
        """Return what is left out of pictures, for the error that no object can be used."""
        return [
            LeftOut(picture, each.reason, each.objects)
            for picture, found in self._found.items()
            for each in found.remarks()
        ]


class CocoInstances(CocoFormat):
    """Of objects that overlap, the smaller one is in front. Crowds count nowhere.

    The box of an object without an outline, or with a damaged one, counts nowhere either, since
    part of it is the object. Classes are in the order of the ids of their categories.
    """

    name = "coco_instances"
    label = "COCO JSON with polygons or RLE"
    writer = _Writer
    reading = _Reading

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are outlines: files may contain boxes alone."""
        return has_outlines(files.labels)


def _is_crowd(entry: dict[str, Any]) -> bool:
    return entry.get("iscrowd") is True or number_in(entry.get("iscrowd")) == 1


def _unknown(name: str, count: int) -> Remark:
    reason = message(
        'left out {count} objects of the unknown category "{name}"; their boxes count nowhere',
        one='left out an object of the unknown category "{name}"; its box counts nowhere',
        count=count,
        name=name,
    )
    return Remark(reason, count)


def _damaged(reason: Text, count: int) -> Remark:
    text = message(
        "left out {count} damaged objects ({reason}); their boxes count nowhere",
        one="left out a damaged object ({reason}); its box counts nowhere",
        count=count,
        reason=as_message(reason),
    )
    return Remark(text, count)
