"""Controls of how pixels are shown: channels, their colors, and contrast windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, PopUp, horizontal_slider
from studio.ui.widgets.layout import STRETCH, Debounce, hbox, text_label, vbox
from studio.ui.widgets.overlay import swatch
from studio.ui.widgets.range_histogram import RangeEditor
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.datasets.display import DisplayFacts
    from studio.engine.display_mapping import DisplayMapping
    from studio.engine.pixel_format import PixelFormat

_MOVE_MS: Final = 60
"""Delay after which pictures follow a handle."""
_MOST_ROWS: Final = 7
_WIDTH: Final = 300


def _color_names() -> list[tuple[str, str]]:
    """Return the colors of channels with their names."""
    words = partial(QCoreApplication.translate, "display")
    return [
        ("#ffffff", words("White")),
        ("#ff0000", words("Red")),
        ("#00ff00", words("Green")),
        ("#0000ff", words("Blue")),
        ("#00ffff", words("Cyan")),
        ("#ff00ff", words("Magenta")),
        ("#ffff00", words("Yellow")),
    ]


def channel_names(pixels: PixelFormat) -> list[str]:
    """Return the names of the channels in the language of the window."""
    words = partial(QCoreApplication.translate, "display")
    if pixels.is_rgb:
        return [words("Red"), words("Green"), words("Blue")]
    if pixels.names:
        return list(pixels.names)
    return [words("Channel {n}").format(n=name) for name in pixels.channel_names]


@dataclass(slots=True)
class _ChannelRow:
    number: int
    name: str
    color: str
    is_shown: bool


class DisplayPanel(QWidget):
    """Channels with their colors, and the contrast window of the selected channel.

    Signals:
        changed: A `DisplayMapping` was chosen.
        plane_changed: Another plane was chosen, by its number from 0.
    """

    changed = Signal(object)
    plane_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts: DisplayFacts | None = None
        self._mapping: DisplayMapping | None = None
        self._channel = 0
        self.table: Table[_ChannelRow] = Table(
            self.tr("Channels"), (), self, key=attrgetter("number"), max_rows=_MOST_ROWS
        )
        self.table.setFrameShape(Table.Shape.NoFrame)
        self.table.horizontalHeader().hide()
        explain(self.table, self.tr("Select a channel to adjust it. Clear a box to hide it."))
        self.color = ComboBox(self, self.tr("Color of the channel"))
        explain(self.color, self.tr("Color of the highest values. Colors of channels are added."))
        for color, name in _color_names():
            self.color.addItem(swatch(color), name, color)
        low = self.tr("Black"), self.tr("Values up to this one are black.")
        high = self.tr("Full"), self.tr("Values from this one have the full color.")
        self.window_range = RangeEditor(theme, low, high, self)
        bars = self.window_range.histogram
        bars.setAccessibleName(self.tr("Histogram of the channel"))
        explain(bars, self.tr("Drag the ends: values below are black, above are full."))
        tip = self.tr("Fits the windows to the images, without the extreme 0.2 %.")
        self.auto_button = push_button(self.tr("Auto"), theme, parent=self, tip=tip)
        tip = self.tr("Restores the colors and the full range of the dataset.")
        self.reset_button = push_button(self.tr("Reset"), theme, parent=self, tip=tip)
        self.plane = horizontal_slider(self, self.tr("Plane"), 0, 0, 0)
        explain(self.plane, self.tr("Shows another plane of the file."))
        self._settling = Debounce(_MOVE_MS, self._emit, self)
        self._plane_settling = Debounce(_MOVE_MS, self._emit_plane, self)
        self._lay_out()
        self._connect()

    def show_facts(self, facts: DisplayFacts) -> None:
        """Show the mapping and the histograms of a dataset."""
        self._facts = facts
        self._mapping = facts.mapping
        self._channel = min(self._channel, facts.pixels.channels - 1)
        is_single = facts.pixels.channels == 1
        for part in (self.table, self.color, self._color_label):
            part.setVisible(not is_single)
        self._show_rows()
        self.table.select(self._channel)
        self._show_channel()
        with QSignalBlocker(self.plane):
            self.plane.setMaximum(facts.planes - 1)
            self.plane.setValue(facts.plane)
        self.plane.setVisible(facts.planes > 1)
        self._plane_label.setVisible(facts.planes > 1)
        self._show_plane()

    def mapping(self) -> DisplayMapping | None:
        """Return the mapping that is shown."""
        return self._mapping

    # What is shown

    def _show_rows(self) -> None:
        if self._facts is None or self._mapping is None:
            return
        shown, colors = self._mapping.shown, self._mapping.colors
        names = channel_names(self._facts.pixels)
        rows = [
            _ChannelRow(number, name, colors[number], number in shown)
            for number, name in enumerate(names)
        ]
        column: Column[_ChannelRow] = Column(
            self.tr("Channel"),
            attrgetter("name"),
            key="name",
            width=FILL,
            is_text=True,
            checked=attrgetter("is_shown"),
            check=self._on_checked,
            picture=lambda row: swatch(row.color),
        )
        self.table.show_rows(rows, [column])

    def _show_channel(self) -> None:
        """Show the color and the window of the selected channel."""
        facts, mapping, at = self._facts, self._mapping, self._channel
        if facts is None or mapping is None:
            return
        self.window_range.show_values(
            facts.histograms[at].tolist(),
            facts.limits[at],
            (mapping.low[at], mapping.high[at]),
            is_whole=facts.pixels.dtype != "float32",
            color=mapping.colors[at],
        )
        with QSignalBlocker(self.color):
            self.color.choose(mapping.colors[at])

    # Changes

    def _on_row(self, channel: object) -> None:
        if isinstance(channel, int) and channel != self._channel:
            self._channel = channel
            self._show_channel()

    def _on_checked(self, row: _ChannelRow, is_shown: bool) -> None:
        mapping = self._mapping
        if mapping is None:
            return
        shown = (
            set(mapping.shown) | {row.number} if is_shown else set(mapping.shown) - {row.number}
        )
        if not shown:
            self._show_rows()  # one channel stays
            return
        row.is_shown = is_shown
        self._take(mapping.model_copy(update={"shown": tuple(sorted(shown))}))

    def _on_color(self) -> None:
        mapping = self._mapping
        if mapping is not None:
            colors = list(mapping.colors)
            colors[self._channel] = self.color.currentData()
            self._take(mapping.model_copy(update={"colors": tuple(colors)}))
            self._show_rows()
            self.table.select(self._channel)
            self._show_channel()

    def _set_window(self, low: float, high: float) -> None:
        if self._mapping is None or not low < high:
            return
        self._mapping = self._mapping.with_window(self._channel, low, high)
        self._show_channel()
        self._settling.start()

    def _show_plane(self) -> None:
        text = self.tr("Plane {number} of {count}")
        number, count = self.plane.value() + 1, self.plane.maximum() + 1
        self._plane_label.setText(text.format(number=number, count=count))

    def _on_plane(self) -> None:
        self._show_plane()
        self._plane_settling.start()

    def _emit_plane(self) -> None:
        self.plane_changed.emit(self.plane.value())

    def _on_auto(self) -> None:
        if self._facts is not None and self._mapping is not None:
            auto = self._facts.auto
            self._take(self._mapping.model_copy(update={"low": auto.low, "high": auto.high}))
            self._show_channel()

    def _on_reset(self) -> None:
        if self._facts is not None:
            self._take(self._facts.default)
            self._show_rows()
            self.table.select(self._channel)
            self._show_channel()

    def _take(self, mapping: DisplayMapping) -> None:
        self._mapping = mapping
        self._emit()

    def _emit(self) -> None:
        self._settling.stop()
        if self._mapping is not None:
            self.changed.emit(self._mapping)

    # Building

    def _lay_out(self) -> None:
        self._color_label = text_label(self.tr("Color"), "muted", self)
        buttons = hbox(STRETCH, self.auto_button, self.reset_button, spacing=SPACE.s)
        color = hbox(self._color_label, (self.color, 1), spacing=SPACE.s)
        self._plane_label = text_label("", "muted", self)
        plane = hbox(self._plane_label, (self.plane, 1), spacing=SPACE.s)
        parts = (plane, self.table, color, self.window_range, buttons)
        vbox(*parts, owner=self, spacing=SPACE.s)

    def _connect(self) -> None:
        self.table.row_chosen.connect(self._on_row)
        self.color.activated.connect(self._on_color)
        self.window_range.range_changed.connect(self._set_window)
        self.plane.valueChanged.connect(self._on_plane)
        self.auto_button.clicked.connect(self._on_auto)
        self.reset_button.clicked.connect(self._on_reset)


class DisplayButton(QPushButton):
    """Opens the controls of how pixels are shown, below itself.

    It is hidden for pixels that screens show as they are, unless a command opens it.

    Signals:
        changed: A `DisplayMapping` was chosen.
        plane_changed: Another plane was chosen, by its number from 0.
    """

    changed = Signal(object)
    plane_changed = Signal(int)

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._load: Callable[[], DisplayFacts] | None = None
        self._loading = Request(background, self)
        self.setText(self.tr("Display"))
        self.setProperty("kind", "quiet")
        self.setAutoDefault(False)
        set_icon(self, "visible", theme, "text")
        explain(self, self.tr("Chooses channels, their colors and the contrast of the images."))
        self._theme = theme
        self.clicked.connect(self.open)
        self.hide()

    # Made when it is first opened: most images are shown as they are.

    @cached_property
    def popup(self) -> PopUp:
        """The window below the button."""
        popup = PopUp(self)
        self.destroyed.connect(popup.deleteLater)  # it moves to the window when it opens
        popup.setProperty("card", True)
        popup.setAccessibleName(self.tr("Display"))
        popup.setFixedWidth(_WIDTH)
        return popup

    @cached_property
    def panel(self) -> DisplayPanel:
        """The controls in it."""
        panel = DisplayPanel(self._theme, self.popup)
        title = text_label(self.tr("Display"), "section", self.popup)
        note = text_label(self.tr("Stored values never change."), "caption", self.popup)
        vbox(title, note, panel, owner=self.popup, spacing=SPACE.s, margins=SPACE.m)
        panel.changed.connect(self.changed)
        panel.plane_changed.connect(self.plane_changed)
        return panel

    def set_source(
        self, load: Callable[[], DisplayFacts] | None, *, is_standard: bool = True
    ) -> None:
        """Set what is shown.

        Args:
            load: Reads the facts of the images, in another thread; None for nothing.
            is_standard: True if screens show the pixels as they are.
        """
        self._load = load
        self._loading.drop()
        if "popup" in vars(self) and (load is None or is_standard):
            self.popup.hide()
        self.setVisible(load is not None and not is_standard)

    def open(self) -> None:
        """Open the controls once the images are read."""
        if self._load is not None:
            self.show()
            self._loading.run(self._load, self._on_facts)

    def _on_facts(self, facts: DisplayFacts) -> None:
        self.panel.show_facts(facts)
        window = self.window()
        self.popup.setParent(window)
        self.popup.adjustSize()
        corner = self.mapTo(window, QPoint(self.width(), self.height() + SPACE.xs))
        left = max(0, corner.x() - self.popup.width())
        top = max(0, min(corner.y(), window.height() - self.popup.height()))
        self.popup.move(left, top)
        self.popup.show()
        self.popup.raise_()
        first = self.panel.window_range.low if facts.pixels.channels == 1 else self.panel.table
        first.setFocus(Qt.FocusReason.PopupFocusReason)
