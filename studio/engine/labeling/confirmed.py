"""Folders outside of a labeling whose pictures this user has confirmed on this computer.

A foreign labeling may name any file. Opening one on a network share sends
the credentials of the user to its server on Windows. So a picture outside of the record is opened
only if its folder was added here, or confirmed. The file of confirmed folders holds a code for
each that only this user on this computer can make; a copy of another one has no effect.
"""

from __future__ import annotations

import json
import ntpath
import os
import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from studio.engine.files import write_atomically
from studio.engine.jobs.queue import code_for, is_code_for
from studio.engine.labeling.items import ItemLine
from studio.engine.workspace import Record

FILE: Final = "confirmed.json"


class ConfirmedFolders:
    """The confirmed folders of a labeling.

    Args:
        record: The record of the labeling.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._file = record.folder / FILE
        self._stamp = 0
        self._codes: dict[str, str] = {}
        self._folders: list[str] = []
        self._known: set[str] = set()

    def covers(self, folder: str) -> bool:
        """Return True if a folder, or one above it, is confirmed."""
        if folder in self._known:
            return True
        self._read_new()
        is_covered = any(_is_inside(folder, each) for each in self._folders)
        if is_covered:
            self._known.add(folder)
        return is_covered

    def add(self, folders: Iterable[str]) -> None:
        """Confirm folders with everything in them.

        Raises:
            DiskFullError: No space was left.
        """
        new = [each for each in dict.fromkeys(folders) if not self.covers(each)]
        if new:
            # The codes of others who share the record stay.
            self._codes |= {code_for(self._content(each)): each for each in new}
            self._folders += new
            write_atomically(self._file, json.dumps(self._codes, indent=1))

    def _read_new(self) -> None:
        """Read the file again if another process has written it."""
        try:
            stamp = self._file.stat().st_mtime_ns
            if stamp == self._stamp:
                return
            codes = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return  # nothing is confirmed
        self._stamp = stamp
        if not isinstance(codes, dict):
            return
        self._codes = {code: each for code, each in codes.items() if isinstance(each, str)}
        self._folders = [each for code, each in self._codes.items() if self._is_ours(code, each)]

    def _is_ours(self, code: str, folder: str) -> bool:
        return code.isascii() and is_code_for(code, self._content(folder))

    def _content(self, folder: str) -> bytes:
        return f"labeling {self._record.id}\n{folder}".encode("utf-8", "surrogatepass")


def outside_folder(path: str) -> str | None:
    r"""Return the folder of a path that is absolute on any system; None for one in the record.

    Paths of Windows count on every system, and so do those without a drive (`\temp`).
    """
    if ntpath.splitdrive(path)[0] or path.startswith("\\"):
        return ntpath.dirname(ntpath.normpath(path))
    return posixpath.dirname(posixpath.normpath(path)) if path.startswith("/") else None


def folder_added(line: ItemLine) -> str | None:
    """Return the folder that a user added for a picture: that of its source, or its own."""
    folder = outside_folder(line.path)
    if folder is None or not line.source or not Path(line.source).is_absolute():
        return folder
    source = os.path.normpath(line.source)
    return source if _is_inside(folder, source) else folder


def _is_inside(folder: str, other: str) -> bool:
    """Return True if a folder is another one, or lies in it."""
    separator = "\\" if "\\" in other and not other.startswith("/") else "/"
    if separator == "\\":
        folder, other = folder.casefold(), other.casefold()
    return folder == other or folder.startswith(other.rstrip(separator) + separator)
