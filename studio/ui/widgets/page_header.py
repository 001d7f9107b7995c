"""The top of a page: what it is, one line about it, and what can be done here."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.elided_label import ElidedLabel


class PageHeader(QWidget):
    """Title and subtitle at the left, actions at the right."""

    def __init__(self, title: str, subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(title, self)
        self._title.setProperty("role", "page")
        self._subtitle = QLabel(self)
        self._subtitle.setProperty("role", "muted")
        self._subtitle.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addWidget(self._title)
        words.addWidget(self._subtitle)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(SPACE.s)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addLayout(words, 1)
        row.addLayout(self._actions)
        self.set_title(title)
        self.set_subtitle(subtitle)

    def set_title(self, title: str) -> None:
        """Show another title; also the name for screen readers."""
        self._title.setText(title)
        self.setAccessibleName(title)

    def room_for_actions(self, least_title: int) -> int:
        """The pixels that actions can take beside the title.

        Args:
            least_title: Pixels of the title that must be seen, if it has as many.
        """
        title = min(self._title.sizeHint().width(), least_title)
        return self.width() - title - SPACE.l

    def set_subtitle(self, subtitle: str) -> None:
        """Show another line under the title; an empty one takes no room."""
        self._subtitle.setText(subtitle)
        self._subtitle.setVisible(bool(subtitle))

    def add_action(self, widget: QWidget) -> None:
        """Add a button (or any widget) at the right end."""
        self._actions.addWidget(widget)
