"""LabelMe JSON: a file for each picture, in which each object is a mask."""

from __future__ import annotations

from collections.abc import Iterator

from studio.engine.tasks.annotation_files.labelme_files import LabelMeWriter, mask_shape
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotation_files.tools import LABELME
from studio.engine.tasks.annotations import Regions, WritableFormat
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.drawn_objects import DrawnObjects


class _Writer(LabelMeWriter):
    """Writes the pixels of each object as a mask."""

    def shapes(self, regions: Regions) -> Iterator[dict[str, object]]:
        """Yield a shape for each object; see `LabelMeWriter.shapes`."""
        table = instance_table(regions)
        for index, label in enumerate(table.classes.tolist()):
            left, top = table.boxes[index, :2].tolist()
            yield mask_shape(table.mask(regions, index), self.names[label], (left, top))
        if (ignored := regions == IGNORED).any():
            yield mask_shape(ignored, IGNORED_NAME)


class LabelMeObjects(DrawnObjects, WritableFormat):
    """Reads and writes files of LabelMe."""

    export = "labelme"
    writer = _Writer

    def __init__(self) -> None:
        super().__init__(LABELME)
