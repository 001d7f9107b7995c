"""YOLO: a text file for each picture, and a YAML file that names classes and splits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.pairs import PictureNames, split_of_picture
from studio.engine.tasks.annotation_files.reports import Losses, Tally, nothing_usable, shown
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    MOST_CLASSES,
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
    Tree,
    WritableFormat,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, FLAGS, LEFT, RIGHT, TOP
from studio.engine.tasks.detection.formats.yolo_layout import check_layout
from studio.engine.tasks.detection.found_boxes import (
    BoxCollector,
    PictureBoxes,
    found_boxes,
    lost_objects,
)
from studio.engine.tasks.detection.text_files import (
    looks_like,
    numbered_words,
    pairs_look_like,
    read_texts,
    text_files,
    text_of,
)
from studio.engine.tasks.split_words import split_of

_YAML = "data.yaml"
_LARGEST_YAML = 2**20
_MOST_YAML = 20
_MOST_ENTRIES = 100
"""Folders of a split that are looked for."""
_BOX = 5
"""Words of a line with a box: class, center x, center y, width, height."""
_FEWEST_OUTLINE = 7
"""Words of a line with an outline: the class and at least three corners."""
_SPLITS = ("train", "val", "test")
_NAME_FILES = frozenset({"classes.txt", "obj.names", "names.txt", "labels.txt"})
_NO_FRACTION = 2.0
"""Numbers from this one on are pixels: boxes are at most a bit outside of their image."""
_ROUNDING = 1e-3
"""Accepted deviation of coordinates from the range 0 to 1."""


class _Writer(AnnotationWriter):
    """Writes pictures, text files, and `data.yaml`, as Ultralytics has them.

    Difficult objects are written as any; crowds are left out, which YOLO does not know.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._splits: set[str] = set()

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of pictures of a split."""
        return f"images/{split}/{name}"

    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the file of a picture; an empty one for a picture without objects."""
        width, height = size
        lines = []
        for box in regions[regions[:, CLASS] >= 0].tolist():
            if int(box[FLAGS]) & CROWD:
                continue
            values = (
                (box[LEFT] + box[RIGHT]) / 2 / width,
                (box[TOP] + box[BOTTOM]) / 2 / height,
                (box[RIGHT] - box[LEFT]) / width,
                (box[BOTTOM] - box[TOP]) / height,
            )
            lines.append(f"{int(box[CLASS])} {' '.join(map(repr, values))}\n")
        folder = self.folder / "labels" / split
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{PurePosixPath(picture).stem}.txt"
        target.write_text("".join(lines), encoding="utf-8")
        self._splits.add(split)

    def finish(self) -> None:
        """Write the names of the classes and the folders of the splits."""
        folders = {split: f"images/{split}" for split in _SPLITS if split in self._splits}
        document = {"path": ".", **folders, "names": dict(enumerate(self.names))}
        text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
        (self.folder / _YAML).write_text(text, encoding="utf-8")


class YoloBoxes(WritableFormat):
    """A picture without a text file, in a folder where others have one, has no objects.

    A line has the index of the class, and center, width and height of a box as fractions of the
    size of the picture; numbers behind them are not used. Of outlines (the class and the corners
    of a polygon) the box around them is taken; of poses (`kpt_shape` in the YAML file) the box.

    The names of the classes are in a YAML file, or one on each line of `classes.txt` or
    `obj.names`. The YAML file, or lists such as `train.txt`, may define the splits.
    """

    name = "yolo"
    label = "YOLO text files with data.yaml"
    export = "yolo"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a text file that belongs to a picture has boxes of YOLO.

        Boxes in pixels beside a file with names of classes are those of YOLO, too: the error tells
        what is wrong with them.
        """
        if pairs_look_like(files, _is_box):
            return True
        return _has_names(files.labels) and pairs_look_like(files, _is_in_pixels)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        setup = _setup(files)
        parse = partial(_parsed, files, has_poses=setup.has_poses)
        texts = read_texts(files, options.most, progress, parse, _is_box)
        lists = {picture: labels.boxes for picture, labels in texts.found.items()}
        highest = max((boxes.labels[-1] for boxes in lists.values() if boxes), default=-1)
        problems = texts.pairs.problems + setup.problems
        if highest < 0:
            raise nothing_usable(
                message(
                    "The YOLO files in {folder} contain no boxes.", folder=files.labels.location
                ),
                [*problems, *lost_objects(lists)],
                "A line has the index of the class, and center, width and height of the box as "
                "fractions of the size of the image.",
            )
        names = setup.names or [str(number) for number in range(highest + 1)]
        if not setup.names and options.class_names:
            names = list(options.class_names)
        classes = renamed(names, (), options)
        found: dict[str, PictureBoxes | None] = dict.fromkeys(texts.unread)
        found |= {picture: _known(boxes, len(names)) for picture, boxes in lists.items()}
        found |= {picture: BoxCollector().result() for picture in texts.pairs.without_file}

        def later(picture: str) -> PictureBoxes:
            return _known(parse(texts.unread[picture]).boxes, len(names))

        def split_of_path(picture: str) -> str | None:
            return setup.splits.get(picture) or split_of_picture(picture)

        result = found_boxes(files, classes, options, found, problems, split_of_path, later)
        with_boxes = [labels.boxes for labels in texts.found.values() if not labels.outlines]
        result.warnings += [
            *check_layout(with_boxes),
            *setup.warnings,
            *_odd_lines(texts.found),
            *_without_text(texts.pairs.without_file),
        ]
        return result


def _is_box(words: list[str]) -> bool:
    numbers = [number_in(word) for word in words]
    return _is_in_pixels(words) and all(
        -_ROUNDING <= number <= 1 + _ROUNDING for number in numbers[1:_BOX]
    )


def _is_in_pixels(words: list[str]) -> bool:
    """Return True for the numbers of a box, whatever their unit is."""
    numbers = [number_in(word) for word in words[:_BOX]]
    return (
        len(words) >= _BOX
        and numbers[0] >= 0
        and numbers[0].is_integer()
        and all(map(math.isfinite, numbers))
    )


def _has_names(tree: Tree) -> bool:
    return bool(_yaml_files(tree) or _name_files(tree))


@dataclass(slots=True)
class _Labels:
    """Content of the text file of a picture.

    Attributes:
        path: Path of the file.
        boxes: Its boxes as fractions of the size of the picture.
        outlines: Number of boxes around outlines.
        confidences: Number of boxes with a sixth value.
    """

    path: str
    boxes: BoxCollector = field(default_factory=BoxCollector)
    outlines: int = 0
    confidences: int = 0


def _parsed(files: AnnotatedFiles, path: str, has_poses: bool) -> _Labels:
    """Return the boxes of a file as fractions of the size of the picture.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    labels = _Labels(path)
    lost = Losses()
    for line, words in numbered_words(text_of(files.labels, path)):
        label, *numbers = map(number_in, words)
        if len(words) < _BOX:
            labels.boxes.without_box += 1
        elif not (0 <= label < MOST_CLASSES and label.is_integer()):
            labels.boxes.unknown[name_in(words[0])] += 1
        elif _is_outline(numbers) and not has_poses:
            if any(map(_is_pixels, numbers)):
                lost.add(_in_pixels, str(line))
                continue
            labels.boxes.add(int(label), _around(numbers))
            labels.outlines += 1
        elif any(map(_is_pixels, numbers[: _BOX - 1])):
            lost.add(_in_pixels, str(line))
        else:
            x, y, width, height = numbers[: _BOX - 1]
            corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            labels.boxes.add(int(label), corners)
            labels.confidences += len(words) == _BOX + 1
    labels.boxes.problems += lost.remarks()
    return labels


def _in_pixels(lost: Tally) -> Text:
    return message(
        "left out {count} boxes whose numbers are no fractions of the size of the image; the "
        "first is in line {first}",
        one="left out a box whose numbers are no fractions of the size of the image, in line "
        "{first}",
        count=lost.count,
        first=lost.first,
    )


def _is_pixels(number: float) -> bool:
    """Return True for a number that is no fraction of an image, nor a bit outside."""
    return math.isfinite(number) and abs(number) >= _NO_FRACTION


def _is_outline(numbers: list[float]) -> bool:
    """Return True for the corners of a polygon, not a box with a confidence and an id."""
    if len(numbers) < _FEWEST_OUTLINE - 1:
        return False
    return len(numbers) >= _FEWEST_OUTLINE or not _is_pixels(numbers[-1])


def _around(numbers: list[float]) -> tuple[float, float, float, float]:
    """Return the sides of the box around an outline."""
    if not all(map(math.isfinite, numbers)):
        return (math.nan,) * 4
    xs, ys = numbers[::2][: len(numbers) // 2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


def _odd_lines(found: Mapping[str, _Labels]) -> list[Text]:
    """Return sentences about lines that have more than a box."""
    outlines, confidences = Tally(), Tally()
    for labels in found.values():
        if labels.outlines:
            outlines.add(labels.path, labels.outlines)
        if labels.confidences:
            confidences.add(labels.path, labels.confidences)
    warnings: list[Text] = []
    if outlines:
        warning = message(
            "{count} lines, the first in {first}, have outlines or rotated boxes. The upright "
            "boxes around them are used.",
            one="A line in {first} has an outline or a rotated box. The upright box around it is "
            "used.",
            count=outlines.count,
            first=outlines.first,
        )
        warnings.append(warning)
    if confidences:
        warning = message(
            "{count} lines, the first in {first}, have a sixth number, as the confidence of a "
            "prediction. It is not used; check that these are labels.",
            one="A line in {first} has a sixth number, as the confidence of a prediction. It is "
            "not used; check that this is a label.",
            count=confidences.count,
            first=confidences.first,
        )
        warnings.append(warning)
    return warnings


def _without_text(pictures: Sequence[str]) -> list[Text]:
    """Return a sentence about pictures without a text file."""
    if not pictures:
        return []
    return [
        message(
            "{count} images, such as {first}, have no text file. They are taken as images without "
            "objects.",
            one="{first} has no text file. It is taken as an image without objects.",
            count=len(pictures),
            first=pictures[0],
        )
    ]


def _known(boxes: BoxCollector, classes: int) -> PictureBoxes:
    """Return the boxes whose class has a name."""
    rows = boxes.rows
    is_known = rows[:, CLASS] < classes
    for label in rows[~is_known, CLASS].astype(int).tolist():
        boxes.unknown[str(label)] += 1
    return boxes.result(is_relative=True, rows=rows[is_known])


@dataclass(slots=True)
class _Setup:
    """Content of the files beside the annotations.

    Attributes:
        names: Names of the classes in the order of their index; empty if unknown.
        splits: Splits of pictures.
        has_poses: True if lines have a box and points, instead of an outline.
        problems: Files that cannot be used, and why.
        warnings: What is conspicuous in them.
    """

    names: list[str] = field(default_factory=list)
    splits: dict[str, str] = field(default_factory=dict)
    has_poses: bool = False
    problems: list[LeftOut] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)


def _setup(files: AnnotatedFiles) -> _Setup:
    setup = _Setup()
    described: dict[str, Any] = {}
    place = ""
    trees = [files.labels] if files.are_together else [files.labels, files.images]
    for tree, path in ((each, path) for each in trees for path in _yaml_files(each)):
        try:
            document = _parsed_yaml(tree, path)
        except BadDataError as error:
            setup.problems.append(LeftOut(path, error.message))
            continue
        if setup.names or "names" not in document:
            continue
        setup.names = _names_in(document)
        described, place = document, path
        _check_count(setup, document, path)
    for tree in trees:
        setup.names = setup.names or _listed_names(tree, setup.problems)
    setup.has_poses = "kpt_shape" in described
    names = PictureNames(files)
    for split in _SPLITS:
        value = described.get(split) or (described.get("valid") if split == "val" else None)
        for entry in value[:_MOST_ENTRIES] if isinstance(value, list) else [value]:
            if isinstance(entry, str) and entry.strip():
                _add_split(setup, files, names, split, (place, described.get("path"), entry))
    for path in text_files(files.labels):
        listed = split_of(PurePosixPath(path).stem)
        if listed is not None and path.count("/") <= 1:
            _add_list(setup, files.labels, names, listed, path)
    return setup


def _check_count(setup: _Setup, document: Mapping[str, Any], path: str) -> None:
    """Warn of names that cannot be used, or are not as many as the file states."""
    if not setup.names:
        setup.warnings.append(
            message("The names in {file} are no list of classes; they are not used.", file=path)
        )
    value = document["names"]
    entries = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict) and (gaps := len(setup.names) - len(_by_number(value))):
        setup.warnings.append(
            message(
                "{count} class numbers below {most} have no name in {file}; these classes are "
                "named by their number.",
                one="A class number below {most} has no name in {file}; this class is named by "
                "its number.",
                count=gaps,
                most=len(setup.names) - 1,
                file=path,
            )
        )
    if setup.names and (others := sum(not name_in(each) for each in entries)):
        setup.warnings.append(
            message(
                "{count} of the names in {file} are no texts; these classes are named by their "
                "index.",
                one="One of the names in {file} is no text; this class is named by its index.",
                count=others,
                file=path,
            )
        )
    count = number_in(document.get("nc"))
    if setup.names and count.is_integer() and count != len(setup.names):
        warning = message(
            "{file} states {stated} classes (nc), but has {count} names.",
            one="{file} states {stated} classes (nc), but has a single name.",
            file=path,
            stated=int(count),
            count=len(setup.names),
        )
        setup.warnings.append(warning)


def _yaml_files(tree: Tree) -> list[str]:
    """Return YAML files, those nearest to the root first, `data.yaml` before others."""
    found = [path for path in tree.paths if path.casefold().endswith((".yaml", ".yml"))]
    found.sort(key=lambda path: (path.count("/"), not path.endswith(_YAML), path))
    return found[:_MOST_YAML]


def _parsed_yaml(tree: Tree, path: str) -> dict[str, Any]:
    """Return the mapping of a YAML file with all scalars as text; empty for anything else.

    Raises:
        BadDataError: It is damaged or too large; the message is a short reason.
    """
    data = tree.read(path)
    if len(data) > _LARGEST_YAML:
        raise BadDataError("it is larger than {limit} MB", limit=_LARGEST_YAML // 2**20)
    try:
        # Scalars stay texts: a class may be called "no". Nothing else than lists and mappings
        # is made of the file.
        document = yaml.load(data, Loader=yaml.BaseLoader)  # noqa: S506 - of texts alone
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise BadDataError("it is damaged or not a YAML file") from error
    return document if isinstance(document, dict) else {}


def _names_in(document: Mapping[str, Any]) -> list[str]:
    """Return the names of classes: of a list, or of a mapping of indices."""
    value = document["names"]
    if isinstance(value, dict):
        by_number = _by_number(value)
        names = [by_number.get(number, "") for number in range(max(by_number, default=-1) + 1)]
    else:
        names = [name_in(each) for each in value] if isinstance(value, list) else []
    return _distinct(names[: MOST_CLASSES + 1])


def _by_number(names: Mapping[str, Any]) -> dict[int, str]:
    """Return the names of classes by their numbers."""
    pairs = ((number_in(key), name_in(name)) for key, name in names.items())
    return {int(number): name for number, name in pairs if 0 <= number < MOST_CLASSES}


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names that are neither empty nor the same: the index is added where one is."""
    found: list[str] = []
    for number, name in enumerate(names):
        unique = name or str(number)
        while unique in found:
            unique = f"{unique} {number}"
        found.append(unique)
    return found


def _name_files(tree: Tree) -> list[str]:
    """Return files with a name on each line, those nearest to the root first."""
    paths = [
        path
        for path in tree.paths
        if path.rpartition("/")[2].casefold() in _NAME_FILES or path.endswith(".names")
    ]
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _listed_names(tree: Tree, problems: list[LeftOut]) -> list[str]:
    """Return the names of a file with one on each line; nothing without one."""
    for path in _name_files(tree):
        try:
            lines = [line.strip() for line in text_of(tree, path).splitlines()]
        except BadDataError as error:
            problems.append(LeftOut(path, error.message))
            continue
        while lines and not lines[-1]:
            lines.pop()
        if lines and not looks_like(tree, [path], _is_box):
            return _distinct([name_in(line) for line in lines[: MOST_CLASSES + 1]])
    return []


def _add_split(
    setup: _Setup,
    files: AnnotatedFiles,
    names: PictureNames,
    split: str,
    entry: tuple[str, object, str],
) -> None:
    """Remember the split of the pictures that an entry of a YAML file names.

    Args:
        setup: Receives the splits.
        files: Pictures and annotations.
        names: Finds pictures by their names.
        split: The split.
        entry: Path of the YAML file, its value of `path`, and the folder, list or picture.
    """
    file, root, value = entry
    parts = [*str(root if isinstance(root, str) else "").replace("\\", "/").split("/")]
    parts += value.replace("\\", "/").split("/")
    parts = [part for part in parts if part not in {"", ".", ".."}]
    for start in range(max(len(parts) - 20, 0), len(parts)):
        ending = "/".join(parts[start:])
        for place in _places(file, ending):
            if place.casefold().endswith(".txt") and place in files.labels:
                _add_list(setup, files.labels, names, split, place)
                return
            inside = [path for path in files.images.pictures if path.startswith(f"{place}/")]
            if place in files.images:
                inside.append(place)
            if inside:
                for path in inside:
                    setup.splits.setdefault(path, split)
                return
    setup.warnings.append(
        message(
            "{file} names {entry} for the split {split}, but there are no images.",
            file=file,
            entry=shown(value),
            split=as_message(split),
        )
    )


def _places(file: str, ending: str) -> Iterator[str]:
    """Yield where a path of a file may lie: beside it, or below the folder of the pictures."""
    yield str(PurePosixPath(file).parent / ending)
    yield ending


def _add_list(setup: _Setup, tree: Tree, names: PictureNames, split: str, path: str) -> None:
    """Remember the split of the pictures that a list names, one on each line."""
    try:
        lines = text_of(tree, path).splitlines()
    except BadDataError as error:
        setup.problems.append(LeftOut(path, error.message))
        return
    missing, in_several = Tally(), Tally()
    for name in filter(None, map(str.strip, lines)):
        picture = names.find(name, path)
        if picture is None:
            missing.add(shown(name))
        elif setup.splits.setdefault(picture, split) != split:
            in_several.add(picture)
    if missing:
        warning = message(
            "{count} entries of {file}, such as {first}, name no image.",
            one="The entry {first} of {file} names no image.",
            count=missing.count,
            file=path,
            first=missing.first,
        )
        setup.warnings.append(warning)
    if in_several:
        warning = message(
            "{count} images in {file}, such as {first}, are in another split already. They stay "
            "there.",
            one="{first} in {file} is in another split already. It stays there.",
            count=in_several.count,
            file=path,
            first=in_several.first,
        )
        setup.warnings.append(warning)
