"""While the webcam is on: keep its picture, or switch it off."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.tips import explain


class LiveBar(QWidget):
    """Takes no room while the webcam is off.

    Signals:
        keep_requested: Keep the picture of now.
        stop_requested: Switch the webcam off.
    """

    keep_requested = Signal()
    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = QLabel(self.tr("The webcam is on."), self)
        self.keep_button = push_button(
            self.tr("Keep this picture"), theme, icon="image", parent=self
        )
        self.stop_button = push_button(self.tr("Switch off"), theme, icon="stop", parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self._words, 1)
        row.addWidget(self.keep_button)
        row.addWidget(self.stop_button)
        self.keep_button.clicked.connect(self._on_keep)
        self.stop_button.clicked.connect(self._on_stop)
        self.hide()
        explain(
            self.keep_button,
            self.tr("Holds the picture of now still, to look at its answer."),
        )
        explain(self.stop_button, self.tr("Ends the live picture and frees the camera."))

    def _on_keep(self) -> None:
        self.keep_requested.emit()

    def _on_stop(self) -> None:
        self.stop_requested.emit()
