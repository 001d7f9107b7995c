"""COCO JSON: boxes of objects, in a file for all pictures or for each split."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.json_files import (
    documents,
    has_document,
    objects,
    outlines_in,
    parsed,
)
from studio.engine.tasks.annotation_files.polygons import points_of
from studio.engine.tasks.annotation_files.rle import runs_of
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    Regions,
    is_background,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, DIFFICULT, FLAGS, LEFT
from studio.engine.tasks.detection.box_classes import renamed
from studio.engine.tasks.detection.found_boxes import (
    BoxList,
    FoundBoxes,
    most_boxes,
    name_in,
    number_in,
    size_in,
)
from studio.engine.tasks.detection.pairs import PictureNames, split_in

_KEY = re.compile(rb'"(images|annotations|categories)"\s*:\s*\[')
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_INSTANCES = "instances"
Corners = tuple[float, float, float, float]


class _Writer(AnnotationWriter):
    """Writes a file for each split; difficult objects have `"ignore": 1`."""

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._images: dict[str, list[dict[str, object]]] = {}
        self._annotations: dict[str, list[dict[str, object]]] = {}

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split."""
        return f"{split}/{name}"

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Remember the boxes of a picture."""
        images = self._images.setdefault(split, [])
        annotations = self._annotations.setdefault(split, [])
        number = len(images) + 1
        name = PurePosixPath(picture).name
        images.append({"id": number, "file_name": name, "width": size[0], "height": size[1]})
        for box in regions[regions[:, CLASS] >= 0].tolist():
            left, top, right, bottom = box[LEFT : BOTTOM + 1]
            flags = int(box[FLAGS])
            entry: dict[str, object] = {
                "id": len(annotations) + 1,
                "image_id": number,
                "category_id": int(box[CLASS]) + 1,
                "bbox": [left, top, right - left, bottom - top],
                "area": (right - left) * (bottom - top),
                "segmentation": [],
                "iscrowd": int(flags & CROWD > 0),
            }
            annotations.append(entry | ({"ignore": 1} if flags & DIFFICULT else {}))

    def finish(self) -> None:
        """Write the files."""
        (self.folder / "annotations").mkdir()
        categories = [
            {"id": number, "name": name, "color": color}
            for number, (name, color) in enumerate(
                zip(self.names, self.colors, strict=True), start=1
            )
        ]
        for split, images in self._images.items():
            document = {
                "images": images,
                "annotations": self._annotations[split],
                "categories": categories,
            }
            path = self.folder / "annotations" / f"instances_{split}.json"
            path.write_text(json.dumps(document), encoding="utf-8")


class CocoBoxes(AnnotationFormat):
    """Every picture that a file lists is taken; one without annotations has no objects.

    Objects without `bbox` get the box around their polygons or RLE. `iscrowd` is a crowd, and
    `ignore` a difficult object. Classes are in the order of the ids of their categories. If files
    are called "instances…", as in the COCO dataset, others such as captions are not read.
    """

    name = "coco_boxes"
    label = "COCO JSON with boxes"
    export = "coco"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a JSON file begins as one of COCO does."""
        return has_document(files.labels, _KEY)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are boxes, and no outlines that could be learned as well."""
        return has_document(files.labels, _KEY) and not outlines_in(files.labels, _KEY)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        paths = list(documents(files.labels, _KEY))
        instances = [path for path in paths if PurePosixPath(path).name.startswith(_INSTANCES)]
        for path in instances or paths:
            progress.check()
            progress.advance(0, 0, "Reading the annotations")
            reading.add(path)
        return reading.finished(options)


class _Reading:
    """Pictures, classes and boxes of some files."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self._names = PictureNames(files)
        self._classes: dict[str, int] = {}
        self._colors: dict[str, str] = {}
        self._groups: set[str] = set()
        self._splits: dict[str, str | None] = {}
        self._found: dict[str, BoxList] = {}
        self._problems: list[tuple[str, str]] = []

    def add(self, path: str) -> None:
        """Read a file; if it is damaged, it is a problem."""
        try:
            document = parsed(self._files.labels.read(path))
        except BadDataError as error:
            self._problems.append((path, error.message))
            return
        if not isinstance(document.get("annotations"), list):
            self._problems.append((path, "it lists images, but no annotations"))
            return
        labels = self._labels(document)
        pictures = self._pictures(path, document)
        for entry in objects(document.get("annotations")):
            boxes = pictures.get(_hashable(entry.get("image_id")))
            if boxes is None:
                continue  # of a missing picture, which is reported
            category = entry.get("category_id")
            label = labels.get(_hashable(category))
            if label is None:
                boxes.unknown[name_in(str(category)[:40])] += 1
                continue
            corners = _corners(entry)
            if corners is None:
                boxes.without_box += 1
                continue
            flags = DIFFICULT if entry.get("ignore") == 1 else 0
            boxes.add(label, corners, CROWD if entry.get("iscrowd") == 1 else flags)

    def finished(self, options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read.

        Raises:
            StudioError: There is nothing to learn from.
        """
        folder = self._files.labels.location
        if not self._found:
            raise StudioError(
                message(
                    "The COCO files in {labels} refer to none of the images in {pictures}.",
                    labels=folder,
                    pictures=self._files.images.location,
                ),
                "Choose the image folder as the source and the JSON file as the annotations.",
                "source",
            )
        used = {
            int(label)
            for boxes in self._found.values()
            for label in np.unique(boxes.rows[:, CLASS]).tolist()
        }
        if not used:
            raise StudioError(
                message("The COCO files in {labels} contain no boxes.", labels=folder),
                "Annotations need a bbox with left, top, width and height.",
                "source",
            )
        # Tools list groups of classes, and the background, as categories without objects.
        names = [
            name
            for name, label in self._classes.items()
            if label in used or not (is_background(name) or name in self._groups)
        ]
        numbers = np.full(len(self._classes), -1)
        numbers[[self._classes[name] for name in names]] = np.arange(len(names))
        colors = [self._colors.get(name, "") for name in names]
        classes = renamed(names, colors if all(colors) else (), options)
        found = {}
        for picture, boxes in self._found.items():
            rows = boxes.rows
            rows[:, CLASS] = numbers[rows[:, CLASS].astype(np.int64)]
            found[picture] = boxes.result(rows=rows)
        return FoundBoxes(
            pictures=[
                AnnotatedPicture(picture, picture, self._splits[picture])
                for picture in self._files.images.pictures
                if picture in found and (options.keep_empty or len(found[picture].rows))
            ],
            names=classes.names,
            colors=classes.colors,
            problems=self._problems,
            can_rename=True,
            most_boxes=most_boxes(list(found.values())),
            found=found,
        )

    def _labels(self, document: dict[str, Any]) -> dict[object, int]:
        """Return the class of each category; the same name is the same class in every file."""
        labels: dict[object, int] = {}
        categories = [
            (number, name_in(entry.get("name")), entry)
            for entry in objects(document.get("categories"))
            if isinstance(number := entry.get("id"), int | str)
        ]
        categories.sort(key=lambda each: (isinstance(each[0], str), each[0]))
        for number, name, entry in categories:
            if name:
                labels[number] = self._classes.setdefault(name, len(self._classes))
                self._groups.add(name_in(entry.get("supercategory")))
                color = entry.get("color")
                if isinstance(color, str) and _COLOR.fullmatch(color):
                    self._colors.setdefault(name, color.lower())
        return labels

    def _pictures(self, path: str, document: dict[str, Any]) -> dict[object, BoxList]:
        """Return the boxes of the picture of each id, and remember its size and split."""
        found: dict[object, BoxList] = {}
        split = split_in(path)
        listed: set[str] = set()
        for entry in objects(document.get("images")):
            name = entry.get("file_name")
            if not isinstance(name, str):
                continue
            picture = self._names.find(name, path)
            if picture is None:
                reason = message("{file} names it, but the image does not exist", file=path)
                self._problems.append((name, reason))
                continue
            if picture in listed:
                reason = message("it is listed twice in {file}", file=path)
                self._problems.append((picture, reason))
            listed.add(picture)
            boxes = self._found.setdefault(picture, BoxList())
            boxes.size = boxes.size or size_in(entry.get("width"), entry.get("height"))
            self._splits[picture] = split or self._splits.get(picture)
            found[_hashable(entry.get("id"))] = boxes
        return found


def _hashable(value: object) -> object:
    return value if isinstance(value, int | str) else None


def _corners(entry: dict[str, Any]) -> Corners | None:
    """Return the corners of an object; None if it has neither a box nor an outline."""
    box = entry.get("bbox")
    if isinstance(box, list) and len(box) == 4:
        left, top, width, height = map(number_in, box)
        return left, top, left + width, top + height
    outline = entry.get("segmentation")
    try:
        if isinstance(outline, dict):
            return _around_runs(outline)
        if isinstance(outline, list) and outline:
            is_flat = isinstance(outline[0], int | float)
            polygons = [points_of(each) for each in ([outline] if is_flat else outline)]
            points = np.concatenate(polygons)
            return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())
    except (BadDataError, ValueError):
        return None
    return None


def _around_runs(value: dict[str, Any]) -> Corners | None:
    """Return the corners of the box around a region as run lengths; None for an empty one.

    Raises:
        ValueError: They are damaged.
    """
    size, counts = value.get("size"), value.get("counts")
    height, width = map(number_in, size) if isinstance(size, list) and len(size) == 2 else (0, 0)
    stated = size_in(width, height)
    if isinstance(counts, list) and not all(type(count) is int for count in counts):
        return None
    if stated is None or not isinstance(counts, list | str):
        return None
    runs = runs_of((stated[1], stated[0]), counts)
    ends = np.cumsum(runs)
    starts, ends = (ends - runs)[1::2], ends[1::2]
    starts, ends = starts[ends > starts], ends[ends > starts]
    if not len(starts):
        return None
    rows = stated[1]
    first, last = starts // rows, (ends - 1) // rows
    # A run that continues in the next column touches the bottom and the top.
    goes_on = bool((first < last).any())
    top = 0 if goes_on else int((starts % rows).min())
    bottom = rows if goes_on else int(((ends - 1) % rows).max()) + 1
    return float(first.min()), float(top), float(last.max()) + 1.0, float(bottom)
