"""Under the answer: say what a picture is after all, with one click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.ui.pages.predict.class_menu import ClassMenu
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import apart
from studio.ui.widgets.tips import explain


class CorrectRow(QWidget):
    """A button with the classes to choose from, and what was chosen.

    Signals:
        corrected: The class that the picture has.
        undone: Take the correction back.
    """

    corrected = Signal(str)
    undone = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = push_button(self.tr("Wrong? It is…"), theme, icon="edit", parent=self)
        self.button.setToolTip(
            self.tr("Put the picture into the review queue with the class that it has")
        )
        self.menu = ClassMenu(self.button)
        self.menu.chosen.connect(self.corrected)
        self.button.setMenu(self.menu)
        self.line = QLabel(self)
        self.line.setWordWrap(True)
        self.undo_button = push_button(
            self.tr("Undo"), theme, kind="quiet", icon="undo", parent=self
        )
        self.undo_button.clicked.connect(self._on_undo)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.button)
        row.addWidget(self.line, 1)
        row.addWidget(self.undo_button)
        row.addStretch(0)
        explain(self.undo_button, self.tr("Takes the correction back."))

    def show_choice(self, classes: Sequence[str], guesses: Sequence[str], corrected: str) -> None:
        """Offer classes, the likeliest first; `corrected` is what was chosen, or empty."""
        self.menu.offer(classes, guesses)
        self.button.setVisible(not corrected)
        self.line.setVisible(bool(corrected))
        self.undo_button.setVisible(bool(corrected))
        self.line.setText(
            self.tr("In the review queue as {label}.").format(label=apart(corrected))
            if corrected
            else ""
        )

    def _on_undo(self) -> None:
        self.undone.emit()
