"""Annotated pictures and classes of formats with lists and text files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotation_files.reports import unannotated
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotatedPicture, LeftOut


class Listed(TypedDict):
    """Arguments of `Annotations` that are the same in these formats."""

    pictures: list[AnnotatedPicture]
    names: tuple[str, ...]
    colors: tuple[str, ...]
    problems: list[LeftOut]


def listed(
    files: AnnotatedFiles,
    splits: Mapping[str, str | None],
    classes: ClassTable,
    problems: list[LeftOut],
) -> Listed:
    """Return the annotated pictures; those without an annotation are reported.

    Args:
        files: Pictures and annotations.
        splits: Splits of the annotated pictures, by their paths.
        classes: Names and colors of the classes.
        problems: What is left out otherwise.
    """
    pictures = files.images.pictures
    return Listed(
        pictures=[
            AnnotatedPicture(picture, picture, splits[picture])
            for picture in pictures
            if picture in splits
        ],
        names=classes.names,
        colors=classes.colors,
        problems=problems + unannotated(pictures, splits, problems),
    )
