"""YOLO segmentation: a text file for each picture, with the outline of an object on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.painting import Region
from studio.engine.tasks.annotation_files.pairs import paired, split_of_picture
from studio.engine.tasks.annotation_files.reports import (
    Losses,
    Tally,
    nothing_usable,
    without_outline,
)
from studio.engine.tasks.annotation_files.text_files import (
    numbered_words,
    read_texts,
    text_files,
    text_of,
)
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotation_files.tools.shapes import Polygon, polygon, rectangle
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotation_files.yolo_setup import (
    from_one,
    without_text,
    yolo_setup,
)
from studio.engine.tasks.annotations import (
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotationOptions,
    LeftOut,
    Remark,
    Tree,
)

_BOX: Final = 5
"""Words of a line with a box: class, center x, center y, width, height."""
_FEWEST: Final = 7
"""Words of a line with an outline: the class and at least three corners."""
_EXAMINED: Final = 50
_LINES_EXAMINED: Final = 20
_HEAD: Final = 2**16
_ROUNDING: Final = 1e-2
"""Accepted deviation of coordinates from the range 0 to 1."""


@dataclass(frozen=True, slots=True)
class YoloOutline:
    """An object.

    Attributes:
        label: Number of its class.
        region: Its pixels.
    """

    label: int
    region: Region


@dataclass(slots=True)
class YoloPicture:
    """Content of the text file of a picture.

    Attributes:
        outlines: The objects; later ones are in front.
        unclear: Pixels of objects with a box alone, or of an unknown class.
        boxes: Number of objects with a box alone.
        unknown: Number of objects of each class that cannot be used.
        lost: Other objects that are left out.
    """

    outlines: list[YoloOutline] = field(default_factory=list)
    unclear: list[Region] = field(default_factory=list)
    boxes: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    lost: Losses = field(default_factory=Losses)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Reports about objects that are left out."""
        remarks = [*self.lost.remarks(), *(_unknown(*each) for each in self.unknown.items())]
        if self.boxes:
            remarks.append(without_outline(self.boxes))
        return tuple(remarks)

    def limit(self, classes: int) -> None:
        """Leave out the objects whose class has no name.

        Args:
            classes: Number of classes.
        """
        others = [each for each in self.outlines if each.label >= classes]
        self.outlines = [each for each in self.outlines if each.label < classes]
        self.unclear += [each.region for each in others]
        self.unknown.update(str(each.label) for each in others)


@dataclass(slots=True)
class YoloOutlines:
    """Outlines of all pictures.

    Attributes:
        pictures: Content of the files by the pictures, in the order of the pictures.
        names: Names of the classes in the order of their numbers.
        splits: Split of each picture, or None.
        problems: Files that are left out, and why.
        warnings: Sentences about assumptions and conspicuous facts.
    """

    pictures: dict[str, YoloPicture]
    names: list[str]
    splits: dict[str, str | None]
    problems: list[LeftOut]
    warnings: list[Text]


def has_outlines(files: AnnotatedFiles) -> bool:
    """Return True if a text file that belongs to a picture has polygons."""
    paths = [*paired(files, text_files(files.labels)).picture_of]
    some = paths[:: max(1, len(paths) // _EXAMINED)][:_EXAMINED]
    return any(_has_outline(files.labels, path) for path in some)


def read_outlines(
    files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
) -> YoloOutlines:
    """Read the text files of all pictures.

    A line has the index of the class and the corners of a polygon as fractions of the image. A
    picture without a text file, in a folder where others have one, has no objects.

    Args:
        files: Pictures and annotations.
        options: Names of the classes, if the files have none.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: There is no outline.
    """
    setup = yolo_setup(files, _is_outline)
    texts = read_texts(files, 0, progress, partial(_parsed, files), _is_outline)
    problems = texts.pairs.problems + setup.problems
    used = {each.label for labels in texts.found.values() for each in labels.outlines}
    if not used or setup.has_poses:
        raise nothing_usable(
            message(
                "The YOLO files in {folder} contain no outlines.",
                folder=files.labels.location,
            ),
            [*problems, *_lost(texts.found)],
            "A line has the index of the class and the corners of a polygon as fractions of "
            "the size of the image. Boxes and poses can be learned with the task detection.",
        )
    names = setup.names or [str(number) for number in range(max(used) + 1)]
    if not setup.names and options.class_names:
        names = list(options.class_names)
    for labels in texts.found.values():
        labels.limit(len(names))
    found = texts.found | {picture: YoloPicture() for picture in texts.pairs.without_file}
    return YoloOutlines(
        {picture: found[picture] for picture in files.images.pictures if picture in found},
        names,
        {picture: setup.splits.get(picture) or split_of_picture(picture) for picture in found},
        problems,
        [
            *setup.warnings,
            *from_one(names, used),
            *without_text(texts.pairs.without_file),
        ],
    )


def _is_outline(words: list[str]) -> bool:
    numbers = [number_in(word) for word in words]
    return (
        len(words) >= _FEWEST
        and len(words) % 2 == 1
        and numbers[0] >= 0
        and numbers[0].is_integer()
        and all(-_ROUNDING <= number <= 1 + _ROUNDING for number in numbers[1:])
    )


def _has_outline(files: Tree, path: str) -> bool:
    """Return True if the first lines of a file are outlines, and perhaps boxes."""
    try:
        head = files.head(path)
    except BadDataError:
        return False
    lines = [words for _, words in numbered_words(decoded(head))]
    lines = lines[: -1 if len(head) >= _HEAD else None][:_LINES_EXAMINED]  # the last may be cut
    are_objects = all(_is_outline(words) or _is_box(words) for words in lines)
    return are_objects and any(map(_is_outline, lines))


def _is_box(words: list[str]) -> bool:
    return len(words) == _BOX and _are_fractions([number_in(word) for word in words[1:]])


def _parsed(files: AnnotatedFiles, path: str) -> YoloPicture:
    """Return the objects of a file.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    labels = YoloPicture()
    for line, words in numbered_words(text_of(files.labels, path)):
        label, *numbers = map(number_in, words)
        if not (0 <= label < MAX_CLASSES and label.is_integer()):
            labels.unknown[name_in(words[0])] += 1
        elif len(words) == _BOX and _are_fractions(numbers):
            x, y, width, height = numbers
            box = rectangle(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            labels.unclear.append(_relative(box))
            labels.boxes += 1
        elif len(words) < _FEWEST or len(words) % 2 == 0:
            labels.lost.add(_not_corners, str(line))
        elif not _are_fractions(numbers):
            labels.lost.add(_in_pixels, str(line))
        else:
            region = _relative(polygon(numbers))
            labels.outlines.append(YoloOutline(int(label), region))
    return labels


def _are_fractions(numbers: Sequence[float]) -> bool:
    return all(-_ROUNDING <= number <= 1 + _ROUNDING for number in numbers)


def _relative(shape: Polygon) -> Region:
    """Return the pixels inside a polygon of fractions of the picture."""
    return replace(shape, is_relative=True).patch


def _unknown(name: str, count: int) -> Remark:
    reason = message(
        'left out {count} objects of the unknown class "{name}"',
        one='left out an object of the unknown class "{name}"',
        count=count,
        name=name,
    )
    return Remark(reason, count)


def _not_corners(lost: Tally) -> Text:
    return message(
        "left out {count} objects without at least three corners of two numbers each; the first "
        "is in line {first}",
        one="left out an object without at least three corners of two numbers each, in line "
        "{first}",
        count=lost.count,
        first=lost.first,
    )


def _in_pixels(lost: Tally) -> Text:
    return message(
        "left out {count} objects whose numbers are no fractions of the size of the image; the "
        "first is in line {first}",
        one="left out an object whose numbers are no fractions of the size of the image, in line "
        "{first}",
        count=lost.count,
        first=lost.first,
    )


def _lost(found: Mapping[str, YoloPicture]) -> Iterator[LeftOut]:
    """Yield what is left out of pictures, for the error that no object can be used."""
    for picture, labels in found.items():
        for each in labels.remarks:
            yield LeftOut(picture, each.reason, each.objects)
