"""Header and legend of a chart: title, values under the pointer, tools, and curves."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QMenu, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, ICON_SMALL, RADIUS, SPACE, chart_color, mix
from studio.ui.widgets.figures import number
from studio.ui.widgets.inputs import horizontal_slider
from studio.ui.widgets.labels import ElidedLabel, TitleLabel, elided
from studio.ui.widgets.layout import STRETCH, FlowLayout, hbox, text_label
from studio.ui.widgets.tips import name_control, with_term

DotShape = Literal["circle", "square", "triangle"]


@dataclass(frozen=True)
class DotStyle:
    """Style of dots: color, diameter in pixels, color of the rim if any, and shape."""

    color: QColor
    size: float
    rim: QColor | None = None
    shape: DotShape = "circle"


def draw_shape(painter: QPainter, shape: DotShape, center: QPointF, radius: float) -> None:
    """Draw a circle, square or triangle of about the same area.

    Args:
        painter: Draws with its pen and brush.
        shape: The shape.
        center: In pixels.
        radius: Radius of the circle, in pixels.
    """
    if shape == "circle":
        painter.drawEllipse(center, radius, radius)
    elif shape == "square":
        half = radius * 0.87  # about the same area
        painter.drawRect(QRectF(center.x() - half, center.y() - half, 2 * half, 2 * half))
    else:
        top = QPointF(center.x(), center.y() - radius)
        left = QPointF(center.x() - radius, center.y() + 0.8 * radius)
        right = QPointF(center.x() + radius, center.y() + 0.8 * radius)
        painter.drawPolygon(QPolygonF([top, right, left]))


_SAMPLE = 22
_HEIGHT = 26
_MOST_NAME = 240
_NO_LIMIT = (1 << 24) - 1


class LegendEntry(QAbstractButton):
    """Sample of the line, name of the curve, and one value; checked if the curve is shown.

    Signals:
        switched: Key of the curve, and True if it is shown.
    """

    switched = Signal(str, bool)

    def __init__(self, theme: Theme, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._key = key
        self._color_index: int | None = 0
        self._color = ""
        self._dashed = self._faint = False
        self._value = ""
        self._value_width = 0
        self._is_compact = False
        self._dot: DotStyle | None = None
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self._on_toggled)
        theme.changed.connect(self.update)

    def set_style(
        self,
        name: str,
        color_index: int | None,
        *,
        dashed: bool,
        faint: bool = False,
        color: str = "",
    ) -> None:
        """Show another name or line.

        Args:
            name: Name of the curve.
            color_index: Index of the chart color; None for the muted color of a guide.
            dashed: True for a dashed line.
            faint: True for a line behind the others.
            color: Color as "#rrggbb" instead of a chart color.
        """
        style = name, color_index, dashed, faint, color
        if style == (self.text(), self._color_index, self._dashed, self._faint, self._color):
            return
        self._color_index, self._dashed, self._faint = color_index, dashed, faint
        self._color = color
        self.setText(name)
        self.setAccessibleName(self.tr("Show the curve {name}").format(name=name))
        self.setToolTip(self.tr("Show or hide {name}").format(name=name))
        self.updateGeometry()

    def set_dot(self, name: str, style: DotStyle) -> None:
        """Show a name with a dot instead of a line.

        Args:
            name: The name.
            style: Style of the dot.
        """
        self._dot = style
        self.set_style(name, None, dashed=False)
        self.update()

    def set_value(self, text: str) -> None:
        """Show a value; its width never shrinks, so that the legend does not jump."""
        if text == self._value:
            return
        self._value = text
        self.setAccessibleDescription(text)
        width = self.fontMetrics().horizontalAdvance(text)
        if width > self._value_width:
            self._value_width = width
            self.updateGeometry()
        self.update()

    def set_compact(self, *, is_compact: bool) -> None:
        """Hide the value if a chart is low."""
        if is_compact != self._is_compact:
            self._is_compact = is_compact
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of sample, name and value in a line."""
        return QSize(self.width_in_line(has_value=not self._is_compact), _HEIGHT)

    def width_in_line(self, *, has_value: bool) -> int:
        """Return the width of sample and name, with or without the value, in pixels."""
        name = round(min(QFontMetrics(self.font()).horizontalAdvance(self.text()), _MOST_NAME))
        value = self._value_width + SPACE.s if self._value_width and has_value else 0
        return SPACE.s + _SAMPLE + SPACE.s + name + value + SPACE.s

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the entry; a hidden curve has a muted sample and a muted name, struck out."""
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            pen = QPen(QColor(palette.accent), 2) if self.hasFocus() else QPen(Qt.PenStyle.NoPen)
            painter.setPen(pen)
            painter.setBrush(QColor(palette.hover))
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS.control, RADIUS.control
            )
        self._paint_sample(painter)
        self._paint_text(painter)
        painter.end()

    def sample(self) -> QIcon:
        """Return the line or dot of the curve as an icon."""
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(QSize(SPACE.s + _SAMPLE, self.height()) * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self._paint_sample(painter)
        painter.end()
        return QIcon(pixmap)

    def _paint_sample(self, painter: QPainter) -> None:
        on = self.isChecked()
        if self._dot is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._dot.color if on else QColor(self._theme.palette.outline))
            draw_shape(
                painter, self._dot.shape, QPointF(SPACE.s + _SAMPLE / 2, self.height() / 2), 5
            )
            return
        color = self._theme.palette.muted
        if self._color_index is not None:
            color = self._color or chart_color(self._color_index, dark=self._theme.is_dark)
        if self._faint:  # as the line is drawn
            color = mix(self._theme.palette.surface, color, FAINT)
        pen = QPen(QColor(color if on else self._theme.palette.outline), 2.5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self._dashed:
            pen.setDashPattern([2.4, 1.4])
        painter.setPen(pen)
        middle = self.height() / 2
        painter.drawLine(QPointF(SPACE.s, middle), QPointF(SPACE.s + _SAMPLE, middle))

    def _paint_text(self, painter: QPainter) -> None:
        palette, on = self._theme.palette, self.isChecked()
        font = QFont(self.font())
        font.setStrikeOut(not on)
        painter.setFont(font)
        painter.setPen(QColor(palette.text if on else palette.muted))
        left = SPACE.s + _SAMPLE + SPACE.s
        line = QRectF(left, 0, self.width() - left - SPACE.s, self.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        text = elided(painter.fontMetrics(), self.text(), _MOST_NAME)
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignLeft, text)
        if on and self._value and not self._is_compact:
            painter.setPen(QColor(palette.muted))
            painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, self._value)

    def _on_toggled(self, checked: bool) -> None:
        self.switched.emit(self._key, checked)


class _MoreCurves(QToolButton):
    """The entries of a legend for which its line has no room, in a menu."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries: list[LegendEntry] = []
        self.setProperty("kind", "quiet")
        self.setProperty("small", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFixedHeight(_HEIGHT)
        name_control(self, self.tr("Curves without room in this line"))
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.hide()

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Offer other entries; without any, hide."""
        self._entries = list(entries)
        self.setText(f"+{len(entries)}")
        self.setVisible(bool(entries))

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for entry in self._entries:
            action = menu.addAction(entry.sample(), entry.text().replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(entry.isChecked())
            action.toggled.connect(entry.setChecked)


class Legend(QWidget):
    """Entries in lines that wrap; in a low chart one line, whose rest is in a menu.

    Attributes:
        more: Button with the menu.

    Signals:
        switched: Key of a curve, and True if it is shown.
    """

    switched = Signal(str, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: dict[str, LegendEntry] = {}
        self._folded: set[str] = set()
        self._is_compact = False
        self._room = _NO_LIMIT
        self._flow = FlowLayout(self, spacing=SPACE.xs)
        self.more = _MoreCurves(self)
        self.setAccessibleName(self.tr("Legend"))

    def entry(self, key: str) -> LegendEntry:
        """Return the entry of a curve, created when first used."""
        if key not in self._entries:
            entry = LegendEntry(self._theme, key, self)
            entry.switched.connect(self.switched)
            entry.set_compact(is_compact=self._is_compact)
            self._entries[key] = entry
            self._flow.removeWidget(self.more)
            self._flow.addWidget(entry)
            self._flow.addWidget(self.more)
        return self._entries[key]

    def set_room(self, height: int) -> None:
        """Show names without values in one line if all lines would be higher than this.

        Args:
            height: Pixels.
        """
        self._room = height
        self._fold()

    def keys(self) -> list[str]:
        """Return the keys of the entries, in order."""
        return list(self._entries)

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self._folded.clear()
        self._flow.removeWidget(self.more)
        self.more.set_entries(())
        self._flow.clear()

    def event(self, event: QEvent) -> bool:
        """Fold the entries again if there is other room, or an entry needs another width."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fold()
        return super().event(event)

    def _fold(self) -> None:
        """Leave in the line what it has room for, if there is no room for all lines."""
        self._is_compact = self._height_in_full() > max(self._room, _HEIGHT)
        for entry in self._entries.values():
            entry.set_compact(is_compact=self._is_compact)
        folded = self._without_room() if self._is_compact else set()
        if folded == self._folded:
            return
        for key in folded ^ self._folded:
            self._entries[key].setVisible(key not in folded)
        self._folded = folded
        self.more.set_entries([self._entries[key] for key in self._entries if key in folded])

    def _height_in_full(self) -> int:
        """Return the height of all entries with their values, in pixels."""
        gap, left, lines = self._flow.spacing(), 0, 1
        for entry in self._entries.values():
            width = entry.width_in_line(has_value=True)
            if left and left + width > self.width():
                left, lines = 0, lines + 1
            left += width + gap
        return lines * (_HEIGHT + gap) - gap

    def _without_room(self) -> set[str]:
        widths = {key: entry.sizeHint().width() for key, entry in self._entries.items()}
        gap = self._flow.spacing()
        sums = itertools.accumulate(each + gap for each in widths.values())
        ends = dict(zip(widths, sums, strict=True))
        if not ends or max(ends.values()) - gap <= self.width():
            return set()
        room = self.width() - self.more.sizeHint().width()
        return {key for key, end in ends.items() if end > room}


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
    """Return the weight at a slider position, 0 to 100; log(1 - weight) falls linearly."""
    return 1.0 - math.pow(10.0, -_FINEST * position / 100)


class ChartHeader(QWidget):
    """Title on the left, tools on the right; each tool is also an action in the menu.

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
        self._title = TitleLabel(title, self, role="section")
        self.choice = self._choice_button()
        self._has_choice = False
        self._read_out = ElidedLabel("", self, role="muted")
        self.slider = horizontal_slider(self, self.tr("Smoothing"), 0, 100, 0, _SLIDER_WIDTH)
        self.slider.setPageStep(10)
        self.slider.setToolTip(self._smoothing_text(0))
        self.slider.valueChanged.connect(self._slid)
        self._smoothing = text_label(self.tr("Smooth"), "caption", self)
        self.menu = QMenu(self)
        self.table_action = self._action(self.tr("Show as table"), "table", theme)
        self.log_action = self._action(
            self.tr("Logarithmic values"), "log-axis", theme, Tools.LOG_Y
        )
        self.log_action.setIconText(self.tr("log"))
        self.log_x_action = self._action("", "", theme, Tools.LOG_X)
        for action in (self.table_action, self.log_action, self.log_x_action):
            action.setCheckable(True)
        self.reset_action = self._action(self.tr("Reset view"), "reset-view", theme, Tools.ZOOM)
        self.reset_action.setEnabled(False)
        self.reset_action.setToolTip(self._reset_tip())
        self.menu.addSeparator()
        self.copy_action = self._action(self.tr("Copy as CSV"), "copy", theme)
        self.png_action = self._action(self.tr("Save PNG…"), "image", theme)
        self.svg_action = self._action(self.tr("Save SVG…"), "chart", theme)
        self.log_button = self._button(self.log_action)
        self.log_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.table_button = self._button(self.table_action)
        self.reset_button = self._button(self.reset_action)
        self.menu_button = self._button(None)
        set_icon(self.menu_button, "more", theme, "muted")
        name_control(self.menu_button, self.tr("Axis, copy, save"))
        self.menu_button.setMenu(self.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._lay_out()
        self.set_title(title)
        self.set_x_label("")

    def set_title(self, title: str) -> None:
        """Show another title; an empty one leaves its space to controls."""
        self._title.setText(title)
        self._title.set_tip(with_term(title) if title else "")
        self._title.setVisible(bool(title) and not self._has_choice)
        self.choice.setText(f"{title} ▾")
        self.choice.setAccessibleName(title)

    def set_x_label(self, label: str) -> None:
        """Set the name of x, for the menu."""
        self.log_x_action.setText(self.tr("Logarithmic axis: {name}").format(name=label))

    def add_control(self, control: QWidget, stretch: int = 0) -> None:
        """Add a control after the title.

        Args:
            control: The control.
            stretch: Stretch factor in the layout.
        """
        self._controls.addWidget(control, stretch)

    def set_choices(self, choices: Mapping[str, tuple[str, str]], chosen: str) -> None:
        """Offer several metrics at the title.

        Args:
            choices: Name and explanation of each metric, by key.
            chosen: Key of the shown metric.
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
        """Show a text about the data under the pointer."""
        self._read_out.setText(text)

    def read_out(self) -> str:
        """Return the text about the data under the pointer."""
        return self._read_out.text()

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
        """Hide the tools while a picture is written; their space stays empty."""
        for tool in self.tools():
            policy = tool.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            tool.setSizePolicy(policy)
            tool.setVisible(shown)
        self._smoothing.setVisible(shown and self._is_smoothing_named())
        self.choice.setVisible(shown and self._has_choice)
        self._title.setVisible(bool(self._title.text()) and not (shown and self._has_choice))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the label of the slider if the chart is narrow."""
        super().resizeEvent(event)
        self._smoothing.setVisible(self._is_smoothing_named())

    def _is_smoothing_named(self) -> bool:
        return self.slider in self.tools() and self.width() >= _ROOMY

    def _action(self, text: str, icon: str, theme: Theme, tool: Tools = Tools.NONE) -> QAction:
        action = QAction(text, self)
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
            button.setAccessibleName(action.text())
        return button

    def _choice_button(self) -> QToolButton:
        """Return the button that replaces the title if there are several metrics."""
        button = self._button(None)
        button.setProperty("role", "section")
        button.setToolTip(self.tr("Choose the metric of this chart"))
        button.setMenu(QMenu(button))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.hide()
        return button

    def _lay_out(self) -> None:
        self._controls = hbox(spacing=SPACE.s)
        tools = self.tools()
        hbox(
            self._title,
            self.choice,
            (self._controls, 100),
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
        self.slider.setToolTip(self._smoothing_text(value))
        self.smoothing_changed.emit(weight_at(value))

    def _smoothing_text(self, position: int) -> str:
        return self.tr("Smoothing: {weight}").format(weight=number(weight_at(position), 3))

    def _reset_tip(self) -> str:
        if Tools.COMPACT in self._tools:
            return self.tr("Show everything (double click). Drag to zoom into a part.")
        return self.tr(
            "Show everything (double click). Drag to zoom into a part, Shift-drag to move, "
            "turn the wheel to zoom."
        )
