"""All images of a dataset in a grid, by class and split."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.image_rows import ImageRows
from studio.ui.pages.datasets.pictures import DatasetPictures, Selection
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.button import push_button
from studio.ui.widgets.image_grid import ImageGrid
from studio.ui.widgets.spin_box import ComboBox
from studio.ui.widgets.split_bar import split_word

_SMALLEST, _LARGEST, _USUAL = 48, 256, 96


class ImageBrowser(QWidget):
    """A grid under two filters, a size slider and the way back.

    Signals:
        back_requested: Show the classes again.
        listed: The images of the filters are in the grid.
    """

    back_requested = Signal()
    listed = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._pictures: DatasetPictures | None = None
        self._asked = 0
        self._model: QObject | None = None
        self.back_button = push_button(
            self.tr("Classes"), theme, kind="quiet", icon="back", parent=self
        )
        self.back_button.setToolTip(self.tr("Back to the classes"))
        self.class_box = _filter_box(self.tr("Class"), self)
        self.split_box = _filter_box(self.tr("Split"), self)
        self.split_box.addItem(self.tr("All splits"), None)
        for split in SPLIT_COLORS:
            self.split_box.addItem(split_word(split), split)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(_SMALLEST, _LARGEST)
        self.slider.setValue(_USUAL)
        self.slider.setSingleStep(16)
        self.slider.setFixedWidth(96)
        self.slider.setAccessibleName(self.tr("Size of the pictures"))
        self.slider.setToolTip(self.tr("Size of the pictures"))
        self.number = QLabel(self)
        self.number.setProperty("role", "muted")
        self.grid = ImageGrid(theme, self)
        self.grid.setMinimumSize(QSize(160, 120))
        self._lay_out()
        self._connect()

    def show_class(
        self, summary: DatasetSummary, pictures: DatasetPictures, class_index: int
    ) -> None:
        """Show the images of a class in all splits; -1 is all classes."""
        self._pictures = pictures
        self.class_box.clear()
        self.class_box.addItem(self.tr("All classes"), None)
        for index, name in enumerate(summary.classes):
            self.class_box.addItem(name, index)
        self.class_box.setCurrentIndex(class_index + 1)
        self.split_box.setCurrentIndex(0)
        self._ask()

    def clear(self) -> None:
        """Let go of the dataset."""
        self._asked += 1
        self._pictures = None
        self.grid.stop()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(SPACE.s)
        line.addWidget(self.back_button)
        line.addWidget(self.class_box, 2)
        line.addWidget(self.split_box, 1)
        line.addStretch(1)
        line.addWidget(self.number)
        line.addWidget(self.slider)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(line)
        column.addWidget(self.grid, 1)

    def _connect(self) -> None:
        self.back_button.clicked.connect(self._on_back)
        self.class_box.activated.connect(self._ask)
        self.split_box.activated.connect(self._ask)
        self.slider.valueChanged.connect(self.grid.set_thumb_size)

    def _ask(self) -> None:
        if self._pictures is None:
            return
        self._asked += 1
        class_index, split = self.class_box.currentData(), self.split_box.currentData()
        self._background.run(
            self,
            partial(self._pictures.select, class_index, split),
            partial(self._on_selection, self._asked),
        )

    def _on_selection(self, asked: int, selection: Selection) -> None:
        if asked != self._asked or self._pictures is None:
            return  # the filters have changed since
        model = ImageRows(selection, self)
        self.grid.set_source(model, self._pictures.load)
        self.grid.scrollToTop()
        if self._model is not None:
            self._model.deleteLater()
        self._model = model
        self.number.setText(messages.images(len(selection.rows)))
        self.listed.emit()

    def _on_back(self) -> None:
        self.back_requested.emit()


def _filter_box(name: str, parent: QWidget) -> QComboBox:
    box = ComboBox(parent)
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setMinimumContentsLength(8)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
