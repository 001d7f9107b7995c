"""A slider that freezes a network from the images up to a block or layer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSlider, QVBoxLayout, QWidget

from studio.engine.networks.parts import Parts, parts_of
from studio.engine.networks.spec import NetworkSpec
from studio.ui.pages.networks.designer import edits
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.theme.tokens import SPACE


class FreezeSlider(QWidget):
    """One step per block or single layer, in the order of computation; the head stays out."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._steps: Parts = {}
        self.label = QLabel(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(self.tr("Freeze up to"))
        self.slider.setToolTip(
            self.tr("Training leaves everything from the images up to here alone")
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(self.label)
        column.addWidget(self.slider)
        self.slider.valueChanged.connect(self._freeze)

    def show_network(self) -> None:
        """Show how far the network is frozen."""
        self._steps = parts_of(self._drawing.spec)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self._steps))
        self.slider.setValue(frozen_steps(self._drawing.spec, self._steps))
        self.slider.blockSignals(False)
        self._say()

    def _freeze(self, value: int) -> None:
        drawing = self._drawing
        frozen = {key for ids in list(self._steps.values())[:value] for key in ids}
        after = edits.change(drawing.spec, edits.ids_of(drawing.spec) - frozen, frozen=False)
        after = edits.change(after, frozen, frozen=True)
        drawing.change(after, self.tr("Freeze up to here"), "freeze up to")
        self._say()

    def _say(self) -> None:
        names = list(self._steps)
        at = self.slider.value()
        text = (
            self.tr("Frozen: up to {0}").format(names[at - 1]) if at else self.tr("Frozen: none")
        )
        self.label.setText(text)
        self.slider.setAccessibleDescription(text)


def frozen_steps(spec: NetworkSpec, steps: Parts) -> int:
    """How many steps from the images on are frozen whole."""
    frozen = {node.id for node in spec.nodes if node.frozen}
    count = 0
    for ids in steps.values():
        if not frozen.issuperset(ids):
            break
        count += 1
    return count
