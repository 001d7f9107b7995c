"""One picture of a grid in a window of its own, as large as that."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.picture_view import PictureView

_STEPS: Final = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Space: 1,
}


class PictureWindow(QDialog):
    """Shows a picture and what it is called; Esc closes it.

    Signals:
        stepped: An arrow key asks for the next picture, 1, or the one before, -1.
    """

    stepped = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = PictureView(theme, self)
        self.name = ElidedLabel("", self)
        self.name.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        column.setSpacing(SPACE.s)
        column.addWidget(self.picture, 1)
        column.addWidget(self.name)
        window = QSize(900, 700) if parent is None else parent.window().size()
        self.resize(window * 0.8)

    def show_image(self, image: QImage, name: str) -> None:
        """Show another picture."""
        self.picture.set_image(image, name)
        self.name.setText(name)
        self.setWindowTitle(name)
        self.show()
        self.raise_()
        self.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for another picture by the arrow keys."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)
