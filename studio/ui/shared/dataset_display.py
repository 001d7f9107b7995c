"""The button that chooses how the images of a dataset are shown, for pages that show some."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.display_mapping import DisplayMapping
from studio.ui.bridge.ordered import OrderedCalls
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.shared.display_panel import DisplayButton


class DatasetDisplayButton(DisplayButton):
    """Chooses channels and contrast of the images of a dataset, here and wherever they are shown.

    Signals:
        displayed: The images are shown in other colors or contrast from now on.
    """

    displayed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, context.background, parent)
        self._pictures: DatasetPictures | None = None
        self._examining = Request(context.background, self)
        self._displaying = OrderedCalls(context.background, self)
        self.changed.connect(self._on_changed)

    def show_pictures(self, pictures: DatasetPictures | None) -> None:
        """Offer the choice for images whose pixels screens cannot show as they are.

        Args:
            pictures: Images of the dataset; None for none.
        """
        self._pictures = pictures
        self.set_source(None)
        self._examining.drop()
        if pictures is not None:
            done = partial(self._on_examined, pictures)
            self._examining.run(lambda: pictures.is_standard, done)

    def _on_examined(self, pictures: DatasetPictures, is_standard: bool) -> None:
        self.set_source(pictures.display_facts, is_standard=is_standard)

    def _on_changed(self, display: DisplayMapping) -> None:
        if self._pictures is not None:
            work = partial(self._pictures.set_display, display)
            self._displaying.run(work, self.displayed.emit)
