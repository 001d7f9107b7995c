"""A mask file for each object, as in the Data Science Bowl 2018: `ID/masks/*.png`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.painting import Region
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    Regions,
    Remark,
    Tree,
)
from studio.engine.tasks.instances.found_objects import (
    DEFAULT_CLASS,
    InstanceAnnotations,
    ObjectPicture,
    ObjectShape,
    painted,
)
from studio.engine.tasks.instances.label_files import inspect_labels, read_labels
from studio.engine.tasks.segmentation.formats.mask_folders import MaskFolders, unmatched
from studio.engine.tasks.segmentation.mask_groups import class_words, find_masks
from studio.engine.tasks.segmentation.name_pairs import MaskPairs
from studio.engine.tasks.segmentation.picture_masks import InspectedFrames, inspect_files

_VALUES: Final = 2
"""Values of a mask of one object: nothing, and the object."""


@dataclass(slots=True, kw_only=True)
class ObjectMaskFiles(InstanceAnnotations):
    """An annotation is a picture, with a mask file for each of its objects.

    Attributes:
        files: The masks.
        masks: Path and class of each mask of a picture.
        turns: EXIF orientations of pictures whose masks are as the pictures are stored, by their
            first mask.
    """

    files: Tree
    masks: Mapping[str, Sequence[tuple[str, int]]]
    turns: Mapping[str, int] = field(default_factory=dict)

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Paint the masks of a picture; see `Annotations.regions`."""
        shapes: list[ObjectShape] = []
        damaged: Counter[Text] = Counter()
        masks = self.masks[annotation]
        turn = self.turns.get(masks[0][0], 1)
        for path, label in masks:
            try:
                shapes.append(ObjectShape(label, _region(self.files.read(path), size, turn)))
            except BadDataError as error:
                damaged[error.message] += 1
        if not shapes:
            reason = next(iter(damaged))
            raise BadDataError("its masks cannot be used: {reason}", reason=as_message(reason))
        labels, remarks, _ = painted(ObjectPicture(shapes, size), size)
        return labels, [*(_damaged(each, count) for each, count in damaged.items()), *remarks]

    def object_count(self, annotation: str) -> int:
        """Count the masks; see `Annotations.object_count`."""
        return len(self.masks[annotation])


def _region(data: bytes, size: tuple[int, int], orientation: int) -> Region:
    """Return the pixels of a mask that are not 0; see `read_labels`.

    Raises:
        BadDataError: It is damaged, of another size, or of several objects; a short reason.
    """
    numbers = read_labels(data, size, orientation)
    inside = numbers != 0
    values = np.unique(numbers[inside])
    if len(values) >= _VALUES:
        raise BadDataError(
            "it has {count} values besides 0; a mask of one object has one", count=len(values)
        )
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return lambda _size: Patch(0, 0, np.zeros((0, 0), np.bool_))
    part = inside[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()
    return partial(_patch, Patch.of(int(columns[0]), int(rows[0]), part))


def _patch(patch: Patch, _size: tuple[int, int]) -> Patch:
    return patch


def _damaged(reason: Text, count: int) -> Remark:
    text = message(
        "left out {count} objects: {reason}",
        one="left out an object: {reason}",
        count=count,
        reason=as_message(reason),
    )
    return Remark(text, count)


class ObjectMasks(AnnotationFormat):
    """A picture has several masks, whose names begin with its own, or that lie in its folder.

    Pixels other than 0 are the object. Objects are of the class in the names of their masks, or
    of one class, "object" unless it is named. Later masks are in front, in natural order.
    """

    name = "object_masks"
    label = "Folders of images with a mask file for each object"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if pictures have several masks each."""
        found = _found(files)
        return found is not None and bool(found.parts)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if the masks of a picture name no classes."""
        found = _found(files)
        return found is not None and class_words(found.parts.values()) == [""]

    def read(
        self,
        files: AnnotatedFiles,
        options: AnnotationOptions,
        progress: Progress,
    ) -> Annotations:
        """Pair pictures and masks; see `AnnotationFormat.read`."""
        paired = find_masks(files)
        words = class_words(paired.parts.values())
        classes = renamed([word or DEFAULT_CLASS for word in words], (), options)
        number_of = {word.casefold(): index for index, word in enumerate(words)}
        pictures = [each for each in files.images.pictures if each in paired.parts]
        first = [AnnotatedPicture(each, paired.parts[each][0].path) for each in pictures]
        frames = InspectedFrames()
        with suppress(StudioError):  # pictures say why
            frames = inspect_files(
                first, files, options, progress, inspect_labels, lambda _path, _facts: None
            )
        return ObjectMaskFiles(
            pictures=[AnnotatedPicture(picture, picture) for picture in pictures],
            names=classes.names,
            colors=classes.colors,
            problems=paired.problems + unmatched(paired),
            warnings=[*paired.warnings, *frames.warnings],
            turns=frames.turns,
            files=files.labels,
            masks={
                picture: [(mask.path, number_of[mask.word.casefold()]) for mask in masks]
                for picture, masks in paired.parts.items()
            },
        )


def _found(files: AnnotatedFiles) -> MaskPairs | None:
    """Return the masks of pictures; None if there are none, or it is unclear what they are."""
    if not MaskFolders().accepts(files):
        return None
    try:
        return find_masks(files)
    except StudioError:  # label images say why
        return None
