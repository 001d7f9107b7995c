"""A folder that holds one folder of images per class."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from studio.engine.datasets.sources.base import (
    IMAGE_SUFFIXES,
    Item,
    Scan,
    Skipped,
    natural_key,
    safe_text,
)
from studio.engine.errors import StudioError
from studio.engine.progress import Progress

_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "$recycle.bin"})
_SPLIT_WORDS = frozenset({"train", "training", "val", "valid", "validation", "test", "testing"})
_ONE_FOLDER_EACH = "Put the images of each class into a folder of their own, inside one folder."


class FolderSource:
    """Every sub-folder is a class; its images are found however deep they lie."""

    name = "folder"
    label = "Folder with one folder per class"

    def accepts(self, path: Path) -> bool:
        """Whether `path` is a folder."""
        return path.is_dir()

    def scan(self, path: Path, progress: Progress) -> Scan:
        """Find the images of every class; see `Source.scan`."""
        require_folder(path)
        walk = _Walk(path, progress)
        names, loose = walk.top_level()
        empty = [name for name in names if not walk.read_class(name)]
        _require_classes(path, walk, names, loose)
        for name in empty:
            progress.warn(f'The folder "{name}" holds no images, so it is no class.')
        return walk.scan

    def open(self, path: Path, item: Item) -> BinaryIO:
        """Open one image file."""
        return (path / item.key).open("rb")


def require_folder(path: Path) -> None:
    """Refuse a path that is no folder.

    Raises:
        StudioError: Nothing is there, or something that is not a folder.
    """
    if not path.exists():
        raise StudioError(f"There is nothing at {path}.", "Check the path.", "source")
    if not path.is_dir():
        raise StudioError(f"{path} is not a folder.", _ONE_FOLDER_EACH, "source")


class _Walk:
    """One walk over the folders of one root. Links are followed, each folder once per class."""

    def __init__(self, root: Path, progress: Progress) -> None:
        self.root = root
        self.scan = Scan()
        self._progress = progress
        self._root_id = _folder_id(root)
        self._seen: set[tuple[int, int]] = set()

    def top_level(self) -> tuple[list[str], int]:
        """Class folders by name, and how many images lie loose beside them."""
        names: list[str] = []
        loose = 0
        for entry in self._entries(""):
            if _is_folder(entry):
                names.append(entry.name)
            elif _looks_like_image(entry.name):
                loose += 1
                self._skip(entry.name, "it lies beside the class folders and so has no class")
            else:
                self._skip(entry.name, _not_an_image(entry.name))
        return names, loose

    def read_class(self, name: str) -> int:
        """Add the images of one class; returns how many there are."""
        before = len(self.scan.items)
        self._seen = {self._root_id}
        folders = [name]
        while folders:
            folder = folders.pop()
            inner = self._read_folder(folder, name) if self._is_new(folder) else []
            folders.extend(reversed(inner))
        return len(self.scan.items) - before

    def _read_folder(self, folder: str, class_name: str) -> list[str]:
        inner: list[str] = []
        for entry in self._entries(folder):
            key = f"{folder}/{entry.name}"
            if _is_folder(entry):
                inner.append(key)
            elif _looks_like_image(entry.name):
                self._add(entry, key, class_name)
            else:
                self._skip(key, _not_an_image(entry.name))
        return inner

    def _add(self, entry: os.DirEntry[str], key: str, class_name: str) -> None:
        try:
            facts = entry.stat()
        except OSError as error:
            self._skip(key, f"it cannot be read: {error.strerror}")
            return
        if not stat.S_ISREG(facts.st_mode):
            # Opening a pipe that is called a.png would wait for ever.
            self._skip(key, "not a regular file")
            return
        self.scan.items.append(Item(key, class_name, None, facts.st_size, facts.st_mtime_ns))
        if len(self.scan.items) % 500 == 0:
            self._progress.advance(len(self.scan.items), 0, "Looking for images")

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """Visible entries in natural order; names that are no UTF-8 are skipped and listed."""
        self._progress.check()
        try:
            with os.scandir(self.root / folder) as found:
                entries = [entry for entry in found if not _is_hidden(entry.name)]
        except OSError as error:
            self._skip(folder, f"the folder cannot be read: {error.strerror}")
            return []
        good = []
        for entry in sorted(entries, key=lambda entry: natural_key(entry.name)):
            if safe_text(entry.name) == entry.name:
                good.append(entry)
            else:
                self._skip(f"{folder}/{entry.name}".lstrip("/"), "its name is not valid UTF-8")
        return good

    def _is_new(self, folder: str) -> bool:
        try:
            identity = _folder_id(self.root / folder)
        except OSError as error:
            self._skip(folder, f"the folder cannot be read: {error.strerror}")
            return False
        if identity in self._seen:
            self._skip(folder, "a link to a folder that was already read")
            return False
        self._seen.add(identity)
        return True

    def _skip(self, key: str, reason: str) -> None:
        self.scan.problems.append(Skipped(safe_text(key), reason))


def _require_classes(path: Path, walk: _Walk, names: list[str], loose: int) -> None:
    classes = walk.scan.classes()
    if len(classes) >= 2:
        _refuse_split_folders(path, walk.scan, classes)
        return
    if len(classes) == 1:
        raise StudioError(
            f'{path} holds images of one class only: "{classes[0]}".',
            "A network learns to tell at least two classes apart; add a folder for another.",
            "source",
        )
    if loose:
        raise StudioError(
            f"{path} holds {loose} images, but no folders that say their class.",
            _ONE_FOLDER_EACH,
            "source",
        )
    if names:
        raise StudioError(
            f"None of the {len(names)} folders in {path} holds an image.", _known(), "source"
        )
    if walk.scan.problems:
        first = walk.scan.problems[0]
        raise StudioError(
            f"{path} holds no images; the first thing in it is left out: {first.path} "
            f"({first.reason}).",
            _known(),
            "source",
        )
    raise StudioError(f"{path} is an empty folder.", _ONE_FOLDER_EACH, "source")


def _refuse_split_folders(path: Path, scan: Scan, classes: list[str]) -> None:
    """Never train a network to tell "train" from "test": such folders hold the classes inside."""
    split_words = all(name.casefold() in _SPLIT_WORDS for name in classes)
    if split_words and all(item.key.count("/") > 1 for item in scan.items):
        raise StudioError(
            f"The folders in {path} are splits ({', '.join(classes)}), not classes.",
            f"Choose the folder that holds the classes, for example {path / classes[0]}.",
            "source",
        )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.casefold() in _JUNK


def _looks_like_image(name: str) -> bool:
    return PurePosixPath(name).suffix.casefold() in IMAGE_SUFFIXES


def _not_an_image(name: str) -> str:
    suffix = safe_text(PurePosixPath(name).suffix)
    return f'not a known image format: "{suffix}"' if suffix else "not an image"


def _known() -> str:
    return f"Images are files that end in {', '.join(sorted(IMAGE_SUFFIXES))}."


def _folder_id(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_dev, facts.st_ino
