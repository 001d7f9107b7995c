"""Masks that are painted of shapes, one over the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.classes import ClassTable, parsed
from studio.engine.tasks.annotations import (
    MOST_CLASSES,
    AnnotationOptions,
    Mask,
    MaskAnnotations,
    require_size,
)

BACKGROUND = "background"
IGNORED_NAME = "__ignore__"
"""Name of regions that belong to no class, as LabelMe has it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A region of one class.

    Attributes:
        label: The class, or `IGNORE`.
        region: Gives its pixels, shape (height, width), for the width and height of a picture.
            Raises `BadDataError` with a short reason.
    """

    label: int
    region: Callable[[tuple[int, int]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Painting:
    """The shapes of a picture.

    Attributes:
        shapes: The last one is on top.
        size: Width and height that the picture must have; None if unknown.
        refused: The reason why it cannot be used; empty if it can.
    """

    shapes: Sequence[Shape] = ()
    size: tuple[int, int] | None = None
    refused: str = ""


@dataclass(slots=True, kw_only=True)
class PaintedMasks(MaskAnnotations):
    """Masks of shapes on a background of class 0; an annotation names a painting."""

    paintings: dict[str, Painting]

    def mask(self, annotation: str, size: tuple[int, int]) -> Mask:
        """Paint a mask; see `MaskAnnotations.mask`."""
        painting = self.paintings[annotation]
        if painting.refused:
            raise BadDataError(painting.refused)
        require_size(painting.size or size, size)
        mask = np.zeros(size[::-1], np.uint8)
        for shape in painting.shapes:
            mask[shape.region(size)] = shape.label
        return mask


def named_classes(found: Sequence[str], options: AnnotationOptions) -> ClassTable:
    """Return the classes of shapes under the names that options give them, if any.

    Args:
        found: Names of the classes in the data, the background first.
        options: Names and colors to use instead, in the same order.

    Raises:
        StudioError: There are other numbers of them, or too many classes.
    """
    table = parsed(options.labels_text) if options.labels_text else ClassTable()
    names = options.class_names or table.names
    colors = options.class_colors or table.colors
    for given, where in ((names, "class_names"), (colors, "class_colors")):
        if given and len(given) != len(found):
            raise StudioError(
                message(
                    "The annotations have {classes} classes ({names}); received {given} values.",
                    classes=len(found),
                    names=", ".join(found[:12]),
                    given=len(given),
                ),
                "Give one for each class, the background first.",
                where,
            )
    if len(found) > MOST_CLASSES:
        raise StudioError(
            message(
                "There can be at most {limit} classes; received {classes}.",
                limit=MOST_CLASSES,
                classes=len(found),
            ),
            "Merge classes or check the class file.",
            "source",
        )
    return ClassTable(tuple(names or found), tuple(colors))
