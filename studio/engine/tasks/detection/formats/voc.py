"""Pascal VOC: an XML file for each picture, in `Annotations` or beside the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import classes_by_name
from studio.engine.tasks.annotation_files.pairs import (
    Key,
    PictureNames,
    alone_in_other_case,
    in_lower_case,
    key_of,
    paired,
)
from studio.engine.tasks.annotation_files.reports import Losses, Tally, nothing_usable, unreadable
from studio.engine.tasks.annotation_files.texts import as_utf8
from studio.engine.tasks.annotation_files.values import name_in, number_in, size_in
from studio.engine.tasks.annotation_files.voc import PICTURES, VocWriter, listed_splits
from studio.engine.tasks.annotation_files.xml_files import Element, escaped, parsed_xml
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Tree,
    WritableFormat,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, DIFFICULT, FLAGS, LEFT, RIGHT, TOP
from studio.engine.tasks.detection.found_boxes import (
    BoxCollector,
    BoxRows,
    FoundBoxes,
    PictureBoxes,
    found_boxes,
    lost_objects,
    put_in_order,
    swapped,
)

_ANNOTATIONS, _LISTS = "Annotations", "ImageSets/Main"
_MASKS = "SegmentationClass"
_SIDES = ("xmin", "ymin", "xmax", "ymax")
_ROTATED = ("robndbox", "rotated_box", "rbndbox")
_OUTLINES = ("polygon", "segmentation", "points", "polyline")
_EXAMINED = 50
"""Number of files that are read to recognize the format."""


class _Writer(VocWriter):
    """Writes pictures, an XML file for each, lists of the splits, and a table of the classes.

    Boxes in whole pixels are written as VOC has them: as the first and the last pixel, counted
    from 1. If a picture has other boxes, all of them are written with decimals, as edges.
    """

    lists = _LISTS

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the annotation file of a picture."""
        name = self.list_picture(picture, split)
        boxes = regions[regions[:, CLASS] >= 0].astype(np.float64)
        sides = boxes[:, LEFT : BOTTOM + 1]
        wide = (boxes[:, RIGHT : BOTTOM + 1] - boxes[:, LEFT : TOP + 1] >= 2).all()
        are_pixels = bool(wide and (sides == np.rint(sides)).all())
        lines = [
            "<annotation>",
            f"<folder>{PICTURES}</folder>",
            f"<filename>{escaped(PurePosixPath(picture).name)}</filename>",
            f"<size><width>{size[0]}</width><height>{size[1]}</height><depth>3</depth></size>",
            "<segmented>0</segmented>",
        ]
        for box in boxes.tolist():
            corners = [box[LEFT] + 1, box[TOP] + 1, box[RIGHT], box[BOTTOM]]
            texts = [str(int(side)) for side in corners] if are_pixels else map(repr, box[1:5])
            limits = "".join(
                f"<{side}>{text}</{side}>" for side, text in zip(_SIDES, texts, strict=True)
            )
            flags = int(box[FLAGS])
            lines += [
                "<object>",
                f"<name>{escaped(self.names[int(box[CLASS])])}</name>",
                f"<difficult>{int(flags > 0)}</difficult>",
                *(["<crowd>1</crowd>"] if flags & CROWD else []),
                f"<bndbox>{limits}</bndbox>",
                "</object>",
            ]
        lines.append("</annotation>")
        target = self.folder / _ANNOTATIONS / f"{name}.xml"
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")


class VocBoxes(WritableFormat):
    """Every picture has an XML file of its name, or one that names it; one without objects too.

    VOC counts pixels from 1 and names the first and the last pixel of an object: `xmin` 1 and
    `xmax` 2 are the two pixels at the left, from 0 to 2 here. Many tools write edges instead,
    counted from 0. Sides of a file are taken as edges if one of them has decimals, and sides of
    all files if an `xmin` or `ymin` without decimals is below 1. A box whose corners are equal is
    empty: people clicked without drawing one.

    The lists train.txt, val.txt and test.txt in `ImageSets/Main` define the splits.
    """

    name = "voc_boxes"
    label = "Pascal VOC folder with XML files"
    export = "voc"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if an XML file describes objects with boxes."""
        paths = _xml_files(files.labels)
        paths = paths[:: max(1, len(paths) // _EXAMINED)][:_EXAMINED]
        return any(_has_boxes(files.labels, path) for path in paths)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if there are boxes, and no masks that could be learned as well."""
        folders = {part for path in files.labels.pictures for part in path.split("/")[:-1]}
        return _MASKS not in folders and self.accepts(files)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        paths = _xml_files(files.labels)
        reading.pair(paths)
        for number, path in enumerate(paths[: options.most or None]):
            if number % 100 == 0:
                progress.check()
                progress.advance(number, len(paths), "Reading the annotations")
            reading.add(path)
        return reading.finished(paths[options.most :] if options.most else [], options)


def _xml_files(files: Tree) -> list[str]:
    return [path for path in files.paths if path.casefold().endswith(".xml")]


def _has_boxes(files: Tree, path: str) -> bool:
    try:
        head = as_utf8(files.head(path))
    except BadDataError:
        return False
    return b"<annotation" in head and b"<bndbox" in head


@dataclass(slots=True)
class _Document:
    """Content of an annotation file.

    Attributes:
        path: Path of the file.
        picture: Name of its picture; empty if it names none.
        names: Class of each box.
        boxes: The boxes in the order of the file; their class is the number of the box.
        are_edges: True if a coordinate has decimals.
    """

    path: str
    picture: str
    names: list[str] = field(default_factory=list)
    boxes: BoxCollector = field(default_factory=BoxCollector)
    are_edges: bool = False

    @property
    def objects(self) -> int:
        """Number of its objects."""
        return len(self.boxes) + sum(each.objects for each in self.boxes.result().problems)


def _without_name(lost: Tally) -> Text:
    return message(
        "left out {count} objects without a name",
        one="left out an object without a name",
        count=lost.count,
    )


def _with_outline(lost: Tally) -> Text:
    return message(
        "left out {count} objects with an outline instead of a box",
        one="left out an object with an outline instead of a box",
        count=lost.count,
    )


def _rotated(lost: Tally) -> Text:
    return message(
        "left out {count} objects with a rotated box",
        one="left out an object with a rotated box",
        count=lost.count,
    )


def _of_parts(lost: Tally) -> Text:
    return message(
        "left out {count} boxes of parts of objects, such as heads",
        one="left out a box of a part of an object, such as a head",
        count=lost.count,
    )


def _add_object(document: _Document, entry: Element, lost: Losses) -> None:
    """Add the boxes of an object, usually one, or count the object."""
    found = list(entry.all("bndbox"))
    name = name_in(entry.text("name"))
    if parts := sum(part.first("bndbox") is not None for part in entry.all("part")):
        lost.add(_of_parts, count=parts)
    if not found and any(entry.first(each) is not None for each in _ROTATED):
        lost.add(_rotated)
    elif not found and any(entry.first(each) is not None for each in _OUTLINES):
        lost.add(_with_outline)
    elif not found:
        document.boxes.without_box += 1
    elif not name:
        lost.add(_without_name, count=len(found))
    else:
        for box in found:
            texts = [box.text(side) for side in _SIDES]
            document.are_edges |= any("." in text or "e" in text.casefold() for text in texts)
            sides = [number_in(text) for text in texts]
            document.boxes.add(len(document.names), sides, _flags(entry))
            document.names.append(name)


class _Reading:
    """Pictures and boxes of some files."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self._names = PictureNames(files)
        self._picture_of: dict[str, str] = {}
        self._found: dict[str, _Document] = {}
        self._problems: list[LeftOut] = []
        self._warnings: list[Text] = []
        self._from_zero = False

    def pair(self, paths: Sequence[str]) -> None:
        """Find pictures that have the names of files."""
        pairs = paired(self._files, paths)
        self._picture_of = pairs.picture_of
        self._problems += pairs.problems

    def add(self, path: str) -> None:
        """Read a file; if it is damaged or has no picture, it is a problem."""
        try:
            document = self._document(path)
        except BadDataError as error:
            picture = self._picture_of.get(path)
            self._problems.append(unreadable(path, error.message, picture))
            return
        if document is None:
            return
        if not document.are_edges:
            first = document.boxes.rows[:, LEFT : TOP + 1]
            self._from_zero |= bool(((first >= 0) & (first < 1)).any())
        own = self._picture_of.get(path)
        named = self._named(document, path, own)
        picture = own or named
        if picture is None:
            name = document.picture or PurePosixPath(path).stem
            reason = self._names.missing(name, path)
            self._problems.append(LeftOut(name, reason, document.objects))
        elif (other := self._found.get(picture)) is not None and not self._is_copy(other, own):
            self._leave_out(document, other)
        else:
            if other is not None:
                self._leave_out(other, document)
            self._found[picture] = document
            if named not in {None, picture}:
                self._names.of_others.add(path)

    def _is_copy(self, other: _Document, own: str | None) -> bool:
        """Return True if another file of the same picture does not have its name, but this does.

        Args:
            other: The other file.
            own: The picture of exactly the name of this file; None without one.
        """
        return own is not None and self._picture_of.get(other.path) is None

    def _leave_out(self, document: _Document, used: _Document) -> None:
        """Report a file of a picture that has another file."""
        reason = message("{file} annotates the same image", file=used.path)
        self._problems.append(LeftOut(document.path, reason, document.objects))

    def _named(self, document: _Document, path: str, own: str | None) -> str | None:
        """Return the picture that a file names, or has the name of but for capital letters.

        Args:
            document: Content of the file.
            path: Its path.
            own: The picture of exactly its name; None without one.
        """
        if own is not None:
            return self._names.find_exact(document.picture, path) if document.picture else None
        found = self._names.find(document.picture, path) if document.picture else None
        return found or self._names.find_stem(PurePosixPath(path).stem)

    def finished(self, rest: Sequence[str], options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read.

        Args:
            rest: Files that were not read.
            options: Names, colors, and whether pictures without objects are taken.

        Raises:
            StudioError: There is nothing to learn from.
        """
        names = {name for document in self._found.values() for name in document.names}
        if not names:
            lists = {picture: document.boxes for picture, document in self._found.items()}
            raise nothing_usable(
                message(
                    "The XML files in {labels} have no boxes for the images in {pictures}.",
                    labels=self._files.labels.location,
                    pictures=self._files.images.location,
                ),
                [*self._problems, *lost_objects(lists)],
                "Put each XML file beside its image, or the files in the folder Annotations and "
                "the images in JPEGImages.",
            )
        numbers, classes = classes_by_name(names, self._files, options)
        splits = self._splits()
        path_of = {self._picture_of[path]: path for path in rest if path in self._picture_of}
        found: dict[str, PictureBoxes | None] = dict.fromkeys(path_of)
        found |= {
            picture: self._boxes(document, numbers) for picture, document in self._found.items()
        }

        def later(picture: str) -> PictureBoxes:
            document = self._document(path_of[picture])
            if document is None:
                raise BadDataError("it has no annotation")
            return self._boxes(document, numbers)

        def split_of(picture: str) -> str | None:
            return splits.get(self._list_key(picture))

        result = found_boxes(self._files, classes, options, found, self._problems, split_of, later)
        result.warnings += self._warnings + self._names.warnings()
        return result

    def _document(self, path: str) -> _Document | None:
        """Read a file; None if it is about something else.

        Raises:
            BadDataError: It is damaged; the message is a short reason.
        """
        root = parsed_xml(self._files.labels.read(path))
        if root.name != "annotation":
            return None
        document = _Document(path, root.text("filename"))
        size = root.first("size")
        if size is not None:
            document.boxes.size = size_in(size.text("width"), size.text("height"))
        lost = Losses()
        for entry in root.all("object"):
            _add_object(document, entry, lost)
        document.boxes.problems += lost.remarks()
        return document

    def _boxes(self, document: _Document, numbers: dict[str, int]) -> PictureBoxes:
        """Return the boxes of a file as edges counted from 0, with the classes of the dataset."""
        rows = document.boxes.rows
        if not document.are_edges and not self._from_zero:
            count = put_in_order(rows)
            if count:
                document.boxes.problems.append(swapped(count))
            _to_edges(rows)
        labels = [numbers.get(name, -1) for name in document.names]
        rows[:, CLASS] = labels
        is_known = rows[:, CLASS] >= 0
        for name, label in zip(document.names, labels, strict=True):
            if label < 0:
                document.boxes.unknown[name] += 1
        return document.boxes.result(rows=rows[is_known])

    def _splits(self) -> dict[Key, str]:
        """Return the split of each picture that a list names; of unknown ones as a problem."""
        known = {self._list_key(picture) for picture in self._files.images.pictures}
        folded = alone_in_other_case(known)

        def key_of_name(name: str) -> Key | None:
            key = self._list_key(f"{name}.jpg")
            return key if key in known else folded.get(in_lower_case(key))

        splits = listed_splits(
            self._files.labels,
            _LISTS,
            lambda name: key_of_name(name) is not None,
            self._problems,
            self._warnings,
        )
        keys = {name: key_of_name(name) for name in splits}
        self._problems += [
            LeftOut(name, "it is in a list, but the image does not exist")
            for name, key in keys.items()
            if key is None
        ]
        return {key: splits[name] for name, key in keys.items() if key is not None}

    def _list_key(self, path: str) -> Key:
        """Return the key of a picture for lists, which may be in another folder than pictures."""
        key = key_of(path)
        return key if self._files.are_together else key[-1:]


def _to_edges(rows: BoxRows) -> None:
    """Turn first and last pixels, counted from 1, into edges counted from 0."""
    has_width = rows[:, LEFT] < rows[:, RIGHT]
    has_height = rows[:, TOP] < rows[:, BOTTOM]
    rows[:, LEFT] -= has_width
    rows[:, TOP] -= has_height


def _flags(entry: Element) -> int:
    if _is_set(entry.text("crowd")):
        return CROWD
    return DIFFICULT if _is_set(entry.text("difficult")) else 0


def _is_set(text: str) -> bool:
    """Return True for a flag as 1, 1.0 or true."""
    return text.casefold() in {"true", "yes"} or number_in(text) == 1
