"""Which pictures are meant by files, folders and lists, and what is known of their classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, Scan, SourceOptions
from studio.engine.datasets.sources.list_file import SUFFIXES, ListFileSource
from studio.engine.errors import StudioError
from studio.engine.files import one_form
from studio.engine.progress import SilentProgress


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to classify.

    Attributes:
        path: Where it is.
        label: The class that it is known to have; empty where that is not known.
        problem: Why it cannot be classified, where that is known without opening it.
    """

    path: Path
    label: str = ""
    problem: str = ""


def find_pictures(paths: Sequence[Path], classes: Sequence[str] = ()) -> list[Picture]:
    """The pictures meant by files, folders and lists of pictures with their classes.

    Files stay in their order, folders are searched and sorted by path. A folder that is called
    like one of the classes says the class of what is in it; of nested ones the innermost counts.
    In a list a number means the class of that place, unless a class is called so.

    Args:
        paths: What was dropped or typed.
        classes: Names of the classes of the model, in the order of its outputs.

    Raises:
        StudioError: A path does not exist, a folder holds no picture, or a list names none.
    """
    pictures: list[Picture] = []
    for path in paths:
        if path.is_dir():
            pictures += _in_folder(path, classes)
        elif not path.exists():
            raise StudioError(f"There is no file {path}.", "Check the path.", str(path))
        elif path.suffix.casefold() in SUFFIXES:
            pictures += _in_list(path, classes)
        else:
            pictures.append(Picture(path))
    return pictures


def _in_folder(folder: Path, classes: Sequence[str]) -> Iterator[Picture]:
    found = _search(folder)
    if not found:
        raise StudioError(
            f"The folder {folder} holds no picture.",
            f"Looked for {', '.join(sorted(IMAGE_SUFFIXES))}.",
            str(folder),
        )
    known = {one_form(name): name for name in classes}
    above = folder.absolute().name
    for path in found:
        names = [above, *path.relative_to(folder).parts[:-1]]
        hits = (known.get(one_form(name)) for name in reversed(names))
        yield Picture(path, next((name for name in hits if name), ""))


def _in_list(path: Path, classes: Sequence[str]) -> Iterator[Picture]:
    options = SourceOptions(fewest_classes=1)
    scan = ListFileSource().scan(path.absolute(), SilentProgress(), options)
    for item in scan.items:
        label = _meant(item.class_name, classes)
        if "://" in item.key:
            reason = "an address of the web; import the list, or save the picture first"
            yield Picture(Path(item.key), label, reason)
        else:
            yield Picture(path.absolute().parent / item.key, label)
    yield from _left_out(scan)


def _left_out(scan: Scan) -> Iterable[Picture]:
    return (Picture(Path(each.path), problem=each.reason) for each in scan.problems)


def _meant(label: str, classes: Sequence[str]) -> str:
    """The class that a list means by a word or a number."""
    wanted = one_form(label)
    if wanted not in classes and wanted.isascii() and wanted.isdecimal():
        return classes[int(wanted)] if int(wanted) < len(classes) else wanted
    return wanted


def _search(folder: Path) -> list[Path]:
    pictures = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        pictures += [
            Path(parent) / name
            for name in names
            if not name.startswith(".") and Path(name).suffix.lower() in IMAGE_SUFFIXES
        ]
    return sorted(pictures)
