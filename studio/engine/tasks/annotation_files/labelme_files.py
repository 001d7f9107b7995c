"""LabelMe JSON as it is written: a file beside each picture, with its regions as masks."""

from __future__ import annotations

import base64
import json
from abc import abstractmethod
from collections.abc import Iterable
from io import BytesIO
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.tasks.annotations import AnnotationWriter, Regions


class LabelMeWriter(AnnotationWriter):
    """Writes a file beside each picture."""

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split; see `AnnotationWriter.picture_path`."""
        return f"{split}/{name}"

    def finish(self) -> None:
        """Write nothing more: each picture has its file."""

    @abstractmethod
    def shapes(self, regions: Regions) -> Iterable[dict[str, object]]:
        """Return the shapes of a picture, see `mask_shape`.

        Args:
            regions: Its regions.
        """

    def add(
        self,
        picture: str,
        split: str,  # noqa: ARG002 - the folder tells
        regions: Regions,
        size: tuple[int, int],
    ) -> None:
        """Write the file of a picture; see `AnnotationWriter.add`."""
        path = PurePosixPath(picture)
        document: dict[str, object] = {
            "version": "5.5.0",
            "flags": {},
            "shapes": [*self.shapes(regions)],
            "imagePath": path.name,
            "imageData": None,
            "imageHeight": size[1],
            "imageWidth": size[0],
        }
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (self.folder / path.with_suffix(".json")).write_text(text, encoding="utf-8")


def mask_shape(
    region: NDArray[np.bool_], label: str, corner: tuple[int, int] = (0, 0)
) -> dict[str, object]:
    """Return a region as a shape: a small picture of it, and its corners.

    Args:
        region: True for its pixels, at least one, shape (height, width).
        label: Name of its class.
        corner: Left and upper side of the region in the picture.
    """
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    top, bottom, left, right = (int(each) for each in (rows[0], rows[-1], columns[0], columns[-1]))
    buffer = BytesIO()
    part = region[top : bottom + 1, left : right + 1]
    Image.fromarray(part.astype(np.uint8) * 255).convert("1").save(buffer, "PNG")
    x, y = corner
    return {
        "label": label,
        "points": [[left + x, top + y], [right + x, bottom + y]],
        "group_id": None,
        "shape_type": "mask",
        "flags": {},
        "mask": base64.b64encode(buffer.getvalue()).decode(),
    }
