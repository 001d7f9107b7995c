"""Prediction of the images that arrive in a folder, for `studio predict --watch`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from studio.engine.datasets.sources.shared.names import looks_like_image
from studio.engine.errors import StudioError
from studio.engine.files import read_failure

_SECONDS: Final = 0.5
"""Time between two looks into the folder; a file must stay as it is for as long."""


class _FileState(NamedTuple):
    size: int
    changed: int


class FolderWatch:
    """Finds the images of a folder as soon as they no longer grow, again when they are replaced.

    Args:
        folder: The folder; those inside it are not searched.

    Raises:
        StudioError: There is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise StudioError(
                "There is no folder {folder}.", "Check the path.", "watch", folder=folder
            )
        self._folder = folder
        self._seen: dict[Path, _FileState] = {}
        self._found: dict[Path, _FileState] = {}
        self._retried: dict[Path, _FileState] = {}

    def arrived(self) -> list[Path]:
        """Return new and replaced images that are as at the last call, sorted by name.

        Raises:
            StudioError: The folder cannot be read.
        """
        now = self._states()
        found = [
            path
            for path, state in now.items()
            if state.size and self._seen.get(path) == state and self._found.get(path) != state
        ]
        self._seen = now
        # Of files that are gone nothing is kept.
        for states in (self._found, self._retried):
            for path in states.keys() - now.keys():
                del states[path]
        self._found.update((path, now[path]) for path in found)
        return found

    def retry(self, path: Path) -> bool:
        """Return an unreadable image once more at the next call; False if this was done."""
        state = self._found[path]
        if self._retried.get(path) == state:
            return False
        self._retried[path] = self._found.pop(path)
        return True

    def _states(self) -> dict[Path, _FileState]:
        states = {}
        try:
            for path in sorted(self._folder.iterdir()):
                if not looks_like_image(path.name):
                    continue
                with contextlib.suppress(FileNotFoundError):  # another program has moved it
                    found = path.stat()
                    states[path] = _FileState(found.st_size, found.st_mtime_ns)
        except OSError as error:
            raise StudioError(
                "The folder {folder} cannot be read: {reason}.",
                "Check that it exists, then start the command again.",
                "watch",
                folder=self._folder,
                reason=read_failure(error),
            ) from error
        return states


def follow(
    watch: FolderWatch,
    predict: Callable[[Sequence[Path]], None],
    ended: threading.Event,
) -> None:
    """Predict the images that arrive until an event is set.

    Args:
        watch: Finds the images.
        predict: Receives some new images.
        ended: Ends it.
    """
    while not ended.is_set():
        if images := watch.arrived():
            predict(images)
        ended.wait(_SECONDS)
