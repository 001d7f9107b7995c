"""Pascal VOC: `JPEGImages`, `SegmentationClass`, and lists in `ImageSets/Segmentation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from studio.engine.errors import StudioError
from studio.engine.files import composed
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tables.pictures import other_case
from studio.engine.tasks.annotation_files.classes import ClassTable, known_classes
from studio.engine.tasks.annotation_files.pairs import unique
from studio.engine.tasks.annotation_files.voc import PICTURES, VocWriter, listed_splits
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    LeftOut,
    Regions,
    Tree,
    WritableFormat,
)
from studio.engine.tasks.segmentation.mask_coding import MaskCoding, coding_of
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.picture_masks import (
    MaskFiles,
    inspect_masks,
    mask_files,
    save_mask,
)
from studio.engine.tasks.segmentation.values import code_of, color_of

_MASKS = "SegmentationClass"
LISTS = "ImageSets/Segmentation"
_CLASS_LISTS = "ImageSets/Main"
_MIN_CLASS_LISTS = 2
VOC_NAMES = (
    *("background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat"),
    *("chair", "cow", "diningtable", "dog", "horse", "motorbike", "person", "pottedplant"),
    *("sheep", "sofa", "train", "tvmonitor"),
)


def voc_color(number: int) -> str:
    """Return a color of VOC's palette: bits of a number distributed over red, green and blue."""
    parts = [0, 0, 0]
    for shift in range(8):
        for channel in range(3):
            parts[channel] |= (number >> (3 * shift + channel) & 1) << (7 - shift)
    return "#" + "".join(f"{part:02x}" for part in parts)


_COLORS = tuple(map(voc_color, range(len(VOC_NAMES))))
_BORDER = code_of("#e0e0c0")
"""Color of the borders of objects, which belong to no class."""


class _Writer(VocWriter):
    """Writes the folders of VOC, and the classes as CVAT does."""

    lists = LISTS

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Write a mask with the palette of the classes."""
        name = self.list_picture(picture, split)
        save_mask(regions, self.folder / _MASKS / f"{name}.png", self.colors)


class VocMasks(WritableFormat):
    """Only pictures that are in a list or have a mask are taken; the others have boxes alone.

    Classes have the names of VOC if the masks have its palette, its borders, and classes that are
    not simply numbered; unless a `labelmap.txt`, as CVAT writes it, or options name others.
    """

    name = "voc_masks"
    label = "Pascal VOC folder with SegmentationClass"
    export = "voc"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there is a folder with masks of that name."""
        return bool(in_folder(files.labels, _MASKS))

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> MaskFiles:
        """Find the pictures with masks; see `AnnotationFormat.read`."""
        masks, pictures = in_folder(files.labels, _MASKS), in_folder(files.images, PICTURES)
        if not files.are_together and not pictures:
            pictures = {composed(PurePosixPath(path).stem): path for path in files.images.pictures}
        found: list[AnnotatedPicture] = []
        problems: list[LeftOut] = []
        warnings: list[Text] = []

        pictures = _in_case_of(masks, pictures, warnings)
        names = {each.casefold(): each for each in (*pictures, *masks)}

        def is_known(name: str) -> bool:
            return name.casefold() in names

        listed = listed_splits(files.labels, LISTS, is_known, problems, warnings)
        known_names = masks.keys() | pictures.keys()
        splits = {
            name if name in known_names else names.get(name.casefold(), name): split
            for name, split in listed.items()
        }
        for key in dict.fromkeys((*masks, *splits)):
            picture, mask = pictures.get(key), masks.get(key)
            if picture is not None and mask is not None:
                found.append(AnnotatedPicture(picture, mask, splits.get(key)))
            elif picture is not None:
                reason = message('it has no mask named "{name}"', name=key)
                problems.append(LeftOut(picture, reason))
            elif mask is not None:
                problems.append(LeftOut(mask, "no image belongs to this mask"))
            else:
                problems.append(LeftOut(key, "it is in a list, but the image does not exist"))
        if not found:
            raise StudioError(
                "No image in {pictures} has a mask in {masks}.",
                message(
                    "Put the images in {pictures} and masks with the same names in {masks}.",
                    pictures=PICTURES,
                    masks=_MASKS,
                ),
                "source",
                pictures=files.images.location,
                masks=files.labels.location,
            )
        known = known_classes(files, options)
        inspected = inspect_masks(found, files, options, progress)
        survey = inspected.survey
        coding = coding_of(survey, known, options.mask_mode, options.ignore_value)
        if not options.ignore_value:
            _ignore_borders(coding, survey)
        if not (known.names or known.colors):
            _name_classes(coding, survey, has_lists=_has_class_lists(files.labels))
        result = mask_files(found, files, inspected, coding)
        result.problems = problems
        result.warnings += warnings
        return result


def in_folder(files: Tree, folder: str) -> dict[str, str]:
    """Return the pictures in folders of a name by what is above the folder and their names.

    Args:
        files: The files.
        folder: Name of the folders.
    """
    found = {}
    for path in files.pictures:
        place = PurePosixPath(path)
        if place.parent.name == folder:
            found[composed(str(place.parent.parent / place.stem))] = path
    return found


def _in_case_of(
    masks: Mapping[str, str], pictures: dict[str, str], warnings: list[Text]
) -> dict[str, str]:
    """Return the pictures by the names of masks that differ from theirs in capital letters alone.

    Args:
        masks: Masks by their names.
        pictures: Pictures by their names.
        warnings: Receives a sentence about such names.
    """
    alone = [name for name in pictures if name not in masks]
    folded = unique((name.casefold(), name) for name in alone)
    renamed = {
        folded[name.casefold()]: name
        for name in masks
        if name not in pictures and name.casefold() in folded
    }
    if renamed:
        first, name = next(iter(renamed.items()))
        warnings.append(other_case(len(renamed), masks[name], pictures[first]))
    return {renamed.get(name, name): path for name, path in pictures.items()}


def _ignore_borders(coding: MaskCoding, survey: MaskSurvey) -> None:
    """Let pixels in the color of borders belong to no class."""
    table, classes = coding.table, coding.classes
    if table.coding != "color" or _BORDER not in {*table.codes} | survey.colors.pixels.keys():
        return
    kept = [place for place, code in enumerate(table.codes) if code != _BORDER]
    codes = tuple(table.codes[place] for place in kept)
    coding.table = replace(table, codes=codes, ignored=_BORDER)
    coding.classes = ClassTable(
        tuple(classes.names[place] for place in kept),
        tuple(classes.colors[place] for place in kept),
    )
    coding.warnings.append(
        message(
            "{pixels:,} pixels ({share:.1%}) in the color of the borders of Pascal VOC, {color}, "
            "count as no class.",
            pixels=survey.colors.pixels[_BORDER],
            share=survey.colors.pixels[_BORDER] / survey.colors.total,
            color=color_of(_BORDER),
        )
    )


def _name_classes(coding: MaskCoding, survey: MaskSurvey, *, has_lists: bool) -> None:
    """Give the classes the names of VOC if the masks are those of VOC.

    Other datasets use the palette of VOC too, so that it says nothing about the names.
    """
    table = coding.table
    is_index = table.coding == "index"
    if table.coding == "binary" or table.is_alpha or (is_index and not survey.with_palette):
        return
    colors = [color_of(survey.palette[code] if is_index else code) for code in table.codes]
    numbers = [_COLORS.index(color) for color in colors if color in _COLORS]
    has_palette = len(numbers) == len(colors) and numbers != [0]
    if not has_palette or (is_index and numbers != [*table.codes]):
        return
    has_borders = survey.void_colors == {_BORDER} if is_index else table.ignored == _BORDER
    if not has_borders or not (has_lists or _are_spread(numbers)):
        coding.warnings.append(
            message(
                "The masks have the palette of Pascal VOC, but not its classes: {count} classes "
                "are named by their values. Name them if they have other names.",
                count=len(numbers),
            )
        )
        return
    codes = tuple(range(len(_COLORS))) if is_index else tuple(map(code_of, _COLORS))
    coding.table = replace(table, codes=codes)
    coding.classes = ClassTable(VOC_NAMES, _COLORS)
    coding.warnings.append(
        message(
            "The masks have the palette and the borders of Pascal VOC, so the classes have the "
            "names of its {count} classes. Name them if they have other names.",
            count=len(VOC_NAMES),
        )
    )


def _are_spread(numbers: Sequence[int]) -> bool:
    """Return True if classes are not simply numbered from 1, or are all of VOC."""
    objects = sorted({*numbers} - {0})
    return objects != [*range(1, len(objects) + 1)] or len(objects) == len(VOC_NAMES) - 1


def _has_class_lists(files: Tree) -> bool:
    """Return True if there are lists of images by class, such as `aeroplane_train.txt`."""
    stems = {PurePosixPath(path).stem for path in files.paths if f"/{_CLASS_LISTS}/" in f"/{path}"}
    return len({stem.rpartition("_")[0] for stem in stems} & {*VOC_NAMES}) >= _MIN_CLASS_LISTS
