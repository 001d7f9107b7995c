"""The images that the lasso went around."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.ui.pages.inside.row_pictures import RowPictures
from studio.ui.pages.inside.state import DrawnMap
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE, ImageGrid

Index = QModelIndex | QPersistentModelIndex


class GalleryModel(QAbstractListModel):
    """Some points of a map, in their order."""

    def __init__(self, drawn: DrawnMap, points: Sequence[int]) -> None:
        super().__init__()
        self._drawn = drawn
        self._embedding = embedding = drawn.embedding
        self._right = embedding.right()
        self.points = tuple(points)

    def rowCount(self, parent: Index | None = None) -> int:
        """One per point."""
        return 0 if parent is not None and parent.isValid() else len(self.points)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The class as text; the row of the dataset as the key of the picture."""
        point = self.points[index.row()]
        if role == KEY_ROLE:
            return int(self._embedding.rows[point])
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._embedding.paths[point]
        if role == WRONG_ROLE:
            return self._right is not None and not self._right[point]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._drawn.caption(point)
        return None


class Gallery(ImageGrid):
    """Shows points of a map as pictures.

    Signals:
        opened: The point whose picture was double clicked, or entered.
    """

    opened = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._gallery: GalleryModel | None = None
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("Selected images"))
        self.activated.connect(self._on_activated)

    def show_points(self, drawn: DrawnMap, points: Sequence[int], pictures: RowPictures) -> None:
        """Show other points."""
        self._gallery = GalleryModel(drawn, points)
        self.set_source(self._gallery, pictures.load)

    def captions(self) -> list[str]:
        """What stands under the pictures."""
        model = self._gallery
        return (
            []
            if model is None
            else [str(model.index(row).data()) for row in range(model.rowCount())]
        )

    def _on_activated(self, index: QModelIndex) -> None:
        if self._gallery is not None:
            self.opened.emit(self._gallery.points[index.row()])
