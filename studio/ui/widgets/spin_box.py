"""Spin and combo boxes that are changed by the wheel only where they have the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from studio.ui.theme.tokens import SPACE

_LEAST_LETTERS = 12


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


class DoubleSpinBox(QDoubleSpinBox):
    """The same for numbers with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a form changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ComboBox(QComboBox):
    """A combo box that scrolling past it leaves alone, as narrow as it has to be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Its longest entry must not make a column wider than the window; the list shows it whole.
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(policy)
        self.setMinimumContentsLength(_LEAST_LETTERS)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a form changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
