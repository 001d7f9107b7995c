"""Notices: short messages over the page, with a hint and an action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QWidget

from studio.engine.errors import StudioError
from studio.ui.language import translated
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, RADIUS, SPACE, Role
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.layout import Debounce, hbox, text_label, vbox
from studio.ui.widgets.placing import focused_control, free_rect, primary_buttons
from studio.ui.widgets.speech import announce

Kind = Literal["info", "success", "warning", "error"]

SHOWN_MS: Final = 8000
NOTICE_WIDTH: Final = 380
_ROLES: Final[dict[Kind, Role]] = {
    "info": "accent",
    "success": "good",
    "warning": "warn",
    "error": "bad",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """One message.

    Attributes:
        kind: Severity; an error stays until it is closed.
        text: What happened, one sentence.
        hint: What to do about it; may be empty.
        key: Notices with the same key replace each other; the text itself when empty.
        action_text: Word on the button; no button when empty.
        action: Called when the button is pressed, after which the notice closes.
        stays: True if it stays until it is closed, as errors do.
    """

    kind: Kind
    text: str
    hint: str = ""
    key: str = ""
    action_text: str = ""
    action: Callable[[], None] | None = None
    stays: bool = False


class NoticeCard(QFrame):
    """One notice on the screen; used by `NoticeStack`.

    Signals:
        closed: Its key, when it was closed, acted on, or expired.
    """

    closed = Signal(str)

    def __init__(self, theme: Theme, notice: Notice, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.notice = notice
        self.key = notice.key or notice.text
        self.setObjectName("notice")
        self.setFixedWidth(NOTICE_WIDTH)
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(ICON, ICON))
        label = partial(text_label, parent=self, wraps=True, selectable=True)
        self._text = label(translated(notice.text), "body")
        self._hint = label(translated(notice.hint), "muted")
        self._hint.setVisible(bool(notice.hint))
        self.action_button: QPushButton | None = None
        self._close = icon_button("close", self.tr("Close this notice"), theme, parent=self)
        self._close.setProperty("small", True)
        self._close.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
        self._close.clicked.connect(self._finish)
        self._lay_out()
        self._timer = Debounce(SHOWN_MS, self._expire, self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        theme.changed.connect(self._draw)
        self._draw()
        self._start()
        self.setAccessibleName(f"{self._text.text()} {self._hint.text()}".strip())

    @property
    def is_timed(self) -> bool:
        """True if it disappears by itself."""
        return self.notice.kind != "error" and not self.notice.stays

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stop the timer, so that a notice does not vanish while it is read."""
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Restart the timer."""
        self._start()
        super().leaveEvent(event)

    @property
    def is_in_use(self) -> bool:
        """True while the mouse is over it, or it or one of its parts has the focus."""
        return self.underMouse() or self._contains(QApplication.focusWidget())

    def announce(self) -> None:
        """Let screen readers say the text, an error at once."""
        announce(self, self.accessibleName(), is_urgent=self.notice.kind == "error")

    def _contains(self, widget: QWidget | None) -> bool:
        return widget is not None and (widget is self or self.isAncestorOf(widget))

    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        if self._contains(now):
            self._timer.stop()
        elif self._contains(before):
            self._start()

    def _start(self) -> None:
        if self.is_timed:
            self._timer.start()

    def _expire(self) -> None:
        if self.is_in_use:
            self._start()
        else:
            self._finish()

    def _lay_out(self) -> None:
        words = vbox(self._text, self._hint, spacing=SPACE.xs)
        if self.notice.action_text:
            text, tip = self.notice.action_text, self._text.text()
            button = push_button(text, self._theme, tip=tip, parent=self)
            button.clicked.connect(self._act)
            self.action_button = button
            words.addSpacing(SPACE.xs)
            words.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        hbox(
            (self._picture, Qt.AlignmentFlag.AlignTop),
            (words, 1),
            (self._close, Qt.AlignmentFlag.AlignTop),
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.l, SPACE.m, SPACE.s, SPACE.m),
        )

    def _act(self) -> None:
        self._finish()
        if self.notice.action is not None:
            self.notice.action()

    def _finish(self) -> None:
        self._timer.stop()
        self.closed.emit(self.key)

    def _draw(self) -> None:
        palette = self._theme.palette
        role = _ROLES[self.notice.kind]
        self._picture.setPixmap(pixmap(self.notice.kind, self._theme, role, ICON))
        self.setStyleSheet(
            f"#notice {{ background: {palette.raised}; border: 1px solid {palette.outline};"
            f" border-left: 4px solid {palette.color(role)};"
            f" border-radius: {RADIUS.control}px; }}"
        )


MOST: Final = 5
_PLACE_MS: Final = 200
"""Time between two checks whether a primary button has appeared under the notices."""


class NoticeStack(QWidget):
    """Shows notices over its parent, the newest at the bottom; covers no primary button.

    The same key never shows twice. Errors stay until they are closed; when there are more than
    `MOST`, the oldest that is not an error goes first.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: list[NoticeCard] = []
        self._column = vbox(owner=self, spacing=SPACE.s)
        self._column.setAlignment(Qt.AlignmentFlag.AlignBottom)
        self.setAccessibleName(self.tr("Notices"))
        self._placing = QTimer(self)
        self._placing.setInterval(_PLACE_MS)
        self._placing.timeout.connect(self._check_place)
        parent.installEventFilter(self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)
        self.hide()

    def show_notice(self, notice: Notice) -> None:
        """Show a notice; one with the same key is replaced by it."""
        card = NoticeCard(self._theme, notice, self)
        self.dismiss(card.key)
        card.closed.connect(self.dismiss)
        self._cards.append(card)
        self._column.addWidget(card)
        while len(self._cards) > MOST:
            timed = [old for old in self._cards if old.is_timed] or self._cards
            self.dismiss(timed[0].key)
        self._reposition()
        card.announce()

    def show_error(self, error: StudioError) -> None:
        """Show an error of the user: the message and what to do."""
        self.show_notice(Notice("error", error.message, error.hint))

    def dismiss(self, key: str) -> None:
        """Take away the notice of that key, if there is one."""
        for card in [card for card in self._cards if card.key == key]:
            self._cards.remove(card)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._reposition()

    def cards(self) -> list[NoticeCard]:
        """Return the shown cards, oldest first."""
        return list(self._cards)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner when the parent changes its size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._reposition()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Grow and shrink with the text of the notices."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._reposition()
        return super().event(event)

    def _on_focus_changed(self, _old: QWidget | None, _now: QWidget | None) -> None:
        if self._cards:
            self._check_place()

    def _check_place(self) -> None:
        # Pages change below the notices, but these do not flee from the mouse.
        if not self.underMouse():
            self._reposition()

    def _reposition(self) -> None:
        parent = self.parentWidget()
        if parent is None or not self._cards:
            self._placing.stop()
            self.hide()
            return
        heights = [
            max(card.heightForWidth(NOTICE_WIDTH), card.minimumSizeHint().height())
            for card in self._cards
        ]
        height = sum(heights) + SPACE.s * (len(heights) - 1)
        room = QRect(0, 0, parent.width(), parent.height())
        room = room.adjusted(SPACE.l, SPACE.l, -SPACE.l, -SPACE.l)
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        kept_free = primary_buttons(parent, self) + focused_control(parent, self)
        place = free_rect(
            QSize(NOTICE_WIDTH, height), room, kept_free, gap=SPACE.s, is_mirrored=is_mirrored
        )
        self.setGeometry(place)
        if self.isHidden():
            self.show()
            self.raise_()
            self._placing.start()
