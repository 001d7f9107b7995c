"""VisDrone: a text file for each picture, in `annotations` beside `images`."""

from __future__ import annotations

from functools import partial
from typing import Final

from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
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
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
)
from studio.engine.tasks.boxes import CROWD, DIFFICULT
from studio.engine.tasks.detection.found_boxes import (
    EVERY_CLASS,
    BoxCollector,
    PictureBoxes,
    found_boxes,
    lost_objects,
)

_WORDS: Final = 8
"""Left, top, width, height, score, category, truncation and occlusion."""
_NAMES: Final = (
    *("pedestrian", "people", "bicycle", "car", "van", "truck", "tricycle"),
    *("awning-tricycle", "bus", "motor"),
)
"""Classes of the categories 1 to 10."""
_IGNORED: Final = (0, len(_NAMES) + 1)
"""Categories of regions that count nowhere: "ignored regions" and "others"."""
_HIGHEST: Final = (1, _IGNORED[1], 2, 2)
"""Highest score, category, truncation and occlusion."""


class VisDroneBoxes(AnnotationFormat):
    """A line has left, top, width and height in pixels, a score, and the number of a category.

    Objects with the score 0, which the benchmark does not count, are difficult. The categories 0
    and 11 are regions where objects of any class may be: they are reported, and no objects.
    """

    name = "visdrone"
    label = "VisDrone text files"
    split_origin = "folders"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has lines of VisDrone."""
        return pairs_look_like(files, _is_box)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        parse = partial(_parsed, files)
        texts = read_texts(files, options.most, progress, parse, _is_box)
        if not any(max(boxes.labels, default=-1) >= 0 for boxes in texts.found.values()):
            raise nothing_usable(
                message(
                    "The VisDrone files in {folder} contain no boxes.",
                    folder=files.labels.location,
                ),
                [*texts.pairs.problems, *lost_objects(texts.found)],
                "A line has left, top, width, height, score, category, truncation and occlusion.",
            )
        found: dict[str, PictureBoxes | None] = dict.fromkeys(texts.unread)
        found |= {picture: boxes.result() for picture, boxes in texts.found.items()}

        def later(picture: str) -> PictureBoxes:
            return parse(texts.unread[picture]).result()

        classes = renamed(_NAMES, (), options)
        problems = texts.pairs.problems
        return found_boxes(files, classes, options, found, problems, split_of_picture, later)


def _is_box(words: list[str]) -> bool:
    numbers = [number_in(word) for word in words]
    if len(numbers) != _WORDS or not all(number.is_integer() for number in numbers):
        return False
    facts = zip(numbers[4:], _HIGHEST, strict=True)
    return min(numbers[2:4]) >= 0 and all(0 <= number <= most for number, most in facts)


def _parsed(files: AnnotatedFiles, path: str) -> BoxCollector:
    """Return the boxes of a file.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    boxes = BoxCollector()
    for words in words_of(text_of(files.labels, path)):
        numbers = [number_in(word) for word in words]
        if len(numbers) < _WORDS - 2:
            boxes.without_box += 1
            continue
        left, top, width, height, score, category = numbers[: _WORDS - 2]
        corners = left, top, left + width, top + height
        if category in _IGNORED:
            boxes.add(EVERY_CLASS, corners, CROWD)
        elif category in range(1, _IGNORED[1]):
            boxes.add(int(category) - 1, corners, DIFFICULT if score == 0 else 0)
        else:
            boxes.unknown[name_in(words[5])] += 1
    return boxes
