"""The state of a job as a word, an icon and a color, the same everywhere."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, STATE_ROLES, TYPE, mix

_HEIGHT = 22


def state_word(state: str) -> str:
    """The word for a job state, in the user's language.

    Raises:
        KeyError: There is no such state.
    """
    tr = QCoreApplication.translate
    return {
        "queued": tr("states", "Queued"),
        "starting": tr("states", "Starting"),
        "running": tr("states", "Running"),
        "paused": tr("states", "Paused"),
        "stopping": tr("states", "Stopping"),
        "completed": tr("states", "Completed"),
        "stopped": tr("states", "Stopped"),
        "pruned": tr("states", "Pruned"),
        "failed": tr("states", "Failed"),
        "lost": tr("states", "Lost"),
    }[state]


class StateBadge(QWidget):
    """A pill with the icon and the word of a job state; the icon's name is the state's."""

    def __init__(self, theme: Theme, state: str = "queued", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = state
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("stateBadge")
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(ICON_SMALL, ICON_SMALL))
        self._word = QLabel(self)
        self.setFixedHeight(_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.s - 2, 0, SPACE.s + 2, 0)
        row.setSpacing(SPACE.xs)
        row.addWidget(self._picture)
        row.addWidget(self._word)
        self.setSizePolicy(self.sizePolicy().Policy.Fixed, self.sizePolicy().Policy.Fixed)
        theme.changed.connect(self._draw)
        self._draw()

    @property
    def state(self) -> str:
        """The state shown."""
        return self._state

    def set_state(self, state: str) -> None:
        """Show another state.

        Raises:
            KeyError: There is no such state.
        """
        if state == self._state:
            return
        state_word(state)
        self._state = state
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Another language, another word."""
        if event.type() == QEvent.Type.LanguageChange:
            self._draw()
        super().changeEvent(event)

    def _draw(self) -> None:
        palette = self._theme.palette
        role = STATE_ROLES[self._state]
        color = palette.color(role)
        self._picture.setPixmap(pixmap(self._state, self._theme, role, ICON_SMALL))
        word = state_word(self._state)
        self._word.setText(word)
        ground = mix(palette.surface, color, 0.1)
        self.setStyleSheet(
            f"#stateBadge {{ background: {ground}; border-radius: 10px; }}"
            f"QLabel {{ color: {color}; font-size: {TYPE.caption}px; font-weight: 600; }}"
        )
        self.setAccessibleName(self.tr("State: {state}").format(state=word))
