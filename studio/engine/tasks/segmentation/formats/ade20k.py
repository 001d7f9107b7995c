"""ADE20K as it is published in full: a mask `a_seg.png` beside `a.jpg`, with a class per color."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.json_files import objects, parsed
from studio.engine.tasks.annotation_files.values import name_in
from studio.engine.tasks.annotations import (
    IGNORE,
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Mask,
    MaskAnnotations,
    Remark,
    Tree,
    require_size,
)
from studio.engine.tasks.segmentation.mask_statistics import colors_in, opened_mask
from studio.engine.tasks.segmentation.values import distinct

_MASK: Final = "_seg"
_PART = re.compile(r"(.+)_parts_\d+")
_NAME = re.compile(r"ADE_(train|val|frame)_\d+", re.IGNORECASE)
_VOID: Final = 0


class Ade20kMasks(AnnotationFormat):
    """The class of a pixel is red / 10 * 256 + green; blue tells the objects apart.

    Names of the classes are in the JSON file of each picture, where there is one. Masks of parts
    and of single objects are not read.
    """

    name = "ade20k"
    label = "ADE20K folders with _seg.png"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there are masks with these names beside pictures of ADE20K."""
        stems = {_stem(path) for path in files.labels.pictures}
        mine = [stem.removesuffix(_MASK) for stem in stems if stem.endswith(_MASK)]
        parts = {found[1] for stem in stems if (found := _PART.fullmatch(stem))}
        return any(stem in parts or _NAME.fullmatch(PurePosixPath(stem).name) for stem in mine)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Find the pictures and their masks; see `AnnotationFormat.read`."""
        found, problems, warnings = _paired(files)
        if not found:
            raise StudioError(
                "No image in {pictures} has a mask in {masks}.",
                "An image a.jpg of ADE20K has the mask a_seg.png beside it.",
                "source",
                pictures=files.images.location,
                masks=files.labels.location,
            )
        counts = _counted(found, files.labels, options.most, progress)
        numbers = tuple(sorted(counts.keys() - {_VOID}))
        _require_few(numbers, files.labels.location)
        names = _names(found, files.labels, {*numbers}, progress)
        classes = renamed([names.get(each, str(each)) for each in numbers], (), options)
        if counts[_VOID]:
            warnings.append(
                message(
                    "{pixels:,} pixels ({share:.1%}) with class 0 of ADE20K count as no class.",
                    pixels=counts[_VOID],
                    share=counts[_VOID] / counts.total(),
                )
            )
        return _Masks(
            pictures=found,
            names=classes.names,
            colors=classes.colors,
            problems=problems,
            warnings=warnings,
            files=files.labels,
            numbers=numbers,
        )


@dataclass(slots=True, kw_only=True)
class _Masks(MaskAnnotations):
    """An annotation is the path of a mask.

    Attributes:
        files: The masks.
        numbers: Number of each class, ascending.
    """

    files: Tree
    numbers: tuple[int, ...]

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Read a mask; see `MaskAnnotations.mask`."""
        pixels = _numbers_in(self.files.read(annotation))
        require_size((pixels.shape[1], pixels.shape[0]), size)
        values, groups = distinct(pixels)
        labels = np.full(len(values), IGNORE, np.uint8)
        for index, value in enumerate(values.tolist()):
            if value in self.numbers:
                labels[index] = self.numbers.index(value)
            elif value != _VOID:
                raise BadDataError(
                    "the value {value} belongs to no class of its mask", value=value
                )
        return labels[groups], []


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


def _paired(
    files: AnnotatedFiles,
) -> tuple[list[AnnotatedPicture], list[LeftOut], list[Text]]:
    """Return the pictures with their masks, what has no partner, and what is not read."""
    masks = {
        _stem(path).removesuffix(_MASK): path
        for path in files.labels.pictures
        if _stem(path).endswith(_MASK)
    }
    found: list[AnnotatedPicture] = []
    problems: list[LeftOut] = []
    unread: list[str] = []
    for path in files.images.pictures:
        stem = _stem(path)
        if stem.endswith(_MASK) or path in masks.values():
            continue
        if mask := masks.pop(stem, ""):
            found.append(AnnotatedPicture(path, mask))
        elif _PART.fullmatch(stem) or _is_instance(path):
            unread.append(path)
        else:
            problems.append(LeftOut(path, "it has no mask"))
    problems += [LeftOut(path, "no image belongs to this mask") for path in masks.values()]
    return found, problems, [_about_unread(unread)] if unread else []


def _is_instance(path: str) -> bool:
    """Return True for the mask of one object, which lies in a folder called like the picture."""
    return _NAME.fullmatch(PurePosixPath(path).parent.name) is not None


def _about_unread(paths: Sequence[str]) -> Text:
    return message(
        "{count} masks of parts and of single objects are not read, such as {first}; the classes "
        "are in the files called _seg.png.",
        one="The mask {first} of parts or of a single object is not read; the classes are in the "
        "files called _seg.png.",
        count=len(paths),
        first=paths[0],
    )


def _numbers_in(data: bytes) -> NDArray[np.uint16]:
    """Return the number of the class of each pixel of a mask, shape (height, width).

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    with opened_mask(data) as image:
        colors = colors_in(image)
    return ((colors >> 16) // 10 * 256 + (colors >> 8 & 0xFF)).astype(np.uint16)


def _counted(
    pictures: Sequence[AnnotatedPicture], files: Tree, most: int, progress: Progress
) -> Counter[int]:
    """Return the number of pixels of each class; masks that cannot be read count as none.

    Args:
        pictures: The pictures and their masks.
        files: The masks.
        most: Number of masks to read at most; 0 for all.
        progress: Receives the progress and may cancel.
    """
    step = max(1, -(-len(pictures) // most)) if most else 1
    counts: Counter[int] = Counter()
    for number, each in enumerate(pictures[::step]):
        progress.check()
        progress.advance(number * step, len(pictures), "Inspecting the masks")
        try:
            values, pixels = np.unique(
                _numbers_in(files.read(each.annotation)), return_counts=True
            )
        except BadDataError:  # reported when it is imported
            continue
        counts.update(dict(zip(values.tolist(), pixels.tolist(), strict=True)))
    return counts


def _require_few(numbers: Sequence[int], location: str) -> None:
    """Refuse no classes, and more than a dataset can have.

    Raises:
        StudioError: There are such.
    """
    if 0 < len(numbers) <= MAX_CLASSES:
        return
    raise StudioError(
        "The masks of ADE20K in {folder} have {count} classes; from 1 to {limit} are possible.",
        "Import a part of the scenes, or the release of ADE20K with 150 classes, "
        "ADEChallengeData2016.",
        "source",
        folder=location,
        count=len(numbers),
        limit=MAX_CLASSES,
    )


def _names(
    pictures: Sequence[AnnotatedPicture], files: Tree, numbers: set[int], progress: Progress
) -> dict[int, str]:
    """Return the names of classes by their numbers, from the JSON files beside the masks.

    Names of two numbers are followed by the number.
    """
    found: dict[int, str] = {}
    for each in pictures:
        if found.keys() >= numbers:
            break
        progress.check()
        path = f"{_stem(each.annotation).removesuffix(_MASK)}.json"
        if path in files:
            found |= {number: name for number, name in _named(files, path) if number not in found}
    times = Counter(found.values())
    return {
        number: name if times[name] == 1 else f"{name} {number}" for number, name in found.items()
    }


def _named(files: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Yield numbers and names of the classes that a JSON file of a picture has."""
    try:
        document = parsed(files.read(path)).get("annotation")
    except BadDataError:
        return
    entries = document.get("object") if isinstance(document, dict) else None
    for entry in objects(entries):
        number, name = entry.get("name_ndx"), name_in(entry.get("name"))
        if type(number) is int and name:
            yield number, name
