"""Reads what the worker of a job prints, while it grows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


class LogReader:
    """Reads a growing text file line by line.

    Args:
        path: The file; it may not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._begun = b""

    def new_lines(self) -> Iterator[str]:
        """Yield the complete lines that were added since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._position)
                added = file.read()
        except FileNotFoundError:
            return
        self._position += len(added)
        *lines, self._begun = (self._begun + added).split(b"\n")
        for line in lines:
            yield _decoded(line)

    def unfinished_line(self) -> list[str]:
        """Return what was read after the last line break; empty if there is nothing."""
        return [_decoded(self._begun)] if self._begun else []


def _decoded(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace")
