"""Sources: one file per input format, each of which finds images and opens them.

Never decodes images; imports neither NumPy nor Pillow at the top of a file. `digits` is no source:
it writes a folder that the folder source reads.

To add a source: 1. write `<name>.py` with a class that follows `base.Source`; 2. list it below,
special formats before general ones, because the first that accepts a path reads it.
"""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.sources.base import Source
from studio.engine.datasets.sources.folder import FolderSource, require_folder
from studio.engine.errors import StudioError
from studio.engine.registry import Registry

SOURCES: Registry[Source] = Registry("source", [FolderSource()])


def source_for(path: Path) -> Source:
    """The first source that can read `path`.

    Raises:
        StudioError: Nothing is there, or no source reads it.
    """
    for source in SOURCES:
        if source.accepts(path):
            return source
    require_folder(path)
    known = ", ".join(source.label for source in SOURCES)
    raise StudioError(f"Nothing here can read {path}.", f"Read are: {known}.", "source")
