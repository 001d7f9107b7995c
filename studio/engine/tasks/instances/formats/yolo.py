"""YOLO segmentation: a text file for each picture, with a line for each object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.listed import listed
from studio.engine.tasks.annotation_files.yolo_outlines import has_outlines, read_outlines
from studio.engine.tasks.annotation_files.yolo_setup import YoloWriter
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    Regions,
    WritableFormat,
)
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.found_objects import (
    ObjectPicture,
    ObjectShape,
    PaintedObjects,
)
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.parts.outlines import traced


class _Writer(YoloWriter):
    """Writes one polygon for each object; pixels that count nowhere cannot be written.

    A line that goes to a hole or another part and back joins it with the first one: it surrounds
    no pixel.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._ignored = 0

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the file of a picture."""
        table, outlines = instance_table(regions), traced(regions)
        lines = []
        for value, label in zip(table.values.tolist(), table.classes.tolist(), strict=True):
            points = np.array([*_joined(outlines[value])]) / size
            lines.append(f"{label} {' '.join(map(repr, points.ravel().tolist()))}")
        self.write_lines(picture, split, lines)
        self._ignored += bool((regions == IGNORED).any())

    def finish(self) -> None:
        """Write the files about all pictures, and warn of what became background."""
        super().finish()
        if self._ignored:
            text = message(
                "{count:,} images have pixels that count nowhere, which YOLO cannot store: they "
                "became background.",
                one="An image has pixels that count nowhere, which YOLO cannot store: they became "
                "background.",
                count=self._ignored,
            )
            self.warnings.append(text)


def _joined(rings: Sequence[Ring]) -> Iterator[tuple[float, float]]:
    """Yield the corners of one polygon around the same pixels as some rings."""
    first, *others = rings
    yield from first
    if not others:
        return
    start = first[0]
    yield start
    for ring in others:
        # Along the sides of pixels, so that both ways cross the same rows at the same places.
        corner = (ring[0][0], start[1])
        yield from (corner, *ring, ring[0], corner, start)


class YoloInstances(WritableFormat):
    """A line has the index of the class and the corners of a polygon as fractions of the image.

    Later lines are in front. A picture without a text file, in a folder where others have one, has
    no objects. Names and splits are read as for boxes, see `yolo_setup`. A line with a box alone
    is no object: its pixels count nowhere.
    """

    name = "yolo_instances"
    label = "YOLO segmentation text files with data.yaml"
    export = "yolo"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has polygons."""
        return has_outlines(files)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        found = read_outlines(files, options, progress)
        classes = renamed(found.names, (), options)
        return PaintedObjects(
            **listed(files, found.splits, classes, found.problems),
            warnings=found.warnings,
            found={
                picture: ObjectPicture(
                    [ObjectShape(each.label, each.region) for each in labels.outlines],
                    remarks=labels.remarks,
                    unclear=labels.unclear,
                )
                for picture, labels in found.pictures.items()
            },
        )
