"""Controls of the regions over pictures, with a legend, and the regions over one large picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QSlider, QWidget

from studio.engine.tasks.annotations import IGNORE
from studio.ui.bridge.background import Background
from studio.ui.settings import Settings
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import Debounce, hbox, text_label, vbox
from studio.ui.widgets.overlay import Overlay, OverlayMode, OverlayStyle, swatch
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

_MOVE_MS: Final = 40
"""Pause after which grids follow the slider."""
_ROW: Final = 26
_MOST_ROWS: Final = 12
_NARROWEST: Final = 120
_LETTERS: Final = 6
_SLIDER: Final = 72
_KEY: Final = 12


@dataclass(slots=True)
class _LegendRow:
    number: int
    name: str
    color: str
    is_shown: bool
    pixels: int | None = None
    share: float = 0.0


class ClassLegend(Table[_LegendRow]):
    """Color, name and share of each class; a box hides or shows its regions.

    Args:
        is_wide: Also show how many pixels they are.

    Signals:
        changed: Other classes are hidden.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, *, is_wide: bool = False) -> None:
        super().__init__("", (), parent, key=attrgetter("number"), most_rows=_MOST_ROWS)
        self._is_wide = is_wide
        self._classes: list[_LegendRow] = []
        self.setAccessibleName(self.tr("Classes"))
        self.setFrameShape(Table.Shape.NoFrame)
        self.setSelectionMode(Table.SelectionMode.NoSelection)
        self.horizontalHeader().hide()
        self.set_row_height(_ROW)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(_NARROWEST)
        name: Column[_LegendRow] = Column(
            self.tr("Class"),
            attrgetter("name"),
            key="name",
            width=FILL,
            is_text=True,
            checked=attrgetter("is_shown"),
            check=self._check,
            picture=_square,
        )
        share: Column[_LegendRow] = Column(
            self.tr("Share"), self._share_text, key="share", cell_tip=self._share_tip
        )
        self._legend = [name, share]
        explain(self, self.tr("Class colors. Clear a box to hide the class."))

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Offer classes; hidden ones stay hidden while the names are the same.

        Args:
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K.
        """
        known = self._classes[:-1]
        before = [each.name for each in known], [each.color for each in known]
        if (list(names), list(colors)) == before:
            return
        hidden = self.hidden() if list(names) == before[0] else frozenset()
        self._classes = [
            _LegendRow(number, name, color, number not in hidden)
            for number, (name, color) in enumerate(zip(names, colors, strict=True))
        ]
        self._classes.append(_LegendRow(IGNORE, self.tr("Ignored"), "", IGNORE not in hidden))
        self._show(ignored=0)

    def show_pixels(self, pixels: Sequence[int], ignored: int = 0) -> None:
        """Show the share of each class of the pixels that count.

        Args:
            pixels: Pixels of each class, K; empty for none.
            ignored: Pixels without a class.
        """
        total = sum(pixels)
        for row in self._classes[:-1]:
            row.pixels = pixels[row.number] if pixels else None
            row.share = (row.pixels or 0) / max(1, total)
        for row in self._classes[-1:]:
            row.pixels, row.share = ignored, ignored / max(1, total + ignored)
        self._show(ignored)

    def hidden(self) -> frozenset[int]:
        """Return the numbers of the hidden classes."""
        return frozenset(row.number for row in self._classes if not row.is_shown)

    def fractions(self) -> dict[str, str]:
        """Return the shown fractions by the names of the classes."""
        shown = (self.content.row_at(row) for row in range(self.content.rowCount()))
        return {row.name: self._share_text(row) for row in shown if row is not None}

    def _show(self, ignored: int) -> None:
        shown = self._classes if ignored else self._classes[:-1]
        are_counted = any(row.pixels is not None for row in self._classes[:-1])
        self.show_rows(shown, self._legend if are_counted else self._legend[:1])

    def _check(self, row: _LegendRow, is_shown: bool) -> None:
        row.is_shown = is_shown
        self.changed.emit()

    def _share_text(self, row: _LegendRow) -> str:
        if not row.pixels:
            return "" if row.pixels is None else NO_VALUE
        share = percent(row.share)
        if not self._is_wide:
            return share
        return self.tr("{n} px · {share}").format(n=count(row.pixels), share=share)

    def _share_tip(self, row: _LegendRow) -> str:
        return self.tr("{n} pixels").format(n=count(row.pixels or 0))


def _square(row: _LegendRow) -> QPixmap:
    return QPixmap.fromImage(swatch(row.color, ICON_SMALL))


class ColorKey(QWidget):
    """Colors and what they mean, in a row."""

    def __init__(self, entries: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            entries: Colors as "#rrggbb" with their words.
            parent: Its owner.
        """
        super().__init__(parent)
        parts = []
        for color, word in entries:
            square = QLabel(self)
            square.setPixmap(QPixmap.fromImage(swatch(color, _KEY)))
            parts += [square, text_label(word, "caption", self)]
        hbox(*parts, owner=self, spacing=SPACE.xs)


class OverlayBar(QWidget):
    """Appearance of regions over pictures, the same on all pages: a mode and an opacity."""

    def __init__(
        self, settings: Settings, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self.box = ComboBox(self)
        modes: tuple[tuple[OverlayMode, str], ...] = (
            ("blend", self.tr("Overlay")),
            ("outline", self.tr("Outlines")),
            ("mask", self.tr("Mask only")),
            ("none", self.tr("Image only")),
        )
        for mode, text in modes:
            self.box.addItem(text, mode)
        self.box.setMinimumContentsLength(_LETTERS if is_narrow else _LETTERS + 3)
        self.box.setAccessibleName(self.tr("Mask display"))
        explain(self.box, self.tr("How masks are drawn over the images."))
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setMinimumWidth(_SLIDER)
        self.slider.setAccessibleName(self.tr("Mask opacity"))
        self._settling = Debounce(_MOVE_MS, self._store, self)
        lay_out = vbox if is_narrow else hbox
        lay_out(self.box, self.slider, owner=self, spacing=SPACE.s)
        self._show_style()
        self.box.activated.connect(self._store)
        self.slider.valueChanged.connect(self._on_slider)
        settings.overlay_changed.connect(self._show_style)

    def _on_slider(self, _value: int) -> None:
        self._settling.start()

    def _store(self) -> None:
        mode: OverlayMode = self.box.currentData()
        self._settings.overlay = OverlayStyle(mode, self.slider.value() / 100)

    def _show_style(self) -> None:
        style = self._settings.overlay
        self.box.setCurrentIndex(self.box.findData(style.mode))
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(style.opacity * 100))
        is_used = style.mode == "blend"
        self.slider.setEnabled(is_used)
        reason = self.tr("Available only for overlays.")
        self.slider.setToolTip(self.slider.accessibleName() if is_used else reason)


class OverlayPanel(QWidget):
    """Appearance of regions over pictures, and the legend of their classes.

    Args:
        is_wide: There is room for the controls in one row, and for numbers of pixels.

    Signals:
        changed: Pictures are painted in another way now.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, parent: QWidget | None = None, *, is_wide: bool = False
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self.bar = OverlayBar(settings, self, is_narrow=not is_wide)
        self.legend = ClassLegend(self, is_wide=is_wide)
        vbox(self.bar, self.legend, owner=self, spacing=SPACE.s)
        self.legend.changed.connect(self.changed)
        settings.overlay_changed.connect(self.changed)

    def style_now(self) -> OverlayStyle:
        """Return the appearance of regions now."""
        return replace(self._settings.overlay, hidden=self.legend.hidden())

    def show_overlay(self, overlay: Overlay | None) -> None:
        """Show the classes of a picture and their fractions; None leaves the classes without."""
        if overlay is None:
            self.legend.show_pixels(())
        else:
            self.legend.set_classes(overlay.names, overlay.colors)
            self.legend.show_pixels(overlay.pixels, overlay.ignored)


class OverlayLayer(QObject):
    """Paints the regions of a large picture in the background whenever they change."""

    def __init__(self, view: PictureView, background: Background) -> None:
        super().__init__(view)
        self._view = view
        self._background = background
        self._overlay: Overlay | None = None
        self._style = OverlayStyle()
        self._made: tuple[Overlay | None, OverlayStyle] = (None, OverlayStyle())

    def show(self, overlay: Overlay | None, style: OverlayStyle) -> None:
        """Show regions.

        Args:
            overlay: The regions; None for none.
            style: Their appearance.
        """
        is_shown = overlay is not None and style.mode != "none"
        # The opacity is not in the layer: a slider needs no other one.
        key = overlay if is_shown else None, replace(style, opacity=1.0)
        self._overlay, self._style = key[0], style
        if key == self._made:
            self._view.set_layer(self._view.layer(), style)
            return
        self._made = key
        if overlay is None or not is_shown:
            self._view.set_layer(None, style)
            return
        self._background.run(
            self, partial(overlay.image, style), partial(self._on_image, overlay, key[1])
        )

    def _on_image(self, overlay: Overlay, made: OverlayStyle, image: QImage) -> None:
        if (overlay, made) == self._made:
            self._view.set_layer(image, self._style)
