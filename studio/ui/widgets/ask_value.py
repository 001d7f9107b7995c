"""A small panel over the window that asks for a number or a name, below what opened it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain

FIELD_WIDTH = 120


class AskValue(QFrame):
    """Title, help, a field and a button; Escape or a click elsewhere closes it.

    Signals:
        given: What was typed, for whoever asked to understand.
    """

    given = Signal(str)

    def __init__(
        self, theme: Theme, title: str, help_text: str, button: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.hide()
        self.setProperty("card", True)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(title)
        self.field.setMinimumWidth(FIELD_WIDTH)
        self.ok_button = push_button(button, theme, kind="primary", parent=self)
        for control in (self.field, self.ok_button):
            explain(control, help_text)
        told = QLabel(help_text, self)
        told.setProperty("role", "caption")
        told.setWordWrap(True)
        self.title = QLabel(title, self)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setProperty("role", "section")
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.field, 1)
        row.addWidget(self.ok_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        column.setSpacing(SPACE.s)
        column.addWidget(self.title)
        column.addWidget(told)
        column.addLayout(row)
        self.field.returnPressed.connect(self._on_given)
        self.ok_button.clicked.connect(self._on_given)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def ask(self, below: QWidget, value: str, title: str = "") -> None:
        """Open below a widget.

        Args:
            below: The widget.
            value: What is in the field at first.
            title: In place of the usual one.
        """
        window = below.window()
        if title:
            self.title.setText(title)
            self.field.setAccessibleName(title)
        self.setParent(window)
        self.field.setText(value)
        self.field.selectAll()
        self.adjustSize()
        corner = below.mapTo(window, QPoint(below.width(), below.height() + SPACE.xs))
        self.move(max(0, corner.x() - self.width()), corner.y())
        self.show()
        self.raise_()
        self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.isVisible() and now is not None and not self.isAncestorOf(now):
            self.hide()

    def _on_given(self) -> None:
        self.hide()
        self.given.emit(self.field.text())
