"""A network in the gallery: a small picture, its name, what it needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.networks.catalog import Entry
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.sketch import Drawing, Sketch
from studio.ui.shared.network_names import entry_name
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import PressableCard
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import large

CARD_WIDTH, MOST_WIDTH = 232, 320
"""Pixels across: at least, and where the gallery has room to fill."""


class NetworkCard(PressableCard):
    """One entry of the gallery.

    Signals:
        activated: The card was pressed.
    """

    def __init__(self, entry: Entry, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self.setMinimumWidth(CARD_WIDTH)
        self.sketch = Sketch(theme, self)
        name = ElidedLabel(entry_name(entry), self)
        font = name.font()
        font.setWeight(font.Weight.DemiBold)
        name.setFont(font)
        self._year = QLabel(self)
        self._needs = ElidedLabel("", self)
        for label in (self._year, self._needs):
            label.setProperty("role", "caption")
        words = QHBoxLayout()
        words.setSpacing(SPACE.s)
        words.addWidget(name, 1)
        words.addWidget(self._year, 0, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        column.setSpacing(SPACE.s)
        column.addWidget(self.sketch)
        column.addLayout(words)
        column.addWidget(self._needs)
        self._describe()

    def set_drawing(self, drawing: Drawing) -> None:
        """Show the small picture."""
        self.sketch.set_drawing(drawing)

    def changeEvent(self, event: QEvent) -> None:
        """Another language, other words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
        super().changeEvent(event)

    def _describe(self) -> None:
        entry = self.entry
        height, width, _ = entry.usual
        self._year.setText("" if entry.year is None else str(entry.year))
        if entry.smallest is not None:
            needs = self.tr("from {width} × {height} px").format(
                width=entry.smallest[1], height=entry.smallest[0]
            )
        else:
            needs = self.tr("drawn for {width} × {height}").format(width=width, height=height)
        if entry.parameters is not None:
            needs = self.tr("{number} weights · {needs}").format(
                number=large(entry.parameters), needs=needs
            )
        self._needs.setText(needs)
        self.setAccessibleName(self.tr("Network {name}").format(name=entry_name(entry)))
        self.setAccessibleDescription(f"{engine_text(entry.summary)} {needs}".strip())
        self.setToolTip(engine_text(entry.summary))
