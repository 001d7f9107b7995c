"""A slider over moments of a run: go back in time, or follow what is new."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.button import icon_button

_WIDTH = 200


class MomentSlider(QWidget):
    """A step back, the slider, a step on, and which moment it is.

    Signals:
        chosen: The user wants to see the moment of that index.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self.back_button = icon_button("chevron-left", self.tr("Back"), theme, parent=self)
        self.forward_button = icon_button("chevron-right", self.tr("Forward"), theme, parent=self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(self.tr("Moment"))
        self.slider.setPageStep(1)
        self.slider.setFixedWidth(_WIDTH)
        self._text = QLabel(self)
        for button in (self.back_button, self.forward_button):
            button.setProperty("small", True)
            button.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.xs)
        row.addWidget(self.back_button)
        row.addWidget(self.slider)
        row.addWidget(self.forward_button)
        row.addSpacing(SPACE.xs)
        row.addWidget(self._text)
        self.slider.valueChanged.connect(self._on_value)
        self.back_button.clicked.connect(self._on_back)
        self.forward_button.clicked.connect(self._on_forward)
        self._show_place()

    def set_moments(self, names: Sequence[str], index: int) -> None:
        """Offer moments by their names, and show which is chosen; tells nobody."""
        self._names = list(names)
        before = self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(self._names) - 1))
        self.slider.setValue(index)
        self.slider.blockSignals(before)
        self._show_place()

    def text(self) -> str:
        """What is said of the chosen moment."""
        return self._text.text()

    def _on_value(self, index: int) -> None:
        self._show_place()
        self.chosen.emit(index)

    def _on_back(self) -> None:
        self.slider.setValue(self.slider.value() - 1)

    def _on_forward(self) -> None:
        self.slider.setValue(self.slider.value() + 1)

    def _show_place(self) -> None:
        index, last = self.slider.value(), len(self._names) - 1
        self._text.setText(self._names[index] if index <= last else "")
        self.slider.setAccessibleDescription(self._text.text())
        self.slider.setEnabled(last > 0)
        self.back_button.setEnabled(index > 0)
        self.forward_button.setEnabled(index < last)
