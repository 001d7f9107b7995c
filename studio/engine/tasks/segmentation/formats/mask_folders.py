"""A folder of pictures and a folder of masks that have the same names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from studio.engine.errors import StudioError
from studio.engine.files import composed
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import known_classes, write_classes
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
)
from studio.engine.tasks.segmentation.picture_masks import mask_files, save_mask

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
_PICTURES, _MASKS = "images", "masks"
_Key = tuple[str, ...]


class _Writer(AnnotationWriter):
    """Writes masks of class indexes with a palette, and the classes with their colors."""

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
        """Write a mask at the same path in the folder of masks."""
        path = PurePosixPath(picture).relative_to(_PICTURES)
        save_mask(regions, self.folder / _MASKS / path, self.colors)

    def finish(self) -> None:
        """Write a line with the color and the name of each class."""
        write_classes(self.folder, self.names, self.colors)


class MaskFolders(AnnotationFormat):
    """Masks are pictures whose pixels are indexes of classes, colors, or dark and bright.

    A mask has the name of its picture, which may be followed by a word such as `_mask`. Both lie
    in separate folders, or in one. Folders of splits may be above or below them.
    """

    name = "mask_folders"
    label = "Folders of images and masks"
    export = "masks"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if some picture has a mask."""
        if not files.are_together:
            return bool(files.images.pictures and files.labels.pictures)
        return bool(_paired(files).pairs)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if folders for pictures and for masks are called so, and belong together.

        Folders "mask" and "face" may be classes.
        """
        if not files.are_together:
            return self.accepts(files)
        folders = {part for path in files.images.pictures for part in path.split("/")[:-1]}
        has_pictures = any(not _PICTURE_WORDS.isdisjoint(_words(each)) for each in folders)
        return has_pictures and any(map(_is_of_masks, folders)) and self.accepts(files)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Pair pictures and masks, and inspect masks; see `AnnotationFormat.read`."""
        paired = _paired(files)
        if not paired.pairs:
            raise StudioError(
                message(
                    "No image in {pictures} has a mask in {masks}.",
                    pictures=files.images.location,
                    masks=files.labels.location,
                ),
                "A mask has the same name as its image, for example images/a.jpg and masks/a.png.",
                "source",
            )
        found = [AnnotatedPicture(picture, mask) for picture, mask in paired.pairs]
        known = known_classes(files, options)
        masks = mask_files(found, files.labels, known, options, progress)
        masks.problems = paired.problems
        return masks


@dataclass(slots=True)
class _Paired:
    pairs: list[tuple[str, str]] = field(default_factory=list)
    problems: list[LeftOut] = field(default_factory=list)


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
            reason = message('it has no mask named "{name}"', name=key[-1])
            result.problems.append(LeftOut(picture, reason))
        else:
            result.pairs.append((picture, mask))
    result.problems += [LeftOut(mask, "no image belongs to this mask") for mask in left.values()]
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
    paths: Sequence[str], words: frozenset[str], problems: list[LeftOut]
) -> dict[_Key, str]:
    """Return paths by what a picture and its mask have in common; repeated ones are problems."""
    found: dict[_Key, str] = {}
    for path in paths:
        *folders, name = PurePosixPath(composed(path)).with_suffix("").parts
        shortened = (_without(folder, words) for folder in folders)
        key = (*(each for each in shortened if each), name.casefold())
        if key in found:
            problems.append(
                LeftOut(path, message("it has the same name as {file}", file=found[key]))
            )
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
    """Return a key without the word at its end: that of "a_mask" becomes that of "a"."""
    found = re.fullmatch(r"(.+?)[\W_]+([^\W_]+)", key[-1])
    return (*key[:-1], found[1]) if found and found[2] in words else key
