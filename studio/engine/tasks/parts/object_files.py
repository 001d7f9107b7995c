"""Objects as files: a CSV table, JSON of COCO, and text files of YOLO."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import Final

from studio.engine.csv_cells import table_text
from studio.engine.tasks.annotation_files.coco import CocoDocument
from studio.engine.tasks.parts.georeferenced import geojson, georeference_of_file
from studio.engine.tasks.parts.objects import COCO, CSV, YOLO, DetectedObject, Objects
from studio.engine.tasks.parts.writer import PartWriter

COCO_NAME: Final = "boxes.json"
CSV_NAME: Final = "boxes.csv"
CLASSES_NAME: Final = "classes.txt"
"""Names of the classes of the YOLO files, a line for each."""
COLUMNS: Final = ("image", "class", "score", "left", "top", "right", "bottom")


class ObjectWriter(PartWriter[Objects]):
    """Writes the objects of pictures into a folder.

    `csv` is one file with a line for each object; `coco` is one file with the objects as
    annotations that have a score; `yolo` is a text file for each picture: class, center, width
    and height as fractions of the picture, and score.

    Args:
        folder: Destination, created if missing.
        kinds: Kinds from `Objects.file_kinds`.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """

    def __init__(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> None:
        super().__init__(folder, kinds, names, colors)
        self._document = CocoDocument()
        self._rows: list[tuple[object, ...]] = [COLUMNS]

    def add(self, image: str, part: Objects) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            part: The objects.

        Returns:
            Their paths: `labels` the text file of YOLO, `geojson` that of a picture with a
            position on the earth.

        Raises:
            DiskFullError: No space was left.
        """
        objects = part.given
        self._document.add_image(image, part.size)
        for each in objects:
            corners = each.corners
            self._rows.append((image, each.label, each.score, *corners))
            width, height = _sides(corners)
            outline = [coordinate for point in each.outline for coordinate in point]
            annotation = {
                "bbox": [*corners[:2], width, height],
                "area": width * height,
                "iscrowd": 0,
                "score": each.score,
            } | ({"segmentation": [outline]} if outline else {})
            self._document.add_annotation(self._names.index(each.label), annotation)
        stem, found = self._free_stem(image, (PurePath(CLASSES_NAME).stem,)), {}
        position = georeference_of_file(image)
        if position is not None:
            found["geojson"] = str(self._written(f"{stem}.geojson", geojson(objects, position)))
        if YOLO in self._kinds:
            lines = (self._yolo_line(each, part.size) for each in objects)
            found["labels"] = str(self._text(f"{stem}.txt", "".join(lines)))
        return found

    def finish(self) -> list[Path]:
        """Write the files for all pictures, and return their paths.

        Raises:
            DiskFullError: No space was left.
        """
        paths = []
        if CSV in self._kinds:
            paths.append(self._text(CSV_NAME, table_text(self._rows)))
        if COCO in self._kinds:
            data = self._document.data(self._names, self._colors)
            paths.append(self._written(COCO_NAME, data))
        if YOLO in self._kinds:
            text = "".join(f"{name}\n" for name in self._names)
            paths.append(self._text(CLASSES_NAME, text))
        return paths

    def _text(self, name: str, text: str) -> Path:
        return self._written(name, text.encode("utf-8", "backslashreplace"))

    def _yolo_line(self, box: DetectedObject, size: tuple[int, int]) -> str:
        width, height = size
        numbers = (
            (box.left + box.right) / 2 / width,
            (box.top + box.bottom) / 2 / height,
            (box.right - box.left) / width,
            (box.bottom - box.top) / height,
            box.score,
        )
        return f"{self._names.index(box.label)} {' '.join(f'{each:.6f}' for each in numbers)}\n"


def _sides(corners: tuple[float, float, float, float]) -> tuple[float, float]:
    left, top, right, bottom = corners
    return round(right - left, 2), round(bottom - top, 2)
