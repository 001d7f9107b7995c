"""LabelMe JSON: masks are written as a file for each picture, with a shape for each class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from studio.engine.tasks.annotation_files.labelme_files import LabelMeWriter, mask_shape
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotation_files.tools import LABELME
from studio.engine.tasks.annotations import IGNORE, Regions, WritableFormat
from studio.engine.tasks.segmentation.drawn_masks import DrawnMasks
from studio.engine.tasks.segmentation.shapes import BACKGROUND


class _Writer(LabelMeWriter):
    """Writes the region of each class as a mask."""

    def shapes(self, regions: Regions) -> Iterator[dict[str, object]]:
        """Yield a shape for each class; see `LabelMeWriter.shapes`."""
        for label in np.unique(regions).tolist():
            name = IGNORED_NAME if label == IGNORE else self.names[label]
            if name.casefold() != BACKGROUND:
                yield mask_shape(regions == label, name)


class LabelMe(DrawnMasks, WritableFormat):
    """Reads and writes files of LabelMe."""

    export = "labelme"
    writer = _Writer

    def __init__(self) -> None:
        super().__init__(LABELME)
