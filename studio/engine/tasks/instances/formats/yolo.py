"""YOLO segmentation: a text file for each picture, with a line for each object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.painting import Region
from studio.engine.tasks.annotation_files.pairs import paired, split_of_picture
from studio.engine.tasks.annotation_files.reports import Losses, Tally, nothing_usable, unannotated
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotation_files.tools.shapes import Polygon, polygon, rectangle
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Remark,
    Tree,
    WritableFormat,
)
from studio.engine.tasks.detection.formats.yolo_setup import (
    YoloWriter,
    without_text,
    yolo_setup,
)
from studio.engine.tasks.detection.text_files import (
    numbered_words,
    read_texts,
    text_files,
    text_of,
)
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.found_objects import (
    ObjectPicture,
    ObjectShape,
    PaintedObjects,
    without_outline,
)
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.parts.outlines import traced

_BOX: Final = 5
"""Words of a line with a box: class, center x, center y, width, height."""
_FEWEST: Final = 7
"""Words of a line with an outline: the class and at least three corners."""
_EXAMINED: Final = 50
_LINES_EXAMINED: Final = 20
_HEAD: Final = 2**16
_ROUNDING: Final = 1e-2
"""Accepted deviation of coordinates from the range 0 to 1."""


class _Writer(YoloWriter):
    """Writes one polygon for each object; pixels that count nowhere cannot be written.

    A line that goes to a hole or another part and back joins it with the first one: it surrounds
    no pixel.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._ignored = 0

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the file of a picture."""
        table, outlines = instance_table(regions), traced(regions)
        lines = []
        for value, label in zip(table.values.tolist(), table.classes.tolist(), strict=True):
            points = np.array([*_joined(outlines[value])]) / size
            lines.append(f"{label} {' '.join(map(repr, points.ravel().tolist()))}")
        self.write_lines(picture, split, lines)
        self._ignored += bool((regions == IGNORED).any())

    def finish(self) -> None:
        """Write the files about all pictures, and warn of what became background."""
        super().finish()
        if self._ignored:
            text = message(
                "{count:,} images have pixels that count nowhere, which YOLO cannot store: they "
                "became background.",
                one="An image has pixels that count nowhere, which YOLO cannot store: they became "
                "background.",
                count=self._ignored,
            )
            self.warnings.append(text)


def _joined(rings: Sequence[Ring]) -> Iterator[tuple[float, float]]:
    """Yield the corners of one polygon around the same pixels as some rings."""
    first, *others = rings
    yield from first
    if not others:
        return
    start = first[0]
    yield start
    for ring in others:
        # Along the sides of pixels, so that both ways cross the same rows at the same places.
        corner = (ring[0][0], start[1])
        yield from (corner, *ring, ring[0], corner, start)


@dataclass(slots=True)
class _Labels:
    """Content of the text file of a picture.

    Attributes:
        shapes: Outlines, as fractions of the size of the picture.
        unclear: Boxes without an outline.
        boxes: Number of objects with a box alone.
        unknown: Number of objects of each class that cannot be used.
        lost: Other objects that are left out.
    """

    shapes: list[ObjectShape] = field(default_factory=list)
    unclear: list[Region] = field(default_factory=list)
    boxes: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    lost: Losses = field(default_factory=Losses)

    def picture(self, classes: int) -> ObjectPicture:
        """Return the objects whose class has a name.

        Args:
            classes: Number of classes.
        """
        unknown = Counter(self.unknown)
        unknown.update(str(each.label) for each in self.shapes if each.label >= classes)
        remarks = [*self.lost.remarks(), *(_unknown(*each) for each in unknown.items())]
        if self.boxes:
            remarks.append(without_outline(self.boxes))
        return ObjectPicture(
            [each for each in self.shapes if each.label < classes],
            remarks=tuple(remarks),
            unclear=[
                *self.unclear,
                *(each.region for each in self.shapes if each.label >= classes),
            ],
        )


class YoloInstances(WritableFormat):
    """A line has the index of the class and the corners of a polygon as fractions of the image.

    Later lines are in front. A picture without a text file, in a folder where others have one, has
    no objects. Names and splits are read as for boxes, see `yolo_setup`. A line with a box alone
    is no object: its pixels count nowhere.
    """

    name = "yolo_instances"
    label = "YOLO segmentation text files with data.yaml"
    export = "yolo"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has polygons."""
        paths = [*paired(files, text_files(files.labels)).picture_of]
        some = paths[:: max(1, len(paths) // _EXAMINED)][:_EXAMINED]
        return any(_has_outline(files.labels, path) for path in some)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        setup = yolo_setup(files, _is_outline)
        texts = read_texts(files, 0, progress, partial(_parsed, files), _is_outline)
        problems = texts.pairs.problems + setup.problems
        used = [each.label for labels in texts.found.values() for each in labels.shapes]
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
        classes = renamed(names, (), options)
        found = {picture: labels.picture(len(names)) for picture, labels in texts.found.items()}
        found |= {picture: ObjectPicture() for picture in texts.pairs.without_file}
        return PaintedObjects(
            pictures=[
                AnnotatedPicture(
                    picture, picture, setup.splits.get(picture) or split_of_picture(picture)
                )
                for picture in files.images.pictures
                if picture in found
            ],
            names=classes.names,
            colors=classes.colors,
            can_rename=True,
            problems=problems + unannotated(files.images.pictures, found, problems),
            warnings=[*setup.warnings, *without_text(texts.pairs.without_file)],
            found=found,
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


def _parsed(files: AnnotatedFiles, path: str) -> _Labels:
    """Return the objects of a file.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    labels = _Labels()
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
            labels.shapes.append(ObjectShape(int(label), region))
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


def _lost(found: Mapping[str, _Labels]) -> list[LeftOut]:
    """Return what is left out of pictures, for the error that no object can be used."""
    return [
        LeftOut(picture, each.reason, each.objects)
        for picture, labels in found.items()
        for each in labels.picture(MAX_CLASSES).remarks
    ]
