"""Pictures of a dataset for the window. Everything here is called in background threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from studio.ui.pages.datasets.browsing.query import ImageQuery
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import OutputFigures, TargetTable
from studio.ui.widgets.pictures import to_image

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.ui.pages.datasets.browsing.table import ImageNames, ImageTable

COVER = 4
PER_CLASS = 9
# Sides in pixels: tiles of a mosaic at twice the resolution of the screen.
TILE = 128


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of a dataset to look through, and what is known of all of them."""

    rows: NDArray[np.int64]
    table: ImageTable


class DatasetImages(DatasetPictures):
    """The images of the newest version of a dataset, their targets, and queries over them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self._names: ImageNames | None = None
        self._table: ImageTable | None = None
        self._targets: TargetTable | None = None

    def cover(self) -> list[QImage]:
        """Four pictures, of different classes where there are as many; each is there once."""
        from studio.engine.datasets.survey import spread  # noqa: PLC0415

        store = self._opened()
        groups, seen = [], set[int]()
        for index in range(len(store.classes)):
            groups.append([row for row in self._sample(index, COVER) if row not in seen])
            seen.update(groups[-1])
        return [_tile(store.images[row]) for row in spread(groups, COVER)]

    def of_classes(self, numbers: Sequence[int]) -> list[list[QImage]]:
        """Up to nine pictures of each of these classes, labels or quantities."""
        store = self._opened()
        return [
            [_tile(store.images[row]) for row in self._sample(index, PER_CLASS)]
            for index in numbers
        ]

    def figures(self) -> tuple[OutputFigures, ...]:
        """Return how the values of each quantity are distributed over the images."""
        store = self._opened()
        return view_of(store.task).figures(self.targets(), (store.split >= 0).nonzero()[0])

    def targets(self) -> TargetTable:
        """Return the targets of all images of the newest version."""
        store = self._opened()
        with self._guard:
            if self._targets is None:
                self._targets = TargetTable.of_store(store)
            return self._targets

    def _sample(self, output: int, limit: int) -> list[int]:
        """Rows that show what a class looks like, evenly spaced."""
        from studio.engine.datasets.store import evenly_spaced  # noqa: PLC0415

        store = self._opened()
        rows = view_of(store.task).showcase(self.targets(), store.class_rows(output), output)
        found: list[int] = evenly_spaced(rows, limit).tolist()
        return found

    def select(self, query: ImageQuery) -> Selection:
        """The images that a query asks for, in the newest version."""
        table = self.table()
        return Selection(table.select(query), table)

    def table(self) -> ImageTable:
        """What is known of all images."""
        from studio.ui.pages.datasets.browsing import table  # noqa: PLC0415 - NumPy

        store = self._opened()
        with self._guard:
            if self._names is None:
                self._names = table.ImageNames(store.path)
            if self._table is None:
                self._table = table.ImageTable(store, self._names)
            return self._table

    def reload(self) -> None:
        """Show the newest version from now on."""
        with self._guard:
            self._store = None
            self._table = None
            self._targets = None

    def tile(self, row: int) -> QImage:
        """One picture, no larger than a tile."""
        return _tile(self._opened().images[row])


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
