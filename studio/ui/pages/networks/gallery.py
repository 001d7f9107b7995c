"""All networks as cards under headings, with a search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.engine.networks.catalog import GROUPS, Entry, Group, matching
from studio.ui.pages.networks.network_card import MOST_WIDTH, NetworkCard
from studio.ui.pages.networks.sketch import Drawing
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.flow_layout import CardLayout

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
        self._nothing = QLabel(self.tr("No network is called so."), self)
        self._nothing.setProperty("role", "muted")
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
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(SPACE.m)
        whole.addLayout(bar)
        whole.addWidget(scroll, 1)

    def _on_group(self, group: Group | None, _checked: bool = True) -> None:
        self.show_group(group)
