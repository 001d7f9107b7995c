"""Switches for the heat map and the nearest training images, and the images themselves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QLabel, QSlider, QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.predict.insight import Insight
from studio.ui.pages.predict.insight_work import Heat
from studio.ui.pages.predict.state import Failure
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import FlowLayout
from studio.ui.widgets.tips import explain

_HALF = 60
"""Percent that the heat map hides at first."""


class InsightRows(QWidget):
    """Two switches; below them which output the heat map explains, its strength, nearest images.

    Attributes:
        insight: Makes the heat map.
        output_box: The class, label or quantity that is explained.

    Signals:
        opacity_changed: How much the heat map hides, 0 to 1.
    """

    opacity_changed = Signal(float)

    def __init__(
        self, context: AppContext, insight: Insight, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.insight = insight
        self.heat_button = push_button(
            self.tr("Heat map"), context.theme, icon="heat-map", parent=self
        )
        self.heat_button.setCheckable(True)
        self.heat_button.setToolTip(self.tr("Show what in the picture the answer depends on"))
        self.similar = SimilarImages(context, self)
        self._are_values = False
        self._chosen = ""
        self._names = QStringListModel(self)
        self.output_box = ComboBox(self)
        self.output_box.setModel(self._names)
        self.output_box.setAccessibleName(self.tr("Explained output"))
        explain(self.output_box, self.tr("The output that the heat map explains."))
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setRange(10, 100)
        self.opacity.setValue(_HALF)
        self.opacity.setAccessibleName(self.tr("Strength of the heat map"))
        self.opacity.setToolTip(self.opacity.accessibleName())
        self.heat_line = QLabel(self)
        self.heat_line.setProperty("role", "caption")
        self.heat_line.setWordWrap(True)
        self._lay_out()
        self.heat_button.toggled.connect(self._on_switched)
        self.opacity.valueChanged.connect(self._on_opacity)
        self.output_box.activated.connect(self._on_output)
        insight.heat_changed.connect(self._show_heat)
        self._show_heat()

    @property
    def output(self) -> str:
        """Name of the output that is explained; empty while there is no answer."""
        return self.output_box.currentText()

    def show_outputs(self, lines: Sequence[BarLine], names: Sequence[str]) -> None:
        """Offer the outputs of an answer; the chosen one stays while the model has it.

        Args:
            lines: The answer, what it is first.
            names: Of all outputs of the model.
        """
        first = [line.name for line in lines]
        shown = [*first, *(name for name in names if name not in first)]
        self._are_values = any(line.share is None for line in lines)
        if shown == self._names.stringList():
            return
        with QSignalBlocker(self.output_box):
            self._names.setStringList(shown)
            self.output_box.setCurrentIndex(
                shown.index(self._chosen) if self._chosen in shown else 0
            )
        self._show_heat()

    def _on_output(self, place: int) -> None:
        self._chosen = self.output if place else ""  # the first one is what each answer is
        self.insight.show_output(self.output)

    def _on_switched(self, _on: bool) -> None:
        self.insight.want(heat=self.heat_button.isChecked())
        self._show_heat()

    def _on_opacity(self, percent: int) -> None:
        self.opacity_changed.emit(percent / 100)

    def _show_heat(self) -> None:
        heat, is_on = self.insight.heat, self.heat_button.isChecked()
        self.opacity.setVisible(is_on and isinstance(heat, Heat) and not heat.is_empty)
        self.output_box.setVisible(is_on and self.output_box.count() > 1)
        if not is_on:
            self.heat_line.setText("")
        elif heat is None:
            self.heat_line.setText(self.tr("Drawing the heat map…"))
        elif isinstance(heat, Failure):
            self.heat_line.setText(engine_text(f"{heat.message} {heat.hint}".strip()))
        else:
            self.heat_line.setText(self._words(heat).format(label=apart(heat.label)))
        self.heat_line.setVisible(bool(self.heat_line.text()))

    def _words(self, heat: Heat) -> str:
        """Return what the map shows of `{label}`."""
        if self._are_values and heat.is_empty:
            return self.tr("Nothing in the picture increases {label}.")
        if self._are_values:
            return self.tr("What increases {label}, by Grad-CAM")
        if heat.is_empty:
            return self.tr("Nothing in the picture speaks for {label}.")
        return self.tr("What speaks for {label}, by Grad-CAM")

    def _lay_out(self) -> None:
        buttons = FlowLayout()  # in other languages they need two lines
        buttons.addWidget(self.heat_button)
        buttons.addWidget(self.similar.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(buttons)
        column.addWidget(self.output_box)
        column.addWidget(self.heat_line)
        column.addWidget(self.opacity)
        column.addWidget(self.similar)
