"""COCO JSON as masks and boxes share it: finding its files, reading and writing them."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.json_files import documents, objects, parsed
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.polygons import Points, points_of
from studio.engine.tasks.annotation_files.rle import runs_of
from studio.engine.tasks.annotation_files.values import name_in, size_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Tree,
)
from studio.engine.tasks.split_words import split_in

_KEY = re.compile(rb'"(images|annotations|categories)"\s*:\s*\[')
_OUTLINE = re.compile(rb'"segmentation"\s*:\s*(\[\s*[\[\d.-]|\{\s*")')
_INSTANCES = "instances"

# Writing.


class CocoDocument:
    """Collects pictures and their annotations for a file."""

    def __init__(self) -> None:
        self._images: list[dict[str, object]] = []
        self._annotations: list[dict[str, object]] = []

    def add_image(self, name: str, size: tuple[int, int]) -> None:
        """Add a picture.

        Args:
            name: Its path as it stands in the file.
            size: Width and height in pixels.
        """
        number, (width, height) = len(self._images) + 1, size
        self._images.append({"id": number, "file_name": name, "width": width, "height": height})

    def add_annotation(self, label: int, values: dict[str, object]) -> None:
        """Add an object of the picture that was added last.

        Args:
            label: Index of its class.
            values: Its box, region and flags.
        """
        number, picture = len(self._annotations) + 1, len(self._images)
        head = {"id": number, "image_id": picture, "category_id": label + 1}
        self._annotations.append(head | values)

    def data(self, names: Sequence[str], colors: Sequence[str] = (), leave_out: str = "") -> bytes:
        """Return the content of the file.

        Args:
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K; empty if they are not known.
            leave_out: Lower-case name of a class that is no category; empty for none.
        """
        categories = [
            {"id": number, "name": name} | ({"color": color} if color else {})
            for number, (name, color) in enumerate(
                zip(names, colors or [""] * len(names), strict=True), start=1
            )
            if name.casefold() != leave_out
        ]
        document = {
            "images": self._images,
            "annotations": self._annotations,
            "categories": categories,
        }
        # Names of files may hold bytes that are no text.
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace")


class CocoWriter(AnnotationWriter):
    """Writes a file for each split; see `AnnotationWriter`."""

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._documents: dict[str, CocoDocument] = {}

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split.

        Args:
            name: Name of the picture.
            split: Its split.
        """
        return f"{split}/{name}"

    def document(self, picture: str, split: str, size: tuple[int, int]) -> CocoDocument:
        """Add a picture to the file of its split, and return what the file holds.

        Args:
            picture: Its path relative to the folder.
            split: Its split.
            size: Width and height in pixels.
        """
        document = self._documents.setdefault(split, CocoDocument())
        document.add_image(PurePosixPath(picture).name, size)
        return document

    def data(self, document: CocoDocument) -> bytes:
        """Return the content of a file."""
        return document.data(self.names, self.colors)

    def finish(self) -> None:
        """Write the files."""
        folder = self.folder / "annotations"
        folder.mkdir()
        for split, document in self._documents.items():
            (folder / f"{_INSTANCES}_{split}.json").write_bytes(self.data(document))


# Finding files.


def has_outlines(files: Tree) -> bool:
    """Return True if one of the first files has polygons or run lengths.

    Files without outlines in their first 64 KB are read as a whole.
    """
    for path in documents(files, _KEY, few=True):
        try:
            if _OUTLINE.search(files.head(path)) or _OUTLINE.search(files.read(path)):
                return True
        except BadDataError:
            continue
    return False


class CocoFormat(AnnotationFormat):
    """Every picture that a file lists is taken; one without annotations has no objects.

    Classes of the same name are the same class in every file. If files are called "instances…",
    as in the COCO dataset, others such as captions are not read.

    Attributes:
        reading: Collects what the files contain.
    """

    export = "coco"
    reading: type[CocoReading]

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a JSON file begins as one of COCO does."""
        return next(documents(files.labels, _KEY, few=True), None) is not None

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        reading = self.reading(files)
        paths = list(documents(files.labels, _KEY))
        instances = [path for path in paths if PurePosixPath(path).name.startswith(_INSTANCES)]
        for path in instances or paths:
            progress.check()
            progress.advance(0, 0, "Reading the annotations")
            reading.add(path)
        reading.require_pictures()
        return reading.finished(options)


# Reading.


class CocoReading(ABC):
    """Collects pictures, classes and objects of some files.

    Args:
        files: Pictures and annotations.

    Attributes:
        files: Pictures and annotations.
        splits: Splits of the pictures that the files list; None where the files tell none.
        sizes: Width and height of these pictures; None if unknown.
        problems: Files and pictures that are left out, and why.
    """

    def __init__(self, files: AnnotatedFiles) -> None:
        self.files = files
        self.splits: dict[str, str | None] = {}
        self.sizes: dict[str, tuple[int, int] | None] = {}
        self.problems: list[LeftOut] = []
        self._names = PictureNames(files)

    @abstractmethod
    def label_of(self, name: str, category: dict[str, Any]) -> int:
        """Return the class of a category.

        Args:
            name: Its name.
            category: The whole category.
        """

    @abstractmethod
    def add_object(self, picture: str, label: int | None, entry: dict[str, Any]) -> None:
        """Remember an object.

        Args:
            picture: Its picture.
            label: Its class; None if its category is unknown.
            entry: The whole annotation.
        """

    @abstractmethod
    def finished(self, options: AnnotationOptions) -> Annotations:
        """Return everything that was read.

        Args:
            options: Names and colors of the classes.

        Raises:
            StudioError: There is nothing to learn from.
        """

    def add(self, path: str) -> None:
        """Read a file; if it is damaged, it is a problem."""
        try:
            document = parsed(self.files.labels.read(path))
        except BadDataError as error:
            self.problems.append(LeftOut(path, error.message))
            return
        if not isinstance(document.get("annotations"), list):
            self.problems.append(LeftOut(path, "it lists images, but no annotations"))
            return
        labels: dict[object, int] = {
            number: self.label_of(name, entry) for number, name, entry in _categories(document)
        }
        pictures = self._pictures(path, document)
        for entry in objects(document["annotations"]):
            picture = pictures.get(_hashable(entry.get("image_id")))
            if picture is not None:  # a missing one is reported
                label = labels.get(_hashable(entry.get("category_id")))
                self.add_object(picture, label, entry)

    def require_pictures(self) -> None:
        """Raise if no file refers to a picture.

        Raises:
            StudioError: None does.
        """
        if not self.splits:
            raise StudioError(
                message(
                    "The COCO files in {labels} refer to none of the images in {pictures}.",
                    labels=self.files.labels.location,
                    pictures=self.files.images.location,
                ),
                "Choose the image folder as the source and the JSON file as the annotations.",
                "source",
            )

    def _pictures(self, path: str, document: dict[str, Any]) -> dict[object, str]:
        """Return the picture of each id, and remember its size and split."""
        found: dict[object, str] = {}
        listed: set[str] = set()
        split = split_in(path)
        for entry in objects(document.get("images")):
            name = entry.get("file_name")
            if not isinstance(name, str):
                continue
            picture = self._names.find(name, path)
            if picture is None:
                reason = message("{file} names it, but the image does not exist", file=path)
                self.problems.append(LeftOut(name, reason))
                continue
            if picture in listed:
                reason = message("it is listed twice in {file}", file=path)
                self.problems.append(LeftOut(picture, reason))
            listed.add(picture)
            found[_hashable(entry.get("id"))] = picture
            self.splits[picture] = split or self.splits.get(picture)
            size = self.sizes.get(picture) or size_in(entry.get("width"), entry.get("height"))
            self.sizes[picture] = size
        return found


def _categories(document: dict[str, Any]) -> Iterator[tuple[int | str, str, dict[str, Any]]]:
    """Yield id, name and content of each category that has them, in the order of the ids."""
    found = [
        (number, name, entry)
        for entry in objects(document.get("categories"))
        if isinstance(number := entry.get("id"), int | str)
        and (name := name_in(entry.get("name")))
    ]
    yield from sorted(found, key=lambda each: (isinstance(each[0], str), each[0]))


def _hashable(value: object) -> object:
    return value if isinstance(value, int | str) else None


def polygons_in(outline: list[Any]) -> list[Points]:
    """Return the polygons of an object: a list of them, or the coordinates of one.

    Raises:
        BadDataError: One is damaged; the message is a short reason.
    """
    is_flat = isinstance(outline[0], int | float)
    return [points_of(each) for each in ([outline] if is_flat else outline)]


def runs_in(value: dict[str, Any]) -> tuple[tuple[int, int], NDArray[np.int64]]:
    """Return the size of a picture and the lengths of the runs of an object in it.

    Raises:
        BadDataError: They are damaged; the message is a short reason.
    """
    size, counts = value.get("size"), value.get("counts")
    stated = size_in(size[1], size[0]) if isinstance(size, list) and len(size) == 2 else None
    if isinstance(counts, list) and not all(type(count) is int for count in counts):
        counts = None
    if stated is None or not isinstance(counts, list | str):
        raise BadDataError("its RLE has no size or no counts")
    try:
        return stated, runs_of(stated[::-1], counts)
    except ValueError as error:
        raise BadDataError("its RLE is damaged") from error
