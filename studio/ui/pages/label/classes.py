"""The classes of a labeling, with their keys and numbers of pictures."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Final

from PySide6.QtCore import QByteArray, QMimeData, QModelIndex, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QIcon,
    QKeyEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QCompleter, QLineEdit, QListWidget, QListWidgetItem, QWidget

from studio.engine.labeling.plan import LabelClass
from studio.engine.tasks.metric import with_unit
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.keys import CLASS_KEYS
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.overlay import swatch
from studio.ui.widgets.tips import explain

ITEMS_MIME: Final = "application/x-studio-label-items"
SIDE_WIDTH: Final = 260
"""Pixels of the column with the classes."""
_LEAST_HEIGHT: Final = 112
"""Room for four classes."""


def items_data(items: Sequence[int]) -> QMimeData:
    """Return pictures that are dragged."""
    data = QMimeData()
    data.setData(ITEMS_MIME, QByteArray(json.dumps(list(items)).encode()))
    return data


def dragged_items(data: QMimeData) -> list[int]:
    """Return the pictures that are dragged; empty for something else."""
    if not data.hasFormat(ITEMS_MIME):
        return []
    return [int(item) for item in json.loads(bytes(data.data(ITEMS_MIME).data()))]


class ClassList(QListWidget):
    """The classes; a click or Enter chooses one, dragged pictures can be dropped on one.

    Signals:
        chosen: Index of a class.
        dropped: Index of a class, and the pictures that were dropped on it.
    """

    chosen = Signal(int)
    dropped = Signal(int, list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Classes"))
        self.setAcceptDrops(True)
        self.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.itemClicked.connect(self._on_clicked)

    def show_classes(
        self, classes: Sequence[LabelClass], counts: Sequence[int] | None, marked: Collection[int]
    ) -> None:
        """Show classes.

        Args:
            classes: The classes.
            counts: Pictures of each; None if they are not known.
            marked: Indices of the classes of the shown picture.
        """
        while self.count() > len(classes):
            self.takeItem(self.count() - 1)
        for each in classes[self.count() :]:
            made = QListWidgetItem(self)
            made.setIcon(QIcon(swatch(each.color)))
        for index, each in enumerate(classes):
            item = self.item(index)
            key = f"{index + 1}" if index < CLASS_KEYS else "\N{FIGURE SPACE}"
            mark = " ✓" if index in marked else ""
            name = with_unit(each.name, each.unit)
            number = "" if counts is None else f"   {count(counts[index])}"
            text = f"{key}  {name}{mark}{number}"
            if item.text() != text:
                item.setText(text)
                item.setToolTip(name)
            font = item.font()
            if font.bold() != (index in marked):
                font.setBold(index in marked)
                item.setFont(font)

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out the rows again: their style was not known before."""
        super().showEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter or Space; digits belong to the widgets around."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.currentRow() >= 0:
                self.chosen.emit(self.currentRow())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take dragged pictures."""
        if dragged_items(event.mimeData()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Mark the class under the pointer."""
        index = self.indexAt(event.position().toPoint())
        self.setCurrentRow(index.row())
        event.setAccepted(index.isValid())

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Mark none."""
        self.setCurrentIndex(QModelIndex())

    def dropEvent(self, event: QDropEvent) -> None:
        """Report what was dropped on which class."""
        index = self.indexAt(event.position().toPoint())
        items = dragged_items(event.mimeData())
        if index.isValid() and items:
            event.acceptProposedAction()
            self.dropped.emit(index.row(), items)

    def _on_clicked(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.row(item))


class NameField(QLineEdit):
    """The name of a class, completed while it is typed; a new name makes a new class.

    Signals:
        named: A name that was typed; never empty.
        left: Esc was pressed.
    """

    named = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(self.tr("Type a class"))
        self.setAccessibleName(self.tr("Name of a class"))
        self.setClearButtonEnabled(True)
        tip = self.tr("Type the name of a class and press Enter. A new name adds a class.")
        explain(self, tip)
        self._names = QStringListModel(self)
        self._completer = QCompleter(self._names, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(self._completer)

    def set_names(self, names: Sequence[str]) -> None:
        """Complete these names."""
        if self._names.stringList() != list(names):
            self._names.setStringList(list(names))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report the name by Enter, and leave by Esc."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            text = self.text().strip()
            popup = self._completer.popup()
            if popup is not None:
                popup.hide()
            if text:
                self.clear()
                self.named.emit(self._completed(text))
            else:
                event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _completed(self, text: str) -> str:
        """Return the only name that begins with a text, or the text."""
        names = self._names.stringList()
        folded = text.casefold()
        if any(name.casefold() == folded for name in names):
            return text
        begins = [name for name in names if name.casefold().startswith(folded)]
        return begins[0] if len(begins) == 1 else text


class ClassPanel(QWidget):
    """The classes, and a field to type one."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = NameField(self)
        self.list = ClassList(self)
        heading = text_label(title, "section", self)
        vbox(heading, self.field, (self.list, 1), owner=self, spacing=SPACE.s)

    def begin_name(self, letter: str) -> None:
        """Type a letter into the field, where the next ones go."""
        self.field.setFocus()
        self.field.insert(letter)

    def show_classes(
        self,
        classes: Sequence[LabelClass],
        counts: Sequence[int] | None,
        marked: Collection[int] = (),
    ) -> None:
        """Show classes; see `ClassList.show_classes`."""
        self.list.show_classes(classes, counts, marked)
        self.field.set_names([each.name for each in classes])
