"""A folder with one folder of images per class, also inside of folders per split."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Fetch,
    Item,
    OnDisk,
    Scan,
    SourceOptions,
    read_whole,
)
from studio.engine.datasets.sources.shared.names import (
    is_hidden,
    known_images,
    looks_like_image,
    not_an_image,
)
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import split_of

ONE_FOLDER_EACH = "Put the images of each class into a separate folder, inside one folder."


class Walk:
    """One walk over the folders of one root. Links are followed, each folder once per class.

    Attributes:
        root: Keys of images are relative to it.
        scan: Results so far.
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
                self.skip(key, "it is outside the class folders and so has no class")
            else:
                self.skip(key, not_an_image(entry.name))
        return names, loose

    def read_class(self, name: str, start: str = "", split: str | None = None) -> int:
        """Add the images of a class folder and return their number.

        Args:
            name: Name of the folder and class.
            start: Path of the folder that contains it.
            split: Split of the images; None if the source defines none.
        """
        before = len(self.scan.items)
        for key, facts in self.files(f"{start}/{name}".lstrip("/")):
            if looks_like_image(key):
                item = base.Item(key, name, split, facts.st_size, facts.st_mtime_ns)
                self.scan.items.append(item)
            else:
                self.skip(key, not_an_image(key))
        return len(self.scan.items) - before

    def files(self, start: str = "") -> Iterator[tuple[str, os.stat_result]]:
        """Yield the key and the facts of every visible regular file below a folder."""
        self._seen = {self._root_id} if start else set()
        folders = [start]
        found = 0
        while folders:
            folder = folders.pop()
            inner: list[str] = []
            for entry in self._entries(folder) if self._is_new(folder) else ():
                key = f"{folder}/{entry.name}".lstrip("/")
                if _is_folder(entry):
                    inner.append(key)
                elif (facts := self._facts(entry, key)) is not None:
                    found += 1
                    if found % 500 == 0:
                        self._progress.advance(found, 0, "Searching for images")
                    yield key, facts
            folders.extend(reversed(inner))

    def skip(self, key: str, reason: str) -> None:
        """Record a file or folder that is left out.

        Args:
            key: Its path.
            reason: Why.
        """
        self.scan.problems.append(base.Skipped(base.safe_text(key), reason))

    def _facts(self, entry: os.DirEntry[str], key: str) -> os.stat_result | None:
        """Return the facts of a regular file; anything else is listed as left out."""
        try:
            facts = entry.stat()
        except OSError as error:
            self.skip(key, message("it cannot be read: {reason}", reason=error.strerror))
            return None
        if not stat.S_ISREG(facts.st_mode):
            # Opening a pipe that is called a.png would wait for ever.
            self.skip(key, "not a regular file")
            return None
        return facts

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """Visible entries in natural order; names that are no UTF-8 are skipped and listed."""
        self._progress.check()
        try:
            with os.scandir(self.root / folder) as found:
                entries = [entry for entry in found if not is_hidden(entry.name)]
        except OSError as error:
            self.skip(
                folder, message("the folder cannot be read: {reason}", reason=error.strerror)
            )
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
            self.skip(
                folder, message("the folder cannot be read: {reason}", reason=error.strerror)
            )
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
        raise StudioError(
            message("{path} does not exist.", path=path), "Check the path.", "source"
        )
    if not path.is_dir():
        raise StudioError(message("{path} is not a folder.", path=path), ONE_FOLDER_EACH, "source")


def visible_folders(path: Path) -> tuple[list[str], int]:
    """Return the names of the visible subfolders of a folder, and the number of images in it.

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
    """Return the folder to start in, relative to `path`: archives often add a folder around all.

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


class SingleFiles(OnDisk):
    """Base of sources whose images are separate files; keys are their paths."""

    def read(self, path: Path, items: Sequence[Item]) -> Iterator[tuple[int, Fetch]]:
        """Give every file; threads open them. See `Source.read`."""
        for index, item in enumerate(items):
            yield index, partial(_whole_file, self.base(path) / item.key)

    def open(self, path: Path, item: Item) -> BinaryIO:
        """Open an image file; see `Source.open`."""
        return (self.base(path) / item.key).open("rb")

    def base(self, path: Path) -> Path:
        """Return the folder that keys are relative to."""
        return path


class FolderSource(SingleFiles):
    """Every sub-folder is a class; its images are found however deep they lie."""

    name = "folder"
    label = "Folder with one folder per class"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a folder."""
        return path.is_dir()

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find the images of every class; see `Source.scan`."""
        require_folder(path)
        walk = Walk(path, progress)
        start = inner_folder(path)
        names, loose = walk.top_level(start)
        empty = [name for name in names if not walk.read_class(name, start)]
        _require_classes(path, walk, (names, loose), options)
        walk.scan.warnings += [
            message('The folder "{folder}" contains no images, so it is not a class.', folder=name)
            for name in empty
        ]
        return walk.scan


def _whole_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return read_whole(file)


def _require_classes(
    path: Path, walk: Walk, top: tuple[list[str], int], options: SourceOptions
) -> None:
    names, loose = top
    classes = walk.scan.classes()
    if len(classes) >= options.fewest_classes:
        _refuse_split_folders(path, walk.scan, classes)
        return
    if len(classes) == 1:
        raise StudioError(
            message(
                '{folder} contains images of only one class: "{class_name}".',
                folder=path,
                class_name=classes[0],
            ),
            "Training needs at least two classes; add a folder for another class.",
            "source",
        )
    if loose:
        raise StudioError(
            message(
                "{folder} contains {count} images, but no class folders.",
                folder=path,
                count=loose,
            ),
            ONE_FOLDER_EACH,
            "source",
        )
    if names:
        raise StudioError(
            message(
                "None of the {count} folders in {folder} contains an image.",
                count=len(names),
                folder=path,
            ),
            known_images(),
            "source",
        )
    if walk.scan.problems:
        first = walk.scan.problems[0]
        raise StudioError(
            message(
                "{folder} contains no images; the first skipped file: {file} ({reason}).",
                folder=path,
                file=first.path,
                reason=as_message(first.reason),
            ),
            known_images(),
            "source",
        )
    raise StudioError(
        message("{folder} is an empty folder.", folder=path), ONE_FOLDER_EACH, "source"
    )


def _refuse_split_folders(path: Path, scan: Scan, classes: list[str]) -> None:
    """Refuse "train" and "test" as classes: such folders contain the class folders."""
    split_words = all(split_of(name) for name in classes)
    if split_words and all(item.key.count("/") > 1 for item in scan.items):
        raise StudioError(
            message(
                "The folders in {folder} are splits ({splits}), not classes.",
                folder=path,
                splits=", ".join(classes),
            ),
            message(
                "Choose the folder that contains the classes, for example {folder}.",
                folder=path / classes[0],
            ),
            "source",
        )


class SplitFoldersSource(SingleFiles):
    """The splits are the user's; classes and images lie in them as in a folder of classes."""

    name = "split_folders"
    label = "Folder with train, val and test folders"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` holds a folder of training classes and one for another split."""
        return path.is_dir() and bool(_splits(path, inner_folder(path)))

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find the images of every split and class; see `Source.scan`."""
        start = inner_folder(path)
        walk = Walk(path, progress)
        walk.top_level(start)  # lists the files that lie beside the splits
        empty: list[str] = []
        for name, split in _splits(path, start).items():
            folder = f"{start}/{name}".lstrip("/")
            classes, _ = walk.top_level(folder)
            empty += [
                f"{folder}/{label}"
                for label in classes
                if not walk.read_class(label, folder, split)
            ]
        _require_training_classes(path, walk.scan, options)
        walk.scan.warnings += [
            message('The folder "{folder}" contains no images.', folder=folder) for folder in empty
        ]
        return walk.scan


def _splits(path: Path, start: str) -> dict[str, str]:
    """Return the folders of splits by name, training first; empty for another layout."""
    root = path / start
    names, images = visible_folders(root)
    splits = {name: split for name in sorted(names) if (split := split_of(name))}
    is_other = images or len(splits) < 2 or len(splits) < len(names)
    if is_other or "train" not in splits.values():
        return {}
    training = [name for name, split in splits.items() if split == "train"]
    if not all(visible_folders(root / name)[0] for name in training):
        return {}  # classes that are called so, with their images directly inside
    order = ("train", "val", "test")
    return dict(sorted(splits.items(), key=lambda pair: order.index(pair[1])))


def _require_training_classes(path: Path, scan: Scan, options: SourceOptions) -> None:
    classes = {item.class_name for item in scan.items if item.split == "train"}
    if not classes:
        raise StudioError(
            message("The training folders in {folder} hold no images.", folder=path),
            known_images(),
            "source",
        )
    if len(classes) < options.fewest_classes:
        raise StudioError(
            message(
                '{folder} contains training images of only one class: "{class_name}".',
                folder=path,
                class_name=classes.pop(),
            ),
            "Training needs at least two classes; add a folder for another class.",
            "source",
        )
