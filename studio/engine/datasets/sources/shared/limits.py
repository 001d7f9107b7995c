"""Limits for what a small file may claim: rows, chunks, labels, names and headers."""

from __future__ import annotations

from pathlib import Path

from studio.engine.errors import BadDataError

LARGEST_ROW = 2**28
"""Bytes of one image in an array."""

LONGEST_LABEL = 1000
"""Characters of a class name."""

LONGEST_NAME = 4096
"""Characters of a path in an archive."""

LARGEST_HEADER = 2**20
"""Bytes of what describes a file in an archive, or an array."""

_ALWAYS_PLAUSIBLE = 10_000


def require_plausible_count(count: int, path: Path) -> None:
    """Refuse a file that claims more images than it has bytes.

    Args:
        count: Images that the file claims.
        path: The file.

    Raises:
        BadDataError: It does; the message is a short reason.
        OSError: Its size cannot be read.
    """
    if count > max(_ALWAYS_PLAUSIBLE, path.stat().st_size):
        raise BadDataError(f"it claims {count:,} images, more than a file of its size can hold")


def checked_label(label: str) -> str:
    """Check a class name that a file holds.

    Raises:
        BadDataError: It is empty or too long; the message is a short reason.
    """
    if not label.strip():
        raise BadDataError("it has no label")
    if len(label) > LONGEST_LABEL:
        raise BadDataError(f"its label is longer than {LONGEST_LABEL:,} characters")
    return label
