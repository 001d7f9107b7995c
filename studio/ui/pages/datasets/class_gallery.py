"""The classes of a dataset as cards with pictures; a thousand of them come in small steps."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.pictures import DatasetPictures
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.button import push_button
from studio.ui.widgets.class_card import MOST_WIDTH, ClassCard
from studio.ui.widgets.explain import explain
from studio.ui.widgets.flow_layout import CardLayout
from studio.ui.widgets.hint_label import HintLabel

# A card takes 1 to 2 ms to make: a step of these stays far below what a person notices.
CARDS_PER_STEP = 6
PICTURES_PER_CALL = 12
STEP_MS = 12
# With fewer classes than that, a search field is in the way.
SEARCH_FROM = 13


class ClassGallery(QWidget):
    """One card per class.

    Signals:
        class_activated: Number of the class whose card was pressed; -1 for all images.
        filled: Every card is there with its pictures.
    """

    class_activated = Signal(int)
    filled = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._background = background
        self._summary: DatasetSummary | None = None
        self._pictures: DatasetPictures | None = None
        self._cards: list[ClassCard] = []
        self._shown = 0
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a class"))
        self.search.setAccessibleName(self.tr("Find a class"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(280)
        self.search.textChanged.connect(self._filter)
        self.all_button = push_button(
            self.tr("Show all images"), theme, kind="quiet", icon="image", parent=self
        )
        self.all_button.clicked.connect(self._on_all)
        self._nothing = HintLabel(parent=self)
        self._inside = QWidget(self)
        self._flow = CardLayout(MOST_WIDTH, self._inside)
        self._scroll = QScrollArea(self)
        self._steps = QTimer(self)
        self._steps.setInterval(STEP_MS)
        self._steps.timeout.connect(self._step)
        self._lay_out()
        explain(
            self.all_button,
            self.tr("Shows the images of all classes together, to search and correct them."),
        )
        explain(self.search, self.tr("Shows only classes whose name holds what you type."))

    def cards(self) -> list[ClassCard]:
        """The cards made so far, in the order of the classes."""
        return list(self._cards)

    def show_dataset(self, summary: DatasetSummary, pictures: DatasetPictures) -> None:
        """Show another dataset, or the same one as it is now; cards and pictures follow."""
        if pictures is self._pictures and self._is_of(summary):
            self._update(summary)
            return
        self.clear()
        self._summary = summary
        self._pictures = pictures
        self.search.setVisible(len(summary.classes) >= SEARCH_FROM)
        self._step()
        self._steps.start()
        self._load(0)

    def clear(self) -> None:
        """Show nothing, and want nothing any more."""
        self._steps.stop()
        self._shown += 1
        self._summary = None
        self._pictures = None
        self._cards = []
        self.search.clear()
        self._flow.clear()
        self._scroll.verticalScrollBar().setValue(0)

    def _is_of(self, summary: DatasetSummary) -> bool:
        """Whether the cards that are there are those of the classes."""
        return [card.name for card in self._cards] == summary.classes

    def _update(self, summary: DatasetSummary) -> None:
        """The same classes: nothing moves, and what is typed and focused stays."""
        self._shown += 1
        self._summary = summary
        for index, card in enumerate(self._cards):
            card.set_counts(_counts(summary, index))
        self._load(0)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(SPACE.s)
        line.addWidget(self.search, 1)
        line.addStretch(1)
        line.addWidget(self.all_button)
        self._inside.setProperty("plain", True)
        self._flow.setContentsMargins(0, 0, 0, SPACE.m)
        self._scroll.setWidgetResizable(True)
        # Everything in it can be reached by itself.
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(line)
        column.addWidget(self._nothing)
        column.addWidget(self._scroll, 1)

    def _step(self) -> None:
        """Make a few more cards."""
        if self._summary is None:
            return
        first = len(self._cards)
        # Every card that is shown would place all that are there; once for all of them is enough.
        self._flow.setEnabled(False)
        for index in range(first, min(first + CARDS_PER_STEP, len(self._summary.classes))):
            self._add_card(self._summary, index)
        self._flow.setEnabled(True)
        if len(self._cards) == len(self._summary.classes):
            self._steps.stop()

    def _add_card(self, summary: DatasetSummary, index: int) -> None:
        card = ClassCard(self._theme, summary.classes[index], self._inside)
        card.set_counts(_counts(summary, index))
        card.activated.connect(partial(self.class_activated.emit, index))
        card.setVisible(self._fits(card))
        self._cards.append(card)
        self._flow.addWidget(card)

    def _load(self, first: int) -> None:
        """Fetch the pictures of the next classes."""
        if self._summary is None or self._pictures is None:
            return
        last = min(first + PICTURES_PER_CALL, len(self._summary.classes))
        if first == last:
            self.filled.emit()
            return
        self._background.run(
            self,
            partial(self._pictures.of_classes, range(first, last)),
            partial(self._on_pictures, self._shown, first),
        )

    def _on_pictures(self, shown: int, first: int, pictures: list[list[QImage]]) -> None:
        if shown != self._shown:
            return  # of a dataset that is not shown any more
        while len(self._cards) < first + len(pictures):
            self._step()
        for place, images in enumerate(pictures):
            self._cards[first + place].set_images(images)
        self._load(first + len(pictures))

    def _fits(self, card: ClassCard) -> bool:
        return self.search.text().strip().casefold() in card.name.casefold()

    def _filter(self) -> None:
        for card in self._cards:
            card.setVisible(self._fits(card))
        found = any(not card.isHidden() for card in self._cards)
        text = self.tr("No class of {classes} is called that.")
        total = messages.classes(len(self._cards))
        self._nothing.show_text("" if found or not self._cards else text.format(classes=total))

    def _on_all(self) -> None:
        self.class_activated.emit(-1)


def _counts(summary: DatasetSummary, index: int) -> dict[str, int]:
    """The images of a class by split."""
    return {split: summary.class_counts[split][index] for split in SPLIT_COLORS}
