"""The mean image of each split, as an audit of a dataset made it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.picture_view import PictureView
from studio.ui.widgets.split_bar import split_word

_SIDE = 96


class MeanImages(QWidget):
    """A picture for each split that has images, with a word below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._inside = QWidget(self)
        self.pictures: dict[str, PictureView] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._inside)

    def set_means(self, means: Mapping[str, QImage]) -> None:
        """Show other images."""
        old, self._inside = self._inside, QWidget(self)
        self._column.replaceWidget(old, self._inside)
        old.hide()
        old.deleteLater()
        self.pictures = {}
        row = QHBoxLayout(self._inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.xl)
        for split, image in means.items():
            row.addLayout(self._mean(split, image))
        row.addStretch(1)

    def _mean(self, split: str, image: QImage) -> QVBoxLayout:
        picture = PictureView(self._theme, self._inside)
        picture.setFixedSize(QSize(_SIDE, _SIDE))
        name = self.tr("Mean image of {split}").format(split=split_word(split))
        picture.set_image(image, name)
        picture.setToolTip(name)
        self.pictures[split] = picture
        caption = QLabel(self.tr("Mean, {split}").format(split=split_word(split)), self._inside)
        caption.setProperty("role", "caption")
        column = QVBoxLayout()
        column.setSpacing(SPACE.xs)
        column.addWidget(picture)
        column.addWidget(caption, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        return column
