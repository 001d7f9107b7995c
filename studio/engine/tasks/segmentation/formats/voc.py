"""Pascal VOC: `JPEGImages`, `SegmentationClass`, and lists in `ImageSets/Segmentation`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from studio.engine.errors import StudioError
from studio.engine.files import composed
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import known_classes
from studio.engine.tasks.annotation_files.voc import PICTURES, VocWriter, listed_splits
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Tree,
)
from studio.engine.tasks.segmentation.picture_masks import (
    MaskFiles,
    mask_files,
    save_mask,
)
from studio.engine.tasks.segmentation.values import code_of

_MASKS = "SegmentationClass"
_LISTS = "ImageSets/Segmentation"
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

    lists = _LISTS

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


class VocMasks(AnnotationFormat):
    """Only pictures that are in a list or have a mask are taken; the others have boxes alone.

    In the palette of VOC, classes have the names of VOC, unless a `labelmap.txt`, as CVAT writes
    it, or options tell others.
    """

    name = "voc_masks"
    label = "Pascal VOC folder with SegmentationClass"
    export = "voc"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there is a folder with masks of that name."""
        return bool(_in_folder(files.labels, _MASKS))

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Find the pictures with masks; see `AnnotationFormat.read`."""
        masks, pictures = _in_folder(files.labels, _MASKS), _in_folder(files.images, PICTURES)
        if not files.are_together and not pictures:
            pictures = {composed(PurePosixPath(path).stem): path for path in files.images.pictures}
        found: list[AnnotatedPicture] = []
        problems: list[LeftOut] = []
        warnings: list[Text] = []

        def is_known(name: str) -> bool:
            return name in masks or name in pictures

        splits = listed_splits(files.labels, _LISTS, is_known, problems, warnings)
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
                message(
                    "No image in {pictures} has a mask in {masks}.",
                    pictures=files.images.location,
                    masks=files.labels.location,
                ),
                message(
                    "Put the images in {pictures} and masks with the same names in {masks}.",
                    pictures=PICTURES,
                    masks=_MASKS,
                ),
                "source",
            )
        known = known_classes(files, options)
        result = mask_files(found, files.labels, known, options, progress)
        result.problems = problems
        result.warnings += warnings
        result = result if options.ignore_value else _without_borders(result)
        return result if known.names or known.colors else _named(result)


def _in_folder(files: Tree, folder: str) -> dict[str, str]:
    """Return the pictures in folders of a name by what is above the folder and their names."""
    found = {}
    for path in files.pictures:
        place = PurePosixPath(path)
        if place.parent.name == folder:
            found[composed(str(place.parent.parent / place.stem))] = path
    return found


def _without_borders(masks: MaskFiles) -> MaskFiles:
    """Let pixels in the color of borders belong to no class."""
    if masks.table.coding != "color":
        return masks
    kept = [place for place, code in enumerate(masks.table.codes) if code != _BORDER]
    return replace(
        masks,
        names=tuple(masks.names[place] for place in kept),
        colors=tuple(masks.colors[place] for place in kept),
        table=replace(
            masks.table,
            codes=tuple(masks.table.codes[place] for place in kept),
            ignored=_BORDER,
        ),
    )


def _named(masks: MaskFiles) -> MaskFiles:
    """Give the classes the names of VOC if their colors, and numbers, are those of VOC."""
    numbers = [_COLORS.index(color) for color in masks.colors if color in _COLORS]
    is_index = masks.table.coding == "index"
    if len(numbers) < len(masks.names) or (is_index and numbers != [*masks.table.codes]):
        return masks
    codes = tuple(range(len(_COLORS))) if is_index else tuple(map(code_of, _COLORS))
    return replace(
        masks,
        names=VOC_NAMES,
        colors=_COLORS,
        can_rename=True,
        table=replace(masks.table, codes=codes),
    )
