"""YOLO segmentation: outlines in a text file for each picture, painted as masks."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.listed import listed
from studio.engine.tasks.annotation_files.yolo_outlines import has_outlines, read_outlines
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
)
from studio.engine.tasks.segmentation.shapes import BACKGROUND, PaintedMasks, Painting, Shape


class YoloMasks(AnnotationFormat):
    """Outlines are painted in the order of their lines, on a background; see `read_outlines`.

    Pixels of a box alone, and of a class without a name, belong to no class.
    """

    name = "yolo_masks"
    label = "YOLO segmentation text files with data.yaml"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has polygons."""
        return has_outlines(files)

    def is_evident(self, files: AnnotatedFiles) -> bool:  # noqa: ARG002 - of objects
        """Return False: the files have objects one by one."""
        return False

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        found = read_outlines(files, replace(options, class_names=()), progress)
        names = [BACKGROUND if name.casefold() == BACKGROUND else name for name in found.names]
        number_of = {name: at for at, name in enumerate(dict.fromkeys([BACKGROUND, *names]))}
        classes = renamed([*number_of], (), options)
        return PaintedMasks(
            **listed(files, found.splits, classes, found.problems),
            warnings=found.warnings,
            paintings={
                picture: Painting(
                    [Shape(number_of[names[each.label]], each.region) for each in drawn.outlines],
                    remarks=drawn.remarks,
                    unclear=drawn.unclear,
                )
                for picture, drawn in found.pictures.items()
            },
        )
