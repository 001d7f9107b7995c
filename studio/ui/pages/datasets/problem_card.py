"""What is wrong with a folder, and the way out, where it was chosen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.ui.engine_text import engine_text
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE


class ProblemCard(QFrame):
    """An error as a card: what happened, and below it what to do; hidden while there is none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("card", True)
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(ICON, ICON))
        self.message = _wrapped(self)
        self.hint = _wrapped(self)
        self.hint.setProperty("role", "muted")
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.m, SPACE.l, SPACE.m)
        row.setSpacing(SPACE.m)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        theme.changed.connect(self._draw)
        self._draw()
        self.show_error(None)

    def show_error(self, error: StudioError | None) -> None:
        """Show an error, or none."""
        self.message.setText("" if error is None else engine_text(error.message))
        self.hint.setText("" if error is None else engine_text(error.hint))
        self.hint.setVisible(bool(self.hint.text()))
        self.setAccessibleName("" if error is None else engine_text(str(error)))
        self.setVisible(error is not None)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("error", self._theme, "bad", ICON))


def _wrapped(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
