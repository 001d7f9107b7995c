"""Random images with their annotations, for a person to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.import_report import SAMPLE_IMAGES
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import grid_layout, text_label, vbox
from studio.ui.widgets.pictures import PictureView

_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Sample:
    """An image with its annotation.

    Attributes:
        image: The image, with its mask or its boxes painted over it; null if unreadable.
        caption: Its class, its targets, or what is wrong with it.
    """

    image: QImage
    caption: str


class SampleGrid(QWidget):
    """Nine random images with their annotations.

    Args:
        theme: Colors.
        side: Width and height of the pictures in pixels.
        parent: Owner.
    """

    def __init__(self, theme: Theme, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self.samples: list[Sample] = []
        self.setAccessibleName(self.tr("Random images with their annotations"))
        text = self.tr("Check that each annotation fits its image.")
        self._grid = grid_layout(None, SPACE.s, widest=_COLUMNS - 1)
        self._cells = [self._cell(theme, index) for index in range(SAMPLE_IMAGES)]
        vbox(text_label(text, "muted", self, wraps=True), self._grid, owner=self)
        self.show_samples([])

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show up to nine images; without any, the grid is hidden."""
        self.samples = list(samples)
        self.setVisible(bool(samples))
        for index, (view, caption) in enumerate(self._cells):
            is_used = index < len(samples)
            view.setVisible(is_used)
            caption.setVisible(is_used)
            if is_used:
                view.set_image(samples[index].image, samples[index].caption)
                caption.setText(samples[index].caption)

    def _cell(self, theme: Theme, index: int) -> tuple[PictureView, ElidedLabel]:
        view, caption = PictureView(theme, self), ElidedLabel("", self, role="caption")
        view.setFixedSize(QSize(self._side, self._side))
        row, column = divmod(index, _COLUMNS)
        self._grid.addWidget(view, 2 * row, column)
        self._grid.addWidget(caption, 2 * row + 1, column)
        return view, caption
