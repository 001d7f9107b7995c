"""Controls of the regions over pictures, with a legend, and the regions over one large picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.part import PredictionPart
from studio.ui.bridge.background import Background
from studio.ui.settings import Settings
from studio.ui.shared.region_display import DISPLAYS, ClassAmount, RegionDisplay
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, percent
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.layout import STRETCH, Debounce, hbox, text_label, vbox
from studio.ui.widgets.overlay import (
    Overlay,
    OverlayMode,
    OverlayStyle,
    PaintedLayer,
    swatch,
)
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

_MOVE_MS: Final = 40
"""Delay after which grids follow the slider."""
_ROW: Final = 26
_MOST_ROWS: Final = 12
_NARROWEST: Final = 120
_LETTERS: Final = 6
_SLIDER: Final = 72
_KEY: Final = 12
_STEPS: Final = 100
"""Number of steps of the score slider."""


@dataclass(slots=True)
class _LegendRow:
    number: int
    name: str
    color: str
    is_shown: bool
    amount: int | None = None
    share: float = 0.0


class ClassLegend(Table[_LegendRow]):
    """Color and name of each class, with its share of a mask or its number of boxes.

    A check box hides or shows its regions.

    Args:
        is_wide: True to show the number of pixels as well.

    Signals:
        changed: The set of hidden classes changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, *, is_wide: bool = False) -> None:
        super().__init__("", (), parent, key=attrgetter("number"), max_rows=_MOST_ROWS)
        self._is_wide = is_wide
        self._display = DISPLAYS[ClassMap]
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
            picture=lambda row: swatch(row.color),
        )
        share: Column[_LegendRow] = Column(
            self.tr("Share"), self._share_text, key="share", cell_tip=self._share_tip
        )
        self._legend = [name, share]
        explain(self, self.tr("Class colors. Clear a box to hide the class."))

    def set_classes(self, names: Sequence[str], colors: Sequence[str]) -> None:
        """Set the classes; hidden ones stay hidden while the names are the same.

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

    def show_counts(
        self, counts: Sequence[int], ignored: int = 0, part: type[PredictionPart] = ClassMap
    ) -> None:
        """Show the share of each class of the pixels that count, or its number of boxes.

        Args:
            counts: Pixels or boxes of each class, K; empty for none.
            ignored: Pixels without a class.
            part: Type of the regions.
        """
        self._display = DISPLAYS[part]
        total = sum(counts)
        for row in self._classes[:-1]:
            row.amount = counts[row.number] if counts else None
            row.share = (row.amount or 0) / max(1, total)
        for row in self._classes[-1:]:
            row.amount, row.share = ignored, ignored / max(1, total + ignored)
        self._show(ignored)

    def hidden(self) -> frozenset[int]:
        """Return the numbers of the hidden classes."""
        return frozenset(row.number for row in self._classes if not row.is_shown)

    def fractions(self) -> dict[str, str]:
        """Return the shown fractions or numbers by the names of the classes."""
        shown = (self.content.row_at(row) for row in range(self.content.rowCount()))
        return {row.name: self._share_text(row) for row in shown if row is not None}

    def _show(self, ignored: int) -> None:
        shown = self._classes if ignored else self._classes[:-1]
        are_counted = any(row.amount is not None for row in self._classes[:-1])
        self.show_rows(shown, self._legend if are_counted else self._legend[:1])

    def _check(self, row: _LegendRow, is_shown: bool) -> None:
        row.is_shown = is_shown
        self.changed.emit()

    def _share_text(self, row: _LegendRow) -> str:
        if not row.amount:
            return "" if row.amount is None else NO_VALUE
        return self._display.text(ClassAmount(row.amount, row.share), is_wide=self._is_wide)

    def _share_tip(self, row: _LegendRow) -> str:
        return self._display.tip(ClassAmount(row.amount or 0, row.share))


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
            square = QLabel(self, pixmap=swatch(color, _KEY))
            parts += [square, text_label(word, "caption", self)]
        hbox(*parts, STRETCH, owner=self, spacing=SPACE.xs)


class OverlayBar(QWidget):
    """Appearance of regions over pictures, the same on all pages: a mode and an opacity."""

    def __init__(
        self, settings: Settings, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._display: RegionDisplay | None = None
        self.box = ComboBox(self)
        self.box.setMinimumContentsLength(_LETTERS if is_narrow else _LETTERS + 3)
        self.slider = horizontal_slider(self, "", 0, 100, 0)
        self.slider.setMinimumWidth(_SLIDER)
        self._settling = Debounce(_MOVE_MS, self._store, self)
        lay_out = vbox if is_narrow else hbox
        lay_out(self.box, self.slider, owner=self, spacing=SPACE.s)
        self.show_part(ClassMap)
        self.box.activated.connect(self._store)
        self.slider.valueChanged.connect(self._on_slider)
        settings.overlay_changed.connect(self._show_style)

    def show_part(self, part: type[PredictionPart] | None) -> None:
        """Offer the modes of a type of regions; hidden without regions."""
        self.setVisible(part is not None)
        if part is None:
            return
        display = DISPLAYS[part]
        if display is self._display:
            return
        self._display = display
        self.box.clear()
        for mode, text in display.modes:
            self.box.addItem(text, mode)
        self.box.setAccessibleName(display.name)
        explain(self.box, display.help)
        self.slider.setAccessibleName(display.opacity)
        self._show_style()

    def _on_slider(self, _value: int) -> None:
        self._settling.start()

    def _store(self) -> None:
        mode: OverlayMode = self.box.currentData()
        self._settings.overlay = OverlayStyle(mode, self.slider.value() / 100)

    def _show_style(self) -> None:
        style = self._settings.overlay
        # Boxes have no mode without the picture.
        self.box.setCurrentIndex(max(0, self.box.findData(style.mode)))
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(style.opacity * 100))
        is_used = self.box.currentData() == "blend"
        self.slider.setEnabled(is_used)
        reason = "" if self._display is None else self._display.without_opacity
        self.slider.setToolTip(self.slider.accessibleName() if is_used else reason)


class ScoreBar(QWidget):
    """The lowest score of the boxes that are shown: at first the threshold of each class.

    Attributes:
        score: The lowest score, 0 to 1; None for the threshold of each class.

    Signals:
        changed: Another score was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.score: float | None = None
        self._usual = 0.0
        self.slider = horizontal_slider(self, self.tr("Lowest score of boxes"), 0, _STEPS, 0)
        self.slider.setPageStep(_STEPS // 10)
        self.slider.setMinimumWidth(_SLIDER)
        self.reset_button = QPushButton(self)
        self.reset_button.setProperty("kind", "quiet")
        words = self.tr("Auto"), percent(1, 0)
        widest = max(self.fontMetrics().horizontalAdvance(each) for each in words)
        self.reset_button.setMinimumWidth(widest + 2 * SPACE.l)
        explain(self.slider, self.tr("Hides boxes with a lower score."))
        explain(
            self.reset_button,
            self.tr("Uses the threshold of each class, tuned on validation images."),
        )
        row = (text_label(self.tr("Score from"), "muted", self), (self.slider, 1))
        hbox(*row, self.reset_button, owner=self, spacing=SPACE.s)
        self._settling = Debounce(_MOVE_MS, self.changed.emit, self)
        self.slider.valueChanged.connect(self._on_slider)
        self.reset_button.clicked.connect(self._on_reset)
        self._write()

    def show_usual(self, threshold: float) -> None:
        """Stand at the threshold of the model, unless the user chose a score."""
        self._usual = threshold
        if self.score is None:
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(threshold * _STEPS))

    def _on_slider(self, value: int) -> None:
        self.score = value / _STEPS
        self._write()
        self._settling.start()

    def _on_reset(self) -> None:
        self.score = None
        self.show_usual(self._usual)
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        text = self.tr("Auto") if self.score is None else percent(self.score, 0)
        self.reset_button.setText(text)
        self.reset_button.setEnabled(self.score is not None)


class OverlayPanel(QWidget):
    """Appearance of regions over pictures, and the legend of their classes.

    Args:
        is_wide: There is room for the controls in one row, and for numbers of pixels.

    Attributes:
        scores: The least score of boxes; hidden for regions without scores.

    Signals:
        changed: Pictures are painted in another way now.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, parent: QWidget | None = None, *, is_wide: bool = False
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._overlay: Overlay | None = None
        self.bar = OverlayBar(settings, self, is_narrow=not is_wide)
        self.scores = ScoreBar(self)
        self.scores.hide()
        self.legend = ClassLegend(self, is_wide=is_wide)
        vbox(self.bar, self.scores, self.legend, owner=self, spacing=SPACE.s)
        self.legend.changed.connect(self.changed)
        self.scores.changed.connect(self._on_score)
        settings.overlay_changed.connect(self.changed)

    def style_now(self) -> OverlayStyle:
        """Return the appearance of regions now."""
        style = self._settings.overlay
        return replace(style, hidden=self.legend.hidden(), min_score=self.scores.score)

    def show_part(self, part: type[PredictionPart] | None) -> None:
        """Offer the modes of the regions of a task; hidden without regions."""
        self.setVisible(part is not None)
        if part is not None:
            self.bar.show_part(part)

    def show_overlay(self, overlay: Overlay | None) -> None:
        """Show the classes of a picture and their fractions; None leaves the classes without."""
        self._overlay = overlay
        if overlay is None:
            self.legend.show_counts(())
            return
        self.bar.show_part(overlay.part)
        self.scores.setVisible(overlay.has_scores)
        self.scores.show_usual(overlay.threshold)
        self.legend.setVisible(bool(overlay.names))
        self.legend.set_classes(overlay.names, overlay.colors)
        self._show_counts()

    def _show_counts(self) -> None:
        overlay = self._overlay
        if overlay is not None:
            counts = overlay.counts(self.style_now().min_score)
            self.legend.show_counts(counts, overlay.ignored, overlay.part)

    def _on_score(self) -> None:
        self._show_counts()
        self.changed.emit()


class OverlayLayer(QObject):
    """Paints the regions of a large picture in the background whenever they change."""

    def __init__(self, view: PictureView, background: Background) -> None:
        super().__init__(view)
        self._view = view
        self._background = background
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
        self._style = style
        if key == self._made:
            self._view.set_layer(self._view.layer(), style.opacity)
            return
        self._made = key
        if overlay is None or not is_shown:
            self._view.set_layer(None)
            return
        self._background.run(
            self, partial(overlay.layer, style), partial(self._on_layer, overlay, key[1])
        )

    def _on_layer(self, overlay: Overlay, made: OverlayStyle, layer: PaintedLayer) -> None:
        if (overlay, made) == self._made:
            self._view.set_layer(layer, self._style.opacity)
