"""Pictures of a dataset by their rows. Everything here is called in background threads."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.errors import StudioError

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store


class RowPictures:
    """The images of one version of a dataset, opened when first asked for.

    Thread safety: any thread may ask.
    """

    def __init__(self, folder: Path, version: int | None) -> None:
        self._folder = folder
        self._version = version
        self._guard = threading.Lock()
        self._store: Store | None = None
        self._files: Path | None = None

    def load(self, key: Hashable) -> QImage:
        """One picture by its row, as `ImageGrid` asks for it."""
        if not isinstance(key, int):
            raise TypeError(f"a row is a whole number; received {key!r}")
        pixels = self._opened().images[key]
        height, width, channels = pixels.shape
        kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
        # The bytes go away with this call; the copy owns its own.
        return QImage(pixels.tobytes(), width, height, width * channels, kind).copy()

    def file(self, row: int) -> Path:
        """The picture as a file of its own, exactly as the dataset holds it; it goes with us.

        Raises:
            StudioError: It cannot be written.
        """
        image = self.load(row)
        with self._guard:
            if self._files is None:
                folder = tempfile.TemporaryDirectory(prefix="studio-rows-")
                weakref.finalize(self, folder.cleanup)
                self._files = Path(folder.name)
            path = self._files / f"{row}.png"
        if not path.exists() and not image.save(str(path)):
            raise StudioError(
                f"The picture cannot be kept in {path.parent}.", "Make room on the disk."
            )
        return path

    def _opened(self) -> Store:
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            if self._store is None:
                self._store = Store.open(self._folder, self._version)
            return self._store
