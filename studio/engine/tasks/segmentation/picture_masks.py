"""Masks in separate files, one for each picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Protocol, TypeVar

from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.picture_files import StoredFrame, frame_of, opened_picture
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationOptions,
    Mask,
    MaskAnnotations,
    Remark,
    Tree,
)
from studio.engine.tasks.parts.mask_images import palette_of
from studio.engine.tasks.segmentation.mask_coding import MaskCoding
from studio.engine.tasks.segmentation.mask_statistics import inspect
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.values import ValueTable

_AT_ONCE = 64
_VOID_NAMES = re.compile(r"label(train)?ids", re.IGNORECASE)
"""In names of files of Cityscapes, where 255 is no class."""


@dataclass(slots=True, kw_only=True)
class MaskFiles(MaskAnnotations):
    """An annotation is the path of a mask.

    Attributes:
        files: The masks.
        table: Their values.
        turns: EXIF orientations of pictures whose masks are as the pictures are stored.
    """

    files: Tree
    table: ValueTable
    turns: dict[str, int] = field(default_factory=dict)

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Read a mask; see `MaskAnnotations.mask`."""
        try:
            data = self.files.read(annotation)
            return self.table.mask(data, size, self.turns.get(annotation, 1)), []
        except BadDataError as error:
            raise BadDataError(
                "its mask {file} cannot be used: {reason}",
                file=annotation,
                reason=as_message(error.message),
            ) from error


@dataclass(slots=True)
class InspectedMasks:
    """Facts about the masks of pictures.

    Attributes:
        survey: Their values.
        turns: EXIF orientations of pictures whose masks are as the pictures are stored.
        warnings: What was assumed.
    """

    survey: MaskSurvey = field(default_factory=MaskSurvey)
    turns: dict[str, int] = field(default_factory=dict)
    warnings: list[Text] = field(default_factory=list)


class Sized(Protocol):
    """Facts about a mask file."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""


T = TypeVar("T", bound=Sized)


@dataclass(slots=True)
class InspectedFrames:
    """Facts by the sizes of pictures and masks.

    Attributes:
        turns: EXIF orientations of pictures whose masks are as the pictures are stored.
        warnings: What was assumed.
        unreadable: Number of masks that cannot be used.
    """

    turns: dict[str, int] = field(default_factory=dict)
    warnings: list[Text] = field(default_factory=list)
    unreadable: int = 0


def inspect_masks(
    pictures: Sequence[AnnotatedPicture],
    files: AnnotatedFiles,
    options: AnnotationOptions,
    progress: Progress,
) -> InspectedMasks:
    """Inspect masks on all cores; unusable ones are reported when they are imported.

    Args:
        pictures: Pictures with the paths of their masks; at least one.
        files: The pictures and masks.
        options: The number of masks to read.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: No mask can be read, or none has the size of its picture.
        Cancelled: Through `progress`.
    """
    survey = MaskSurvey()
    frames = inspect_files(pictures, files, options, progress, inspect, survey.add)
    if (chosen := survey.count + frames.unreadable) < len(pictures):
        frames.warnings.append(
            message(
                "Only {chosen:,} of {total:,} masks were inspected; the others may have more "
                "classes.",
                chosen=chosen,
                total=len(pictures),
            )
        )
    return InspectedMasks(survey, frames.turns, frames.warnings)


def inspect_files(
    pictures: Sequence[AnnotatedPicture],
    files: AnnotatedFiles,
    options: AnnotationOptions,
    progress: Progress,
    inspect_one: Callable[[bytes], T],
    add: Callable[[str, T], None],
) -> InspectedFrames:
    """Inspect mask files on all cores; unusable ones are left out.

    Args:
        pictures: Pictures with the paths of their masks; at least one.
        files: The pictures and masks.
        options: The number of masks to read.
        progress: Receives the progress and may cancel.
        inspect_one: Returns facts about a mask file; raises `BadDataError` for an unusable one.
        add: Receives the path of each mask with its facts.

    Raises:
        StudioError: No mask can be read, or none has the size of its picture.
        Cancelled: Through `progress`.
    """
    step = max(1, -(-len(pictures) // (options.most or len(pictures))))
    chosen = pictures[::step]
    frames = _Frames()
    unreadable = 0
    reason: Text = ""
    with ThreadPoolExecutor(thread_name_prefix="masks") as pool:
        for start in range(0, len(chosen), _AT_ONCE):
            progress.advance(start, len(chosen), "Inspecting the masks")
            progress.check()
            part = chosen[start : start + _AT_ONCE]
            for picture, inspected in zip(
                part, pool.map(partial(_inspected, files, inspect_one), part), strict=True
            ):
                if isinstance(inspected, BadDataError):
                    unreadable += 1
                    reason = reason or inspected.message
                    continue
                facts, frame = inspected
                add(picture.annotation, facts)
                frames.add(picture, facts.size, frame)
    if unreadable == len(chosen):
        raise StudioError(
            "None of the masks in {folder} can be read; the first reason: {file}: {reason}.",
            "Masks must be lossless images, such as PNG, with at most 255 different values.",
            "source",
            folder=files.labels.location,
            file=pictures[0].annotation,
            reason=as_message(reason),
        )
    frames.require_fitting()
    return InspectedFrames(frames.turns(), frames.warnings(), unreadable)


def mask_files(
    pictures: list[AnnotatedPicture],
    files: AnnotatedFiles,
    inspected: InspectedMasks,
    coding: MaskCoding,
) -> MaskFiles:
    """Return the annotations of pictures by masks.

    Args:
        pictures: Pictures with the paths of their masks.
        files: The pictures and masks.
        inspected: Facts about the masks.
        coding: How they encode classes.
    """
    return MaskFiles(
        pictures=pictures,
        names=coding.classes.names,
        colors=coding.classes.colors,
        warnings=inspected.warnings + coding.warnings,
        can_recolor=coding.table.coding != "color",
        files=files.labels,
        table=coding.table,
        turns=inspected.turns,
    )


def has_void_names(pictures: Sequence[AnnotatedPicture]) -> bool:
    """Return True if masks are called as those of a format in which 255 is no class."""
    return any(_VOID_NAMES.search(each.annotation.rpartition("/")[2]) for each in pictures)


def _inspected(
    files: AnnotatedFiles, inspect_one: Callable[[bytes], T], picture: AnnotatedPicture
) -> tuple[T, StoredFrame | None] | BadDataError:
    try:
        statistics = inspect_one(files.labels.read(picture.annotation))
    except BadDataError as error:
        return error
    try:
        with opened_picture(BytesIO(files.images.head(picture.path))) as image:
            return statistics, frame_of(image)
    except BadDataError:  # its size comes late in the file, or it is damaged
        return statistics, None


class _Frames:
    """Sizes of pictures and masks."""

    def __init__(self) -> None:
        self._fitting = 0
        self._misfit: tuple[AnnotatedPicture, tuple[int, int], StoredFrame] | None = None
        self._shown = 0
        self._stored: dict[str, int] = {}
        self._unclear: dict[str, int] = {}

    def add(
        self, picture: AnnotatedPicture, size: tuple[int, int], frame: StoredFrame | None
    ) -> None:
        """Add a picture and the size of its mask.

        Args:
            picture: The picture.
            size: Width and height of the mask.
            frame: Those of the picture; None if unknown.
        """
        if frame is None:
            self._fitting += 1
            return
        fits_shown, fits_stored = size == frame.shown, size == frame.size
        if not (fits_shown or fits_stored):
            self._misfit = self._misfit or (picture, size, frame)
            return
        self._fitting += 1
        if frame.orientation > 1:
            if fits_shown and fits_stored:
                self._unclear[picture.annotation] = frame.orientation
            elif fits_stored:
                self._stored[picture.annotation] = frame.orientation
            else:
                self._shown += 1

    def require_fitting(self) -> None:
        """Raise if no mask has the size of its picture.

        Raises:
            StudioError: None has.
        """
        if self._fitting or self._misfit is None:
            return
        picture, size, frame = self._misfit
        raise StudioError(
            "No mask has the size of its image: {mask} has {width}x{height} pixels, but "
            "{image} has {image_width}x{image_height}.",
            "Resize the masks to the size of the images without smoothing (nearest neighbor).",
            "source",
            mask=picture.annotation,
            width=size[0],
            height=size[1],
            image=picture.path,
            image_width=frame.shown[0],
            image_height=frame.shown[1],
        )

    def turns(self) -> dict[str, int]:
        """Return the orientations of the pictures whose masks are as they are stored."""
        return self._stored | (self._unclear if self._stored and not self._shown else {})

    def warnings(self) -> list[Text]:
        """Return what was assumed about turned pictures."""
        found: list[Text] = []
        if turned := self.turns():
            found.append(
                message(
                    "{count} images are turned by their EXIF orientation, but their masks are "
                    "not: the masks were turned as well (first: {file}).",
                    one="An image is turned by its EXIF orientation, but its mask is not: the "
                    "mask was turned as well ({file}).",
                    count=len(turned),
                    file=next(iter(turned)),
                )
            )
        if unclear := [mask for mask in self._unclear if mask not in turned]:
            found.append(
                message(
                    "{count} images are turned by their EXIF orientation; their masks are "
                    "expected to show the images as they are displayed (first: {file}).",
                    one="An image is turned by its EXIF orientation; its mask is expected to show "
                    "the image as it is displayed ({file}).",
                    count=len(unclear),
                    file=unclear[0],
                )
            )
        return found


def save_mask(mask: Mask, path: Path, colors: Sequence[str]) -> None:
    """Write a mask as a PNG of class indexes with a palette.

    Args:
        mask: Shape (height, width).
        path: The file; its folder is made when missing.
        colors: Colors of the classes as "#rrggbb".
    """
    image = Image.fromarray(mask)
    image.putpalette(palette_of(colors))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
