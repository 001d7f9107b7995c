"""Masks of the shapes that people drew with a tool."""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotation_files.tools.base import Drawings, unused_labels
from studio.engine.tasks.annotation_files.tools.drawn_format import DrawnFormat
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Annotations,
)
from studio.engine.tasks.segmentation.shapes import (
    BACKGROUND,
    PaintedMasks,
    Painting,
    Shape,
)

GROUND_NAMES = frozenset({"_background_", BACKGROUND})


class DrawnMasks(DrawnFormat):
    """Shapes are painted in their order. Those without an area, such as points, are left out.

    Pixels of no shape are of the class "background", those labeled "__ignore__" of none. A picture
    with a damaged shape is left out: a part of its mask would be missing.
    """

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are outlines: files may contain boxes alone."""
        return self.accepts(files) and self.tool.has_outlines(files.labels)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        drawings = self.tool.read(files, progress)
        labels = {shape.label for each in drawings.pictures.values() for shape in each.shapes}
        if not labels:
            raise StudioError(
                "The annotations of {tool} in {folder} contain no shape with an area.",
                "Masks are painted of polygons, ellipses, rectangles and masks.",
                "source",
                tool=self.label,
                folder=files.labels.location,
            )
        names = sorted(labels - GROUND_NAMES - {IGNORED_NAME}, key=natural_key)
        classes = renamed([BACKGROUND, *names], (), options)
        number_of = dict.fromkeys(GROUND_NAMES, 0) | {IGNORED_NAME: IGNORE}
        number_of |= {name: index for index, name in enumerate(names, 1)}
        return PaintedMasks(
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
            paintings={
                path: _painting(drawn, number_of) for path, drawn in drawings.pictures.items()
            },
        )


def _painting(picture: DrawnPicture, number_of: dict[str, int]) -> Painting:
    """Return the shapes of a picture as they are painted.

    Args:
        picture: Its shapes.
        number_of: Index of each class by its name.
    """
    damage = next(iter(picture.damaged), None)
    refused: Text = ""
    if damage is not None:
        refused = message("its annotation is damaged: {reason}", reason=as_message(damage))
    shapes = [Shape(number_of[each.label], each.region.patch) for each in picture.shapes]
    return Painting(shapes, picture.size, refused, picture.remarks)


def about_rectangles(drawings: Drawings) -> list[Text]:
    """Return a sentence about rectangles where outlines are needed."""
    count = sum(
        shape.region.is_box for each in drawings.pictures.values() for shape in each.shapes
    )
    if not count:
        return []
    text = message(
        "{count} shapes are rectangles; they are filled.",
        one="A shape is a rectangle; it is filled.",
        count=count,
    )
    return [text]
