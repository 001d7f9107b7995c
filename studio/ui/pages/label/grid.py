"""Many pictures at once: select them, and press the key of a class or drag them onto it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.engine.errors import StudioError
from studio.engine.labeling.assist import groups
from studio.engine.labeling.certain import PRECISION
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import MIN_LABELS, Proposal
from studio.engine.labeling.values import Value, Via
from studio.ui.context import AppContext
from studio.ui.pages.label.assist import AssistRunner
from studio.ui.pages.label.classes import ITEMS_MIME, SIDE_WIDTH, ClassPanel, items_data
from studio.ui.pages.label.seen import Seen
from studio.ui.pages.label.session import LabelSession
from studio.ui.shared.media import load_thumbnail
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import click_once, push_button
from studio.ui.widgets.figures import count, counted, percent
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.keys import class_of_key, history_step, is_letter
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, flow, hbox, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.tips import allow

_THUMB: Final = 96
UNLABELED, ALL, PROPOSED, LEFT_OUT = "unlabeled", "all", "proposed", "excluded"
CERTAIN, GROUP, SIMILAR = "certain", "group", "similar"
"""Pages of proposals that are accepted at once."""
PAGES: Final = (CERTAIN, GROUP, SIMILAR)
_FILTER_LETTERS: Final = 16
Index = QModelIndex | QPersistentModelIndex


class ItemModel(PictureModel):
    """Pictures of a labeling, some of them."""

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self.items: list[int] = []
        self.similar: dict[int, Proposal] = {}

    def show_items(self, items: Sequence[int]) -> None:
        """Show these pictures."""
        self.items = list(items)
        self.reset(len(self.items))

    def key(self, row: int) -> Hashable:
        """Return the number of the picture."""
        return self.items[row]

    def caption(self, row: int) -> str:
        """Return the label, or what is proposed; the name of the picture without either."""
        session, item = self._session, self.items[row]
        labeling = session.labeling
        value = labeling.value_of(item)
        if value is not None and value.is_excluded:
            return self.tr("Left out")
        if value is not None:
            return labeling.caption(value) or labeling.items[item].name
        proposal = self.similar.get(item) or session.proposals.get(item)
        if proposal is not None:
            text = labeling.caption(proposal.value)
            return f"{text}? {percent(proposal.probability, 0)}"
        return labeling.items[item].name.rpartition("/")[2]

    def tip(self, row: int) -> str:
        """Return the name and the label."""
        name = self._session.labeling.items[self.items[row]].name
        caption = self.caption(row)
        return name if name.endswith(caption) else f"{name}\n{caption}"

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let pictures be dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        """Return the type of dragged pictures."""
        return [ITEMS_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the pictures that are dragged."""
        return items_data([self.items[index.row()] for index in indexes])


class LabelGrid(ImageGrid):
    """A grid whose selected pictures can be dragged; a drag from elsewhere selects."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Drag what is selected; a press elsewhere begins a selection."""
        index = self.indexAt(event.position().toPoint())
        chosen = self.selectionModel() is not None and self.selectionModel().isSelected(index)
        self.setDragEnabled(chosen and event.modifiers() == Qt.KeyboardModifier.NoModifier)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave digits and Enter to the widgets around."""
        key = Qt.Key(event.key())
        is_digit = Qt.Key.Key_0 <= key <= Qt.Key.Key_9
        types = bool(event.text().strip()) and not event.modifiers() & _CONTROL
        if is_digit or types or key in _LEFT_KEYS:
            event.ignore()
        else:
            super().keyPressEvent(event)


_CONTROL: Final = Qt.KeyboardModifier.ControlModifier
_LEFT_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Delete)


class GridPanel(QWidget):
    """A grid of pictures, the classes at the right.

    Keys: 1 to 9 give the selected pictures a class, Enter accepts what is proposed for them, Del
    takes their labels away.

    A page of proposals keeps its pictures until they are accepted: the most certain proposals, a
    group with the same proposal, or the pictures that are most like labeled ones. A correction
    changes the other proposals of the page; Enter accepts those that were visible long enough, Del
    leaves pictures for later.

    Signals:
        single_requested: The pictures are to be labeled one by one (no arguments).
    """

    single_requested = Signal()

    def __init__(
        self, context: AppContext, session: LabelSession, runner: AssistRunner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.context = context
        self.session = session
        self._runner = runner
        self._page: list[int] = []
        self._left: set[int] = set()
        self._sources: list[int] = []
        self._is_searching = False
        self._seen = Seen(self._visible_proposals, self)
        self.model = ItemModel(session)
        self.grid = LabelGrid(context.theme, self)
        self.grid.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images"))
        self.filter = ComboBox(self, self.tr("Shown images"))
        self.filter.setMinimumContentsLength(_FILTER_LETTERS)
        self.filter.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        name = self.tr("Size of the images")
        self.size_slider = horizontal_slider(self, name, 48, 320, _THUMB, _SLIDER_WIDTH)
        self.selected = text_label("", "muted", self)
        self.classes = ClassPanel(self.tr("Classes"), self)
        self._make_buttons()
        self._lay_out()
        self.grid.set_source(self.model, partial(thumbnail, session.labeling))
        self._connect()
        self.setFocusProxy(self.grid)
        self._show_classes()
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Label the selected pictures by keys; see the class."""
        step, index = history_step(event), class_of_key(event)
        if event.isAutoRepeat() and (index is not None or event.key() in _LEFT_KEYS):
            return  # a held key decides once
        if step is not None:
            self.session.step(step)
        elif event.modifiers() & _CONTROL:
            super().keyPressEvent(event)
        elif index is not None:
            self.label_selected(index)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        elif event.key() == Qt.Key.Key_Delete:
            self.clear()
        elif is_letter(event):
            self.classes.begin_name(event.text())
        else:
            super().keyPressEvent(event)

    def selected_items(self) -> list[int]:
        """Return the numbers of the selected pictures."""
        return [self.model.items[row] for row in self.grid.selected_rows()]

    def label_selected(self, index: int) -> None:
        """Give the selected pictures a class."""
        self._label(self.selected_items(), index, "key")

    @property
    def is_page(self) -> bool:
        """True if a page of proposals is shown, which is accepted as a whole."""
        return self.filter.currentData() in PAGES

    def accept(self) -> None:
        """Label the selected pictures as proposed; of a page without a selection, all seen."""
        found = self._acceptable()
        if not found:
            return
        is_similar = self.filter.currentData() == SIMILAR
        items = [each.item for each in found]
        if is_similar:
            # What was confirmed leads to the next ones.
            self._sources = items
        # Whatever comes under the pointer or the key next must be seen first.
        self._seen.start()
        via: Via = "propagated" if is_similar else "group"
        self.session.accept(found, via, partial(self._on_accepted, items, via))
        self._show_acceptable()

    def _on_accepted(self, items: Sequence[int], via: Via) -> None:
        one = self.tr("1 image labeled as proposed.")
        text = counted(len(items), one, self.tr("{n} images labeled as proposed."))
        undo = partial(self._take_back, items, via)
        notice = Notice(
            "success", text, key="labels-accepted", action_text=self.tr("Undo"), action=undo
        )
        self.context.navigator.notify(notice)

    def _take_back(self, items: Sequence[int], via: Via) -> None:
        """Take labels that were accepted at once away; what was corrected since stays."""
        labels = self.session.labeling.labels
        left = [item for item in items if item in labels and labels[item].via == via]
        self.session.label(left, None, "click")

    def clear(self) -> None:
        """Take the labels of the selected pictures away; on a page, leave them for later."""
        items = self.selected_items()
        if not items:
            return
        if self.is_page:
            self._left.update(items)
            self._on_labels(items)
        else:
            self.session.label(items, None, "click")

    def show_certain(self) -> None:
        """Show the page of the most certain proposals."""
        self.filter.choose(CERTAIN)
        self.grid.setFocus()

    def propagate(self) -> None:
        """Show the pictures that are most like the selected labeled ones, or like all labeled."""
        labels = self.session.labeling.labels
        self._sources = [item for item in self.selected_items() if item in labels]
        with QSignalBlocker(self.filter):
            self.filter.choose(SIMILAR)
        self._begin_page()
        self.grid.setFocus()

    def refresh(self) -> None:
        """Show the pictures of the filter."""
        self.model.show_items(self._items())
        self._on_selected([])

    def _acceptable(self) -> list[Proposal]:
        """Return the proposals that Enter accepts now."""
        labels = self.session.labeling.labels
        if self.session.writes.is_busy:
            return []
        items = self.selected_items() or (self.model.items if self.is_page else [])
        proposals = self._proposals()
        found = [proposals[item] for item in items if item in proposals and item not in labels]
        if self.is_page:
            found = [each for each in found if (each.item, each.value) in self._seen]
        return found

    def _visible_proposals(self) -> list[tuple[int, Value | None]]:
        """Return the proposals whose pictures are on the screen."""
        proposals = self._proposals()
        items = [self.model.items[row] for row in self.grid.visible_rows()]
        return [(item, proposals[item].value) for item in items if item in proposals]

    def _proposals(self) -> Mapping[int, Proposal]:
        is_similar = self.filter.currentData() == SIMILAR
        return self.model.similar if is_similar else self.session.proposals

    def _begin_page(self) -> None:
        """Compose a page of proposals; an empty one is composed when there are some."""
        chosen = self.filter.currentData()
        status = self.session.open_status()
        left = {item: each for item, each in status.proposals.items() if item not in self._left}
        status = replace(status, proposals=left)
        self._page = []
        if self.is_page:
            self._seen.start()
        else:
            self._seen.stop()
        if chosen == CERTAIN:
            self._page = [each.item for each in self.session.acceptable(status)]
        elif chosen == GROUP:
            found = groups(status, _LEAST)
            self._page = [each.item for each in found[0].proposals] if found else []
        elif chosen == SIMILAR:
            self._search()
        self.refresh()

    def _search(self) -> None:
        """Find the pictures that are most like the labeled ones."""
        labels = self.session.labeling.labels
        excluded = set(self.session.labeling.excluded())
        sources = [item for item in self._sources or labels if item not in excluded]
        self.model.similar = {}
        self._is_searching = bool(sources)
        if sources:
            self._runner.propagate(sources, self._on_similar, self._on_not_found)

    def _on_similar(self, found: list[Proposal]) -> None:
        self._is_searching = False
        self.model.similar = {each.item: each for each in found if each.item not in self._left}
        if self.filter.currentData() == SIMILAR:
            self._page = list(self.model.similar)
            self.refresh()

    def _on_not_found(self) -> None:
        self._is_searching = False
        self._show_acceptable()

    def _items(self) -> list[int]:
        labeling = self.session.labeling
        labels = labeling.labels
        chosen = self.filter.currentData()
        if chosen in PAGES:
            return [item for item in self._page if item not in labels and item not in self._left]
        if chosen == UNLABELED:
            return labeling.undecided()
        if chosen == ALL:
            return list(range(len(labeling.items)))
        if chosen == PROPOSED:
            return sorted(self.session.open_status().proposals, key=self._order)
        if chosen == LEFT_OUT:
            return labeling.excluded()
        return labeling.of_class(chosen)

    def _order(self, item: int) -> tuple[str, float]:
        proposal = self.session.proposals[item]
        return self.session.labeling.caption(proposal.value), -proposal.probability

    def _label(self, items: Sequence[int], index: int, via: Via) -> None:
        labeling = self.session.labeling
        if not items or not 0 <= index < len(labeling.names):
            return
        values = labeling.editor.with_class([labeling.value_of(item) for item in items], index)
        self.session.label_each(list(zip(items, values, strict=True)), via)

    def _on_named(self, name: str) -> None:
        items = self.selected_items()
        self.session.class_named(name, partial(self._label, items, via="typed"))
        self.grid.setFocus()

    def _on_dropped(self, index: int, items: list[int]) -> None:
        self._label(items, index, "click")

    def _on_filter(self) -> None:
        self._left = set()
        self._sources = []
        self.model.similar = {}
        self._begin_page()

    def _on_items(self) -> None:
        if not self.is_page:
            self.refresh()

    def _bring_back(self, changed: Collection[int]) -> None:
        """Show the pictures of an earlier page whose labels were undone."""
        labels = self.session.labeling.labels
        gone = {*labels, *self._page, *self._left}
        back = [item for item in changed if item not in gone]
        if self.filter.currentData() in (CERTAIN, GROUP) and back:
            self._page = back

    def _on_labels(self, changed: Collection[int]) -> None:
        """Show what is labeled now; what no longer fits the filter goes."""
        self._bring_back(changed)
        items = self._items()
        if items != self.model.items:
            self.model.show_items(items)
        else:
            self.grid.viewport().update()
        self._on_selected([])
        self._show_classes()
        if self.filter.currentData() == SIMILAR and self._page and not items:
            self._begin_page()

    def _on_assisted(self, _status: object) -> None:
        """Show the proposals as they are now; after a page was accepted, the next one."""
        if self.filter.currentData() in (CERTAIN, GROUP) and not self._items():
            self._begin_page()
        elif self.filter.currentData() in (PROPOSED, *PAGES):
            self._on_labels(())

    def _on_selected(self, _rows: object) -> None:
        chosen = len(self.grid.selected_rows())
        shown = self.model.count
        text = self.tr("{n} of {all} selected") if chosen else self.tr("{all} images")
        self.selected.setText(text.format(n=count(chosen), all=count(shown)))
        allow(self.clear_button, "" if chosen else self.tr("Select images first."))
        self._show_acceptable()

    def _show_acceptable(self, _change: object = None) -> None:
        found = len(self._acceptable())
        text = self.tr("Accept {n}") if found else self.tr("Accept")
        self.accept_button.setText(text.format(n=count(found)))
        allow(self.accept_button, "" if found else self._reason())
        has_labels = self.session.labeling.labeled_count > 0
        allow(self.spread_button, "" if has_labels else self.tr("Label some images first."))
        self._show_content()

    def _show_content(self) -> None:
        """Show the pictures, or the reason why there are none and what to do next."""
        is_empty = not self.model.count
        self.hint.show_text(self._hint() if self.is_page and not is_empty else "")
        if is_empty:
            reason = self._hint() if self.is_page else self._no_images()
            self.empty.set_texts(self.tr("No images here"), reason)
            self.single_button.setVisible(bool(self.session.labeling.undecided()))
        self._stack.setCurrentWidget(self.empty if is_empty else self.grid)

    def _no_images(self) -> str:
        """Return why no image passes the filter."""
        chosen = self.filter.currentData()
        if not self.session.labeling.items:
            return self.tr("Drop a folder, images or a video here. Your files stay as they are.")
        if chosen == UNLABELED:
            return self.tr("All images are labeled.")
        if chosen == LEFT_OUT:
            return self.tr("No image is left out.")
        if chosen == PROPOSED:
            return self._empty_hint()
        return self.tr("No image has this label yet.")

    def _reason(self) -> str:
        """Return why nothing can be accepted."""
        if self.session.writes.is_busy:
            return self.tr("Waiting for another program that uses this labeling…")
        if self.is_page and self._items():
            return self.tr("Look at the images first.")
        return self.tr("Select images with proposals first.")

    def _hint(self) -> str:
        """Return instructions for a page of proposals."""
        if self._items():
            text = self.tr(
                "Select wrong proposals and press the key of their class. Enter accepts the "
                "others that you have seen; Del leaves the selected ones for later."
            )
            return f"{self._errors()} {text}".strip()
        if self._is_searching:
            return self.tr("Searching for similar images…")
        return self._empty_hint()

    def _empty_hint(self) -> str:
        """Return why a page has no proposals."""
        if not self.session.labeling.undecided():
            return self.tr("All images are labeled.")
        if self.filter.currentData() == SIMILAR:
            return self.tr("No unlabeled image is similar to the labeled ones.")
        status = self.session.open_status()
        if status.proposals and self.filter.currentData() == CERTAIN and status.certain is None:
            return self.tr(
                "No proposals are certain yet: more than {percent} of them would be wrong. Label "
                "more images one by one."
            ).format(percent=percent(1 - PRECISION, 0))
        if status.proposals:
            return self.tr("No more proposals of this kind. Label the others one by one.")
        return self.tr("There are no proposals yet. They begin after {n} labels.").format(
            n=count(MIN_LABELS)
        )

    def _errors(self) -> str:
        """Return how many of the certain proposals are expected to be wrong."""
        if self.filter.currentData() != CERTAIN:
            return ""
        limit = self.session.open_status().certain
        if limit is None:
            return self.tr("How many of these proposals are wrong is not known.")
        text = self.tr("About {percent} of these proposals are wrong, measured on {n} labels.")
        return text.format(percent=percent(limit.error_rate), n=count(limit.labels))

    def _show_classes(self) -> None:
        labeling = self.session.labeling
        self.classes.show_classes(labeling.classes, labeling.counts())
        self._fill_filter()

    def _fill_filter(self) -> None:
        entries: list[tuple[str, str | int]] = [
            (self.tr("Unlabeled"), UNLABELED),
            (self.tr("All"), ALL),
            (self.tr("Proposed"), PROPOSED),
            (self.tr("Left out"), LEFT_OUT),
            (self.tr("Certain proposals"), CERTAIN),
            (self.tr("One class at a time"), GROUP),
            (self.tr("Similar to labeled"), SIMILAR),
        ]
        entries += [(name, index) for index, name in enumerate(self.session.labeling.names)]
        self.filter.set_entries(entries)

    def _connect(self) -> None:
        self.filter.currentIndexChanged.connect(self._on_filter)
        self.size_slider.valueChanged.connect(self.grid.set_thumb_size)
        self.grid.selection_changed.connect(self._on_selected)
        self.grid.doubleClicked.connect(self.grid.show_large)
        self.classes.list.chosen.connect(self.label_selected)
        self.classes.list.dropped.connect(self._on_dropped)
        self.classes.field.named.connect(self._on_named)
        self.classes.field.left.connect(self.grid.setFocus)
        self.session.labels_changed.connect(self._on_labels)
        self.session.items_changed.connect(self._on_items)
        self.session.classes_changed.connect(self._show_classes)
        self.session.assisted.connect(self._on_assisted)
        self.session.writes.waiting_changed.connect(self._show_acceptable)
        self._seen.changed.connect(self._show_acceptable)

    def _make_buttons(self) -> None:
        theme = self.context.theme
        tip = self.tr("Labels the selected images, or those seen of the page, as proposed (Enter)")
        self.accept_button = push_button(
            "", theme, kind="primary", icon="check", tip=tip, on_click=self.accept
        )
        click_once(self.accept_button)
        text = self.tr("Remove labels")
        tip = self.tr(
            "Removes the labels of the selected images; on a page of proposals, leaves them "
            "for later (Del)"
        )
        self.clear_button = push_button(
            text, theme, kind="quiet", icon="close", tip=tip, on_click=self.clear
        )
        text = self.tr("Find similar")
        tip = self.tr(
            "Proposes the labels of the selected images, or of all labeled ones, for the "
            "images that are most like them."
        )
        self.spread_button = push_button(
            text, theme, kind="quiet", icon="search", tip=tip, on_click=self.propagate
        )
        self.hint = HintLabel("", parent=self)
        self.empty = EmptyState(theme, "label", "", "", self)
        self.single_button = self.empty.add_action(self.tr("Label one by one"))
        self.single_button.clicked.connect(self.single_requested)

    def _lay_out(self) -> None:
        self.classes.setFixedWidth(SIDE_WIDTH)
        tools = hbox(self.filter, self.selected, STRETCH, self.size_slider, spacing=SPACE.s)
        buttons = flow(self.clear_button, self.spread_button)
        actions = hbox((buttons, 1), self.accept_button, spacing=SPACE.s)
        self._stack = PageStack(self, self.grid, self.empty)
        left = vbox(tools, self.hint, (self._stack, 1), actions, spacing=SPACE.s)
        hbox((left, 1), self.classes, owner=self, spacing=SPACE.l)


_LEAST: Final = 0.5
"""Least probability of the proposals of a group: its most certain ones come first."""
_SLIDER_WIDTH: Final = 96


def thumbnail(labeling: Labeling, key: Hashable) -> QImage:
    """Return a small picture for a grid; in another thread.

    Args:
        labeling: The labeling.
        key: Number of the picture.
    """
    try:
        return load_thumbnail(str(labeling.file_of(int(str(key)))), labeling.record.folder)
    except StudioError:  # added meanwhile, in a folder that was not confirmed
        return QImage()
