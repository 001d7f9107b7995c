"""A menu of words of which some are checked, with a line to type a new one: tags and groups."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget, QWidgetAction

from studio.engine.workspace.records import LONGEST_WORD
from studio.ui.theme.tokens import SPACE

_WIDTH = 200


class WordMenu(QMenu):
    """Words to choose from.

    Signals:
        switched: A word, and whether it is wanted now.
    """

    switched = Signal(str, bool)

    def __init__(self, prompt: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = QLineEdit(self)
        self.set_prompt(prompt)
        self.edit.setMaxLength(LONGEST_WORD)
        self.edit.setMinimumWidth(_WIDTH)
        self.edit.returnPressed.connect(self._on_typed)
        box = QWidget(self)
        from_edge = QMenu(box).contentsMargins().left() + SPACE.xs
        box.setContentsMargins(from_edge, SPACE.xs, from_edge, SPACE.xs)
        self.edit.setParent(box)
        box.setMinimumSize(_WIDTH + 2 * from_edge, self.edit.sizeHint().height() + 2 * SPACE.xs)
        self.edit.move(from_edge, SPACE.xs)
        self._line = QWidgetAction(self)
        self._line.setDefaultWidget(box)

    def set_prompt(self, prompt: str) -> None:
        """Say what can be typed."""
        self.edit.setPlaceholderText(prompt)
        self.edit.setAccessibleName(prompt)

    def set_words(self, words: Iterable[tuple[str, str, bool]]) -> None:
        """Offer words: each with what is shown for it, and whether it is checked."""
        self.clear_words()
        for word, shown, checked in words:
            action = QAction(shown.replace("&", "&&"), self)
            action.setCheckable(True)
            action.setChecked(checked)
            action.triggered.connect(partial(self.switched.emit, word))
            self.addAction(action)

    def clear_words(self) -> None:
        """Offer nothing but the line."""
        for action in self.actions():
            self.removeAction(action)
            if action is not self._line:
                action.deleteLater()
        self.addAction(self._line)
        self.addSeparator()

    def showEvent(self, event: QShowEvent) -> None:
        """One can type at once."""
        super().showEvent(event)
        self.edit.clear()
        self.edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_typed(self) -> None:
        text = self.edit.text().strip()
        self.close()
        if text:
            self.switched.emit(text, True)
