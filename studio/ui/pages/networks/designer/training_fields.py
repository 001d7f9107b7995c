"""What training does with selected layers: frozen or not, how fast they learn, their block."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from studio.engine.networks.spec import LayerNode
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.forms.switch import Switch
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.theme.restyle import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE

FASTEST = 1000.0


def form_layout(parent: QWidget) -> QFormLayout:
    """Rows of label and field as all of the inspector has them."""
    layout = QFormLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(SPACE.m)
    layout.setVerticalSpacing(SPACE.s)
    layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return layout


def label_for(text: str, field: QWidget) -> QLabel:
    """A label that names its field, also for screen readers."""
    label = QLabel(text)
    label.setBuddy(field)
    label.setFixedWidth(96)
    label.setWordWrap(True)
    field.setAccessibleName(text)
    return label


class TrainingFields(QWidget):
    """For one layer or several: what they have in common is shown, the rest is left empty."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._ids: list[str] = []
        self.frozen = Switch(theme, self)
        self.rate = QLineEdit(self)
        self.block = QLineEdit(self)
        self.frozen.setToolTip(
            self.tr("Training leaves the weights alone; batch normalization keeps its statistics.")
        )
        self.rate.setToolTip(
            self.tr("Factor of the learning rate: 0.1 lets these layers learn ten times slower.")
        )
        self.block.setToolTip(self.tr("Layers of the same block are framed, and folded together."))
        self.block.setPlaceholderText(self.tr("none"))
        layout = form_layout(self)
        layout.addRow(label_for(self.tr("Frozen"), self.frozen), self.frozen)
        layout.addRow(label_for(self.tr("Rate factor"), self.rate), self.rate)
        layout.addRow(label_for(self.tr("Block"), self.block), self.block)
        self.frozen.clicked.connect(self._freeze)
        self.rate.editingFinished.connect(self._set_rate)
        self.block.editingFinished.connect(self._set_block)

    def show_nodes(self, nodes: Sequence[LayerNode]) -> None:
        """Show what some layers have in common."""
        self._ids = [node.id for node in nodes]
        self.frozen.setChecked(bool(nodes) and all(node.frozen for node in nodes))
        rates = {node.rate for node in nodes}
        if not self.rate.hasFocus():
            one = format_number(rates.pop(), QLocale()) if len(rates) == 1 else ""
            self.rate.setText(one)
            self.rate.setPlaceholderText("" if one else self.tr("various"))
        blocks = {node.block for node in nodes}
        if not self.block.hasFocus():
            several = len(blocks) > 1
            self.block.setText("" if several else next(iter(blocks), ""))
            self.block.setPlaceholderText(self.tr("various") if several else self.tr("none"))

    def _freeze(self, checked: bool) -> None:
        self._drawing.set_frozen(self._ids, frozen=checked)

    def _set_rate(self) -> None:
        number = parse_number(self.rate.text(), QLocale())
        fits = number is not None and 0 <= number <= FASTEST
        restyle(self.rate, "wrong", bool(self.rate.text()) and not fits)
        if fits and number is not None:
            self._drawing.set_rate(self._ids, number)

    def _set_block(self) -> None:
        text = self.block.text().strip()
        if text or self.block.isModified():
            self.block.setModified(False)
            self._drawing.set_block(self._ids, text)
