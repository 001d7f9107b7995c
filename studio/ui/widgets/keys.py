"""Meaning of keys that several widgets share."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit

Step = Literal["undo", "redo"]
CLASS_KEYS: Final = 9
"""Classes with a digit as their key."""
_CURSOR: Final = QAbstractItemView.CursorAction
_LIST_KEYS: Final = {
    Qt.Key.Key_Up: _CURSOR.MoveUp,
    Qt.Key.Key_Down: _CURSOR.MoveDown,
    Qt.Key.Key_PageUp: _CURSOR.MovePageUp,
    Qt.Key.Key_PageDown: _CURSOR.MovePageDown,
}


def history_step(event: QKeyEvent) -> Step | None:
    """Return the step of the history that a key asks for; the same keys on every desktop."""
    modifiers, key = event.modifiers(), event.key()
    if not modifiers & Qt.KeyboardModifier.ControlModifier:
        return None
    if key == Qt.Key.Key_Z:
        return "redo" if modifiers & Qt.KeyboardModifier.ShiftModifier else "undo"
    return "redo" if key == Qt.Key.Key_Y else None


def class_of_key(event: QKeyEvent) -> int | None:
    """Return the index of the class whose digit was pressed."""
    index = event.key() - Qt.Key.Key_1
    return index if 0 <= index < CLASS_KEYS else None


def is_letter(event: QKeyEvent) -> bool:
    """Return True if a key types something visible."""
    return event.text().isprintable() and bool(event.text().strip())


class ListKeys(QObject):
    """Lets the arrow keys move in a list while the focus stays in a field.

    Args:
        field: The field; it owns this.
        view: The list.
    """

    def __init__(self, field: QLineEdit, view: QAbstractItemView) -> None:
        super().__init__(field)
        self._view = view
        field.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Move in the list."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        action = _LIST_KEYS.get(Qt.Key(event.key()))
        if action is None:
            return False
        # The list would pass keys that do not move it on to its parents.
        index = self._view.moveCursor(action, Qt.KeyboardModifier.NoModifier)
        if index.isValid():
            self._view.setCurrentIndex(index)
        event.accept()
        return True
