"""Objects as files: tables, JSON of COCO and GeoJSON, label images, YOLO and ImageJ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import Final

from studio.engine.csv_cells import table_text
from studio.engine.errors import StudioError, UnwritableError
from studio.engine.messages import as_message, message
from studio.engine.tasks.annotation_files.coco import CocoDocument
from studio.engine.tasks.annotation_files.rle import encode
from studio.engine.tasks.parts.georeferenced import geojson, georeference_of_file
from studio.engine.tasks.parts.measured_files import MeasuredPicture, table_of
from studio.engine.tasks.parts.measurements import Measurements, PixelSize
from studio.engine.tasks.parts.object_shapes import (
    imagej_regions,
    label_file,
    qupath_geojson,
    require_imagej,
)
from studio.engine.tasks.parts.objects import (
    COCO,
    CSV,
    GEOJSON,
    IMAGEJ,
    LABELS,
    YOLO,
    DetectedObject,
    Objects,
    Ring,
)
from studio.engine.tasks.parts.outlines import filled_patch, polygons_of
from studio.engine.tasks.parts.writer import PartWriter

COCO_NAME: Final = "boxes.json"
CSV_NAME: Final = "boxes.csv"
OUTLINES_COCO_NAME: Final = "objects.json"
OUTLINES_CSV_NAME: Final = "objects.csv"
"""Names of the files for objects with outlines."""
CLASSES_NAME: Final = "classes.txt"
"""Names of the classes of the YOLO files, a line for each."""
COLUMNS: Final = ("image", "class", "score", "left", "top", "right", "bottom")


class ObjectWriter(PartWriter[Objects]):
    """Writes the objects of pictures into a folder.

    `csv` is one file with a line for each object, with its measurements if it has an outline;
    `coco` is one file with the objects as annotations that have a score; `yolo` is a text file for
    each picture: class, center, width and height as fractions of the picture, and score, or class
    and outline; `geojson` has the outlines or boxes in pixels, as QuPath reads them; `labels` is a
    label image; `imagej` is an archive of regions.

    Args:
        folder: Destination, created if missing.
        kinds: Kinds from `Objects.file_kinds` or `OUTLINE_KINDS`.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
        pixel: Width and height of a pixel in micrometers; None for that of each picture.

    Raises:
        StudioError: The package for regions of ImageJ is missing.
    """

    def __init__(
        self,
        folder: Path,
        kinds: Collection[str],
        names: Sequence[str],
        colors: Sequence[str],
        pixel: PixelSize | None = None,
    ) -> None:
        if IMAGEJ in kinds:
            require_imagej()
        super().__init__(folder, kinds, names, colors)
        self._pixel = pixel
        self._document = CocoDocument()
        self._rows: list[dict[str, object]] = []
        self._has_outlines = False

    def add(self, image: str, part: Objects) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            part: The objects.

        Returns:
            Their paths: `labels` the label image, or the text file of YOLO for boxes; `yolo` that
            for outlines; `geojson`, in degrees for a picture with a position on the earth;
            `imagej` the archive of regions.

        Raises:
            DiskFullError: No space was left.
            StudioError: Label images were requested of boxes.
            UnwritableError: The picture is too large for a kind of file.
        """
        self._has_outlines |= part.has_outlines
        picture, measurements = self._measured(image, part)
        self._document.add_image(image, part.size)
        for number, (each, measured) in enumerate(zip(part.given, measurements, strict=True), 1):
            self._add_row(image, number, each, picture.cells(measured, self._pixel))
            if COCO in self._kinds:
                found = _annotation(each, part.size)
                self._document.add_annotation(self._names.index(each.label), found)
        try:
            return self._files_of(image, part, measurements)
        except UnwritableError as error:
            raise UnwritableError(
                "{image}: {reason}",
                error.hint,
                error.where,
                image=image,
                reason=as_message(error.message),
            ) from error

    def _measured(
        self, image: str, part: Objects
    ) -> tuple[MeasuredPicture, list[Measurements | None]]:
        """Measure the outlines of a picture; boxes are not measured."""
        if not part.has_outlines or not {CSV, GEOJSON} & set(self._kinds):
            return MeasuredPicture(), [None] * len(part.given)
        picture = MeasuredPicture.of_file(image)
        if picture.lacks_intensities:
            self.warnings.append(
                message(
                    "{image}: its objects have no intensities, because its pixels cannot be "
                    "decoded at once.",
                    image=image,
                )
            )
        return picture, picture.measure(part, self._pixel)

    def _add_row(
        self, image: str, number: int, found: DetectedObject, cells: dict[str, object]
    ) -> None:
        """Add the row of an object to the table; its number is that in the label image."""
        values = (image, found.label, found.score, *found.corners)
        row = dict(zip(COLUMNS, values, strict=True))
        if self._has_outlines:
            row = {"image": image, "object": number} | row | cells
        self._rows.append(row)

    def _files_of(
        self, image: str, part: Objects, measurements: Sequence[Measurements | None]
    ) -> dict[str, str]:
        """Write the files that are about one picture, and return their paths."""
        stem, found = self._free_stem(image, (PurePath(CLASSES_NAME).stem,)), {}
        position = georeference_of_file(image)
        if position is not None:
            data = geojson(part.given, position)
            found["geojson"] = str(self._written(f"{stem}.geojson", data))
        elif GEOJSON in self._kinds:
            colors = dict(zip(self._names, self._colors, strict=False))
            data = qupath_geojson(part.given, measurements, colors)
            found["geojson"] = str(self._written(f"{stem}.geojson", data))
        if YOLO in self._kinds:
            lines = (self._yolo_line(each, part.size) for each in part.given)
            key = "yolo" if part.has_outlines else "labels"
            found[key] = str(self._text(f"{stem}.txt", "".join(lines)))
        if LABELS in self._kinds:
            if not part.has_outlines:
                raise StudioError("Label images need outlines; this model predicts boxes.")
            found["labels"] = str(self._written(f"{stem}-labels.tif", label_file(part)))
        if IMAGEJ in self._kinds:
            data = imagej_regions(part.given)
            found["imagej"] = str(self._written(f"{stem}-rois.zip", data))
        return found

    def finish(self) -> list[Path]:
        """Write the files for all pictures, and return their paths.

        Raises:
            DiskFullError: No space was left.
        """
        paths = []
        if CSV in self._kinds:
            table = table_of(self._rows) if self._rows else [COLUMNS]
            name = OUTLINES_CSV_NAME if self._has_outlines else CSV_NAME
            paths.append(self._text(name, table_text(table)))
        if COCO in self._kinds:
            data = self._document.data(self._names, self._colors)
            name = OUTLINES_COCO_NAME if self._has_outlines else COCO_NAME
            paths.append(self._written(name, data))
        if YOLO in self._kinds:
            text = "".join(f"{name}\n" for name in self._names)
            paths.append(self._text(CLASSES_NAME, text))
        return paths

    def _text(self, name: str, text: str) -> Path:
        return self._written(name, text.encode("utf-8", "backslashreplace"))

    def _yolo_line(self, found: DetectedObject, size: tuple[int, int]) -> str:
        width, height = size
        if found.outline:
            points = _one_ring(found.outline)
            numbers = [side for x, y in points for side in (x / width, y / height)]
        else:
            numbers = [
                (found.left + found.right) / 2 / width,
                (found.top + found.bottom) / 2 / height,
                (found.right - found.left) / width,
                (found.bottom - found.top) / height,
                found.score,
            ]
        return f"{self._names.index(found.label)} {' '.join(f'{each:.6f}' for each in numbers)}\n"


def _one_ring(rings: Sequence[Ring]) -> list[tuple[float, float]]:
    """Join rings by lines without an area between them, since YOLO has one ring for an object."""
    points = [*rings[0]]
    for ring in rings[1:]:
        points += [rings[0][0], *ring, ring[0]]
    return points


def _annotation(found: DetectedObject, size: tuple[int, int]) -> dict[str, object]:
    """Return an object as an annotation of COCO: polygons, or run lengths if it has holes.

    Args:
        found: The object.
        size: Width and height of its picture.
    """
    left, top, right, bottom = found.corners
    width, height = round(right - left, 2), round(bottom - top, 2)
    box = {"bbox": [left, top, width, height], "iscrowd": 0, "score": found.score}
    if not found.outline:
        return box | {"area": width * height}
    parts = polygons_of(found.outline)
    patch = filled_patch(found.outline, size)
    segmentation: object = (
        encode(patch.whole(size))
        if any(len(part) > 1 for part in parts)
        else [[side for point in part[0] for side in point] for part in parts]
    )
    return box | {"area": int(patch.inside.sum()), "segmentation": segmentation}
