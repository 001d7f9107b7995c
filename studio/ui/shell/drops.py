"""Files dropped anywhere on the window: what would happen, said before the button is let go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.importable import importable
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES


def local_paths(data: QMimeData) -> list[Path]:
    """The files and folders of a drag that lie on this machine."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def page_for(paths: Sequence[Path]) -> str:
    """The page that usually takes these: folders and data are imported, pictures classified."""
    if importable(paths) is not None:
        return "datasets"
    if paths and all(path.suffix.lower() in IMAGE_SUFFIXES for path in paths):
        return "predict"
    return ""


class DropOverlay(QLabel):
    """The sentence that floats over the window while something is dragged across it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._covered = parent
        self.setObjectName("dropOverlay")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def offer(self, text: str) -> None:
        """Say what would happen; an empty text hides the sentence."""
        if not text:
            self.hide()
            return
        self.setText(text)
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()
