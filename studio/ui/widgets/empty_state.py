"""What a page shows when there is nothing yet: what this is, and what to do next."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.ui.engine_text import engine_text
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import Kind, push_button

_PICTURE = 48
_TEXT_WIDTH = 420


class EmptyState(QWidget):
    """An icon, a title, a sentence and buttons, in the middle of the room it gets."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(_PICTURE, _PICTURE))
        self._title = QLabel(self)
        self._title.setProperty("role", "section")
        self._text = QLabel(self)
        self._text.setProperty("role", "muted")
        self._text.setWordWrap(True)
        self._text.setFixedWidth(_TEXT_WIDTH)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(SPACE.s)
        self._lay_out()
        theme.changed.connect(self._draw)
        self.set_texts(title, text)
        self._draw()

    def set_texts(self, title: str, text: str) -> None:
        """Show other words."""
        self._title.setText(title)
        self._text.setText(engine_text(text))
        self.setAccessibleName(title)
        self.setAccessibleDescription(self._text.text())

    def add_action(self, text: str, *, kind: Kind = "normal", icon: str = "") -> QPushButton:
        """Add a button under the text and return it, to be connected."""
        button = push_button(text, self._theme, kind=kind, icon=icon, parent=self)
        button.setWhatsThis(self._text.text())
        button.setAccessibleDescription(self._text.text())
        self._actions.addWidget(button)
        return button

    def _lay_out(self) -> None:
        center = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.s)
        column.addStretch(1)
        column.addWidget(self._picture, 0, center)
        column.addSpacing(SPACE.xs)
        column.addWidget(self._title, 0, center)
        # A row of its own and no alignment: only then is the text given the height it wraps to.
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._text)
        row.addStretch(1)
        column.addLayout(row)
        column.addSpacing(SPACE.m)
        column.addLayout(self._actions)
        self._actions.setAlignment(center)
        column.addStretch(1)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._icon, self._theme, "muted", _PICTURE))
