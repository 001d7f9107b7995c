"""Files by their content: each is brought to a machine once, in parts if the connection breaks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.files import disk_full_is_clear, move, remove_folder, write_atomically
from studio.engine.worker.cluster.node import Stamp, inside, stamps_of

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_BLOCK: Final = 2**20


def hash_of(path: Path) -> str:
    """Return the SHA-256 of the content of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class KnownHashes:
    """Hashes of files, remembered while size and time of a file stay the same.

    Args:
        path: File in which they are stored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, list[object]] = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):
            data = json.loads(path.read_text(encoding="utf-8"))
            self._known = data if isinstance(data, dict) else {}

    def of_folder(self, folder: Path) -> dict[str, str]:
        """Return the hashes of the files below a folder, by their relative path."""
        return {name: self.of(folder / name, stamp) for name, stamp in stamps_of(folder).items()}

    def of(self, path: Path, stamp: Stamp) -> str:
        """Return the hash of a file.

        Args:
            path: The file.
            stamp: Its size and time.
        """
        known = self._known.get(str(path))
        if not (isinstance(known, list) and len(known) == 3 and known[:2] == list(stamp)):
            known = self._known[str(path)] = [*stamp, hash_of(path)]
        return str(known[2])

    def store(self) -> None:
        """Write those of files that exist."""
        there = {path: known for path, known in self._known.items() if os.path.exists(path)}  # noqa: PTH110 - many
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, json.dumps(there))


class ContentStore:
    """Files by the SHA-256 of their content.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def received(self, key: str) -> int:
        """Return the number of bytes of a file that are here; -1 for all."""
        if self._file(key).exists():
            return -1
        partial = self._partial(key)
        return partial.stat().st_size if partial.exists() else 0

    def add(self, key: str, offset: int, piece: bytes, *, is_last: bool) -> None:
        """Add a part of a file.

        Args:
            key: Hash of the whole content.
            offset: Bytes before it.
            piece: The part.
            is_last: True if the file is complete with it.

        Raises:
            StudioError: The content is another than the hash says; all of it must be sent again.
            DiskFullError: No space was left.
        """
        partial = self._partial(key)
        with (
            disk_full_is_clear(partial),
            partial.open("r+b" if partial.exists() else "wb") as file,
        ):
            file.seek(offset)
            file.truncate()
            file.write(piece)
        if not is_last:
            return
        if hash_of(partial) != key:
            partial.unlink()
            raise StudioError("A file has changed while it was copied.", "Start the job again.")
        move(partial, self._file(key))

    def place(self, folder: Path, files: Mapping[str, str], *, stay: bool) -> None:
        """Make a folder contain exactly some files; others that do not belong to a lock go.

        Args:
            folder: The folder; files that are there already with the same content stay.
            files: Hashes by the relative path.
            stay: True if the content stays in the store for others, and the files never change.
        """
        hashes = {} if stay else {name: hash_of(folder / name) for name in stamps_of(folder)}
        staging = folder.with_name(f".new-{folder.name}")
        remove_folder(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        for name, key in files.items():
            target = inside(staging, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            if hashes.get(name) == key:
                move(inside(folder, name), target)
            elif stay:
                self._link(key, target)
            else:
                shutil.copyfile(self._file(key), target)
        if folder.exists():
            remove_folder(folder)
        move(staging, folder)
        if not stay:
            for key in set(files.values()):
                self._file(key).unlink(missing_ok=True)

    def _link(self, key: str, target: Path) -> None:
        try:
            os.link(self._file(key), target)
        except OSError:  # a disk without hard links
            shutil.copyfile(self._file(key), target)

    def _file(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise StudioError("{key} is not a hash.", key=repr(key[:80]))
        return self._root / key

    def _partial(self, key: str) -> Path:
        return self._file(key).with_suffix(".part")
