"""A folder that holds one folder of images per class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Fetch,
    Item,
    OnDisk,
    Scan,
    SourceOptions,
    read_whole,
)
from studio.engine.datasets.sources.shared.names import known_images, split_of
from studio.engine.datasets.sources.shared.walk import (
    ONE_FOLDER_EACH,
    Walk,
    inner_folder,
    require_folder,
)
from studio.engine.errors import StudioError
from studio.engine.progress import Progress


class SingleFiles(OnDisk):
    """Base of sources whose images are files of their own; keys are their paths."""

    def read(self, path: Path, items: Sequence[Item]) -> Iterator[tuple[int, Fetch]]:
        """Give every file; threads open them. See `Source.read`."""
        for index, item in enumerate(items):
            yield index, partial(_whole_file, self.base(path) / item.key)

    def open(self, path: Path, item: Item) -> BinaryIO:
        """Open one image file."""
        return (self.base(path) / item.key).open("rb")

    def base(self, path: Path) -> Path:
        """The folder that keys are relative to."""
        return path


class FolderSource(SingleFiles):
    """Every sub-folder is a class; its images are found however deep they lie."""

    name = "folder"
    label = "Folder with one folder per class"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Whether `path` is a folder."""
        return path.is_dir()

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find the images of every class; see `Source.scan`."""
        require_folder(path)
        walk = Walk(path, progress)
        start = inner_folder(path)
        names, loose = walk.top_level(start)
        empty = [name for name in names if not walk.read_class(name, start)]
        _require_classes(path, walk, (names, loose), options)
        for name in empty:
            progress.warn(f'The folder "{name}" holds no images, so it is no class.')
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
            f'{path} holds images of one class only: "{classes[0]}".',
            "A network learns to tell at least two classes apart; add a folder for another.",
            "source",
        )
    if loose:
        raise StudioError(
            f"{path} holds {loose} images, but no folders that say their class.",
            ONE_FOLDER_EACH,
            "source",
        )
    if names:
        raise StudioError(
            f"None of the {len(names)} folders in {path} holds an image.", known_images(), "source"
        )
    if walk.scan.problems:
        first = walk.scan.problems[0]
        raise StudioError(
            f"{path} holds no images; the first thing in it is left out: {first.path} "
            f"({first.reason}).",
            known_images(),
            "source",
        )
    raise StudioError(f"{path} is an empty folder.", ONE_FOLDER_EACH, "source")


def _refuse_split_folders(path: Path, scan: Scan, classes: list[str]) -> None:
    """Never train a network to tell "train" from "test": such folders hold the classes inside."""
    split_words = all(split_of(name) for name in classes)
    if split_words and all(item.key.count("/") > 1 for item in scan.items):
        raise StudioError(
            f"The folders in {path} are splits ({', '.join(classes)}), not classes.",
            f"Choose the folder that holds the classes, for example {path / classes[0]}.",
            "source",
        )
