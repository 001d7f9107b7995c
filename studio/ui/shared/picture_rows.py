"""Images of a dataset in a grid, each with a line about what it was taken for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE, ImageGrid

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
