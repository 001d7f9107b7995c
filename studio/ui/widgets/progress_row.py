"""One job as a row: what, how far, how long still, and the buttons that steer it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, STATE_ROLES
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import duration
from studio.ui.widgets.state_badge import StateBadge
from studio.ui.widgets.thin_bar import ThinBar

_ALIVE = ("queued", "starting", "running", "paused")


class JobRow(QWidget):
    """Title, state, detail, bar, time left; pause where it can be, cancel, open.

    Signals:
        cancel_requested: Stop the job.
        pause_requested: Pause it (only emitted while it is running).
        resume_requested: Go on (only emitted while it is paused).
        open_requested: Show what it is about.
    """

    cancel_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    open_requested = Signal()

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._can_pause = False
        self._title = ElidedLabel(title, self)
        font = self._title.font()
        font.setWeight(font.Weight.DemiBold)
        self._title.setFont(font)
        self.badge = StateBadge(theme, "queued", self)
        self._detail = ElidedLabel("", self)
        self._detail.setProperty("role", "caption")
        self._left = QLabel(self)
        self._left.setProperty("role", "caption")
        self.bar = ThinBar(theme, self)
        self.pause_button = icon_button("pause", "", theme, parent=self)
        self.cancel_button = icon_button("stop", "", theme, parent=self)
        self.open_button = icon_button("chevron-right", "", theme, parent=self)
        self.pause_button.clicked.connect(self._pause_or_resume)
        self.cancel_button.clicked.connect(self._cancel)
        self.open_button.clicked.connect(self._open)
        self._lay_out()
        self.set_title(title)
        self._refresh()

    def set_title(self, title: str) -> None:
        """Show another title."""
        self._title.setText(title)
        self._retranslate()

    def set_state(self, state: str) -> None:
        """Show another state; the buttons follow.

        Raises:
            KeyError: There is no such state.
        """
        self.badge.set_state(state)
        self._refresh()

    def set_progress(
        self, fraction: float | None, detail: str = "", seconds_left: float | None = None
    ) -> None:
        """Show how far it is (None: not known), in words too, and how long it still takes."""
        self.bar.set_fraction(fraction, STATE_ROLES[self.badge.state])
        self._detail.setText(detail)
        text = ""
        if seconds_left is not None:
            text = self.tr("{time} left").format(time=duration(seconds_left))
        self._left.setText(text)

    def set_can_pause(self, can_pause: bool) -> None:
        """Whether this kind of job can be paused."""
        self._can_pause = can_pause
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Another language, other words on the buttons."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        self._top = top = QHBoxLayout()
        top.setSpacing(SPACE.s)
        top.addWidget(self._title, 1)
        top.addWidget(self.badge)
        bottom = QHBoxLayout()
        bottom.setSpacing(SPACE.s)
        bottom.addWidget(self._detail, 1)
        bottom.addWidget(self._left)
        self._words = words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addLayout(top)
        words.addWidget(self.bar)
        words.addLayout(bottom)
        self._line = row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.m, SPACE.s, SPACE.s, SPACE.s)
        row.setSpacing(SPACE.xs)
        row.addLayout(words, 1)
        row.addSpacing(SPACE.s)
        for button in (self.pause_button, self.cancel_button, self.open_button):
            row.addWidget(button)

    def _refresh(self) -> None:
        state = self.badge.state
        alive = state in _ALIVE
        self.bar.set_fraction(self.bar.fraction(), STATE_ROLES[state])
        self.bar.setVisible(self._has_bar())
        self._left.setVisible(state == "running")
        self.pause_button.setVisible(self._can_pause and state in ("running", "paused"))
        self.cancel_button.setVisible(alive or state == "stopping")
        self.cancel_button.setEnabled(alive)
        set_icon(
            self.pause_button, "resume" if state == "paused" else "pause", self._theme, "muted"
        )
        self._retranslate()

    def _has_bar(self) -> bool:
        return self.badge.state in (*_ALIVE, "stopping")

    def _retranslate(self) -> None:
        title = self._title.text()
        self.setAccessibleName(title)
        pause = self.tr("Resume") if self.badge.state == "paused" else self.tr("Pause")
        for button, word in (
            (self.pause_button, pause),
            (self.cancel_button, self.tr("Stop")),
            (self.open_button, self.tr("Open")),
        ):
            button.setToolTip(word)
            button.setAccessibleName(f"{word}: {title}")

    def _pause_or_resume(self) -> None:
        if self.badge.state == "paused":
            self.resume_requested.emit()
        else:
            self.pause_requested.emit()

    def _cancel(self) -> None:
        self.cancel_requested.emit()

    def _open(self) -> None:
        self.open_requested.emit()
