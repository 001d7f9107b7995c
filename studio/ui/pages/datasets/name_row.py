"""The field for the name of a new dataset, in line with the rows of the form below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.engine.errors import Problem
from studio.ui.forms.field_row import LABEL_WIDTH
from studio.ui.pages.datasets.state import name_problem
from studio.ui.theme.restyle import restyle
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel

_WIDTH = 360


class NameRow(QWidget):
    """A line of text that says at once when a name is not fit or taken.

    Signals:
        changed: The user has typed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: list[str] = []
        self._problem: Problem | None = None
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(self.tr("Name"))
        self.edit.setMaxLength(200)
        self.edit.setMaximumWidth(_WIDTH)
        self.edit.textEdited.connect(self._on_edit)
        self.hint = HintLabel(parent=self)
        label = QLabel(self.tr("Name"), self)
        label.setBuddy(self.edit)
        label.setFixedWidth(LABEL_WIDTH)
        label.setMinimumHeight(CONTROL_HEIGHT)
        right = QVBoxLayout()
        right.setSpacing(2)
        right.addWidget(self.edit)
        right.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(right, 100)
        row.addStretch(1)
        explain(self.edit, self.tr("How the dataset is called from now on, in all lists."))

    def set_name(self, name: str, taken: Sequence[str]) -> None:
        """Show a name, and remember which ones cannot be used."""
        self.edit.setText(name)
        self.set_taken(taken)

    def set_taken(self, taken: Sequence[str]) -> None:
        """Remember which names cannot be used."""
        self._taken = list(taken)
        self.show_problem(name_problem(self.edit.text(), self._taken))

    def name(self) -> str:
        """What was typed."""
        return self.edit.text()

    @property
    def problem(self) -> Problem | None:
        """What is wrong with it."""
        return self._problem

    def show_problem(self, problem: Problem | None) -> None:
        """Say what is wrong; None takes it back."""
        self._problem = problem
        text = "" if problem is None else f"{problem.message} {problem.hint}".strip()
        self.hint.show_text(text, "problem")
        restyle(self.edit, "wrong", problem is not None)

    def _on_edit(self) -> None:
        self.show_problem(name_problem(self.edit.text(), self._taken))
        self.changed.emit()
