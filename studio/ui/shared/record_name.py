"""The name of a new record: suggested until somebody types one, refused when it is taken."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.engine.files import free_name
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.tips import explain


class RecordName(QWidget):
    """A line for the name; `described` is what a screen reader calls it."""

    def __init__(self, described: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_ours = True
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(described)
        self.problem = HintLabel("", "problem", self)
        label = QLabel(self.tr("Name"), self)
        label.setBuddy(self.edit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        for widget in (label, self.edit, self.problem):
            column.addWidget(widget)
        self.edit.textEdited.connect(self._on_edited)
        explain(self.edit, self.tr("How it is called in all lists; it can be renamed later."))

    def text(self) -> str:
        """The name as it stands."""
        return self.edit.text()

    def suggest(self, wish: str, taken: Iterable[str]) -> None:
        """Put a name there that is not taken, unless somebody typed one."""
        if not self._is_ours:
            return
        self.edit.setText(free_name(wish, taken))
        self.edit.setCursorPosition(0)  # of a long name, the beginning is shown

    def accept(self) -> None:
        """The name was used; the next one may be suggested again."""
        self._is_ours = True

    def refuse(self, reason: str) -> None:
        """Say what is wrong with the name; an empty reason takes it back."""
        self.problem.show_text(reason, "problem")
        if reason:
            self.edit.setFocus()

    def _on_edited(self, text: str) -> None:
        self._is_ours = not text
        self.refuse("")
