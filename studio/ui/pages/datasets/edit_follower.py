"""Notices that the edits of a dataset went on, whoever made them: this window or another program.

A thread looks at the size of each `edits.jsonl`; the window's thread never touches the disk.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.edits import EDITS_NAME, current_version
from studio.ui.bridge.background import Background

LOOK_SECONDS = 0.4

_Mark = tuple[int, int] | None


class EditFollower(QObject):
    """Follows the datasets that it was told.

    Signals:
        found: A folder and the version that its dataset is at; also at the first look.
    """

    found = Signal(object, int)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._look = _Look(self.found.emit)
        background.closing.connect(self.close)
        # Not `destroyed`: it is emitted while the garbage collector takes this apart.
        weakref.finalize(self, self._look.stop.set)

    def follow(self, folder: Path) -> None:
        """Begin to follow, or say once more where a dataset is."""
        self._look.follow(folder)

    def forget(self, folder: Path) -> None:
        """Follow a dataset no more."""
        self._look.forget(folder)

    def close(self) -> None:
        """Follow nothing any more."""
        self._look.close()


class _Look:
    """The thread, which must not keep the follower alive."""

    def __init__(self, tell: Callable[[Path, int], None]) -> None:
        self.stop = threading.Event()
        self._tell = tell
        self._marks: dict[Path, _Mark | str] = {}
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def follow(self, folder: Path) -> None:
        with self._guard:
            self._marks[folder] = "new"
        if self._thread is None and not self.stop.is_set():
            self._thread = threading.Thread(target=self._run, name="edits", daemon=True)
            self._thread.start()

    def forget(self, folder: Path) -> None:
        with self._guard:
            self._marks.pop(folder, None)

    def close(self) -> None:
        self.stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self.stop.wait(LOOK_SECONDS):
            with self._guard:
                marks = dict(self._marks)
            for folder, before in marks.items():
                mark = _mark(folder)
                if mark != before and not self.stop.is_set():
                    self._take(folder, before, mark)

    def _take(self, folder: Path, before: _Mark | str, mark: _Mark) -> None:
        with self._guard:
            if self._marks.get(folder, mark) == before:
                self._marks[folder] = mark
        try:
            version = current_version(folder)
        except OSError:
            return  # it goes away, or cannot be read just now: whoever opens it says why
        self._tell(folder, version)


def _mark(folder: Path) -> _Mark:
    """What tells one state of the edits from another; None where there are none."""
    try:
        state = (folder / EDITS_NAME).stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
