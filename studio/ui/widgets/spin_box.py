"""Spin and combo boxes that are changed by the wheel only where they have the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from studio.ui.theme.tokens import SPACE


class SpinBox(QSpinBox):
    """A spin box that scrolling past it leaves alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt ignores the left padding that a style sheet gives to a spin box.
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a form changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ComboBox(QComboBox):
    """A combo box that scrolling past it leaves alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a form changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
