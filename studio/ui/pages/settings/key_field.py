"""The field that takes the keys of a command."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QWidget

from studio.ui.theme.restyle import restyle


class KeyField(QKeySequenceEdit):
    """Takes one press of keys, and looks focused only while it is.

    The field inside of it, which is what one sees, never has the focus itself.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        # It takes every key, so the focus must not come by itself, nor could Tab leave it.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys are taken."""
        super().focusInEvent(event)
        self._show_focus(is_here=True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that they are not."""
        super().focusOutEvent(event)
        self._show_focus(is_here=False)

    def _show_focus(self, *, is_here: bool) -> None:
        for field in self.findChildren(QLineEdit):
            restyle(field, "takesKeys", is_here)
