"""Histogram of the values of the images, in which a person sets the range of each channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from studio.engine.datasets.import_report import ImportReport, ValueHistogram
from studio.engine.datasets.value_ranges import (
    PER_IMAGE,
    ValueRange,
    range_of_counts,
    range_text,
)
from studio.engine.pixel_format import PixelFormat
from studio.ui.shared.display_panel import channel_names
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox
from studio.ui.widgets.range_histogram import RangeEditor
from studio.ui.widgets.tips import explain

_SETTLE_MS: Final = 300
_BINS: Final = 96


class ValueRangeCard(Card):
    """The values that networks receive as lowest and highest, over a histogram of a sample.

    Signals:
        chosen: As `DatasetRecipe.value_range` writes it; empty for the proposed range.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Value range"))
        self._histograms: Sequence[ValueHistogram] = ()
        self._pixels: PixelFormat | None = None
        self._ranges: list[ValueRange] = []
        self.channel = ComboBox(self, self.tr("Channel"))
        explain(self.channel, self.tr("Channel whose values are shown."))
        self.same = QCheckBox(self.tr("Same range for all channels"), self)
        explain(self.same, self.tr("Clear it to set each channel by itself."))
        low = self.tr("Lowest"), self.tr("This value becomes 0.")
        high = self.tr("Highest"), self.tr("This value becomes 255.")
        self.range = RangeEditor(theme, low, high, self)
        bars = self.range.histogram
        bars.setAccessibleName(self.tr("Histogram of the values of a sample"))
        explain(bars, self.tr("Drag the ends. Networks receive this range as 0 to 255."))
        tip = self.tr("Fits the range to the sample, without the extreme 0.2 %.")
        self.auto_button = push_button(self.tr("Auto"), theme, parent=self, tip=tip)
        tip = self.tr("Restores the proposed range.")
        self.reset_button = push_button(self.tr("Reset"), theme, parent=self, tip=tip)
        self.note = HintLabel(parent=self)
        self._settling = Debounce(_SETTLE_MS, self._emit, self)
        self._lay_out()
        self.channel.activated.connect(self._show_channel)
        self.same.toggled.connect(self._on_same)
        self.range.range_changed.connect(self._set)
        self.auto_button.clicked.connect(self._on_auto)
        self.reset_button.clicked.connect(self._on_reset)
        self.hide()

    def show_report(self, report: ImportReport, value_range: str) -> None:
        """Show the values of a sample; hidden for images of 8 bits.

        Args:
            report: Summary of the import.
            value_range: The value range of the recipe.
        """
        pixels = report.stored
        fits = pixels is not None and len(report.histograms) == pixels.channels
        self.setVisible(fits and bool(report.histograms) and pixels is not None)
        if pixels is None or not fits or self._settling.isActive():
            return
        is_new = self._pixels is None or channel_names(self._pixels) != channel_names(pixels)
        self._pixels, self._histograms = pixels, report.histograms
        self._ranges = list(zip(pixels.low, pixels.high, strict=True))
        if is_new:
            self._show_channels(pixels)
        with QSignalBlocker(self.same):
            self.same.setChecked(len(set(self._ranges)) == 1)
        is_own = value_range == PER_IMAGE
        text = self.tr("Each image is scaled by its own range, so none is set here.")
        self.note.show_text(text if is_own else "")
        for control in (self.range, self.auto_button, self.same):
            control.setEnabled(not is_own)
        self.reset_button.setEnabled(bool(value_range))
        self._show_channel()

    def clear(self) -> None:
        """Forget the sample: other images are examined."""
        self._settling.stop()
        self._pixels = None
        self.hide()

    def range_text(self) -> str:
        """Return the ranges that are shown as `DatasetRecipe.value_range` writes them."""
        return range_text(self._ranges)

    def _show_channels(self, pixels: PixelFormat) -> None:
        self.channel.clear()
        for name in channel_names(pixels):
            self.channel.addItem(name)
        for control in (self.channel, self.same):
            control.setVisible(pixels.channels > 1)

    def _show_channel(self) -> None:
        """Show the histogram and the range of the selected channel."""
        at = max(0, self.channel.currentIndex())
        if self._pixels is None or at >= len(self._ranges):
            return
        found, (low, high) = self._histograms[at], self._ranges[at]
        first, last = min(found.low, low), max(found.high, high)
        counts, is_whole = _rebinned(found, first, last), self._pixels.dtype != "float32"
        self.range.show_values(counts, (first, last), (low, high), is_whole=is_whole)

    def _on_same(self, is_same: bool) -> None:
        if is_same and self._ranges:
            self._set(*self._ranges[max(0, self.channel.currentIndex())])

    def _on_auto(self) -> None:
        """Fit the range of the channel, or that of all channels together, to the sample."""
        found = [range_of_counts(each.counts, each.low, each.high) for each in self._histograms]
        if not found:
            return
        if self.same.isChecked():
            self.range.choose(min(low for low, _ in found), max(high for _, high in found))
        else:
            self.range.choose(*found[max(0, self.channel.currentIndex())])

    def _on_reset(self) -> None:
        self._settling.stop()
        self.chosen.emit("")

    def _set(self, low: float, high: float) -> None:
        at = max(0, self.channel.currentIndex())
        for number in range(len(self._ranges)) if self.same.isChecked() else [at]:
            self._ranges[number] = (low, high)
        self._show_channel()
        self._settling.start()

    def _emit(self) -> None:
        self.chosen.emit(self.range_text())

    def _lay_out(self) -> None:
        channels = hbox((self.channel, 1), self.same, spacing=SPACE.s)
        buttons = hbox(STRETCH, self.auto_button, self.reset_button, spacing=SPACE.s)
        fill(self.body, channels, self.range, self.note, buttons)


def _rebinned(found: ValueHistogram, first: float, last: float) -> list[int]:
    """Return the counts of a histogram in bins from one value to another.

    Args:
        found: The histogram, inside of these values.
        first: Lower edge of the first bin.
        last: Upper edge of the last bin.
    """
    counts = [0] * _BINS
    width = (found.high - found.low) / max(1, len(found.counts))
    for at, number in enumerate(found.counts):
        middle = found.low + (at + 0.5) * width
        place = (middle - first) / max(1e-300, last - first) * _BINS
        counts[min(_BINS - 1, max(0, int(place)))] += number
    return counts
