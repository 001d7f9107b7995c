"""The one line of help under a field, and the line that says what is wrong with it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.ui.engine_text import engine_text
from studio.ui.theme.restyle import restyle

Tone = Literal["help", "problem", "advice"]
_ROLES = {"help": "caption", "problem": "problem", "advice": "advice"}


class HintLabel(QLabel):
    """A small line of text under a field; takes no room while it is empty."""

    def __init__(self, text: str = "", tone: Tone = "help", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.show_text(text, tone)

    def show_text(self, text: str, tone: Tone = "help") -> None:
        """Show a text, or what the engine says, in a tone; an empty one hides the label."""
        if self.property("role") != _ROLES[tone]:
            restyle(self, "role", _ROLES[tone])
        shown = engine_text(text)
        self.setText(shown)
        self.setAccessibleName(shown)
        self.setVisible(bool(text))
