"""A small list over the canvas: type a few letters, press Enter. Never modal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.ui.theme.tokens import SPACE

WIDTH: Final = 264
HEIGHT: Final = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: what is chosen, what is shown, what is searched."""

    key: str
    label: str
    words: str = ""


class SearchList(QFrame):
    """Opens at a place of its parent, closes on Escape and when the focus goes elsewhere.

    Signals:
        chosen: The key of an entry.
        closed: It is hidden again, whatever came of it.
    """

    chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self._entries: Sequence[Entry] = ()
        self.setProperty("card", True)
        self.edit = QLineEdit(self)
        self.list = QListWidget(self)
        self.list.setStyleSheet("QListWidget { border: none; }")
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for part in (self.edit, self.list):
            part.setWhatsThis(self.tr("Type a few letters, choose with the arrows, press Enter."))
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.s, SPACE.s, SPACE.s, SPACE.s)
        column.setSpacing(SPACE.s)
        column.addWidget(self.edit)
        column.addWidget(self.list)
        self.edit.textChanged.connect(self._filter)
        self.edit.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)
        self.hide()

    def open_at(self, place: QPoint, title: str, entries: Sequence[Entry]) -> None:
        """Show entries at a place of the parent, moved so that all of it can be seen."""
        self.close_list()
        self._entries = entries
        self.edit.setPlaceholderText(title)
        self.edit.setAccessibleName(title)
        self.list.setAccessibleName(title)
        self.edit.clear()
        self._filter("")
        room = self._room.rect()
        self.resize(WIDTH, min(HEIGHT, room.height() - 2 * SPACE.s))
        self.move(
            max(SPACE.s, min(place.x(), room.width() - self.width() - SPACE.s)),
            max(SPACE.s, min(place.y(), room.height() - self.height() - SPACE.s)),
        )
        self.show()
        self.raise_()
        self.edit.setFocus()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    def close_list(self) -> None:
        """Hide it."""
        if self.isHidden():
            return
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.disconnect(self._follow_focus)
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows in the field walk through the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.close_list()
                return True
            if watched is self.edit and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                row = max(0, min(self.list.count() - 1, self.list.currentRow() + step))
                self.list.setCurrentRow(row)
                return True
            if watched is self.edit and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self.list.currentItem()
                if item is not None:
                    self._take(item)
                return True
        return super().eventFilter(watched, event)

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        found = [
            entry
            for entry in self._entries
            if all(word in f"{entry.label} {entry.words}".casefold() for word in wanted)
        ]
        found.sort(key=lambda entry: not entry.label.casefold().startswith(" ".join(wanted)))
        self.list.clear()
        for entry in found:
            item = QListWidgetItem(entry.label)
            item.setData(Qt.ItemDataRole.UserRole, entry.key)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _take(self, item: QListWidgetItem) -> None:
        key = str(item.data(Qt.ItemDataRole.UserRole))
        # Closing forgets for what the list was opened; choosing must know it still.
        self.chosen.emit(key)
        self.close_list()

    def _follow_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and new is not self and not self.isAncestorOf(new):
            self.close_list()
