"""A small panel that asks for one number, below the button that opened it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button

FIELD_WIDTH = 120


class AskNumber(QFrame):
    """Title, help, a field and a button; Escape or a click elsewhere closes it.

    Signals:
        given: What was typed, for whoever asked to understand.
    """

    given = Signal(str)

    def __init__(
        self, theme: Theme, title: str, help_text: str, button: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.field = QLineEdit(self)
        self.field.setAccessibleName(title)
        self.field.setMinimumWidth(FIELD_WIDTH)
        self.ok_button = push_button(button, theme, kind="primary", parent=self)
        told = QLabel(help_text, self)
        told.setProperty("role", "caption")
        told.setWordWrap(True)
        name = QLabel(title, self)
        name.setProperty("role", "section")
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.field, 1)
        row.addWidget(self.ok_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        column.setSpacing(SPACE.s)
        column.addWidget(name)
        column.addWidget(told)
        column.addLayout(row)
        self.field.returnPressed.connect(self._on_given)
        self.ok_button.clicked.connect(self._on_given)

    def ask(self, below: QWidget, value: str) -> None:
        """Open below a widget, with a value to begin with."""
        self.field.setText(value)
        self.field.selectAll()
        self.adjustSize()
        corner = below.mapToGlobal(QPoint(below.width(), below.height() + SPACE.xs))
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.field.setFocus()

    def _on_given(self) -> None:
        self.hide()
        self.given.emit(self.field.text())
