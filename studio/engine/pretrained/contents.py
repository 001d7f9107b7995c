"""Checks of files of sources: by their checksum, or by reading them where there is none."""

from __future__ import annotations

import json
from pathlib import Path

from studio.engine.documents import DAMAGED
from studio.engine.pretrained.sources import SourceFile
from studio.engine.web.transfer import is_whole

_LARGEST_JSON = 2**24
"""Bytes; those of presets have some thousand."""


def is_published(path: Path, file: SourceFile) -> bool:
    """Return True if a file has the published checksum; without one, if it is readable.

    Args:
        path: The file, whatever its name.
        file: What it should be.
    """
    return is_whole(path, file.digest) if file.digest else is_readable(path, file.name)


def is_readable(path: Path, name: str) -> bool:
    """Return True if a file is whole and of its kind: not cut off, and no page of a server.

    Args:
        path: The file, whatever its name.
        name: Its published name, whose ending says what it holds; of an unknown ending, any
            content counts.
    """
    try:
        size = path.stat().st_size
        if name.endswith(".json"):
            is_small = size <= _LARGEST_JSON
            return is_small and isinstance(json.loads(path.read_text("utf-8")), dict)
        if name.endswith(".h5"):
            import h5py  # noqa: PLC0415 - every verb starts through this module

            with h5py.File(path, "r", locking=False):  # notices a file that was cut off
                return True
    except DAMAGED:
        return False
    return size > 0
