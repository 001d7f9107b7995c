"""Line above a chart: title, values under the pointer, and tools."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSlider, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.figures import number
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label
from studio.ui.widgets.tips import with_term

_SLIDER_WIDTH = 64
_ROOMY = 380
_FINEST = 3.0
"""The slider ends at a weight of 1 - 10 ** -3: a mean of about a thousand points."""


class Tools(enum.Flag):
    """Tools of a chart besides table view and export, which every chart has.

    With `COMPACT` all tools are in the menu, for charts in a few hundred pixels.
    """

    NONE = 0
    ZOOM = enum.auto()
    LOG_Y = enum.auto()
    LOG_X = enum.auto()
    SMOOTHING = enum.auto()
    COMPACT = enum.auto()


def weight_at(position: int) -> float:
    """Return the weight at a slider position, 0 to 100, where 1 - weight falls evenly in log."""
    return 1.0 - math.pow(10.0, -_FINEST * position / 100)


def position_of(weight: float) -> int:
    """Return the slider position closest to a weight."""
    return round(-100 / _FINEST * math.log10(1.0 - weight))


class ChartHeader(QWidget):
    """Title on the left, tools on the right. Each tool is an action in the menu.

    Signals:
        smoothing_changed: The weight, 0 to 0.999.
        chosen: Key of the requested metric, if the title offers several.
    """

    smoothing_changed = Signal(float)
    chosen = Signal(str)

    def __init__(
        self, theme: Theme, title: str, tools: Tools, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tools = tools
        self._x_label = ""
        self._title = ElidedLabel(title, self)
        self._title.setProperty("role", "section")
        self.choice = self._choice_button()
        self._has_choice = False
        self._read_out = ElidedLabel("", self)
        self._read_out.setProperty("role", "muted")
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setFixedWidth(_SLIDER_WIDTH)
        self.slider.valueChanged.connect(self._slid)
        self._smoothing = text_label("", "caption", self)
        self.menu = QMenu(self)
        self.table_action = self._action("table", theme, is_checkable=True)
        self.log_action = self._action("log-axis", theme, Tools.LOG_Y, is_checkable=True)
        self.log_x_action = self._action("", theme, Tools.LOG_X, is_checkable=True)
        self.reset_action = self._action("reset-view", theme, Tools.ZOOM)
        self.reset_action.setEnabled(False)
        self.menu.addSeparator()
        self.copy_action = self._action("copy", theme)
        self.png_action = self._action("image", theme)
        self.svg_action = self._action("chart", theme)
        self.log_button = self._button(self.log_action)
        self.log_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.table_button = self._button(self.table_action)
        self.reset_button = self._button(self.reset_action)
        self.menu_button = self._button(None)
        set_icon(self.menu_button, "more", theme, "muted")
        self.menu_button.setMenu(self.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._lay_out()
        self.set_title(title)
        self._retranslate()

    def set_title(self, title: str) -> None:
        """Show another title; an empty one leaves its place to controls."""
        self._title.setText(title)
        self._title.set_tip(with_term(title) if title else "")
        self._title.setVisible(bool(title) and not self._has_choice)
        self.choice.setText(f"{title} ▾")
        self.choice.setAccessibleName(title)

    def set_x_label(self, label: str) -> None:
        """Set what x counts, for the menu."""
        self._x_label = label
        self._retranslate()

    def add_control(self, control: QWidget, stretch: int = 0) -> None:
        """Put a control of the chart after the title."""
        self._controls.addWidget(control, stretch)

    def set_choices(self, choices: Mapping[str, tuple[str, str]], chosen: str) -> None:
        """Offer several metrics at the title; one alone is no choice.

        Args:
            choices: Name and explanation of each metric, by key.
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
        """Show what is under the pointer."""
        self._read_out.setText(text)

    def read_out(self) -> str:
        """Return what is shown about the pointer."""
        return self._read_out.text()

    def set_smoothing(self, weight: float) -> None:
        """Move the slider."""
        self.slider.setValue(position_of(weight))

    def tools(self) -> list[QWidget]:
        """Return the visible tools."""
        if Tools.COMPACT in self._tools:
            return [self.menu_button]
        optional = (
            (self.slider, Tools.SMOOTHING),
            (self.log_button, Tools.LOG_Y),
            (self.table_button, Tools.NONE),
            (self.reset_button, Tools.ZOOM),
            (self.menu_button, Tools.NONE),
        )
        return [widget for widget, tool in optional if tool in self._tools]

    def set_tools_shown(self, *, shown: bool) -> None:
        """Hide the tools while a picture is taken; their space stays empty."""
        for tool in self.tools():
            policy = tool.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            tool.setSizePolicy(policy)
            tool.setVisible(shown)
        self._smoothing.setVisible(shown and self._is_smoothing_named())
        self.choice.setVisible(shown and self._has_choice)
        self._title.setVisible(bool(self._title.text()) and not (shown and self._has_choice))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the word beside the slider if the chart is narrow."""
        super().resizeEvent(event)
        self._smoothing.setVisible(self._is_smoothing_named())

    def changeEvent(self, event: QEvent) -> None:
        """Translate again if the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _is_smoothing_named(self) -> bool:
        return self.slider in self.tools() and self.width() >= _ROOMY

    def _action(
        self, icon: str, theme: Theme, tool: Tools = Tools.NONE, *, is_checkable: bool = False
    ) -> QAction:
        action = QAction(self)
        action.setCheckable(is_checkable)
        if icon:
            set_icon(action, icon, theme, "muted")
        if tool in self._tools:
            self.menu.addAction(action)
        return action

    def _button(self, action: QAction | None) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("kind", "quiet")
        button.setProperty("small", True)
        button.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if action is not None:
            button.setDefaultAction(action)
        return button

    def _choice_button(self) -> QToolButton:
        """Return the button that replaces the title if there are several metrics."""
        button = self._button(None)
        button.setProperty("role", "section")
        button.setMenu(QMenu(button))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.hide()
        return button

    def _lay_out(self) -> None:
        self._controls = QHBoxLayout()
        self._controls.setSpacing(SPACE.s)
        tools = self.tools()
        hbox(
            (self._title, 1),
            self.choice,
            (self._controls, 1),
            STRETCH,
            self._read_out,
            SPACE.m if Tools.COMPACT not in self._tools else 0,
            self._smoothing,
            SPACE.xs,
            *tools,
            owner=self,
            spacing=2,
        )
        for tool in (self.slider, self.log_button, self.table_button, self.reset_button):
            tool.setVisible(tool in tools)

    def _slid(self, value: int) -> None:
        self._describe_slider()
        self.smoothing_changed.emit(weight_at(value))

    def _describe_slider(self) -> None:
        weight = weight_at(self.slider.value())
        text = self.tr("Smoothing: {weight}").format(weight=number(weight, 3))
        self.slider.setToolTip(text)
        self.slider.setAccessibleName(self.tr("Smoothing"))

    def _retranslate(self) -> None:
        for action, text in (
            (self.table_action, self.tr("Show as table")),
            (self.log_action, self.tr("Logarithmic values")),
            (self.log_x_action, self.tr("Logarithmic axis: {name}").format(name=self._x_label)),
            (self.reset_action, self.tr("Reset view")),
            (self.copy_action, self.tr("Copy as CSV")),
            (self.png_action, self.tr("Save PNG…")),
            (self.svg_action, self.tr("Save SVG…")),
        ):
            action.setText(text)
            action.setToolTip(text)
        self.log_action.setIconText(self.tr("log"))
        self.reset_action.setToolTip(
            self.tr("Show everything (double click). Drag to zoom into a part.")
            if Tools.COMPACT in self._tools
            else self.tr(
                "Show everything (double click). Drag to zoom into a part, Shift-drag to move, "
                "turn the wheel to zoom."
            )
        )
        for button, text in (
            (self.table_button, self.table_action.text()),
            (self.log_button, self.log_action.text()),
            (self.reset_button, self.reset_action.text()),
            (self.menu_button, self.tr("Axis, copy, save")),
        ):
            button.setAccessibleName(text)
        self.menu_button.setToolTip(self.tr("Axis, copy, save"))
        self.choice.setToolTip(self.tr("Choose the metric of this chart"))
        self._smoothing.setText(self.tr("Smooth"))
        self._describe_slider()
