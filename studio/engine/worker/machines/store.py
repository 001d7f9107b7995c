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

from filelock import FileLock

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
        """Add a part of a file; what others have added of it meanwhile is not added again.

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
        with self._lock(key[:2]):
            if self._file(key).exists():
                return
            there = partial.stat().st_size if partial.exists() else 0
            if offset <= there:
                with disk_full_is_clear(partial), partial.open("ab") as file:
                    file.write(piece[there - offset :])
            is_gap = offset > there  # another sender has removed what it could not complete
            if not is_gap and not is_last:
                return
            if is_gap or hash_of(partial) != key:
                partial.unlink(missing_ok=True)
                raise StudioError(
                    "A file has changed while it was copied.", "Start the job again."
                )
            move(partial, self._file(key))

    def place(
        self, folder: Path, files: Mapping[str, str], there: Mapping[str, str], *, stay: bool
    ) -> list[str]:
        """Make a folder contain exactly some files; others that do not belong to a lock go.

        Only for the process that has the folder locked.

        Args:
            folder: The folder.
            files: Hashes by the relative path.
            there: Hashes of the files that are in it, by the relative path.
            stay: True if the content stays in the store for others, and the files never change.

        Returns:
            Hashes of content that is not here; then nothing was changed.
        """
        staging = folder.with_name(f".new-{folder.name}")
        targets = {name: inside(staging, name) for name in files}
        sources = {key: inside(folder, name) for name, key in there.items()}
        with self._lock("place"):  # until then another job may remove content
            stored = {key: self._file(key) for key in set(files.values())}
            sources |= {key: path for key, path in stored.items() if path.exists()}
            if missing := sorted(stored.keys() - sources.keys()):
                return missing
            remove_folder(staging, ignore_errors=True)
            staging.mkdir(parents=True)
            for name, key in files.items():
                targets[name].parent.mkdir(parents=True, exist_ok=True)
                (_link if stay else shutil.copyfile)(sources[key], targets[name])
            if folder.exists():
                remove_folder(folder)
            move(staging, folder)
            for path in () if stay else stored.values():
                path.unlink(missing_ok=True)
        return []

    def _lock(self, name: str) -> FileLock:
        folder = self._root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{name}.lock")

    def _file(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise StudioError("{key} is not a hash.", key=repr(key[:80]))
        return self._root / key

    def _partial(self, key: str) -> Path:
        return self._file(key).with_suffix(".part")


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a disk without hard links
        shutil.copyfile(source, target)
