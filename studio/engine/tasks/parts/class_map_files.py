"""Masks as files: indexed and colored PNG, and JSON of COCO with run lengths."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from PIL import Image

from studio.engine.errors import UnwritableError
from studio.engine.messages import message
from studio.engine.pictures.pyramid_file import TILE
from studio.engine.tasks.annotation_files.coco import CocoDocument
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts.class_map import COCO, COLOR, INDEX, ClassMap
from studio.engine.tasks.parts.georeferenced import georeference_of_file, georeferenced_mask
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.mask_images import MAX_CHANGES, regions_of, regions_of_strips
from studio.engine.tasks.parts.writer import PartWriter

COCO_NAME: Final = "masks.json"


class ClassMapWriter(PartWriter[ClassMap]):
    """Writes the masks of pictures into a folder.

    `index` and `color` are a PNG file for each picture; `coco` is one file for all, with a crowd
    region for each class of a picture.

    Args:
        folder: Created if missing.
        kinds: Kinds from `ClassMap.file_kinds`.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """

    def __init__(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> None:
        super().__init__(folder, kinds, names, colors)
        self._document = CocoDocument()

    def add(self, image: str, part: ClassMap) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            part: The mask.

        Returns:
            Their paths: `mask` the indexed PNG, `color` the colored one, `geotiff` the mask of a
            picture with a position on the earth. Of a large picture, `mask` is a tiled TIFF with
            smaller copies, the colors and the position.

        Raises:
            DiskFullError: No space was left.
            UnwritableError: Run lengths were requested, and a large picture has too many.
        """
        stem = self._free_stem(image)
        if part.large is not None:
            return {"mask": str(self._large(image, stem, part.large))}
        data, found = part.picture(), {}
        if INDEX in self._kinds:
            found["mask"] = str(self._written(f"{stem}.png", data))
        if COLOR in self._kinds:
            file = io.BytesIO()
            with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
                picture.convert("RGB").save(file, "PNG")
            found["color"] = str(self._written(f"{stem}-color.png", file.getvalue()))
        position = georeference_of_file(image)
        if position is not None:
            mask = georeferenced_mask(part.classes(), position, self._names, self._colors)
            found["geotiff"] = str(self._written(f"{stem}.tif", mask))
        if COCO in self._kinds:
            labels = part.classes()
            self._document.add_image(image, labels.shape[::-1])
            for label, region in regions_of(labels):
                if label != IGNORE:
                    self._document.add_annotation(label, region | {"iscrowd": 1})
        return found

    def _large(self, image: str, stem: str, large: LargeMap) -> Path:
        """Give the mask of a large picture its name; its palette has the colors of the classes.

        Raises:
            UnwritableError: Run lengths were requested, and there are too many.
        """
        path = self._moved(large, f"{stem}.tif")
        if COCO in self._kinds:
            self._add_large(image, path, (large.width, large.height))
        return path

    def _add_large(self, image: str, path: Path, size: tuple[int, int]) -> None:
        from studio.engine.pictures.tiff_windows import column_strips  # noqa: PLC0415 - an extra

        strips = (strip[..., 0] for strip in column_strips(path, TILE))
        try:
            regions = list(regions_of_strips(strips, size))
        except OverflowError:
            raise UnwritableError(
                "The regions of {image} have more than {limit:,} runs, too many for COCO.",
                message("Leave out coco: {path} has the class of each pixel.", path=path),
                "masks",
                image=image,
                limit=MAX_CHANGES,
            ) from None
        self._document.add_image(image, size)
        for label, region in regions:
            if label != IGNORE:
                self._document.add_annotation(label, region | {"iscrowd": 1})

    def finish(self) -> list[Path]:
        """Write the file for all pictures.

        Returns:
            Its path, if there is one.

        Raises:
            DiskFullError: No space was left.
        """
        if COCO not in self._kinds:
            return []
        return [self._written(COCO_NAME, self._document.data(self._names, self._colors))]
