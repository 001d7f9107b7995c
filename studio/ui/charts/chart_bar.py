"""The line above a chart: its title, what is under the pointer, and its tools."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSlider, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import number
from studio.ui.widgets.terms import with_term

_SLIDER_WIDTH = 64
_ROOMY = 380
_FINEST = 3.0
"""The slider's end is a weight of 1 - 10 ** -3: a mean of about a thousand points."""


def weight_at(place: int) -> float:
    """The weight at a place of the slider, 0 to 100: as many steps from 0.9 to 0.99 as from 0."""
    return 1.0 - math.pow(10.0, -_FINEST * place / 100)


def place_of(weight: float) -> int:
    """The place of the slider next to a weight."""
    return round(-100 / _FINEST * math.log10(1.0 - weight))


class ChartBar(QWidget):
    """Title at the left, tools at the right; the tools are plain attributes.

    Signals:
        smoothing_changed: The weight, 0 to 0.999.
        chosen: Key of the figure that is wanted, where the title offers several.
    """

    smoothing_changed = Signal(float)
    chosen = Signal(str)

    def __init__(
        self, theme: Theme, title: str, x_label: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._x_label = x_label
        self._title = ElidedLabel(title, self)
        self._title.setProperty("role", "section")
        self._title.set_tip(with_term(title))
        self.choice = self._choice_button()
        self._has_choice = False
        self._read_out = QLabel(self)
        self._read_out.setProperty("role", "muted")
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setFixedWidth(_SLIDER_WIDTH)
        self.slider.valueChanged.connect(self._slid)
        self._smoothing = QLabel(self)
        self._smoothing.setProperty("role", "caption")
        self.log_button = icon_button("log-axis", "", theme, parent=self)
        self.log_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.table_button = icon_button("table", "", theme, parent=self)
        self.reset_button = icon_button("reset-view", "", theme, parent=self)
        self.menu_button = icon_button("more", "", theme, parent=self)
        self.log_button.setCheckable(True)
        self.table_button.setCheckable(True)
        self.reset_button.setEnabled(False)
        self.menu = QMenu(self)
        self.log_x_action = QAction(self)
        self.log_x_action.setCheckable(True)
        self.copy_action = QAction(self)
        self.png_action = QAction(self)
        self.svg_action = QAction(self)
        self.menu.addAction(self.log_x_action)
        self.menu.addSeparator()
        self.menu.addActions([self.copy_action, self.png_action, self.svg_action])
        for action, name in (
            (self.copy_action, "copy"),
            (self.png_action, "image"),
            (self.svg_action, "chart"),
        ):
            set_icon(action, name, theme)
        self.menu_button.setMenu(self.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._lay_out()
        self._retranslate()

    def _choice_button(self) -> QToolButton:
        """Return a button that stands for the title where there are several."""
        button = QToolButton(self)
        button.setProperty("kind", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setProperty("role", "section")
        button.setMenu(QMenu(button))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.hide()
        return button

    def set_title(self, title: str) -> None:
        """Name another figure."""
        self._title.setText(title)
        self._title.set_tip(with_term(title))
        self.choice.setText(f"{title} ▾")
        self.choice.setAccessibleName(title)

    def set_choices(self, choices: Mapping[str, tuple[str, str]], chosen: str) -> None:
        """Offer several figures to choose from at the title; one alone is no choice.

        Args:
            choices: Name and explanation of each figure by its key.
            chosen: The one that is shown.
        """
        self._has_choice = len(choices) > 1
        self.choice.setVisible(self._has_choice)
        self._title.setVisible(not self._has_choice)
        menu = self.choice.menu()
        menu.clear()
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for key, (text, tip) in choices.items():
            action = menu.addAction(text, partial(self.chosen.emit, key))
            action.setToolTip(tip)
            action.setCheckable(True)
            action.setChecked(key == chosen)
            group.addAction(action)

    def set_read_out(self, text: str) -> None:
        """Show where the pointer is."""
        self._read_out.setText(text)

    def read_out(self) -> str:
        """What is shown about the pointer."""
        return self._read_out.text()

    def set_smoothing(self, weight: float) -> None:
        """Move the slider."""
        self.slider.setValue(place_of(weight))

    def set_tools_shown(self, *, shown: bool) -> None:
        """Hide the tools while a picture is taken; they leave their room behind."""
        for tool in self._tools():
            policy = tool.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            tool.setSizePolicy(policy)
            tool.setVisible(shown)
        self._smoothing.setVisible(shown and self.width() >= _ROOMY)
        self.choice.setVisible(shown and self._has_choice)
        self._title.setVisible(not (shown and self._has_choice))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow chart leaves the word beside the slider out; the tooltip has it."""
        super().resizeEvent(event)
        self._smoothing.setVisible(self.width() >= _ROOMY)

    def changeEvent(self, event: QEvent) -> None:
        """Another language, other words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _tools(self) -> list[QWidget]:
        return [
            self.slider,
            self.log_button,
            self.table_button,
            self.reset_button,
            self.menu_button,
        ]

    def _lay_out(self) -> None:
        for button in self.findChildren(QToolButton):
            button.setProperty("small", True)
            button.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._title, 1)
        row.addWidget(self.choice)
        row.addStretch()
        row.addWidget(self._read_out)
        row.addSpacing(SPACE.m)
        row.addWidget(self._smoothing)
        row.addSpacing(SPACE.xs)
        for tool in self._tools():
            row.addWidget(tool)

    def _slid(self, value: int) -> None:
        self._describe_slider()
        self.smoothing_changed.emit(weight_at(value))

    def _describe_slider(self) -> None:
        weight = weight_at(self.slider.value())
        text = self.tr("Smoothing: {weight}").format(weight=number(weight, 3))
        self.slider.setToolTip(text)
        self.slider.setAccessibleName(self.tr("Smoothing"))

    def _retranslate(self) -> None:
        for button, text in (
            (self.log_button, self.tr("Logarithmic values")),
            (self.table_button, self.tr("Show as table")),
            (self.reset_button, self.tr("Reset view")),
            (self.menu_button, self.tr("Axis, copy, save")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.choice.setToolTip(self.tr("Choose the metric of this chart"))
        self.reset_button.setToolTip(
            self.tr(
                "Show everything (double click). Drag to zoom into a part, Shift-drag to move, "
                "turn the wheel to zoom."
            )
        )
        self._smoothing.setText(self.tr("Smooth"))
        self.log_x_action.setText(self.tr("Logarithmic axis: {name}").format(name=self._x_label))
        self.log_button.setText(self.tr("log"))
        self.copy_action.setText(self.tr("Copy as CSV"))
        self.png_action.setText(self.tr("Save PNG…"))
        self.svg_action.setText(self.tr("Save SVG…"))
        self._describe_slider()
