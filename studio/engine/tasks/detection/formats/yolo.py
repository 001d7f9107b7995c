"""YOLO: a text file for each picture, and a YAML file that names classes and splits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import renamed
from studio.engine.tasks.annotation_files.pairs import Pairs, PictureNames, split_of_picture
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    MOST_CLASSES,
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
    Tree,
)
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, FLAGS, LEFT, RIGHT, TOP
from studio.engine.tasks.detection.found_boxes import BoxList, PictureBoxes, found_boxes
from studio.engine.tasks.detection.text_files import (
    looks_like,
    pairs_look_like,
    read_texts,
    text_files,
    text_of,
    words_of,
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


class YoloBoxes(AnnotationFormat):
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
        """Return True if a text file that belongs to a picture has boxes of YOLO."""
        return pairs_look_like(files, _is_box)

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the files of the pictures; see `AnnotationFormat.read`."""
        setup = _setup(files)
        parse = partial(_parsed, files, has_poses=setup.has_poses)
        texts = read_texts(files, options.most, progress, parse)
        highest = max((boxes.labels[-1] for boxes in texts.found.values() if boxes), default=-1)
        if highest < 0:
            raise StudioError(
                message(
                    "The YOLO files in {folder} contain no boxes.", folder=files.labels.location
                ),
                "A line has the index of the class, and center, width and height of the box as "
                "fractions of the size of the image.",
                "source",
            )
        names = setup.names or [str(number) for number in range(highest + 1)]
        if not setup.names and options.class_names:
            names = list(options.class_names)
        classes = renamed(names, (), options)
        found: dict[str, PictureBoxes | None] = dict.fromkeys(texts.unread)
        found |= {picture: _known(boxes, len(names)) for picture, boxes in texts.found.items()}
        found |= {picture: BoxList().result() for picture in texts.pairs.without_file}

        def later(picture: str) -> PictureBoxes:
            return _known(parse(texts.unread[picture]), len(names))

        def split_of_path(picture: str) -> str | None:
            return setup.splits.get(picture) or split_of_picture(picture)

        problems = texts.pairs.problems + setup.problems + _without_picture(files, texts.pairs)
        return found_boxes(files, classes, options, found, problems, split_of_path, later)


def _is_box(words: list[str]) -> bool:
    numbers = [number_in(word) for word in words]
    return (
        len(words) >= _BOX
        and numbers[0] >= 0
        and numbers[0].is_integer()
        and all(-_ROUNDING <= number <= 1 + _ROUNDING for number in numbers[1:_BOX])
    )


def _parsed(files: AnnotatedFiles, path: str, has_poses: bool) -> BoxList:
    """Return the boxes of a file as fractions of the size of the picture.

    Raises:
        BadDataError: The file cannot be read; a short reason.
    """
    boxes = BoxList()
    for words in words_of(text_of(files.labels, path)):
        label, *numbers = map(number_in, words)
        if len(words) < _BOX:
            boxes.without_box += 1
        elif not (0 <= label < MOST_CLASSES and label.is_integer()):
            boxes.unknown[name_in(words[0])] += 1
        elif len(words) >= _FEWEST_OUTLINE and not has_poses:
            xs, ys = numbers[::2][: len(numbers) // 2], numbers[1::2]
            is_finite = all(map(math.isfinite, numbers))
            corners = (min(xs), min(ys), max(xs), max(ys)) if is_finite else (math.nan,) * 4
            boxes.add(int(label), corners)
        else:
            x, y, width, height = numbers[: _BOX - 1]
            corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            boxes.add(int(label), corners)
    return boxes


def _known(boxes: BoxList, classes: int) -> PictureBoxes:
    """Return the boxes whose class has a name."""
    rows = boxes.rows
    is_known = rows[:, CLASS] < classes
    for label in rows[~is_known, CLASS].astype(int).tolist():
        boxes.unknown[str(label)] += 1
    return boxes.result(is_relative=True, rows=rows[is_known])


def _without_picture(files: AnnotatedFiles, pairs: Pairs) -> list[LeftOut]:
    """Return a report for files with boxes that no picture belongs to.

    Other texts are no annotations.
    """
    return [
        LeftOut(path, "no image belongs to this annotation file")
        for path in pairs.without_picture
        if looks_like(files.labels, [path], _is_box)
    ]


@dataclass(slots=True)
class _Setup:
    """Content of the files beside the annotations.

    Attributes:
        names: Names of the classes in the order of their index; empty if unknown.
        splits: Splits of pictures.
        has_poses: True if lines have a box and points, instead of an outline.
        problems: Files that cannot be used, and why.
    """

    names: list[str] = field(default_factory=list)
    splits: dict[str, str] = field(default_factory=dict)
    has_poses: bool = False
    problems: list[LeftOut] = field(default_factory=list)


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
        raise BadDataError(message("it is larger than {limit} MB", limit=_LARGEST_YAML // 2**20))
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
        pairs = ((number_in(key), name_in(name)) for key, name in value.items())
        by_number = {int(number): name for number, name in pairs if 0 <= number < MOST_CLASSES}
        names = [by_number.get(number, "") for number in range(max(by_number, default=-1) + 1)]
    else:
        names = [name_in(each) for each in value] if isinstance(value, list) else []
    return _distinct(names[: MOST_CLASSES + 1])


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names that are neither empty nor the same: the index is added where one is."""
    found: list[str] = []
    for number, name in enumerate(names):
        unique = name or str(number)
        while unique in found:
            unique = f"{unique} {number}"
        found.append(unique)
    return found


def _listed_names(tree: Tree, problems: list[LeftOut]) -> list[str]:
    """Return the names of a file with one on each line; nothing without one."""
    paths = [
        path
        for path in tree.paths
        if path.rpartition("/")[2].casefold() in _NAME_FILES or path.endswith(".names")
    ]
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
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
    for line in lines:
        picture = names.find(line.strip(), path) if "." in line else None
        if picture is not None:
            setup.splits.setdefault(picture, split)
