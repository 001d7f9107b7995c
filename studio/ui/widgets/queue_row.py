"""A job in the queue as a row: on which device it is, and the buttons that change its turn."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from studio.ui.theme.icons import pixmap, set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.progress_row import JobRow


class DeviceLabel(QWidget):
    """The device that a job has, with an icon; hidden where it has none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = QLabel(self)
        self._word = QLabel(self)
        self._word.setProperty("role", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.xs)
        row.addWidget(self._picture)
        row.addWidget(self._word)
        theme.changed.connect(self._draw)
        self._draw()
        self.set_device("")

    def set_device(self, words: str, tip: str = "") -> None:
        """Show another device; more about it in a tip."""
        self._word.setText(words)
        self.setToolTip(tip)
        self.setAccessibleName(self.tr("On {device}").format(device=words) if words else "")
        self.setVisible(bool(words))

    def text(self) -> str:
        """The device that is shown."""
        return self._word.text()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("device", self._theme, "muted", ICON_SMALL))


class QueueRow(JobRow):
    """A row of a job that waits or works; while it waits it can be moved and held back.

    Signals:
        earlier_requested: Put it before the one before it.
        later_requested: Put it behind the one behind it.
        hold_requested: Hold it back.
        release_requested: Let it go again.
    """

    earlier_requested = Signal()
    later_requested = Signal()
    hold_requested = Signal()
    release_requested = Signal()

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        # Before the row is laid out, which it does itself.
        self._is_held = self._is_first = self._is_last = False
        self.earlier_button: QToolButton = icon_button("chevron-up", "", theme)
        self.later_button: QToolButton = icon_button("chevron-down", "", theme)
        self.hold_button: QToolButton = icon_button("pause", "", theme)
        self.device = DeviceLabel(theme)
        super().__init__(theme, title, parent)
        self.earlier_button.clicked.connect(self._earlier)
        self.later_button.clicked.connect(self._later)
        self.hold_button.clicked.connect(self._hold_or_release)

    def set_place(self, *, is_first: bool, is_last: bool, is_held: bool) -> None:
        """Where it stands among those that wait, and whether it is held back."""
        if (self._is_first, self._is_last, self._is_held) == (is_first, is_last, is_held):
            return
        self._is_first, self._is_last, self._is_held = is_first, is_last, is_held
        self._refresh()

    def _lay_out(self) -> None:
        super()._lay_out()
        place = self._line.indexOf(self.pause_button)
        for button in (self.hold_button, self.later_button, self.earlier_button):
            self._line.insertWidget(place, button)
        self._top.insertWidget(self._top.indexOf(self.badge), self.device)
        # Without its bar the lines stay together.
        self._words.insertStretch(0)
        self._words.addStretch()

    def _refresh(self) -> None:
        super()._refresh()
        waits = self.badge.state == "queued"
        for button in (self.earlier_button, self.later_button):
            button.setVisible(waits and not (self._is_first and self._is_last))
        self.hold_button.setVisible(waits)
        self.earlier_button.setEnabled(not self._is_first)
        self.later_button.setEnabled(not self._is_last)
        set_icon(self.hold_button, "play" if self._is_held else "pause", self._theme, "muted")

    def _has_bar(self) -> bool:
        # Nothing is on its way to an end while it waits.
        return super()._has_bar() and self.badge.state != "queued"

    def _retranslate(self) -> None:
        super()._retranslate()
        hold = self.tr("Release") if self._is_held else self.tr("Hold back")
        waits = self.badge.state == "queued"
        for button, word in (
            (self.cancel_button, self.tr("Take out of the queue") if waits else self.tr("Stop")),
            (self.earlier_button, self.tr("Earlier")),
            (self.later_button, self.tr("Later")),
            (self.hold_button, hold),
        ):
            button.setToolTip(word)
            button.setAccessibleName(f"{word}: {self._title.text()}")

    def _hold_or_release(self) -> None:
        if self._is_held:
            self.release_requested.emit()
        else:
            self.hold_requested.emit()

    def _earlier(self) -> None:
        self.earlier_requested.emit()

    def _later(self) -> None:
        self.later_requested.emit()
