"""Pictures of a dataset for the window. Everything here is called in background threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary, read_skipped, read_summary
from studio.ui.pages.datasets.state import spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store

COVER = 4
PER_CLASS = 9
# Sides in pixels: tiles of a mosaic at twice the resolution of the screen.
TILE = 128


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of a completed dataset without opening its pixels, and its cover."""

    summary: DatasetSummary
    skipped: list[Skipped]
    cover: list[QImage]


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of a dataset to look through, and the file name of each."""

    rows: list[int]
    paths: list[str]


def read_details(folder: Path) -> Details:
    """Summary, skipped files and four pictures of a dataset.

    Raises:
        StudioError: The dataset is damaged.
    """
    return Details(read_summary(folder), read_skipped(folder), DatasetPictures(folder).cover())


class DatasetPictures:
    """The pixels of one dataset. Opened when first asked, by whichever thread asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._store: Store | None = None

    def cover(self) -> list[QImage]:
        """Four pictures, of different classes where there are as many."""
        from studio.engine.datasets.thumbnails import sample_rows  # noqa: PLC0415

        store = self._opened()
        groups = [sample_rows(store, index, COVER).tolist() for index in range(len(store.classes))]
        return [_tile(store.images[row]) for row in spread(groups, COVER)]

    def of_classes(self, numbers: Sequence[int]) -> list[list[QImage]]:
        """Up to nine pictures of each of these classes."""
        from studio.engine.datasets.thumbnails import sample_rows  # noqa: PLC0415

        store = self._opened()
        return [
            [_tile(store.images[row]) for row in sample_rows(store, index, PER_CLASS).tolist()]
            for index in numbers
        ]

    def select(self, class_index: int | None, split: str | None) -> Selection:
        """The images of a class and a split; None is all of them."""
        import numpy as np  # noqa: PLC0415

        store = self._opened()
        chosen = (
            store.split >= 0
            if split is None
            else np.isin(np.arange(len(store.split)), store.rows(split))
        )
        if class_index is not None:
            chosen = chosen & (store.labels == class_index)
        rows = np.flatnonzero(chosen).tolist()
        return Selection(rows, [store.paths[row] for row in rows])

    def load(self, key: Hashable) -> QImage:
        """One picture by its row, as `ImageGrid` asks for it."""
        if not isinstance(key, int):
            raise TypeError(f"a row is a whole number; received {key!r}")
        return to_image(self._opened().images[key])

    def _opened(self) -> Store:
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            if self._store is None:
                self._store = Store.open(self.folder)
            return self._store


def to_image(pixels: NDArray[np.uint8]) -> QImage:
    """A picture of height x width x channels, 1 or 3 of them, as Qt paints it."""
    height, width, channels = pixels.shape
    kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
    # The bytes go away with this call; the copy owns its own.
    return QImage(pixels.tobytes(), width, height, width * channels, kind).copy()


def _tile(pixels: NDArray[np.uint8]) -> QImage:
    image = to_image(pixels)
    if max(image.width(), image.height()) <= TILE:
        return image
    return image.scaled(
        TILE,
        TILE,
        Qt.AspectRatioMode.KeepAspectRatioByExpanding,
        Qt.TransformationMode.SmoothTransformation,
    )
