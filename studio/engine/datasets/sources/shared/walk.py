"""Walks over folders on the disk: every file once, whatever the links lead to."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.names import is_hidden, looks_like_image, not_an_image
from studio.engine.errors import StudioError
from studio.engine.natural_order import natural_key
from studio.engine.progress import Progress

ONE_FOLDER_EACH = "Put the images of each class into a folder of their own, inside one folder."


class Walk:
    """One walk over the folders of one root. Links are followed, each folder once per class.

    Attributes:
        root: Keys of images are relative to it.
        scan: What was found so far.
    """

    def __init__(self, root: Path, progress: Progress) -> None:
        self.root = root
        self.scan = base.Scan()
        self._progress = progress
        self._root_id = _folder_id(root)
        self._seen: set[tuple[int, int]] = set()

    def top_level(self, start: str = "") -> tuple[list[str], int]:
        """Class folders in `start` by name, and how many images lie loose beside them."""
        names: list[str] = []
        loose = 0
        for entry in self._entries(start):
            key = f"{start}/{entry.name}".lstrip("/")
            if _is_folder(entry):
                names.append(entry.name)
            elif looks_like_image(entry.name):
                loose += 1
                self.skip(key, "it lies beside the class folders and so has no class")
            else:
                self.skip(key, not_an_image(entry.name))
        return names, loose

    def read_class(self, name: str, start: str = "", split: str | None = None) -> int:
        """Add the images of one class folder in `start`; returns how many there are."""
        before = len(self.scan.items)
        self._seen = {self._root_id}
        folders = [f"{start}/{name}".lstrip("/")]
        while folders:
            folder = folders.pop()
            inner = self._read_folder(folder, name, split) if self._is_new(folder) else []
            folders.extend(reversed(inner))
        return len(self.scan.items) - before

    def skip(self, key: str, reason: str) -> None:
        """List something that is left out."""
        self.scan.problems.append(base.Skipped(base.safe_text(key), reason))

    def _read_folder(self, folder: str, class_name: str, split: str | None) -> list[str]:
        inner: list[str] = []
        for entry in self._entries(folder):
            key = f"{folder}/{entry.name}"
            if _is_folder(entry):
                inner.append(key)
            elif looks_like_image(entry.name):
                self._add(entry, key, class_name, split)
            else:
                self.skip(key, not_an_image(entry.name))
        return inner

    def _add(self, entry: os.DirEntry[str], key: str, class_name: str, split: str | None) -> None:
        try:
            facts = entry.stat()
        except OSError as error:
            self.skip(key, f"it cannot be read: {error.strerror}")
            return
        if not stat.S_ISREG(facts.st_mode):
            # Opening a pipe that is called a.png would wait for ever.
            self.skip(key, "not a regular file")
            return
        self.scan.items.append(base.Item(key, class_name, split, facts.st_size, facts.st_mtime_ns))
        if len(self.scan.items) % 500 == 0:
            self._progress.advance(len(self.scan.items), 0, "Looking for images")

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """Visible entries in natural order; names that are no UTF-8 are skipped and listed."""
        self._progress.check()
        try:
            with os.scandir(self.root / folder) as found:
                entries = [entry for entry in found if not is_hidden(entry.name)]
        except OSError as error:
            self.skip(folder, f"the folder cannot be read: {error.strerror}")
            return []
        good = []
        for entry in sorted(entries, key=lambda entry: natural_key(entry.name)):
            if base.safe_text(entry.name) == entry.name:
                good.append(entry)
            else:
                self.skip(f"{folder}/{entry.name}".lstrip("/"), "its name is not valid UTF-8")
        return good

    def _is_new(self, folder: str) -> bool:
        try:
            identity = _folder_id(self.root / folder)
        except OSError as error:
            self.skip(folder, f"the folder cannot be read: {error.strerror}")
            return False
        if identity in self._seen:
            self.skip(folder, "a link to a folder that was already read")
            return False
        self._seen.add(identity)
        return True


def require_folder(path: Path) -> None:
    """Refuse a path that is no folder.

    Raises:
        StudioError: Nothing is there, or something that is not a folder.
    """
    if not path.exists():
        raise StudioError(f"There is nothing at {path}.", "Check the path.", "source")
    if not path.is_dir():
        raise StudioError(f"{path} is not a folder.", ONE_FOLDER_EACH, "source")


def visible_folders(path: Path) -> tuple[list[str], int]:
    """Names of the visible folders in a folder, and how many images lie beside them.

    A folder that cannot be read has none.
    """
    names: list[str] = []
    images = 0
    try:
        with os.scandir(path) as found:
            for entry in found:
                if is_hidden(entry.name):
                    continue
                if _is_folder(entry):
                    names.append(entry.name)
                images += looks_like_image(entry.name)
    except OSError:
        return [], 0
    return names, images


def inner_folder(path: Path) -> str:
    """The folder to begin in, relative to `path`: unpacked archives wrap everything in one more.

    Goes down while a folder holds exactly one folder and no image, and that one holds several.
    """
    inside: list[str] = []
    names, images = visible_folders(path)
    while len(names) == 1 and not images and len(inside) < 8:
        inside.append(names[0])
        names, images = visible_folders(path.joinpath(*inside))
        if len(names) > 1 and not images:
            return "/".join(inside)
    return ""


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False


def _folder_id(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_dev, facts.st_ino
