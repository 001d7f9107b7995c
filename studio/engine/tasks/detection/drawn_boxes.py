"""Boxes of the shapes that people drew with a tool; an outline gives the box around it."""

from __future__ import annotations

from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import classes_by_name
from studio.engine.tasks.annotation_files.reports import nothing_usable
from studio.engine.tasks.annotation_files.tools.base import Drawings, unused_labels
from studio.engine.tasks.annotation_files.tools.drawn_format import DrawnFormat
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    LeftOut,
)
from studio.engine.tasks.detection.found_boxes import BoxCollector, PictureBoxes, found_boxes

Corners = tuple[float, float, float, float]


class DrawnBoxes(DrawnFormat):
    """Shapes without an area, such as points, are left out."""

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are boxes, and no outlines that could be learned as well."""
        tool = self.tool
        return (
            self.accepts(files)
            and tool.has_shapes(files.labels)
            and not tool.has_outlines(files.labels)
        )

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        drawings = self.tool.read(files, progress)
        shapes = [shape for each in drawings.pictures.values() for shape in each.shapes]
        if not shapes:
            what = message(
                "The annotations of {tool} in {folder} contain no boxes: {others} shapes cannot "
                "be used, and there are {labels} labels of whole images.",
                tool=message(self.label),
                folder=files.labels.location,
                others=sum(each.count for each in drawings.pictures.values()),
                labels=sum(each.label_count for each in drawings.pictures.values()),
            )
            raise nothing_usable(
                what,
                [
                    LeftOut(path, remark.reason, remark.objects)
                    for path, each in drawings.pictures.items()
                    for remark in each.remarks
                ],
                "Boxes are read from rectangles, polygons, ellipses and masks; labels of whole "
                "images are for classification and multi-label classification.",
            )
        numbers, classes = classes_by_name({shape.label for shape in shapes}, files, options)
        found = {path: _boxes(each, numbers) for path, each in drawings.pictures.items()}
        splits = {path: each.split for path, each in drawings.pictures.items()}
        result = found_boxes(files, classes, options, found, drawings.problems, splits.get)
        result.warnings += [
            *drawings.warnings,
            *_about_outlines(drawings),
            *unused_labels(drawings),
        ]
        return result


def _boxes(picture: DrawnPicture, numbers: dict[str, int]) -> PictureBoxes:
    """Return the boxes of a picture.

    Args:
        picture: Its shapes.
        numbers: Index of each class by its name.
    """
    boxes = BoxCollector()
    boxes.size = picture.size
    parts: dict[tuple[str, str], list[Corners]] = {}
    for number, shape in enumerate(picture.shapes):
        # As for outlines, shapes of a class and a group are parts of one object.
        key = (shape.label, f"group {shape.group}" if shape.group else f"shape {number}")
        parts.setdefault(key, []).append(shape.region.corners)
    for (label, _), corners in parts.items():
        left, top, right, bottom = zip(*corners, strict=True)
        boxes.add(numbers[label], (min(left), min(top), max(right), max(bottom)))
    boxes.problems += picture.remarks
    return boxes.result(is_relative=any(each.region.is_relative for each in picture.shapes))


def _about_outlines(drawings: Drawings) -> list[Text]:
    count = sum(
        not shape.region.is_box for each in drawings.pictures.values() for shape in each.shapes
    )
    if not count:
        return []
    text = message(
        "{count} shapes are not upright rectangles: the boxes around them are used.",
        one="A shape is not an upright rectangle: the box around it is used.",
        count=count,
    )
    return [text]
