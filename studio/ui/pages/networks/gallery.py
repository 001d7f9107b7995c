"""All networks as cards under headings, with a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.engine.networks.catalog import GROUPS, Entry, Group, matching
from studio.engine.networks.spec import INPUT, NetworkSpec
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.designer.items import family_color, family_of
from studio.ui.pages.networks.designer.layout import lay_out
from studio.ui.shared.training import entry_name
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.figures import large
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import CardLayout, hbox, text_label, vbox
from studio.ui.widgets.tips import explain

HEIGHT = 64
_NODE = (24.0, 36.0)
_WIDEST = 0.55
_HIGHEST = 0.9
_CORNER = 2.0


@dataclass(frozen=True, slots=True)
class Drawing:
    """Places and families of the layers, in units of their own, and the wires between."""

    boxes: tuple[tuple[float, float, str], ...]
    wires: tuple[tuple[float, float, float, float], ...]
    bounds: tuple[float, float, float, float]


def draw(spec: NetworkSpec) -> Drawing:
    """Lay a network out from left to right; any thread, some milliseconds."""
    wires = [(source, node.id) for node in spec.nodes for source in node.inputs if source != INPUT]
    places = lay_out({node.id: _NODE for node in spec.nodes}, wires, None, "right")
    width, height = _NODE
    boxes = tuple((*places[node.id], family_of(node)) for node in spec.nodes)
    lines = tuple(
        (
            places[source][0] + width,
            places[source][1] + height / 2,
            places[target][0],
            places[target][1] + height / 2,
        )
        for source, target in wires
        if source in places
    )
    left, top = min(x for x, _, _ in boxes), min(y for _, y, _ in boxes)
    right, bottom = max(x for x, _, _ in boxes) + width, max(y for _, y, _ in boxes) + height
    return Drawing(boxes, lines, (left, top, right - left, bottom - top))


class Sketch(QWidget):
    """Paints a drawing as large as it fits; nothing until there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._drawing: Drawing | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_drawing(self, drawing: Drawing | None) -> None:
        """Show another network."""
        self._drawing = drawing
        self.update()

    @property
    def drawing(self) -> Drawing | None:
        """What is shown."""
        return self._drawing

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(200, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint wires, then layers over them."""
        if self._drawing is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, top, width, height = self._drawing.bounds
        # Long networks are pressed together like a bar code, so that each layer can be seen.
        across = min(self.width() / width, _WIDEST)
        down = min(self.height() / height, _HIGHEST)
        x0 = (self.width() - width * across) / 2 - left * across
        y0 = (self.height() - height * down) / 2 - top * down
        painter.setPen(QPen(QColor(self._theme.palette.outline), 1.0))
        for x1, y1, x2, y2 in self._drawing.wires:
            start = QPointF(x0 + x1 * across, y0 + y1 * down)
            painter.drawLine(start, QPointF(x0 + x2 * across, y0 + y2 * down))
        painter.setPen(Qt.PenStyle.NoPen)
        box = QSizeF(_NODE[0] * across, _NODE[1] * down)
        corner = min(_CORNER, box.width() / 3)
        for x, y, family in self._drawing.boxes:
            painter.setBrush(family_color(family, self._theme))
            place = QPointF(x0 + x * across, y0 + y * down)
            painter.drawRoundedRect(QRectF(place, box), corner, corner)
        painter.end()


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
        words = hbox((name, 1), (self._year, Qt.AlignmentFlag.AlignRight), spacing=SPACE.s)
        vbox(self.sketch, words, self._needs, owner=self, spacing=SPACE.s, margins=SPACE.m)
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


_SEARCH_WIDTH = 480


class Gallery(QWidget):
    """Cards of the entries that the search leaves.

    Signals:
        chosen: Name of the entry whose card was pressed.
        opened: Name of the entry whose card was pressed twice.
    """

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: list[Entry] = []
        self._cards: dict[str, NetworkCard] = {}
        self._group: Group | None = None
        self._current = ""
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the networks"))
        self.search.setClearButtonEnabled(True)
        self._filters = QButtonGroup(self)
        self._headings = {group: QLabel(self) for group in GROUPS}
        self._flows = {group: CardLayout(MOST_WIDTH) for group in GROUPS}
        self._nothing = text_label(self.tr("No network is called so."), "muted", self)
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self._filter()
        explain(
            self.search,
            self.tr("Shows only networks whose name or description holds what you type."),
        )

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show other entries; cards of those that stay are kept."""
        self._entries = list(entries)
        known = {entry.name: entry for entry in entries}
        for name, card in list(self._cards.items()):
            if known.get(name) != card.entry:
                card.deleteLater()
                del self._cards[name]
        for flow in self._flows.values():
            while flow.takeAt(0) is not None:
                pass
        for entry in entries:
            if entry.name not in self._cards:
                self._cards[entry.name] = self._make(entry)
            self._flows[entry.group].addWidget(self._cards[entry.name])
        self._filter()
        self.set_current(self._current)

    def card(self, name: str) -> NetworkCard | None:
        """The card of an entry."""
        return self._cards.get(name)

    def set_drawing(self, name: str, drawing: Drawing) -> None:
        """Show the small picture of an entry."""
        card = self._cards.get(name)
        if card is not None:
            card.set_drawing(drawing)

    def set_current(self, name: str) -> None:
        """Mark the card whose details are shown."""
        self._current = name
        for other, card in self._cards.items():
            card.set_current(current=other == name)

    def shown(self) -> list[str]:
        """Names of the entries that the search leaves, in order."""
        return [entry.name for entry in matching(self._entries, self.search.text(), self._group)]

    def show_group(self, group: Group | None) -> None:
        """Show one group, or all."""
        for button in self._filters.buttons():
            button.setChecked(button.property("group") == (group or ""))
        self._group = group
        self._filter()

    def _make(self, entry: Entry) -> NetworkCard:
        card = NetworkCard(entry, self._theme, self._inside)
        card.activated.connect(partial(self._on_activated, entry.name))
        return card

    def _on_activated(self, name: str) -> None:
        if name == self._current:
            self.opened.emit(name)
        else:
            self.chosen.emit(name)

    def _filter(self, _text: str = "") -> None:
        shown = set(self.shown())
        layout = self._column
        # Else all cards are laid out anew for each that appears.
        layout.setEnabled(False)
        for name, card in self._cards.items():
            card.setVisible(name in shown)
        groups = {card.entry.group for name, card in self._cards.items() if name in shown}
        for group, heading in self._headings.items():
            heading.setVisible(group in groups)
        self._nothing.setVisible(not shown and bool(self._entries))
        layout.setEnabled(True)
        layout.invalidate()

    def _lay_out(self) -> None:
        words: dict[Group | None, str] = {
            None: self.tr("All"),
            "own": self.tr("Your own"),
            "zoo": self.tr("From papers"),
            "pretrained": self.tr("Pretrained"),
        }
        bar = QHBoxLayout()
        bar.setSpacing(SPACE.s)
        self.search.setMaximumWidth(_SEARCH_WIDTH)
        bar.addWidget(self.search, 1)
        for group, word in words.items():
            button = push_button(word, self._theme, kind="quiet", parent=self)
            button.setCheckable(True)
            explain(button, self.tr("Which networks are shown."))
            button.setChecked(group is None)
            button.setProperty("group", group or "")
            button.clicked.connect(partial(self._on_group, group))
            self._filters.addButton(button)
            bar.addWidget(button)
        bar.addStretch(0)
        self._inside = QWidget(self)
        self._inside.setProperty("plain", "true")
        self._column = column = QVBoxLayout(self._inside)
        column.setContentsMargins(0, 0, SPACE.s, SPACE.l)
        column.setSpacing(SPACE.m)
        column.addWidget(self._nothing)
        for group in GROUPS:
            heading = self._headings[group]
            heading.setText(words[group])
            heading.setProperty("role", "section")
            column.addWidget(heading)
            column.addLayout(self._flows[group])
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._inside)
        vbox(bar, (scroll, 1), owner=self, spacing=SPACE.m)

    def _on_group(self, group: Group | None, _checked: bool = True) -> None:
        self.show_group(group)
