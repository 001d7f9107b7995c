"""LabelMe JSON: masks are written as a file for each picture, with a shape for each class."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.tasks.annotation_files.tools import LABELME
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotationWriter,
    Regions,
    WritableFormat,
)
from studio.engine.tasks.segmentation.drawn_masks import DrawnMasks
from studio.engine.tasks.segmentation.shapes import BACKGROUND, IGNORED_NAME


class _Writer(AnnotationWriter):
    """Writes a file beside each picture, with the region of each class as a mask."""

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split."""
        return f"{split}/{name}"

    def finish(self) -> None:
        """Write nothing more: each picture has its file."""

    def add(
        self,
        picture: str,
        split: str,  # noqa: ARG002 - the folder tells
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Write the file of a picture."""
        height, width = regions.shape
        shapes = []
        for label in np.unique(regions).tolist():
            name = IGNORED_NAME if label == IGNORE else self.names[label]
            if name.casefold() != BACKGROUND:
                shapes.append(_masked(regions == label, name))
        path = PurePosixPath(picture)
        document = {
            "version": "5.5.0",
            "flags": {},
            "shapes": shapes,
            "imagePath": path.name,
            "imageData": None,
            "imageHeight": height,
            "imageWidth": width,
        }
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (self.folder / path.with_suffix(".json")).write_text(text, encoding="utf-8")


def _masked(region: NDArray[np.bool_], label: str) -> dict[str, object]:
    """Return a region as a shape: a small picture of it, and its corners."""
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    top, bottom, left, right = (int(each) for each in (rows[0], rows[-1], columns[0], columns[-1]))
    buffer = BytesIO()
    part = region[top : bottom + 1, left : right + 1]
    Image.fromarray(part.astype(np.uint8) * 255).convert("1").save(buffer, "PNG")
    return {
        "label": label,
        "points": [[left, top], [right, bottom]],
        "group_id": None,
        "shape_type": "mask",
        "flags": {},
        "mask": base64.b64encode(buffer.getvalue()).decode(),
    }


class LabelMe(DrawnMasks, WritableFormat):
    """Reads and writes files of LabelMe."""

    export = "labelme"
    writer = _Writer

    def __init__(self) -> None:
        super().__init__(LABELME)
