"""All images of a dataset: as cards of its classes, and in a grid with filters and edits."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QMimeData,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
    QUrl,
    Signal,
)
from PySide6.QtGui import QDrag, QImage, QPixmap, QShortcut, QShowEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QMenu,
    QScrollArea,
    QWidget,
)

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.picture_files import PhotoFacts
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import default_colors
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.pages.commands import BACK, EXCLUDE, FIND, LARGER, SMALLER
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.browsing.filters import FilterBar
from studio.ui.pages.datasets.browsing.images import (
    LEFT_OUT,
    DatasetImages,
    ImageFacts,
    ImageSelection,
    Picked,
    RunPredictions,
    exposure_words,
    read_image_facts,
)
from studio.ui.pages.datasets.versions.editor import DatasetEditor, EditBar
from studio.ui.settings import Settings
from studio.ui.shared.overlay import OverlayLayer, OverlayPanel
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataWords
from studio.ui.tasks.targets import ImageChange, ValueDistribution
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import MAX_WIDTH, ClassCard
from studio.ui.widgets.figures import percent, size
from studio.ui.widgets.inputs import search_field
from studio.ui.widgets.labels import ElidedLabel, HintLabel, elided
from studio.ui.widgets.layout import (
    STRETCH,
    CardLayout,
    FlowLayout,
    grid_layout,
    hbox,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.overlay import Overlay
from studio.ui.widgets.picture_grid import ImageGrid, Index, PictureModel
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import explain

# A card takes 1 to 2 ms to make: a step of these stays far below what a person notices.
CARDS_PER_STEP = 6
# Cards that are made at first, and whenever the last of them is nearly visible.
CARDS_PER_PAGE = 60
PICTURES_PER_CALL = 12
STEP_MS = 12
# With fewer classes a search field is in the way.
SEARCH_FROM = 13


class ClassGallery(QWidget):
    """Cards of the classes, labels or quantities with pictures, made while one scrolls.

    Signals:
        class_activated: Number of the card that was pressed; -1 for all images.
        rename_requested: Number of the card to rename.
        filled: All requested cards have their pictures.
    """

    class_activated = Signal(int)
    rename_requested = Signal(int)
    filled = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._loading = Request(background, self)
        self._summary: DatasetSummary | None = None
        self._pictures: DatasetImages | None = None
        self._figures: Sequence[ValueDistribution] = ()
        self._words: DataWords | None = None
        self._made: dict[int, ClassCard] = {}
        self._pictured: set[int] = set()
        self._order: list[int] = []
        self._requested = 0
        tip = self.tr("Shows only classes whose name contains the text.")
        self.search = search_field(self, "", tip)
        self.search.setMaximumWidth(280)
        self.search.textChanged.connect(self._filter)
        tip = self.tr("Shows all images together, to search and correct them.")
        text = self.tr("Show all images")
        self.all_button = push_button(text, theme, kind="quiet", icon="image", tip=tip)
        self.all_button.clicked.connect(partial(self.class_activated.emit, -1))
        self._nothing = HintLabel(parent=self)
        inside = QWidget(self)
        self._flow = CardLayout(MAX_WIDTH, inside)
        self._flow.setContentsMargins(0, 0, 0, SPACE.m)
        self._inside = inside
        self._scroll = QScrollArea(self)
        scrolled(self._scroll, inside)
        line = hbox((self.search, 1), STRETCH, self.all_button, spacing=SPACE.s)
        vbox(line, self._nothing, (self._scroll, 1), owner=self, spacing=SPACE.s)
        self._steps = QTimer(self)
        self._steps.setInterval(STEP_MS)
        self._steps.timeout.connect(self._step)
        bar = self._scroll.verticalScrollBar()
        bar.valueChanged.connect(self._want_more)
        bar.rangeChanged.connect(self._want_more)

    def cards(self) -> list[ClassCard]:
        """Return the cards made so far, in the order of the classes."""
        return [self._made[index] for index in self._order[: self._flow.count()]]

    def show_dataset(
        self,
        summary: DatasetSummary,
        pictures: DatasetImages,
        figures: Sequence[ValueDistribution] = (),
    ) -> None:
        """Show a dataset, or another version of the same one.

        Args:
            summary: Summary of the dataset.
            pictures: Pictures of the dataset.
            figures: Distribution of the values of each quantity; empty where images are counted.
        """
        self._figures = figures
        known = self._summary
        if pictures is self._pictures and known is not None and known.classes == summary.classes:
            # Nothing moves; the search text and the focus stay.
            self._summary = summary
            for index, card in self._made.items():
                self._fill(card, index)
            self._pictured = set()
            self._load()
            return
        self.clear()
        self._summary = summary
        self._pictures = pictures
        self._words = view_of(TASKS[summary.task]).words(TASKS[summary.task])
        self.search.setPlaceholderText(self._words.find)
        self.search.setAccessibleName(self._words.find)
        self.search.setVisible(len(summary.classes) >= SEARCH_FROM)
        self._offer(list(range(len(summary.classes))))

    def clear(self) -> None:
        """Show nothing."""
        self._summary = None
        self._pictures = None
        self.search.clear()
        self._offer([])
        for card in self._made.values():
            card.deleteLater()
        self._made = {}
        self._pictured = set()

    def showEvent(self, event: QShowEvent) -> None:
        """Make more cards, now that the size is known."""
        super().showEvent(event)
        self._want_more()

    def menu(self, index: int) -> QMenu:
        """Make the menu of a card, for a right click."""
        menu = QMenu(self)
        menu.addAction(self.tr("Show images"), partial(self.class_activated.emit, index))
        menu.addAction(self.tr("Rename…"), partial(self.rename_requested.emit, index))
        return menu

    def _offer(self, order: list[int]) -> None:
        """Show these classes; cards that were made before are used again."""
        while self._flow.count():
            self._flow.takeAt(self._flow.count() - 1)
        for card in self._made.values():
            card.hide()
        self._order, self._requested = order, CARDS_PER_PAGE
        self._scroll.verticalScrollBar().setValue(0)
        self._step()
        self._steps.start()
        self._load()

    def _step(self) -> None:
        """Show a few more cards; once all are there, see if others would fit."""
        first = self._flow.count()
        coming = self._order[first : min(first + CARDS_PER_STEP, self._requested)]
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
        counts = self._summary.class_counts
        card.set_counts({split: counts[split][index] for split in SPLIT_COLORS})
        if index < len(self._figures) and self._figures[index].counts:
            figures, units = self._figures[index], self._summary.units
            unit = units[index] if index < len(units) else ""
            card.set_histogram(figures.counts, figures.low, figures.high, figures.mean, unit)

    def _on_menu(self, card: ClassCard, index: int, point: QPoint) -> None:
        menu = self.menu(index)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(card.mapToGlobal(point))

    def _want_more(self, *_position: int) -> None:
        """Make more cards if the last ones are nearly visible."""
        bar = self._scroll.verticalScrollBar()
        is_near = bar.value() + 2 * bar.pageStep() >= bar.maximum()
        is_done = self._flow.count() >= self._requested
        if is_near and is_done and self._requested < len(self._order) and self.isVisible():
            self._requested += CARDS_PER_PAGE
            self._steps.start()
            self._load()

    def _load(self) -> None:
        """Load the pictures of the next classes, and after them of those that follow."""
        missing = [each for each in self._order[: self._requested] if each not in self._pictured]
        numbers = missing[:PICTURES_PER_CALL]
        self._loading.drop()
        if self._pictures is None:
            return
        if not numbers:
            self.filled.emit()
            return
        work = partial(self._pictures.of_classes, numbers)
        self._loading.run(work, partial(self._on_pictures, numbers))

    def _on_pictures(self, numbers: list[int], pictures: list[list[QImage]]) -> None:
        for index, images in zip(numbers, pictures, strict=True):
            self._card(index).set_images(images)
            self._pictured.add(index)
        self._load()

    def _filter(self) -> None:
        if self._summary is None or self._words is None:
            return
        words, names = self.search.text().strip().casefold(), self._summary.classes
        order = [index for index, name in enumerate(names) if words in name.casefold()]
        total = messages.outputs(self._summary.task, len(names))
        self._nothing.show_text("" if order else self._words.not_found.format(all=total))
        if order != self._order:
            self._offer(order)


class ImageRows(PictureModel):
    """Images of a dataset: targets, prediction or file name, path as a tooltip.

    Holds an array of row numbers and nothing per image.
    """

    def __init__(self, selection: ImageSelection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answers: RunPredictions | None = None
        self.take(selection)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row in the dataset of each row of the model."""
        return self.selection.rows

    def take(self, selection: ImageSelection, answers: RunPredictions | None = None) -> None:
        """Show other images of the same dataset, and the predictions of a model for them."""
        self.selection: ImageSelection = selection
        self._answers = answers
        self.reset(len(selection.rows))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Allow images to be dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def key(self, row: int) -> int:
        """Return the row of the dataset."""
        return int(self.selection.rows[row])

    def caption(self, row: int) -> str:
        """Return the prediction, else the targets, else the file name."""
        row, table = self.key(row), self.selection.table
        answer = None if self._answers is None else self._answers.predictions.answer(row)
        if answer is not None and answer[0] < len(table.classes):
            return f"{table.classes[answer[0]]} · {percent(answer[1])}"
        caption = table.view.caption(table.targets, row)
        return caption or table.names.shown(row).rpartition("/")[2]

    def tip(self, row: int) -> str:
        """Return the path and the targets."""
        row, table = self.key(row), self.selection.table
        caption = table.view.caption(table.targets, row)
        return "\n".join(filter(None, (table.names.shown(row), caption)))

    def is_wrong(self, row: int) -> bool:
        """Return True if the model predicted another class."""
        if self._answers is None:
            return False
        row = self.key(row)
        answer = self._answers.predictions.answer(row)
        return answer is not None and answer[0] != int(self.selection.table.labels[row])


# Looking for more files would freeze the window noticeably.
MAX_DRAGGED = 500
_DRAG_SIDE = 96


class BrowserGrid(ImageGrid):
    """A grid with selections of a million images, some of which can be dragged to other windows.

    Signals:
        chosen_changed: The selection changed.
        zoom_requested: 1 for larger pictures, -1 for smaller ones.
        drag_refused: The reason why nothing was dragged.
    """

    chosen_changed = Signal()
    zoom_requested = Signal(int)
    drag_refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pictures: DatasetImages | None = None
        self._rows: ImageRows | None = None
        self.setDragEnabled(True)
        self.activated.connect(self.show_large)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    def show_rows(self, rows: ImageRows, pictures: DatasetImages) -> None:
        """Show the images of a model; pictures that are loaded already stay."""
        if rows is not self._rows:
            self._rows = rows
            self._pictures = pictures
            self.set_source(rows, pictures.load, pictures.thumbnail)

    def clear(self) -> None:
        """Show nothing."""
        self._rows = None
        self._pictures = None
        super().clear()

    def count(self) -> int:
        """Return the number of selected images."""
        return sum(stop - start for start, stop in self._spans())

    def chosen(self) -> NDArray[np.int64]:
        """Return the selected images, by their rows in the dataset."""
        rows = np.empty(0, np.int64) if self._rows is None else self._rows.rows
        parts = [rows[start:stop] for start, stop in self._spans()]
        return np.concatenate([rows[:0], *parts])

    def choose(self, indices: NDArray[np.int64]) -> None:
        """Select rows of the model, in ascending order; the first becomes the current one."""
        if not len(indices):
            return
        selection = QItemSelection()
        for run in np.split(indices, np.flatnonzero(np.diff(indices) != 1) + 1):
            selection.select(self._index(int(run[0])), self._index(int(run[-1])))
        model, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        model.setCurrentIndex(self._index(int(indices[0])), flags.NoUpdate)
        model.select(selection, flags.ClearAndSelect)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Emit `chosen_changed` instead of a list of all selected rows."""
        QAbstractItemView.selectionChanged(self, selected, deselected)
        self.chosen_changed.emit()

    def selected_rows(self) -> list[int]:
        """Return the selected rows of the model, in order."""
        return [row for start, stop in self._spans() for row in range(start, stop)]

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom while Ctrl is held."""
        turned = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and turned:
            self.zoom_requested.emit(1 if turned > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Let other programs copy the source files of the selected images."""
        data = self.dragged()
        if data is None or self._pictures is None:
            return
        image = QImage()
        with contextlib.suppress(StudioError):  # damaged: it is dragged without a picture
            image = self._pictures.picture(int(self.chosen()[0]))
        mode = Qt.AspectRatioMode.KeepAspectRatio
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(QPixmap.fromImage(image.scaled(_DRAG_SIDE, _DRAG_SIDE, mode)))
        drag.exec(Qt.DropAction.CopyAction)

    def dragged(self) -> QMimeData | None:
        """Return the source files of the selected images; None, with a message, if impossible."""
        rows = self.chosen()
        if self._rows is None or not len(rows):
            return None
        if len(rows) > MAX_DRAGGED:
            text = self.tr("At most {n} images can be dragged at a time.")
            self.drag_refused.emit(text.format(n=MAX_DRAGGED))
            return None
        files = self._rows.selection.table.source_files(rows)
        if not files:
            self.drag_refused.emit(self.tr("The files of these images no longer exist."))
            return None
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path.absolute())) for path in files])
        return data

    def _spans(self) -> list[tuple[int, int]]:
        """Return start and stop of the selected ranges, in order."""
        if self.model() is None:
            return []
        selection = self.selectionModel().selection()
        parts = [selection.at(index) for index in range(selection.count())]
        return sorted((part.top(), part.bottom() + 1) for part in parts)


WIDTH = 208
_PICTURE = 176
_CHIP = 84


class ImageDetails(QFrame):
    """A card with the selected image, its targets, and facts of its source file.

    Attributes:
        overlay: Controls and legend of masks or boxes; hidden if there are none.
        facts: The texts by their headings.
    """

    def __init__(
        self,
        theme: Theme,
        background: Background,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._reading = Request(background, self)
        self.setProperty("card", True)
        self.setFixedWidth(WIDTH)
        self.picture = PictureView(theme, self)
        self.picture.setFixedHeight(_PICTURE)
        self._layer = OverlayLayer(self.picture, background)
        self._regions: Overlay | None = None
        self.overlay = OverlayPanel(settings, self)
        self.overlay.changed.connect(self._show_layer)
        self.overlay.hide()
        self.name = ElidedLabel("", self)
        self.hint = HintLabel(parent=self)
        self._facts = QWidget(self)
        self._facts.setProperty("plain", True)
        self._grid = grid_layout(self._facts, SPACE.s, widest=1)
        scroll = QScrollArea(self)
        inside = QWidget(scroll)
        parts = (self.picture, self.name, self.overlay, self._facts, self.hint, STRETCH)
        vbox(*parts, owner=inside, spacing=SPACE.s)
        scrolled(scroll, inside)
        vbox(scroll, owner=self, margins=SPACE.m)
        self.facts: dict[str, str] = {}
        self.clear()

    def show_row(self, pictures: DatasetImages, row: int) -> None:
        """Show an image once it is read."""
        self._reading.run(partial(read_image_facts, pictures, row), self._on_facts)

    def clear(self) -> None:
        """Show that nothing is selected."""
        self._reading.drop()
        self._empty()
        self._show_regions(None)
        self.picture.set_image(None)
        self.picture.hide()
        self.name.hide()
        self.hint.show_text(self.tr("Select an image to see its source and targets."))

    def _on_facts(self, facts: ImageFacts) -> None:
        self._empty()
        self.picture.set_image(facts.picture, facts.name)
        self.picture.show()
        self._show_regions(facts.overlay)
        self.name.setText(facts.name.rpartition("/")[2])
        self.name.setToolTip(facts.name)
        self.name.show()
        # A legend shows them already.
        for heading, text in facts.targets if facts.overlay is None else ():
            self._add(heading, text)
        if facts.origin:
            self._add(self.tr("Origin"), facts.origin)
        self._add(self.tr("Split"), messages.split_words(facts.split))
        width, height = facts.picture.width(), facts.picture.height()
        self._add(self.tr("Here"), messages.shape(width, height, facts.pixels))
        if facts.file is None:
            self._add(self.tr("From"), facts.name)
            self.hint.show_text(self.tr("Its source file no longer exists."))
        else:
            self._add_file(facts.file)
            self.hint.show_text("")

    def _show_regions(self, regions: Overlay | None) -> None:
        self._regions = regions
        self.overlay.show_overlay(regions)
        self._show_layer()

    def _show_layer(self) -> None:
        self._layer.show(self._regions, self.overlay.style_now())

    def _add_file(self, file: PhotoFacts) -> None:
        self._add(self.tr("File"), str(file.path))
        shape = f"{file.width}×{file.height}" if file.width else self.tr("unreadable")
        self._add(self.tr("Original"), f"{shape}, {size(file.bytes)}")
        self._add(self.tr("Camera"), file.camera)
        self._add(self.tr("Taken"), file.taken)
        self._add(self.tr("Exposure"), exposure_words(file.exposure))
        if file.turn != 1:
            self._add(self.tr("Rotated"), self.tr("EXIF orientation {n}").format(n=file.turn))

    def _add(self, heading: str, text: str | tuple[str, ...]) -> None:
        if not text:
            return
        self.facts[heading] = text if isinstance(text, str) else ", ".join(text)
        row = self._grid.rowCount()
        title = ElidedLabel(heading, self._facts, role="caption")
        self._grid.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
        if isinstance(text, str):
            self._grid.addWidget(ElidedLabel(text, self._facts, role="body"), row, 1)
        else:
            self._grid.addWidget(_chips(text, self._facts), row, 1)

    def _empty(self) -> None:
        self.facts = {}
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def _chips(words: tuple[str, ...], parent: QWidget) -> QWidget:
    """Make a small label with an edge for each word."""
    holder = QWidget(parent)
    holder.setProperty("plain", True)
    flow = FlowLayout(holder, SPACE.xs)
    for word in words:
        chip = text_label(elided(holder.fontMetrics(), word, _CHIP), "chip", holder)
        chip.setToolTip(word)
        flow.addWidget(chip)
    return holder


# A selection of more ranges is not restored after an edit.
_MOST_PIECES = 5000


class ImageBrowser(QWidget):
    """A grid of images between filters, edits and the details of one image.

    Signals:
        back_requested: Show the classes again.
        listed: The images of the filters are in the grid.
    """

    back_requested = Signal()
    listed = Signal()

    def __init__(
        self,
        theme: Theme,
        background: Background,
        editor: DatasetEditor,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._selecting = Request(background, self)
        self._shortcuts = shortcuts = settings.shortcuts
        self._editor = editor
        self._pictures: DatasetImages | None = None
        self._model: ImageRows | None = None
        self.bar = FilterBar(theme, shortcuts, self)
        self.edit_bar = EditBar(theme, shortcuts, editor, self)
        self.nothing = HintLabel(parent=self)
        self.grid = BrowserGrid(theme, self)
        self.grid.setMinimumSize(QSize(160, 120))
        tip = self.tr("Select images to move, relabel or exclude them. Your files never change.")
        explain(self.grid, tip)
        self.details = ImageDetails(theme, background, settings, self)
        left = vbox(self.nothing, (self.grid, 1), spacing=SPACE.s)
        # Between the filters there is no room for the slider: their words would be cut.
        self.edit_bar.add_first(self.bar.slider)
        middle = hbox((left, 1), self.details, spacing=SPACE.m)
        vbox(self.bar, self.edit_bar, (middle, 1), owner=self, spacing=SPACE.s)
        self._connect()

    def show_images(
        self, summary: DatasetSummary, pictures: DatasetImages, shown: int | Finding | Picked
    ) -> None:
        """Show images in all splits: those of a class, label or quantity, or all (-1); others.

        Args:
            summary: Summary of the dataset.
            pictures: Its images.
            shown: Index of the class; a finding of the audit; or picked images, which may be
                excluded ones.
        """
        self._take(summary, pictures)
        self.bar.reset(shown)
        self._ask()

    def refresh(self, summary: DatasetSummary) -> None:
        """Show the newest version of the same dataset; position and selection stay."""
        if self._pictures is not None:
            self._take(summary, self._pictures)
            self._ask(keep=True)

    def show_display(self) -> None:
        """Read the images again, as their colors or contrast changed."""
        self.grid.reload()
        if self._pictures is not None:
            self._on_chosen()

    def clear(self) -> None:
        """Show nothing."""
        self._selecting.drop()
        self._pictures = None
        self.details.clear()
        self._forget_model()

    def _take(self, summary: DatasetSummary, pictures: DatasetImages) -> None:
        if pictures is not self._pictures:
            self._forget_model()
        self._pictures = pictures
        task = TASKS[summary.task]
        colors = default_colors(summary.classes, summary.colors)
        self.details.overlay.legend.set_classes(summary.classes, colors)
        self.details.overlay.show_part(task.geometry.part_type)
        self._show_regions()
        self.bar.set_outputs(task, summary.classes, summary.units)
        self.edit_bar.set_outputs(view_of(task), summary.classes, summary.units)

    def _show_regions(self) -> None:
        if self._pictures is not None:
            self._pictures.style = self.details.overlay.style_now()
            self.grid.reload()

    def _forget_model(self) -> None:
        if self._model is not None:
            self.grid.clear()
            self._model.deleteLater()
            self._model = None

    def _connect(self) -> None:
        self.bar.back_button.clicked.connect(self.back_requested)
        self.bar.changed.connect(self._ask)
        self.bar.slider.valueChanged.connect(self.grid.set_thumb_size)
        self.grid.chosen_changed.connect(self._on_chosen)
        self.grid.zoom_requested.connect(self.bar.zoom)
        self.grid.drag_refused.connect(self._on_drag_refused)
        self.details.overlay.changed.connect(self._show_regions)
        self.edit_bar.change_requested.connect(self._on_change)
        here = Qt.ShortcutContext.WidgetWithChildrenShortcut
        focused = Qt.ShortcutContext.WidgetShortcut
        for command, parent, context, slot in (
            (LARGER, self, here, partial(self.bar.zoom, 1)),
            (SMALLER, self, here, partial(self.bar.zoom, -1)),
            (FIND, self, here, self.bar.search.setFocus),
            (EXCLUDE, self.grid, focused, self.edit_bar.exclude),
            (BACK, self.grid, focused, self.back_requested.emit),
            (BACK, self.bar.search, focused, self._leave_search),
        ):
            shortcut = QShortcut(parent)
            self._shortcuts.bind(shortcut, command)
            shortcut.setContext(context)
            shortcut.activated.connect(slot)

    def _leave_search(self) -> None:
        """Clear the search text; if it is empty, go back to the images."""
        if self.bar.search.text():
            self.bar.search.clear()
        else:
            self.grid.setFocus()

    def _ask(self, *, keep: bool = False) -> None:
        if self._pictures is not None:
            query = self.bar.query()
            if self._pictures.show_doubts(query.only):
                self.grid.reload()
            work = partial(self._pictures.select, query)
            self._selecting.run(work, partial(self._on_selection, keep))

    def _on_selection(self, keep: bool, selection: ImageSelection) -> None:
        if self._pictures is None:
            return
        chosen = self.grid.chosen() if keep else None
        current, scrolled = self.grid.currentIndex().row(), self.grid.verticalScrollBar().value()
        query, rows = self.bar.query(), selection.rows
        if self._model is None:
            self._model = ImageRows(selection, self)
            self.grid.show_rows(self._model, self._pictures)
        self._model.take(selection, query.answers)
        self.bar.targets.show_targets(selection.table.targets)
        self.grid.updateGeometries()
        if chosen is not None:
            self._restore_selection(rows, chosen, current)
            self.grid.verticalScrollBar().setValue(scrolled)
        else:
            self.grid.scrollToTop()
            if isinstance(query.only, Picked) and query.only.first is not None:
                self.grid.choose(np.flatnonzero(rows == query.only.first))
        self.nothing.show_text("" if len(rows) else messages.no_image(query))
        left_out = query.split == LEFT_OUT or selection.table.are_left_out(rows)
        self.edit_bar.set_left_out(left_out)
        self._on_chosen()
        self.listed.emit()

    def _restore_selection(
        self, rows: NDArray[np.int64], chosen: NDArray[np.int64], index: int
    ) -> None:
        """Restore the selection; if its images are gone, select the one now in their place."""
        indices = np.flatnonzero(np.isin(rows, chosen))
        if not len(chosen) or np.count_nonzero(np.diff(indices) != 1) > _MOST_PIECES:
            return
        if not len(indices) and len(rows):
            indices = np.array([min(max(index, 0), len(rows) - 1)])
        self.grid.choose(indices)

    def _on_chosen(self) -> None:
        model, chosen = self._model, self.grid.count()
        self.edit_bar.show_numbers(0 if model is None else model.count, chosen)
        current = self.grid.currentIndex()
        if model is None or self._pictures is None or not chosen or not current.isValid():
            self.details.clear()
        else:
            self.details.show_row(self._pictures, model.key(current.row()))
        if model is not None:
            self.edit_bar.targets.show_chosen(model.selection.table.targets, self.grid.chosen())

    def _on_change(self, change: ImageChange) -> None:
        self._editor.change(change, self.grid.chosen())

    def _on_drag_refused(self, text: str) -> None:
        self._editor.notice_requested.emit(Notice("info", text, key="drag"))
