"""Checks by name alone if files and folders can be imported or are pictures to classify.

The window starts without this module's imports: sources read many formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def are_pictures(paths: Sequence[Path]) -> bool:
    """Return True if there are paths and all have the suffix of an image."""
    from studio.engine.datasets.sources.base import IMAGE_SUFFIXES  # noqa: PLC0415 - as above

    return bool(paths) and all(path.suffix.casefold() in IMAGE_SUFFIXES for path in paths)


def importable(paths: Sequence[Path]) -> Path | None:
    """Return the only path if it is a folder or a file that a source reads, but not a picture.

    Called while the mouse moves. General sources come first: they check the name, and some
    special ones open the file.
    """
    if len(paths) != 1:
        return None
    path = paths[0]
    if path.is_dir():
        return path
    if are_pictures(paths):
        return None
    from studio.engine.datasets.sources import SOURCES  # noqa: PLC0415 - as above

    sources = reversed(list(SOURCES))
    return path if any(source.accepts(path) for source in sources) else None
