"""The images of a dataset for grids. Everything here is called in background threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE, ImageGrid

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


Index = QModelIndex | QPersistentModelIndex


_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Captioned:
    """An image.

    Attributes:
        row: In its dataset.
        caption: What stands under it.
        whole: The same at length.
        wrong: True if the prediction is wrong; the image is outlined.
    """

    row: int
    caption: str
    whole: str
    wrong: bool = False


class PictureModel(QAbstractListModel):
    """Captioned images."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.images: list[Captioned] = []

    def take(self, images: Sequence[Captioned]) -> None:
        """Show others."""
        self.beginResetModel()
        self.images = list(images)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many images."""
        return 0 if parent.isValid() else len(self.images)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What the grid shows of an image."""
        image = self.images[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return image.caption
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return image.whole
        if role == KEY_ROLE:
            return image.row
        if role == WRONG_ROLE:
            return image.wrong
        return None


class PictureGrid(ImageGrid):
    """A grid of captioned images; what was loaded of a dataset stays while time moves on."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._rows = PictureModel(self)
        self._pictures: DatasetPictures | None = None
        self.activated.connect(self.show_large)

    def show_images(self, images: Sequence[Captioned], pictures: DatasetPictures) -> None:
        """Show images of a run's dataset."""
        self._rows.take(images)
        if pictures is not self._pictures:
            self._pictures = pictures
            self.set_source(self._rows, pictures.load)
        self.updateGeometries()
        self.viewport().update()

    def images(self) -> list[Captioned]:
        """What is shown."""
        return list(self._rows.images)
