"""Pascal VOC: numbers of objects in `SegmentationObject`, classes in `SegmentationClass`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.voc import VocWriter
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    Instances,
    LeftOut,
    Mask,
    Regions,
    Remark,
    Tree,
    WritableFormat,
    default_colors,
    is_background,
)
from studio.engine.tasks.instance_labels import class_of, compacted, values_of
from studio.engine.tasks.instances.found_objects import InstanceAnnotations
from studio.engine.tasks.instances.label_files import Numbers, label_values, read_labels
from studio.engine.tasks.segmentation.formats.voc import LISTS, VocMasks, in_folder, voc_color
from studio.engine.tasks.segmentation.picture_masks import save_mask

_OBJECTS: Final = "SegmentationObject"
_CLASSES: Final = "SegmentationClass"
_GROUND: Final = "background"
_VOID: Final = frozenset({IGNORE, 0xE0E0C0})
"""Number of the borders of objects, and their color where files are colored."""
_MAX_OBJECTS: Final = IGNORE - 1
_PALETTE: Final = tuple(map(voc_color, range(IGNORE)))


class _Writer(VocWriter):
    """Writes the folders of VOC; its files of 8 bits hold at most 254 objects."""

    lists = LISTS

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        own = default_colors(names, colors)
        super().__init__(folder, (_GROUND, *names), ("#000000", *own))

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Write the numbers and the classes of the objects of a picture.

        Raises:
            StudioError: It has too many objects.
        """
        numbers, values = compacted(regions)
        if len(values) > _MAX_OBJECTS:
            raise StudioError(
                "{image} has {count:,} objects; files of Pascal VOC hold at most {limit}.",
                "Export label images or COCO.",
                "format",
                image=picture,
                count=len(values),
                limit=_MAX_OBJECTS,
            )
        name = self.list_picture(picture, split)
        numbers[regions < 0] = IGNORE
        classes = np.where(regions > 0, class_of(regions) + 1, 0)
        classes[regions < 0] = IGNORE
        for folder, pixels, colors in (
            (_OBJECTS, numbers, _PALETTE),
            (_CLASSES, classes, self.colors),
        ):
            save_mask(pixels.astype(np.uint8), self.folder / folder / f"{name}.png", colors)


@dataclass(slots=True, kw_only=True)
class VocObjects(InstanceAnnotations):
    """An annotation is the path of a mask with classes.

    Attributes:
        classes: Masks with the classes; the first one is the background.
        files: The files with the numbers of objects.
        objects_of: That of each annotation.
        turns: EXIF orientations of pictures whose masks are as the pictures are stored.
    """

    classes: Annotations
    files: Tree
    objects_of: Mapping[str, str]
    turns: Mapping[str, int]

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Join numbers and classes; see `Annotations.regions`."""
        mask, _ = self.classes.regions(annotation, size)
        file = self.objects_of[annotation]
        try:
            turn = self.turns.get(annotation, 1)
            numbers = read_labels(self.files.read(file), size, turn)
        except BadDataError as error:
            raise BadDataError(
                "its label image {file} cannot be used: {reason}",
                file=file,
                reason=as_message(error.message),
            ) from error
        return _joined(numbers, mask)

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        try:
            values = label_values(self.files.read(self.objects_of[annotation]))
        except BadDataError:
            return 0
        return int((~np.isin(values, list(_VOID))).sum())


def _joined(numbers: Numbers, mask: Mask) -> tuple[Instances, list[Remark]]:
    """Return the label image of numbers and classes, and what is left out.

    Args:
        numbers: Number of the object of each pixel.
        mask: Class of each pixel, 0 for the background.
    """
    values, places = np.unique(numbers, return_inverse=True)
    places = places.reshape(numbers.shape)
    votes = np.bincount((places * (IGNORE + 1) + mask).ravel(), minlength=len(values) << 8)
    votes = votes.reshape(len(values), IGNORE + 1)[:, 1:IGNORE]
    is_object = (values != 0) & ~np.isin(values, list(_VOID))
    is_known = is_object & (votes.sum(axis=1) > 0)
    order = np.where(values == 0, 0, np.where(is_known, np.cumsum(is_known), -1))
    found = values_of(order, votes.argmax(axis=1))[places]
    remarks = []
    if lost := int((is_object & ~is_known).sum()):
        reason = message(
            "left out {count} objects without a class in {folder}; their pixels count nowhere",
            one="left out an object without a class in {folder}; its pixels count nowhere",
            count=lost,
            folder=_CLASSES,
        )
        remarks.append(Remark(reason, lost))
    if mixed := int((is_known & ((votes > 0).sum(axis=1) > 1)).sum()):
        reason = message(
            "{count} objects have pixels of several classes; the most frequent one counts",
            one="an object has pixels of several classes; the most frequent one counts",
            count=mixed,
        )
        remarks.append(Remark(reason))
    if alone := int(((numbers == 0) & (mask > 0) & (mask != IGNORE)).sum()):
        reason = message(
            "{count:,} pixels of a class belong to no object; they are background",
            one="one pixel of a class belongs to no object; it is background",
            count=alone,
        )
        remarks.append(Remark(reason))
    return found, remarks


class VocInstances(WritableFormat):
    """Masks with classes are read as for segmentation; each object has the class of its pixels."""

    name = "voc_instances"
    label = "Pascal VOC folder with SegmentationObject"
    export = "voc"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there is a folder with numbers of objects."""
        return bool(in_folder(files.labels, _OBJECTS))

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Find the pictures with both files; see `AnnotationFormat.read`."""
        if not in_folder(files.labels, _CLASSES):
            raise StudioError(
                "{folder} has {objects}, but not {classes}: the classes of the objects are "
                "missing.",
                "Choose the folder of the images as the source and SegmentationObject as the "
                "annotations to read objects of one class.",
                "source",
                folder=files.labels.location,
                objects=_OBJECTS,
                classes=_CLASSES,
            )
        masks = VocMasks().read(files, _with_ground(options), progress)
        objects = in_folder(files.labels, _OBJECTS)
        of_classes = {path: key for key, path in in_folder(files.labels, _CLASSES).items()}
        objects_of, problems = {}, [*masks.problems]
        for each in masks.pictures:
            file = objects.pop(of_classes[each.annotation], None)
            if file is None:
                reason = message("it has no file in {folder}", folder=_OBJECTS)
                problems.append(LeftOut(each.path, reason))
            else:
                objects_of[each.annotation] = file
        problems += [LeftOut(path, "no image belongs to this mask") for path in objects.values()]
        return VocObjects(
            pictures=[each for each in masks.pictures if each.annotation in objects_of],
            names=masks.names[1:],
            colors=masks.colors[1:],
            problems=problems,
            warnings=masks.warnings,
            classes=masks,
            files=files.labels,
            objects_of=objects_of,
            turns=masks.turns,
        )


def _with_ground(options: AnnotationOptions) -> AnnotationOptions:
    """Return options that name the background, too, as masks of classes have it."""
    names = options.class_names
    if not names or is_background(names[0]):
        return options
    colors = ("#000000", *options.class_colors) if options.class_colors else ()
    return replace(options, class_names=(_GROUND, *names), class_colors=colors)
