"""Classes, labels or quantities as cards with pictures; only those in sight are made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QShowEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QScrollArea, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks import TASKS
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.browsing.pictures import DatasetImages
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataWords
from studio.ui.tasks.targets import OutputFigures
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import MOST_WIDTH, ClassCard
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, CardLayout, hbox, scrolled, vbox
from studio.ui.widgets.tips import explain

# A card takes 1 to 2 ms to make: a step of these stays far below what a person notices.
CARDS_PER_STEP = 6
# As many are made at first, and again whenever one comes near to the last of them.
CARDS_PER_PAGE = 60
PICTURES_PER_CALL = 12
STEP_MS = 12
# With fewer classes than that, a search field is in the way.
SEARCH_FROM = 13


class ClassGallery(QWidget):
    """One card per class, label or quantity.

    Signals:
        class_activated: Number of the card that was pressed; -1 for all images.
        rename_wanted: Number of the card whose name is to be another.
        filled: Every card that is wanted by now is there with its pictures.
    """

    class_activated = Signal(int)
    rename_wanted = Signal(int)
    filled = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._background = background
        self._summary: DatasetSummary | None = None
        self._pictures: DatasetImages | None = None
        self._figures: Sequence[OutputFigures] = ()
        self._words: DataWords | None = None
        self._made: dict[int, ClassCard] = {}
        self._pictured: set[int] = set()
        self._order: list[int] = []
        self._wanted = 0
        self._shown = 0
        self.search = QLineEdit(self)
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(280)
        self.search.textChanged.connect(self._filter)
        explain(self.search, self.tr("Shows only those whose name contains what you type."))
        self.all_button = push_button(
            self.tr("Show all images"), theme, kind="quiet", icon="image", parent=self
        )
        self.all_button.clicked.connect(self._on_all)
        explain(self.all_button, self.tr("Shows all images together, to search and correct them."))
        self._nothing = HintLabel(parent=self)
        self._inside = QWidget(self)
        self._flow = CardLayout(MOST_WIDTH, self._inside)
        self._scroll = QScrollArea(self)
        self._steps = QTimer(self)
        self._steps.setInterval(STEP_MS)
        self._steps.timeout.connect(self._step)
        self._lay_out()
        bar = self._scroll.verticalScrollBar()
        bar.valueChanged.connect(self._want_more)
        bar.rangeChanged.connect(self._want_more)

    def cards(self) -> list[ClassCard]:
        """The cards that are shown so far, in the order of the classes."""
        return [self._made[index] for index in self._order[: self._flow.count()]]

    def show_dataset(
        self,
        summary: DatasetSummary,
        pictures: DatasetImages,
        figures: Sequence[OutputFigures] = (),
    ) -> None:
        """Show another dataset, or the same one as it is now; cards and pictures follow.

        Args:
            summary: Of the dataset.
            pictures: Of the dataset.
            figures: How the values of each quantity are distributed; empty where images count.
        """
        self._figures = figures
        if pictures is self._pictures and self._is_of(summary):
            self._update(summary)
            return
        self.clear()
        self._summary = summary
        self._pictures = pictures
        words = self._words = view_of(TASKS[summary.task]).words(TASKS[summary.task])
        self.search.setPlaceholderText(words.find)
        self.search.setAccessibleName(words.find)
        self.search.setVisible(len(summary.classes) >= SEARCH_FROM)
        self._offer(list(range(len(summary.classes))))

    def clear(self) -> None:
        """Show nothing, and want nothing any more."""
        self._summary = None
        self._pictures = None
        self.search.clear()
        self._offer([])
        for card in self._made.values():
            card.deleteLater()
        self._made = {}
        self._pictured = set()

    def showEvent(self, event: QShowEvent) -> None:
        """Only now it is known how much there is room for."""
        super().showEvent(event)
        self._want_more()

    def _is_of(self, summary: DatasetSummary) -> bool:
        """Whether the cards that are there are those of the classes."""
        return self._summary is not None and self._summary.classes == summary.classes

    def _update(self, summary: DatasetSummary) -> None:
        """The same classes: nothing moves, and what is typed and focused stays."""
        self._summary = summary
        for index, card in self._made.items():
            self._fill(card, index)
        self._pictured = set()
        self._load()

    def _offer(self, order: list[int]) -> None:
        """Show these classes; cards that were made before are used again."""
        while self._flow.count():
            self._flow.takeAt(self._flow.count() - 1)
        for card in self._made.values():
            card.hide()
        self._order, self._wanted = order, CARDS_PER_PAGE
        self._scroll.verticalScrollBar().setValue(0)
        self._step()
        self._steps.start()
        self._load()

    def _lay_out(self) -> None:
        line = hbox((self.search, 1), STRETCH, self.all_button, spacing=SPACE.s)
        self._flow.setContentsMargins(0, 0, 0, SPACE.m)
        scrolled(self._scroll, self._inside)
        vbox(line, self._nothing, (self._scroll, 1), owner=self, spacing=SPACE.s)

    def _step(self) -> None:
        """Show a few more cards; when all are there, see whether there is room for others."""
        first = self._flow.count()
        coming = self._order[first : min(first + CARDS_PER_STEP, self._wanted)]
        if not coming:
            self._steps.stop()
            self._want_more()
            return
        # Every card that is shown would place all that are there; once for all of them is enough.
        self._flow.setEnabled(False)
        for index in coming:
            card = self._card(index)
            self._flow.addWidget(card)
            card.show()
        self._flow.setEnabled(True)
        self._flow.activate()  # before they are painted where they were made, over the first

    def _card(self, index: int) -> ClassCard:
        if index not in self._made and self._summary is not None and self._words is not None:
            name, words = self._summary.classes[index], self._words
            card = ClassCard(self._theme, name, self._inside, words.card, words.card_help)
            self._fill(card, index)
            card.activated.connect(partial(self.class_activated.emit, index))
            card.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            card.customContextMenuRequested.connect(partial(self._on_menu, card, index))
            self._made[index] = card
        return self._made[index]

    def _fill(self, card: ClassCard, index: int) -> None:
        """Show the numbers of a card."""
        if self._summary is None:
            return
        counts = {split: self._summary.class_counts[split][index] for split in SPLIT_COLORS}
        card.set_counts(counts)
        if index < len(self._figures):
            figures, units = self._figures[index], self._summary.units
            unit = units[index] if index < len(units) else ""
            card.set_histogram(figures.counts, figures.low, figures.high, figures.mean, unit)

    def _on_menu(self, card: ClassCard, index: int, place: QPoint) -> None:
        menu = self.menu(index)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(card.mapToGlobal(place))

    def menu(self, index: int) -> QMenu:
        """Make the menu of a card, for a right click."""
        menu = QMenu(self)
        show = menu.addAction(self.tr("Show images"))
        show.triggered.connect(partial(self.class_activated.emit, index))
        rename = menu.addAction(self.tr("Rename…"))
        rename.triggered.connect(partial(self.rename_wanted.emit, index))
        return menu

    def _want_more(self, *_where: int) -> None:
        """Go on where the last cards are in sight, or nearly."""
        bar = self._scroll.verticalScrollBar()
        is_near = bar.value() + 2 * bar.pageStep() >= bar.maximum()
        is_done = self._flow.count() >= self._wanted
        if is_near and is_done and self._wanted < len(self._order) and self.isVisible():
            self._wanted += CARDS_PER_PAGE
            self._steps.start()
            self._load()

    def _load(self) -> None:
        """Fetch the pictures of the next classes, and after them of those that follow."""
        self._shown += 1
        missing = [each for each in self._order[: self._wanted] if each not in self._pictured]
        numbers = missing[:PICTURES_PER_CALL]
        if self._pictures is None:
            return
        if not numbers:
            self.filled.emit()
            return
        done = partial(self._on_pictures, self._shown, numbers)
        self._background.run(self, partial(self._pictures.of_classes, numbers), done)

    def _on_pictures(self, shown: int, numbers: list[int], pictures: list[list[QImage]]) -> None:
        if shown != self._shown:
            return  # others are wanted by now
        for index, images in zip(numbers, pictures, strict=True):
            self._card(index).set_images(images)
            self._pictured.add(index)
        self._load()

    def _filter(self) -> None:
        if self._summary is None:
            return
        words, names = self.search.text().strip().casefold(), self._summary.classes
        order = [index for index, name in enumerate(names) if words in name.casefold()]
        total = messages.outputs(self._summary.task, len(names))
        text = "" if self._words is None else self._words.not_found.format(all=total)
        self._nothing.show_text("" if order else text)
        if order != self._order:
            self._offer(order)

    def _on_all(self) -> None:
        self.class_activated.emit(-1)
