"""COCO JSON as masks and boxes share it: finding its files, reading and writing them."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.coco_ids import IdTable
from studio.engine.tasks.annotation_files.coco_lists import (
    ListedCategory,
    ListedImage,
    check_names,
    entries_of,
    listed_categories,
    listed_images,
    of_unlisted_images,
)
from studio.engine.tasks.annotation_files.coco_places import OutlinePlaces
from studio.engine.tasks.annotation_files.json_files import documents
from studio.engine.tasks.annotation_files.json_lists import is_list, parsed_in_pieces
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import (
    Tally,
    keypoint_warnings,
    nothing_usable,
    shown,
)
from studio.engine.tasks.annotation_files.run_order import RunOrder
from studio.engine.tasks.annotation_files.texts import as_utf8
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Tree,
    WritableFormat,
)
from studio.engine.tasks.split_words import split_in

_KEY = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{[\s\S]*?"(images|annotations)"\s*:\s*\[')
"""An object with images or annotations: `notes.json` of Label Studio has categories alone."""
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
            if any(_OUTLINE.search(as_utf8(read(path))) for read in (files.head, files.read)):
                return True
        except BadDataError:
            continue
    return False


class CocoFormat(WritableFormat):
    """Every picture that a file lists is taken; one without annotations has no objects.

    Classes of the same name are the same class in every file. If files are called "instances…",
    as in the COCO dataset, others such as captions are not read.

    Attributes:
        reading: Collects what the files contain.
    """

    export = "coco"
    split_origin = "file names"
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
        found = reading.finished(options)
        found.warnings += reading.warnings
        if instances and len(instances) < len(paths):
            found.warnings.append(_unread([path for path in paths if path not in instances]))
        return found


def _unread(paths: Sequence[str]) -> Text:
    return message(
        "{count} COCO files are not read, such as {first}: their names do not begin with "
        '"instances", as those of others do.',
        one='{first} is not read: its name does not begin with "instances", as those of other '
        "COCO files do.",
        count=len(paths),
        first=paths[0],
    )


# Reading.


class CocoReading(ABC):
    """Collects pictures, classes and objects of some files.

    Ids match in any spelling, see `IdTable`. A picture is left out if another one has the id of
    its annotations.

    Args:
        files: Pictures and annotations.

    Attributes:
        files: Pictures and annotations.
        splits: Splits of the pictures that the files list; None where the files tell none.
        sizes: Width and height of these pictures; None if unknown.
        problems: Files, pictures and objects that are left out, and why.
        warnings: Assumptions and conspicuous facts.
        position: Name of the annotation that is being read, for reports.
        image_size: Width and height of its picture; None if unknown.
        run_order: Order of the pixels in masks as run lengths.
    """

    def __init__(self, files: AnnotatedFiles) -> None:
        self.files = files
        self.splits: dict[str, str | None] = {}
        self.sizes: dict[str, tuple[int, int] | None] = {}
        self.problems: list[LeftOut] = []
        self.warnings: list[Text] = []
        self.position = ""
        self.image_size: tuple[int, int] | None = None
        self.run_order = RunOrder()
        self._places = OutlinePlaces()
        self._names = PictureNames(files)
        self._in_other_splits = Tally()
        self._files_of: dict[str, str] = {}
        self._in_several = Tally()
        self._scored = Tally()
        self._posed = Tally()

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
        """Read a file; if it is damaged, it is a problem.

        Raises:
            StudioError: Annotations have a category of two names.
        """
        try:
            document = parsed_in_pieces(self.files.labels.read(path))
        except BadDataError as error:
            self.problems.append(LeftOut(path, error.message))
            return
        if isinstance(listed := document.get("annotations"), dict):  # by their ids, as LIVECell
            document = {**document, "annotations": [*listed.values()]}
        if not is_list(document.get("annotations")):
            self.problems.append(LeftOut(path, "it lists images, but no annotations"))
            return
        images = listed_images(path, document, self._names, self.problems, self.warnings)
        of_categories: list[LeftOut] = []
        categories = self._categories(path, document, of_categories)
        self._add_objects(path, document, images, categories)
        check_names(path, categories, self.warnings)
        split = split_in(path)
        for image in images.values():
            self.problems += image.left_out(path)
            for each in image.usable():
                self._take(each, split)
                if each.objects and self._files_of.setdefault(each.picture, path) != path:
                    self._in_several.add(
                        f"{each.picture} ({self._files_of[each.picture]}, {path})"
                    )
        self.problems += of_categories  # images without files are the likelier reason for others

    def require_pictures(self) -> None:
        """Raise if no file refers to a picture.

        Raises:
            StudioError: None does.
        """
        if not self.splits:
            raise nothing_usable(
                message(
                    "The COCO files in {labels} refer to none of the images in {pictures}.",
                    labels=self.files.labels.location,
                    pictures=self.files.images.location,
                ),
                self.problems,
                "Choose the image folder as the source and the JSON file as the annotations.",
            )
        self.warnings += self._names.warnings()
        if self._in_other_splits:
            warning = message(
                "{count} images are listed for several splits, such as {first}; the split of the "
                "first file is used.",
                one="{first} is listed for several splits; the split of the first file is used.",
                count=self._in_other_splits.count,
                first=self._in_other_splits.first,
            )
            self.warnings.append(warning)
        if self._in_several and not self._in_other_splits:
            warning = message(
                "{count} images have objects in several COCO files, the first is {first}. The "
                "objects of all files are read; if one file is a copy of another, remove it.",
                one="{first} has objects in several COCO files. The objects of all files are "
                "read; if one file is a copy of another, remove it.",
                count=self._in_several.count,
                first=self._in_several.first,
            )
            self.warnings.append(warning)
        self.warnings += self.run_order.warnings()
        self.warnings += self._places.warnings()
        self.warnings += keypoint_warnings(self._posed)
        if self._scored:
            warning = message(
                "{count} objects, the first in {first}, have a score, as predictions of a model. "
                "It is not used; check that these are labels.",
                one="An object in {first} has a score, as a prediction of a model. It is not "
                "used; check that this is a label.",
                count=self._scored.count,
                first=self._scored.first,
            )
            self.warnings.append(warning)

    def _categories(
        self, path: str, document: Mapping[str, Any], problems: list[LeftOut]
    ) -> IdTable[ListedCategory]:
        found: IdTable[ListedCategory] = IdTable()
        for number, name, entry in listed_categories(path, document, problems, self.warnings):
            known = found.listed(number)
            if known is None:
                found.add(number, ListedCategory(number, name, self.label_of(name, entry)))
            elif known.name != name:
                known.rival = known.rival or name
        return found

    def _add_objects(
        self,
        path: str,
        document: Mapping[str, Any],
        images: IdTable[ListedImage],
        categories: IdTable[ListedCategory],
    ) -> None:
        """Give each annotation to its picture, and count those without one."""
        lost = Tally()
        for place, entry in entries_of(path, document, "annotations", self.problems):
            image = images.find(entry.get("image_id"))
            if image is None:
                lost.add(f"{place}, image_id {shown(entry.get('image_id'))}")
                continue
            image.objects += 1
            category = categories.find(entry.get("category_id"))
            if category is not None:
                category.objects += 1
            if image.is_clear:
                self.position = place
                self.image_size = image.size
                self._note(entry)
                label = None if category is None else category.label
                self.add_object(image.picture, label, entry)
        self.problems += of_unlisted_images(path, lost)

    def _note(self, entry: Mapping[str, Any]) -> None:
        """Count what an object has that is not used, and compare its box with its outline."""
        self._places.add(entry, self.position)
        if isinstance(entry.get("score"), int | float):
            self._scored.add(self.position)
        keypoints = entry.get("keypoints")
        if isinstance(keypoints, list) and any(keypoints):
            self._posed.add(self.position)

    def _take(self, image: ListedImage, split: str | None) -> None:
        """Remember the size and the split of a picture."""
        picture = image.picture
        known = self.splits.get(picture)
        if known is not None and split is not None and known != split:
            self._in_other_splits.add(picture)
        self.splits[picture] = known or split
        self.sizes[picture] = self.sizes.get(picture) or image.size
