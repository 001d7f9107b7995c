"""KITTI: a text file for each picture, in `label_2` or `labels`, as DIGITS reads for DetectNet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import classes_by_name, write_classes
from studio.engine.tasks.annotation_files.pairs import split_of_picture
from studio.engine.tasks.annotation_files.reports import nothing_usable
from studio.engine.tasks.annotation_files.text_files import (
    pairs_look_like,
    read_texts,
    text_of,
    words_of,
)
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    Regions,
    WritableFormat,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, DIFFICULT, FLAGS, LEFT
from studio.engine.tasks.detection.found_boxes import (
    EVERY_CLASS,
    BoxCollector,
    PictureBoxes,
    found_boxes,
    lost_objects,
)

_FEWEST = 7
"""Values of a line: truncated, occluded, alpha, and the four sides."""
_USUAL = (7, 14, 15)
"""Values of a line without space, with it, and with a score."""
_SIDES = slice(3, 7)
_UNKNOWN = 3.0
"""Occlusion that is not known: KITTI's evaluation counts such an object at no level."""
_DONT_CARE = "dontcare"


class _Writer(AnnotationWriter):
    """Writes a folder for each split with `images` and `labels`, as DIGITS has them.

    Names of classes have "_" where spaces are. Difficult objects get the occlusion 3, and regions
    of crowds become `DontCare`.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._words = _distinct(names)

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of pictures of a split."""
        return f"{split}/images/{name}"

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - sides are pixels
    ) -> None:
        """Write the file of a picture."""
        lines: dict[str, None] = {}
        for box in regions[regions[:, CLASS] >= 0].tolist():
            flags = int(box[FLAGS])
            corners = " ".join(map(repr, box[LEFT : BOTTOM + 1]))
            head, rest = f"{self._words[int(box[CLASS])]} 0.0 0 -10", "-1 -1 -1 -1000 -1000 -1000"
            if flags & CROWD:
                head = "DontCare -1 -1 -10"
            elif flags & DIFFICULT:
                head = f"{self._words[int(box[CLASS])]} 0.0 3 -10"
            lines[f"{head} {corners} {rest} -10\n"] = None
        folder = self.folder / split / "labels"
        folder.mkdir(exist_ok=True)
        target = folder / f"{PurePosixPath(picture).stem}.txt"
        target.write_text("".join(lines), encoding="utf-8")

    def finish(self) -> None:
        """Write a line with the color and the name of each class."""
        write_classes(self.folder, self._words, self.colors)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return a different word for each name."""
    found: list[str] = []
    for name in names:
        word = re.sub(r"\s+", "_", name.strip())
        if word.casefold() == _DONT_CARE or not word or not math.isnan(number_in(word)):
            word = f"class_{word}"
        base, number = word, 2
        while word in found:
            word, number = f"{base}_{number}", number + 1
        found.append(word)
    return found


class KittiBoxes(WritableFormat):
    """Every picture has a text file, which is empty for pictures without objects.

    A line has the class, how far the object is truncated and occluded, an angle, the left, top,
    right and bottom side in pixels, and numbers about space that are not used. Objects whose
    occlusion is unknown (3) are difficult. `DontCare` is a region where objects of any class may
    be: it is reported, and no object.
    """

    name = "kitti"
    label = "KITTI text files"
    export = "kitti"
    split_origin = "folders"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has lines of KITTI."""
        return pairs_look_like(files, _is_box)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        texts = read_texts(files, options.most, progress, partial(_parsed, files), _is_box)
        known = {name for _, names in texts.found.values() for name in names} - {""}
        if not known:
            lists = {picture: boxes for picture, (boxes, _) in texts.found.items()}
            raise nothing_usable(
                message(
                    "The KITTI files in {folder} contain no boxes.", folder=files.labels.location
                ),
                [*texts.pairs.problems, *lost_objects(lists)],
                "A line begins with the class; the words 5 to 8 are left, top, right and bottom.",
            )
        numbers, classes = classes_by_name(known, files, options)
        found: dict[str, PictureBoxes | None] = dict.fromkeys(texts.unread)
        found |= {
            picture: _numbered(boxes, names, numbers)
            for picture, (boxes, names) in texts.found.items()
        }

        def later(picture: str) -> PictureBoxes:
            return _numbered(*_parsed(files, texts.unread[picture]), numbers)

        problems = texts.pairs.problems
        return found_boxes(files, classes, options, found, problems, split_of_picture, later)


def _is_box(words: list[str]) -> bool:
    name, values = _split(words)
    numbers = [number_in(value) for value in values[:_FEWEST]]
    return (
        len(numbers) == _FEWEST
        and not name.endswith(":")  # as of calibration
        and math.isnan(number_in(name))
        and not any(map(math.isnan, numbers))
    )


def _split(words: list[str]) -> tuple[str, list[str]]:
    """Return the class of a line, which may have several words, and the values behind it."""
    places = range(1, len(words))
    first = next((place for place in places if not math.isnan(number_in(words[place]))), 1)
    are_words = all(any(map(str.isalpha, word)) for word in words[:first])
    if len(words) - first not in _USUAL or not are_words:
        first = 1
    return " ".join(words[:first]), words[first:]


def _parsed(files: AnnotatedFiles, path: str) -> tuple[BoxCollector, list[str]]:
    """Return the boxes of a file, whose class is the number of the line, and their classes.

    The class of `DontCare` is empty.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    boxes = BoxCollector()
    names: list[str] = []
    for words in words_of(text_of(files.labels, path)):
        name, values = _split(words)
        if len(values) < _FEWEST:
            boxes.without_box += 1
            continue
        name = name_in(name)
        flags = DIFFICULT if number_in(values[1]) == _UNKNOWN else 0
        if name.casefold() == _DONT_CARE:
            name, flags = "", CROWD
        boxes.add(len(names), [number_in(value) for value in values[_SIDES]], flags)
        names.append(name)
    return boxes, names


def _numbered(
    boxes: BoxCollector, names: Sequence[str], numbers: Mapping[str, int]
) -> PictureBoxes:
    """Return boxes with the classes of the dataset."""
    rows = boxes.rows
    rows[:, CLASS] = [numbers.get(name, EVERY_CLASS) for name in names]
    is_known = np.array([not name or name in numbers for name in names], np.bool_)
    boxes.unknown.update(name for name in names if name and name not in numbers)
    return boxes.result(rows=rows[is_known])
