"""Objects of the shapes that people drew with a tool."""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME, Region
from studio.engine.tasks.annotation_files.tools.base import Drawings, unused_labels
from studio.engine.tasks.annotation_files.tools.drawn_format import DrawnFormat
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Annotations,
    Remark,
)
from studio.engine.tasks.instance_labels import IGNORED
from studio.engine.tasks.instances.found_objects import (
    NOTHING,
    ObjectPicture,
    ObjectShape,
    PaintedObjects,
    crowds_kept,
    joined_region,
)
from studio.engine.tasks.segmentation.drawn_masks import GROUND_NAMES, about_rectangles


class DrawnObjects(DrawnFormat):
    """Each shape is an object; in LabelMe those of a class and a group are parts of one.

    Later shapes are in front. Those without an area, such as points, are left out.
    """

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if files of the tool have outlines: boxes alone are for detection."""
        return self.tool.accepts(files.labels) and self.tool.has_outlines(files.labels)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        drawings = self.tool.read(files, progress)
        labels = {shape.label for each in drawings.pictures.values() for shape in each.shapes}
        names = sorted(labels - GROUND_NAMES - {IGNORED_NAME}, key=natural_key)
        if not names:
            raise self._nothing(files)
        classes = renamed(names, (), options)
        number_of = dict.fromkeys(GROUND_NAMES, NOTHING) | {IGNORED_NAME: IGNORED}
        number_of |= {name: index for index, name in enumerate(names)}
        return PaintedObjects(
            pictures=[
                AnnotatedPicture(path, path, drawn.split)
                for path, drawn in drawings.pictures.items()
            ],
            names=classes.names,
            colors=classes.colors,
            problems=drawings.problems,
            warnings=[
                *drawings.warnings,
                *about_rectangles(drawings),
                *unused_labels(drawings),
            ],
            found=_found(drawings, number_of),
        )

    def _nothing(self, files: AnnotatedFiles) -> StudioError:
        return StudioError(
            "The annotations of {tool} in {folder} contain no shape with an area.",
            "Objects are read from polygons, ellipses, rectangles and masks.",
            "source",
            tool=self.label,
            folder=files.labels.location,
        )


def _found(drawings: Drawings, number_of: Mapping[str, int]) -> dict[str, ObjectPicture]:
    return {path: _picture(drawn, number_of) for path, drawn in drawings.pictures.items()}


def _picture(drawn: DrawnPicture, number_of: Mapping[str, int]) -> ObjectPicture:
    """Return the objects of a picture.

    Args:
        drawn: Its shapes.
        number_of: Class of each name.
    """
    parts: dict[tuple[str, str], list[Region]] = {}
    for number, shape in enumerate(drawn.shapes):
        key = (shape.label, f"group {shape.group}" if shape.group else f"shape {number}")
        parts.setdefault(key, []).append(shape.region.patch)
    shapes = [
        ObjectShape(number_of[label], joined_region(regions))
        for (label, _), regions in parts.items()
    ]
    remarks = [*drawn.remarks]
    if count := sum(each.label == IGNORED for each in shapes):
        remarks.append(crowds_kept(count))
    if count := sum(each.label == NOTHING for each in shapes):
        remarks.append(_ground(count))
    return ObjectPicture(shapes, drawn.size, tuple(remarks))


def _ground(count: int) -> Remark:
    reason = message(
        "{count} shapes are labeled as background: their pixels belong to no object",
        one="a shape is labeled as background: its pixels belong to no object",
        count=count,
    )
    return Remark(reason, count)
