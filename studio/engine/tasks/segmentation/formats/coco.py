"""COCO JSON: polygons and run lengths of objects, in a file for all pictures or for each split."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

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
from studio.engine.tasks.annotation_files.reports import nothing_usable
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Remark,
)
from studio.engine.tasks.parts.mask_images import regions_of
from studio.engine.tasks.segmentation.shapes import (
    BACKGROUND,
    PaintedMasks,
    Painting,
    Shape,
)


class _Writer(CocoWriter):
    """Writes a file for each split, with the region of each class as RLE."""

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Remember the regions of a picture."""
        document = self.document(picture, split, size)
        for label, region in regions_of(regions):
            if label == IGNORE:
                document.add_annotation(len(self.names), region | {"iscrowd": 0})
            elif self.names[label].casefold() != BACKGROUND:
                document.add_annotation(label, region | {"iscrowd": 0})

    def data(self, document: CocoDocument) -> bytes:
        """Return the content of a file: all that is not a category is background."""
        return document.data((*self.names, IGNORED_NAME), leave_out=BACKGROUND)


class _Reading(CocoReading):
    """Collects shapes."""

    def __init__(self, files: AnnotatedFiles) -> None:
        super().__init__(files)
        self._classes = {BACKGROUND: 0}
        self._shapes: dict[str, list[tuple[float, Shape]]] = defaultdict(list)
        self._refused: dict[str, str] = {}
        self._damaged: Counter[str] = Counter()
        self._boxes: dict[str, list[Region]] = defaultdict(list)

    def label_of(self, name: str, category: dict[str, Any]) -> int:  # noqa: ARG002 - of boxes
        """Return the class of a category."""
        if name == IGNORED_NAME:
            return IGNORE
        if name.casefold() == BACKGROUND:
            return self._classes[BACKGROUND]
        return self._classes.setdefault(name, len(self._classes))

    def add_object(self, picture: str, label: int | None, entry: dict[str, Any]) -> None:
        """Remember the shape of an object; a damaged one costs the whole picture."""
        if label is None:
            reason: Text = "one of its annotations has no category_id"
            if entry.get("category_id") is not None:
                reason = message(
                    "its category {category} is not in the list of categories",
                    category=entry.get("category_id"),
                )
            self._refuse(picture, reason)
            return
        try:
            found = outlined_region(entry, self.run_order, self.position)
        except BadDataError as error:
            reason = message(
                "its annotation is damaged: {reason}", reason=as_message(error.message)
            )
            self._refuse(picture, reason)
            return
        if found is None:
            self._boxes[picture].append(region_of_box(entry))
        else:
            self._shapes[picture].append((found.area, Shape(label, found.region)))

    def _lost(self) -> list[LeftOut]:
        """Return what is left out of pictures, for the error that no object can be used."""
        refused = [
            LeftOut(picture, reason, self._damaged[picture])
            for picture, reason in self._refused.items()
        ]
        return refused + [
            LeftOut(picture, _without_outline(len(boxes)).reason, len(boxes))
            for picture, boxes in self._boxes.items()
        ]

    def _refuse(self, picture: str, reason: str) -> None:
        self._refused.setdefault(picture, reason)
        self._damaged[picture] += 1

    def finished(self, options: AnnotationOptions) -> Annotations:
        """Return everything that was read; see `CocoReading.finished`."""
        if not any(self._shapes.values()):
            raise nothing_usable(
                message(
                    "The COCO files in {labels} contain no polygons or RLE.",
                    labels=self.files.labels.location,
                ),
                [*self.problems, *self._lost()],
                "Masks need polygons or RLE in “segmentation”; boxes have no outline.",
            )
        classes = renamed(list(self._classes), (), options)
        paintings = {}
        for picture, size in self.sizes.items():
            shapes = sorted(self._shapes[picture], key=lambda pair: -pair[0])
            refused = self._refused.get(picture, "")
            boxes = self._boxes[picture]
            remarks = (_without_outline(len(boxes)),) if boxes else ()
            paintings[picture] = Painting(
                [shape for _, shape in shapes],
                size,
                refused,
                remarks,
                boxes,
                self._damaged[picture],
            )
        return PaintedMasks(
            **listed(self.files, self.splits, classes, self.problems),
            paintings=paintings,
        )


class CocoMasks(CocoFormat):
    """Every object is a shape; smaller ones are painted over larger ones.

    Pixels of no object are of the class "background", those of the category "__ignore__" of none.
    The box of an object without outline is of no class either, since part of it is the object.
    """

    name = "coco_masks"
    label = "COCO JSON with polygons or RLE"
    writer = _Writer
    reading = _Reading

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are outlines: files may contain boxes alone."""
        return has_outlines(files.labels)


def _without_outline(count: int) -> Remark:
    reason = message(
        "left out {count} objects without an outline; the pixels of their boxes count as no class",
        one="left out an object without an outline; the pixels of its box count as no class",
        count=count,
    )
    return Remark(reason, count)
