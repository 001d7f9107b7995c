"""How much of a network stays as it is: nothing, some of its blocks, all but the head."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QWidget

from studio.engine.networks.freezing import ALL, NONE
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.explain import explain


class FreezeSlider(QWidget):
    """A slider from the images to the head.

    Signals:
        changed: The user has moved it.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: list[str] = [NONE, ALL]
        self._freeze = NONE
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(self.tr("Freeze"))
        self.slider.setPageStep(1)
        explain(
            self.slider,
            self.tr("Frozen layers keep what they know; it is faster, and needs fewer images."),
        )
        self._label = QLabel(self)
        self._label.setMinimumWidth(132)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(self.slider, 1)
        row.addWidget(self._label)
        self.slider.valueChanged.connect(self._on_moved)
        self._show()

    @property
    def freeze(self) -> str:
        """As a plan says it."""
        return self._freeze

    def set_freeze(self, freeze: str) -> None:
        """Show what is frozen; emits nothing. What is no choice is kept and shown in words."""
        self._freeze = freeze
        self._show()

    def set_blocks(self, blocks: Sequence[str]) -> None:
        """Offer these blocks, from the images to the head."""
        self._choices = [NONE, *blocks, ALL]
        self._show()

    def choices(self) -> list[str]:
        """What can be chosen, from the left to the right."""
        return list(self._choices)

    def _show(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self._choices) - 1)
        if self._freeze in self._choices:
            self.slider.setValue(self._choices.index(self._freeze))
        self.slider.blockSignals(False)
        words = {NONE: self.tr("nothing"), ALL: self.tr("all but the head")}
        text = words.get(self._freeze) or self.tr("up to {block}").format(block=self._freeze)
        self._label.setText(text)
        self._label.setToolTip(text)
        self.slider.setAccessibleDescription(text)

    def _on_moved(self, place: int) -> None:
        self._freeze = self._choices[place]
        self._show()
        self.changed.emit()
