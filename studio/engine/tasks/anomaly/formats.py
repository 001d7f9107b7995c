"""Folders of good images and of kinds of defects, as MVTec AD has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.picture_files import opened_picture
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks.annotations import (
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
    WritableFormat,
    require_size,
)
from studio.engine.tasks.anomaly.geometry import GEOMETRY
from studio.engine.tasks.anomaly.task import DEFECT, GOOD
from studio.engine.tasks.split_words import split_of

_GOOD_NAMES: Final = frozenset({"good", "normal", "ok", "pass", "nominal"})
_MASK_NAMES: Final = frozenset({"ground_truth", "masks", "mask", "ground truth"})
_MASK_ENDINGS: Final = ("", "_mask", "_gt")
_TEST_EVERY: Final = 5
"""Where folders name no splits, one of this number of good images is for the test."""
_FEWEST_TO_SPLIT: Final = 10


@dataclass(frozen=True, slots=True)
class _Found:
    """An image.

    Attributes:
        path: Its path.
        folder: Name of the folder of its kind; empty where there is none.
        split: Split that a folder names; empty for none.
    """

    path: str
    folder: str
    split: str

    @property
    def is_good(self) -> bool:
        """True if its folder says that it has no defect."""
        return self.folder.casefold() in _GOOD_NAMES


@dataclass(slots=True, kw_only=True)
class DefectMasks(MaskAnnotations):
    """Masks of defects; an annotation is the number of the kind, and the path of its mask.

    Attributes:
        files: The masks.
    """

    files: Tree
    can_rename: bool = field(default=False)

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Return the mask of an image, all of it where a defect has no mask.

        Args:
            annotation: Number and path, see above.
            size: Width and height of the image in pixels.

        Raises:
            BadDataError: The mask cannot be read, or has another size.
        """
        number, _, path = annotation.partition(":")
        kind = int(number)
        if not path:
            return np.full(size[::-1], kind, np.uint8), []
        try:
            with opened_picture(BytesIO(self.files.read(path))) as image:
                require_size(image.size, size)
                marked = np.asarray(image.convert("L")) > 0
        except BadDataError as error:
            raise BadDataError(
                "its mask {file} cannot be used: {reason}",
                file=path,
                reason=as_message(error.message),
            ) from error
        if not marked.any():
            raise BadDataError("its mask {file} marks no defect", file=path)
        return (marked * np.uint8(kind)).astype(np.uint8), []


class AnomalyFolders(AnnotationFormat):
    """Folders `train/good`, `test/good`, `test/<kind>` and masks in `ground_truth/<kind>`.

    A folder of good images alone is read as well, and folders of kinds beside one called `good`.
    """

    name = "anomaly_folders"
    label = "Folders of good images and kinds of defects"
    split_origin = "folders"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True for any images: where no folder says otherwise, all are good."""
        return bool(_pictures(files.images))

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if folders tell good images from defects in a way of this task alone.

        All training images are good and test images have kinds of defects, or some kinds beside
        good images have masks in a folder of their name.
        """
        found = _pictures(files.images)
        folders = {each.folder for each in found if each.folder and not each.is_good}
        if any(each.is_good for each in found) and any(
            kind in folders for kind, _ in _masks(files.labels)
        ):
            return True
        training = [each for each in found if each.split == "train"]
        test = [each for each in found if each.split == "test"]
        kinds = {each.folder for each in test if each.folder and not each.is_good}
        return bool(training and kinds) and all(each.is_good for each in training)

    def read(
        self,
        files: AnnotatedFiles,
        options: AnnotationOptions,  # noqa: ARG002 - folders name the kinds
        progress: Progress,  # noqa: ARG002 - nothing is opened
    ) -> Annotations:
        """Find the images, their kinds and masks; see `AnnotationFormat.read`."""
        found = _pictures(files.images)
        found = _named_good(found, files.images.location)
        kinds = sorted({each.folder for each in found if not each.is_good})
        names = (GOOD, *(kinds or (DEFECT,)))
        masks = _masks(files.labels)
        found, notes = _with_test(found)
        pictures, used = [], set()
        for each in found:
            number = 0 if each.is_good else names.index(each.folder)
            mask = "" if each.is_good else masks.get(_key(each.folder, each.path), "")
            used.add(mask)
            annotation = f"{number}:{mask}" if number else "0:"
            pictures.append(AnnotatedPicture(each.path, annotation, each.split or None))
        return DefectMasks(
            pictures=pictures,
            names=names,
            colors=GEOMETRY.colors(names),
            problems=[
                LeftOut(mask, "no image belongs to this mask")
                for mask in masks.values()
                if mask not in used
            ],
            warnings=[*notes, *_without_masks(pictures)],
            files=files.labels,
        )


def _pictures(tree: Tree) -> list[_Found]:
    """Return the images, without masks."""
    found = []
    for path in tree.pictures:
        folders = PurePosixPath(path).parts[:-1]
        if not any(each.casefold() in _MASK_NAMES for each in folders):
            split = next(filter(None, map(split_of, folders)), "")
            last = folders[-1] if folders and not split_of(folders[-1]) else ""
            found.append(_Found(path, last, split or ""))
    return found


def _named_good(found: Sequence[_Found], location: str) -> list[_Found]:
    """Return the images with one name for good ones; those of a lone folder are good.

    Raises:
        StudioError: There are several folders, and none is called as one of good images.
    """
    folders = list(dict.fromkeys(each.folder for each in found))
    if any(each.is_good for each in found):
        return [replace(each, folder=each.folder or GOOD) for each in found]
    if len(folders) > 1:
        raise StudioError(
            "No folder in {location} is called “good”; there are {folders}.",
            "Call the folder of the images without defects “good”.",
            "source",
            location=location,
            folders=", ".join(folders[:8]),
        )
    return [replace(each, folder=GOOD) for each in found]


def _with_test(found: list[_Found]) -> tuple[list[_Found], list[Text]]:
    """Keep defects, and some good images, for the test where no folder names splits."""
    good = [each for each in found if each.is_good]
    if len(good) == len(found) or any(each.split for each in found):
        return found, []
    chosen = set(good[::_TEST_EVERY]) if len(good) >= _FEWEST_TO_SPLIT else set()
    kept = [
        replace(each, split="test") if not each.is_good or each in chosen else each
        for each in found
    ]
    return kept, [
        message(
            "All {defects} images with defects and {good} good images are for the test: "
            "training needs good images only.",
            defects=len(found) - len(good),
            good=len(chosen),
        )
    ]


def _masks(tree: Tree) -> dict[tuple[str, str], str]:
    """Return the masks by kind and name of their image."""
    found = {}
    for path in tree.pictures:
        folders = PurePosixPath(path).parts[:-1]
        if folders and any(each.casefold() in _MASK_NAMES for each in folders):
            found[_key(folders[-1], path)] = path
    return found


def _key(folder: str, path: str) -> tuple[str, str]:
    stem = PurePosixPath(path).stem
    bare = next(stem.removesuffix(each) for each in _MASK_ENDINGS[::-1] if stem.endswith(each))
    return folder, bare


def _without_masks(pictures: Sequence[AnnotatedPicture]) -> list[Text]:
    """Say how many defects have no mask, if some have one."""
    masked = Counter(
        not each.annotation.endswith(":") for each in pictures if each.annotation != "0:"
    )
    if not masked[True] or not masked[False]:
        return []
    return [
        message(
            "{count} images with defects have no mask; they count in metrics of images only.",
            count=masked[False],
        )
    ]


FORMATS: Registry[AnnotationFormat] = Registry("annotation format", [AnomalyFolders()])
WRITABLE: Registry[WritableFormat] = Registry("annotation format", [])
