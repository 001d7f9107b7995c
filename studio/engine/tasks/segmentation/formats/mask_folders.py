"""A folder of pictures and a folder of masks that have the same names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    Mask,
    Tree,
)
from studio.engine.tasks.segmentation.classes import known_classes
from studio.engine.tasks.segmentation.values import Look, ValueTable, inspected, value_table

MASK_WORDS = frozenset(
    {
        *("mask", "masks", "label", "labels", "annotation", "annotations", "annot", "target"),
        *("targets", "seg", "segs", "segmentation", "segmentations", "segmentationclass", "gt"),
        *("groundtruth", "labelids", "labelmap", "labelmaps"),
    }
)
"""Words in names of folders with masks, and at the end of names of masks."""
_PICTURE_WORDS = frozenset(
    {
        *("image", "images", "img", "imgs", "jpegimages", "input", "inputs", "picture"),
        *("pictures", "photo", "photos", "frame", "frames", "original", "originals"),
    }
)
_SAMPLE = 32
"""Masks that tell the coding where the classes are known."""
_AT_ONCE = 64
_Key = tuple[str, ...]


class MaskFolders(AnnotationFormat):
    """Masks are pictures whose pixels are indexes of classes, colors, or dark and bright.

    A mask has the name of its picture, which may be followed by a word such as `_mask`. Both lie
    in folders of their own, or in one. Folders of splits may be above or below them.
    """

    name = "mask_folders"
    label = "Folders of images and masks"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if some picture has a mask."""
        if not files.are_together:
            return bool(files.images.pictures and files.labels.pictures)
        return bool(_paired(files).pairs)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Pair pictures and masks, and look at masks; see `AnnotationFormat.read`."""
        paired = _paired(files)
        if not paired.pairs:
            raise StudioError(
                f"No picture in {files.images.place} has a mask in {files.labels.place}.",
                "A mask has the name of its picture, for example images/a.jpg and masks/a.png.",
                "source",
            )
        known = known_classes(files, options)
        masks = [mask for _, mask in paired.pairs]
        most = options.most
        if known.names or known.colors:
            most = min(most, _SAMPLE) if most else _SAMPLE
        looks = _looks(files.labels, _sampled(masks, most), progress)
        if not looks:
            raise StudioError(
                f"No mask of {files.labels.place} can be read, for example {masks[0]}.",
                "Masks are pictures without loss, such as PNG, with up to 255 values.",
                "source",
            )
        table, classes = value_table(looks, known, options.mask_mode, options.ignore_value)
        return _Masks(
            pictures=[AnnotatedPicture(picture, mask) for picture, mask in paired.pairs],
            names=classes.names,
            colors=classes.colors,
            problems=paired.problems,
            can_rename=table.coding != "index" or table.codes == tuple(range(len(table.codes))),
            can_recolor=table.coding != "color",
            files=files.labels,
            table=table,
        )


@dataclass(slots=True, kw_only=True)
class _Masks(Annotations):
    """Masks in files of their own; an annotation is the path of one."""

    files: Tree
    table: ValueTable

    def mask(self, annotation: str, size: tuple[int, int]) -> Mask:
        """Read a mask; see `Annotations.mask`."""
        try:
            return self.table.mask(self.files.read(annotation), size)
        except BadDataError as error:
            raise BadDataError(f"its mask {annotation} cannot be used: {error.message}") from error


@dataclass(slots=True)
class _Paired:
    pairs: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def _paired(files: AnnotatedFiles) -> _Paired:
    """Find the mask of each picture by their names."""
    pictures, masks = files.images.pictures, files.labels.pictures
    if files.are_together:
        pictures, masks = _separated(files.images.pictures)
    result = _Paired()
    left = _by_key(masks, MASK_WORDS, result.problems)
    short = {_shortened(key, MASK_WORDS | {"l"}): key for key in left}  # CamVid writes a_L.png
    names = Counter(key[-1] for key in left)
    by_name = {key[-1]: key for key in left if names[key[-1]] == 1}
    for key, picture in _by_key(pictures, _PICTURE_WORDS, result.problems).items():
        ends = (key, _shortened(key, _PICTURE_WORDS))
        keys = [found for end in ends for found in (end, short.get(end))]
        if not files.are_together:
            keys.append(by_name.get(key[-1]))
        mask = next((left.pop(each) for each in keys if each in left), None)
        if mask is None:
            result.problems.append((picture, f'it has no mask with the name "{key[-1]}"'))
        else:
            result.pairs.append((picture, mask))
    result.problems += [(mask, "it is the mask of no picture") for mask in left.values()]
    return result


def _separated(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell pictures and masks in one folder apart: by their folders, or else by their names."""
    masks = [path for path in paths if any(map(_is_of_masks, PurePosixPath(path).parts[:-1]))]
    if not masks:
        masks = [path for path in paths if _words(PurePosixPath(path).stem)[-1] in MASK_WORDS]
    others = set(masks)
    return [path for path in paths if path not in others], masks


def _is_of_masks(folder: str) -> bool:
    return not MASK_WORDS.isdisjoint((*_words(folder), _plain(folder)))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _words(name: str) -> list[str]:
    return re.split(r"[\W_]+", name.casefold())


def _by_key(
    paths: Sequence[str], words: frozenset[str], problems: list[tuple[str, str]]
) -> dict[_Key, str]:
    """Return paths by what a picture and its mask have in common; repeated ones are problems."""
    found: dict[_Key, str] = {}
    for path in paths:
        *folders, name = PurePosixPath(path).with_suffix("").parts
        places = (_without(folder, words) for folder in folders)
        key = (*(each for each in places if each), name.casefold())
        if key in found:
            problems.append((path, f"{found[key]} has the same name"))
        else:
            found[key] = path
    return found


def _without(folder: str, words: frozenset[str]) -> str:
    """Return the name of a folder without words such as "masks": "train_masks" gives "train"."""
    if _plain(folder) in words:
        return ""
    kept = [word for word in _words(folder) if word not in words]
    return "_".join(kept) if len(kept) < len(_words(folder)) else folder.casefold()


def _shortened(key: _Key, words: frozenset[str]) -> _Key:
    """Return a key without a word at its end: that of "a_mask" becomes that of "a"."""
    found = re.fullmatch(r"(.+?)[\W_]+([^\W_]+)", key[-1])
    return (*key[:-1], found[1]) if found and found[2] in words else key


def _sampled(masks: Sequence[str], most: int) -> Sequence[str]:
    return masks if not most else masks[:: max(1, -(-len(masks) // most))]


def _looks(files: Tree, masks: Sequence[str], progress: Progress) -> list[Look]:
    """Look at masks on all cores; those that cannot be used are told of when they are imported."""

    def look(path: str) -> Look | None:
        try:
            return inspected(files.read(path))
        except BadDataError:
            return None

    found: list[Look] = []
    with ThreadPoolExecutor(thread_name_prefix="masks") as pool:
        for start in range(0, len(masks), _AT_ONCE):
            progress.advance(start, len(masks), "Looking at the masks")
            progress.check()
            part = pool.map(look, masks[start : start + _AT_ONCE])
            found += [each for each in part if each is not None]
    return found
