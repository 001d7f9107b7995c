"""Many pictures at once: select them, and press the key of a class or drag them onto it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QSlider, QWidget

from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import EXCLUDED, ClassValue, ExcludedValue, LabelsValue, Value
from studio.ui.context import AppContext
from studio.ui.pages.label.classes import ITEMS_MIME, KEYS, ClassPanel, items_data
from studio.ui.pages.label.session import LabelSession, value_text
from studio.ui.shared.media import load_thumbnail
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import FlowLayout, hbox, text_label, vbox
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel

_SIDE_WIDTH: Final = 260
_THUMB: Final = 128
UNLABELED, ALL, PROPOSED, LEFT_OUT = "unlabeled", "all", "proposed", "excluded"
Index = QModelIndex | QPersistentModelIndex


class ItemModel(PictureModel):
    """Pictures of a labeling, some of them."""

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self.items: list[int] = []

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
        if isinstance(value, ExcludedValue):
            return self.tr("Left out")
        if value is not None:
            return value_text(value, labeling.names) or labeling.items[item].name
        proposal = session.assist.proposals.get(item)
        if proposal is not None:
            text = value_text(proposal.value, labeling.names)
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
    """

    def __init__(self, context: AppContext, session: LabelSession, parent: QWidget) -> None:
        super().__init__(parent)
        self.context = context
        self.session = session
        self.model = ItemModel(session)
        self.grid = LabelGrid(context.theme, self)
        self.grid.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Pictures"))
        self.filter = ComboBox(self)
        self.filter.setAccessibleName(self.tr("Shown pictures"))
        self.size_slider = QSlider(Qt.Orientation.Horizontal, self)
        self.size_slider.setRange(48, 320)
        self.size_slider.setValue(_THUMB)
        self.size_slider.setFixedWidth(120)
        self.size_slider.setAccessibleName(self.tr("Size of the pictures"))
        self.selected = text_label("", "muted", self)
        self.classes = ClassPanel(context.theme, self.tr("Classes"), self)
        self.accept_button = push_button(
            self.tr("Accept proposals"),
            context.theme,
            icon="check",
            tip=self.tr("Labels the selected pictures as proposed (Enter)"),
            on_click=self.accept,
        )
        self.clear_button = push_button(
            self.tr("Remove labels"),
            context.theme,
            kind="quiet",
            icon="close",
            tip=self.tr("Removes the labels of the selected pictures (Del)"),
            on_click=self.clear,
        )
        self._lay_out()
        self.grid.set_source(self.model, partial(thumbnail, session.labeling))
        self.filter.currentIndexChanged.connect(self.refresh)
        self.size_slider.valueChanged.connect(self.grid.set_thumb_size)
        self.grid.selection_changed.connect(self._on_selected)
        self.grid.doubleClicked.connect(self.grid.show_large)
        self.classes.chosen.connect(self.label_selected)
        self.classes.named.connect(self._on_named)
        self.classes.dropped.connect(self._on_dropped)
        self.classes.field.left.connect(self.grid.setFocus)
        session.labels_changed.connect(self._on_labels)
        session.items_changed.connect(self.refresh)
        session.classes_changed.connect(self._show_classes)
        session.assisted.connect(self._on_labels)
        self.setFocusProxy(self.grid)
        self._show_classes()
        self._fill_filter()
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Label the selected pictures by keys; see the class."""
        key = Qt.Key(event.key())
        control = bool(event.modifiers() & _CONTROL)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if control and key == Qt.Key.Key_Z and not shift:
            self.session.undo()
        elif control and (key == Qt.Key.Key_Y or (key == Qt.Key.Key_Z and shift)):
            self.session.redo()
        elif control:
            super().keyPressEvent(event)
        elif Qt.Key.Key_1 <= key < Qt.Key.Key_1 + KEYS:
            self.label_selected(int(key) - int(Qt.Key.Key_1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        elif key == Qt.Key.Key_Delete:
            self.clear()
        elif event.text().isprintable() and event.text().strip():
            self.classes.field.setFocus()
            self.classes.field.insert(event.text())
        else:
            super().keyPressEvent(event)

    def selected_items(self) -> list[int]:
        """Return the numbers of the selected pictures."""
        return [self.model.items[row] for row in self.grid.selected_rows()]

    def label_selected(self, index: int) -> None:
        """Give the selected pictures a class."""
        self._label(self.selected_items(), index, "key")

    def accept(self) -> None:
        """Label the selected pictures as proposed."""
        proposals = self.session.assist.proposals
        found = [proposals[item] for item in self.selected_items() if item in proposals]
        if found:
            self.session.accept(found, "group")

    def clear(self) -> None:
        """Take the labels of the selected pictures away."""
        items = self.selected_items()
        if items:
            self.session.label(items, None, "click")

    def show_certain(self) -> None:
        """Show the proposals, and select those that are nearly certain."""
        self.filter.setCurrentIndex(self.filter.findData(PROPOSED))
        proposals = self.session.assist.proposals
        chosen = QItemSelection()
        for row, item in enumerate(self.model.items):
            if item in proposals and proposals[item].probability >= _CERTAIN:
                index = self.model.index(row, 0)
                chosen.select(index, index)
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.grid.selectionModel().select(chosen, flag)
        self.grid.setFocus()

    def refresh(self) -> None:
        """Show the pictures of the filter."""
        self.model.show_items(self._items())
        self._on_selected([])

    def stop(self) -> None:
        """Load no more pictures."""
        self.grid.stop()

    def _items(self) -> list[int]:
        labeling = self.session.labeling
        chosen = self.filter.currentData()
        if chosen == UNLABELED:
            return labeling.undecided()
        if chosen == ALL:
            return list(range(len(labeling.items)))
        if chosen == PROPOSED:
            proposals = self.session.assist.proposals
            known = [item for item in labeling.undecided() if item in proposals]
            return sorted(known, key=self._order)
        labels = labeling.labels
        if chosen == LEFT_OUT:
            return sorted(item for item, label in labels.items() if label.value == EXCLUDED)
        return sorted(item for item, label in labels.items() if _has(label.value, chosen))

    def _order(self, item: int) -> tuple[str, float]:
        proposal = self.session.assist.proposals[item]
        return value_text(proposal.value, self.session.labeling.names), -proposal.probability

    def _label(self, items: Sequence[int], index: int, via: str) -> None:
        labeling = self.session.labeling
        if not items or not 0 <= index < len(labeling.names):
            return
        how = "key" if via == "key" else "click"
        if labeling.kind == "class":
            self.session.label(items, ClassValue(index=index), how)  # type: ignore[arg-type]
        elif labeling.kind == "labels":
            self.session.label_each(_toggled(labeling, items, index), how)  # type: ignore[arg-type]

    def _on_named(self, name: str) -> None:
        index = self.session.labeling.class_index(name)
        if index is None:
            index = self.session.add_class(name)
        self._label(self.selected_items(), index, "key")
        self.grid.setFocus()

    def _on_dropped(self, index: int, items: list[int]) -> None:
        self._label(items, index, "click")

    def _on_labels(self, _items: object) -> None:
        """Show what is labeled now; what no longer fits the filter goes."""
        items = self._items()
        if items != self.model.items:
            self.model.show_items(items)
            self._on_selected([])
        else:
            self.grid.viewport().update()
        self._show_classes()

    def _on_selected(self, _rows: object) -> None:
        chosen = len(self.grid.selected_rows())
        shown = self.model.count
        self.selected.setText(
            self.tr("{n} of {all} selected").format(n=count(chosen), all=count(shown))
            if chosen
            else self.tr("{all} pictures").format(all=count(shown))
        )
        reason = "" if chosen else self.tr("Select pictures first.")
        for button in (self.accept_button, self.clear_button):
            button.setEnabled(bool(chosen))
            button.setToolTip(reason or button.whatsThis())

    def _show_classes(self) -> None:
        labeling = self.session.labeling
        self.classes.show_classes(labeling.classes, labeling.counts())
        if self.filter.count() != len(labeling.names) + _FIXED:
            self._fill_filter()

    def _fill_filter(self) -> None:
        chosen = self.filter.currentData()
        self.filter.blockSignals(True)
        self.filter.clear()
        self.filter.addItem(self.tr("Unlabeled"), UNLABELED)
        self.filter.addItem(self.tr("All"), ALL)
        self.filter.addItem(self.tr("Proposed"), PROPOSED)
        self.filter.addItem(self.tr("Left out"), LEFT_OUT)
        for index, name in enumerate(self.session.labeling.names):
            self.filter.addItem(name, index)
        self.filter.setCurrentIndex(max(0, self.filter.findData(chosen)))
        self.filter.blockSignals(False)

    def _lay_out(self) -> None:
        side = QWidget(self)
        side.setFixedWidth(_SIDE_WIDTH)
        vbox((self.classes, 1), owner=side)
        tools = QWidget(self)
        flow = FlowLayout(tools)
        for part in (
            self.filter,
            self.selected,
            self.size_slider,
            self.clear_button,
            self.accept_button,
        ):
            part.setFixedHeight(CONTROL_HEIGHT)
            flow.addWidget(part)
        left = vbox(tools, (self.grid, 1), spacing=SPACE.s)
        hbox((left, 1), side, owner=self, spacing=SPACE.l)


_FIXED: Final = 4
_CERTAIN: Final = 0.9
"""Probability from which a proposal is selected for many to be accepted at once."""


def _has(value: Value, index: int) -> bool:
    if isinstance(value, ClassValue):
        return value.index == index
    return isinstance(value, LabelsValue) and index in value.indices


def _toggled(labeling: Labeling, items: Sequence[int], index: int) -> list[tuple[int, Value]]:
    """Add a label to pictures; where all have it, take it away."""
    before = []
    for item in items:
        value = labeling.value_of(item)
        before.append(set(value.indices) if isinstance(value, LabelsValue) else set())
    have_all = all(index in each for each in before)
    return [
        (item, LabelsValue.of(each - {index} if have_all else each | {index}))
        for item, each in zip(items, before, strict=True)
    ]


def thumbnail(labeling: Labeling, key: Hashable) -> QImage:
    """Return a small picture for a grid; in another thread.

    Args:
        labeling: The labeling.
        key: Number of the picture.
    """
    return load_thumbnail(str(labeling.file_of(int(str(key)))))
