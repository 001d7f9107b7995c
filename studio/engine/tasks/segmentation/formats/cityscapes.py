"""Cityscapes: several files for each image, of which one has the classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import ClassTable, known_classes
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    LeftOut,
)
from studio.engine.tasks.segmentation.mask_coding import MaskCoding, coding_of
from studio.engine.tasks.segmentation.mask_remarks import void_warnings
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.picture_masks import inspect_masks, mask_files
from studio.engine.tasks.segmentation.values import ValueTable

_MASK = re.compile(r"(.+)_gt(?:Fine|Coarse)_([A-Za-z]+)", re.IGNORECASE)
_PICTURE = re.compile(r"(.+)_leftImg8bit", re.IGNORECASE)
_FOLDER = re.compile(r"leftImg8bit.*|gt(?:Fine|Coarse).*", re.IGNORECASE)
_TRAIN_IDS, _LABEL_IDS = "labelTrainIds", "labelIds"
_KINDS = {kind.casefold(): kind for kind in (_TRAIN_IDS, _LABEL_IDS)}
_VOID = 255
_LABELS = tuple(
    name.replace("_", "\N{SPACE}")
    for name in (
        *("unlabeled", "ego_vehicle", "rectification_border", "out_of_roi", "static"),
        *("dynamic", "ground", "road", "sidewalk", "parking", "rail_track", "building"),
        *("wall", "fence", "guard_rail", "bridge", "tunnel", "pole", "polegroup"),
        *("traffic_light", "traffic_sign", "vegetation", "terrain", "sky", "person"),
        *("rider", "car", "truck", "bus", "caravan", "trailer", "train", "motorcycle"),
        "bicycle",
    )
)
"""Names of the labels by their index, from `cityscapesscripts/helpers/labels.py`."""
_TRAINED = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
"""Labels of the training indexes from 0 to 18."""


class CityscapesMasks(AnnotationFormat):
    """Masks of training indexes are read, or those of labels where there are none.

    The others, with colors or objects, show the same.
    """

    name = "cityscapes"
    label = "Cityscapes folders leftImg8bit and gtFine"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there are files with the names of such masks and pictures."""
        kinds = {kind for _, kind, _ in _masks(files)}
        is_named = any(map(_PICTURE.fullmatch, _stems(files)))
        return is_named and not kinds.isdisjoint({_TRAIN_IDS, _LABEL_IDS})

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Find the pictures and their masks; see `AnnotationFormat.read`."""
        masks: dict[str, dict[str, str]] = {}
        for name, kind, path in sorted(_masks(files), key=lambda each: "gtFine" in each[2]):
            masks.setdefault(kind, {})[name] = path
        trained, labels = (masks.get(kind, {}) for kind in (_TRAIN_IDS, _LABEL_IDS))
        is_trained = len(trained) >= len(labels)
        mine = trained if is_trained else labels
        found, problems = _paired(files, mine)
        if not found:
            raise StudioError(
                "No image in {pictures} has a mask in {masks}.",
                "An image a_leftImg8bit.png has the mask a_gtFine_labelIds.png.",
                "source",
                pictures=files.images.location,
                masks=files.labels.location,
            )
        inspected = inspect_masks(found, files, options, progress)
        known = known_classes(files, options)
        if known.names or known.colors or options.ignore_value or options.mask_mode != "auto":
            coding = coding_of(
                inspected.survey,
                known,
                options.mask_mode,
                options.ignore_value,
                has_void=is_trained,
            )
        else:
            coding = _coding(inspected.survey, is_trained=is_trained)
        result = mask_files(found, files, inspected, coding)
        result.problems = problems
        kind = _TRAIN_IDS if is_trained else _LABEL_IDS
        result.warnings.insert(0, _about_others(masks, kind, found[0].annotation))
        return result


def _stems(files: AnnotatedFiles) -> Iterator[str]:
    return (PurePosixPath(path).stem for path in files.images.pictures)


def _masks(files: AnnotatedFiles) -> Iterator[tuple[str, str, str]]:
    """Yield the name of the picture, the kind and the path of each mask."""
    for path in files.labels.pictures:
        if named := _MASK.fullmatch(PurePosixPath(path).stem):
            yield _key(path, named[1]), _KINDS.get(named[2].casefold(), named[2]), path


def _key(path: str, name: str) -> str:
    """Return the common name of a picture and its masks: split, city and place."""
    folders = PurePosixPath(path).parts[:-1]
    return "/".join((*(each for each in folders if not _FOLDER.fullmatch(each)), name))


def _paired(
    files: AnnotatedFiles, masks: dict[str, str]
) -> tuple[list[AnnotatedPicture], list[LeftOut]]:
    """Return the pictures with their masks, and what has no partner."""
    found: list[AnnotatedPicture] = []
    problems: list[LeftOut] = []
    left = dict(masks)
    for path, stem in zip(files.images.pictures, _stems(files), strict=True):
        named = _PICTURE.fullmatch(stem)
        if named and (mask := left.pop(_key(path, named[1]), "")):
            found.append(AnnotatedPicture(path, mask))
        elif not _MASK.fullmatch(stem):
            problems.append(LeftOut(path, "it has no mask"))
    problems += [LeftOut(path, "no image belongs to this mask") for path in left.values()]
    return found, problems


def _coding(survey: MaskSurvey, *, is_trained: bool) -> MaskCoding:
    """Return the classes of training indexes, or of the labels that occur."""
    if is_trained:
        names = tuple(_LABELS[label] for label in _TRAINED)
        table = ValueTable("index", tuple(range(len(names))), _VOID)
    else:
        codes = tuple(sorted(survey.numbers.pixels))
        names = tuple(_LABELS[code] if code < len(_LABELS) else str(code) for code in codes)
        table = ValueTable("index", codes)
    return MaskCoding(table, ClassTable(names), void_warnings(survey.numbers, table))


def _about_others(masks: dict[str, dict[str, str]], kind: str, first: str) -> Text:
    counts = Counter({each: len(paths) for each, paths in masks.items() if each != kind})
    if not counts:
        return message("The masks of Cityscapes called “{kind}” were read.", kind=kind)
    return message(
        "Of the masks of Cityscapes, those called “{kind}” were read (first: {file}), and not "
        "{others}.",
        kind=kind,
        file=first,
        others=", ".join(f"{each} ({count})" for each, count in counts.most_common()),
    )
