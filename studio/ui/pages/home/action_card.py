"""A card that starts something: an icon, a few words, a sentence."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import PressableCard

_PICTURE = 28


class ActionCard(PressableCard):
    """A large button with a picture."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(_PICTURE, _PICTURE))
        heading = QLabel(title, self)
        heading.setProperty("role", "section")
        heading.setWordWrap(True)
        sentence = QLabel(text, self)
        sentence.setProperty("role", "muted")
        sentence.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addWidget(heading)
        words.addWidget(sentence)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        row.setSpacing(SPACE.m)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setWhatsThis(text)
        theme.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._icon, self._theme, "accent", _PICTURE))
