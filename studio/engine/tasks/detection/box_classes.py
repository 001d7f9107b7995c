"""Names and colors of the classes of boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.natural_order import natural_key
from studio.engine.tasks.annotation_files.classes import (
    ClassTable,
    checked,
    parsed,
    table_beside,
)
from studio.engine.tasks.annotations import (
    MOST_CLASSES,
    AnnotatedFiles,
    AnnotationOptions,
    is_background,
)


@dataclass(frozen=True, slots=True)
class BoxClasses:
    """The classes of boxes.

    Attributes:
        numbers: Index of each class by its name in the files.
        names: Names of the classes in the dataset, K.
        colors: Colors of the classes as "#rrggbb", K; empty if they are not known.
    """

    numbers: dict[str, int]
    names: tuple[str, ...]
    colors: tuple[str, ...]


def classes_by_name(
    found: Iterable[str], files: AnnotatedFiles, options: AnnotationOptions
) -> BoxClasses:
    """Return the classes of files that name the class of each box.

    They are in natural order of their names, or in the order of a file such as `labelmap.txt` or
    `classes.txt` beside them, if it lists all of them. A background in that file is no class.

    Args:
        found: Names in the files.
        files: Pictures and annotations.
        options: Names and colors to use instead, in the same order.

    Raises:
        StudioError: There is another number of them, or there are too many classes.
    """
    names = sorted(set(found), key=natural_key)
    table = _table(files)
    listed = dict(zip(table.names, table.colors or [""] * len(table.names), strict=True))
    colors: tuple[str, ...] = ()
    if names and listed.keys() >= set(names):
        names = [name for name in listed if name in names or not is_background(name)]
        colors = tuple(listed[name] for name in names) if table.colors else ()
    return renamed(names, colors, options)


def renamed(found: Sequence[str], colors: Sequence[str], options: AnnotationOptions) -> BoxClasses:
    """Return classes under the names and colors that options give them, if any.

    Args:
        found: Names of the classes in the files, K.
        colors: Their colors; empty if the files have none.
        options: Names and colors to use instead, in the same order.

    Raises:
        StudioError: There is another number of them, or there are too many classes.
    """
    table = parsed(options.labels_text) if options.labels_text else ClassTable()
    given = checked(
        ClassTable(options.class_names or table.names, options.class_colors or table.colors)
    )
    for values, where in ((given.names, "class_names"), (given.colors, "class_colors")):
        if values and len(values) != len(found):
            raise StudioError(
                message(
                    "The annotations have {classes} classes ({names}); received {given} values.",
                    classes=len(found),
                    names=", ".join(found[:12]),
                    given=len(values),
                ),
                "Give one for each class, in this order.",
                where,
            )
    if len(found) > MOST_CLASSES:
        raise StudioError(
            message(
                "There can be at most {limit} classes; received {classes}.",
                limit=MOST_CLASSES,
                classes=len(found),
            ),
            "Merge classes or check the annotation files.",
            "source",
        )
    return BoxClasses(
        {name: number for number, name in enumerate(found)},
        given.names or tuple(found),
        given.colors or tuple(colors),
    )


def _table(files: AnnotatedFiles) -> ClassTable:
    """Return the classes of a file beside the annotations; nothing if it is none of classes."""
    try:
        return table_beside(files, ".txt")
    except StudioError:
        # The annotations name their classes, so that they can do without: any text file may be
        # called "labels.txt".
        return ClassTable()
