"""Meaning of keys that several widgets share."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

Step = Literal["undo", "redo"]
CLASS_KEYS: Final = 9
"""Classes with a digit as their key."""


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
