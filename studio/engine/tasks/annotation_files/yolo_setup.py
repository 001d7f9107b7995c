"""Files beside YOLO annotations: YAML with names of classes and splits, lists of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.tables.columns import plain_word
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import Tally, shown
from studio.engine.tasks.annotation_files.text_files import looks_like, text_files, text_of
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    MAX_CLASSES,
    AnnotatedFiles,
    AnnotationWriter,
    LeftOut,
    Tree,
)
from studio.engine.tasks.split_words import split_of

_YAML = "data.yaml"
_LARGEST_YAML = 2**20
_MOST_YAML = 20
_MOST_ENTRIES = 100
"""Folders of a split that are looked for."""
_SPLITS = ("train", "val", "test")
_NAME_SUFFIXES = (".names", "_darknet.labels")
"""Of Darknet, and of its files as Roboflow writes them."""
_NAME_FILES = frozenset({"classes.txt", "obj.names", "names.txt", "labels.txt"})

IsLabel = Callable[[list[str]], bool]
"""Returns True for the words of a line that describes an object."""


class YoloWriter(AnnotationWriter):
    """Writes pictures, text files, and `data.yaml`, as Ultralytics has them."""

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._splits: set[str] = set()

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split; see `AnnotationWriter.picture_path`."""
        return f"images/{split}/{name}"

    def write_lines(self, picture: str, split: str, lines: Sequence[str]) -> None:
        """Write the file of a picture; an empty one for a picture without objects.

        Args:
            picture: Its path relative to the folder.
            split: Its split.
            lines: A line for each object.
        """
        folder = self.folder / "labels" / split
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{PurePosixPath(picture).stem}.txt"
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self._splits.add(split)

    def finish(self) -> None:
        """Write the names of the classes and the folders of the splits."""
        folders = {split: f"images/{split}" for split in _SPLITS if split in self._splits}
        document = {"path": ".", **folders, "names": dict(enumerate(self.names))}
        text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
        (self.folder / _YAML).write_text(text, encoding="utf-8")


@dataclass(slots=True)
class YoloSetup:
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


def yolo_setup(files: AnnotatedFiles, is_label: IsLabel) -> YoloSetup:
    """Read the names of classes and the splits.

    Args:
        files: Pictures and annotations.
        is_label: Returns True for the words of a line that describes an object.

    Raises:
        StudioError: The same number means two classes.
    """
    setup = YoloSetup()
    described, place = _read_names(setup, files, is_label)
    setup.has_poses = "kpt_shape" in described
    names = PictureNames(files)
    for split in _SPLITS:
        value = described.get(split) or (described.get("valid") if split == "val" else None)
        for entry in value[:_MOST_ENTRIES] if isinstance(value, list) else [value]:
            if isinstance(entry, str) and entry.strip():
                _add_split(setup, files, names, split, (place, described.get("path"), entry))
    by_name = _darknet_lists(files.labels)
    for path in text_files(files.labels):
        listed = by_name.get(PurePosixPath(path).name) or split_of(PurePosixPath(path).stem)
        if listed is not None and path.count("/") <= 1:
            _add_list(setup, files.labels, names, listed, path)
    return setup


def _darknet_lists(tree: Tree) -> dict[str, str]:
    """Return the splits of lists of pictures by their names, as `obj.data` of Darknet has them."""
    found: dict[str, str] = {}
    for path in tree.paths:
        if not path.casefold().endswith(".data") or path.count("/") > 1:
            continue
        try:
            text = tree.head(path).decode("utf-8", "replace")
        except BadDataError:
            continue
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if (split := split_of(key.strip())) is not None:
                found[PurePosixPath(value.strip().replace("\\", "/")).name] = split
    return found


def _read_names(
    setup: YoloSetup, files: AnnotatedFiles, is_label: IsLabel
) -> tuple[dict[str, Any], str]:
    """Read the names of classes, and return the YAML file that has them, and its path.

    Args:
        setup: Receives the names.
        files: Pictures and annotations.
        is_label: Returns True for the words of a line that describes an object.

    Raises:
        StudioError: The same number means two classes.
    """
    described: dict[str, Any] = {}
    place = ""
    trees = [files.labels] if files.are_together else [files.labels, files.images]
    named: list[tuple[str, list[str]]] = []
    for tree, path in ((each, path) for each in trees for path in _yaml_files(each)):
        try:
            document = _parsed_yaml(tree, path)
        except BadDataError as error:
            setup.problems.append(LeftOut(path, error.message))
            continue
        if "names" not in document:
            continue
        found = _names_in(document)
        named.append((path, found))
        if not setup.names:
            setup.names = found
            described, place = document, path
            _check_count(setup, document, path)
    for tree in trees:
        listed_names = _listed_names(setup, tree, is_label)
        setup.names = setup.names or next((found for _, found in listed_names), [])
        named += listed_names
    setup.warnings += _check_lists(files, named)
    return described, place


def _check_count(setup: YoloSetup, document: Mapping[str, Any], path: str) -> None:
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
    if setup.names:
        setup.warnings += _repeated(map(name_in, entries), path)
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
    return _distinct(names[: MAX_CLASSES + 1])


def _by_number(names: Mapping[str, Any]) -> dict[int, str]:
    """Return the names of classes by their numbers."""
    pairs = ((number_in(key), name_in(name)) for key, name in names.items())
    return {int(number): name for number, name in pairs if 0 <= number < MAX_CLASSES}


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names that are neither empty nor the same: the index is added where one is."""
    found: list[str] = []
    for number, name in enumerate(names):
        unique = name or str(number)
        while unique in found:
            unique = f"{unique} {number}"
        found.append(unique)
    return found


def _repeated(names: Iterable[str], path: str) -> list[Text]:
    """Return a sentence about names of several classes.

    Args:
        names: The names in a file.
        path: Its path.
    """
    counts = Counter(filter(None, names))
    found = [name for name, count in counts.items() if count > 1]
    if not found:
        return []
    return [
        message(
            '{file} gives {count} names to several class numbers, such as "{first}"; the others '
            "get their number appended. If they are the same class, change the numbers.",
            one='{file} gives the name "{first}" to several class numbers; the others get their '
            "number appended. If they are the same class, change the numbers.",
            count=len(found),
            file=path,
            first=shown(found[0]),
        )
    ]


def _name_files(tree: Tree) -> list[str]:
    """Return files with a name on each line, those nearest to the root first."""
    paths = [
        path
        for path in tree.paths
        if path.rpartition("/")[2].casefold() in _NAME_FILES or path.endswith(_NAME_SUFFIXES)
    ]
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _listed_names(setup: YoloSetup, tree: Tree, is_label: IsLabel) -> list[tuple[str, list[str]]]:
    """Return the files with a name on each line, and their names."""
    found: list[tuple[str, list[str]]] = []
    for path in _name_files(tree):
        try:
            lines = [line.strip() for line in text_of(tree, path).splitlines()]
        except BadDataError as error:
            setup.problems.append(LeftOut(path, error.message))
            continue
        while lines and not lines[-1]:
            lines.pop()
        if lines and not looks_like(tree, [path], is_label):
            names = [name_in(line) for line in lines[: MAX_CLASSES + 1]]
            if not (setup.names or found):  # the first list is used
                setup.warnings += _repeated(names, path)
            found.append((path, _distinct(names)))
    return found


def _check_lists(files: AnnotatedFiles, named: Sequence[tuple[str, list[str]]]) -> list[Text]:
    """Return a warning about other names of the same set, and refuse sets with other classes.

    Args:
        files: Pictures and annotations.
        named: Files with names of classes, and the names; those of the first are used.

    Raises:
        StudioError: Two sets have names of their own, and the same number means two classes.
    """
    first, names = next(((path, found) for path, found in named if found), ("", []))
    others = Tally()
    pictures = files.images.pictures
    for path, found in named:
        if _are_same(found, names):
            continue
        others.add(path)
        if _pictures_of_set(pictures, path) != _pictures_of_set(pictures, first):
            raise StudioError(
                "{first} and {other} name the classes in another order: the same number means "
                "two classes.",
                "Import each folder by itself, and add the second one to the dataset of the first "
                "(--add-to).",
                "source",
                first=first,
                other=path,
            )
    if not others:
        return []
    return [
        message(
            "The names of classes in {count} files, such as {other}, differ from those in "
            "{first}, which are used. If the numbers are those of another file, remove {first}.",
            one="The names of classes in {other} differ from those in {first}, which are used. "
            "If the numbers are those of {other}, remove {first}.",
            count=others.count,
            other=others.first,
            first=first,
        )
    ]


def _are_same(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if names with the same number differ in case, spaces and signs at most."""
    words, other_words = ([plain_word(name) for name in each] for each in (names, others))
    if any(len(set(each)) < len(each) or "" in each for each in (words, other_words)):
        words, other_words = [*names], [*others]  # signs tell them apart
    return all(map(str.__eq__, words, other_words))


def _pictures_of_set(pictures: Sequence[str], path: str) -> list[str]:
    """Return the pictures below the nearest folder around a file that has some."""
    for folder in PurePosixPath(path).parents:
        start = f"{folder}/" if folder.parts else ""
        if found := [picture for picture in pictures if picture.startswith(start)]:
            return found
    return []


def _add_split(
    setup: YoloSetup,
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


def _add_list(setup: YoloSetup, tree: Tree, names: PictureNames, split: str, path: str) -> None:
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


def has_names(tree: Tree) -> bool:
    """Return True if there may be a file with the names of classes."""
    return bool(_yaml_files(tree) or _name_files(tree))


def from_one(names: Sequence[str], used: Collection[int]) -> list[Text]:
    """Return a sentence about numbers of classes that seem to begin at 1 instead of 0.

    Args:
        names: Names of the classes.
        used: Numbers of the classes of the objects.
    """
    if not used or min(used) < 1 or max(used) != len(names):
        return []
    return [
        message(
            "The class numbers of the objects go from {first} to {last}, but the {count} names "
            "are those of 0 to {most}: if the numbers begin at 1, each object got the name after "
            "its own. Write numbers from 0, or a name for each number.",
            first=min(used),
            last=max(used),
            count=len(names),
            most=len(names) - 1,
        )
    ]


def without_text(pictures: Sequence[str]) -> list[Text]:
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
