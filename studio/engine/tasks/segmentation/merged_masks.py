"""Several masks of one picture, each of one class or object, merged into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import ClassTable, renamed
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Mask,
    MaskAnnotations,
    Remark,
    Tree,
    is_background,
)
from studio.engine.tasks.segmentation.mask_coding import BINARY_NAMES, coding_of
from studio.engine.tasks.segmentation.mask_groups import class_words
from studio.engine.tasks.segmentation.mask_statistics import opened_mask
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.name_pairs import MaskPairs
from studio.engine.tasks.segmentation.picture_masks import inspect_masks
from studio.engine.tasks.segmentation.values import ValueTable

_NOT_ZERO = ValueTable("binary", (0, 1))
_MAX_COMPARED_IMAGES = 32
_MAX_COMPARED_MASKS = 4
_ALIKE = 0.5
"""Intersection over union from which on two masks show the same object."""
_MAX_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Part:
    """A mask of one class: its path, the index of the class, and its values."""

    path: str
    label: int
    table: ValueTable


@dataclass(slots=True, kw_only=True)
class MergedMasks(MaskAnnotations):
    """An annotation names a picture; its masks are painted over each other, smaller ones last.

    Attributes:
        files: The masks.
        parts: Masks of each picture.
        turns: EXIF orientations of pictures whose masks are as the pictures are stored.
    """

    files: Tree
    parts: Mapping[str, Sequence[_Part]]
    turns: Mapping[str, int]

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Merge the masks of a picture; see `MaskAnnotations.mask`."""
        parts = self.parts[annotation]
        regions = [(part.label, self._region(part, size)) for part in parts]
        regions.sort(key=lambda pair: -int(pair[1].sum()))
        mask = np.zeros(size[::-1], np.uint8)
        covered, shared = np.zeros(mask.shape, np.bool_), np.zeros(mask.shape, np.bool_)
        for label, region in regions:
            shared |= covered & region
            covered |= region
            mask[region] = label
        return mask, _about_overlaps(int(shared.sum()), len(parts))

    def _region(self, part: _Part, size: tuple[int, int]) -> NDArray[np.bool_]:
        try:
            data = self.files.read(part.path)
            return _foreground(part, data, size, self.turns.get(part.path, 1))
        except BadDataError as error:
            raise BadDataError(
                "its mask {file} cannot be used: {reason}",
                file=part.path,
                reason=as_message(error.message),
            ) from error


def _about_overlaps(pixels: int, masks: int) -> list[Remark]:
    if not pixels:
        return []
    reason = message(
        "{count:,} pixels are in several of its {masks} masks; the smallest one counts",
        one="one pixel is in several of its {masks} masks; the smallest one counts",
        count=pixels,
        masks=masks,
    )
    return [Remark(reason)]


def merged_masks(
    paired: MaskPairs, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
) -> MergedMasks:
    """Return the masks of pictures that have several.

    Masks that name no class are objects of one class.

    Args:
        paired: Masks of each picture.
        files: The pictures and masks.
        options: Names of the classes and coding of the masks.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A mask has more than two values, or it is unclear what the masks show.
        Cancelled: Through `progress`.
    """
    names, label_of = _classes(class_words(paired.parts.values()))
    order = [picture for picture in files.images.pictures if picture in paired.parts]
    parts: dict[str, list[_Part]] = {picture: [] for picture in order}
    warnings = [*paired.warnings, _about_merging(paired, names)]
    turns: dict[str, int] = {}
    for word, label in label_of.items():
        mine = [*_masks_of(word, paired)]
        inspected = inspect_masks(mine, files, options, progress)
        table = _table_of(inspected.survey, options)
        if table is None:
            raise _unclear(inspected.survey)
        turns |= inspected.turns
        warnings += inspected.warnings
        for each in mine:
            parts[each.path].append(_Part(each.annotation, label, table))
    _refuse_alike(parts, files.labels)
    classes = renamed(names, (), options)
    return MergedMasks(
        pictures=[AnnotatedPicture(picture, picture) for picture in parts],
        names=classes.names,
        colors=classes.colors,
        warnings=warnings,
        files=files.labels,
        parts=parts,
        turns=turns,
    )


def _classes(words: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Return the names of classes, and the index of each by the word of masks in lower case."""
    if not words or words == [""]:
        return [*BINARY_NAMES], {"": 1}
    ground = next(filter(is_background, words), BINARY_NAMES[0])
    names = [ground, *(word for word in words if word != ground)]
    return names, {word.casefold(): names.index(word) for word in words}


def _masks_of(word: str, paired: MaskPairs) -> Iterator[AnnotatedPicture]:
    for picture, masks in paired.parts.items():
        for mask in masks:
            if mask.word.casefold() == word:
                yield AnnotatedPicture(picture, mask.path)


def _about_merging(paired: MaskPairs, names: Sequence[str]) -> Text:
    """Return what was done with the masks, with counts."""
    masks = [mask for each in paired.parts.values() for mask in each]
    facts: dict[str, Any] = {
        "masks": len(masks),
        "images": len(paired.parts),
        "file": masks[0].path,
        "most": max(map(len, paired.parts.values())),
    }
    counts = Counter(mask.word.casefold() for mask in masks)
    if not masks[0].word:
        return message(
            "The masks of each image were merged (masks: {masks}, images: {images}): an image has "
            "up to {most}, all of the class “{class_name}” (first: {file}).",
            class_name=names[1],
            **facts,
        )
    shown = [f"{name} ({counts[name.casefold()]})" for name in names if counts[name.casefold()]]
    return message(
        "The masks of each image were merged (masks: {masks}, images: {images}): each is of the "
        "class in its name or folder: {classes} (first: {file}).",
        classes=joined(shown[:_MAX_SHOWN], ", ") + (", …" if len(shown) > _MAX_SHOWN else ""),
        **facts,
    )


def take_whole_masks(
    paired: MaskPairs, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
) -> None:
    """Make pairs of masks that have the same word in all names and more than one class each.

    Such a word, as in "a_Simple Segmentation.tiff", names no class.

    Args:
        paired: Masks of each picture; a single one for each becomes a pair.
        files: The pictures and masks.
        options: Coding of the masks.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: Through `progress`.
    """
    words = class_words(paired.parts.values())
    if len(words) != 1 or max(map(len, paired.parts.values())) > 1:
        return
    found = [*_masks_of(words[0].casefold(), paired)]
    if _table_of(inspect_masks(found, files, options, progress).survey, options) is not None:
        return
    paired.pairs = [(each.path, each.annotation) for each in found]
    paired.parts = {}
    paired.warnings.append(
        message(
            "All masks are called “{word}”, such as {file}, and have several classes: the word "
            "is no class.",
            word=words[0],
            file=found[0].annotation,
        )
    )


def _table_of(survey: MaskSurvey, options: AnnotationOptions) -> ValueTable | None:
    """Return the values of masks of one class, whose second value is the class.

    Returns:
        None if they have more than two values, or it is unclear which of them is the class.
    """
    values = survey.colors if survey.colored else survey.numbers
    if survey.max_values <= 2 and len(survey.alpha.pixels) < 2:
        if 0 in values.pixels or len(values.pixels) == 1:
            return _NOT_ZERO
    elif not survey.colored or 0 in values.pixels:
        coding = coding_of(survey, ClassTable(), options.mask_mode, options.ignore_value)
        if len(coding.table.codes) == 2:
            return coding.table
    return None


def _unclear(survey: MaskSurvey) -> StudioError:
    values = survey.colors if survey.colored else survey.numbers
    return StudioError(
        "An image has several masks, such as {file}, but they have {values} values instead of "
        "two, so it is unclear what they show.",
        "Keep one mask for each image, or write a black-and-white mask for each object or class.",
        "source",
        file=next(iter(values.first.values())),
        values=len(values.pixels),
    )


def _refuse_alike(parts: Mapping[str, Sequence[_Part]], files: Tree) -> None:
    """Refuse masks of the same class that show the same object, as several people draw them.

    Raises:
        StudioError: Most masks of some images overlap for the most part.
    """
    several = [
        group
        for masks in parts.values()
        if len(group := [part for part in masks if part.label == masks[0].label]) > 1
    ]
    alike: list[tuple[str, str]] = []
    compared = 0
    for group in several[:: -(-len(several) // _MAX_COMPARED_IMAGES) or 1]:
        for first, second in combinations(group[:_MAX_COMPARED_MASKS], 2):
            compared += 1
            if _overlap(first, second, files) > _ALIKE:
                alike.append((first.path, second.path))
    if 2 * len(alike) > compared:
        raise StudioError(
            "{count} of {total} pairs of masks of the same image overlap for the most part, such "
            "as {first} and {second}: they may be of several people, or of several kinds.",
            "Choose the masks of one person or kind as the annotations.",
            "source",
            count=len(alike),
            total=compared,
            first=alike[0][0],
            second=alike[0][1],
        )


def _overlap(first: _Part, second: _Part, files: Tree) -> float:
    """Return the intersection over union of two masks; 0 if one cannot be read."""
    try:
        one, other = (_object(part, files) for part in (first, second))
    except BadDataError:  # importing reports it
        return 0.0
    if one.shape != other.shape:
        return 0.0
    union = np.count_nonzero(one | other)
    return float(np.count_nonzero(one & other) / union) if union else 0.0


def _object(part: _Part, files: Tree) -> NDArray[np.bool_]:
    data = files.read(part.path)
    with opened_mask(data) as image:
        size = image.size
    return _foreground(part, data, size)


def _foreground(
    part: _Part, data: bytes, size: tuple[int, int], orientation: int = 1
) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = part.table.mask(data, size, orientation) == 1
    return found
