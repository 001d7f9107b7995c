"""Which pictures a person means by a list of files and folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.errors import StudioError


def expand(paths: Sequence[Path]) -> list[Path]:
    """The pictures meant by files and folders: files as given, folders searched, sorted by path.

    Raises:
        StudioError: A path does not exist, or a folder holds no picture.
    """
    pictures: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = _search(path)
            if not found:
                raise StudioError(
                    f"The folder {path} holds no picture.",
                    f"Looked for {', '.join(sorted(IMAGE_SUFFIXES))}.",
                    str(path),
                )
            pictures.extend(found)
        elif path.exists():
            pictures.append(path)
        else:
            raise StudioError(f"There is no file {path}.", "Check the path.", str(path))
    return pictures


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
