"""YOLO: a text file for each picture, and a YAML file that names classes and splits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.pairs import split_of_picture
from studio.engine.tasks.annotation_files.reports import (
    Losses,
    Tally,
    keypoint_warnings,
    nothing_usable,
)
from studio.engine.tasks.annotation_files.text_files import (
    numbered_words,
    pairs_look_like,
    read_texts,
    text_of,
)
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotation_files.yolo_setup import (
    YoloWriter,
    from_one,
    has_names,
    without_text,
    yolo_setup,
)
from studio.engine.tasks.annotations import (
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    Regions,
    WritableFormat,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, FLAGS, LEFT, RIGHT, TOP
from studio.engine.tasks.detection.formats.yolo_layout import check_layout
from studio.engine.tasks.detection.found_boxes import (
    BoxCollector,
    PictureBoxes,
    found_boxes,
    lost_objects,
)

_BOX = 5
"""Words of a line with a box: class, center x, center y, width, height."""
_FEWEST_OUTLINE = 7
"""Words of a line with an outline: the class and at least three corners."""
_NO_FRACTION = 2.0
"""Numbers from this one on are pixels: boxes are at most a bit outside of their image."""
_ROUNDING = 1e-3
"""Accepted deviation of coordinates from the range 0 to 1."""


class _Writer(YoloWriter):
    """Difficult objects are written as any; crowds are left out, which YOLO does not know."""

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the file of a picture."""
        width, height = size
        lines = []
        for box in regions[regions[:, CLASS] >= 0].tolist():
            if int(box[FLAGS]) & CROWD:
                continue
            values = (
                (box[LEFT] + box[RIGHT]) / 2 / width,
                (box[TOP] + box[BOTTOM]) / 2 / height,
                (box[RIGHT] - box[LEFT]) / width,
                (box[BOTTOM] - box[TOP]) / height,
            )
            lines.append(f"{int(box[CLASS])} {' '.join(map(repr, values))}")
        self.write_lines(picture, split, lines)


class YoloBoxes(WritableFormat):
    """A picture without a text file, in a folder where others have one, has no objects.

    A line has the index of the class, and center, width and height of a box as fractions of the
    size of the picture; numbers behind them are not used. Of outlines (the class and the corners
    of a polygon) the box around them is taken; of poses (`kpt_shape` in the YAML file) the box.

    The names of the classes are in a YAML file, or one on each line of `classes.txt` or
    `obj.names`. The YAML file, or lists such as `train.txt`, may define the splits.
    """

    name = "yolo"
    label = "YOLO text files with data.yaml"
    export = "yolo"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has boxes of YOLO.

        Boxes in pixels beside a file with names of classes are those of YOLO, too: the error tells
        what is wrong with them.
        """
        if pairs_look_like(files, _is_box):
            return True
        return has_names(files.labels) and pairs_look_like(files, _is_in_pixels)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        setup = yolo_setup(files, _is_box)
        parse = partial(_parsed, files, has_poses=setup.has_poses)
        texts = read_texts(files, options.most, progress, parse, _is_box)
        lists = {picture: labels.boxes for picture, labels in texts.found.items()}
        used = {int(label) for boxes in lists.values() for label in boxes.labels}
        highest = max(used, default=-1)
        problems = texts.pairs.problems + setup.problems
        if highest < 0:
            raise nothing_usable(
                message(
                    "The YOLO files in {folder} contain no boxes.", folder=files.labels.location
                ),
                [*problems, *lost_objects(lists)],
                "A line has the index of the class, and center, width and height of the box as "
                "fractions of the size of the image.",
            )
        names = setup.names or [str(number) for number in range(highest + 1)]
        if not setup.names and options.class_names:
            names = list(options.class_names)
        classes = renamed(names, (), options)
        found: dict[str, PictureBoxes | None] = dict.fromkeys(texts.unread)
        found |= {picture: _known(boxes, len(names)) for picture, boxes in lists.items()}
        found |= {picture: BoxCollector().result() for picture in texts.pairs.without_file}

        def later(picture: str) -> PictureBoxes:
            return _known(parse(texts.unread[picture]).boxes, len(names))

        def split_of_path(picture: str) -> str | None:
            return setup.splits.get(picture) or split_of_picture(picture)

        with_boxes = [labels.boxes for labels in texts.found.values() if not labels.outlines]
        of_layout = check_layout(with_boxes)
        result = found_boxes(
            files,
            classes,
            options,
            found,
            problems,
            split_of_path,
            later,
            is_explained=bool(of_layout),
        )
        result.warnings += [
            *of_layout,
            *setup.warnings,
            *from_one(names, used),
            *_odd_lines(texts.found),
            *without_text(texts.pairs.without_file),
        ]
        return result


def _is_box(words: list[str]) -> bool:
    numbers = [number_in(word) for word in words]
    return _is_in_pixels(words) and all(
        -_ROUNDING <= number <= 1 + _ROUNDING for number in numbers[1:_BOX]
    )


def _is_in_pixels(words: list[str]) -> bool:
    """Return True for the numbers of a box, whatever their unit is."""
    numbers = [number_in(word) for word in words[:_BOX]]
    return (
        len(words) >= _BOX
        and numbers[0] >= 0
        and numbers[0].is_integer()
        and all(map(math.isfinite, numbers))
    )


@dataclass(slots=True)
class _Labels:
    """Content of the text file of a picture.

    Attributes:
        path: Path of the file.
        boxes: Its boxes as fractions of the size of the picture.
        outlines: Number of boxes around outlines.
        confidences: Number of boxes with a sixth value.
        poses: Number of boxes with keypoints.
    """

    path: str
    boxes: BoxCollector = field(default_factory=BoxCollector)
    outlines: int = 0
    confidences: int = 0
    poses: int = 0


def _parsed(files: AnnotatedFiles, path: str, has_poses: bool) -> _Labels:
    """Return the boxes of a file as fractions of the size of the picture.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    labels = _Labels(path)
    lost = Losses()
    for line, words in numbered_words(text_of(files.labels, path)):
        label, *numbers = map(number_in, words)
        if len(words) < _BOX:
            labels.boxes.without_box += 1
        elif not (0 <= label < MAX_CLASSES and label.is_integer()):
            labels.boxes.unknown[name_in(words[0])] += 1
        elif _is_outline(numbers) and not has_poses:
            if any(map(_is_pixels, numbers)):
                lost.add(_in_pixels, str(line))
                continue
            labels.boxes.add(int(label), _around(numbers))
            labels.outlines += 1
        elif any(map(_is_pixels, numbers[: _BOX - 1])):
            lost.add(_in_pixels, str(line))
        else:
            x, y, width, height = numbers[: _BOX - 1]
            corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            labels.boxes.add(int(label), corners)
            labels.confidences += len(words) == _BOX + 1
            labels.poses += has_poses and len(words) > _BOX
    labels.boxes.problems += lost.remarks()
    return labels


def _in_pixels(lost: Tally) -> Text:
    return message(
        "left out {count} boxes whose numbers are no fractions of the size of the image; the "
        "first is in line {first}",
        one="left out a box whose numbers are no fractions of the size of the image, in line "
        "{first}",
        count=lost.count,
        first=lost.first,
    )


def _is_pixels(number: float) -> bool:
    """Return True for a number that is no fraction of an image, nor a bit outside."""
    return math.isfinite(number) and abs(number) >= _NO_FRACTION


def _is_outline(numbers: list[float]) -> bool:
    """Return True for the corners of a polygon, not a box with a confidence and an id."""
    if len(numbers) < _FEWEST_OUTLINE - 1:
        return False
    return len(numbers) >= _FEWEST_OUTLINE or not _is_pixels(numbers[-1])


def _around(numbers: list[float]) -> tuple[float, float, float, float]:
    """Return the sides of the box around an outline."""
    if not all(map(math.isfinite, numbers)):
        return (math.nan,) * 4
    xs, ys = numbers[::2][: len(numbers) // 2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


def _odd_lines(found: Mapping[str, _Labels]) -> list[Text]:
    """Return sentences about lines that have more than a box."""
    outlines, confidences, poses = Tally(), Tally(), Tally()
    for labels in found.values():
        if labels.outlines:
            outlines.add(labels.path, labels.outlines)
        if labels.confidences:
            confidences.add(labels.path, labels.confidences)
        if labels.poses:
            poses.add(labels.path, labels.poses)
    warnings: list[Text] = []
    if outlines:
        warning = message(
            "{count} lines, the first in {first}, have outlines or rotated boxes. The upright "
            "boxes around them are used.",
            one="A line in {first} has an outline or a rotated box. The upright box around it is "
            "used.",
            count=outlines.count,
            first=outlines.first,
        )
        warnings.append(warning)
    if confidences:
        warning = message(
            "{count} lines, the first in {first}, have a sixth number, as the confidence of a "
            "prediction. It is not used; check that these are labels.",
            one="A line in {first} has a sixth number, as the confidence of a prediction. It is "
            "not used; check that this is a label.",
            count=confidences.count,
            first=confidences.first,
        )
        warnings.append(warning)
    return warnings + keypoint_warnings(poses)


def _known(boxes: BoxCollector, classes: int) -> PictureBoxes:
    """Return the boxes whose class has a name."""
    rows = boxes.rows
    is_known = rows[:, CLASS] < classes
    for label in rows[~is_known, CLASS].astype(int).tolist():
        boxes.unknown[str(label)] += 1
    return boxes.result(is_relative=True, rows=rows[is_known])
