"""Base of the writers of parts of predictions to files."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import Generic, TypeVar

from studio.engine.files import move, portable_name, replacing, write_atomically
from studio.engine.messages import Text
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.part import PredictionPart

_LONGEST_STEM = 200
"""Longest name of a file without its suffix: file systems take 255 bytes."""

PartT = TypeVar("PartT", bound=PredictionPart)


class PartWriter(ABC, Generic[PartT]):
    """Writes parts of predictions to files, one after another.

    Args:
        folder: Destination, created if missing.
        kinds: Kinds of files from `PredictionPart.file_kinds`.
        names: Names of the outputs, K.
        colors: Colors of the classes as "#rrggbb", K.

    Attributes:
        warnings: What is missing in the files.
    """

    def __init__(
        self, folder: Path, kinds: Collection[str], names: Sequence[str], colors: Sequence[str]
    ) -> None:
        self.warnings: list[Text] = []
        self._folder = folder
        self._kinds = kinds
        self._names = names
        self._colors = colors
        self._taken: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def _written(self, name: str, data: bytes) -> Path:
        path = self._folder / name
        write_atomically(path, data)
        return path

    def _moved(self, large: LargeMap, name: str) -> Path:
        """Give the file of a large map its place and its name, and return its path.

        One from another folder is copied.
        """
        source, path = Path(large.file), self._folder / name
        if source.parent.parent == self._folder:
            move(source, path)
            source.parent.rmdir()
        else:
            with replacing(path) as draft:
                shutil.copyfile(source, draft)
        return path

    def _free_stem(self, image: str, reserved: Collection[str] = ()) -> str:
        """Return a name for the files of a picture that no other one of this folder has.

        Names that differ only in case are one name on Windows and macOS, and Windows refuses
        others, such as `aux`.

        Args:
            image: Path or address of the picture.
            reserved: Names that no picture gets.
        """
        stem = portable_name(PurePath(image).stem or "picture", _LONGEST_STEM)
        name, number = stem, 1
        refused = {each.casefold() for each in reserved}
        while name.casefold() in self._taken or name.casefold() in refused:
            number += 1
            name = f"{stem}-{number}"
        self._taken.add(name.casefold())
        return name

    @abstractmethod
    def add(self, image: str, part: PartT) -> dict[str, str]:
        """Write the files of a picture, and return their paths by kind.

        Args:
            image: Path or address of the picture.
            part: Part of its prediction.

        Raises:
            DiskFullError: No space was left.
            UnwritableError: The files of this picture cannot be written.
        """

    def finish(self) -> list[Path]:
        """Write the files that are about all pictures, and return their paths; none by default.

        Raises:
            DiskFullError: No space was left.
        """
        return []
