"""COCO JSON: polygons and run lengths of objects, in a file for all pictures or for each split."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.json_files import (
    documents,
    has_document,
    objects,
    outlines_in,
    parsed,
    size_of,
)
from studio.engine.tasks.annotation_files.polygons import area_of, filled, points_of
from studio.engine.tasks.annotation_files.rle import runs_of, unpacked
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    Regions,
    require_size,
    split_of,
)
from studio.engine.tasks.segmentation.mask_files import regions_of
from studio.engine.tasks.segmentation.shapes import (
    BACKGROUND,
    IGNORED_NAME,
    PaintedMasks,
    Painting,
    Shape,
    named_classes,
)

_KEY = re.compile(rb'"(images|annotations|categories)"\s*:\s*\[')
_Region = Callable[[tuple[int, int]], NDArray[np.bool_]]


class _Writer(AnnotationWriter):
    """Writes a file for each split, with the region of each class as RLE."""

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._all = (*names, IGNORED_NAME)
        self._images: dict[str, list[dict[str, object]]] = {}
        self._annotations: dict[str, list[dict[str, object]]] = {}

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split."""
        return f"{split}/{name}"

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Remember the regions of a picture."""
        images = self._images.setdefault(split, [])
        annotations = self._annotations.setdefault(split, [])
        height, width = regions.shape
        number = len(images) + 1
        name = PurePosixPath(picture).name
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        for region in regions_of(np.where(regions == IGNORE, len(self.names), regions), self._all):
            name = str(region.pop("class"))
            if name.casefold() != BACKGROUND:
                head = {"id": len(annotations) + 1, "image_id": number, "iscrowd": 0}
                annotations.append(head | region | {"category_id": self._all.index(name) + 1})

    def finish(self) -> None:
        """Write the files."""
        (self.folder / "annotations").mkdir()
        categories = [
            {"id": number, "name": name}
            for number, name in enumerate(self._all, 1)
            if name.casefold() != BACKGROUND
        ]
        for split, images in self._images.items():
            document = {
                "images": images,
                "annotations": self._annotations[split],
                "categories": categories,
            }
            path = self.folder / "annotations" / f"instances_{split}.json"
            path.write_text(json.dumps(document), encoding="utf-8")


class CocoMasks(AnnotationFormat):
    """Every object is a shape; smaller ones are painted over larger ones.

    Pixels of no object are of the class "background", those of the category "__ignore__" of none.
    """

    name = "coco_masks"
    label = "COCO JSON with polygons or RLE"
    export = "coco"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a JSON file begins as one of COCO does."""
        return has_document(files.labels, _KEY)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are outlines: files may contain boxes alone."""
        return outlines_in(files.labels, _KEY)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        for path in documents(files.labels, _KEY):
            progress.check()
            progress.advance(0, 0, "Reading the annotations")
            reading.add(path)
        return reading.finished(options)


class _Reading:
    """Pictures, classes and shapes of some files."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in files.images.pictures:
            self._by_name[PurePosixPath(path).name].append(path)
        self._names = [BACKGROUND]
        self._splits: dict[str, str | None] = {}
        self._sizes: dict[str, tuple[int, int] | None] = {}
        self._shapes: dict[str, list[tuple[float, Shape]]] = defaultdict(list)
        self._refused: dict[str, str] = {}
        self._problems: list[tuple[str, str]] = []
        self._boxes = 0

    def add(self, path: str) -> None:
        """Read a file; if it is damaged, it is a problem."""
        try:
            document = parsed(self._files.labels.read(path))
        except BadDataError as error:
            self._problems.append((path, error.message))
            return
        labels = self._labels(document)
        pictures = self._pictures(path, document)
        for entry in objects(document.get("annotations")):
            picture = pictures.get(_hashable(entry.get("image_id")))
            if picture is None:
                continue  # of a missing picture, which is reported
            label = labels.get(_hashable(entry.get("category_id")))
            if label is None:
                reason = message(
                    "its category {category} is not in the list of categories",
                    category=entry.get("category_id"),
                )
                self._refused.setdefault(picture, reason)
                continue
            try:
                found = _region(entry.get("segmentation"))
            except BadDataError as error:
                reason = message(
                    "its annotation is damaged: {reason}", reason=as_message(error.message)
                )
                self._refused.setdefault(picture, reason)
                continue
            if found is None:
                self._boxes += 1
            else:
                self._shapes[picture].append((found[0], Shape(label, found[1])))

    def finished(self, options: AnnotationOptions) -> Annotations:
        """Return everything that was read.

        Raises:
            StudioError: There is nothing to learn from.
        """
        folder = self._files.labels.location
        if not self._splits:
            raise StudioError(
                message(
                    "The COCO files in {labels} refer to none of the images in {pictures}.",
                    labels=folder,
                    pictures=self._files.images.location,
                ),
                "Choose the image folder as the source and the JSON file as the annotations.",
                "source",
            )
        if not any(self._shapes.values()):
            raise StudioError(
                message(
                    "The COCO files in {labels} contain {boxes} boxes, but no polygons or RLE.",
                    labels=folder,
                    boxes=self._boxes,
                ),
                "Masks need polygons or RLE; boxes have no outline.",
                "source",
            )
        classes = named_classes(self._names, options)
        paintings = {}
        for picture in self._splits:
            shapes = sorted(self._shapes[picture], key=lambda pair: -pair[0])
            paintings[picture] = Painting(
                [shape for _, shape in shapes],
                self._sizes[picture],
                self._refused.get(picture, ""),
            )
        return PaintedMasks(
            pictures=[
                AnnotatedPicture(picture, picture, split)
                for picture, split in self._splits.items()
            ],
            names=classes.names,
            colors=classes.colors,
            can_rename=True,
            problems=self._problems,
            paintings=paintings,
        )

    def _labels(self, document: dict[str, Any]) -> dict[object, int]:
        """Return the class of each category; the same name is the same class in every file."""
        labels: dict[object, int] = {}
        categories = [
            (entry.get("id"), entry["name"].strip())
            for entry in objects(document.get("categories"))
            if isinstance(entry.get("name"), str) and isinstance(entry.get("id"), int | str)
        ]
        for number, name in sorted(categories, key=lambda pair: (isinstance(pair[0], str), pair)):
            if name == IGNORED_NAME:
                labels[number] = IGNORE
                continue
            if name.casefold() == BACKGROUND:
                labels[number] = 0
                continue
            if name not in self._names:
                self._names.append(name)
            labels[number] = self._names.index(name)
        return labels

    def _pictures(self, path: str, document: dict[str, Any]) -> dict[object, str]:
        """Return the picture of each id, and remember its size and split."""
        found: dict[object, str] = {}
        split = _split_in(path)
        for entry in objects(document.get("images")):
            name = entry.get("file_name")
            if not isinstance(name, str):
                continue
            picture = self._picture(name, path)
            if picture is None:
                reason = message("it is listed in {file}, but does not exist", file=path)
                self._problems.append((name, reason))
                continue
            found[_hashable(entry.get("id"))] = picture
            self._splits[picture] = split or self._splits.get(picture)
            self._sizes[picture] = size_of(entry.get("width"), entry.get("height"))
        return found

    def _picture(self, name: str, path: str) -> str | None:
        """Return the picture of a name: beside the file, or the only one that ends with it."""
        plain = name.replace("\\", "/").lstrip("/")
        alike = self._by_name.get(PurePosixPath(plain).name, [])
        beside = str(PurePosixPath(path).parent / plain)
        if beside in alike and self._files.are_together:
            return beside
        if plain in alike:
            return plain
        ending = [each for each in alike if each.endswith(f"/{plain}")] or alike
        split = _split_in(path)
        if len(ending) > 1 and split is not None:
            ending = [each for each in ending if _split_in(each) == split]
        return ending[0] if len(ending) == 1 else None


def _hashable(value: object) -> object:
    return value if isinstance(value, int | str) else None


def _split_in(path: str) -> str | None:
    """Return the split that words of a path name: that of "instances_train2017.json"."""
    words = re.split(r"[\W\d_]+", path)
    return next((split for word in words if (split := split_of(word))), None)


def _region(segmentation: object) -> tuple[float, _Region] | None:
    """Return the area and the region of an object; None if it has a box alone.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    if not segmentation:
        return None
    if isinstance(segmentation, dict):
        return _of_runs(segmentation)
    if not isinstance(segmentation, list):
        raise BadDataError("its outline is neither a polygon nor RLE")
    is_flat = isinstance(segmentation[0], int | float)
    polygons = [points_of(each) for each in ([segmentation] if is_flat else segmentation)]
    return sum(map(area_of, polygons)), partial(filled, polygons)


def _of_runs(value: dict[str, Any]) -> tuple[float, _Region]:
    size, counts = value.get("size"), value.get("counts")
    stored = size_of(size[1], size[0]) if isinstance(size, list) and len(size) == 2 else None
    if isinstance(counts, list) and not all(type(count) is int for count in counts):
        counts = None
    if stored is None or not isinstance(counts, list | str):
        raise BadDataError("its RLE has no size or no counts")
    try:
        runs = runs_of(stored[::-1], counts)
    except ValueError as error:
        raise BadDataError("its RLE is damaged") from error
    return float(runs[1::2].sum()), partial(_unpacked, stored, runs)


def _unpacked(
    stored: tuple[int, int], runs: NDArray[np.int64], size: tuple[int, int]
) -> NDArray[np.bool_]:
    require_size(stored, size)
    return unpacked(stored[::-1], runs)
