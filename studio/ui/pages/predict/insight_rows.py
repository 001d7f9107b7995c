"""Switches for the heat map and the nearest training images, and the images themselves."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSlider, QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.predict.insight import Insight
from studio.ui.pages.predict.insight_work import Heat
from studio.ui.pages.predict.state import Failure
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.names import apart

_HALF = 60
"""Percent that the heat map hides at first."""


class InsightRows(QWidget):
    """Two switches; below them how strong the heat map is, and the nearest images.

    Signals:
        opacity_changed: How much the heat map hides, 0 to 1.
    """

    opacity_changed = Signal(float)

    def __init__(
        self, context: AppContext, insight: Insight, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._insight = insight
        self.heat_button = push_button(
            self.tr("Heat map"), context.theme, icon="heat-map", parent=self
        )
        self.heat_button.setCheckable(True)
        self.heat_button.setToolTip(self.tr("Show what in the picture the answer depends on"))
        self.similar = SimilarImages(context, self)
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
        insight.heat_changed.connect(self._show_heat)
        self._show_heat()

    def _on_switched(self, _on: bool) -> None:
        self._insight.want(heat=self.heat_button.isChecked())
        self._show_heat()

    def _on_opacity(self, percent: int) -> None:
        self.opacity_changed.emit(percent / 100)

    def _show_heat(self) -> None:
        heat, is_on = self._insight.heat, self.heat_button.isChecked()
        self.opacity.setVisible(is_on and isinstance(heat, Heat) and not heat.is_empty)
        if not is_on:
            self.heat_line.setText("")
        elif heat is None:
            self.heat_line.setText(self.tr("Drawing the heat map…"))
        elif isinstance(heat, Failure):
            self.heat_line.setText(engine_text(f"{heat.message} {heat.hint}".strip()))
        elif heat.is_empty:
            self.heat_line.setText(
                self.tr("Nothing in the picture speaks for {label}.").format(
                    label=apart(heat.label)
                )
            )
        else:
            text = self.tr("What speaks for {label}, by Grad-CAM").format(label=apart(heat.label))
            self.heat_line.setText(text)
        self.heat_line.setVisible(bool(self.heat_line.text()))

    def _lay_out(self) -> None:
        buttons = FlowLayout()  # in other languages they need two lines
        buttons.addWidget(self.heat_button)
        buttons.addWidget(self.similar.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(buttons)
        column.addWidget(self.heat_line)
        column.addWidget(self.opacity)
        column.addWidget(self.similar)
