"""The images of a dataset for grids. Everything here is called in background threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.errors import StudioError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store


class DatasetPictures:
    """The images of a version of a dataset.

    Opened when first asked, by whichever thread asks.

    Args:
        folder: Of the dataset; None where that was deleted.
        version: Of the dataset.
    """

    def __init__(self, folder: Path | None, version: int) -> None:
        self._folder = folder
        self._version = version
        self._guard = threading.Lock()
        self._store: Store | None = None

    def names(self, classes: int) -> list[str]:
        """The names of so many classes; their numbers where the dataset cannot be read."""
        try:
            names = self._opened().classes
        except StudioError:
            names = []
        return names if len(names) == classes else [str(index) for index in range(classes)]

    def units(self, count: int) -> list[str]:
        """The units of so many quantities; empty texts where there are none."""
        try:
            units = self._opened().units
        except StudioError:
            units = []
        return units if len(units) == count else [""] * count

    def load(self, key: Hashable) -> QImage:
        """One picture by its row, as `ImageGrid` asks for it; null where it is gone."""
        if not isinstance(key, int):
            raise TypeError(f"a row is a whole number; received {key!r}")
        try:
            images = self._opened().images
            return to_image(images[key]) if key < len(images) else QImage()
        except StudioError:
            return QImage()

    def _opened(self) -> Store:
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            if self._store is None:
                if self._folder is None:
                    raise StudioError("The dataset was deleted.")
                self._store = Store.open(self._folder, self._version)
            return self._store


def to_image(pixels: NDArray[np.uint8]) -> QImage:
    """A picture of height x width x channels, 1 or 3 of them, as Qt paints it."""
    height, width, channels = pixels.shape
    kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
    # The bytes go away with this call; the copy owns its own.
    return QImage(pixels.tobytes(), width, height, width * channels, kind).copy()
