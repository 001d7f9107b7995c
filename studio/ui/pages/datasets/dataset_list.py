"""The list of datasets at the left of the page."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.dataset_card import DatasetCard
from studio.ui.pages.datasets.pictures import Details
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button

WIDTH = 248


class DatasetList(QWidget):
    """Cards of all datasets, newest first, under a button that imports more.

    Signals:
        chosen: Id of the dataset whose card was pressed.
        import_wanted: The button was pressed.
    """

    chosen = Signal(str)
    import_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: dict[str, DatasetCard] = {}
        self._current = ""
        self.setFixedWidth(WIDTH)
        self.import_button = push_button(self.tr("Import…"), theme, icon="plus", parent=self)
        self.import_button.setAccessibleName(self.tr("Import images"))
        self.import_button.setToolTip(self.tr("Make a dataset from a folder of images"))
        self.import_button.clicked.connect(self._on_import)
        self._inside = QWidget(self)
        self._inside.setProperty("plain", True)
        self._column = QVBoxLayout(self._inside)
        self._scroll = QScrollArea(self)
        self._lay_out()

    def cards(self) -> list[DatasetCard]:
        """The cards, from the top."""
        items = (self._column.itemAt(place) for place in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [widget for widget in widgets if isinstance(widget, DatasetCard)]

    def card(self, record_id: str) -> DatasetCard | None:
        """The card of a dataset, if it is there."""
        return self._cards.get(record_id)

    def add(self, entry: JobEntry, place: int) -> None:
        """Make room for a dataset, so many from the top."""
        card = DatasetCard(self._theme, entry.record.id, entry.name, self._inside)
        card.activated.connect(partial(self.chosen.emit, entry.record.id))
        card.set_current(current=entry.record.id == self._current)
        self._cards[entry.record.id] = card
        self._column.insertWidget(place, card)
        self.update_entry(entry)

    def remove(self, record_id: str) -> None:
        """Take a card away."""
        card = self._cards.pop(record_id, None)
        if card is not None:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()

    def update_entry(self, entry: JobEntry) -> None:
        """Show name, state and progress as they are now."""
        card = self._cards[entry.record.id]
        card.set_name(entry.name)
        card.set_state(entry.state)
        card.set_fraction(entry.history.fraction)
        if entry.state != State.COMPLETED:
            card.set_lines("", "")

    def set_details(self, record_id: str, details: Details) -> None:
        """Show what a completed dataset holds."""
        card = self._cards.get(record_id)
        if card is not None:
            card.set_lines(*messages.card_lines(details.summary))
            card.set_cover(details.cover)
            card.set_worst(details.worst)

    def set_current(self, record_id: str) -> None:
        """Mark the dataset that is shown and bring it into sight; empty marks none."""
        self._current = record_id
        for card in self._cards.values():
            card.set_current(current=card.record_id == record_id)
        if record_id in self._cards:
            self._scroll.ensureWidgetVisible(self._cards[record_id], 0, SPACE.s)

    def focus_current(self) -> None:
        """Give the keyboard to the card of the dataset that is shown."""
        card = self._cards.get(self._current)
        if card is not None:
            card.setFocus()

    def _lay_out(self) -> None:
        title = QLabel(self.tr("Datasets"), self)
        title.setProperty("role", "section")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, SPACE.m, 0)
        head.addWidget(title, 1)
        head.addWidget(self.import_button)
        # Room at the right for the scroll bar, so that cards do not move when it appears.
        self._column.setContentsMargins(0, 0, SPACE.m, SPACE.m)
        self._column.setSpacing(SPACE.s)
        self._column.addStretch(1)
        self._scroll.setWidgetResizable(True)
        # Everything in it can be reached by itself.
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.l, SPACE.xl, 0, 0)
        column.setSpacing(SPACE.m)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)

    def _on_import(self) -> None:
        self.import_wanted.emit()
