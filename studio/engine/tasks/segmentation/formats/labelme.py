"""LabelMe JSON: a file for each picture, with polygons and other shapes."""

from __future__ import annotations

import base64
import binascii
import json
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, message
from studio.engine.picture_files import opened_picture
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.json_files import (
    documents,
    objects,
    parsed,
)
from studio.engine.tasks.annotation_files.polygons import Points, checked, filled, points_of
from studio.engine.tasks.annotation_files.values import size_in
from studio.engine.tasks.annotations import (
    IGNORE,
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
)
from studio.engine.tasks.segmentation.shapes import (
    BACKGROUND,
    IGNORED_NAME,
    PaintedMasks,
    Painting,
    Shape,
)

_KEY = re.compile(rb'"shapes"\s*:\s*\[')
_GROUND_NAMES = frozenset({"_background_", BACKGROUND})
_CORNERS = 64
"""Number of corners of the polygon for a circle."""
_NO_AREA = frozenset({"point", "points", "line", "linestrip"})
_Region = Callable[[tuple[int, int]], NDArray[np.bool_]]


class _Writer(AnnotationWriter):
    """Writes a file beside each picture, with the region of each class as a mask."""

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split."""
        return f"{split}/{name}"

    def finish(self) -> None:
        """Write nothing more: each picture has its file."""

    def add(
        self,
        picture: str,
        split: str,  # noqa: ARG002 - the folder tells
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - of boxes
    ) -> None:
        """Write the file of a picture."""
        height, width = regions.shape
        shapes = []
        for label in np.unique(regions).tolist():
            name = IGNORED_NAME if label == IGNORE else self.names[label]
            if name.casefold() != BACKGROUND:
                shapes.append(_masked(regions == label, name))
        path = PurePosixPath(picture)
        document = {
            "version": "5.5.0",
            "flags": {},
            "shapes": shapes,
            "imagePath": path.name,
            "imageData": None,
            "imageHeight": height,
            "imageWidth": width,
        }
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (self.folder / path.with_suffix(".json")).write_text(text, encoding="utf-8")


def _masked(region: NDArray[np.bool_], label: str) -> dict[str, object]:
    """Return a region as a shape: a small picture of it, and its corners."""
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    top, bottom, left, right = (int(each) for each in (rows[0], rows[-1], columns[0], columns[-1]))
    buffer = BytesIO()
    part = region[top : bottom + 1, left : right + 1]
    Image.fromarray(part.astype(np.uint8) * 255).convert("1").save(buffer, "PNG")
    return {
        "label": label,
        "points": [[left, top], [right, bottom]],
        "group_id": None,
        "shape_type": "mask",
        "flags": {},
        "mask": base64.b64encode(buffer.getvalue()).decode(),
    }


class LabelMe(AnnotationFormat):
    """Shapes are painted in their order. Points and lines have no area and are left out.

    Pixels of no shape are of the class "background", those labeled "__ignore__" of none.
    """

    name = "labelme"
    label = "LabelMe JSON files"
    export = "labelme"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a JSON file has shapes."""
        return next(documents(files.labels, _KEY, few=True), None) is not None

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files and find their pictures; see `AnnotationFormat.read`."""
        problems: list[LeftOut] = []
        found: dict[str, _Document] = {}
        for number, path in enumerate(documents(files.labels, _KEY)):
            progress.check()
            progress.advance(number, 0, "Reading the annotations")
            try:
                picture, document = _read(files, path)
            except BadDataError as error:
                problems.append(LeftOut(path, error.message))
                continue
            if picture in found:
                reason = message("{file} annotates the same image", file=found[picture].path)
                problems.append(LeftOut(path, reason))
            else:
                found[picture] = document
        if not found:
            raise StudioError(
                message(
                    "None of the LabelMe files in {folder} can be used.",
                    folder=files.labels.location,
                ),
                "Each file names its picture as imagePath, relative to itself.",
                "source",
            )
        problems += [
            LeftOut(picture, "it has no LabelMe file")
            for picture in files.images.pictures
            if picture not in found
        ]
        warnings: list[Text] = []
        if lines := sum(document.lines for document in found.values()):
            warnings.append(
                message("Skipped {number} points and lines, which have no area.", number=lines)
            )
        labels = {label for document in found.values() for label, _ in document.shapes}
        names = sorted(labels - _GROUND_NAMES - {IGNORED_NAME}, key=natural_key)
        classes = renamed([BACKGROUND, *names], (), options)
        number_of = dict.fromkeys(_GROUND_NAMES, 0) | {IGNORED_NAME: IGNORE}
        number_of |= {name: index for index, name in enumerate(names, 1)}
        return PaintedMasks(
            pictures=[
                AnnotatedPicture(picture, picture) for picture in sorted(found, key=natural_key)
            ],
            names=classes.names,
            colors=classes.colors,
            can_rename=True,
            problems=problems,
            warnings=warnings,
            paintings={
                picture: Painting(
                    [Shape(number_of[label], region) for label, region in document.shapes],
                    document.size,
                )
                for picture, document in found.items()
            },
        )


@dataclass(frozen=True, slots=True)
class _Document:
    """Content of a file: labels with regions, and the number of shapes without an area."""

    path: str
    size: tuple[int, int] | None
    shapes: list[tuple[str, _Region]]
    lines: int


def _read(files: AnnotatedFiles, path: str) -> tuple[str, _Document]:
    """Return the picture that a file is about, and its content.

    Raises:
        BadDataError: The file is damaged or its picture does not exist; the message says why.
    """
    document = parsed(files.labels.read(path))
    shapes: list[tuple[str, _Region]] = []
    lines = 0
    for entry in objects(document.get("shapes")):
        label = entry.get("label")
        if not isinstance(label, str) or not label.strip():
            raise BadDataError("a shape has no label")
        region = _region(entry)
        if region is None:
            lines += 1
        else:
            shapes.append((label.strip(), region))
    size = size_in(document.get("imageWidth"), document.get("imageHeight"))
    return _picture(files, path, document), _Document(path, size, shapes, lines)


def _picture(files: AnnotatedFiles, path: str, document: dict[str, Any]) -> str:
    """Return the picture that a file names, or that has its name."""
    place = PurePosixPath(path)
    name = document.get("imagePath")
    named = name.replace("\\", "/") if isinstance(name, str) else ""
    last = PurePosixPath(named).name
    same = (place.with_suffix(suffix) for suffix in (".jpg", ".jpeg", ".png", ".tif", ".bmp"))
    candidates = (place.parent / named, place.parent / last, PurePosixPath(named), *same)
    for candidate in map(posixpath.normpath, candidates):
        if candidate in files.images:
            return candidate
    raise BadDataError(message('its image "{file}" does not exist', file=last or place.stem))


def _region(entry: dict[str, Any]) -> _Region | None:
    """Return the region of a shape; None if it has no area.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    kind = str(entry.get("shape_type") or "polygon")
    if kind in _NO_AREA:
        return None
    if kind == "polygon":
        return partial(filled, [points_of(entry.get("points"))])
    ends = _ends(entry.get("points"))
    if kind == "rectangle":
        (left, top), (right, bottom) = ends.min(axis=0), ends.max(axis=0)
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        return partial(filled, [corners])
    if kind == "circle":
        (x, y), radius = ends[0], float(np.hypot(*(ends[1] - ends[0])))
        turn = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
        corners = np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1)
        return partial(filled, [corners])
    if kind == "mask":
        return partial(_pasted, entry.get("mask"), ends)
    raise BadDataError(message('it has a shape of an unknown type, "{kind}"', kind=kind[:40]))


def _ends(points: object) -> Points:
    """Return the corners of a rectangle, or the center of a circle and a point on it."""
    try:
        ends = np.array(points, np.float64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadDataError("the points of a shape are not numbers") from error
    if len(ends) < 2:
        raise BadDataError("a shape has fewer than two points")
    return checked(ends)


def _pasted(encoded: object, ends: Points, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the region of a small picture whose upper left corner is given.

    Raises:
        BadDataError: It is damaged, or reaches beyond the picture; the message is a short reason.
    """
    try:
        data = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
    except binascii.Error as error:
        raise BadDataError("a mask in it is damaged") from error
    left, top = (int(each) for each in np.rint(ends.min(axis=0)))
    region = np.zeros(size[::-1], np.bool_)
    with opened_picture(BytesIO(data)) as image:
        width, height = image.size
        if left < 0 or top < 0 or left + width > size[0] or top + height > size[1]:
            raise BadDataError("a mask in it extends beyond the image")
        region[top : top + height, left : left + width] = np.asarray(image.convert("L")) > 0
    return region
