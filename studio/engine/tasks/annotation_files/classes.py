"""Names and colors of classes: from options, from a text file, or from one beside the masks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.tasks.annotation_files import class_documents
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotation_files.value_tables import names_of_values
from studio.engine.tasks.annotations import (
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotationOptions,
    is_background,
)

_TABLE_NAMES = frozenset(
    {
        *(
            "classes.txt",
            "codes.txt",
            "class_names.txt",
            "labels.txt",
            "label_names.txt",
            "names.txt",
        ),
        *("labelmap.txt", "label_colors.txt", "colors.txt", "color_map.txt", "colormap.txt"),
        *("class_dict.csv", "classes.csv", "_classes.csv", "labels.csv", "colors.csv"),
        *("objectinfo150.txt", "objectinfo150.csv", "codes.txt"),
    }
)
"""Usual names of files with the classes of masks."""
_LARGEST_TABLE = 2**20
_LONGEST_LINE = 500
"""Characters of a line; patterns take a time that grows with the square of its length."""
_MAX_LINES = 10_000
_NUMBERS = r"(\d{1,3})[\s,;]+(\d{1,3})[\s,;]+(\d{1,3})"
_LINES = (
    re.compile(rf"^{_NUMBERS}(?:[\s,;]+(?P<name>.+))?$"),  # R G B, as of DIGITS, and a name
    re.compile(r"^(?P<name>.+?):(\d{1,3}),(\d{1,3}),(\d{1,3})(?::.*)?$"),  # labelmap.txt of CVAT
    re.compile(rf"^(?P<name>.+?)[\s,;]+{_NUMBERS}$"),
)
_HEX = re.compile(
    r"^(?:(?P<before>.+?)[\s,;]+)?#(?P<color>[0-9a-fA-F]{6})(?:[\s,;]+(?P<after>.+))?$"
)
_PART = r"r(?:ed)?|g(?:reen)?|b(?:lue)?"
_HEADER = re.compile(
    rf"^(?:(?:name|class|label)[\s,;]+)?({_PART})[\s,;]+({_PART})[\s,;]+({_PART})"
    r"(?:[\s,;]+(?:name|class|label))?$"
)
"""Headings such as `name,r,g,b`, in any order of the colors."""


@dataclass(frozen=True, slots=True)
class ClassTable:
    """Names and colors of classes, as far as they are known.

    Attributes:
        names: In the order of their index, K; empty if it is not known.
        colors: As "#rrggbb", K; empty if they are not known.
    """

    names: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()


def known_classes(files: AnnotatedFiles, options: AnnotationOptions) -> ClassTable:
    """Return the classes given by options, a named file, or else a file beside the masks.

    Args:
        files: Pictures and annotations.
        options: Names, colors and file of the classes.

    Raises:
        StudioError: They contradict each other, or a file cannot be understood.
    """
    table = ClassTable()
    if options.labels_text:
        table = parsed(options.labels_text)
    elif not options.class_names and not options.class_colors:
        table = table_beside(files)
    return checked(
        ClassTable(options.class_names or table.names, options.class_colors or table.colors)
    )


def renamed(found: Sequence[str], colors: Sequence[str], options: AnnotationOptions) -> ClassTable:
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
                "Classes of the annotations: {classes} ({names}); values received: {given}.",
                "Give one for each class, in this order.",
                where,
                classes=len(found),
                names=", ".join(found[:12]),
                given=len(values),
            )
    _refuse_too_many(len(found), "source")
    return ClassTable(given.names or tuple(found), given.colors or tuple(colors))


def classes_by_name(
    found: Iterable[str], files: AnnotatedFiles, options: AnnotationOptions
) -> tuple[dict[str, int], ClassTable]:
    """Return the classes of files that name the class of each object.

    They are in natural order of their names, or in the order of a file such as `labelmap.txt` or
    `classes.txt` beside them, if it lists all of them. A background in that file is no class.

    Args:
        found: Names in the files.
        files: Pictures and annotations.
        options: Names and colors to use instead, in the same order.

    Returns:
        The index of each class by its name in the files, and the classes.

    Raises:
        StudioError: There is another number of them, or there are too many classes.
    """
    names = sorted(set(found), key=natural_key)
    try:
        table = table_beside(files, ".txt")
    except StudioError:
        # The annotations name their classes, so that they can do without: any text file may be
        # called "labels.txt".
        table = ClassTable()
    listed = dict(zip(table.names, table.colors or [""] * len(table.names), strict=True))
    colors: tuple[str, ...] = ()
    if names and listed.keys() >= set(names):
        names = [name for name in listed if name in names or not is_background(name)]
        colors = tuple(listed[name] for name in names) if table.colors else ()
    numbers = {name: number for number, name in enumerate(names)}
    return numbers, renamed(names, colors, options)


def write_classes(folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
    """Write `classes.txt`: a line with the color and the name of each class.

    Args:
        folder: The folder.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """
    lines = [
        " ".join(map(str, bytes.fromhex(color[1:]))) + f" {name}\n"
        for color, name in zip(colors, names, strict=True)
    ]
    (folder / "classes.txt").write_text("".join(lines), encoding="utf-8")


def parsed(text: str) -> ClassTable:
    """Read a line for each class: a name, a color, or both.

    Colors are written "R G B" (as in DIGITS), "R,G,B" or "#rrggbb". Known are also the tables of
    CVAT (`labelmap.txt`), those with a header `name,r,g,b`, those of pixel values, see
    `value_tables`, and JSON, see `class_documents`.

    Raises:
        StudioError: Some lines have colors and others not, or a class is named twice.
    """
    names: list[str] = []
    colors: list[str] = []
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines()]
    _refuse_long(lines)
    if listed := names_of_values(lines):
        return checked(ClassTable(listed))
    if (document := class_documents.classes_in(text)) is not None:
        return checked(ClassTable(*document))
    order = "rgb"
    for line in lines:
        if found := _HEADER.match(line.replace('"', "").casefold()):
            order = "".join(part[0] for part in found.groups())
        if not line or line.startswith("# ") or found:
            continue
        name, color = _read(line)
        if order != "rgb" and color:
            color = "#" + "".join(
                color[(at := 2 * order.index(part) + 1) : at + 2] for part in "rgb"
            )
        names.append(name or color)
        colors += [color] if color else []
    if names[:1] == [IGNORED_NAME] and not colors:
        names = names[1:]  # LabelMe numbers it -1, and the next one 0
    if colors and len(colors) != len(names):
        raise StudioError(
            "Only {colored} of the {lines} lines of the class file have a color.",
            "Write a color on every line, or on none.",
            "labels_file",
            lines=len(names),
            colored=len(colors),
        )
    return checked(ClassTable(tuple(names), tuple(colors)))


def _refuse_long(lines: Sequence[str]) -> None:
    """Refuse a file that is no table of classes, by its length.

    Raises:
        StudioError: It has too many lines, or a line is too long.
    """
    if len(lines) > _MAX_LINES or any(len(line) > _LONGEST_LINE for line in lines):
        raise StudioError(
            "The class file has {lines:,} lines, of which the longest has {characters:,} "
            "characters; at most {limit:,} lines of {line_limit} characters are possible.",
            "Write one class per line: its name, its color, or both.",
            "labels_file",
            lines=len(lines),
            characters=max(map(len, lines)),
            limit=_MAX_LINES,
            line_limit=_LONGEST_LINE,
        )


def _read(line: str) -> tuple[str, str]:
    """Return the name and the color of a line; one of them may be empty."""
    if found := _HEX.match(line):
        return found["before"] or found["after"] or "", f"#{found['color'].lower()}"
    for pattern in _LINES:
        found = pattern.match(line)
        if found is None:
            continue
        numbers = [int(each) for each in found.groups() if each and each.isdigit()][-3:]
        if pattern is _LINES[0]:
            numbers = [int(found[group]) for group in (1, 2, 3)]
        if max(numbers) <= 255:
            name = (found["name"] or "").strip(" ,;\"'")
            return name, "#" + "".join(f"{number:02x}" for number in numbers)
    return line.rstrip(":").strip("\"'"), ""


def table_beside(files: AnnotatedFiles, suffix: str = "") -> ClassTable:
    """Return the classes of a table beside the annotations or pictures; nothing without one.

    Args:
        files: Pictures and annotations.
        suffix: Suffix of the table; empty for any.

    Raises:
        StudioError: It cannot be understood.
    """
    for tree in (files.labels, files.images):
        paths = [path for path in tree.paths if _is_table(path) and path.endswith(suffix)]
        for path in sorted(paths, key=lambda path: path.count("/"))[:1]:
            data = tree.read(path)
            if len(data) <= _LARGEST_TABLE:
                return parsed(data.decode("utf-8", "replace"))
        documents = [path for path in tree.paths if _is_document(path) and not suffix]
        for path in sorted(documents, key=lambda path: path.count("/"))[:1]:
            data = tree.read(path)[: _LARGEST_TABLE + 1]
            found = class_documents.classes_in(data.decode("utf-8-sig", "replace"))
            if found is not None:
                return checked(ClassTable(*found))
    return ClassTable()


def _is_table(path: str) -> bool:
    return path.rpartition("/")[2].casefold() in _TABLE_NAMES


def _is_document(path: str) -> bool:
    return path.rpartition("/")[2].casefold() in class_documents.NAMES


def checked(table: ClassTable) -> ClassTable:
    """Return a table whose names and colors are distinct, and as many, and not too many.

    Raises:
        StudioError: They are not.
    """
    if (name := _repeated(table.names)) is not None:
        raise StudioError(
            'Two classes have the same name, "{name}".',
            "Give each class a different name.",
            "class_names",
            name=name,
        )
    if (color := _repeated(table.colors)) is not None:
        raise StudioError(
            "Two classes have the same color, {color}.",
            "Give each class a different color.",
            "class_colors",
            color=color,
        )
    _refuse_too_many(len(table.names), "class_names")
    if table.names and table.colors and len(table.names) != len(table.colors):
        raise StudioError(
            "The numbers of class names ({names}) and colors ({colors}) differ.",
            "Give each class one name and one color.",
            "class_colors",
            names=len(table.names),
            colors=len(table.colors),
        )
    return table


def _refuse_too_many(classes: int, where: str) -> None:
    if classes > MAX_CLASSES:
        raise StudioError(
            "There can be at most {limit} classes; received {classes}.",
            "Merge classes or check the class file.",
            where,
            limit=MAX_CLASSES,
            classes=classes,
        )


def _repeated(values: tuple[str, ...]) -> str | None:
    return next((value for value, count in Counter(values).items() if count > 1), None)
