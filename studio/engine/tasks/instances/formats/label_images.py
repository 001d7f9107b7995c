"""Label images: the number of an object for each pixel, in a file for each picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import (
    ClassTable,
    classes_by_name,
    known_classes,
    write_classes,
)
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    Instances,
    Regions,
    Remark,
    Tree,
    WritableFormat,
    is_background,
)
from studio.engine.tasks.instance_labels import (
    IGNORED,
    MAX_NUMBER,
    class_of,
    compacted,
    values_of,
)
from studio.engine.tasks.instances.found_objects import DEFAULT_CLASS, InstanceAnnotations
from studio.engine.tasks.instances.label_files import (
    LabelFacts,
    Numbers,
    inspect_labels,
    read_labels,
)
from studio.engine.tasks.instances.object_tables import object_table, write_object_table
from studio.engine.tasks.segmentation.formats.mask_folders import (
    MaskFolders,
    folders_without_masks,
    unmatched,
    unpaired,
)
from studio.engine.tasks.segmentation.mask_groups import find_masks
from studio.engine.tasks.segmentation.picture_masks import inspect_files
from studio.engine.tasks.segmentation.split_lists import with_listed_splits

_PICTURES: Final = "images"
_LABELS: Final = "labels"
_MAX_16: Final = 2**16 - 1


class _Writer(AnnotationWriter):
    """Writes numbers from 1 as PNG files of 16 bits, or as TIFF of 32 bits where they are more.

    `objects.csv` has the class of each object; pixels that count nowhere are an object of the
    class "__ignore__" in it.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._rows: list[tuple[str, int, str]] = []

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of pictures of a split."""
        return f"{_PICTURES}/{split}/{name}"

    def add(
        self,
        picture: str,
        split: str,  # noqa: ARG002 - the path tells
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Write a label image at the same path in the folder of labels."""
        numbers, values = compacted(regions)
        names = [self.names[label] for label in class_of(values).tolist()]
        if (ignored := regions == IGNORED).any():
            names.append(IGNORED_NAME)
            numbers[ignored] = len(names)
        suffix = ".png" if len(names) <= _MAX_16 else ".tif"
        path = PurePosixPath(_LABELS, *PurePosixPath(picture).parts[1:]).with_suffix(suffix)
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        pixels = numbers.astype(np.uint16) if suffix == ".png" else numbers
        Image.fromarray(pixels).save(target, **({} if suffix == ".png" else _COMPRESSED))
        self._rows += [(str(path), number, name) for number, name in enumerate(names, 1)]

    def finish(self) -> None:
        """Write a line with the color and the name of each class, and the table of objects."""
        write_classes(self.folder, self.names, self.colors)
        # Without a table, files of one object each would be read as an object for each part.
        write_object_table(self.folder, self._rows)


_COMPRESSED: Final = {"compression": "tiff_adobe_deflate"}


@dataclass(slots=True, kw_only=True)
class LabelImageFiles(InstanceAnnotations):
    """An annotation is the path of a label image.

    Attributes:
        files: The label images.
        classes: Class of each number by the path of its label image; others have class 0 if it
            is empty.
        turns: EXIF orientations of pictures whose label images are as the pictures are stored.
        are_binary: True if each connected area is an object: files have a single value.
    """

    files: Tree
    classes: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    turns: Mapping[str, int] = field(default_factory=dict)
    are_binary: bool = False

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Read a label image; see `Annotations.regions`."""
        try:
            data = self.files.read(annotation)
            numbers = read_labels(data, size, self.turns.get(annotation, 1))
        except BadDataError as error:
            raise BadDataError(
                "its label image {file} cannot be used: {reason}",
                file=annotation,
                reason=as_message(error.message),
            ) from error
        if self.are_binary:
            numbers = _areas(numbers)
        if not self.classes:
            return _of_one_class(numbers)
        return _of_classes(numbers, self.classes.get(annotation, {}))

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        try:
            return inspect_labels(self.files.read(annotation)).objects
        except BadDataError:
            return 0


def _areas(numbers: Numbers) -> Numbers:
    """Return a number for each area of connected pixels, which touch at their sides."""
    inside = (numbers != 0).astype(np.uint8)
    found: Numbers = cv2.connectedComponents(inside, connectivity=4, ltype=cv2.CV_32S)[1]
    return found


def _of_one_class(numbers: Numbers) -> tuple[Instances, list[Remark]]:
    """Return a label image of the first class, and a remark on negative numbers."""
    values, places = np.unique(numbers, return_inverse=True)
    _require_few(len(values))
    order = np.where(values < 0, -1, np.cumsum(values > 0) * (values > 0))
    return values_of(order[places].reshape(numbers.shape), 0), _negative(values)


def _of_classes(
    numbers: Numbers, class_of_number: Mapping[int, int]
) -> tuple[Instances, list[Remark]]:
    """Return a label image, and remarks on objects without a class, or without a pixel.

    Args:
        numbers: Number of the object of each pixel.
        class_of_number: Their classes; `IGNORED` for pixels that count nowhere.
    """
    values, places = np.unique(numbers, return_inverse=True)
    _require_few(len(values))
    known = [class_of_number.get(value) for value in values.tolist()]
    remarks = _negative(values)
    lost = sum(each is None for each, value in zip(known, values, strict=True) if value > 0)
    if lost:
        reason = message(
            "left out {count} objects whose class is not in the table; their pixels count nowhere",
            one="left out an object whose class is not in the table; its pixels count nowhere",
            count=lost,
        )
        remarks.append(Remark(reason, lost))
    if missing := len(class_of_number.keys() - {*values.tolist()}):
        reason = message(
            "left out {count} objects of the table without a pixel",
            one="left out an object of the table without a pixel",
            count=missing,
        )
        remarks.append(Remark(reason, missing))
    classes = np.array([IGNORED if each is None else each for each in known], np.int32)
    is_object = (values > 0) & (classes >= 0)
    order = np.where(values == 0, 0, np.where(is_object, np.cumsum(is_object), -1))
    return values_of(order, np.maximum(classes, 0))[places].reshape(numbers.shape), remarks


def _require_few(values: int) -> None:
    if values > MAX_NUMBER:
        raise BadDataError(
            "it has {count:,} objects; at most {limit:,} are possible",
            count=values,
            limit=MAX_NUMBER,
        )


def _negative(values: NDArray[np.int64]) -> list[Remark]:
    count = int((values < 0).sum())
    if not count:
        return []
    reason = message(
        "kept {count} negative values as regions without training: they are no objects",
        one="kept a negative value as a region without training: it is no object",
        count=count,
    )
    return [Remark(reason, count)]


class LabelImages(WritableFormat):
    """Every value of a label image other than 0 is an object; of colored ones every color.

    Pictures and label images belong together as pictures and masks of segmentation do. Objects
    are of one class, "object" unless it is named, or of the classes in `objects.csv`. Where all
    files have a single value, each connected area is an object.
    """

    name = "label_images"
    label = "Folders of images and label images"
    export = "labels"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if pictures have files that may be label images; see `MaskFolders`."""
        return _FOLDERS.accepts(files)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if the values of masks can hardly be classes."""
        return _FOLDERS.numbers_objects(files)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Pair pictures and label images; see `AnnotationFormat.read`."""
        paired = find_masks(files)
        if not paired.pairs:
            raise unpaired(files, paired)
        pairs = [AnnotatedPicture(picture, labels) for picture, labels in paired.pairs]
        pictures, listed = with_listed_splits(pairs, files)
        facts: dict[str, LabelFacts] = {}
        frames = inspect_files(
            pictures, files, options, progress, inspect_labels, facts.__setitem__
        )
        table = object_table(files.labels, [each.annotation for each in pictures])
        are_binary = not table.classes and _are_binary([*facts.values()])
        numbers: dict[str, dict[int, int]] = {}
        if table.classes:
            names = table.names - {IGNORED_NAME}
            index, classes = classes_by_name(names, files, options)
            index[IGNORED_NAME] = IGNORED
            for path, of_numbers in table.classes.items():
                numbers[path] = {number: index[name] for number, name in of_numbers.items()}
        else:
            classes = _single(known_classes(files, options))
        return LabelImageFiles(
            pictures=pictures,
            names=classes.names,
            colors=classes.colors,
            problems=paired.problems + unmatched(paired) + table.problems,
            warnings=[
                *paired.warnings,
                *folders_without_masks(paired),
                *frames.warnings,
                *listed,
                *_about_full(facts),
                *(_about_areas(facts) if are_binary else _without_background(facts)),
            ],
            files=files.labels,
            classes=numbers,
            turns=frames.turns,
            are_binary=are_binary,
        )


_FOLDERS: Final = MaskFolders()


def _are_binary(facts: Sequence[LabelFacts]) -> bool:
    """Return True if files have no value but one, the same in all."""
    values = {each.only for each in facts if each.objects}
    return len(values) == 1 and 0 not in values


def _about_areas(facts: Mapping[str, LabelFacts]) -> list[Text]:
    value = max(each.only for each in facts.values())
    return [
        message(
            "All label images have the value {value} alone: each connected area is an object, "
            "and objects that touch are one. Number the objects to separate them.",
            value=value,
        )
    ]


def _about_full(facts: Mapping[str, LabelFacts]) -> list[Text]:
    """Return a sentence about files whose 8 bits may not hold the numbers of all objects."""
    full = [path for path, each in facts.items() if each.is_full]
    if not full:
        return []
    return [
        message(
            "{count} label images, the first is {first}, use all numbers from 1 to 255. If they "
            "have more objects, several share a number, or are missing: write files of 16 bits.",
            one="The label image {first} uses all numbers from 1 to 255. If it has more objects, "
            "several share a number, or are missing: write a file of 16 bits.",
            count=len(full),
            first=full[0],
        )
    ]


def _without_background(facts: Mapping[str, LabelFacts]) -> list[Text]:
    """Return a sentence about files whose background appears to be numbered as an object."""
    covering = Counter(each.covering for each in facts.values() if each.covering)
    if 2 * covering.total() <= len(facts):
        return []
    value = covering.most_common(1)[0][0]
    return [
        message(
            "No pixel of {count} label images is 0, and one value, such as {value}, has more than "
            "half of their pixels: it is an object. If it is the background, write 0 for it.",
            one="No pixel of a label image is 0, and the value {value} has more than half of its "
            "pixels: it is an object. If it is the background, write 0 for it.",
            count=covering.total(),
            value=value,
        )
    ]


def _single(known: ClassTable) -> ClassTable:
    """Return the only class; the default one unless it is named.

    Raises:
        StudioError: Several are named.
    """
    objects = [at for at, name in enumerate(known.names) if not is_background(name)]
    if len(objects) > 1:
        names = Counter(known.names)
        raise StudioError(
            "Label images number objects of one class; received {count} names of classes "
            "({names}).",
            "Give one name, or a table objects.csv with the columns labels, number and class.",
            "class_names",
            count=len(objects),
            names=", ".join(names),
        )
    if not objects:
        return ClassTable((DEFAULT_CLASS,))
    colors = (known.colors[objects[0]],) if known.colors else ()
    return ClassTable((known.names[objects[0]],), colors)
