"""Which of the files and folders that somebody chose can be imported, told from names alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studio.engine.datasets.sources import SOURCES
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES


def importable(paths: Sequence[Path]) -> Path | None:
    """The one folder, or the one file of a kind that a source reads; a picture is none.

    Called while the mouse moves. General sources are asked first: they look at the name, and
    some special ones look inside.
    """
    if len(paths) != 1:
        return None
    path = paths[0]
    if path.is_dir():
        return path
    if path.suffix.casefold() in IMAGE_SUFFIXES:
        return None
    sources = reversed(list(SOURCES))
    return path if any(source.accepts(path) for source in sources) else None
