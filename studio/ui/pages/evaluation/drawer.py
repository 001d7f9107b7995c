"""The images behind a cell, a bar or a row, the surest mistakes first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures, PictureGrid
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.layout import hbox, text_label, vbox
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
        self._nothing = text_label(self.tr("No images."), "muted", self)
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images"))
        self.close_button = icon_button("close", self.tr("Close"), theme, parent=self)
        self.close_button.clicked.connect(self.closed)
        top = hbox((self._title, 1), self.close_button, spacing=SPACE.s)
        vbox(
            top,
            self._nothing,
            (self.grid, 1),
            owner=self,
            spacing=SPACE.s,
            margins=(SPACE.s, 0, 0, 0),
        )
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
