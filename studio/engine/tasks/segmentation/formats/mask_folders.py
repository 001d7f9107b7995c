"""A folder of pictures and a folder of masks that have the same names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import known_classes, write_classes
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
    WritableFormat,
)
from studio.engine.tasks.segmentation.mask_coding import MaskCoding, coding_of
from studio.engine.tasks.segmentation.mask_groups import class_words, find_masks
from studio.engine.tasks.segmentation.mask_places import (
    folder_key,
    is_camvid,
    is_of_masks,
    is_of_pictures,
    separated,
)
from studio.engine.tasks.segmentation.merged_masks import merged_masks, take_whole_masks
from studio.engine.tasks.segmentation.name_pairs import (
    MaskPairs,
    bare_names,
    mask_names,
    stem_of,
)
from studio.engine.tasks.segmentation.numbered_objects import number_objects
from studio.engine.tasks.segmentation.picture_masks import (
    InspectedMasks,
    has_void_names,
    inspect_masks,
    mask_files,
    save_mask,
)
from studio.engine.tasks.segmentation.split_lists import with_listed_splits
from studio.engine.tasks.segmentation.trimaps import are_trimaps, coding_of_trimaps
from studio.engine.tasks.split_words import split_of

_PICTURES, _MASKS = "images", "masks"
_OTHER_FORMATS = (".json", ".xml")
_MAX_SHOWN = 3
_MOST_FOLDERS = 20
_HINT = "A mask has the same name as its image, for example images/a.jpg and masks/a.png."


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


class MaskFolders(WritableFormat):
    """Masks are pictures whose pixels are indexes of classes, colors, or dark and bright.

    A mask has the name of its picture, which may be followed by a word such as `_mask`. Both lie
    in separate folders, or in one. Folders of splits may be above or below them.
    """

    name = "mask_folders"
    label = "Folders of images and masks"
    export = "masks"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if some picture has a mask, or masks lie in a folder of their own.

        Masks whose names belong to no picture are refused with the names that they can have.
        """
        pictures, masks = separated(files)
        if not (pictures and masks):
            return False
        has_folder = not files.are_together or _has_mask_folder(masks)
        is_other = any(path.endswith(_OTHER_FORMATS) for path in files.labels.paths)
        if has_folder and not is_other:
            return True
        found = _found(files)
        return found is None or _belong_together(found)

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if folders are called as those of masks, and most pictures have one.

        Some suffice where folders are called as those of pictures, too. Folders "mask" and "face"
        may be classes.
        """
        if not files.are_together:
            return self.accepts(files)
        pictures, masks = separated(files)
        if not (_has_mask_folder(masks) or (masks and all(map(is_camvid, masks)))):
            return False
        folders = {part for path in pictures for part in path.split("/")[:-1]}
        found = _found(files)
        if found is not None and _number_objects(files, found):
            return False
        if found is None or any(map(is_of_pictures, folders)):
            return found is None or _belong_together(found)
        return 2 * (len(found.pairs) + len(found.parts)) > len(pictures)

    def numbers_objects(self, files: AnnotatedFiles) -> bool:
        """Return True if the values of masks number objects, which are no classes."""
        found = _found(files) if self.accepts(files) else None
        return found is not None and _number_objects(files, found)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Pair pictures and masks, and inspect masks; see `AnnotationFormat.read`."""
        paired = find_masks(files)
        take_whole_masks(paired, files, options, progress)
        if paired.parts:
            merged = merged_masks(paired, files, options, progress)
            merged.problems = paired.problems + unmatched(paired)
            return merged
        if not paired.pairs:
            raise unpaired(files, paired)
        pairs = [AnnotatedPicture(picture, mask) for picture, mask in paired.pairs]
        found, listed = with_listed_splits(pairs, files)
        inspected = inspect_masks(found, files, options, progress)
        masks = mask_files(found, files, inspected, _coding(found, inspected, files, options))
        masks.warnings += listed
        masks.problems = paired.problems + unmatched(paired)
        masks.warnings = [
            *paired.warnings,
            *folders_without_masks(paired),
            *_folders_like_classes(paired, masks.names),
            *masks.warnings,
        ]
        return masks


def _folders_like_classes(paired: MaskPairs, names: Sequence[str]) -> list[Text]:
    """Return a sentence if folders around images and two-level masks may be their classes."""
    keys = {folder_key(picture) for picture, _ in paired.pairs}
    words = sorted({key[-1] for key in keys if key and not split_of(key[-1])})
    are_words = all(word.replace("_", "").isalpha() for word in words)
    if len(names) != 2 or not are_words or not 2 <= len(words) <= _MOST_FOLDERS:
        return []
    return [
        message(
            "The masks have one class beside the background, and their folders {folders} may be "
            "classes. If so, write the number of the class into the masks.",
            folders=", ".join(words[:_MAX_SHOWN]),
        )
    ]


def _coding(
    pictures: Sequence[AnnotatedPicture],
    inspected: InspectedMasks,
    files: AnnotatedFiles,
    options: AnnotationOptions,
) -> MaskCoding:
    known = known_classes(files, options)
    survey = inspected.survey
    is_chosen = bool(known.names or options.ignore_value or options.mask_mode != "auto")
    if not is_chosen and are_trimaps(pictures, survey):
        return coding_of_trimaps(survey)
    has_void = has_void_names(pictures)
    return coding_of(survey, known, options.mask_mode, options.ignore_value, has_void=has_void)


def _found(files: AnnotatedFiles) -> MaskPairs | None:
    """Return the masks of pictures; None if it is unclear what they are."""
    try:
        return find_masks(files)
    except StudioError:  # reading says why
        return None


def _number_objects(files: AnnotatedFiles, found: MaskPairs) -> bool:
    """Return True if masks, or their values, are objects and no classes."""
    if found.parts:
        return class_words(found.parts.values()) == [""]
    return number_objects(files.labels, [mask for _, mask in found.pairs])


def _belong_together(found: MaskPairs) -> bool:
    """Return True if masks belong to pictures by their names, even if it is unclear how."""
    return bool(found.pairs or found.parts or _same_name(found))


def _has_mask_folder(masks: Sequence[str]) -> bool:
    return any(is_of_masks(part) for path in masks for part in PurePosixPath(path).parts[:-1])


def unmatched(paired: MaskPairs) -> list[LeftOut]:
    """Return reports about pictures without a mask, and masks without a picture."""
    problems = [
        LeftOut(picture, message('it has no mask named "{name}"', name=stem_of(picture)))
        for picture in paired.pictures
    ]
    return problems + [LeftOut(mask, "no image belongs to this mask") for mask in paired.masks]


def folders_without_masks(paired: MaskPairs) -> list[Text]:
    """Point out folders where no picture has a mask: they may be masks of another kind."""
    used = {picture.rpartition("/")[0] for picture, _ in paired.pairs}
    folders = Counter(picture.rpartition("/")[0] for picture in paired.pictures)
    return [
        message(
            "None of the {count} images in {folder} has a mask. If they are masks, choose their "
            "folder as the annotations, and the folder of the images as the source.",
            one="The image in {folder} has no mask. If it is a mask, choose its folder as the "
            "annotations, and the folder of the images as the source.",
            count=count,
            folder=folder,
        )
        for folder, count in folders.most_common(_MAX_SHOWN)
        if folder and folder not in used
    ]


def _same_name(paired: MaskPairs) -> tuple[str, list[str]] | None:
    """Return the first picture with the name of masks in other folders, and these masks."""
    masks: dict[str, list[str]] = {}
    for mask in paired.masks:
        for name in bare_names(mask):
            masks.setdefault(name, []).append(mask)
    return next(
        ((each, masks[stem_of(each)]) for each in paired.pictures if stem_of(each) in masks), None
    )


def unpaired(files: AnnotatedFiles, paired: MaskPairs) -> StudioError:
    """Return the error that no picture has a mask.

    Args:
        files: Pictures and masks.
        paired: What was found.
    """
    if not (paired.pictures and paired.masks):
        return StudioError(
            "No image in {pictures} has a mask in {masks}.",
            _HINT,
            "source",
            pictures=files.images.location,
            masks=files.labels.location,
        )
    picture = paired.pictures[0]
    if same := _same_name(paired):
        first, masks = same
        return StudioError(
            message(
                "{count} masks have the name of {picture}: {masks}. An image has one mask, in the "
                "same folders apart from “images” and “masks”.",
                count=len(masks),
                one="The mask of {picture} lies in folders of another name: {masks}. An image has "
                "one mask, in the same folders apart from “images” and “masks”.",
                picture=first,
                masks=", ".join(masks[:_MAX_SHOWN]),
            ),
            "Choose the folder of the images as the source and the folder of their masks as the "
            "annotations.",
            "source",
        )
    return StudioError(
        "No image in {pictures} has a mask in {masks}: for {picture}, masks called {names} "
        "were searched for, but there are others, such as {mask}.",
        _HINT,
        "source",
        pictures=files.images.location,
        masks=files.labels.location,
        picture=picture,
        names=mask_names(picture),
        mask=paired.masks[0],
    )
