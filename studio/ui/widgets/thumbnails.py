"""Small pictures, loaded off the GUI thread, the ones in sight first, the recent ones kept."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

_WORKERS: Final = 4
# One for all views: pages that were closed, or are not seen, keep no threads.
_pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="thumbnails")
Load = Callable[[Hashable], QImage]
LARGEST_CACHE: Final = 128 * 1024 * 1024
"""Bytes of decoded thumbnails to keep, unless somebody says otherwise."""
_limit = [LARGEST_CACHE]
_log = logging.getLogger(__name__)


class ThumbnailLoader:
    """Calls a slow function for the thumbnails in sight and remembers what it returned.

    `want` and `take` belong to the GUI thread. `load` is called in worker threads, must not touch
    widgets, and gets a key that the model gave. What it cannot load becomes a null image.

    Args:
        load: From a key to a picture of any size.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._stack: list[tuple[Hashable, int]] = []
        self._busy: set[tuple[Hashable, int]] = set()
        self._done: SimpleQueue[tuple[Hashable, int, QImage]] = SimpleQueue()
        self._kept: OrderedDict[Hashable, tuple[int, QImage]] = OrderedDict()
        self._bytes = 0
        self._stopped = False

    @property
    def is_pending(self) -> bool:
        """Whether anything is still being loaded or waits to be taken."""
        with self._lock:
            return bool(self._stack or self._busy) or not self._done.empty()

    def get(self, key: Hashable) -> QImage | None:
        """The picture of a key, perhaps at a size used before; None when not loaded yet."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[1]

    def want(self, keys: Sequence[Hashable], side: int) -> None:
        """Load these, in this order, at most `side` pixels long, and forget earlier wishes."""
        if self._stopped:
            return
        missing = [
            (key, side) for key in keys if key not in self._kept or self._kept[key][0] != side
        ]
        with self._lock:
            missing = [wish for wish in missing if wish not in self._busy]
            self._stack = missing[::-1]
        for _ in missing:
            _pool.submit(self._work).add_done_callback(_report)

    def take(self) -> bool:
        """Move what was loaded since the last call into memory; True if there was anything."""
        any_taken = False
        while not self._done.empty():
            key, side, image = self._done.get()
            self._forget(key)
            self._kept[key] = (side, image)
            self._bytes += image.sizeInBytes()
            any_taken = True
        while self._bytes > _limit[0] and len(self._kept) > 1:
            self._forget(next(iter(self._kept)))
        return any_taken

    def stop(self) -> None:
        """Load nothing more; what is being loaded just now is finished and dropped."""
        self._stopped = True
        with self._lock:
            self._stack = []

    def _forget(self, key: Hashable) -> None:
        old = self._kept.pop(key, None)
        if old is not None:
            self._bytes -= old[1].sizeInBytes()

    def _work(self) -> None:
        with self._lock:
            if not self._stack:
                return
            wish = self._stack.pop()
            self._busy.add(wish)
        key, side = wish
        image = QImage()
        try:
            image = fitted(self._load(key), side)
        finally:
            self._done.put((key, side, image))
            with self._lock:
                self._busy.discard(wish)


def use_thumbnail_memory(size: int) -> None:
    """Let every loader of this process keep so many bytes, from its next picture on."""
    _limit[0] = size


def fitted(image: QImage, side: int) -> QImage:
    """The picture with its longer side at most `side` pixels, ready for fast painting."""
    if image.isNull():
        return image
    if max(image.width(), image.height()) > side:
        image = image.scaled(
            QSize(side, side),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def _report(future: Future[None]) -> None:
    if future.cancelled():
        return
    error = future.exception()
    if error is not None:
        _log.warning("A thumbnail could not be loaded: %s", error)
