"""Boxes in annotation files, and the usable ones among them.

Files of others may contain anything. A box that cannot be used is left out and reported; the
others of its image are kept.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, message
from studio.engine.picture_files import StoredFrame
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotation_files.reports import Tally, unannotated
from studio.engine.tasks.annotation_files.values import FARTHEST
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    BoxAnnotations,
    Boxes,
    LeftOut,
    Remark,
    Tree,
    require_size,
)
from studio.engine.tasks.boxes import (
    CLASS,
    CROWD,
    FLAGS,
    LEFT,
    MAX_BOXES,
    RIGHT,
    VALUES,
)
from studio.engine.tasks.detection.box_evidence import are_percent, are_thousandths, sized
from studio.engine.tasks.detection.turns import (
    orientation_in,
    stored_size,
    survey_turns,
    turned,
)

_CORNERS = slice(LEFT, LEFT + 4)
_ROUNDING = 1.0
"""Pixels by which boxes may extend beyond their image without a report: files have whole numbers.
"""
BoxRows = NDArray[np.float64]
"""Boxes of a file: class, left, top, right, bottom, flags; shape (n, 6)."""
_MANY: Final = 0.2
"""Fraction of the boxes that extend beyond their images from which the import says so."""
_FEWEST: Final = 3
EVERY_CLASS: Final = -1
"""Class of a region where objects of any class may be: a crowd of each class."""


@dataclass(frozen=True, slots=True)
class PictureBoxes:
    """The boxes of a picture in an annotation file.

    Attributes:
        rows: The boxes, shape (n, 6).
        is_relative: True if the sides are fractions of width and height, not pixels.
        size: Width and height that the picture must have; None if unknown.
        problems: What is left out of the file, or changed, and why.
        refused: The reason why nothing of it can be used; empty if it can.
    """

    rows: BoxRows
    is_relative: bool = False
    size: tuple[int, int] | None = None
    problems: tuple[Remark, ...] = ()
    refused: str = ""

    def count(self, classes: int) -> int:
        """Return the number of boxes, with a crowd of each class where any may be.

        Args:
            classes: Number of classes.
        """
        return len(_of_each_class(self.rows, classes))


class BoxCollector:
    """Collects the boxes of a picture while a file is read.

    Attributes:
        size: Width and height that the picture must have; None if unknown.
        unknown: Number of boxes of each class that is not in the list of classes.
        without_box: Number of objects that have no box.
        problems: What else is left out or changed, and why.
        refused: The reason why nothing of it can be used; empty if it can.
    """

    __slots__ = ("_values", "problems", "refused", "size", "unknown", "without_box")

    def __init__(self) -> None:
        self._values = array("d")
        self.size: tuple[int, int] | None = None
        self.unknown: Counter[str] = Counter()
        self.without_box = 0
        self.problems: list[Remark] = []
        self.refused = ""

    def __len__(self) -> int:
        return len(self._values) // VALUES

    @property
    def rows(self) -> BoxRows:
        """The boxes, shape (n, 6)."""
        return np.array(self._values, np.float64).reshape(-1, VALUES)

    @property
    def labels(self) -> list[int]:
        """The classes that occur, ascending."""
        found: list[int] = np.unique(self.rows[:, CLASS]).astype(np.int64).tolist()
        return found

    def numbered(self, numbers: NDArray[np.int64]) -> BoxRows:
        """Return the boxes with other classes, shape (n, 6).

        Args:
            numbers: New class of each class, shape (K,).
        """
        rows = self.rows
        rows[:, CLASS] = numbers[rows[:, CLASS].astype(np.int64)]
        return rows

    def add(self, label: int, corners: Sequence[float], flags: int = 0) -> None:
        """Add a box.

        Args:
            label: Its class.
            corners: Left, top, right and bottom.
            flags: Its flags, see `boxes`.
        """
        self._values.extend((label, *corners, flags))

    def result(self, is_relative: bool = False, rows: BoxRows | None = None) -> PictureBoxes:
        """Return the boxes that were added, and the problems.

        Args:
            is_relative: True if the sides are fractions of width and height.
            rows: The boxes, where they are not as they were added.
        """
        problems = list(self.problems)
        for name, count in self.unknown.items():
            reason = message(
                'left out {count} boxes of the unknown class "{name}"',
                one='left out a box of the unknown class "{name}"',
                count=count,
                name=name,
            )
            problems.append(Remark(reason, count))
        if self.without_box:
            reason = message(
                "left out {count} objects without a box",
                one="left out an object without a box",
                count=self.without_box,
            )
            problems.append(Remark(reason, self.without_box))
        rows = self.rows if rows is None else rows
        return PictureBoxes(rows, is_relative, self.size, tuple(problems), self.refused)


@dataclass(slots=True, kw_only=True)
class FoundBoxes(BoxAnnotations):
    """Boxes that were read from files.

    Attributes:
        found: The boxes of each annotation; None for those that are read when they are needed.
        read: Reads the boxes of an annotation; None if all are in `found`.
        images: The files of the pictures, whose paths the annotations are.
        are_stored: True if boxes are for pictures as they are stored, not turned by EXIF, where
            the stated size does not tell.
    """

    found: Mapping[str, PictureBoxes | None] = field(default_factory=dict)
    read: Callable[[str], PictureBoxes] | None = None
    images: Tree | None = None
    are_stored: bool = False

    def boxes(self, annotation: str, size: tuple[int, int]) -> tuple[Boxes, list[Remark]]:
        """Return the usable boxes; see `BoxAnnotations.boxes`."""
        found = self._annotation(annotation)
        if found.refused:
            raise BadDataError(found.refused)
        orientation = self._orientation(annotation, found, size)
        if orientation > 1:
            found = _upright(found, size, orientation)
        require_size(found.size or size, size)
        rows, problems = cleaned(found.rows, size, is_relative=found.is_relative)
        crowds = _crowds(rows)
        return _of_each_class(rows, len(self.names)), [*found.problems, *problems, *crowds]

    def _orientation(self, picture: str, found: PictureBoxes, size: tuple[int, int]) -> int:
        """Return the EXIF orientation by which boxes must be turned; 1 if they are upright."""
        is_swapped = found.size == size[::-1] and size[0] != size[1]
        if self.images is None or not (is_swapped or self.are_stored):
            return 1
        orientation = orientation_in(self.images.read(picture))
        is_stated = found.size == size and size[0] != size[1]
        is_sideways = StoredFrame(size, orientation).is_sideways
        if is_sideways and is_stated:
            return 1  # the stated size is that of the image as shown
        if is_swapped and not is_sideways:
            raise BadDataError(
                "its annotation is for {width}x{height} pixels, but its image has "
                "{picture_width}x{picture_height}: width and height are exchanged, and the "
                "image has no EXIF orientation",
                width=size[1],
                height=size[0],
                picture_width=size[0],
                picture_height=size[1],
            )
        return orientation

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        try:
            found = self._annotation(annotation)
        except BadDataError:
            return 0
        return len(found.rows) + sum(each.objects for each in found.problems)

    def _annotation(self, annotation: str) -> PictureBoxes:
        """Return an annotation.

        Raises:
            BadDataError: It does not exist or is damaged; the message is a short reason.
        """
        found = self.found.get(annotation)
        if found is None and self.read is not None:
            found = self.read(annotation)
        if found is None:
            raise BadDataError("it has no annotation")
        return found


def _upright(found: PictureBoxes, size: tuple[int, int], orientation: int) -> PictureBoxes:
    """Return boxes in a picture as it is shown, instead of as it is stored.

    Args:
        found: The boxes.
        size: Width and height of the picture as it is shown.
        orientation: Its EXIF orientation.
    """
    is_sideways = StoredFrame(size, orientation).is_sideways
    stored = size[::-1] if is_sideways else size
    frame = (1, 1) if found.is_relative else stored
    stated = found.size[::-1] if found.size is not None and is_sideways else found.size
    return replace(found, rows=turned(found.rows, frame, orientation), size=stated)


def lost_objects(lists: Mapping[str, BoxCollector]) -> list[LeftOut]:
    """Return what is left out of pictures, for the error that no box can be used.

    Args:
        lists: The boxes of each picture.
    """
    return [
        LeftOut(picture, each.reason, each.objects)
        for picture, boxes in lists.items()
        for each in boxes.result().problems
        if each.objects
    ]


def found_boxes(  # noqa: PLR0913 - one keyword that two formats give
    files: AnnotatedFiles,
    classes: ClassTable,
    options: AnnotationOptions,
    found: Mapping[str, PictureBoxes | None],
    problems: list[LeftOut],
    split_of: Callable[[str], str | None],
    read: Callable[[str], PictureBoxes] | None = None,
    *,
    is_explained: bool = False,
) -> FoundBoxes:
    """Return the boxes of all pictures that have annotations.

    Args:
        files: Pictures and annotations.
        classes: Names and colors of the classes.
        options: Tells if pictures without objects are taken.
        found: Boxes of each picture that has an annotation; None where `read` gives them later.
        problems: Files and pictures that are left out, and why; pictures without annotation are
            added.
        split_of: Returns the split of a picture; None where the format tells none.
        read: Reads the boxes of a picture.
        is_explained: True if a warning says why boxes extend beyond their images.

    Raises:
        StudioError: Coordinates in pixels appear to be fractions of width and height.
    """
    _require_pixels(found)
    _require_no_thousandths(found, files.images)
    counts = (boxes.count(len(classes.names)) for boxes in found.values() if boxes)
    most = max(counts, default=0)
    with_boxes = [
        path for path in files.images.pictures if (boxes := found.get(path)) and len(boxes.rows)
    ]
    sizes = {path: boxes.size for path, boxes in found.items() if boxes is not None}
    turns = survey_turns(files.images, with_boxes, sizes)
    return FoundBoxes(
        pictures=[
            AnnotatedPicture(picture, picture, split_of(picture))
            for picture in files.images.pictures
            if picture in found
            and (options.keep_empty or (boxes := found[picture]) is None or len(boxes.rows))
        ],
        names=classes.names,
        colors=classes.colors,
        problems=problems + unannotated(files.images.pictures, found, problems),
        warnings=[
            *turns.warnings(),
            *_in_other_order(found),
            *_in_percent(found, files.images),
            *([] if is_explained else _leaving(found)),
        ],
        max_boxes=min(most, MAX_BOXES),
        images=files.images,
        are_stored=turns.is_stored,
        found=found,
        read=read,
    )


def _leaving(found: Mapping[str, PictureBoxes | None]) -> list[Text]:
    """Return a sentence if many boxes extend beyond images whose size is stated."""
    total, beyond = 0, Tally()
    for picture, boxes in found.items():
        if boxes is None or not len(boxes.rows) or (boxes.size is None and not boxes.is_relative):
            continue
        width, height, slack = 1.0, 1.0, 0.01
        if not boxes.is_relative and boxes.size is not None:
            (width, height), slack = boxes.size, _ROUNDING
        limits = np.array([width, height, width, height])
        corners = boxes.rows[:, _CORNERS]
        are_beyond = ((corners < -slack) | (corners > limits + slack)).any(axis=1)
        total += len(corners)
        if count := int(are_beyond.sum()):
            beyond.add(picture, count)
    if beyond.count < max(_FEWEST, _MANY * total):
        return []
    return [
        message(
            "Boxes that extend beyond their images: {count} of {total}, the first in {first}. "
            "Check that the coordinates are those that the format has, and that they are for "
            "images of this size.",
            count=beyond.count,
            total=total,
            first=beyond.first,
        )
    ]


def _in_percent(found: Mapping[str, PictureBoxes | None], images: Tree) -> list[Text]:
    """Return a sentence if boxes in pixels are whole numbers only once they are percent."""
    rows = (
        (path, boxes.rows[:, _CORNERS], boxes.size)
        for path, boxes in found.items()
        if boxes is not None and not boxes.is_relative and len(boxes.rows)
    )
    if not are_percent(sized(rows, partial(stored_size, images))):
        return []
    return [
        message(
            "The coordinates of the boxes appear to be percent of width and height: read so, they "
            "are whole pixels. They were read as pixels; multiply them by the size of each image "
            "and divide them by 100."
        )
    ]


def _in_other_order(found: Mapping[str, PictureBoxes | None]) -> list[Text]:
    """Return a sentence if many boxes have their right side before the left one, or the like."""
    total, swapped_boxes = 0, Tally()
    for picture, boxes in found.items():
        if boxes is None or not len(boxes.rows):
            continue
        total += len(boxes.rows)
        first, last = boxes.rows[:, LEFT:RIGHT], boxes.rows[:, RIGHT : RIGHT + 2]
        if count := int((first > last).any(axis=1).sum()):
            swapped_boxes.add(picture, count)
    if swapped_boxes.count < max(_FEWEST, _MANY * total):
        return []
    return [
        message(
            "The right side of {count} of {total} boxes is left of their left side, or the lower "
            "one above the upper one, the first in {first}. They were exchanged; check in the "
            "preview that the numbers are in the order that the format has.",
            count=swapped_boxes.count,
            total=total,
            first=swapped_boxes.first,
        )
    ]


def _require_pixels(found: Mapping[str, PictureBoxes | None]) -> None:
    """Refuse boxes in pixels that all lie in the first pixel of their images.

    Raises:
        StudioError: They do.
    """
    count, first = 0, ""
    for picture, boxes in found.items():
        if boxes is None or boxes.is_relative or not len(boxes.rows):
            continue
        corners = boxes.rows[:, _CORNERS]
        if not (np.abs(corners) <= 1).all() or (corners == np.round(corners)).all():
            return
        count, first = count + len(corners), first or picture
    if count:
        raise StudioError(
            message(
                "The coordinates of all {count} boxes, such as those of {first}, lie between 0 "
                "and 1: they appear to be fractions of width and height, but this format has "
                "pixels.",
                one="The coordinates of the only box, in {first}, lie between 0 and 1: they "
                "appear to be fractions of width and height, but this format has pixels.",
                count=count,
                first=first,
            ),
            "Multiply them by the width and height of each image, or use YOLO text files, which "
            "have fractions.",
            "source",
        )


def _require_no_thousandths(found: Mapping[str, PictureBoxes | None], images: Tree) -> None:
    """Refuse boxes in pixels whose numbers appear to be thousandths of the image.

    Raises:
        StudioError: They do.
    """
    rows = (
        (path, boxes.rows[:, _CORNERS], None)
        for path, boxes in found.items()
        if boxes is not None and not boxes.is_relative and len(boxes.rows)
    )
    if are_thousandths(sized(rows, partial(stored_size, images))):
        raise StudioError(
            "Many boxes lie outside their images, and all coordinates are between 0 and 1000: "
            "they appear to be thousandths of width and height, or pixels of larger images.",
            "If they are thousandths, multiply them by the width and height of each image and "
            "divide them by 1000.",
            "source",
        )


def cleaned(
    rows: BoxRows, size: tuple[int, int], *, is_relative: bool = False
) -> tuple[Boxes, list[Remark]]:
    """Return the boxes of a picture that have an area inside it, and what was wrong with others.

    Swapped corners are exchanged, and boxes are cut at the border of the picture. Of boxes with
    the same class and corners one is kept.

    Args:
        rows: Boxes as written in a file, shape (n, 6).
        size: Width and height of the picture in pixels.
        is_relative: True if the sides are fractions of width and height.

    Returns:
        The boxes, shape (m, 6), and what is left out or changed.
    """
    problems: list[Remark] = []
    is_finite = np.isfinite(rows).all(axis=1)
    if count := int((~is_finite).sum()):
        problems.append(without_numbers(count))
    rows = rows[is_finite]
    # So that nothing overflows; such boxes lie outside, or are cut at the border.
    rows[:, _CORNERS] = np.clip(rows[:, _CORNERS], -FARTHEST, FARTHEST)
    if is_relative:
        rows[:, _CORNERS] *= (*size, *size)
    if count := put_in_order(rows):
        problems.append(swapped(count))
    has_area = (rows[:, LEFT:RIGHT] < rows[:, RIGHT : RIGHT + 2]).all(axis=1)
    inside = rows.astype(np.float32)
    inside[:, _CORNERS] = np.clip(rows[:, _CORNERS], 0, (*size, *size))
    is_inside = (inside[:, LEFT:RIGHT] < inside[:, RIGHT : RIGHT + 2]).all(axis=1)
    is_outside = has_area & (
        (rows[:, RIGHT : RIGHT + 2] <= 0) | (rows[:, LEFT:RIGHT] >= size)
    ).any(axis=1)
    if count := int((~is_inside & ~is_outside).sum()):
        problems.append(empty(count))
    if count := int(is_outside.sum()):
        reason = message(
            "left out {count} boxes outside the image",
            one="left out a box outside the image",
            count=count,
        )
        problems.append(Remark(reason, count))
    beyond = np.abs(inside[:, _CORNERS] - rows[:, _CORNERS]).max(axis=1, initial=0)
    if count := int((is_inside & (beyond > _ROUNDING)).sum()):
        reason = message(
            "cut {count} boxes at the border of the image",
            one="cut a box at the border of the image",
            count=count,
        )
        problems.append(Remark(reason))
    found, count = _distinct(inside[is_inside])
    if count:
        reason = message(
            "left out {count} boxes that occur twice",
            one="left out a box that occurs twice",
            count=count,
        )
        problems.append(Remark(reason, count))
    if count := max(len(found) - MAX_BOXES, 0):
        reason = message(
            "left out {count} boxes; an image can have at most {limit}",
            one="left out a box; an image can have at most {limit}",
            count=count,
            limit=MAX_BOXES,
        )
        problems.append(Remark(reason, count))
        # Objects matter more than crowds, of which a region may have one for each class.
        found = found[np.argsort(found[:, FLAGS] >= CROWD, kind="stable")]
    return found[:MAX_BOXES], problems


def _crowds(rows: Boxes) -> list[Remark]:
    """Return the reports about regions that are stored, but are no objects of a class.

    Args:
        rows: Usable boxes of a picture, shape (n, 6).
    """
    found = []
    is_crowd, is_any = rows[:, FLAGS] >= CROWD, rows[:, CLASS] == EVERY_CLASS
    if count := int((is_crowd & ~is_any).sum()):
        reason = message(
            "kept {count} crowds as regions without training: they are not counted as objects",
            one="kept a crowd as a region without training: it is not counted as an object",
            count=count,
        )
        found.append(Remark(reason, count))
    if count := int(is_any.sum()):
        reason = message(
            "kept {count} regions of any class, such as DontCare, as regions without training: "
            "they are not counted as objects",
            one="kept a region of any class, such as DontCare, as a region without training: it "
            "is not counted as an object",
            count=count,
        )
        found.append(Remark(reason, count))
    return found


def _of_each_class(rows: NDArray[Any], classes: int) -> NDArray[Any]:
    """Return boxes with a crowd of each class in place of regions of any class.

    Args:
        rows: Boxes, shape (n, 6).
        classes: Number of classes.

    Returns:
        The boxes, objects before regions of any class, at most `MAX_BOXES`.
    """
    is_any = rows[:, CLASS] == EVERY_CLASS
    if not is_any.any():
        return rows
    regions = np.repeat(rows[is_any], classes, axis=0)
    regions[:, CLASS] = np.tile(np.arange(classes), int(is_any.sum()))
    return np.concatenate([rows[~is_any], regions])[:MAX_BOXES]


def without_numbers(count: int) -> Remark:
    """Return the report about a number of boxes that have no finite coordinates."""
    reason = message(
        "left out {count} boxes whose coordinates are not numbers",
        one="left out a box whose coordinates are not numbers",
        count=count,
    )
    return Remark(reason, count)


def empty(count: int) -> Remark:
    """Return the report about a number of boxes without an area."""
    reason = message("left out {count} empty boxes", one="left out an empty box", count=count)
    return Remark(reason, count)


def swapped(count: int) -> Remark:
    """Return the report about a number of boxes whose corners were exchanged."""
    reason = message(
        "exchanged the swapped corners of {count} boxes",
        one="exchanged the swapped corners of a box",
        count=count,
    )
    return Remark(reason)


def put_in_order(rows: BoxRows) -> int:
    """Swap left and right, and top and bottom, of boxes if necessary.

    Returns:
        Number of these boxes.
    """
    first, last = rows[:, LEFT:RIGHT].copy(), rows[:, RIGHT : RIGHT + 2].copy()
    rows[:, LEFT:RIGHT] = np.minimum(first, last)
    rows[:, RIGHT : RIGHT + 2] = np.maximum(first, last)
    return int((first > last).any(axis=1).sum())


def _distinct(boxes: Boxes) -> tuple[Boxes, int]:
    """Return the first of the boxes with the same class and corners, and the number of others.

    An object that fills a region of a crowd is another box.
    """
    if len(boxes) < 2:
        return boxes, 0
    facts = np.column_stack([boxes[:, CLASS : RIGHT + 2], boxes[:, FLAGS] >= CROWD])
    first = np.unique(facts, axis=0, return_index=True)[1]
    return boxes[np.sort(first)], len(boxes) - len(first)
