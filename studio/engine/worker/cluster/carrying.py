"""Files of records on their way between this machine and a node, in pieces that fit in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from studio.engine.errors import StudioError

PIECE_BYTES = 16 * 2**20

Stamp = tuple[int, int]
"""Size in bytes and time of the last change in nanoseconds: a file with another one is another."""


def stamps_of(folder: Path) -> dict[str, Stamp]:
    """The files below a folder, by their relative path with slashes.

    Hidden files and locks are left out: they are of no meaning elsewhere, or not finished.
    """
    found: dict[str, Stamp] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith(".") or name.endswith(".lock"):
                continue
            path = Path(root, name)
            try:
                facts = path.stat()
            except FileNotFoundError:
                continue  # replaced, or tidied up, since it was listed
            found[path.relative_to(folder).as_posix()] = (facts.st_size, facts.st_mtime_ns)
    return found


def fingerprint(paths: Iterable[Path]) -> str:
    """Sixteen letters that change when any of those files, or any file in those folders, does."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path}\n".encode())
        if path.is_file():
            facts = path.stat()
            digest.update(f"{facts.st_size}\t{facts.st_mtime_ns}\n".encode())
        for name, stamp in stamps_of(path).items():
            digest.update(f"{name}\t{stamp}\n".encode())
    return digest.hexdigest()[:16]


def pieces_of(path: Path) -> Iterator[bytes]:
    """What is in a file, piece by piece; of an empty one an empty piece."""
    with path.open("rb") as file:
        yield file.read(PIECE_BYTES)
        while piece := file.read(PIECE_BYTES):
            yield piece


def inside(folder: Path, name: str) -> Path:
    """The file of that relative path.

    Raises:
        StudioError: It would lie outside of the folder.
    """
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(folder) or path == folder:
        raise StudioError(f'"{name}" is no file below {folder}; it is not carried.')
    return path


def lines_from(path: Path, offset: int) -> bytes:
    """The whole lines of a file from a place on; nothing where there is no such file."""
    data = bytes_from(path, offset)
    return data[: data.rfind(b"\n") + 1]


def bytes_from(path: Path, offset: int) -> bytes:
    """What is in a file from a place on; nothing where there is no such file."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read()
    except FileNotFoundError:
        return b""
