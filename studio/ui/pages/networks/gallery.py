"""All networks as cards under headings, with a search, and the details of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QButtonGroup, QLabel, QLineEdit, QScrollArea, QSizePolicy, QWidget

from studio.engine.networks.catalog import GROUPS, Entry, Group, Shape, matching
from studio.engine.networks.layout import lay_out
from studio.engine.networks.spec import INPUT, Examination, NetworkSpec
from studio.engine.pretrained.sources import source_of_backbone
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.networks.designer.items import family_color, family_of
from studio.ui.shared.passports import passport_text
from studio.ui.shared.training import entry_name
from studio.ui.shared.weights_row import WeightsRow
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card, PressableCard
from studio.ui.widgets.figures import NO_VALUE, count, large, size
from studio.ui.widgets.inputs import search_field
from studio.ui.widgets.labels import ElidedLabel, FactList, HintLabel
from studio.ui.widgets.layout import (
    STRETCH,
    CardLayout,
    Debounce,
    FlowLayout,
    fill,
    hbox,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.painting import PaintedWidget
from studio.ui.widgets.tips import allow, explain


class NetworkDetails(Card):
    """The panel at the right of the gallery.

    Signals:
        rename_requested: Another name for a drawing.
    """

    rename_requested = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        theme = context.theme
        self.entry: Entry | None = None
        self.sketch = Sketch(theme, self)
        self._name = text_label("", "section", self)
        self.rename_edit = QLineEdit(self)
        self.rename_edit.setAccessibleName(self.tr("Name of the network"))
        self._summary = QLabel(self)
        self._paper = text_label("", "caption", self)
        for label in (self._name, self._summary, self._paper):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._for = text_label("", "muted", self, wraps=True)
        self.figures = FactList(parent=self)
        self.weights = WeightsRow(context, self)
        self.passport = text_label("", "caption", self, wraps=True)
        self.why_not = HintLabel("", "advice", self)
        text, tip = self.tr("Train this"), self.tr("Opens a new run with this network.")
        self.train_button = push_button(text, theme, kind="primary", icon="play", tip=tip)
        tip = self.tr("Shows all layers in the designer, where you can change them.")
        self.open_button = push_button(self.tr("Open drawing"), theme, icon="edit", tip=tip)
        text = self.tr("Delete")
        tip = self.tr("Moves the drawing to the trash. Runs that used it keep their copy.")
        self.delete_button = push_button(text, theme, kind="quiet", icon="trash", tip=tip)
        self._lay_out()
        self.rename_edit.editingFinished.connect(self._on_renamed)
        explain(self.rename_edit, self.tr("Name shown in lists."))

    def show_entry(self, entry: Entry) -> None:
        """Show another network; its figures come later."""
        self.entry = entry
        own = entry.drawing is not None
        name = entry_name(entry)
        title = name if entry.year is None else f"{name} ({entry.year})"
        self._name.setText(title)
        self._name.setVisible(not own)
        self.rename_edit.setVisible(own)
        self.rename_edit.setText(entry.label)
        self._summary.setText(translated(entry.summary) or self.tr("Your own network."))
        self._paper.setText(entry.paper)
        self._paper.setVisible(bool(entry.paper))
        self.delete_button.setVisible(own)
        self.weights.show_backbone(entry.backbone)
        source = source_of_backbone(entry.backbone) if entry.backbone else None
        self.passport.setText("" if source is None else passport_text(source.passport))
        self.passport.setVisible(source is not None)
        self.setAccessibleName(name)
        self.show_report(None)

    def show_size(self, shape: Shape, outputs: str, dataset: str, why_not: str) -> None:
        """Show the image size of the figures, and if the network supports it.

        Args:
            shape: Height, width and channels of the images.
            outputs: Text about the outputs, such as "10 classes".
            dataset: Name of the dataset; empty for none.
            why_not: Why the network does not accept them; empty if it does.
        """
        height, width, channels = shape
        color = self.tr("color") if channels == 3 else self.tr("gray")
        text = self.tr("For {width} × {height} pixels in {color} and {outputs}").format(
            width=width, height=height, color=color, outputs=outputs
        )
        if dataset:
            text += " " + self.tr("(“{dataset}”)").format(dataset=dataset)
        self._for.setText(text)
        self.why_not.show_text(why_not)
        allow(self.train_button, why_not)

    def show_report(self, report: Examination | None) -> None:
        """Show the figures of an examination; None while they are unknown."""
        network = report.network if report is not None and report.works else None
        texts = [NO_VALUE] * 4
        if network is not None:
            layers = sum(layer.used for layer in network.layers)
            texts = [
                self._parameters(network.parameters),
                large(network.multiply_adds),
                size(network.memory),
                count(layers),
            ]
        names = (
            self.tr("Parameters"),
            self.tr("Multiply-adds"),
            self.tr("Memory per image"),
            self.tr("Layers"),
        )
        self.figures.show_facts(dict(zip(names, texts, strict=True)))

    def _parameters(self, here: int) -> str:
        """Return the number for these images, and that of the card where it is another one."""
        published = None if self.entry is None else self.entry.parameters
        if published is None or large(published) == large(here):
            return count(here)
        pattern = self.tr("{number} here, {published} as published")
        return pattern.format(number=count(here), published=large(published))

    def _lay_out(self) -> None:
        buttons = hbox(self.open_button, STRETCH, self.delete_button, spacing=SPACE.s)
        words = vbox(self._name, self.rename_edit, self._summary, self._paper, spacing=SPACE.s)
        below = (self.weights, self.passport, self.why_not, self.train_button, buttons)
        fill(self.body, self.sketch, words, self._for, self.figures, *below, STRETCH)

    def _on_renamed(self) -> None:
        text = self.rename_edit.text().strip()
        if self.entry is not None and text and text != self.entry.label:
            self.rename_requested.emit(text)


HEIGHT = 64
_NODE = (24.0, 36.0)
_WIDEST = 0.55
_HIGHEST = 0.9
_CORNER = 2.0


@dataclass(frozen=True, slots=True)
class CardDrawing:
    """Places and families of the layers, in separate units, and the wires between."""

    boxes: tuple[tuple[float, float, str], ...]
    wires: tuple[tuple[float, float, float, float], ...]
    bounds: tuple[float, float, float, float]


def draw(spec: NetworkSpec) -> CardDrawing:
    """Lay out a network from left to right; takes some milliseconds in any thread."""
    wires = [(source, node.id) for node in spec.nodes for source in node.inputs if source != INPUT]
    positions = lay_out({node.id: _NODE for node in spec.nodes}, wires, None, "right")
    width, height = _NODE
    boxes = tuple((*positions[node.id], family_of(node)) for node in spec.nodes)
    ends = [(positions[a], positions[b]) for a, b in wires if a in positions]
    middle = height / 2
    lines = tuple((a[0] + width, a[1] + middle, b[0], b[1] + middle) for a, b in ends)
    left, top = min(x for x, _, _ in boxes), min(y for _, y, _ in boxes)
    right, bottom = max(x for x, _, _ in boxes) + width, max(y for _, y, _ in boxes) + height
    return CardDrawing(boxes, lines, (left, top, right - left, bottom - top))


class Sketch(PaintedWidget):
    """Paints a drawing as large as it fits; nothing until there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._drawing: CardDrawing | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_drawing(self, drawing: CardDrawing | None) -> None:
        """Show another network."""
        self._drawing = drawing
        self.update()

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(200, HEIGHT)

    def paint(self, painter: QPainter) -> None:
        """Paint wires, then layers over them."""
        if self._drawing is None:
            return
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
            point = QPointF(x0 + x * across, y0 + y * down)
            painter.drawRoundedRect(QRectF(point, box), corner, corner)


CARD_WIDTH, MAX_WIDTH = 232, 320
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
        name = ElidedLabel(entry_name(entry), self, is_bold=True)
        year = text_label("" if entry.year is None else str(entry.year), "caption", self)
        needs = ElidedLabel(self._size_text(), self, role="caption")
        words = hbox((name, 1), (year, Qt.AlignmentFlag.AlignRight), spacing=SPACE.s)
        vbox(self.sketch, words, needs, owner=self, spacing=SPACE.s, margins=SPACE.m)
        summary = translated(entry.summary)
        self.setAccessibleName(self.tr("Network {name}").format(name=entry_name(entry)))
        self.setAccessibleDescription(f"{summary} {self._size_text()}".strip())
        self.setToolTip(summary)

    def _size_text(self) -> str:
        """Return the number of weights and the smallest images."""
        entry = self.entry
        if entry.smallest is not None:
            height, width = entry.smallest
            size = self.tr("from {width} × {height} px").format(width=width, height=height)
        else:
            height, width, _ = entry.usual
            size = self.tr("drawn for {width} × {height}").format(width=width, height=height)
        if entry.parameters is None:
            return size
        weights = large(entry.parameters)
        return self.tr("{number} weights · {needs}").format(number=weights, needs=size)


_SEARCH_WIDTH = 200
_FIRST_CARDS, _NEXT_CARDS = 18, 3
"""Cards that are made at once, which fill a usual window, and in each turn of the event loop after
that: a card takes 3 ms."""


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
        self._entries: dict[str, Entry] = {}
        self._translated: dict[str, str] = {}
        self._cards: dict[str, NetworkCard] = {}
        self._drawings: dict[str, CardDrawing] = {}
        self._later = Debounce(0, self._make_more, self)
        self._group: Group | None = None
        self._current = ""
        tip = self.tr("Shows only networks whose name or description contains the text.")
        self.search = search_field(self, self.tr("Search the networks"), tip, self.tr("Search"))
        self._filters = QButtonGroup(self)
        self._headings = {group: text_label("", "section", self) for group in GROUPS}
        self._flows = {group: CardLayout(MAX_WIDTH) for group in GROUPS}
        self._nothing = text_label(self.tr("No matching networks."), "muted", self)
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self._filter()

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show entries; cards of unchanged ones stay. Those out of sight are made later."""
        self._entries = {entry.name: entry for entry in entries}
        self._translated = {}
        for name, card in list(self._cards.items()):
            if self._entries.get(name) != card.entry:
                card.deleteLater()
                del self._cards[name]
        self._make_cards(_FIRST_CARDS)

    def card(self, name: str) -> NetworkCard | None:
        """Return the card of an entry."""
        if name in self._entries and name not in self._cards:
            self._make_cards(len(self._entries))
        return self._cards.get(name)

    def set_drawing(self, name: str, drawing: CardDrawing) -> None:
        """Show the small picture of an entry."""
        self._drawings[name] = drawing
        if name in self._cards:
            self._cards[name].sketch.set_drawing(drawing)

    def set_current(self, name: str) -> None:
        """Mark the card whose details are shown."""
        self._current = name
        for other, card in self._cards.items():
            card.set_current(current=other == name)

    def shown(self) -> list[str]:
        """Return the names of the entries that match the search, in order."""
        text, entries = self.search.text(), list(self._entries.values())
        if text and not self._translated:
            self._translated = {
                entry.name: f"{entry_name(entry)} {translated(entry.summary)}" for entry in entries
            }
        return [entry.name for entry in matching(entries, text, self._group, self._translated)]

    def show_group(self, group: Group | None, _checked: bool = True) -> None:
        """Show one group, or all."""
        for button in self._filters.buttons():
            button.setChecked(button.property("group") == (group or ""))
        self._group = group
        self._filter()

    def _make_cards(self, most: int) -> None:
        """Make some of the missing cards, put all in order, and make the others a little later."""
        missing = [entry for entry in self._entries.values() if entry.name not in self._cards]
        for entry in missing[:most]:
            card = NetworkCard(entry, self._theme, self._inside)
            card.activated.connect(partial(self._on_activated, entry.name))
            card.sketch.set_drawing(self._drawings.get(entry.name))
            card.set_current(current=entry.name == self._current)
            self._cards[entry.name] = card
        for flow in self._flows.values():
            while flow.takeAt(0) is not None:
                pass
        for entry in self._entries.values():
            if entry.name in self._cards:
                self._flows[entry.group].addWidget(self._cards[entry.name])
        self._filter()
        if len(missing) > most:
            self._later.start()

    def _make_more(self) -> None:
        self._make_cards(_NEXT_CARDS)

    def _on_activated(self, name: str) -> None:
        if name == self._current:
            self.opened.emit(name)
        else:
            self.chosen.emit(name)

    def _filter(self) -> None:
        shown = set(self.shown())
        layout = self._column
        # Otherwise all cards are laid out again for each new one.
        layout.setEnabled(False)
        for name, card in self._cards.items():
            card.setVisible(name in shown)
        groups = {self._entries[name].group for name in shown}
        for group, heading in self._headings.items():
            heading.setVisible(group in groups)
        self._nothing.setVisible(not shown and bool(self._entries))
        layout.setEnabled(True)
        layout.invalidate()

    def _lay_out(self) -> None:
        words: dict[Group | None, str] = {None: self.tr("All")}
        for name, heading in GROUPS.items():
            words[name] = translated(heading)
            self._headings[name].setText(words[name])
        words["masks"], words["boxes"] = self.tr("Masks"), self.tr("Boxes")
        self.search.setFixedWidth(_SEARCH_WIDTH)
        # They wrap like words: a small window has no room for all of them in a row.
        bar = FlowLayout(spacing=SPACE.s)
        bar.addWidget(self.search)
        for group, word in words.items():
            tip = self.tr("Filters the networks by their origin.")
            button = push_button(word, self._theme, kind="quiet", tip=tip)
            button.setCheckable(True)
            button.setChecked(group is None)
            button.setProperty("group", group or "")
            button.clicked.connect(partial(self.show_group, group))
            self._filters.addButton(button)
            bar.addWidget(button)
        self._inside = QWidget(self)
        margins = (0, 0, SPACE.s, SPACE.l)
        self._column = vbox(self._nothing, owner=self._inside, spacing=SPACE.m, margins=margins)
        for name in GROUPS:
            fill(self._column, self._headings[name], self._flows[name])
        fill(self._column, STRETCH)
        scroll = QScrollArea(self)
        scrolled(scroll, self._inside)
        vbox(bar, (scroll, 1), owner=self, spacing=SPACE.m)
