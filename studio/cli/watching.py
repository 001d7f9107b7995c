"""Prediction of the images that arrive in a folder, for `studio predict --watch`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from studio.engine.datasets.sources.shared.names import looks_like_image
from studio.engine.errors import StudioError

_SECONDS: Final = 0.5
"""Time between two looks into the folder; a file must keep its size for as long."""


class FolderWatch:
    """Finds the images of a folder, each once, as soon as they no longer grow.

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
        self._sizes: dict[Path, int] = {}
        self._known: set[Path] = set()

    def arrived(self) -> list[Path]:
        """Return new images whose size is that of the last call, sorted by name."""
        found = []
        for path in sorted(self._folder.iterdir()):
            if path in self._known or not looks_like_image(path.name):
                continue
            try:
                size = path.stat().st_size
            except FileNotFoundError:  # another program has moved it
                continue
            if size and self._sizes.get(path) == size:
                self._known.add(path)
                self._sizes.pop(path)
                found.append(path)
            else:
                self._sizes[path] = size
        return found


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
