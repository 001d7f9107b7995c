"""The images behind a cell, a bar or a row, the surest mistakes first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.shared.picture_rows import Captioned, PictureGrid
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.tips import explain

_THUMB = 64


class Drawer(QWidget):
    """Comes beside what was clicked.

    Signals:
        closed: Nobody wants to see it any more.
    """

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel(self)
        self._title.setWordWrap(True)
        self._nothing = QLabel(self.tr("No images."), self)
        self._nothing.setProperty("role", "muted")
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images"))
        self.close_button = icon_button("close", self.tr("Close"), theme, parent=self)
        self.close_button.clicked.connect(self.closed)
        top = QHBoxLayout()
        top.setSpacing(SPACE.s)
        top.addWidget(self._title, 1)
        top.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.s, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(top)
        column.addWidget(self._nothing)
        column.addWidget(self.grid, 1)
        self.setMinimumWidth(212)
        explain(self.grid, self.tr("Images of what was clicked; a second click opens one."))

    def show_images(
        self, title: str, images: Sequence[Captioned], pictures: DatasetPictures
    ) -> None:
        """Show images of a dataset under a sentence about them."""
        self._title.setText(title)
        self._nothing.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, pictures)

    def title(self) -> str:
        """What the images are."""
        return self._title.text()
