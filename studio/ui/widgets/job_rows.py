"""Rows of jobs: state, progress, time left and controls; a row of the queue with its device."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from studio.ui.theme.icons import pixmap, set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, STATE_ROLES
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.labels import ElidedLabel, StateBadge
from studio.ui.widgets.layout import hbox, text_label, vbox

_ALIVE = ("queued", "starting", "running", "paused")
_ENDING = ("pausing", "stopping")


class JobRow(QWidget):
    """Title, state, detail, bar, time left; pause where it can be, cancel, open.

    A button whose tooltip is to be more than its name is explained by `explain`.

    Signals:
        cancel_requested: Stop the job.
        pause_requested: Pause it (only emitted while it is running).
        resume_requested: Resume (only emitted while it is paused).
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
        self._title = ElidedLabel(title, self, is_bold=True)
        self.badge = StateBadge(theme, "queued", self)
        self._detail = ElidedLabel("", self, role="caption")
        self._left = text_label("", "caption", self)
        self.bar = ThinBar(theme, self)
        self.pause_button = icon_button(
            "pause", "", theme, parent=self, on_click=self._pause_or_resume
        )
        self.cancel_button = icon_button("stop", "", theme, parent=self)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.open_button = icon_button("chevron-right", "", theme, parent=self)
        self.open_button.clicked.connect(self.open_requested)
        self._lay_out()
        self._refresh()

    def set_title(self, title: str) -> None:
        """Show another title."""
        self._title.setText(title)
        self._name_buttons()

    def set_state(self, state: str) -> None:
        """Show another state; the buttons follow.

        Raises:
            KeyError: There is no such state.
        """
        self.badge.set_state(state)
        self._refresh()

    def set_progress(self, fraction: float | None, detail: str = "", left: str = "") -> None:
        """Show the progress and the time left.

        Args:
            fraction: Progress from 0 to 1; None if unknown.
            detail: Progress as text.
            left: Time left as text (`figures.time_left`).
        """
        self.bar.set_fraction(fraction, STATE_ROLES[self.badge.state])
        self._detail.setText(detail)
        self._left.setText(left)

    def set_can_pause(self, can_pause: bool) -> None:
        """Set whether this kind of job can be paused."""
        self._can_pause = can_pause
        self._refresh()

    def _lay_out(self) -> None:
        self._top = hbox((self._title, 1), self.badge, spacing=SPACE.s)
        bottom = hbox((self._detail, 1), self._left, spacing=SPACE.s)
        self._words = vbox(self._top, self.bar, bottom, spacing=SPACE.xs)
        self._line = hbox(
            (self._words, 1),
            SPACE.s,
            self.pause_button,
            self.cancel_button,
            self.open_button,
            owner=self,
            spacing=SPACE.xs,
            margins=(SPACE.m, SPACE.s, SPACE.s, SPACE.s),
        )

    def _refresh(self) -> None:
        state = self.badge.state
        alive = state in _ALIVE
        self.bar.set_fraction(self.bar.fraction(), STATE_ROLES[state])
        self.bar.setVisible(self._has_bar())
        self._left.setVisible(state == "running")
        self.pause_button.setVisible(self._can_pause and state in ("running", "paused"))
        self.cancel_button.setVisible(alive or state in _ENDING)
        self.cancel_button.setEnabled(alive)
        set_icon(
            self.pause_button, "resume" if state == "paused" else "pause", self._theme, "muted"
        )
        self._name_buttons()

    def _has_bar(self) -> bool:
        return self.badge.state in (*_ALIVE, *_ENDING)

    def _name_buttons(self) -> None:
        title = self._title.text()
        self.setAccessibleName(title)
        for button, word in self._button_words().items():
            button.setToolTip(button.whatsThis() or word)
            button.setAccessibleName(f"{word}: {title}")

    def _button_words(self) -> dict[QToolButton, str]:
        pause = self.tr("Resume") if self.badge.state == "paused" else self.tr("Pause")
        return {
            self.pause_button: pause,
            self.cancel_button: self.tr("Stop"),
            self.open_button: self.tr("Open"),
        }

    def _pause_or_resume(self) -> None:
        if self.badge.state == "paused":
            self.resume_requested.emit()
        else:
            self.pause_requested.emit()


class DeviceLabel(QWidget):
    """The device that a job has, with an icon; hidden where it has none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = QLabel(self)
        self._word = text_label("", "caption", self)
        hbox(self._picture, self._word, owner=self, spacing=SPACE.xs)
        theme.changed.connect(self._draw)
        self._draw()
        self.set_device("")

    def set_device(self, words: str, tip: str = "") -> None:
        """Show a device.

        Args:
            words: Its name; empty hides the label.
            tip: Tooltip.
        """
        self._word.setText(words)
        self.setToolTip(tip)
        self.setAccessibleName(self.tr("On {device}").format(device=words) if words else "")
        self.setVisible(bool(words))

    def text(self) -> str:
        """Return the device that is shown."""
        return self._word.text()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("device", self._theme, "muted", ICON_SMALL))


class QueueRow(JobRow):
    """A row of a waiting or running job; a waiting one can be moved and put on hold.

    Signals:
        earlier_requested: The user moved it up.
        later_requested: The user moved it down.
        hold_requested: The user put it on hold.
        release_requested: The user released it.
    """

    earlier_requested = Signal()
    later_requested = Signal()
    hold_requested = Signal()
    release_requested = Signal()

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        # Before the row is laid out, which it does itself.
        self._is_held = self._is_first = self._is_last = False
        self.earlier_button = icon_button("chevron-up", "", theme)
        self.later_button = icon_button("chevron-down", "", theme)
        self.hold_button = icon_button("pause", "", theme)
        self.device = DeviceLabel(theme)
        super().__init__(theme, title, parent)
        self.earlier_button.clicked.connect(self.earlier_requested)
        self.later_button.clicked.connect(self.later_requested)
        self.hold_button.clicked.connect(self._hold_or_release)

    def set_queue_position(self, *, is_first: bool, is_last: bool, is_held: bool) -> None:
        """Set the position in the queue.

        Args:
            is_first: True if no job comes before it.
            is_last: True if no job comes after it.
            is_held: True if the job is held.
        """
        if (self._is_first, self._is_last, self._is_held) == (is_first, is_last, is_held):
            return
        self._is_first, self._is_last, self._is_held = is_first, is_last, is_held
        self._refresh()

    def _lay_out(self) -> None:
        super()._lay_out()
        index = self._line.indexOf(self.pause_button)
        for button in (self.hold_button, self.later_button, self.earlier_button):
            self._line.insertWidget(index, button)
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

    def _button_words(self) -> dict[QToolButton, str]:
        words = super()._button_words()
        if self.badge.state == "queued":
            words[self.cancel_button] = self.tr("Remove from the queue")
        return words | {
            self.earlier_button: self.tr("Earlier"),
            self.later_button: self.tr("Later"),
            self.hold_button: self.tr("Release") if self._is_held else self.tr("Hold"),
        }

    def _hold_or_release(self) -> None:
        if self._is_held:
            self.release_requested.emit()
        else:
            self.hold_requested.emit()
